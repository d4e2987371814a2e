"""From noisy numbers to an answer's columns: values, honest intervals, deviations of the noise.

Rule 1: this is post-processing: it reads noisy numbers and public facts, so floats are fine here.
Rule 2: an interval holds the answer without noise with the confidence asked, or with more.

Theorem: let m noisy numbers each lie in an interval with chance 1 - a/m. Then all do with chance
1 - a at least, and whatever is computed from them lies in what interval arithmetic gives.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.queries import (
    Chosen,
    Computed,
    Constant,
    GroupKey,
    Linear,
    Make,
    Output,
    Ratio,
    leaves,
)
from differential_privacy.release.cells import Cells, Floats, Values
from differential_privacy.release.ratios import ratio_interval
from differential_privacy.sources import Kind

__all__ = ["Column", "evaluated", "told"]

FAR = Fraction(10**15)
"""Where no range of a ratio is known, its interval ends here."""

NORMAL = 1.959963984540054
"""Deviations of a normal that hold 95 %."""


@dataclass(frozen=True, slots=True)
class Column:
    """Values, the ends of their intervals, and deviations of their noise; NaN stands for NULL."""

    value: Values
    low: Floats
    high: Floats
    deviation: Floats

    @staticmethod
    def sure(value: Values) -> "Column":
        """Public values."""
        known = _floats(value)
        return Column(value, known, known, np.zeros(len(known)))


def told(cells: Cells, output: Output, confidence: Fraction) -> Column:
    """What an output comes to in each group, within intervals of this confidence."""
    parts = max(1, len(set(leaves(output))))
    return _told(cells, output, 1 - (1 - confidence) / parts)


def _told(cells: Cells, output: Output, confidence: Fraction) -> Column:
    match output:
        case GroupKey(place):
            return Column.sure(cells.key(place))
        case Constant(value):
            return Column.sure(_filled(value, cells.size))
        case Linear():
            return _linear(cells, output, confidence)
        case Ratio():
            return _ratio(cells, output, confidence)
        case Chosen(percentile):
            unknown = np.full(cells.size, math.nan)
            return Column(cells.chosen(percentile), unknown, unknown, unknown)
        case Computed(make, args):
            return _computed(make, [_told(cells, arg, confidence) for arg in args])


def _linear(cells: Cells, output: Linear, confidence: Fraction) -> Column:
    value = cells.sums(output)
    if not output.terms:
        return Column.sure(value)
    blend = cells.plan.blend(output)
    error = blend.error(confidence)
    return Column(value, value - error, value + error, np.full(cells.size, blend.deviation))


def _ratio(cells: Cells, output: Ratio, confidence: Fraction) -> Column:
    """The quotient within its range, or the middle of that where nobody seems to be there."""
    top, bottom = cells.sums(output.top), cells.sums(output.bottom)
    low, high = output.low, output.high
    with np.errstate(all="ignore"):
        value = np.where(bottom == 0, math.nan, top / bottom)
    if low is not None and high is not None:
        likely = np.where(bottom > 0, value, float(low + high) / 2)
        value = np.clip(likely, float(low), float(high))
    above, below = cells.parts(output.top), cells.parts(output.bottom)
    zero, noises = Fraction(0), cells.plan.priced.noise_of
    terms = [
        (above.get(one, zero), below.get(one, zero), noises[one])
        for one in dict.fromkeys([*above, *below])
    ]
    within = (-FAR if low is None else low, FAR if high is None else high)
    least, most = ratio_interval(top, bottom, terms=terms, confidence=confidence, within=within)
    return Column(value, least, most, _deviations(least, most))


def evaluated(column: Column, kind: Kind) -> list[object]:
    """The values of a column as Python's own, rounded where the kind is whole."""
    values = column.value
    if kind is Kind.INTEGER and values.dtype != object:
        return [None if math.isnan(v) else round(v) for v in values.tolist()]
    return [None if _null(v) else v for v in values.tolist()]


def _computed(make: Make, args: Sequence[Column]) -> Column:
    with np.errstate(all="ignore"):
        if make in MONOTONE:
            return _monotone(MONOTONE[make], args)
        if make in CORNERS:
            return _corners(CORNERS[make], args)
        return SPECIAL[make](args)


def _monotone(work: Callable[..., Floats], args: Sequence[Column]) -> Column:
    """What grows with each argument, so that its ends come from their ends."""
    value = work(*(_floats(arg.value) for arg in args))
    low, high = work(*(arg.low for arg in args)), work(*(arg.high for arg in args))
    return Column(value, low, high, _deviations(low, high))


