"""Made-up rows with a table's declared schema, to try questions and code on.

Rule 1: nothing here depends on the data: only on the policy and on fresh randomness.
"""

import datetime as dt

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import integer
from differential_privacy.release import Columns
from differential_privacy.sampling import uniform
from differential_privacy.sources import Column, Kind, Table
from differential_privacy.sources.kinds import DAY_SECONDS, EPOCH, MIDNIGHT

__all__ = ["mocked"]

MOST_ROWS = 10**7
ROWS_OF_ONE = 5
WIDE = 1000
"""Where no range is declared, values are made up around zero."""


def mocked(table: Table, rows: int) -> Columns:
    """So many rows; people have about five each."""
    count = integer(rows, "rows", least=1)
    if count > MOST_ROWS:
        raise InvalidArgumentError("rows", rows, f"must be at most {MOST_ROWS}")
    people = max(1, count // ROWS_OF_ONE)
    return Columns(
        {
            column.name: _values(column, count, people if column.name == table.owner else None)
            for column in table.columns
        }
    )


def _values(column: Column, rows: int, people: int | None) -> list[object]:
    if people is not None:
        drawn = uniform(people, rows)
        text = column.kind is Kind.TEXT
        return [f"person {value}" if text else int(value) for value in drawn]
    if column.categories is not None:
        return [column.categories[int(place)] for place in uniform(len(column.categories), rows)]
    if column.kind is Kind.BOOLEAN:
        return [bool(value) for value in uniform(2, rows)]
    if column.kind is Kind.TEXT:
        return [f"text {value}" for value in uniform(WIDE, rows)]
    low, high = column.points or _made_up(column)
    return [_value(column, low + int(place)) for place in uniform(high - low + 1, rows)]


def _made_up(column: Column) -> tuple[int, int]:
    if column.kind is Kind.TIME:
        return 0, DAY_SECONDS - 1
    today = (dt.date(2020, 1, 1) - EPOCH).days
    if column.kind is Kind.DATE:
        return today, today + WIDE
    if column.kind is Kind.TIMESTAMP:
        return today * DAY_SECONDS, (today + WIDE) * DAY_SECONDS
    return 0, WIDE


def _value(column: Column, index: int) -> object:
    if column.kind is Kind.DATE:
        return EPOCH + dt.timedelta(days=index)
    if column.kind is Kind.TIMESTAMP:
        return MIDNIGHT + dt.timedelta(seconds=index)
    if column.kind is Kind.TIME:
        return (MIDNIGHT + dt.timedelta(seconds=index)).time()
    return index if column.step == 1 else float(index * column.step)
