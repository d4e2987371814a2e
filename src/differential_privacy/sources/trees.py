"""The trees that engines run: what we build, never what an analyst wrote.

Rule 1: every node has one meaning, the same on each engine; `Op` says which.
Rule 2: no node raises on any value that a tree gives it: what could is guarded where it is built.
Rule 3: a tree is a value: it may stand in many places, and equal trees are one question.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

__all__ = [
    "FALSE",
    "NULL",
    "TRUE",
    "Call",
    "Case",
    "Constant",
    "Derived",
    "Exists",
    "Join",
    "Literal",
    "Name",
    "OneOf",
    "Op",
    "Over",
    "Query",
    "Relation",
    "Rows",
    "Secret",
    "Select",
    "Shared",
    "Stored",
    "Tree",
    "Union",
    "all_of",
    "any_of",
    "call",
    "choose",
    "conjuncts",
    "names_in",
    "negated",
    "when",
]


Constant: TypeAlias = int | float | str | bool | None
"""What can stand in a tree as it is; floats only where stored values are read."""


class Op(Enum):
    """What a call does, for every value; where an argument is NULL it is NULL, if not said else.

    Whole numbers are of 64 bits, and no sum or product passes them.
    """

    ADD = "a + b"
    SUBTRACT = "a - b"
    MULTIPLY = "a * b"
    QUOTIENT = "a / b toward zero; NULL where b is zero"
    REMAINDER = "a - b * quotient; NULL where b is zero"
    EQUAL = "a = b"
    DIFFERENT = "a <> b"
    LESS = "a < b"
    AT_MOST = "a <= b"
    SAME = "a = b, where NULL is NULL"
    IS_NULL = "a is NULL"
    NOT = "not a"
    AND = "a and b"
    OR = "a or b"
    LIKE = "text a matches the pattern b, with backslash as its escape"
    LENGTH = "characters of text a"
    PART = "text a from character b on, c characters"
    JOINED = "text a followed by text b"
    LOWER = "text a with A-Z as a-z"
    UPPER = "text a with a-z as A-Z"
    TRIMMED = "text a without spaces at its ends"
    TEXT = "stored text, whole number or truth a as text"
    TEXT_OF_WIDE = "stored decimal or wide number a as text, no zeros at its fraction's end"
    HASHED = "a whole number from 0 to 2^60 - 1 that scatters text a: the first 60 bits of its MD5"
    DIGEST = "the SHA-256 of text a, in 64 hexadecimal digits: no two texts are known to share one"
    YEAR = "year of day a since 1970; NULL outside the years 1 to 9999"
    MONTH = "month of day a since 1970; NULL outside the years 1 to 9999"
    DAY = "day of the month of day a since 1970; NULL outside the years 1 to 9999"
    FIRST_OF_MONTH = "day since 1970 of the first day of year a's month b; NULL where there is none"
    ROOT = "floor of the root, as floats compute it, of whole number a; NULL below zero"
    # From what engines store to whole numbers: each is NULL for what is no such value.
    STORED = "stored whole number a, of 64 bits or fewer, as one of 64 bits"
    REAL = "stored float or whole number a as the nearest float of 64 bits; NULL where not finite"
    REAL_OF_WIDE = "stored decimal or wide number a as the nearest float of 64 bits"
    WHOLE_OF_TEXT = "text a, where it is a whole number of at most 18 digits, as that number"
    REAL_OF_TEXT = "text a, where it is a decimal number, as the nearest float of 64 bits"
    FLOOR = "float a rounded down to a whole number; NULL beyond 64 bits"
    TIMES = "float a * float b"
    OVER = "float a / float b, b not zero"
    PLUS = "float a + float b"
    DAYS = "stored date a as days since 1970; NULL outside the years 1 to 9999"
    DAYS_OF_TEXT = "text a, where it begins as 2024-01-31 or 2024-01-31T does, as days since 1970"
    SECONDS = "stored timestamp a as seconds since 1970, down; NULL outside the years 1 to 9999"
    SECOND = "stored time a as whole seconds of the day"
    SECOND_OF_TEXT = "text a, where it is as 12:30:00 or 12:30:00.5, as whole seconds of the day"
    SMALL = "whole number a below 2^31 as one of 32 bits: for orders, which it makes quicker"
    # Over groups of rows.
    WHOLE = "count or sum a as a whole number of 64 bits; NULL where it is longer"
    ROWS = "how many rows"
    COUNT = "how many rows whose a is not NULL"
    DISTINCT = "how many different a that are not NULL"
    SUM = "sum of a, of any length; NULL without rows"
    LOWEST = "lowest a"
    HIGHEST = "highest a"
    # Over windows.
    ROW_NUMBER = "place of the row, from 1"
    PLACE = "place of the first row with the row's order, from 1"
    DENSE_RANK = "place of the row's order among the different ones, from 1"


@dataclass(frozen=True, slots=True)
class Name:
    """A column of a relation."""

    relation: str
    column: str


class Secret(int):
    """A constant of a secret key: engines read it, and what is shown to people leaves it out."""


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A constant: public, unless it is a `Secret`. A truth is no number, as True is 1 in Python."""

    value: Constant

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Literal):
            return NotImplemented
        return type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Call:
    """An operation on trees."""

    op: Op
    args: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Case:
    """The value of the first branch whose condition is true, else `otherwise`."""

    branches: tuple[tuple["Tree", "Tree"], ...]
    otherwise: "Tree"


