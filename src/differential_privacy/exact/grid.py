"""A public grid: where real values become integers before they meet noise.

Rule 1: rounding is half up, so that moving a value by one step moves its index by one.
Rule 2: every float has an index, also NaN and the infinities: data never decides that we fail.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact.rational import Number, positive, rational, shown

__all__ = ["Grid"]

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
    half up is monotone and commutes with whole steps; clamping moves no two values apart.

    >>> Grid(step=0.01, lower=0, upper=1).index([0.125, 0.375, 7.0, float("nan")])
    array([ 13,  38, 100,   0])
    """

    step: Fraction
    lower: Fraction
    upper: Fraction

    def __init__(self, *, step: Number, lower: Number, upper: Number) -> None:
        object.__setattr__(self, "step", positive(step, "step"))
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
        reals = _floats(values)
        shape, reals = reals.shape, np.atleast_1d(reals)
        lowest, highest = float(self.lower - self.step), float(self.upper + self.step)
        bounded = np.where(np.isnan(reals), lowest, np.clip(reals, lowest, highest))
        scaled = bounded * float(1 / self.step) + 0.5
        indices = np.floor(scaled).astype(np.int64)
        # A value that floats place too near the middle of two points is decided by fractions.
        unsure = np.abs(scaled - np.rint(scaled)) <= (np.abs(scaled) + 1) * SLACK
        for place in zip(*np.nonzero(unsure), strict=True):
            indices[place] = math.floor(Fraction(float(bounded[place])) / self.step + HALF)
        return np.clip(indices, self.first, self.last).reshape(shape)


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    """Private numbers of any kind as the floats nearest to them, infinite where there is none."""
    given = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if given.dtype.kind in "fiub":
        with np.errstate(over="ignore"):
            return given.astype(np.float64)
    if given.dtype == object and all(isinstance(value, Real | Decimal) for value in given.flat):
        floats = np.empty(given.shape)
        floats[...] = np.frompyfunc(_float, 1, 1)(given)
        return floats
    raise PrivateArgumentError("values", "must be real numbers")


def _float(value: Real | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > Fraction(0) else -math.inf
    except ValueError:
        # A signaling NaN of Decimal.
        return math.nan
