"""What the curator says in public of private tables: kinds, ranges, categories, owners, bounds.

Rule 1: everything here is public; nothing of it was read from private rows.
Rule 2: each value is what the schema says it is: an engine turns whatever it finds into that.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, integer, positive, rational, shown

__all__ = ["Bounds", "Column", "Key", "Kind", "Owner", "Table", "day", "instant", "second"]

FINEST = 10**6
"""A number whose step is not stated gets one that cuts its range into at least so many."""

MOST_POINTS = 1 << 52
"""Below this a double tells an index from its neighbors."""

EPOCH = dt.date(1970, 1, 1)
NAME_RULE = "must be letters, digits and underscores, not beginning with a digit or underscore"


class Kind(Enum):
    """What a column holds, and as which integers or texts questions see it.

    A boolean is true or false; an integer is itself; a number is its index on a grid; a text is
    itself; a date is its day since 1970, a timestamp its second since then, a time its second of
    the day. What is no such value (NaN, infinities, text in a column of numbers) is NULL.
    """

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"


@dataclass(frozen=True, slots=True, repr=False)
class Column:
    """The public facts of one column.

    Values beyond the ends are clamped to them, texts that are no category become NULL, and where
    NULL is not allowed it becomes the lower end, the first category or false.

    Ends are written as people write them: numbers, or dates and times in ISO 8601.

    >>> Column("cost", Kind.NUMBER, lower=0, upper=5000, step=0.01).points
    (0, 500000)
    >>> Column("day", Kind.DATE, lower="2024-01-01", upper="2024-01-31").points
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
        lower: "Number | dt.date | dt.time | None" = None,
        upper: "Number | dt.date | dt.time | None" = None,
        step: Number | None = None,
        categories: "tuple[str, ...] | list[str] | None" = None,
        nullable: bool = True,
    ) -> None:
        object.__setattr__(self, "name", checked_name(name, "column"))
        object.__setattr__(self, "kind", _kind(kind))
        object.__setattr__(self, "nullable", nullable)
        for argument, value in (("lower", lower), ("upper", upper)):
            end = None if value is None else self._end(value, argument)
            object.__setattr__(self, argument, end)
        if (self.lower is None) != (self.upper is None):
            raise InvalidArgumentError(
                "upper", upper, "lower and upper must be given together, or neither"
            )
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise InvalidArgumentError("upper", upper, "must not be below lower")
        object.__setattr__(self, "categories", self._categories(categories))
        object.__setattr__(self, "step", self._step(step))
        if self.points is not None and max(map(abs, self.points)) >= MOST_POINTS:
            raise InvalidArgumentError("step", self.step, "must leave fewer than 2**52 points")
        endless = self.points is None and self.categories is None and self.kind is not Kind.BOOLEAN
        if endless and not nullable:
            rule = "may be false only with a range or categories: NULL becomes one of them"
            raise InvalidArgumentError("nullable", nullable, rule)

    def __repr__(self) -> str:
        facts = [repr(self.name), repr(self.kind.value)]
        if self.points is not None:
            facts += [f"lower={self.written(self.points[0])!r}"]
            facts += [f"upper={self.written(self.points[1])!r}"]
        if self.kind is Kind.NUMBER and self.points is not None:
            facts.append(f"step={shown(self.step)!r}")
        if self.categories is not None:
            facts.append(f"categories={self.categories!r}")
        if not self.nullable:
            facts.append("nullable=False")
        return f"Column({', '.join(facts)})"

    @property
    def points(self) -> tuple[int, int] | None:
        """The lowest and the highest index of a ranged column."""
        if self.lower is None or self.upper is None:
            return None
        first, last = -(-self.lower // self.step), self.upper // self.step
        return int(first), max(int(first), int(last))

    def written(self, index: int) -> str:
        """An index as people write the value that it stands for."""
        if self.kind is Kind.DATE:
            return (EPOCH + dt.timedelta(days=index)).isoformat()
        if self.kind is Kind.TIMESTAMP:
            moment = dt.datetime(1970, 1, 1) + dt.timedelta(seconds=index)  # noqa: DTZ001
            return moment.isoformat(sep=" ")
        if self.kind is Kind.TIME:
            minutes, seconds = divmod(index, 60)
            return dt.time(*divmod(minutes, 60), seconds).isoformat()
        return shown(index * self.step)

    def _end(self, value: "Number | dt.date | dt.time", name: str) -> Fraction:
        if self.kind in (Kind.BOOLEAN, Kind.TEXT):
            raise InvalidArgumentError(name, value, f"a {self.kind.value} column has no range")
        if self.kind is Kind.DATE:
            return Fraction(day(value, name))
        if self.kind is Kind.TIMESTAMP:
            return Fraction(instant(value, name))
        if self.kind is Kind.TIME:
            return Fraction(second(value, name))
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
            raise InvalidArgumentError(
                "categories", given, "only a text column has them: give a range instead"
            )
        if not isinstance(given, tuple | list) or not given:
            raise InvalidArgumentError("categories", given, "must be a list of texts")
        if not all(isinstance(one, str) for one in given) or len(set(given)) < len(given):
            raise InvalidArgumentError("categories", given, "must be texts, each once")
        return tuple(given)

    def _step(self, given: Number | None) -> Fraction:
        if given is None:
            if self.kind is not Kind.NUMBER or self.lower is None or self.upper is None:
                return Fraction(1)
            step, width = Fraction(1), max(self.upper - self.lower, Fraction(1, FINEST))
            while step * FINEST > width:
                step /= 10
            while step * 10 * FINEST <= width:
                step *= 10
            return step
        if self.kind is not Kind.NUMBER or self.lower is None:
            raise InvalidArgumentError("step", given, "only a number with a range has one")
        step = positive(given, "step")
        if self.lower // -step * -step > (self.upper or self.lower):
            raise InvalidArgumentError("step", given, "must leave a multiple within the range")
        return step


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key: each row has at most one row of `table`, the one whose `references` equals."""

    column: str
    table: str
    references: str


Owner: TypeAlias = str | Key | None
"""Whose a row is: of whom a column names, of the owner of the row that a key leads to, its own."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of one person a question may see.

    `rows` keeps so many rows of each person, chosen once by rank, before any filter. `groups` and
    `rows_per_group` are counted per question, after its filters: so many groups of each person,
    and so many rows in each. `totals` clamps what a person's rows sum up to in each group: per
    column, or for `*` the number of rows.

    >>> Bounds(groups=10, rows_per_group=3).most_rows
    30
    """

    rows: int | None = None
    groups: int | None = None
    rows_per_group: int | None = None
    totals: Mapping[str, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("rows", "groups", "rows_per_group"):
            value = getattr(self, name)
            if value is not None:
                integer(value, name, least=1)
        totals = {name: positive(most, f"totals.{name}") for name, most in self.totals.items()}
        object.__setattr__(self, "totals", totals)
        ways = (self.rows is not None, self.rows_per_group is not None, bool(totals))
        if sum(ways) != 1:
            rule = "must be rows, or groups with rows_per_group, or groups with totals"
            raise InvalidArgumentError("bounds", self, rule)
        if self.rows is None and self.groups is None:
            object.__setattr__(self, "groups", 1)
        if self.rows is not None and self.groups is not None:
            raise InvalidArgumentError("groups", self.groups, "goes with rows_per_group or totals")

    def __hash__(self) -> int:
        return hash((self.rows, self.groups, self.rows_per_group, *sorted(self.totals.items())))

    @property
    def most_rows(self) -> int | None:
        """The rows of one person that a question sees at most, where this bound says so."""
        if self.rows is not None:
            return self.rows
        if self.groups is None or self.rows_per_group is None:
            return None
        return self.groups * self.rows_per_group

    def __str__(self) -> str:
        if self.rows is not None:
            return f"{self.rows} rows a person"
        if self.rows_per_group is not None:
            return f"{self.groups} groups a person, {self.rows_per_group} rows in each"
        totals = ", ".join(f"{name} {shown(most)}" for name, most in self.totals.items())
        return f"{self.groups} groups a person, totals up to {totals} in each"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the curator declares it; a public one has no owners and needs no bounds.

    `source` is what the engine finds it by. The `unique` columns of a public table hold each
    combination of values once, so that a join on all of them adds no rows. `keys` are the columns
    that questions group by most: `dp prepare` ranks each person's groups by them. `parent` names
    the table that this one is a copy of: they share what may be spent.
    """

    name: str
    source: str
    columns: tuple[Column, ...]
    owner: Owner = None
    bounds: tuple[Bounds, ...] = ()
    public: bool = False
    unique: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    parent: str | None = None

    def __post_init__(self) -> None:
        checked_name(self.name, "table")
        names = [column.name.lower() for column in self.columns]
        if not names or len(set(names)) < len(names):
            raise InvalidArgumentError("columns", self.name, "must be given, each name once")
        if self.public and (self.owner is not None or self.bounds):
            raise InvalidArgumentError(
                "public", self.name, "a public table has no owner and no bounds"
            )
        if self.unique and not self.public:
            raise InvalidArgumentError("unique", self.unique, "is for public tables")
        for name in (*self.keys, *self.unique):
            self.column(name)
        if not self.public and self.owner is not None and not self.bounds:
            rule = "must have bounds: how much of one person a question may see"
            raise InvalidArgumentError("bounds", self.name, rule)
        if not self.public and self.owner is None and self.bounds not in ((), (Bounds(rows=1),)):
            rule = "must be left out where the row is the person: each has one row"
            raise InvalidArgumentError("bounds", self.name, rule)
        for bound in self.bounds:
            for name in bound.totals.keys() - {"*"}:
                self.column(name)

    @property
    def owned_by_row(self) -> bool:
        """Whether each row is a person of its own."""
        return not self.public and self.owner is None

    def column(self, name: str) -> Column:
        """The column of a name, in whatever case it is written."""
        for column in self.columns:
            if column.name.lower() == name.lower():
                return column
        rule = f"must be a column of {self.name}: {', '.join(c.name for c in self.columns)}"
        raise InvalidArgumentError("column", name, rule)


def day(value: object, name: str) -> int:
    """The day since 1970 of a date or its text.

    >>> day("1970-01-02", "lower")
    1
    """
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date | str):
        raise InvalidArgumentError(name, value, "must be a date, as 2024-01-31")
    try:
        date = dt.date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise InvalidArgumentError(name, value, "must be a date, as 2024-01-31") from None
    return (date - EPOCH).days


