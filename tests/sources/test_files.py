"""Files are read whatever they hold, and tell by themselves when they change and what they copy."""

import gzip
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.engines import KINDS, Machines, in_parquet, in_postgres

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import (
    Cell,
    Column,
    DuckDB,
    Engine,
    Place,
    Postgres,
    Ranks,
    Scanner,
    Spark,
    Table,
)

ROWS = pa.table({"a": ["1", "3"], "b": ["2", "4"]})
HUGE = b"x" * 3_000_000
TEXTS: dict[str, tuple[bytes, list[tuple[str | None, str | None]]]] = {
    "plain": (b"a,b\n1,2\n3,4\n", [("1", "2"), ("3", "4")]),
    "ends without a line": (b"a,b\n1,2", [("1", "2")]),
    "a short line": (b"a,b\n1\n3,4\n", [("1", None), ("3", "4")]),
    "a long line": (b"a,b\n1,2,9\n3,4\n", [("1", "2"), ("3", "4")]),
    "empty lines": (b"a,b\n\n1,2\n\n", [("1", "2")]),
    "empty cells": (b'a,b\n,2\n"",4\n', [(None, "2"), (None, "4")]),
    "lines in a cell": (b'a,b\n"1\n\n9",2\n3,4\n', [("1\n\n9", "2"), ("3", "4")]),
    "quotes in a cell": (b'a,b\n"1""9",2\n', [('1"9', "2")]),
    "delimiters in a cell": (b'a,b\n"1,9",2\n', [("1,9", "2")]),
    "spaces": (b"a,b\n 1 ,2 \n", [(" 1 ", "2 ")]),
    "carriage returns": (b"a,b\r\n1,2\r\n3,4\r\n", [("1", "2"), ("3", "4")]),
    "a byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", [("1", "2")]),
    "emoji": ("a,b\n\U0001f926\u200d,2\n".encode(), [("\U0001f926\u200d", "2")]),
    "a control character": (b"a,b\n1\x07,2\n", [("1\x07", "2")]),
    "no rows": (b"a,b\n", []),
    "quoted names": (b'"a","b"\n1,2\n', [("1", "2")]),
}
"""What every engine makes of a file alike."""

BROKEN = {
    "octets that are no text": b"a,b\n\xff\xfe,2\n3,4\n",
    "a quote that does not end": b'a,b\n"1,2\n3,4\n',
    "a quote that ends too early": b'a,b\n"1"x,2\n3,4\n',
    "a quote in the middle": b'a,b\n1"9,2\n3,4\n',
    "a huge cell": b"a,b\n1," + HUGE + b"\n3,4\n",
    "a huge cell of lines": b'a,b\n1,"' + b"x\n" * 1_500_000 + b'"\n3,4\n',
    "a NUL": b"a,b\n1\x009,2\n3,4\n",
    "mixed ends of lines": b"a,b\r\n1,2\n3,4\r5,6\n",
    "many cells": b"a,b\n" + b"," * 50_000 + b"\n3,4\n",
    "only quotes": b'a,b\n""""""",2\n3,4\n',
}
"""What no engine may fail on, whatever it makes of it."""


def opened(kind: str, machines: Machines, *places: Place) -> Engine:
    if kind == "spark":
        return Spark(machines.spark, places, folder=machines.folder / "own")
    return DuckDB(places, folder=machines.folder / "own")


def read(engine: Engine, place: Place) -> list[tuple[Cell, ...]]:
    table = Table("texts", place, (Column("a", "text"), Column("b", "text")))
    scan = Scanner({"texts": table}, engine, Ranks(b"key")).scan(table, ["a", "b"])
    return sorted(engine.run(scan), key=repr)


def text(machines: Machines, octets: bytes, suffix: str = ".csv") -> Place:
    path = machines.file(suffix)
    path.write_bytes(octets)
    return Place(str(path))


@pytest.mark.parametrize("kind", ["duckdb", "spark"])
@pytest.mark.parametrize("case", TEXTS)
def test_a_file_of_texts_holds_its_cells(machines: Machines, kind: str, case: str) -> None:
    octets, rows = TEXTS[case]
    place = text(machines, octets)
    engine = opened(kind, machines, place)
    assert read(engine, place) == sorted(rows, key=repr)
    engine.close()


