"""What an expression gives: a tree for the engine, and in public what values it can have.

Rule 1: a range is a promise about every row: it follows from declared facts by interval arithmetic.
Rule 2: no whole number passes 2^62, so that no engine overflows; what could is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from differential_privacy.errors import QuestionError
from differential_privacy.queries.evaluating import evaluated, varies
from differential_privacy.sources.columns import WIDEST, Column
from differential_privacy.sources.kinds import Kind, written
from differential_privacy.sources.trees import NULL, Case, Literal, Op, Tree, call

__all__ = [
    "MOST_VALUES",
    "OWNER_PLACE",
    "Place",
    "Text",
    "Truth",
    "Type",
    "Value",
    "Whole",
    "as_column",
    "check_reach",
    "column_type",
    "covering",
    "exact_number",
    "folded",
    "kind_name",
    "listed_values",
    "null",
    "rescaled",
    "text_constant",
    "truth_constant",
    "whole_type",
]

MOST_JOINS = 15
"""A text that is joined with itself again and again would outgrow what an engine holds."""

MOST_VALUES = 10_000
"""Up to so many values of an expression are listed one by one."""

FINEST = 10**30
"""No step is finer than one part in so many, nor coarser than so many."""


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    nullable: bool = True

    @property
    def values(self) -> tuple[bool, ...]:
        """Both."""
        return (False, True)


@dataclass(frozen=True, slots=True)
class Text:
    """A text, one of `values` where they are known; `joins` of texts made it."""

    values: tuple[str, ...] | None = None
    nullable: bool = True
    joins: int = 0

    def __post_init__(self) -> None:
        if self.joins > MOST_JOINS:
            rule = f"joins more than {MOST_JOINS} texts, one into the next: ask for less"
            raise QuestionError("||", rule)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number of steps from `low` to `high`; `declared` where people stated these ends."""

    kind: Kind
    step: Fraction
    low: int
    high: int
    declared: bool = True
    nullable: bool = True

    def __post_init__(self) -> None:
        check_reach(self.low, self.high)
        if max(self.step.numerator, self.step.denominator) > FINEST:
            rule = "a number would have more than 30 digits after the point, or zeros before it"
            raise QuestionError("the range", rule, instead="ROUND(x, 6)")

    @property
    def values(self) -> tuple[int, ...] | None:
        """Every index from end to end, where these are stated and not too many."""
        if not self.declared or self.high - self.low >= MOST_VALUES:
            return None
        return tuple(range(self.low, self.high + 1))

    @property
    def is_number(self) -> bool:
        """Whether it counts, rather than being a moment in time."""
        return self.kind in (Kind.INTEGER, Kind.NUMBER)

    def __str__(self) -> str:
        ends = (written(self.kind, end, self.step) for end in (self.low, self.high))
        return " to ".join(ends)


Type: TypeAlias = Truth | Text | Whole

Place: TypeAlias = tuple[str, str]
"""A table and a column, in lower case: rows whose columns name one row of it are one person's."""

OWNER_PLACE: Place = ("", "")
"""Where a column names the person itself."""


@dataclass(frozen=True, slots=True)
class Value:
    """An expression over the columns of rows.

    `refers` is set where rows that agree on it belong to one person: it is the person, or a row of
    theirs. `listed` holds the values that it can have, where they are fewer than its type has.
    """

    tree: Tree
    type: Type
    refers: Place | None = None
    listed: tuple[int, ...] | None = None

    @property
    def owner(self) -> bool:
        """Whether it is who owns the row."""
        return self.refers == OWNER_PLACE

    @property
    def values(self) -> tuple[int | str | bool, ...] | None:
        """Every value that it can have beside NULL, where they are known and not too many."""
        return self.type.values if self.listed is None else self.listed

    @property
    def constant(self) -> bool:
        """Whether it is the same in every row."""
        return isinstance(self.tree, Literal)

    @property
    def nullable(self) -> bool:
        """Whether it can be NULL."""
        return self.type.nullable

    def number(self) -> Fraction | None:
        """The number that a constant is."""
        if isinstance(self.type, Whole) and isinstance(self.tree, Literal):
            index = self.tree.value
            return None if not isinstance(index, int) else index * self.type.step
        return None

    def optional(self) -> "Value":
        """The same, of rows that may not be there: then nobody is named."""
        return replace(self, type=replace(self.type, nullable=True), refers=None)


def column_type(column: Column) -> Type:
    """What the values of a column can be."""
    if column.kind is Kind.BOOLEAN:
        return Truth(column.nullable)
    if column.kind is Kind.TEXT:
        return Text(column.categories, column.nullable)
    low, high = column.reach
    declared = column.points is not None or column.kind is Kind.TIME
    return Whole(column.kind, column.step, low, high, declared, column.nullable)


