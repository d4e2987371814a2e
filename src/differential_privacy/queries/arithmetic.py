"""Numbers: sums, products, quotients, powers and roots of indices, with the ranges they lead to.

Rule 1: what is no whole number of steps is rounded to the nearest, halves up, by whole numbers.
Rule 2: division by zero is NULL, and so is the root of a negative number.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.queries.rounding import (
    absolute,
    binned,
    clamped,
    common_step,
    number_type,
    rounded,
    sign,
)
from differential_privacy.queries.values import (
    Value,
    Whole,
    check_reach,
    exact_number,
    null,
    rescaled,
    whole_type,
)
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import NULL, Literal, Op, Tree, call, when

__all__ = [
    "absolute",
    "added",
    "aligned",
    "binned",
    "clamped",
    "divided",
    "multiplied",
    "negative",
    "number_type",
    "powered",
    "remainder",
    "rooted",
    "rounded",
    "sign",
    "subtracted",
    "whole_quotient",
]

QUOTIENT_STEP = Fraction(1, 10**6)
ROOT_STEP = Fraction(1, 1000)
MOST_POWER = 8


def aligned(values: Sequence[Value]) -> list[Value]:
    """The same numbers or moments, all on one grid."""
    step = Fraction(0)
    for value in values:
        step = common_step(step, whole_type(value, "a number").step)
    return [rescaled(value, step) for value in values]


def added(one: Value, other: Value) -> Value:
    """Their sum."""
    return _sum("+", Op.ADD, one, other)


def subtracted(one: Value, other: Value) -> Value:
    """Their difference."""
    return _sum("-", Op.SUBTRACT, one, other)


def negative(value: Value) -> Value:
    """The number below zero by as much as it was above."""
    return subtracted(exact_number(Fraction(0), Kind.INTEGER), value)


def multiplied(one: Value, other: Value) -> Value:
    """Their product; the grid of a product is the product of the grids."""
    a, b = number_type(one, "*"), number_type(other, "*")
    low, high = _extremes(lambda x, y: x * y, (a.low, a.high), (b.low, b.high))
    kind = replace(_either(a, b), step=a.step * b.step, low=low, high=high)
    return Value(call(Op.MULTIPLY, one.tree, other.tree), _named(kind))


def divided(one: Value, other: Value) -> Value:
    """Their quotient: exact for a constant, else to the nearest millionth; by zero it is NULL."""
    a, b = number_type(one, "/"), number_type(other, "/")
    by = other.number()
    if by == 0:
        return null(a)
    if by is not None:
        turned = one if by > 0 else negative(one)
        kind = number_type(turned, "/")
        return Value(turned.tree, replace(kind, kind=Kind.NUMBER, step=kind.step / abs(by)))
    scale = a.step / b.step / QUOTIENT_STEP
    top, bottom = scale.numerator, scale.denominator
    farthest = 2 * max(-a.low, a.high) * top, 2 * max(-b.low, b.high) * bottom
    check_reach(sum(farthest), 2 * top, 2 * bottom)
    low, high = _extremes(
        lambda x, y: math.floor(scale * x / y + Fraction(1, 2)), (a.low, a.high), _divisors(b)
    )
    # floor((2 a top + b bottom) / (2 b bottom)) for b > 0; where b < 0, both signs are turned.
    below = call(Op.LESS, other.tree, 0)
    turned_a = when(below, call(Op.SUBTRACT, 0, one.tree), one.tree)
    half = call(Op.MULTIPLY, when(below, call(Op.SUBTRACT, 0, other.tree), other.tree), bottom)
    whole = call(Op.ADD, call(Op.MULTIPLY, turned_a, 2 * top), half)
    tree = _floor_by(whole, call(Op.MULTIPLY, half, 2))
    return Value(tree, Whole(Kind.NUMBER, QUOTIENT_STEP, low, high, a.declared and b.declared))


def whole_quotient(one: Value, other: Value) -> Value:
    """The quotient without its fraction, toward zero."""
    one, other = _whole_number(one, "//"), _whole_number(other, "//")
    a, b = number_type(one, "//"), number_type(other, "//")
    if other.number() == 0:
        return null(a)
    low, high = _extremes(lambda x, y: math.trunc(Fraction(x, y)), (a.low, a.high), _divisors(b))
    kind = replace(_either(a, b), low=low, high=high)
    return Value(call(Op.QUOTIENT, one.tree, other.tree), _unless_zero(kind, b))


def remainder(one: Value, other: Value) -> Value:
    """What the whole quotient leaves; it has the sign of the first."""
    one, other = _whole_number(one, "%"), _whole_number(other, "%")
    a, b = number_type(one, "%"), number_type(other, "%")
    if other.number() == 0:
        return null(a)
    most = max(abs(b.low), abs(b.high)) - 1
    low, high = max(min(a.low, 0), -most), min(max(a.high, 0), most)
    kind = replace(_either(a, b), low=low, high=high)
    return Value(call(Op.REMAINDER, one.tree, other.tree), _unless_zero(kind, b))


def powered(value: Value, exponent: Value) -> Value:
    """A whole power, from 1 to 8."""
    power, kind = exponent.number(), number_type(value, "POWER")
    if power is None or power.denominator != 1 or not 1 <= power <= MOST_POWER:
        rule = f"needs a whole constant from 1 to {MOST_POWER} as its exponent"
        raise QuestionError("POWER", rule, instead="POWER(x, 2)")
    times = int(power)
    ends = [kind.low**times, kind.high**times]
    if kind.low < 0 < kind.high:
        ends.append(0)
    tree = value.tree
    for _ in range(times - 1):
        tree = call(Op.MULTIPLY, tree, value.tree)
    raised = replace(kind, step=kind.step**times, low=min(ends), high=max(ends))
    return Value(tree, _named(raised))


def rooted(value: Value) -> Value:
    """The square root, down to a thousandth; of a negative number it is NULL."""
    kind = number_type(value, "SQRT")
    scale = kind.step / ROOT_STEP**2
    highest = max(kind.high, 0)
    check_reach(min(kind.low, -1) * scale.numerator, max(kind.high, 1) * scale.numerator)
    check_reach(scale.denominator)
    whole = call(Op.QUOTIENT, call(Op.MULTIPLY, value.tree, scale.numerator), scale.denominator)
    below = call(Op.LESS, value.tree, 0)
    # Floats place the root of a number above 2^52 to within one.
    most = math.isqrt(math.floor(highest * scale)) + 1
    root = Whole(Kind.NUMBER, ROOT_STEP, 0, most, kind.declared)
    return Value(when(below, NULL, call(Op.ROOT, whole)), root)


def _sum(sign_: str, op: Op, one: Value, other: Value) -> Value:
    for value in (one, other):
        number_type(value, sign_)
    left, right = aligned([one, other])
    a, b = number_type(left, sign_), number_type(right, sign_)
    ends = (b.low, b.high) if op is Op.ADD else (-b.high, -b.low)
    kind = replace(_either(a, b), low=a.low + ends[0], high=a.high + ends[1])
    return Value(call(op, left.tree, right.tree), _named(kind))


def _either(a: Whole, b: Whole) -> Whole:
    declared, nullable = a.declared and b.declared, a.nullable or b.nullable
    return replace(a, declared=declared, nullable=nullable)


def _named(kind: Whole) -> Whole:
    """With its kind as its step says."""
    return replace(kind, kind=Kind.INTEGER if kind.step.denominator == 1 else Kind.NUMBER)


def _extremes(
    work: Callable[[int, int], int], ones: Sequence[int], others: Sequence[int]
) -> tuple[int, int]:
    """The ends of what grows or falls in each argument, at its corners."""
    corners = [work(x, y) for x in ones for y in others]
    return min(corners), max(corners)


def _divisors(kind: Whole) -> list[int]:
    """The ends of what a number divides by, on either side of zero."""
    ends = [end for end in (kind.low, kind.high) if end]
    nearest = [one for one in (-1, 1) if kind.low <= one <= kind.high]
    return [*ends, *nearest] or [1]


def _unless_zero(kind: Whole, divisor: Whole) -> Whole:
    zero = divisor.low <= 0 <= divisor.high
    return replace(kind, nullable=True) if zero else kind


def _whole_number(value: Value, what: str) -> Value:
    kind = number_type(value, what)
    if kind.step.denominator != 1:
        instead = "CAST(x AS INTEGER) or FLOOR(x)"
        raise QuestionError(what, "needs whole numbers", instead=instead)
    return rescaled(value, Fraction(1))


def _floor_by(value: Tree, by: Tree) -> Tree:
    """floor(value / by) for by > 0."""
    rest = call(Op.REMAINDER, value, by)
    down = when(call(Op.LESS, rest, 0), Literal(1), Literal(0))
    return call(Op.SUBTRACT, call(Op.QUOTIENT, value, by), down)