@pytest.mark.parametrize("kind", ["duckdb", "spark"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_is_broken_is_still_read(machines: Machines, kind: str, case: str) -> None:
    place = text(machines, BROKEN[case])
    engine = opened(kind, machines, place)
    read(engine, place)
    engine.close()


def test_what_duckdb_makes_of_broken_lines_is_as_it_says(machines: Machines) -> None:
    for case, rows in (
        ("octets that are no text", [("3", "4")]),
        ("a huge cell", [("3", "4")]),
        ("a quote that ends too early", [("1", "2"), ("3", "4")]),
        ("a quote in the middle", [('1"9', "2"), ("3", "4")]),
    ):
        place = text(machines, BROKEN[case])
        engine = DuckDB([place], folder=machines.folder)
        assert read(engine, place) == rows
        engine.close()


def test_octets_that_are_no_text_fail_no_parquet_file(machines: Machines) -> None:
    octets = pa.array([b"\xff\xfe", b"ok", b"a\x00b"], pa.binary()).view(pa.string())
    place = in_parquet(machines, pa.table({"a": octets, "b": ["1", "2", "3"]}))
    for kind in ("duckdb", "spark"):
        engine = opened(kind, machines, place)
        assert len(read(engine, place)) == 3
        engine.close()


@pytest.mark.parametrize("kind", ["duckdb", "spark"])
def test_tabs_and_compression_are_known_by_the_name(machines: Machines, kind: str) -> None:
    for octets, suffix in (
        (b"a\tb\n1\t2\n", ".tsv"),
        (gzip.compress(b"a,b\n1,2\n"), ".csv.gz"),
    ):
        place = text(machines, octets, suffix)
        engine = opened(kind, machines, place)
        assert read(engine, place) == [("1", "2")]
        engine.close()


def test_a_file_without_names_is_refused(machines: Machines) -> None:
    for octets in (b"", b"\n", b"a,a\n1,2\n", b"a,A\n1,2\n"):
        place = text(machines, octets)
        engine = DuckDB([place], folder=machines.folder)
        with pytest.raises(InvalidArgumentError, match="names each column"):
            engine.describe(place)
        engine.close()


def test_files_of_a_pattern_name_the_same_columns(machines: Machines) -> None:
    (machines.folder / "m1.csv").write_text("a,b\n1,2\n")
    (machines.folder / "m2.csv").write_text("b,a\n1,2\n")
    place = Place(str(machines.folder / "m*.csv"))
    engine = DuckDB([place], folder=machines.folder)
    with pytest.raises(InvalidArgumentError, match="in the same order"):
        engine.describe(place)
    engine.close()


def test_parquet_files_of_a_pattern_are_read_by_name_at_their_widest(machines: Machines) -> None:
    first = pa.table({"a": pa.array([1], pa.int32()), "b": ["x"]})
    second = pa.table({"b": ["y"], "a": pa.array([1 << 40], pa.int64()), "c": [1]})
    for number, rows in enumerate((first, second)):
        pq.write_table(rows, machines.folder / f"w{number}.parquet")
    place = Place(str(machines.folder / "w*.parquet"))
    engine = DuckDB([place], folder=machines.folder)
    assert read(engine, place) == [("1", "x"), ("1099511627776", "y")]
    engine.close()


@pytest.mark.parametrize("name", ["a[1].parquet", "a*b.parquet", "it's.parquet", 'a "b".parquet'])
def test_a_file_of_a_pattern_may_have_any_name(machines: Machines, name: str) -> None:
    folder = machines.folder / "odd"
    folder.mkdir()
    pq.write_table(ROWS, folder / name)
    place = Place(str(folder / "*.parquet"))
    engine = DuckDB([place], folder=machines.folder)
    assert read(engine, place) == [("1", "2"), ("3", "4")]
    ((part, _),) = engine.parts(place)
    assert isinstance(part, Place)
    assert read(engine, part) == [("1", "2"), ("3", "4")]
    engine.close()


@pytest.mark.parametrize("kind", KINDS)
def test_the_version_stays_while_the_data_do(machines: Machines, kind: str) -> None:
    with machines.holding(kind, ROWS) as (engine, source):
        versions = {engine.version(source) for _ in range(3)}
        engine.run(Scanner({}, engine, Ranks(b"key")).scan(plain(source), ["a"]))
        assert versions == {engine.version(source)}
        assert [version for _, version in engine.parts(source)] != []


def plain(source: object) -> Table:
    return Table("texts", source, (Column("a", "text"),))


def test_the_version_changes_when_a_file_does(machines: Machines) -> None:
    for kind in ("duckdb", "spark"):
        place = in_parquet(machines, ROWS)
        engine = opened(kind, machines, place)
        versions = {engine.version(place)}
        pq.write_table(pa.table({"a": ["9"], "b": ["9"]}), str(place.path))
        versions.add(engine.version(place))
        os.utime(str(place.path), ns=(1, 1))
        versions.add(engine.version(place))
        assert len(versions) == 3
        engine.close()


def test_the_version_changes_when_a_database_does(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS a")
    place = Place(str(path), "kept")
    first = DuckDB([place], folder=tmp_path)
    before = first.version(place), first.identity(place)
    first.close()
    with duckdb.connect(path) as connection:
        connection.execute("INSERT INTO kept VALUES (2)")
    second = DuckDB([place], folder=tmp_path)
    assert second.version(place) != before[0]
    assert second.identity(place) == before[1]
    second.close()


CHANGES = [
    "INSERT INTO {table} VALUES ('5', '6')",
    "UPDATE {table} SET b = '7' WHERE a = '1'",
    "UPDATE {table} SET b = b",
    "DELETE FROM {table} WHERE a = '1'",
    "TRUNCATE {table}",
    "DROP TABLE {table}; CREATE TABLE {table} AS SELECT '1' AS a, '2' AS b",
    "DELETE FROM {table} WHERE a = '3'; INSERT INTO {table} VALUES ('3', '5')",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_version_changes_at_once_when_a_servers_table_does(
    machines: Machines, change: str
) -> None:
    place = in_postgres(machines, ROWS)
    engine, other = Postgres(machines.dsn, [place]), Postgres(machines.dsn, [place])
    before = engine.version(place)
    assert other.version(place) == before
    with psycopg.connect(machines.dsn) as connection:
        connection.execute(change.format(table=place.table))
        assert engine.version(place) == before
    after = engine.version(place)
    assert after != before
    assert other.version(place) == after
    engine.close()
    other.close()


def test_what_others_write_on_the_server_changes_no_version(machines: Machines) -> None:
    place = in_postgres(machines, ROWS)
    engine = Postgres(machines.dsn, [place])
    before = engine.version(place)
    in_postgres(machines, ROWS)
    assert engine.version(place) == before
    with psycopg.connect(machines.dsn, autocommit=True) as connection:
        connection.execute(f"VACUUM ANALYZE {place.table}")
    assert engine.version(place) == before
    engine.close()


def test_the_version_of_a_view_changes_with_what_it_shows(machines: Machines) -> None:
    place = in_postgres(machines, ROWS)
    with psycopg.connect(machines.dsn) as connection:
        connection.execute(f"CREATE VIEW {place.table}_seen AS SELECT * FROM {place.table}")
        connection.execute(f"CREATE TABLE {place.table}_part () INHERITS ({place.table})")
    view = Place(table=f"{place.table}_seen")
    engine = Postgres(machines.dsn, [view, place])
    before = engine.version(view), engine.version(place)
    with psycopg.connect(machines.dsn) as connection:
        connection.execute(f"INSERT INTO {place.table}_part VALUES ('5', '6')")
    assert engine.version(view) != before[0]
    assert engine.version(place) != before[1]
    engine.close()


def test_copies_share_a_fingerprint_and_nothing_else_does(machines: Machines) -> None:
    for kind in ("duckdb", "spark"):
        first, other = in_parquet(machines, ROWS), in_parquet(machines, ROWS.slice(1))
        copy = Place(str(machines.file(".parquet")))
        shutil.copy(str(first.path), str(copy.path))
        engine = opened(kind, machines, first, other, copy)
        marks = [engine.fingerprint(place) for place in (first, copy, other)]
        assert marks[0] == marks[1] != marks[2]
        assert len({engine.identity(place) for place in (first, copy, other)}) == 3
        engine.close()


def test_a_link_is_no_other_file(machines: Machines) -> None:
    place = in_parquet(machines, ROWS)
    link = machines.file(".parquet")
    link.symlink_to(str(place.path))
    engine = DuckDB([place, Place(str(link))], folder=machines.folder)
    assert engine.identity(place) == engine.identity(Place(str(link)))
    engine.close()


def test_a_large_file_is_told_from_one_that_ends_otherwise(machines: Machines) -> None:
    places = [text(machines, b"a,b\n" + HUGE + end) for end in (b",1\n", b",2\n", b",1\n")]
    engine = DuckDB(places, folder=machines.folder)
    marks = [engine.fingerprint(place) for place in places]
    assert marks[0] == marks[2] != marks[1]
    engine.close()


def test_frames_are_known_by_what_they_hold_in_whatever_order(machines: Machines) -> None:
    frames: Sequence[object] = [
        ROWS,
        ROWS.take([1, 0]),
        ROWS.to_pandas(types_mapper=pd.ArrowDtype),
        ROWS.slice(1),
        ROWS.rename_columns(["a", "c"]),
        pa.concat_tables([ROWS, ROWS.slice(1)]),
    ]
    engine = DuckDB(frames, folder=machines.folder)
    marks = [engine.fingerprint(frame) for frame in frames]
    assert marks[0] == marks[1] == marks[2]
    assert len(set(marks)) == 4
    assert [engine.version(frame) for frame in frames] == marks
    engine.close()


def test_a_servers_table_has_no_cheap_fingerprint(machines: Machines) -> None:
    place = in_postgres(machines, ROWS)
    engine = Postgres(machines.dsn, [place])
    assert engine.fingerprint(place) is None
    assert engine.identity(place).endswith(f'"public"."{place.table}"')
    engine.close()


def test_a_catalogs_table_is_read_and_versioned(machines: Machines) -> None:
    spark = machines.spark
    spark.sql("CREATE TABLE IF NOT EXISTS kept_here USING parquet AS SELECT '1' AS a, '2' AS b")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW seen_here AS SELECT '1' AS a, '2' AS b")
    place = Place(table="kept_here")
    engine = Spark(spark, [place], folder=machines.folder)
    assert read(engine, place) == [("1", "2")]
    before = engine.version(place)
    assert engine.version(place) == before
    assert engine.fingerprint(place) is None
    spark.sql("INSERT INTO kept_here VALUES ('3', '4')")
    assert engine.version(place) != before
    assert read(engine, place) == [("1", "2"), ("3", "4")]
    engine.close()
    spark.sql("DROP TABLE kept_here")
