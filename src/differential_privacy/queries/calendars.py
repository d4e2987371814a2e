"""The parts of dates and times, and the beginnings of days, weeks, months and years.

Rule 1: weeks begin on Mondays; days of the week count from Sunday as 0, or from Monday as 1.
"""

from dataclasses import replace
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.queries.moments import (
    MONTHS,
    SECONDS,
    date_of,
    moment_type,
    unit_name,
)
from differential_privacy.queries.values import MOST_VALUES, Value, Whole
from differential_privacy.sources.kinds import DAY_SECONDS, EPOCH, Kind
from differential_privacy.sources.normal import floored
from differential_privacy.sources.trees import Op, Tree, call

__all__ = ["PARTS", "part", "truncated"]

PARTS = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "day": (1, 31),
    "dow": (0, 6),
    "isodow": (1, 7),
    "doy": (1, 366),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
"""What EXTRACT tells, with its ends."""

CLOCK = ("hour", "minute", "second")
OTHER_NAMES = {"dayofweek": "dow", "weekday": "dow", "dayofyear": "doy", "dayofmonth": "day"}
THURSDAY = 4
"""The first day of 1970, where Sunday is 0."""


def part(written: str, value: Value) -> Value:
    """A part of a moment, as its year or its hour."""
    kind = moment_type(value, "EXTRACT")
    name = OTHER_NAMES.get(written.lower(), unit_name(written))
    if name not in PARTS:
        raise QuestionError(written, f"is no part of a moment: they are {', '.join(PARTS)}")
    if name in CLOCK and kind.kind is Kind.DATE:
        raise QuestionError(written, "a date has no time of day")
    if name not in CLOCK and kind.kind is Kind.TIME:
        raise QuestionError(written, "a time of day has no date")
    low, high = PARTS[name]
    if name == "year":
        low, high = (date_of(end).year for end in _day_ends(kind))
    tree = _clock_part(name, value.tree, kind) if name in CLOCK else _day_part(name, value, kind)
    declared = kind.declared or name != "year"
    return Value(tree, Whole(Kind.INTEGER, Fraction(1), low, high, declared, kind.nullable))


def truncated(written: str, value: Value) -> Value:
    """The beginning of the unit that a moment is in: a date for days and longer."""
    kind, name = moment_type(value, "DATE_TRUNC"), unit_name(written)
    if name in CLOCK and kind.kind is not Kind.DATE:
        by = SECONDS[name]
        tree = value.tree if by == 1 else call(Op.MULTIPLY, floored(value.tree, by), by)
        low, high = (end // by * by for end in (kind.low, kind.high))
        return Value(tree, replace(kind, low=low, high=high), listed=_every(low, high, by, kind))
    if kind.kind is Kind.TIME or name not in ("day", "week", *MONTHS):
        known = "day, week, month, quarter and year, or hour, minute and second of a timestamp"
        raise QuestionError(f"DATE_TRUNC('{written}', ...)", f"needs a date and one of {known}")
    days = _days(value, kind)
    first, last = _day_ends(kind)
    if name == "week":
        # The first day of 1970 was a Thursday, three days into its week.
        tree = call(Op.SUBTRACT, call(Op.MULTIPLY, floored(call(Op.ADD, days, 3), 7), 7), 3)
    else:
        tree = days if name == "day" else _first_of(name, days)
    listed = None
    if kind.declared and last - first < MOST_VALUES:
        listed = tuple(sorted({_beginning(name, at) for at in range(first, last + 1)}))
    low, high = (_beginning(name, end) for end in (first, last))
    date = Whole(Kind.DATE, Fraction(1), low, high, kind.declared, kind.nullable)
    return Value(tree, date, listed=listed)


def _every(low: int, high: int, by: int, kind: Whole) -> tuple[int, ...] | None:
    if not kind.declared or (high - low) // by >= MOST_VALUES:
        return None
    return tuple(range(low, high + 1, by))


def _days(value: Value, kind: Whole) -> Tree:
    return value.tree if kind.kind is Kind.DATE else floored(value.tree, DAY_SECONDS)


def _day_ends(kind: Whole) -> tuple[int, int]:
    per = 1 if kind.kind is Kind.DATE else DAY_SECONDS
    return kind.low // per, kind.high // per


def _day_part(name: str, value: Value, kind: Whole) -> Tree:
    days = _days(value, kind)
    if name == "quarter":
        return call(Op.QUOTIENT, call(Op.ADD, call(Op.MONTH, days), 2), 3)
    if name == "dow":
        return _modulo(call(Op.ADD, days, THURSDAY), 7)
    if name == "isodow":
        return call(Op.ADD, _modulo(call(Op.ADD, days, THURSDAY - 1), 7), 1)
    if name == "doy":
        return call(Op.ADD, call(Op.SUBTRACT, days, _first_of("year", days)), 1)
    return call({"year": Op.YEAR, "month": Op.MONTH, "day": Op.DAY}[name], days)


def _clock_part(name: str, tree: Tree, kind: Whole) -> Tree:
    of_day = tree if kind.kind is Kind.TIME else _modulo(tree, DAY_SECONDS)
    if name == "hour":
        return call(Op.QUOTIENT, of_day, 3600)
    if name == "minute":
        return call(Op.QUOTIENT, call(Op.REMAINDER, of_day, 3600), 60)
    return call(Op.REMAINDER, of_day, 60)


def _first_of(name: str, days: Tree) -> Tree:
    """The first day of the month, quarter or year of a day."""
    year, months = call(Op.YEAR, days), MONTHS[name]
    if name == "year":
        return call(Op.FIRST_OF_MONTH, year, 1)
    month = call(Op.MONTH, days)
    if name == "quarter":
        before = call(Op.QUOTIENT, call(Op.SUBTRACT, month, 1), months)
        month = call(Op.ADD, call(Op.MULTIPLY, before, months), 1)
    return call(Op.FIRST_OF_MONTH, year, month)


def _modulo(value: Tree, by: int) -> Tree:
    return call(Op.REMAINDER, call(Op.ADD, call(Op.REMAINDER, value, by), by), by)


def _beginning(name: str, days: int) -> int:
    """The same as the tree, of a known day."""
    date = date_of(days)
    if name == "week":
        return days - date.weekday()
    if name in MONTHS:
        month = 1 + (date.month - 1) // MONTHS[name] * MONTHS[name]
        return (date.replace(month=month, day=1) - EPOCH).days
    return days
