"""A prepared table holds the rows of the scan, ranked by a function of each person's rows alone."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.engines import Machines

from differential_privacy.errors import SourceError
from differential_privacy.sources import (
    HASH,
    OWNER,
    RANK,
    Bounds,
    Cell,
    Column,
    DuckDB,
    Engine,
    Key,
    Keyed,
    Kind,
    Place,
    Ranks,
    Scanner,
    Spark,
    Table,
    group_rank,
    numbering,
    prepare,
    prepared,
    preparing,
    row_rank,
)
from differential_privacy.sources import scan as scanning
from differential_privacy.sources.ranks import PRIME
from differential_privacy.sources.trees import (
    Call,
    Derived,
    Literal,
    Name,
    Op,
    Over,
    Query,
    Select,
    Stored,
)

KINDS = ["duckdb parquet", "postgres", "spark parquet"]
RANKS = Ranks(b"a key that only tests use")
ONE_PLACE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
FEW = settings(ONE_PLACE, max_examples=max(5, settings.default.max_examples // 4))
COLUMNS = (
    Column("ward", "text"),
    Column("urgent", "boolean"),
    Column("cost", "integer"),
)
SCHEMA = pa.schema(
    [
        ("person", pa.string()),
        ("ward", pa.string()),
        ("urgent", pa.bool_()),
        ("cost", pa.int64()),
    ]
)
KEYS = (("ward",), ("urgent", "Ward"))
NAMES = [column.name for column in COLUMNS]
ALL = [OWNER, *NAMES, HASH, RANK, *(f(i) for i in range(2) for f in (group_rank, row_rank))]
Line = tuple[Any, ...]
T = "t"
line = st.tuples(
    st.one_of(st.none(), st.sampled_from(["ann", "bob", "cem"])),
    st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d", ""])),
    st.one_of(st.none(), st.booleans()),
    # Costs that are a prime apart have one number, so that rows tie.
    st.one_of(st.none(), st.integers(0, 3), st.sampled_from([PRIME, PRIME + 1, 2 * PRIME])),
)
lines = st.lists(line, max_size=20)


def stored(rows: Sequence[Line]) -> pa.Table:
    listed = [dict(zip(SCHEMA.names, row, strict=True)) for row in rows]
    return pa.Table.from_pylist(listed, schema=SCHEMA)


def visits(source: object, **changed: Any) -> Table:
    known = {"owner": "person", "bounds": (Bounds(rows=2),), "keys": KEYS, "columns": COLUMNS}
    return Table("visits", source, **(known | changed))


def scanner(engine: Engine, *tables: Table) -> Scanner:
    return Scanner({table.name: table for table in tables}, engine, RANKS)


def all_of(engine: Engine, names: Sequence[str], rows: Select | Stored) -> list[tuple[Cell, ...]]:
    relation = rows if isinstance(rows, Stored) else Derived(rows, T)
    return sorted(engine.run(Select(tuple((n, Name(T, n)) for n in names), relation)), key=repr)


def kept(scan: Scanner, table: Table, names: Sequence[str] = ALL) -> list[tuple[Cell, ...]]:
    prepare(scan, table)
    found = prepared(scan, table, T)
    assert found is not None
    return all_of(scan.engine, names, found)


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(rows=lines)
def test_a_prepared_table_gives_the_rows_of_the_scan(
    machines: Machines, kind: str, rows: list[Line]
) -> None:
    with machines.holding(kind, stored(rows)) as (engine, source):
        table = visits(source)
        scan = scanner(engine, table)
        prepare(scan, table)
        for bound in (None, 1, 2, 3):
            asked = {"hashed": True, "rows": bound}
            anew = engine.run(scan.scan(table, NAMES, **asked))
            found = prepared(scan, table, T)
            again = engine.run(scan.scan(table, NAMES, prepared=found, **asked))
            assert Counter(anew) == Counter(again)


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(rows=lines, reverse=st.booleans())
def test_ranks_are_the_same_on_each_engine_in_whatever_order_rows_lie(
    machines: Machines, kind: str, rows: list[Line], *, reverse: bool
) -> None:
    with machines.holding("duckdb arrow", stored(rows)) as (engine, source):
        first = kept(scanner(engine, visits(source)), visits(source))
    turned = rows[::-1] if reverse else sorted(rows, key=repr)
    with machines.holding(kind, stored(turned)) as (engine, source):
        assert kept(scanner(engine, visits(source)), visits(source)) == first


@ONE_PLACE
@given(rows=lines)
def test_ranks_count_rows_groups_and_rows_in_groups(machines: Machines, rows: list[Line]) -> None:
    with machines.holding("duckdb arrow", stored(rows)) as (engine, source):
        table = visits(source)
        found = [dict(zip(ALL, row, strict=True)) for row in kept(scanner(engine, table), table)]
    people = defaultdict(list)
    for row in found:
        people[row[OWNER]].append(row)
    for theirs in people.values():
        assert sorted(row[RANK] for row in theirs) == list(range(1, len(theirs) + 1))
        by_rank = sorted(theirs, key=lambda row: row[RANK])
        assert [row[HASH] for row in by_rank] == sorted(row[HASH] for row in theirs)
        for place, key in enumerate([("ward",), ("urgent", "ward")]):
            groups = defaultdict(list)
            for row in theirs:
                groups[row[group_rank(place)]].append(row)
            assert sorted(groups) == list(range(1, len(groups) + 1))
            values = {tuple(row[name] for name in key) for row in theirs}
            assert len(values) == len(groups)
            for group in groups.values():
                assert len({tuple(row[name] for name in key) for row in group}) == 1
                ranked = sorted(row[row_rank(place)] for row in group)
                assert ranked == list(range(1, len(group) + 1))
                in_order = sorted(group, key=lambda row: row[row_rank(place)])
                assert [row[HASH] for row in in_order] == sorted(row[HASH] for row in group)


@pytest.mark.parametrize("kind", KINDS)
@FEW
@given(rows=lines)
def test_a_question_ranks_groups_as_the_prepared_table_does(
    machines: Machines, kind: str, rows: list[Line]
) -> None:
    with machines.holding(kind, stored(rows)) as (engine, source):
        table = visits(source)
        scan = scanner(engine, table)
        keys = [Keyed(Name(T, "urgent"), Kind.BOOLEAN), Keyed(Name(T, "ward"), Kind.TEXT)]
        names, text = [OWNER, *NAMES], scan.owner_is_text(table)
        rows, (order,) = scan.grouped(scan.scan(table, NAMES), names, [keys], owner_is_text=text)
        rank = Over(Call(Op.DENSE_RANK, ()), (Name(T, OWNER),), order)
        columns = [(name, Name(T, name)) for name in names]
        unprepared = Select((*columns, ("rank", rank)), Derived(rows, T))
        ranked = Counter(engine.run(unprepared))
        assert ranked == Counter(kept(scan, table, [OWNER, *NAMES, group_rank(1)]))


@ONE_PLACE
@given(rows=lines, others=lines)
def test_what_a_person_keeps_depends_on_that_person_alone(
    machines: Machines, rows: list[Line], others: list[Line]
) -> None:
    mine = [("me", *row[1:]) for row in rows]
    found = []
    for beside in ([], others):
        with machines.holding("duckdb arrow", stored([*beside, *mine])) as (engine, source):
            table = visits(source)
            everyone = kept(scanner(engine, table), table)
            found.append([row for row in everyone if row[0] == "me"])
    assert found[0] == found[1]


@contextmanager
def growing(machines: Machines, kind: str, folder: Path) -> Iterator[tuple[Engine, Place]]:
    place = Place(str(folder / "*.parquet"))
    if kind == "duckdb":
        engine: Engine = DuckDB([place], folder=folder / "own")
    else:
        engine = Spark(machines.spark, [place], folder=folder / "own")
    try:
        yield engine, place
    finally:
        engine.close()


def append(folder: Path, rows: Sequence[Line], number: int) -> None:
    path = folder / f"{number}.parquet"
    pq.write_table(stored(rows), path)
    os.utime(path, ns=(number, number))


@pytest.mark.parametrize("kind", ["duckdb", "spark"])
@FEW
@given(batches=st.lists(lines, min_size=2, max_size=4))
def test_prepared_as_files_come_or_at_once_the_rows_are_the_same(
    machines: Machines, kind: str, batches: list[list[Line]], tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.mktemp("grown")
    for number, batch in enumerate(batches):
        append(folder, batch, number)
        with growing(machines, kind, folder) as (engine, place):
            grown = kept(scanner(engine, visits(place)), visits(place))
            assert len(engine.kept()) == 1
    at_once = stored([row for batch in batches for row in batch])
    with machines.holding("duckdb arrow", at_once) as (engine, source):
        assert kept(scanner(engine, visits(source)), visits(source)) == grown


def test_files_that_come_while_the_engine_is_open_are_seen(
    machines: Machines, tmp_path: Path
) -> None:
    append(tmp_path, [("ann", "a", True, 1)], 1)
    with growing(machines, "duckdb", tmp_path) as (engine, place):
        table = visits(place)
        scan = scanner(engine, table)
        assert len(kept(scan, table)) == 1
        append(tmp_path, [("ann", "b", True, 1), ("bob", "a", None, 2)], 2)
        assert prepared(scan, table, T) is None
        assert len(kept(scan, table)) == 3


def test_only_people_with_new_rows_are_ranked_again(machines: Machines, tmp_path: Path) -> None:
    append(tmp_path, [(who, ward, True, 1) for who in ("ann", "bob") for ward in "ab"], 1)
    with growing(machines, "duckdb", tmp_path) as (engine, place):
        name = prepare(scanner(engine, visits(place)), visits(place))
    with duckdb.connect(tmp_path / "own" / "prepared" / f"{name}.duckdb") as connection:
        connection.execute(f'UPDATE rows SET "{RANK}" = 77')
    append(tmp_path, [("bob", "c", True, 1)], 2)
    with growing(machines, "duckdb", tmp_path) as (engine, place):
        found = kept(scanner(engine, visits(place)), visits(place), [OWNER, RANK])
    assert found == [("ann", 77), ("ann", 77), ("bob", 1), ("bob", 2), ("bob", 3)]


def test_a_file_whose_columns_are_stored_as_others_makes_all_be_read_anew(
    machines: Machines, tmp_path: Path
) -> None:
    append(tmp_path, [("7", "a", True, 1)], 1)
    with growing(machines, "duckdb", tmp_path) as (engine, place):
        prepare(scanner(engine, visits(place)), visits(place))
    numbered = stored([("8", "a", True, 1)])
    whole = numbered.set_column(0, "person", pa.array([8], pa.int64()))
    pq.write_table(whole, tmp_path / "2.parquet")
    with growing(machines, "duckdb", tmp_path) as (engine, place):
        grown = kept(scanner(engine, visits(place)), visits(place))
    at_once = stored([("7", "a", True, 1), ("8", "a", True, 1)])
    with machines.holding("duckdb arrow", at_once) as (engine, source):
        assert kept(scanner(engine, visits(source)), visits(source)) == grown


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_out_of_date_is_taken_for_the_table(machines: Machines, kind: str) -> None:
    with machines.holding(kind, stored([("ann", "a", True, 1)])) as (engine, source):
        table = visits(source)
        scan = scanner(engine, table)
        assert prepared(scan, table, T) is None
        name = prepare(scan, table)
        assert prepared(scan, table, T) is not None
        declared_else = [
            visits(source, keys=()),
            visits(source, columns=(Column("ward", "text", categories=["a"]), *COLUMNS[1:])),
            visits(source, owner="ward"),
            visits(source, owner=None, bounds=()),
        ]
        for other in declared_else:
            assert prepared(scanner(engine, other), other, T) is None
        assert prepared(replace(scan, ranks=Ranks(b"another key")), table, T) is None
        again = prepare(scanner(engine, declared_else[0]), declared_else[0])
        assert list(engine.kept()) == [again] != [name]


@pytest.mark.parametrize("kind", KINDS)
def test_data_that_changed_is_not_taken_for_what_was_prepared(
    machines: Machines, kind: str
) -> None:
    with machines.holding(kind, stored([("ann", "a", True, 1)])) as (engine, source):
        assert isinstance(source, Place)
        table = visits(source)
        scan = scanner(engine, table)
        prepare(scan, table)
        if source.path is None:
            with psycopg.connect(machines.dsn) as connection:
                connection.execute(f"UPDATE {source.table} SET cost = 2")
        else:
            pq.write_table(stored([("ann", "b", True, 1), ("ann", "c", True, 1)]), source.path)
        assert prepared(scan, table, T) is None
        assert kept(scan, table, ["ward", "cost"]) == all_of(
            engine, ["ward", "cost"], scan.scan(table, NAMES)
        )
        assert len(engine.kept()) == 1


def test_data_that_change_while_they_are_kept_are_kept_anew(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machines.holding("duckdb parquet", stored([("ann", "a", True, 1)])) as (engine, source):
        assert isinstance(source, Place)
        table = visits(source)
        scan, keep = scanner(engine, table), engine.keep
        changes = [stored([("ann", "b", True, 1), ("ann", "c", True, 1)])]

        def overtaken(name: str, query: Query) -> None:
            keep(name, query)
            if changes:
                pq.write_table(changes.pop(), source.path)

        monkeypatch.setattr(engine, "keep", overtaken)
        name = prepare(scan, table)
        assert prepared(scan, table, T) is not None
        assert list(engine.kept()) == [name]


@pytest.mark.parametrize("kind", KINDS)
def test_what_fails_while_it_is_kept_leaves_nothing(machines: Machines, kind: str) -> None:
    with machines.holding(kind, stored([("ann", "a", True, 1)])) as (engine, source):
        absent = Select((("x", Name(T, "absent")),), engine.stored(source, T))
        with pytest.raises(SourceError):
            engine.keep("kept", absent)
        assert not list(engine.kept())
        assert engine.prepared("kept", T) is None
        engine.keep("kept", Select((("x", Literal(1)),), engine.stored(source, T)))
        assert list(engine.kept()) == ["kept"]
        engine.drop("kept")
        assert not list(engine.kept())
        engine.drop("kept")


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_kept_of_other_tables_stays(machines: Machines, kind: str) -> None:
    with machines.holding(kind, stored([("ann", "a", True, 1)])) as (engine, source):
        table, other = visits(source), replace(visits(source), name="others")
        scan = scanner(engine, table, other)
        assert {prepare(scan, table), prepare(scan, other)} == set(engine.kept())


PEOPLE = pa.table({"name": ["ann", "bob", None], "id": [1, 2, 3]})
ORDERS = pa.table({"number": ["x", "y", "z", "w"], "who": [1, 2, 2, 9]})
ITEMS = pa.table({"order": ["x", "y", "y", "z", "w", None, "?"], "cost": [1, 2, 3, 4, 5, 6, 7]})


@pytest.mark.parametrize("kind", KINDS)
def test_owners_are_reached_through_foreign_keys(machines: Machines, kind: str) -> None:
    with machines.many(kind, PEOPLE, ORDERS, ITEMS) as (engine, (people, orders, items)):
        bounds = (Bounds(rows=2),)
        tables = [
            Table("people", people, (Column("id", "integer"),), owner="name", bounds=bounds),
            Table(
                "orders",
                orders,
                (Column("number", "text"),),
                owner=Key("who", "people", "id"),
                bounds=bounds,
            ),
            Table(
                "items",
                items,
                (Column("cost", "integer"),),
                owner=Key("order", "orders", "number"),
                bounds=bounds,
            ),
        ]
        scan = scanner(engine, *tables)
        owned = [(OWNER, Name(T, OWNER)), ("cost", Name(T, "cost"))]
        expected = [("ann", 1), ("bob", 2), ("bob", 3), ("bob", 4)]
        found = engine.run(Select(tuple(owned), Derived(scan.scan(tables[2], ["cost"]), T)))
        assert sorted(found) == expected
        assert kept(scan, tables[2], [OWNER, "cost"]) == expected
        assert scan.owner_is_text(tables[2])


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_owners_is_prepared_as_its_columns_are(
    machines: Machines, kind: str
) -> None:
    rows = [("ann", "a", True, 1), ("ann", "a", True, 1), (None, None, None, None)]
    with machines.holding(kind, stored(rows)) as (engine, source):
        for table in (
            visits(source, owner=None, bounds=(), keys=()),
            visits(source, owner=None, bounds=(), keys=(), public=True),
        ):
            scan = scanner(engine, table)
            expected = Counter(engine.run(scan.scan(table, NAMES)))
            assert len(expected) == 2
            assert Counter(kept(scan, table, NAMES)) == expected
            found = prepared(scan, table, T)
            assert Counter(engine.run(scan.scan(table, NAMES, prepared=found))) == expected


def test_ranks_that_leave_ties_to_the_order_of_rows_are_caught(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    tied = [("ann", "a", True, 0), ("ann", "a", True, PRIME), ("ann", "a", True, 2 * PRIME)]

    def firsts() -> list[list[tuple[Cell, ...]]]:
        found = []
        for rows in (tied, tied[::-1]):
            with machines.holding("duckdb arrow", stored(rows)) as (engine, source):
                scan = scanner(engine, visits(source))
                found.append(engine.run(scan.scan(visits(source), ["cost"], hashed=True, rows=1)))
        return [sorted(one) for one in found]

    monkeypatch.setattr(numbering, "_number", lambda *_: Literal(0))
    one, other = firsts()
    assert one == other
    monkeypatch.setattr(scanning, "row_order", lambda _: (Name(scanning.INNER, HASH),))
    one, other = firsts()
    assert one != other


def test_a_growth_that_ranks_nobody_again_is_caught(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "negated", lambda condition: condition)
    for number, ward in enumerate("abc"):
        append(tmp_path, [("ann", ward, True, 1), ("bob", ward, True, 2)][: number + 1], number)
        with growing(machines, "duckdb", tmp_path) as (engine, place):
            grown = kept(scanner(engine, visits(place)), visits(place))
    at_once = [("ann", ward, True, 1) for ward in "abc"] + [("bob", w, True, 2) for w in "bc"]
    with machines.holding("duckdb arrow", stored(at_once)) as (engine, source):
        assert kept(scanner(engine, visits(source)), visits(source)) != grown
