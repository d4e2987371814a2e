"""The same rows are the same scan on every engine, whatever their order and whatever they hold."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.engines import KINDS, Machines

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import (
    Bounds,
    Cell,
    Column,
    Engine,
    Key,
    Ranks,
    Scanner,
    Table,
)
from differential_privacy.sources.ranks import PRIME
from differential_privacy.sources.trees import Derived, Op, Select, call

ONE = (Bounds(rows=1),)
COSTS = (Column("cost", "number"), Column("price", "number"))
KEY = b"a key that only tests use"
SOME = settings(
    max_examples=max(5, settings.default.max_examples // 3),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
COLUMNS = (
    Column("ward", "text"),
    Column("kind", "text", categories=["in", "out", "été"], nullable=False),
    Column("cost", "number", lower=-5, upper=1000, step="0.01"),
    Column("price", "number", lower=0, upper=100, step="1/3"),
    Column("count", "integer"),
    Column("urgent", "boolean"),
    Column("day", "date", lower="2000-01-01", upper="2030-12-31"),
    Column("seen", "timestamp"),
    Column("clock", "time"),
)
SCHEMA = pa.schema(
    [
        ("person", pa.string()),
        ("ward", pa.string()),
        ("kind", pa.string()),
        ("cost", pa.float64()),
        ("price", pa.decimal128(12, 2)),
        ("count", pa.int64()),
        ("urgent", pa.bool_()),
        ("day", pa.date32()),
        ("seen", pa.timestamp("us")),
        ("clock", pa.time64("us")),
    ]
)
CENTURY = dt.datetime(100, 1, 1)  # noqa: DTZ001 - timestamps here have no zone
"""Texts of earlier years are no dates."""

letters = st.characters(codec="utf-8", exclude_characters="\0\r")
# A file of texts cannot tell an empty text from none.
words = st.text(letters, min_size=1, max_size=8)
# Farther from zero, or nearer, a text is no number.
sizes = st.one_of(
    st.floats(1e-307, 9e307),
    st.floats(-9e307, -1e-307),
    st.sampled_from([0.0, -0.0, 0.005, 1.005, -5.0, 999.995, 1e100, float("nan"), float("inf")]),
)
line = st.tuples(
    st.one_of(st.none(), st.sampled_from(["ann", "bob", "Bob", "bob ", "zoë", 'a,"b"\n', "7"])),
    st.one_of(st.none(), words),
    st.one_of(st.none(), words, st.sampled_from(["in", "out", "été", "In", "in "])),
    st.one_of(st.none(), sizes),
    st.one_of(st.none(), st.decimals("-999.99", "999.99", places=2)),
    st.one_of(st.none(), st.integers(-(1 << 63), (1 << 63) - 1)),
    st.one_of(st.none(), st.booleans()),
    st.one_of(st.none(), st.dates(min_value=CENTURY.date())),
    st.one_of(st.none(), st.datetimes(min_value=CENTURY)),
    st.one_of(st.none(), st.times()),
)
Line = tuple[Any, ...]


def table(source: object, **changed: Any) -> Table:
    known = {"owner": "person", "bounds": (Bounds(rows=2),), "keys": (("ward", "kind"),)}
    return Table("visits", source, COLUMNS, **(known | changed))


def stored(lines: Sequence[Line]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, line, strict=True)) for line in lines], schema=SCHEMA
    )


def scanned(engine: Engine, source: object, **asked: Any) -> list[tuple[Cell, ...]]:
    """All rows of a scan with all columns and their hashes, in one order."""
    visits = table(source)
    scanner = Scanner({"visits": visits}, engine, Ranks(KEY))
    names = [column.name for column in COLUMNS]
    found = engine.run(scanner.scan(visits, names, hashed=True, **asked))
    return sorted(found, key=repr)


@pytest.mark.parametrize("kind", KINDS)
@SOME
@given(lines=st.lists(line, min_size=1, max_size=12), reverse=st.booleans())
def test_the_same_rows_are_the_same_scan_in_whatever_order(
    machines: Machines, kind: str, lines: list[Line], *, reverse: bool
) -> None:
    with machines.holding("duckdb arrow", stored(lines)) as (engine, source):
        first = scanned(engine, source), scanned(engine, source, rows=2)
    turned = lines[::-1] if reverse else sorted(lines, key=repr)
    with machines.holding(kind, stored(turned)) as (engine, source):
        assert (scanned(engine, source), scanned(engine, source, rows=2)) == first


NUMBERED = pa.schema(
    [("person", pa.int64()), ("cost", pa.float64()), ("price", pa.decimal128(12, 2))]
)
TYPED = [kind for kind in KINDS if not kind.endswith("csv")]
owners = st.one_of(
    st.none(), st.integers(0, 3), st.sampled_from([-(1 << 63), (1 << 63) - 1, PRIME, -PRIME])
)


@pytest.mark.parametrize("kind", TYPED)
@SOME
@given(
    rows=st.lists(
        st.tuples(
            owners, st.sampled_from([None, 0.5, 2.0, float("nan")]), st.just(Decimal("1.50"))
        ),
        min_size=1,
        max_size=12,
    )
)
def test_people_who_are_numbered_keep_the_same_rows_on_each_engine(
    machines: Machines, kind: str, rows: list[Line]
) -> None:
    listed = [dict(zip(NUMBERED.names, row, strict=True)) for row in rows]
    table = pa.Table.from_pylist(listed, schema=NUMBERED)
    found = []
    for made in ("duckdb arrow", kind):
        with machines.holding(made, table) as (engine, source):
            visits = Table("visits", source, COSTS, owner="person", bounds=(Bounds(rows=2),))
            scanner = Scanner({"visits": visits}, engine, Ranks(KEY))
            scan = scanner.scan(visits, ["cost", "price"], hashed=True, rows=2)
            found.append(Counter(engine.run(scan)))
            assert not scanner.owner_is_text(visits)
    assert found[0] == found[1]


WIDE = pa.table(
    {"person": pa.array([Decimal("7.00"), Decimal("7.10"), None], pa.decimal128(12, 2))}
)


@pytest.mark.parametrize("kind", TYPED)
def test_people_who_are_wide_numbers_are_texts_without_needless_zeros(
    machines: Machines, kind: str
) -> None:
    with machines.holding(kind, WIDE) as (engine, source):
        visits = Table("visits", source, (Column("person", "integer"),), owner="person", bounds=ONE)
        scanner = Scanner({"visits": visits}, engine, Ranks(KEY))
        assert scanner.owner_is_text(visits)
        assert sorted(engine.run(scanner.scan(visits, ["person"]))) == [("7", 7), ("7.1", 7)]


@pytest.mark.parametrize("kind", KINDS)
def test_columns_and_sources_that_do_not_fit_are_refused_by_name(
    machines: Machines, kind: str
) -> None:
    rows = pa.table({"person": ["ann"], "cost": ["1"]})
    with machines.holding(kind, rows) as (engine, source):
        absent = Table("visits", source, (Column("price", "number"),))
        with pytest.raises(InvalidArgumentError, match="is not in the source, which has: person"):
            Scanner({"visits": absent}, engine, Ranks(KEY)).scan(absent, ["price"])


@pytest.mark.parametrize("kind", TYPED)
def test_columns_that_are_stored_as_something_else_are_refused_by_name(
    machines: Machines, kind: str
) -> None:
    rows = pa.table({"person": [1.5], "urgent": pa.array([True]), "id": pa.array([1], pa.int64())})
    with machines.holding(kind, rows) as (engine, source):
        dated = Table("visits", source, (Column("urgent", "date"),))
        owned = Table("visits", source, (Column("urgent", "boolean"),), owner="person", bounds=ONE)
        keyed = Table(
            *("visits", source, (Column("urgent", "boolean"),)),
            owner=Key("urgent", "people", "id"),
            bounds=ONE,
        )
        people = Table("people", source, (Column("id", "integer"),), owner="id", bounds=ONE)
        for table, message in (
            (dated, "is stored as boolean, which is never a date"),
            (owned, "people are told apart by whole numbers or texts"),
            (keyed, "must be stored as people.id is, which it refers to"),
        ):
            scanner = Scanner({"visits": table, "people": people}, engine, Ranks(KEY))
            with pytest.raises(InvalidArgumentError, match=message):
                scanner.scan(table, ["urgent"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_of_no_columns_still_has_its_rows(machines: Machines, kind: str) -> None:
    with machines.holding(kind, pa.table({"cost": ["1", "2", "2"]})) as (engine, source):
        table = Table("visits", source, (Column("cost", "integer"),))
        scanner = Scanner({"visits": table}, engine, Ranks(KEY))
        rows = Derived(scanner.scan(table, []), "t")
        assert engine.run(Select((("n", call(Op.ROWS)),), rows)) == [(3,)]