@dataclass(frozen=True, slots=True)
class OneOf:
    """Whether a value is among public ones; NULL for NULL."""

    this: "Tree"
    values: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """A call over the rows of one partition, in an order, NULL first; `peers` are equal in it."""

    call: Call
    partition: tuple["Tree", ...]
    order: tuple["Tree", ...] = ()
    peers: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a query that may name columns of the row has any row."""

    query: "Select"


Tree: TypeAlias = Name | Literal | Call | Case | OneOf | Over | Exists


@dataclass(frozen=True, slots=True)
class Stored:
    """What an engine finds under a text that it wrote itself: a table, a file, a frame."""

    text: str
    alias: str


@dataclass(frozen=True, slots=True, repr=False)
class Derived:
    """A query in the place of a table; `scanned` says of which rows it is a scan, if it is one.

    Two scans of the same rows print alike, whether they read what was prepared or the raw table.
    """

    query: "Query"
    alias: str
    scanned: str = ""

    def __repr__(self) -> str:
        return f"Derived({self.scanned or repr(self.query)}, {self.alias!r})"


@dataclass(frozen=True, slots=True)
class Shared:
    """A query that the whole shares by name."""

    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Public rows written out."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int | str | None, ...], ...]
    alias: str


Relation: TypeAlias = Stored | Derived | Shared | Rows


@dataclass(frozen=True, slots=True)
class Join:
    """Another relation, beside each row that meets `on`; `outer` keeps rows that meet none."""

    relation: Relation
    on: Tree
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Select:
    """Columns by name, of rows that meet a condition, or of groups of them."""

    columns: tuple[tuple[str, Tree], ...]
    source: Relation
    joins: tuple[Join, ...] = ()
    where: Tree | None = None
    group: tuple[Tree, ...] = ()
    shared: tuple[tuple[str, "Query"], ...] = ()
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Union:
    """All rows of queries whose columns agree."""

    parts: tuple[Select, ...]


Query: TypeAlias = Select | Union

TRUE, FALSE, NULL = Literal(value=True), Literal(value=False), Literal(None)

FOLDED = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
}


def call(op: Op, *args: Tree | int | str) -> Tree:
    """A call, or what it comes to where its arguments are constants.

    >>> call(Op.ADD, 2, 3)
    Literal(value=5)
    """
    trees = tuple(Literal(arg) if isinstance(arg, int | str) else arg for arg in args)
    if op in FOLDED and all(isinstance(tree, Literal) for tree in trees):
        values = [tree.value for tree in trees if isinstance(tree, Literal)]
        return NULL if None in values else Literal(FOLDED[op](*values))
    if op in (Op.ADD, Op.SUBTRACT) and trees[1] == Literal(0):
        return trees[0]
    if op is Op.MULTIPLY and trees[1] == Literal(1):
        return trees[0]
    return Call(op, trees)


def when(condition: Tree, then: Tree, otherwise: Tree = NULL) -> Tree:
    """One value where a condition is true, another where it is false or NULL."""
    if condition == TRUE:
        return then
    return otherwise if condition == FALSE else Case(((condition, then),), otherwise)


def choose(branches: tuple[tuple[Tree, Tree], ...], otherwise: Tree = NULL) -> Tree:
    """The first branch whose condition is true."""
    return Case(branches, otherwise) if branches else otherwise


def all_of(*conditions: Tree) -> Tree:
    """Whether all are true."""
    kept = dict.fromkeys(part for one in conditions for part in conjuncts(one))
    if FALSE in kept:
        return FALSE
    return _folded(Op.AND, list(kept), TRUE)


def any_of(*conditions: Tree) -> Tree:
    """Whether one is true."""
    kept = [one for one in dict.fromkeys(conditions) if one != FALSE]
    return TRUE if TRUE in kept else _folded(Op.OR, kept, FALSE)


def negated(condition: Tree) -> Tree:
    """Whether a condition is false."""
    if isinstance(condition, Literal):
        return NULL if condition.value is None else Literal(not condition.value)
    return Call(Op.NOT, (condition,))


def conjuncts(condition: Tree | None) -> list[Tree]:
    """The conditions that are true exactly when all of them are."""
    if condition is None or condition == TRUE:
        return []
    if isinstance(condition, Call) and condition.op is Op.AND:
        return [part for arg in condition.args for part in conjuncts(arg)]
    return [condition]


def names_in(tree: Tree) -> Iterator[Name]:
    """Every column that a tree reads, also inside of `Exists`."""
    if isinstance(tree, Name):
        yield tree
    for part in _parts(tree):
        yield from names_in(part)


def _parts(tree: Tree) -> Iterator[Tree]:
    match tree:
        case Call(_, args):
            yield from args
        case Case(branches, otherwise):
            for branch in branches:
                yield from branch
            yield otherwise
        case OneOf(this, _):
            yield this
        case Over(call_, partition, order, _):
            yield from (call_, *partition, *order)
        case Exists(query):
            yield from (tree for _, tree in query.columns)
            yield from (join.on for join in query.joins)
            if query.where is not None:
                yield query.where
        case _:
            pass


def _folded(op: Op, parts: list[Tree], empty: Tree) -> Tree:
    if not parts:
        return empty
    whole = parts[0]
    for part in parts[1:]:
        whole = Call(op, (whole, part))
    return whole
