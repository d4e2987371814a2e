"""From what an engine stores to what the schema says: truths, texts and whole numbers, or NULL.

Rule 1: this is a function of one value, defined for each that an engine can store.
Rule 2: an owner is never clamped, rounded or cut: two people must not become one.
Rule 3: no text passes a public length, whatever is stored, so that no cell takes all memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources.columns import MOST_POINTS, WIDEST, Column
from differential_privacy.sources.kinds import DAY_SECONDS, Kind, Physical
from differential_privacy.sources.trees import (
    FALSE,
    NULL,
    TRUE,
    Literal,
    OneOf,
    Op,
    Tree,
    call,
    choose,
    when,
)

__all__ = ["LONGEST_TEXT", "Reading", "floored", "identity", "normal"]

LONGEST_TEXT = 1 << 16
"""Characters: a longer text is cut, and is nobody's name."""

TRUTHS, UNTRUTHS = ("true", "t", "yes", "1"), ("false", "f", "no", "0")


@dataclass(frozen=True, slots=True)
class Reading:
    """A value in two steps: what the engine reads, and what the schema makes of that.

    The second names the first more than once, so queries compute the first in a layer below.
    """

    read: Tree
    settled: Callable[[Tree], Tree]


def normal(column: Column, physical: Physical, raw: Tree) -> Reading:
    """The value of a column as questions see it."""
    readers = {
        Kind.BOOLEAN: _truth,
        Kind.INTEGER: _integer,
        Kind.NUMBER: _number,
        Kind.TEXT: _text,
        Kind.DATE: _date,
        Kind.TIMESTAMP: _timestamp,
        Kind.TIME: _time,
    }
    reading = readers[column.kind](column, physical, raw)
    if reading is None:
        rule = f"is stored as {physical.value}, which is never a {column.kind.value}"
        raise InvalidArgumentError("column", column.name, rule)
    return reading


def identity(name: str, physical: Physical, raw: Tree) -> Tree:
    """A value that tells people apart: a whole number of 64 bits, or a text."""
    if physical is Physical.WHOLE:
        return call(Op.STORED, raw)
    texts = {Physical.TEXT: Op.TEXT, Physical.WIDE: Op.TEXT_OF_WIDE}
    if physical in texts:
        text = call(texts[physical], raw)
        return when(call(Op.AT_MOST, call(Op.LENGTH, text), LONGEST_TEXT), text)
    rule = f"is stored as {physical.value}: people are told apart by whole numbers or texts"
    raise InvalidArgumentError("owner", name, rule)


def floored(value: Tree, by: int) -> Tree:
    """A quotient rounded down, also below zero."""
    rest = call(Op.REMAINDER, value, by)
    above = call(Op.REMAINDER, call(Op.ADD, rest, by), by)
    return call(Op.QUOTIENT, call(Op.SUBTRACT, value, above), by)


