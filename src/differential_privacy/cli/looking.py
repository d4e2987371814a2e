"""What a table really holds, in exact numbers: for the curator's eyes, by `dp check --data`.

Rule 1: nothing here is ever shown to an analyst: it is read outside of the door, and unpaid.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from differential_privacy.sources import OWNER, Column, Scanner, Table
from differential_privacy.sources.trees import (
    Case,
    Derived,
    Literal,
    Name,
    Op,
    Select,
    Tree,
    call,
    when,
)

__all__ = ["Seen", "SeenColumn", "seen"]

SCAN, COUNTED = "t", "u"


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """How many rows have no value, and how many are at or beyond an end of the declared range."""

    name: str
    missing: int
    lowest: int | None = None
    highest: int | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """Rows, those that nobody owns, people, the most rows of one, and rows beyond the bound."""

    rows: int
    unowned: int
    people: int | None
    most: int | None
    beyond: int | None
    columns: tuple[SeenColumn, ...]


def seen(scanner: Scanner, table: Table) -> Seen:
    """What a table holds."""
    scan = scanner.scan(table, [column.name for column in table.columns])
    asked: list[tuple[str, Tree]] = [("rows", call(Op.ROWS))]
    for column in table.columns:
        asked += _asked(column)
    (row,) = scanner.engine.run(Select(tuple(asked), Derived(scan, SCAN)))
    counts = {name: int(value or 0) for (name, _), value in zip(asked, row, strict=True)}
    stored = scanner.engine.stored(table.source, SCAN)
    ((every,),) = scanner.engine.run(Select((("rows", call(Op.ROWS)),), stored))
    people, most, beyond = _people(scanner, table, scan)
    return Seen(
        rows=int(every or 0),
        unowned=int(every or 0) - counts["rows"],
        people=people,
        most=most,
        beyond=beyond,
        columns=tuple(_told(column, counts) for column in table.columns),
    )


def _asked(column: Column) -> Iterator[tuple[str, Tree]]:
    value = Name(SCAN, column.name)
    yield f"{column.name} there", call(Op.COUNT, value)
    if column.points is not None:
        for side, end in zip(("low", "high"), column.points, strict=True):
            at_end = when(call(Op.EQUAL, value, end), Literal(1))
            yield f"{column.name} {side}", call(Op.COUNT, at_end)


def _told(column: Column, counts: dict[str, int]) -> SeenColumn:
    return SeenColumn(
        column.name,
        counts["rows"] - counts[f"{column.name} there"],
        counts.get(f"{column.name} low"),
        counts.get(f"{column.name} high"),
    )


def _people(
    scanner: Scanner, table: Table, scan: Select
) -> tuple[int | None, int | None, int | None]:
    if table.public or table.owned_by_row:
        return None, None, None
    owner = Name(SCAN, OWNER)
    counted = Select((("n", call(Op.ROWS)),), Derived(scan, SCAN), group=(owner,))
    many = Name(COUNTED, "n")
    bound = Literal(table.rows) if table.rows is not None else many
    over: Tree = Case(((call(Op.LESS, bound, many), call(Op.SUBTRACT, many, bound)),), Literal(0))
    asked = (("people", call(Op.ROWS)), ("most", call(Op.HIGHEST, many)))
    (row,) = scanner.engine.run(
        Select((*asked, ("over", call(Op.SUM, over))), Derived(counted, COUNTED))
    )
    people, most, beyond = (int(value or 0) for value in row)
    return people, most, None if table.rows is None else beyond
