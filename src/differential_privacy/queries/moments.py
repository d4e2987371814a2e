"""Dates, timestamps and times: constants, lengths of time, and how far moments are apart.

Rule 1: a column moves by days and seconds only; months and years are added to constants.
Rule 2: a moment stays within the years 1 to 9999, and at their end if it would leave them.
"""

import calendar
import datetime as dt
from dataclasses import dataclass, replace
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError, QuestionError
from differential_privacy.queries.arithmetic import whole_quotient
from differential_privacy.queries.values import Value, Whole, exact_number, whole_type
from differential_privacy.sources.kinds import (
    DAY_SECONDS,
    EPOCH,
    FIRST_DAY,
    LAST_DAY,
    Kind,
    day,
    instant,
    second,
)
from differential_privacy.sources.normal import floored
from differential_privacy.sources.trees import Literal, Op, Tree, call, choose

__all__ = [
    "MONTHS",
    "SECONDS",
    "Duration",
    "as_moment",
    "date_of",
    "difference",
    "duration",
    "moment",
    "moment_type",
    "shifted",
    "unit_name",
]

ONE = Fraction(1)
MONTHS = {"month": 1, "quarter": 3, "year": 12}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": DAY_SECONDS, "week": 7 * DAY_SECONDS}
ENDS = {
    Kind.DATE: (FIRST_DAY, LAST_DAY),
    Kind.TIMESTAMP: (FIRST_DAY * DAY_SECONDS, (LAST_DAY + 1) * DAY_SECONDS - 1),
}


@dataclass(frozen=True, slots=True)
class Duration:
    """A public length of time."""

    months: int = 0
    seconds: int = 0

    def __neg__(self) -> "Duration":
        return Duration(-self.months, -self.seconds)


def duration(count: int, unit: str) -> Duration:
    """So many of a unit.

    >>> duration(3, "weeks")
    Duration(months=0, seconds=1814400)
    """
    name = unit_name(unit)
    if name in MONTHS:
        return Duration(months=count * MONTHS[name])
    if name in SECONDS:
        return Duration(seconds=count * SECONDS[name])
    known = ", ".join((*SECONDS, *MONTHS))
    raise QuestionError(f"INTERVAL '{count}' {unit}", f"the unit must be one of {known}")


def unit_name(unit: str) -> str:
    """A unit's name in lower case, for one of it."""
    return unit.lower().removesuffix("s")


def moment(text: str, kind: Kind) -> Value:
    """A constant date, timestamp or time."""
    readers = {Kind.DATE: day, Kind.TIMESTAMP: instant, Kind.TIME: second}
    try:
        index = readers[kind](text, kind.value)
    except InvalidArgumentError as error:
        raise QuestionError(repr(text), error.rule) from None
    return Value(Literal(index), Whole(kind, ONE, index, index, nullable=False))


def as_moment(value: Value) -> Value:
    """A constant text is the moment that it is written as."""
    text = value.tree.value if isinstance(value.tree, Literal) else None
    if not isinstance(text, str):
        return value
    return moment(text, Kind.DATE if len(text) == len("2024-01-31") else Kind.TIMESTAMP)


def moment_type(value: Value, what: str) -> Whole:
    """The type of a moment, or an error that names what it is needed for."""
    kind = whole_type(value, what, "needs a date, a timestamp or a time")
    if kind.is_number:
        raise QuestionError(what, "needs a date, a timestamp or a time")
    return kind


def date_of(days: int) -> dt.date:
    """The date of a day since 1970."""
    return EPOCH + dt.timedelta(days=days)


def shifted(value: Value, by: Duration) -> Value:
    """A moment so much later."""
    if moment_type(value, "INTERVAL").kind is Kind.TIME:
        raise QuestionError("INTERVAL", "a time of day stays within its day: use a timestamp")
    if by.months:
        value = _months_later(value, by.months)
    kind = moment_type(value, "INTERVAL")
    unit = DAY_SECONDS if kind.kind is Kind.DATE else 1
    if by.seconds % unit:
        raise QuestionError("INTERVAL", "a date moves by whole days: cast it to TIMESTAMP first")
    step, (first, last) = by.seconds // unit, ENDS[kind.kind]
    branches = []
    if kind.low + step < first:
        branches.append((call(Op.LESS, value.tree, first - step), Literal(first)))
    if kind.high + step > last:
        branches.append((call(Op.LESS, last - step, value.tree), Literal(last)))
    low, high = (min(max(end + step, first), last) for end in (kind.low, kind.high))
    tree = choose(tuple(branches), call(Op.ADD, value.tree, step))
    return Value(tree, replace(kind, low=low, high=high))


