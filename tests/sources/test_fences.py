"""An engine reads its sources and nothing else: no file, network, extension, schema or setting."""

import sys
from pathlib import Path

import duckdb
import pandas as pd
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.engines import ENGINES, KINDS, Machines, in_parquet
from tests.sources.planted import UnfencedDuckDB

from differential_privacy.errors import InvalidArgumentError, MissingExtraError, SourceError
from differential_privacy.sources import (
    Bounds,
    Column,
    DuckDB,
    Physical,
    Place,
    Postgres,
    Ranks,
    Scanner,
    Spark,
    Table,
    prepare,
)
from differential_privacy.sources.normal import LONGEST_TEXT
from differential_privacy.sources.trees import Literal, Name, Op, Rows, Select, Stored, call

ROWS = pa.table({"person": ["ann", "bob"], "cost": [1, 2]})
PRIVATE = "a value that no message may show"
in_scope = pd.DataFrame({"secret": [1]})


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path = folder / "secret.parquet"
    pq.write_table(ROWS, path)
    return path


REACHING = [
    "SELECT * FROM '{secret}'",
    "SELECT * FROM READ_PARQUET('{secret}')",
    "SELECT * FROM READ_TEXT('/etc/hostname')",
    "SELECT * FROM READ_CSV('/etc/passwd')",
    "SELECT * FROM GLOB('/etc/*')",
    "SELECT * FROM READ_BLOB('{folder}/ranks.key')",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '/tmp/out.csv'",
    "ATTACH '{folder}/other.duckdb'",
    "ATTACH ':memory:' AS more; ATTACH '/tmp/other.duckdb'",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{folder}/x.duckdb_extension'",
    "SELECT * FROM READ_CSV('https://example.org/x.csv')",
    "SELECT * FROM READ_PARQUET('s3://bucket/x.parquet')",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/etc/passwd']",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET memory_limit = '1TB'",
    "SELECT * FROM in_scope",
    "SELECT GETENV('HOME')",
    "CREATE SECRET (TYPE s3, KEY_ID 'x', SECRET 'y')",
]


@pytest.mark.parametrize("statement", REACHING)
def test_duckdb_reaches_nothing_but_its_sources(secret: Path, statement: str) -> None:
    beside = secret.parent / "visits.parquet"
    pq.write_table(ROWS, beside)
    (secret.parent / "ranks.key").write_bytes(b"key")
    place = Place(str(secret.parent / "v*.parquet"))
    engine = DuckDB([place], folder=secret.parent)
    with pytest.raises(SourceError):
        engine._rows(statement.format(secret=secret, folder=secret.parent))
    assert engine.run(Select((("n", call(Op.ROWS)),), engine.stored(place, "t"))) == [(2,)]
    assert {path.name for path in secret.parent.iterdir()} <= {
        *("secret.parquet", "visits.parquet", "ranks.key"),
        *("prepared", "spill"),
    }
    engine.close()


def test_the_test_of_the_fence_sees_an_engine_without_one(secret: Path) -> None:
    engine = UnfencedDuckDB([], folder=secret.parent)
    assert engine._rows(f"SELECT COUNT(*) FROM '{secret}'") == [(2,)]
    engine.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_was_not_given_is_refused(
    machines: Machines, kind: str, secret: Path
) -> None:
    with machines.holding(kind, ROWS) as (engine, _):
        with psycopg.connect(machines.dsn) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS secret (a int)")
        for other in (Place(str(secret)), Place(table="secret"), in_scope, None):
            for asked in (engine.describe, engine.identity, engine.version, engine.fingerprint):
                with pytest.raises(InvalidArgumentError, match="must be"):
                    asked(other)
            with pytest.raises(InvalidArgumentError, match="must be"):
                engine.stored(other, "t")
            with pytest.raises(InvalidArgumentError, match="must be"):
                engine.parts(other)


WRITING = [
    "CREATE TABLE public.more (a int)",
    "INSERT INTO public.visits VALUES ('cem', 3)",
    "UPDATE public.visits SET cost = 0",
    "DELETE FROM public.visits",
    "DROP TABLE public.visits",
    "CREATE TEMPORARY TABLE more (a int)",
    "COPY public.visits TO '/tmp/out.csv'",
    "COPY public.visits TO PROGRAM 'cat'",
    "SELECT PG_READ_FILE('/etc/hostname')",
    "SELECT PG_LS_DIR('/')",
    "SELECT LO_IMPORT('/etc/hostname')",
    "CREATE EXTENSION file_fdw",
    "SELECT trapped(1)",
    "SELECT PG_TERMINATE_BACKEND(PG_BACKEND_PID())",
    "SELECT * FROM visits",
    "VACUUM public.visits",
    "ALTER SYSTEM SET work_mem = '1MB'",
]


