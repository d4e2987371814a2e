"""The public facts of a column: its kind, its range or categories, whether it may be NULL."""

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, boolean, positive, rational
from differential_privacy.sources.kinds import (
    FIRST_DAY,
    LAST_DAY,
    Kind,
    day,
    instant,
    number_text,
    second,
    written,
)

__all__ = ["Column", "checked_name"]

FINEST = 10**6
"""A number whose step is not stated gets one that cuts its range into at least so many."""

MOST_POINTS = 1 << 50
"""Below this many steps floats place a value's index surely: see `normal._number`."""

WIDEST = 1 << 62
"""No whole number that an engine computes passes this, so that none overflows 64 bits."""

LONGEST_NAME = 60
"""Postgres cuts names beyond 63 octets, and two that are cut alike would be one."""

NAME_RULE = (
    f"must be at most {LONGEST_NAME} letters, digits and underscores, "
    "not beginning with a digit or underscore"
)
LARGEST_FLOAT = 10**100
NUMERIC = (Kind.INTEGER, Kind.NUMBER)

End = Number | dt.date | dt.time


@dataclass(frozen=True, slots=True, repr=False)
class Column:
    """The public facts of one column.

    Values beyond the ends are clamped to them, texts that are no category become NULL, and where
    NULL is not allowed it becomes the lower end, the first category or false.

    Ends are written as people write them: numbers, or dates and times in ISO 8601.

    >>> Column("cost", "number", lower=0, upper=5000, step=0.01).points
    (0, 500000)
    >>> Column("day", "date", lower="2024-01-01", upper="2024-01-31").points
    (19723, 19753)
    """

    name: str
    kind: Kind
    lower: Fraction | None
    upper: Fraction | None
    step: Fraction
    categories: tuple[str, ...] | None
    nullable: bool

    def __init__(
        self,
        name: str,
        kind: Kind | str,
        *,
        lower: End | None = None,
        upper: End | None = None,
        step: Number | None = None,
        categories: tuple[str, ...] | list[str] | None = None,
        nullable: bool = True,
    ) -> None:
        object.__setattr__(self, "name", checked_name(name, "column"))
        object.__setattr__(self, "kind", _kind(kind))
        object.__setattr__(self, "nullable", boolean(nullable, "nullable"))
        for argument, value in (("lower", lower), ("upper", upper)):
            end = None if value is None else self._end(value, argument)
            object.__setattr__(self, argument, end)
        if (self.lower is None) != (self.upper is None):
            rule = "lower and upper must be given together, or neither"
            raise InvalidArgumentError("upper", upper, rule)
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise InvalidArgumentError("upper", upper, "must not be below lower")
        object.__setattr__(self, "categories", self._categories(categories))
        object.__setattr__(self, "step", self._step(step))
        if self.points is not None and max(map(abs, self.points)) >= MOST_POINTS:
            raise InvalidArgumentError("step", self.step, "must leave fewer than 2**50 points")
        endless = self.points is None and self.categories is None and self.kind is not Kind.BOOLEAN
        if endless and not nullable:
            rule = "may be false only with a range or categories: NULL becomes one of them"
            raise InvalidArgumentError("nullable", nullable, rule)

    def __repr__(self) -> str:
        facts = [repr(self.name), repr(self.kind.value)]
        if self.points is not None:
            facts += [f"lower={written(self.kind, self.points[0], self.step)!r}"]
            facts += [f"upper={written(self.kind, self.points[1], self.step)!r}"]
        if self.kind is Kind.NUMBER:
            facts.append(f"step={number_text(self.step)!r}")
        if self.categories is not None:
            facts.append(f"categories={self.categories!r}")
        if not self.nullable:
            facts.append("nullable=False")
        return f"Column({', '.join(facts)})"

    @property
    def points(self) -> tuple[int, int] | None:
        """The lowest and the highest index of a column whose range is stated."""
        if self.lower is None or self.upper is None:
            return None
        first, last = -(-self.lower // self.step), self.upper // self.step
        return int(first), int(last)

    @property
    def reach(self) -> tuple[int, int]:
        """The lowest and the highest index that any column of this kind can have."""
        if self.points is not None:
            return self.points
        if self.kind is Kind.DATE:
            return FIRST_DAY, LAST_DAY
        if self.kind is Kind.TIMESTAMP:
            return FIRST_DAY * 86400, LAST_DAY * 86400 + 86399
        if self.kind is Kind.TIME:
            return 0, 86399
        widest = WIDEST if self.kind is Kind.INTEGER else MOST_POINTS - 1
        return -widest, widest

    def _end(self, value: End, name: str) -> Fraction:
        if self.kind in (Kind.BOOLEAN, Kind.TEXT):
            raise InvalidArgumentError(name, value, f"a {self.kind.value} column has no range")
        readers = {Kind.DATE: day, Kind.TIMESTAMP: instant, Kind.TIME: second}
        if self.kind in readers:
            return Fraction(readers[self.kind](value, name))
        if isinstance(value, dt.date | dt.time):
            raise InvalidArgumentError(name, value, "must be a number")
        end = rational(value, name)
        if self.kind is Kind.INTEGER and end.denominator != 1:
            raise InvalidArgumentError(name, value, "must be a whole number")
        return end

    def _categories(self, given: object) -> tuple[str, ...] | None:
        if given is None:
            return None
        if self.kind is not Kind.TEXT:
            rule = "only a text column has them: give a range instead"
            raise InvalidArgumentError("categories", given, rule)
        if not isinstance(given, tuple | list) or not given:
            raise InvalidArgumentError("categories", given, "must be a list of texts")
        if not all(isinstance(one, str) for one in given) or len(set(given)) < len(given):
            raise InvalidArgumentError("categories", given, "must be texts, each once")
        if not all(_storable(one) for one in given):
            rule = "must be texts that UTF-8 can hold, without a NUL character"
            raise InvalidArgumentError("categories", given, rule)
        return tuple(given)

    def _step(self, given: Number | None) -> Fraction:
        if given is None:
            if self.kind is not Kind.NUMBER:
                return Fraction(1)
            if self.lower is None or self.upper is None:
                return Fraction(1, FINEST)
            step, width = Fraction(1), max(self.upper - self.lower, Fraction(1, FINEST))
            while step * FINEST > width:
                step /= 10
            while step * 10 * FINEST <= width:
                step *= 10
            return _checked_step(step)
        if self.kind is not Kind.NUMBER:
            raise InvalidArgumentError("step", given, "only a number has one")
        step = _checked_step(positive(given, "step"))
        if self.lower is not None and self.upper is not None:
            first, last = -(-self.lower // step), self.upper // step
            if first > last:
                raise InvalidArgumentError("step", given, "must leave a multiple within the range")
        return step


def checked_name(name: object, argument: str) -> str:
    """A name that needs no quotes and no case in any engine."""
    if not isinstance(name, str) or not (name.isidentifier() and name.isascii()):
        raise InvalidArgumentError(argument, name, NAME_RULE)
    if name.startswith("_") or len(name) > LONGEST_NAME:
        raise InvalidArgumentError(argument, name, NAME_RULE)
    return name


def _checked_step(step: Fraction) -> Fraction:
    """A ratio of numbers that floats hold exactly: see `normal._number`."""
    for part in (step.numerator, step.denominator):
        if part > LARGEST_FLOAT or int(float(part)) != part:
            rule = "must be a ratio of whole numbers that floats hold, as 0.01 or 1/3"
            raise InvalidArgumentError("step", step, rule)
    return step


def _storable(text: str) -> bool:
    try:
        return "\0" not in text and bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _kind(kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        rule = f"must be one of {', '.join(one.value for one in Kind)}"
        raise InvalidArgumentError("type", kind, rule) from None