def difference(unit: str, later: Value, earlier: Value) -> Value:
    """How many days, hours, months and so on begin after one moment, up to another.

    Weeks are seven of those days each, and what is left of them does not count.
    """
    name = unit_name(unit)
    if name == "week":
        days = difference("day", later, earlier)
        return whole_quotient(days, exact_number(Fraction(7), Kind.INTEGER))
    a, b = moment_type(later, "DATE_DIFF"), moment_type(earlier, "DATE_DIFF")
    if a.kind is not b.kind:
        rule = "needs two moments of one kind: cast one of them"
        raise QuestionError("DATE_DIFF", rule, instead="DATE_DIFF('day', a, CAST(b AS DATE))")
    if name not in (*SECONDS, *MONTHS):
        known = ", ".join((*SECONDS, *MONTHS))
        raise QuestionError(f"DATE_DIFF('{unit}', ...)", f"the unit must be one of {known}")
    if a.kind is Kind.TIME and SECONDS.get(name, DAY_SECONDS) >= DAY_SECONDS:
        raise QuestionError(f"DATE_DIFF('{unit}', ...)", "times of day are within one day")
    ends = [_units(name, end, a.kind) for end in (a.low, a.high)]
    others = [_units(name, end, b.kind) for end in (b.low, b.high)]
    kind = Whole(
        Kind.INTEGER,
        ONE,
        ends[0] - others[1],
        ends[1] - others[0],
        a.declared and b.declared,
        nullable=a.nullable or b.nullable,
    )
    trees = (_units_tree(name, one.tree, a.kind) for one in (later, earlier))
    return Value(call(Op.SUBTRACT, *trees), kind)


def _units_tree(name: str, tree: Tree, kind: Kind) -> Tree:
    """How many units began from 1970 to a moment."""
    if name in MONTHS:
        days = tree if kind is Kind.DATE else floored(tree, DAY_SECONDS)
        months = call(Op.ADD, call(Op.MULTIPLY, call(Op.YEAR, days), 12), call(Op.MONTH, days))
        return call(Op.QUOTIENT, call(Op.SUBTRACT, months, 1), MONTHS[name])
    per, seconds = DAY_SECONDS if kind is Kind.DATE else 1, SECONDS[name]
    return (
        call(Op.MULTIPLY, tree, per // seconds) if per > seconds else _floored(tree, seconds // per)
    )


def _units(name: str, index: int, kind: Kind) -> int:
    """The same, of a known moment."""
    if name in MONTHS:
        date = date_of(index if kind is Kind.DATE else index // DAY_SECONDS)
        return (date.year * 12 + date.month - 1) // MONTHS[name]
    per = DAY_SECONDS if kind is Kind.DATE else 1
    return index * per // SECONDS[name]


def _floored(tree: Tree, by: int) -> Tree:
    return tree if by == 1 else floored(tree, by)


def _months_later(value: Value, by: int) -> Value:
    if not isinstance(value.tree, Literal):
        rule = "months differ in length: they are added to constants only"
        raise QuestionError("INTERVAL", rule, instead="INTERVAL '30' DAY")
    kind = moment_type(value, "INTERVAL")
    index = kind.low
    days, rest = (index, 0) if kind.kind is Kind.DATE else divmod(index, DAY_SECONDS)
    date = date_of(days)
    months = date.year * 12 + date.month - 1 + by
    year, month = months // 12, months % 12 + 1
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        raise QuestionError("INTERVAL", "must lead to a date between the years 1 and 9999")
    last = calendar.monthrange(year, month)[1]
    moved = (dt.date(year, month, min(date.day, last)) - EPOCH).days
    index = moved if kind.kind is Kind.DATE else moved * DAY_SECONDS + rest
    return Value(Literal(index), replace(kind, low=index, high=index))