@pytest.mark.parametrize("statement", WRITING)
def test_postgres_reads_tables_and_does_nothing_else(machines: Machines, statement: str) -> None:
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("DROP TABLE IF EXISTS visits")
        connection.execute("CREATE TABLE visits (person text, cost bigint)")
        connection.execute("INSERT INTO visits VALUES ('ann', 1), ('bob', 2)")
        connection.execute(
            "CREATE OR REPLACE FUNCTION trapped(a int) RETURNS int AS 'SELECT 1' LANGUAGE SQL"
        )
    place = Place(table="visits")
    engine = Postgres(machines.dsn, [place])
    with pytest.raises(SourceError):
        engine._rows(statement)
    assert engine.run(Select((("n", call(Op.ROWS)),), engine.stored(place, "t"))) == [(2,)]
    engine.close()


def login(machines: Machines, name: str, *granted: str) -> str:
    """A role of its own that may log in."""
    with psycopg.connect(machines.dsn) as connection:
        connection.execute(f"DROP ROLE IF EXISTS {name}")
        connection.execute(f"CREATE ROLE {name} LOGIN")
        for grant in granted:
            connection.execute(f"GRANT {grant} TO {name}")
    return machines.dsn.replace("tester@", f"{name}@")


def test_a_plain_role_reads_and_prepares_what_it_was_granted(machines: Machines) -> None:
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("CREATE TABLE granted AS SELECT 'ann' AS person, 1 AS cost")
        connection.execute("CREATE SCHEMA IF NOT EXISTS hidden")
        connection.execute("CREATE TABLE IF NOT EXISTS hidden.secret (a int)")
        (database,) = connection.execute("SELECT CURRENT_DATABASE()").fetchone() or ("",)
    grants = ("SELECT ON granted", f"CREATE ON DATABASE {database}")
    dsn = login(machines, "plain_reader", *(f"{one}" for one in grants))
    place = Place(table="granted")
    engine = Postgres(dsn, [place])
    table = Table("granted", place, (Column("person", "text"), Column("cost", "integer")))
    prepare(Scanner({"granted": table}, engine, Ranks(b"key")), table)
    with pytest.raises(SourceError):
        engine._rows("SELECT * FROM hidden.secret")
    engine.close()
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("DROP OWNED BY plain_reader; DROP ROLE plain_reader")


@pytest.mark.parametrize(
    "role", ["pg_read_server_files", "pg_write_server_files", "pg_execute_server_program"]
)
def test_a_role_that_reaches_the_servers_files_is_refused(machines: Machines, role: str) -> None:
    dsn = login(machines, "mighty", role)
    with pytest.raises(InvalidArgumentError, match="must not name a role"):
        Postgres(dsn, [])
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("DROP ROLE mighty")


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE visits; --",
        "\\'; DROP TABLE visits; --",
        "\\",
        "' OR TRUE OR '",
        "${env:HOME}",
        "${spark.app.name}",
        "%s %(a)s {} {0} :x ? $1",
        "a\nb\n  c",
        '"`',
        "\r\t\x01\x7f",
    ],
)
def test_a_text_stays_a_text(machines: Machines, kind: str, text: str) -> None:
    with machines.bare(kind) as engine:
        inner = Rows(("a", "b"), ((1, text), (2, "plain")), "t")
        same = call(Op.EQUAL, Name("t", "b"), text)
        found = engine.run(Select((("b", Name("t", "b")), ("same", same)), inner))
        assert sorted(found) == sorted([(text, True), ("plain", False)])


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("name", ["a b", 'a"b', "a`b", "a;b", "a--b", "a'b", "A", "select", "é"])
def test_a_name_stays_a_name(machines: Machines, kind: str, name: str) -> None:
    with machines.bare(kind) as engine:
        inner = Rows((name,), ((1,), (2,)), name)
        found = engine.run(Select(((name, Name(name, name)),), inner))
        assert sorted(found) == [(1,), (2,)]


