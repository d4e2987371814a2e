"""A copy of a policy's tables with rows that were made up: one with a strange person, one without.

Rule 1: nothing is read of the private tables but what they are stored as, which is public.
Rule 2: the two copies differ by that person's rows alone, and by what hangs on them.
"""

# ruff: noqa: S608 - every name in a statement is quoted by the writer

import datetime as dt
from collections.abc import Mapping
from itertools import chain, cycle
from pathlib import Path
from typing import TypeAlias

import duckdb

from differential_privacy.curator import Policy
from differential_privacy.curator.mock import mocked
from differential_privacy.release import Columns
from differential_privacy.sources import Key, Physical, Place, Table
from differential_privacy.sources.duck_spelling import WRITER

__all__ = ["copied"]

Row: TypeAlias = dict[str, object]
Made: TypeAlias = list[tuple[int, Row]]
"""Rows, each with the number of the person that it belongs to."""

STRANGE: dict[Physical, tuple[object, ...]] = {
    Physical.BOOLEAN: (None, True, False),
    Physical.WHOLE: (2**63 - 1, None, -(2**63), 0, -1),
    Physical.WIDE: ("9" * 36, None, "-" + "9" * 36, "0.01"),
    Physical.REAL: (float("nan"), float("inf"), None, float("-inf"), -0.0, 5e-324, 1e308),
    Physical.TEXT: ("", "x" * 70_000, None, "nan", "1e999", "'; DROP TABLE visits --", "é", " "),
    Physical.DATE: (dt.date(1, 1, 1), None, dt.date(9999, 12, 31)),
    Physical.TIMESTAMP: (dt.datetime(1, 1, 1), None, dt.datetime(9999, 12, 31, 23, 59, 59)),  # noqa: DTZ001 - as stored
    Physical.TIME: (dt.time(0), None, dt.time(23, 59, 59, 999_999)),
}
"""Values that break what was not thought of; other kinds of columns stay empty."""

TYPES = {
    Physical.BOOLEAN: "BOOLEAN",
    Physical.WHOLE: "BIGINT",
    Physical.WIDE: "DECIMAL(38, 2)",
    Physical.REAL: "DOUBLE",
    Physical.TEXT: "VARCHAR",
    Physical.DATE: "DATE",
    Physical.TIMESTAMP: "TIMESTAMP",
    Physical.TIME: "TIME",
}
NUMBERS = (Physical.WHOLE, Physical.WIDE, Physical.REAL)
MOMENTS = (Physical.DATE, Physical.TIMESTAMP, Physical.TIME)
AT_ONCE = 100
STRANGE_ROWS = 40
ROWS_OF_ONE = 5
OFTEN = 20
STRANGER = 0
"""The number of the strange person; all others have higher ones."""


def copied(
    policy: Policy, stored: Mapping[str, Mapping[str, Physical]], folder: Path, *, rows: int
) -> list[dict[str, Place]]:
    """Files for each private table, with the strange person and without; `stored` are its types."""
    made: dict[str, Made] = {}
    for table in _parents_first(policy):
        made[table.name] = _made(table, stored[table.name], policy, made, rows)
    sides = {"with": made, "without": {name: _without(rows) for name, rows in made.items()}}
    return [
        {
            name: _written(folder / f"{side}_{name}.parquet", stored[name], rows)
            for name, rows in tables.items()
        }
        for side, tables in sides.items()
    ]


def _parents_first(policy: Policy) -> list[Table]:
    def depth(table: Table) -> int:
        return 1 + depth(policy.tables[table.owner.table]) if isinstance(table.owner, Key) else 0

    return sorted(policy.private, key=depth)


def _made(
    table: Table,
    stored: Mapping[str, Physical],
    policy: Policy,
    made: Mapping[str, Made],
    many: int,
) -> Made:
    """Ordinary rows of ordinary people, then those of the strange person."""
    drawn = mocked(table, many)
    strange = {name: cycle(_strange(table, name, kind)) for name, kind in stored.items()}
    numbered = {
        each.owner.references.lower()
        for each in policy.private
        if isinstance(each.owner, Key) and each.owner.table == table.name
    }
    few = 1 if table.owned_by_row else ROWS_OF_ONE
    mine = 1 if table.owned_by_row else STRANGE_ROWS
    rows: Made = []
    for at in range(many + mine):
        person = 1 + at // few if at < many else STRANGER
        row: Row = {}
        for name, kind in stored.items():
            if _same(table.owner, name):
                row[name] = _as_stored(person, kind)
            elif name.lower() in numbered:
                row[name] = _as_stored(at, kind)
            elif isinstance(table.owner, Key) and _same(table.owner.column, name):
                row[name] = _parent(made[table.owner.table], person, at, table.owner.references)
            elif person == STRANGER:
                row[name] = next(strange[name])
            else:
                row[name] = _as_stored(_drawn(table, drawn, name, at), kind)
        rows.append((person, row))
    return rows


def _same(owner: object, name: str) -> bool:
    return isinstance(owner, str) and owner.lower() == name.lower()


def _parent(parents: Made, person: int, at: int, references: str) -> object:
    """What a row of this person is known by in the table that it refers to."""
    theirs = [row for one, row in parents if one == person] or [parents[0][1]]
    return next(
        value for name, value in theirs[at % len(theirs)].items() if _same(references, name)
    )


def _strange(table: Table, name: str, kind: Physical) -> tuple[object, ...]:
    """Values of the strange person; the last category is that person's alone, and comes often."""
    for column in table.columns:
        if column.categories and _same(name, column.name):
            return (*[column.categories[-1]] * OFTEN, *STRANGE.get(kind, (None,)))
    return STRANGE.get(kind, (None,))


def _drawn(table: Table, drawn: Columns, name: str, at: int) -> object:
    """A made-up value; never the last category, so that its group is the strange person's."""
    for column in table.columns:
        if _same(name, column.name):
            value, listed = drawn[column.name][at], column.categories or ()
            return listed[0] if value in listed[-1:] else value
    return None


def _without(rows: Made) -> Made:
    return [(person, row) for person, row in rows if person != STRANGER]


def _as_stored(value: object, kind: Physical) -> object:
    """A made-up value as a column of this type holds it, or nothing."""
    if kind is Physical.TEXT:
        return None if value is None else str(value)
    if kind is Physical.BOOLEAN:
        return bool(value)
    if isinstance(value, bool | int | float):
        return value if kind in NUMBERS else None
    if kind is Physical.DATE and type(value) is dt.datetime:
        return value.date()
    return value if kind in MOMENTS else None


def _written(path: Path, stored: Mapping[str, Physical], rows: Made) -> Place:
    """A Parquet file of these types."""
    listed = ", ".join(
        f"{WRITER.name(name)} {TYPES.get(kind, 'VARCHAR')}" for name, kind in stored.items()
    )
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE made ({listed})")
        places = f"({', '.join('?' * len(stored))})"
        for start in range(0, len(rows), AT_ONCE):
            some = [list(row.values()) for _, row in rows[start : start + AT_ONCE]]
            values = ", ".join([places] * len(some))
            connection.execute(f"INSERT INTO made VALUES {values}", list(chain(*some)))
        connection.execute(f"COPY made TO {WRITER.text(str(path))} (FORMAT parquet)")
    return Place(str(path))