def kind_name(kind: Type) -> str:
    """What a type is called.

    >>> kind_name(Truth()), kind_name(exact_number(Fraction(3), Kind.INTEGER).type)
    ('a truth', 'an integer')
    """
    if isinstance(kind, Whole):
        return f"{'an' if kind.kind is Kind.INTEGER else 'a'} {kind.kind.value}"
    return "a text" if isinstance(kind, Text) else "a truth"


def whole_type(value: Value, what: str, rule: str = "needs numbers or moments") -> Whole:
    """The type of a number or moment, or an error that names what it is needed for."""
    if not isinstance(value.type, Whole):
        raise QuestionError(what, rule)
    return value.type


def exact_number(number: Fraction, kind: Kind = Kind.NUMBER) -> Value:
    """A constant number, on the coarsest grid that holds it."""
    index, step = number.numerator, Fraction(1, number.denominator)
    return Value(Literal(index), Whole(kind, step, index, index, nullable=False))


def text_constant(text: str) -> Value:
    """A constant text."""
    if "\0" in text:
        raise QuestionError("a text", "must not hold a NUL character")
    return Value(Literal(text), Text((text,), nullable=False))


def truth_constant(*, truth: bool) -> Value:
    """True, or false."""
    return Value(Literal(truth), Truth(nullable=False))


def null(like: Type) -> Value:
    """NULL, as a value of a type."""
    return Value(NULL, replace(like, nullable=True))


def folded(value: Value) -> Value:
    """What depends on no row, computed here and now, so that engines meet it as a constant.

    >>> folded(Value(call(Op.QUOTIENT, 7, 2), Whole(Kind.INTEGER, Fraction(1), 0, 7))).tree
    Literal(value=3)
    """
    kind, tree = value.type, value.tree
    if isinstance(tree, Case) and {tree.otherwise, *(then for _, then in tree.branches)} == {NULL}:
        # Engines could not tell of which type the NULL is.
        return null(kind)
    if varies(tree):
        return value
    found = evaluated(tree, {})
    if found is None:
        return null(kind)
    if isinstance(kind, Truth):
        return truth_constant(truth=bool(found))
    if isinstance(kind, Text):
        return text_constant(str(found))
    index = int(found)
    exact = replace(kind, low=index, high=index, declared=True, nullable=False)
    return Value(Literal(index), exact)


def as_column(value: Value) -> Tree:
    """The tree of a column of a subquery: engines would give a constant a type of their own."""
    if not isinstance(value.tree, Literal):
        return value.tree
    if isinstance(value.type, Whole):
        return call(Op.WHOLE, value.tree)
    if value.tree != NULL:
        return value.tree
    return call(Op.TEXT, NULL) if isinstance(value.type, Text) else call(Op.EQUAL, 1, NULL)


def rescaled(value: Value, step: Fraction) -> Value:
    """The same number in steps that divide its own."""
    kind = whole_type(value, "a number")
    times = int(kind.step / step)
    if times == 1:
        return value
    check_reach(times)
    scaled = replace(kind, step=step, low=kind.low * times, high=kind.high * times)
    listed = None if value.values is None else tuple(int(one) * times for one in value.values)
    return Value(call(Op.MULTIPLY, value.tree, times), scaled, listed=listed)


def covering(values: Sequence[Value]) -> Type:
    """A type that has all that several values, which are alike, can be; NULL stays out of it."""
    types = [value.type for value in values if value.tree != NULL] or [values[0].type]
    nullable = any(value.nullable for value in values)
    wholes = [kind for kind in types if isinstance(kind, Whole)]
    texts = [kind for kind in types if isinstance(kind, Text)]
    if wholes:
        first = wholes[0]
        kind = first.kind if all(one.kind is first.kind for one in wholes) else Kind.NUMBER
        low, high = min(one.low for one in wholes), max(one.high for one in wholes)
        return Whole(kind, first.step, low, high, all(one.declared for one in wholes), nullable)
    if texts:
        known = [text for kind in texts for text in kind.values or ()]
        every = all(kind.values is not None for kind in texts) and len(known) <= MOST_VALUES
        joins = max(kind.joins for kind in texts)
        return Text(tuple(dict.fromkeys(known)) if every else None, nullable, joins)
    return Truth(nullable)


def listed_values(values: Sequence[Value]) -> tuple[int, ...] | None:
    """All that several numbers can be, where each has few values, as constants in CASE."""
    found: set[int] = set()
    for value in values:
        if not isinstance(value.type, Whole) or value.values is None:
            return None
        if value.tree != NULL:
            found |= {int(one) for one in value.values}
    return tuple(sorted(found)) if len(found) <= MOST_VALUES else None


def check_reach(*numbers: int) -> None:
    """Refuses numbers that an engine might not hold, before it meets them."""
    if any(abs(number) > WIDEST for number in numbers):
        rule = "a number could pass 2^62 steps here: narrow what goes into it"
        raise QuestionError("the range", rule, instead="CLAMP(x, 0, 100)")