@pytest.mark.parametrize("kind", ENGINES)
def test_what_an_engine_says_reaches_nobody(
    machines: Machines, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with machines.bare(kind) as engine:
        capfd.readouterr()
        failing = Stored(f"({PRIVATE!r} no statement)", "t")
        with pytest.raises(SourceError) as raised:
            engine.run(Select((("a", Literal(1)),), failing))
        assert PRIVATE not in str(raised.value)
        assert raised.value.__cause__ is None
        assert raised.value.__context__ is None
        said = capfd.readouterr()
        assert PRIVATE not in said.out + said.err


def test_a_frame_is_what_it_was_when_it_was_given() -> None:
    frame = pd.DataFrame({"cost": [1, 2]})
    engine = DuckDB([frame])
    before = engine.version(frame)
    frame.loc[0, "cost"] = 5
    assert engine.version(frame) == before
    total = Select((("s", call(Op.SUM, Name("t", "cost"))),), engine.stored(frame, "t"))
    assert engine.run(total) == [(3,)]
    engine.close()


def test_a_frame_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be a file, or a pandas"):
        DuckDB([object()])


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"differential_privacy\[postgres\]"):
        Postgres("", [])
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"differential_privacy\[spark\]"):
        Spark.local([])


@pytest.mark.parametrize(
    "place",
    [
        Place("absent.parquet"),
        Place("absent*.csv"),
        Place("notes.txt"),
        Place(table="visits"),
        Place("kept.parquet", "visits"),
    ],
)
def test_duckdb_refuses_a_place_that_is_none(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(ROWS, "kept.parquet")
    (tmp_path / "notes.txt").write_text("a,b")
    with pytest.raises(InvalidArgumentError, match="must"):
        DuckDB([place])


def test_a_database_is_one_file_with_a_table(tmp_path: Path) -> None:
    duckdb.connect(tmp_path / "a.duckdb").close()
    for place in (Place(str(tmp_path / "*.duckdb"), "t"), Place(str(tmp_path / "a.duckdb"))):
        with pytest.raises(InvalidArgumentError, match="must be"):
            DuckDB([place])


def test_collations_that_a_database_declares_make_no_two_people_one(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE visits (person VARCHAR COLLATE NOCASE, cost BIGINT)")
        connection.execute("INSERT INTO visits VALUES ('Ann', 1), ('ann', 2), ('ANN', 3)")
    for name in ("visits", "Main.VISITS"):
        place = Place(str(path), name)
        engine = DuckDB([place, Place(str(path), "visits")], folder=tmp_path)
        assert engine.identity(place) == engine.identity(Place(str(path), "visits"))
        assert engine.fingerprint(place) == engine.fingerprint(Place(str(path), "visits"))
        person = Name("t", "person")
        people = Select((("n", call(Op.DISTINCT, person)),), engine.stored(place, "t"))
        assert engine.run(people) == [(3,)]
        named = Select(
            (("person", person),), engine.stored(place, "t"), where=call(Op.EQUAL, person, "ann")
        )
        assert engine.run(named) == [("ann",)]
        engine.close()


def test_collations_that_a_server_declares_make_no_two_people_one(machines: Machines) -> None:
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("DROP TABLE IF EXISTS folded")
        connection.execute(
            "CREATE COLLATION IF NOT EXISTS public.caseless "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
        connection.execute("CREATE TABLE folded (person text COLLATE public.caseless, cost bigint)")
        connection.execute("INSERT INTO folded VALUES ('Ann', 1), ('ann', 2), ('ANN', 3)")
    place = Place(table="folded")
    engine = Postgres(machines.dsn, [place])
    table = Table("folded", place, (Column("person", "text"), Column("cost", "integer")))
    scan = Scanner({"folded": table}, engine, Ranks(b"key")).scan(table, ["person"])
    assert sorted(engine.run(scan)) == [("ANN",), ("Ann",), ("ann",)]
    engine.close()


def test_a_place_of_spark_is_a_path_or_a_table(machines: Machines) -> None:
    place = in_parquet(machines, ROWS)
    for wrong in (Place(place.path, "t"), Place("absent.parquet"), Place(table="absent"), ROWS):
        with pytest.raises(InvalidArgumentError, match="must be"):
            Spark(machines.spark, [wrong])


def test_a_database_shows_no_table_under_a_second_name(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE visits AS SELECT 1 AS cost")
        connection.execute("CREATE VIEW seen AS SELECT * FROM visits")
    for name in ("seen", "absent", "a.main.visits", "information_schema.tables", ""):
        with pytest.raises(InvalidArgumentError, match="must be a table of the database"):
            DuckDB([Place(str(path), name)], folder=tmp_path)


def test_a_server_shows_no_table_under_a_second_name(machines: Machines) -> None:
    with psycopg.connect(machines.dsn) as connection:
        connection.execute("""
            CREATE TABLE held (person text, cost bigint) PARTITION BY LIST (person);
            CREATE TABLE held_by_ann PARTITION OF held FOR VALUES IN ('ann');
            CREATE TABLE beside (cost bigint);
            CREATE VIEW shown AS SELECT * FROM held WHERE cost > 0;
            CREATE VIEW shown_again AS SELECT cost FROM shown;
            CREATE MATERIALIZED VIEW kept AS SELECT * FROM held_by_ann;
            CREATE VIEW both_shown AS SELECT cost FROM held UNION ALL SELECT cost FROM beside;
            CREATE VIEW nothing_shown AS SELECT 1 AS cost;
        """)
    names = ("held", "public.held", "held_by_ann", "shown", "shown_again", "kept")
    places = [Place(table=name) for name in names]
    engine = Postgres(machines.dsn, [*places, Place(table="beside")])
    assert len({engine.identity(place) for place in places}) == 1
    assert engine.identity(Place(table="beside")) != engine.identity(places[0])
    engine.close()
    for name in ("both_shown", "nothing_shown"):
        with pytest.raises(InvalidArgumentError, match="must show one table"):
            Postgres(machines.dsn, [Place(table=name)])


def test_a_catalog_shows_no_table_under_a_second_name(machines: Machines) -> None:
    spark = machines.spark
    spark.sql("CREATE TABLE held USING parquet AS SELECT 1 AS cost")
    spark.sql("CREATE TEMPORARY VIEW shown AS SELECT * FROM held")
    places = [Place(table=name) for name in ("held", "HELD", "default.held")]
    places.append(Place(table="spark_catalog.default.held"))
    (location,) = {
        row[1]
        for row in spark.sql("DESCRIBE TABLE EXTENDED held").collect()
        if row[0] == "Location"
    }
    places.append(Place(location.removeprefix("file:")))
    engine = Spark(spark, places, folder=machines.folder)
    assert len({engine.identity(place) for place in places}) == 1
    with pytest.raises(InvalidArgumentError, match="no view"):
        Spark(spark, [Place(table="shown")])
    engine.close()
    spark.sql("DROP TABLE held")


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, 3],
        [1, 2, "junk"],
        [2**70, 1, None],
        [None, None, None],
        ["a", b"\xff", "\ud800"],
        [[1], {"a": 1}, float("nan")],
        [True, 1.5, pd.Timestamp("2024-01-31")],
    ],
    ids=str,
)
def test_what_an_object_of_pandas_is_stored_as_does_not_hang_on_the_rows(
    cells: list[object], tmp_path: Path
) -> None:
    frame = pd.DataFrame({"cost": pd.Series(cells, dtype=object), "person": ["a", "b", "c"]})
    engine = DuckDB([frame], folder=tmp_path)
    assert engine.describe(frame) == {"cost": Physical.TEXT, "person": Physical.TEXT}
    table = Table("visits", frame, (Column("cost", "integer"),))
    scan = Scanner({"visits": table}, engine, Ranks(b"key")).scan(table, ["cost"])
    assert len(engine.run(scan)) == 3
    engine.close()


@pytest.mark.parametrize("kind", ["duckdb parquet", "postgres", "spark parquet"])
def test_a_huge_cell_is_cut_and_names_nobody(machines: Machines, kind: str) -> None:
    most = LONGEST_TEXT
    names = ["ann", "a" * most, "a" * (most + 1), "b" * 5_000_000]
    with machines.holding(kind, pa.table({"person": names, "code": names})) as (engine, source):
        columns = (Column("code", "text"), Column("person", "text", categories=["ann"]))
        table = Table("visits", source, columns, owner="person", bounds=(Bounds(rows=1),))
        scanner = Scanner({"visits": table}, engine, Ranks(b"key"))
        found = sorted(engine.run(scanner.scan(table, ["code", "person"])))
        assert found == [("a" * most, "a" * most, None), ("ann", "ann", "ann")]
        alone = Table("visits", source, columns)
        codes = Scanner({"visits": alone}, engine, Ranks(b"key")).scan(alone, ["code"])
        assert sorted(engine.run(codes)) == sorted((name[:most],) for name in names)