def instant(value: object, name: str) -> int:
    """The second since 1970 of a timestamp or its text; no time zone is meant, or UTC.

    >>> instant("1970-01-02 00:00:01", "lower")
    86401
    """
    rule = "must be a timestamp without a zone, as 2024-01-31 12:30:00"
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value)
        except ValueError:
            raise InvalidArgumentError(name, value, rule) from None
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(dt.UTC).replace(tzinfo=None)
        return (value - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1)  # noqa: DTZ001
    if isinstance(value, dt.date):
        return (value - EPOCH).days * 86400
    raise InvalidArgumentError(name, value, rule)


def second(value: object, name: str) -> int:
    """The second of the day of a time or its text."""
    rule = "must be a time of day, as 12:30:00"
    if isinstance(value, str):
        try:
            value = dt.time.fromisoformat(value)
        except ValueError:
            raise InvalidArgumentError(name, value, rule) from None
    if not isinstance(value, dt.time):
        raise InvalidArgumentError(name, value, rule)
    return value.hour * 3600 + value.minute * 60 + value.second


def checked_name(name: object, argument: str) -> str:
    """A name that needs no quotes and no case in any engine."""
    plain = isinstance(name, str) and name.isidentifier() and name.isascii()
    if not plain or str(name).startswith("_"):
        raise InvalidArgumentError(argument, name, NAME_RULE)
    return str(name)


def _kind(kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        rule = f"must be one of {', '.join(one.value for one in Kind)}"
        raise InvalidArgumentError("type", kind, rule) from None