def _truth(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    if physical is Physical.BOOLEAN:
        truth = raw
    elif physical is Physical.WHOLE:
        truth = choose(((call(Op.EQUAL, raw, 1), TRUE), (call(Op.EQUAL, raw, 0), FALSE)))
    elif physical is Physical.TEXT:
        word = call(Op.LOWER, _cut(raw))
        truth = choose(((OneOf(word, TRUTHS), TRUE), (OneOf(word, UNTRUTHS), FALSE)))
    else:
        return None
    if column.nullable:
        return Reading(truth, lambda read: read)
    return Reading(truth, lambda read: when(call(Op.IS_NULL, read), FALSE, read))


def _text(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    if physical not in (Physical.TEXT, Physical.WHOLE, Physical.BOOLEAN):
        return None
    categories = column.categories
    if categories is None:
        text = _cut(raw) if physical is Physical.TEXT else call(Op.TEXT, raw)
        return Reading(text, lambda read: read)
    text = call(Op.TEXT, raw)
    other = NULL if column.nullable else Literal(categories[0])
    return Reading(text, lambda read: when(OneOf(read, categories), read, other))


def _cut(raw: Tree) -> Tree:
    return call(Op.PART, call(Op.TEXT, raw), 1, LONGEST_TEXT)


def _integer(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    """A stored whole number as it is; what else is a number, to the nearest whole one."""
    if physical is Physical.WHOLE:
        return _within(column, call(Op.STORED, raw))
    if physical is not Physical.TEXT:
        return _number(column, physical, raw)
    whole, real = call(Op.WHOLE_OF_TEXT, raw), call(Op.REAL_OF_TEXT, raw)
    ends = Literal(-float(WIDEST)), Literal(float(WIDEST))
    nearest = choose(
        (
            (call(Op.LESS, real, ends[0]), Literal(-WIDEST)),
            (call(Op.LESS, ends[1], real), Literal(WIDEST)),
        ),
        _index(real, column.step),
    )
    return _within(column, when(call(Op.IS_NULL, whole), nearest, whole))


def _number(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    """The index of the nearest point of the grid, halves up, as floats round the quotient.

    Theorem: each operation of floats keeps order, so a value between two ends gets an index between
    theirs. An end is off by one part in 2^53 as a float, and its product and quotient by one such
    part each: of fewer than 2^50 steps that is less than a half, so it gets its own index.
    """
    if physical is Physical.WHOLE and column.step == 1:
        return _within(column, call(Op.STORED, raw))
    reals = {
        Physical.WHOLE: Op.REAL,
        Physical.REAL: Op.REAL,
        Physical.WIDE: Op.REAL_OF_WIDE,
        Physical.TEXT: Op.REAL_OF_TEXT,
    }
    if physical not in reals:
        return None
    real = call(reals[physical], raw)
    first, last = (min(max(end, 1 - MOST_POINTS), MOST_POINTS - 1) for end in column.reach)
    ends = Literal(float(first * column.step)), Literal(float(last * column.step))
    return Reading(
        real, lambda read: _clamped(column, read, ends, (first, last), _index(read, column.step))
    )


def _index(real: Tree, step: Fraction) -> Tree:
    if step.denominator != 1:
        real = call(Op.TIMES, real, Literal(float(step.denominator)))
    if step.numerator != 1:
        real = call(Op.OVER, real, Literal(float(step.numerator)))
    return call(Op.FLOOR, call(Op.PLUS, real, Literal(0.5)))


def _date(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    if physical is Physical.DATE:
        return _within(column, call(Op.DAYS, raw))
    if physical is Physical.TIMESTAMP:
        return _within(column, floored(call(Op.SECONDS, raw), DAY_SECONDS))
    if physical is Physical.TEXT:
        return _within(column, call(Op.DAYS_OF_TEXT, raw))
    return None


def _timestamp(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    if physical is Physical.TIMESTAMP:
        return _within(column, call(Op.SECONDS, raw))
    if physical is Physical.DATE:
        return _within(column, call(Op.MULTIPLY, call(Op.DAYS, raw), DAY_SECONDS))
    if physical is Physical.TEXT:
        midnight = call(Op.MULTIPLY, call(Op.DAYS_OF_TEXT, raw), DAY_SECONDS)
        clock = call(Op.SECOND_OF_TEXT, call(Op.PART, raw, 12, 8))
        alone = call(Op.EQUAL, call(Op.LENGTH, raw), len("2024-01-31"))
        return _within(column, call(Op.ADD, midnight, when(alone, Literal(0), clock)))
    return None


def _time(column: Column, physical: Physical, raw: Tree) -> Reading | None:
    if physical is Physical.TIME:
        return _within(column, call(Op.SECOND, raw))
    if physical is Physical.TEXT:
        return _within(column, call(Op.SECOND_OF_TEXT, raw))
    return None


def _within(column: Column, index: Tree) -> Reading:
    low, high = column.reach
    ends = Literal(low), Literal(high)
    return Reading(index, lambda read: _clamped(column, read, ends, (low, high), read))


def _clamped(
    column: Column, value: Tree, ends: tuple[Tree, Tree], indices: tuple[int, int], inside: Tree
) -> Tree:
    """The lowest index below one end, the highest above the other, else `inside`."""
    low, high = Literal(indices[0]), Literal(indices[1])
    branches = [(call(Op.LESS, value, ends[0]), low), (call(Op.LESS, ends[1], value), high)]
    if not column.nullable:
        branches.insert(0, (call(Op.IS_NULL, value), low))
    return choose(tuple(branches), inside)
