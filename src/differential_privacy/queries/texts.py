"""Texts: patterns, parts and joins, all defined on the ASCII letters alone where case counts.

Rule 1: no function here takes longer than a pass over the text.
Rule 2: no text grows without limit, however often it is joined with itself.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from differential_privacy.errors import QuestionError
from differential_privacy.queries.evaluating import evaluated, lowered
from differential_privacy.queries.values import MOST_VALUES, Text, Truth, Value, Whole
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import Literal, Op, Tree, call

__all__ = [
    "cased",
    "holding",
    "joined",
    "length",
    "like",
    "part_of",
    "pattern",
    "starts_with",
    "text_type",
    "trimmed",
]

LONGEST = 1 << 32
"""No engine holds a longer text."""

LONGEST_PART = 1 << 30
MOST_CHARACTERS = 1 << 20
"""Known values of more characters than this in all are not listed."""

LONGEST_PATTERN = 200
LONGEST_JOINED = 1000
"""So many characters of each text are joined, so that none grows beyond what an engine holds."""


def text_type(value: Value, what: str) -> Text:
    """The type of a text, or an error that names what it is needed for."""
    if not isinstance(value.type, Text):
        raise QuestionError(what, "needs a text", instead="CAST(x AS TEXT)")
    return value.type


def like(value: Value, written: str, *, escape: str | None = None, caseless: bool = False) -> Value:
    """Whether a text matches a pattern of %, _ and other characters."""
    kind = text_type(value, "LIKE")
    tree, form = value.tree, pattern(written, escape)
    if caseless:
        tree, form = call(Op.LOWER, tree), lowered(form)
    return Value(call(Op.LIKE, tree, form), Truth(kind.nullable))


def pattern(written: str, escape: str | None) -> str:
    r"""A pattern whose escape is the backslash.

    >>> print(pattern("50!%%", "!"))
    50\%%
    """
    if len(written) > LONGEST_PATTERN or "\0" in written:
        raise QuestionError("LIKE", f"needs a pattern of at most {LONGEST_PATTERN} characters")
    if escape is not None and len(escape) != 1:
        raise QuestionError("ESCAPE", "needs one character")
    form, characters = "", iter(written)
    for here in characters:
        if here == escape:
            after = next(characters, None)
            if after is None:
                raise QuestionError("LIKE", "the pattern ends with its escape")
            form += _plain(after)
        else:
            form += "\\\\" if here == "\\" else here
    return form


def holding(value: Value, sought: str, *, before: str = "%", after: str = "%") -> Value:
    """Whether a text holds another: anywhere, at its end, or at its beginning."""
    return like(value, before + "".join(map(_plain, sought)) + after, escape="\\")


def cased(value: Value, *, upper: bool) -> Value:
    """With its ASCII letters in one case."""
    op = Op.UPPER if upper else Op.LOWER
    return _changed(value, op.name, lambda tree: call(op, tree))


def trimmed(value: Value) -> Value:
    """Without the spaces at its ends."""
    return _changed(value, "TRIM", lambda tree: call(Op.TRIMMED, tree))


def part_of(value: Value, start: int, count: int = LONGEST_PART - 1) -> Value:
    """So many characters from a place on, counted from 1."""
    if not 1 <= start < LONGEST_PART or not 0 <= count < LONGEST_PART:
        rule = "needs a constant place from 1 and a constant length from 0"
        raise QuestionError("SUBSTRING", rule, instead="SUBSTRING(x, 1, 2)")
    return _changed(value, "SUBSTRING", lambda tree: call(Op.PART, tree, start, count))


def joined(one: Value, other: Value) -> Value:
    """One after the other, each cut to a thousand characters; NULL where either is."""
    a, b = text_type(one, "||"), text_type(other, "||")
    values = None
    if a.values is not None and b.values is not None:
        few = len(a.values) * len(b.values) <= MOST_VALUES
        cut = [[text[:LONGEST_JOINED] for text in values] for values in (a.values, b.values)]
        every = (first + last for first, last in product(*cut))
        values = tuple(dict.fromkeys(every)) if few else None
    tree = call(Op.JOINED, _short(one.tree, a), _short(other.tree, b))
    return Value(tree, Text(values, a.nullable or b.nullable, a.joins + b.joins + 1))


def _short(tree: Tree, kind: Text) -> Tree:
    known = kind.values is not None and all(len(text) <= LONGEST_JOINED for text in kind.values)
    return tree if known else call(Op.PART, tree, 1, LONGEST_JOINED)


def length(value: Value) -> Value:
    """Its number of characters."""
    kind = text_type(value, "LENGTH")
    low, high, known = 0, LONGEST, kind.values is not None
    if kind.values:
        lengths = [len(text) for text in kind.values]
        low, high = min(lengths), max(lengths)
    whole = Whole(Kind.INTEGER, Fraction(1), low, high, known, kind.nullable)
    return Value(call(Op.LENGTH, value.tree), whole)


def starts_with(value: Value, start: str) -> Value:
    """Whether a text begins with another."""
    return holding(value, start, before="")


def _changed(value: Value, what: str, change: Callable[[Tree], Tree]) -> Value:
    """A text of the same row, with the values that it then has."""
    kind = text_type(value, what)
    values = None
    if kind.values is not None:
        changed = (evaluated(change(Literal(text)), {}) for text in kind.values)
        values = tuple(dict.fromkeys(map(str, changed)))
    return Value(change(value.tree), replace(kind, values=values))


def _plain(character: str) -> str:
    r"""A character of a pattern that stands for itself."""
    return f"\\{character}" if character in "%_\\" else character