def _corners(work: Callable[..., Floats], args: Sequence[Column]) -> Column:
    """What is least and greatest where its arguments are at their ends."""
    one, two = args
    value = work(_floats(one.value), _floats(two.value))
    ends = [work(a, b) for a in (one.low, one.high) for b in (two.low, two.high)]
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return Column(value, low, high, _deviations(low, high))


def _subtract(args: Sequence[Column]) -> Column:
    one, two = args
    low, high = one.low - two.high, one.high - two.low
    return Column(_floats(one.value) - _floats(two.value), low, high, _deviations(low, high))


def _divide(args: Sequence[Column]) -> Column:
    one, two = args
    bottom = _floats(two.value)
    value = np.where(bottom == 0, math.nan, _floats(one.value) / bottom)
    ends = [a / b for a in (one.low, one.high) for b in (two.low, two.high)]
    crosses = (two.low <= 0) & (two.high >= 0)
    low = np.where(crosses, -math.inf, np.minimum.reduce(ends))
    high = np.where(crosses, math.inf, np.maximum.reduce(ends))
    return Column(value, low, high, _deviations(low, high))


def _square(args: Sequence[Column]) -> Column:
    (one,) = args
    squares = [one.low**2, one.high**2]
    inside = (one.low <= 0) & (one.high >= 0)
    low = np.where(inside, 0.0, np.minimum(*squares))
    high = np.maximum(*squares)
    return Column(_floats(one.value) ** 2, low, high, _deviations(low, high))


def _absolute(args: Sequence[Column]) -> Column:
    (one,) = args
    ends = [np.abs(one.low), np.abs(one.high)]
    inside = (one.low <= 0) & (one.high >= 0)
    low, high = np.where(inside, 0.0, np.minimum(*ends)), np.maximum(*ends)
    return Column(np.abs(_floats(one.value)), low, high, _deviations(low, high))


def _negate(args: Sequence[Column]) -> Column:
    (one,) = args
    return Column(-_floats(one.value), -one.high, -one.low, one.deviation)


def _choose(args: Sequence[Column]) -> Column:
    test, one, two = args
    holds = np.array([value is True for value in test.value.tolist()])
    value = np.where(holds, one.value, two.value)
    # A test of noisy numbers may have gone the other way, so the interval holds both branches.
    known = test.deviation == 0
    low = np.where(known, np.where(holds, one.low, two.low), np.fmin(one.low, two.low))
    high = np.where(known, np.where(holds, one.high, two.high), np.fmax(one.high, two.high))
    return Column(value, low, high, _deviations(low, high))


def _coalesce(args: Sequence[Column]) -> Column:
    found = args[-1]
    for arg in reversed(args[:-1]):
        null = _nulls(arg.value)
        value = np.where(null, found.value, arg.value)
        # What is NULL by noise alone may be no NULL in truth: it has an interval, and that counts.
        low = np.where(null, np.fmin(found.low, arg.low), arg.low)
        high = np.where(null, np.fmax(found.high, arg.high), arg.high)
        found = Column(value, low, high, _deviations(low, high))
    return found


def _null_if(args: Sequence[Column]) -> Column:
    one, two = args
    same = _compared(lambda a, b: a == b, one, two)
    value = np.array(
        [None if s is True else v for s, v in zip(same, one.value.tolist(), strict=True)],
        dtype=object,
    )
    return Column(
        value if one.value.dtype == object else _floats(value), one.low, one.high, one.deviation
    )


def _rounded(args: Sequence[Column]) -> Column:
    one, digits = args
    count = int(_floats(digits.value)[0]) if len(one.low) else 0
    value, low, high = (np.round(part, count) for part in (_floats(one.value), one.low, one.high))
    return Column(value, low, high, one.deviation)


def _truth(work: Callable[[object, object], bool]) -> Callable[[Sequence[Column]], Column]:
    def told(args: Sequence[Column]) -> Column:
        one, two = args
        return _truths(_compared(work, one, two), args)

    return told


def _order(work: Callable[[Floats, Floats], NDArray[np.bool_]]) -> Callable[..., Column]:
    """A truth about an order has no noise where values and ends of intervals all agree on it."""
    compared = _truth(lambda a, b: bool(work(a, b)))  # type: ignore[arg-type]

    def told(args: Sequence[Column]) -> Column:
        one, two = args
        found = compared(args)
        there = ~np.isnan(one.low + one.high + two.low + two.high)
        here = work(_floats(one.value), _floats(two.value))
        settled = (work(one.low, two.high) == here) & (work(one.high, two.low) == here)
        return replace(found, deviation=np.where(there & settled, 0.0, found.deviation))

    return told


