"""The discrete Gaussian law: integers with probability proportional to exp(-x^2 / (2 variance))."""

import math
from fractions import Fraction
from itertools import accumulate
from typing import final, overload

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import Number, positive
from differential_privacy.sampling.bits import Bits
from differential_privacy.sampling.blocks import QUICK_BITS, block_shift
from differential_privacy.sampling.digits import exp_of_minus
from differential_privacy.sampling.family import LARGEST_EXPONENT, Draws, Family
from differential_privacy.sampling.rejection import gaussian_draw
from differential_privacy.sampling.shape import Size

__all__ = ["GaussianLaw", "discrete_gaussian", "discrete_gaussian_of_variance"]

LARGEST_WHOLE = 160
"""Up to this scale the table holds every integer, without blocks; its tails are short."""

SURE_BITS = 64


@overload
def discrete_gaussian(scale: Number, size: None = None, *, bits: Bits | None = None) -> int: ...
@overload
def discrete_gaussian(
    scale: Number, size: int | tuple[int, ...], *, bits: Bits | None = None
) -> Draws: ...
def discrete_gaussian(scale: Number, size: Size = None, *, bits: Bits | None = None) -> int | Draws:
    """Integers with probability exactly proportional to exp(-x^2 / (2 scale^2)).

    Arrays are of int64 up to a scale of about 4e16, and of Python integers beyond; up to there a
    draw that does not fit, of probability below 2**-40000, raises OverflowError.

    Reference: Canonne, Kamath, Steinke 2020, definition 1.

    >>> type(discrete_gaussian("1/3")), discrete_gaussian(100, (2, 3)).shape
    (<class 'int'>, (2, 3))
    """
    return _FAMILY.draw(positive(scale, "scale") ** 2, size, bits)


@overload
def discrete_gaussian_of_variance(
    variance: Number, size: None = None, *, bits: Bits | None = None
) -> int: ...
@overload
def discrete_gaussian_of_variance(
    variance: Number, size: int | tuple[int, ...], *, bits: Bits | None = None
) -> Draws: ...
def discrete_gaussian_of_variance(
    variance: Number, size: Size = None, *, bits: Bits | None = None
) -> int | Draws:
    """As `discrete_gaussian`, with scale^2 given, so that the scale may be irrational.

    As there, `variance` is that of the continuous law; the discrete one has slightly less.

    >>> discrete_gaussian_of_variance("7/3", 5).dtype
    dtype('int64')
    """
    return _FAMILY.draw(positive(variance, "variance"), size, bits)


@final
class GaussianLaw:
    """The law as blocks: x = y or -1 - y, y = 2**shift * h + place.

    Theorem: |x| is at least 2**shift * h, so exp(-(2**shift h)^2 / (2v)) bounds the weight in
    block h from above. Without blocks (shift 0) numbers 2h and 2h + 1 are x = h and x = -1 - h
    with their own weights, and nothing is refused.
    """

    def __init__(self, variance: Fraction) -> None:
        scale = math.isqrt(math.floor(variance))
        self.shift = block_shift(scale) if scale > LARGEST_WHOLE else 0
        self._variance = variance
        self._twice = float(2 * variance)

    def thresholds(self, bits: int, guard: int) -> tuple[list[int], int]:
        """See `Thresholds`.

        With errors of at most c, n numbers in a row err together by at most the bound returned by
        `_weights`; a quotient of a sum by the total, both above 1, errs by their errors and one.
        """
        work = bits + guard
        one = 1 << work
        weights, error = self._weights(work)
        if self.shift:
            ordered = [weight for weight in weights for _ in range(2)]
        else:
            ordered = [weights[0]] + [weight for weight in weights[1:] for _ in range(2)]
        total = sum(ordered) + error
        enough = one - (one >> bits // 2)
        lows = []
        for reached in accumulate(ordered):
            lows.append((reached << work) // total)
            if lows[-1] > enough:
                break
        return lows, 2 * error + 1

    def _weights(self, work: int) -> tuple[list[int], int]:
        """Weights of the blocks in units of 2**-work, and what sums of them can miss in all.

        w(h + 1) = w(h) r(h) and r(h + 1) = r(h) c, each rounded down. With d the error of r(0) or
        c and one unit more, r(h) errs by at most d (h + 1), w(h) by at most d (h + 1)^2, and two
        weights of each h by 2 d (h + 1)^3. From the end on, weights fall at least by r each.
        """
        one = 1 << work
        unit = Fraction(1 << 2 * self.shift) / self._variance
        r_low, r_high = exp_of_minus(unit / 2, work)
        c_low, c_high = exp_of_minus(unit, work)
        step = max(r_high - r_low, c_high - c_low) + 1
        weight, ratio = one, r_low
        weights = []
        while weight:
            weights.append(weight)
            weight = weight * ratio >> work
            ratio = ratio * c_low >> work
        after = len(weights) + 1
        missed = 2 * step * after**3
        tail = (step * after**2 << work) // (one - ratio - step * after) + 1
        return weights, missed + 2 * tail

    def sure(self, count: int) -> list[int]:
        """See `BlockLaw`; r(h) is the odds at the far end of block h."""
        unit = Fraction(1 << 2 * self.shift) / self._variance
        ratio, _ = exp_of_minus(unit / 2, SURE_BITS)
        fall, _ = exp_of_minus(unit, SURE_BITS)
        least = []
        for _ in range(count):
            least.append(ratio >> SURE_BITS - QUICK_BITS)
            ratio = ratio * fall >> SURE_BITS
        return least

    def exponents(self, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `BlockLaw`; (|x| - start)(|x| + start) / (2v), each factor a whole number."""
        sign = drawn >> 63
        size = drawn ^ sign
        place = size & ((1 << self.shift) - 1)
        past = place - sign
        return past * (2.0 * (size - place) + past) / self._twice

    def exponent(self, drawn: int) -> Fraction:
        """See `BlockLaw`."""
        size = drawn if drawn >= 0 else -1 - drawn
        start = size >> self.shift << self.shift
        return (drawn**2 - start**2) / (2 * self._variance)


def _fits(variance: Fraction) -> bool:
    return 2 * variance * LARGEST_EXPONENT < 1 << 126


_FAMILY = Family(law=GaussianLaw, one=gaussian_draw, fits=_fits)
