"""Numbers moved to a coarser grid, into a range, or to one side: each value on its own.

Rule 1: the analyst's ends and widths are exact, whatever grid a number is on.
"""

import math
from dataclasses import replace
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.queries.values import (
    Value,
    Whole,
    check_reach,
    kind_name,
    rescaled,
    whole_type,
)
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.normal import floored
from differential_privacy.sources.trees import Literal, Op, call, choose, when

__all__ = ["absolute", "binned", "clamped", "common_step", "number_type", "rounded", "sign"]

HALF = Fraction(1, 2)


def number_type(value: Value, what: str) -> Whole:
    """The type of a number, or an error that names what it is needed for."""
    kind = whole_type(value, what, "needs numbers, not texts or truths")
    if not kind.is_number:
        raise QuestionError(what, f"needs a number, not {kind_name(kind)}")
    return kind


def common_step(one: Fraction, other: Fraction) -> Fraction:
    """The largest step of which both are multiples; zero is a multiple of each."""
    top = math.gcd(one.numerator * other.denominator, other.numerator * one.denominator)
    return Fraction(top, one.denominator * other.denominator)


def absolute(value: Value) -> Value:
    """Without its sign."""
    kind = number_type(value, "ABS")
    low = max(kind.low, -kind.high, 0)
    below = call(Op.LESS, value.tree, 0)
    tree = when(below, call(Op.SUBTRACT, 0, value.tree), value.tree)
    return Value(tree, replace(kind, low=low, high=max(abs(kind.low), abs(kind.high))))


def sign(value: Value) -> Value:
    """-1, 0 or 1."""
    kind = number_type(value, "SIGN")
    branches = (
        (call(Op.LESS, value.tree, 0), Literal(-1)),
        (call(Op.EQUAL, value.tree, 0), Literal(0)),
        (call(Op.LESS, 0, value.tree), Literal(1)),
    )
    low, high = ((end > 0) - (end < 0) for end in (kind.low, kind.high))
    told = Whole(Kind.INTEGER, Fraction(1), low, high, nullable=kind.nullable)
    return Value(choose(branches), told)


def rounded(value: Value, step: Fraction, *, add: Fraction = HALF) -> Value:
    """To a multiple of a step: the nearest by adding a half, down by nothing, up by one.

    What is halfway between two goes away from zero, as SQL has it.
    """
    kind = number_type(value, "ROUND")
    common = common_step(step, kind.step)
    if common == step:
        # Each value is a multiple of the step already.
        return Value(value.tree, _named(kind), listed=value.listed)
    value = rescaled(value, common)
    kind, by = number_type(value, "ROUND"), int(step / common)
    shift = by - 1 if add == 1 else int(by * add)
    # What is computed on the way passes the ends by less than two steps.
    check_reach(kind.low - 2 * by, kind.high + 2 * by)
    tree = floored(call(Op.ADD, value.tree, shift), by)
    low, high = (_floored(end, by, shift, add) for end in (kind.low, kind.high))
    if add == HALF and kind.low < 0:
        below = floored(call(Op.ADD, call(Op.SUBTRACT, 0, value.tree), shift), by)
        tree = when(call(Op.LESS, value.tree, 0), call(Op.SUBTRACT, 0, below), tree)
    return Value(tree, _named(replace(kind, step=step, low=low, high=high)))


def _floored(index: int, by: int, shift: int, add: Fraction) -> int:
    """The same, of a known index."""
    if add == HALF and index < 0:
        return -((shift - index) // by)
    return (index + shift) // by


def binned(value: Value, width: Fraction) -> Value:
    """The lower edge of the bin of this width, bins beginning at zero."""
    if width <= 0:
        raise QuestionError("BIN", "needs a positive constant width", instead="BIN(x, 10)")
    return rounded(value, width, add=Fraction(0))


def clamped(value: Value, low: Value, high: Value) -> Value:
    """The value, or the end that it is beyond; a range that the analyst states."""
    kind = whole_type(value, "CLAMP")
    first, last = low.number(), high.number()
    same = all(_compared_with(end, kind) for end in (low, high))
    if first is None or last is None or first > last or not same:
        rule = f"needs {kind_name(kind)} and two constant ends of it, the lower one first"
        raise QuestionError("CLAMP", rule, instead="CLAMP(x, 0, 100)")
    if math.ceil(first / kind.step) > last // kind.step:
        # No point of the grid is inside, so it is made as fine as the ends are.
        value = rescaled(value, common_step(kind.step, common_step(first, last)))
        kind = whole_type(value, "CLAMP")
    least, most = math.ceil(first / kind.step), math.floor(last / kind.step)
    branches = []
    if kind.low < least:
        branches.append((call(Op.LESS, value.tree, least), Literal(least)))
    if kind.high > most:
        branches.append((call(Op.LESS, most, value.tree), Literal(most)))
    ends = [min(max(end, least), most) for end in (kind.low, kind.high)]
    inside = replace(kind, low=ends[0], high=ends[1], declared=True)
    return Value(choose(tuple(branches), value.tree), inside)


def _compared_with(end: Value, kind: Whole) -> bool:
    """Whether an end is a number as its value is, or the same kind of moment."""
    other = end.type
    if not isinstance(other, Whole):
        return False
    return kind.is_number if other.is_number else kind.kind is other.kind


def _named(kind: Whole) -> Whole:
    return replace(kind, kind=Kind.INTEGER if kind.step.denominator == 1 else Kind.NUMBER)