def _compared(
    work: Callable[[object, object], bool], one: Column, two: Column
) -> list[bool | None]:
    pairs = zip(one.value.tolist(), two.value.tolist(), strict=True)
    return [None if _null(a) or _null(b) else bool(work(a, b)) for a, b in pairs]


def _logic(*, decisive: bool) -> Callable[[Sequence[Column]], Column]:
    def told(args: Sequence[Column]) -> Column:
        found: list[bool | None] = []
        for pair in zip(*(arg.value.tolist() for arg in args), strict=True):
            values = [None if _null(value) else bool(value) for value in pair]
            unknown = None if None in values else not decisive
            found.append(decisive if decisive in values else unknown)
        return _truths(found, args)

    return told


def _not(args: Sequence[Column]) -> Column:
    values = args[0].value.tolist()
    return _truths([None if _null(value) else not value for value in values], args)


def _is_null(args: Sequence[Column]) -> Column:
    return _truths([bool(value) for value in _nulls(args[0].value)], args)


def _truths(found: Sequence[bool | None], args: Sequence[Column]) -> Column:
    value = np.empty(len(found), dtype=object)
    value[:] = list(found)
    unknown = np.full(len(found), math.nan)
    noisy = np.maximum.reduce([np.nan_to_num(arg.deviation, nan=1.0) for arg in args])
    return Column(value, unknown, unknown, noisy)


def _floats(values: Values) -> Floats:
    if values.dtype != object:
        return values.astype(np.float64)
    numbers = [
        float(v) if isinstance(v, int | float) and not isinstance(v, bool) else math.nan
        for v in values.tolist()
    ]
    return np.array(numbers, dtype=np.float64)


def _filled(value: Fraction | str | bool | None, size: int) -> Values:  # noqa: FBT001 - a value
    if value is None or isinstance(value, Fraction):
        return np.full(size, math.nan if value is None else float(value))
    found = np.empty(size, dtype=object)
    found[:] = [value] * size
    return found


def _null(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _nulls(values: Values) -> NDArray[np.bool_]:
    return np.array([_null(value) for value in values.tolist()], dtype=bool)


def _deviations(low: Floats, high: Floats) -> Floats:
    """The deviation of a normal whose 95 % lie in the interval."""
    with np.errstate(all="ignore"):
        return np.asarray((high - low) / (2 * NORMAL))


def _times(a: Floats, b: Floats) -> Floats:
    """The product; nothing times a number that may be as large as it likes is nothing."""
    without_end = np.isinf(a) & (b == 0) | np.isinf(b) & (a == 0)
    return np.asarray(np.where(without_end, 0.0, a * b), dtype=np.float64)


def _within(value: Floats, low: Floats, high: Floats) -> Floats:
    return np.clip(value, low, high)


MONOTONE: dict[Make, Callable[..., Floats]] = {
    Make.ADD: lambda a, b: a + b,
    Make.ROOT: lambda a: np.sqrt(np.maximum(a, 0.0)),
    Make.FLOOR: np.floor,
    Make.CEILING: np.ceil,
    Make.LEAST: lambda *args: np.fmin.reduce(args),
    Make.GREATEST: lambda *args: np.fmax.reduce(args),
    Make.WITHIN: _within,
}

CORNERS: dict[Make, Callable[..., Floats]] = {Make.MULTIPLY: _times}

SPECIAL: dict[Make, Callable[[Sequence[Column]], Column]] = {
    Make.SUBTRACT: _subtract,
    Make.DIVIDE: _divide,
    Make.SQUARE: _square,
    Make.ABSOLUTE: _absolute,
    Make.NEGATE: _negate,
    Make.CHOOSE: _choose,
    Make.COALESCE: _coalesce,
    Make.NULL_IF: _null_if,
    Make.ROUND: _rounded,
    Make.EQUAL: _truth(lambda a, b: a == b),
    Make.DIFFERENT: _truth(lambda a, b: a != b),
    Make.LESS: _order(lambda a, b: a < b),
    Make.AT_MOST: _order(lambda a, b: a <= b),
    Make.IS_NULL: _is_null,
    Make.NOT: _not,
    Make.AND: _logic(decisive=False),
    Make.OR: _logic(decisive=True),
}
