"""A public grid: where real values become integers before they meet noise.

Rule 1: rounding is half up, so that moving a value by one step moves its index by one.
Rule 2: every float has an index, also NaN and the infinities: data never decides that we fail.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact.rational import Number, positive, rational, shown

__all__ = ["Grid"]

FLOAT_OCTETS = 8
SMALLEST_STEP = Fraction(1, 1 << 1000)

LARGEST_INDEX = 1 << 52
"""Below this a float tells an integer from its neighbors: most values need no fractions."""

HALF = Fraction(1, 2)
SLACK = 2.0**-50
"""More than the relative error of one float product with a rounded factor."""


@dataclass(frozen=True, slots=True, repr=False)
class Grid:
    """The multiples of `step` from `lower` to `upper`.

    A value is clamped to the ends and rounded to the nearest point, halves up; NaN goes to the
    lower end.

    Theorem: two reals at most s apart have indices at most ceil(s / step) apart, because rounding
    half up is monotone and commutes with whole steps; clamping moves no two values apart. A float
    among the values is the number that its bits say, not its shortest decimal.

    >>> Grid(step=0.01, lower=0, upper=1).index([0.125, 0.375, 7.0, float("nan")])
    array([ 13,  38, 100,   0])
    """

    step: Fraction
    lower: Fraction
    upper: Fraction

    def __init__(self, *, step: Number, lower: Number, upper: Number) -> None:
        object.__setattr__(self, "step", positive(step, "step"))
        if not SMALLEST_STEP < self.step < 1 / SMALLEST_STEP:
            raise InvalidArgumentError("step", step, "must be between 2**-1000 and 2**1000")
        object.__setattr__(self, "lower", rational(lower, "lower"))
        object.__setattr__(self, "upper", rational(upper, "upper"))
        if self.first > self.last:
            rule = f"must leave a multiple of step = {shown(self.step)} at or above lower"
            raise InvalidArgumentError("upper", upper, rule)
        if max(abs(self.first), abs(self.last)) >= LARGEST_INDEX:
            raise InvalidArgumentError("step", step, "must leave fewer than 2**52 points to zero")

    def __repr__(self) -> str:
        ends = f"lower={shown(self.lower)}, upper={shown(self.upper)}"
        return f"Grid(step={shown(self.step)}, {ends})"

    @property
    def first(self) -> int:
        """The index of the lowest point."""
        return math.ceil(self.lower / self.step)

    @property
    def last(self) -> int:
        """The index of the highest point."""
        return math.floor(self.upper / self.step)

    def __len__(self) -> int:
        return self.last - self.first + 1

    def point(self, index: int) -> Fraction:
        """The real value that an index stands for."""
        return index * self.step

    def steps(self, length: Fraction) -> int:
        """How far apart the indices of two values can be that are at most `length` apart."""
        return math.ceil(length / self.step)

    @property
    def farthest(self) -> Fraction:
        """How far a value between the ends can be from its point: half a step, but at the ends."""
        below, above = self.point(self.first) - self.lower, self.upper - self.point(self.last)
        return max(self.step / 2, below, above)

    def index(self, values: ArrayLike) -> NDArray[np.int64]:
        """The index of the point nearest to each value; the values are private."""
        given = _numbers(values)
        if given.dtype == object:
            exact = np.empty(given.shape, dtype=np.int64)
            exact[...] = np.frompyfunc(self._exact_index, 1, 1)(given)
            return exact
        reals = np.atleast_1d(given)
        lowest, highest = float(self.lower - self.step), float(self.upper + self.step)
        bounded = np.where(np.isnan(reals), lowest, np.clip(reals, lowest, highest))
        scaled = bounded * float(1 / self.step) + 0.5
        indices = np.floor(scaled).astype(np.int64)
        # A value that floats place too near the middle of two points is decided by fractions.
        unsure = np.abs(scaled - np.rint(scaled)) <= (np.abs(scaled) + 1) * SLACK
        for place in zip(*np.nonzero(unsure), strict=True):
            indices[place] = self._exact_index(float(bounded[place]))
        return np.clip(indices, self.first, self.last).reshape(given.shape)

    def _exact_index(self, value: Any) -> int:  # noqa: ANN401 - a number of any kind
        exact = _fraction(value)
        if exact is None:
            return self.last if str(value).lower().startswith("inf") else self.first
        return min(self.last, max(self.first, math.floor(exact / self.step + HALF)))


def _numbers(values: ArrayLike) -> NDArray[np.float64] | NDArray[np.object_]:
    """Private numbers as floats where these are exact, else as Python's."""
    given = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if given.dtype.kind == "f" and given.dtype.itemsize <= FLOAT_OCTETS:
        return given.astype(np.float64)
    if given.dtype.kind in "iu":
        small = not given.size or max(int(given.max()), -int(given.min())) < LARGEST_INDEX
        return given.astype(np.float64) if small else given.astype(object)
    if given.dtype != object or not all(isinstance(value, Real | Decimal) for value in given.flat):
        raise PrivateArgumentError("values", "must be real numbers of at most 64 bits")
    if all(isinstance(value, float) for value in given.flat):
        return given.astype(np.float64)
    return given


def _fraction(value: Any) -> Fraction | None:  # noqa: ANN401 - a number of any kind
    """The exact value, or None for what is not finite."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        return Fraction(*value.as_integer_ratio())
    except (OverflowError, ValueError):
        return None
