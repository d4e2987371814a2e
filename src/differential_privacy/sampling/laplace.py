"""The discrete Laplace law: integers with probability proportional to exp(-|x| / scale)."""

from fractions import Fraction
from typing import final, overload

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import Number, positive
from differential_privacy.sampling.bits import Bits
from differential_privacy.sampling.blocks import QUICK_BITS, block_shift
from differential_privacy.sampling.digits import exp_of_minus
from differential_privacy.sampling.family import LARGEST_EXPONENT, Draws, Family
from differential_privacy.sampling.rejection import laplace_draw
from differential_privacy.sampling.shape import Size

__all__ = ["LaplaceLaw", "discrete_laplace"]


@overload
def discrete_laplace(scale: Number, size: None = None, *, bits: Bits | None = None) -> int: ...
@overload
def discrete_laplace(
    scale: Number, size: int | tuple[int, ...], *, bits: Bits | None = None
) -> Draws: ...
def discrete_laplace(scale: Number, size: Size = None, *, bits: Bits | None = None) -> int | Draws:
    """Integers with probability exactly proportional to exp(-|x| / scale), any rational scale.

    Arrays are of int64 up to a scale of about 3e14, and of Python integers beyond; up to there a
    draw that does not fit, of probability below 2**-40000, raises OverflowError.

    Reference: Ghosh, Roughgarden, Sundararajan 2009, definition 2.2 (the geometric mechanism).

    >>> type(discrete_laplace("1/3")), discrete_laplace(100, (2, 3)).shape
    (<class 'int'>, (2, 3))
    >>> discrete_laplace(10**30, 4).dtype
    dtype('O')
    """
    return _FAMILY.draw(positive(scale, "scale"), size, bits)


@final
class LaplaceLaw:
    """The law as blocks: x = y or -1 - y, y = 2**shift * h + place.

    Theorem: with q = exp(-1 / scale) and R = q**(2**shift), the weight q**|x| is R**h, times q if
    x is negative, times q**place. So h is geometric, the sign a coin of odds q, and 2h, 2h + 1
    have the thresholds 1 - R**h (q + R) / (1 + q) and 1 - R**(h + 1) above them.
    """

    def __init__(self, scale: Fraction) -> None:
        self.shift = block_shift(int(scale))
        self._scale = scale
        self._nearby = float(scale)
        self._mask = (1 << self.shift) - 1

    def thresholds(self, bits: int, guard: int) -> tuple[list[int], int]:
        """See `Thresholds`.

        Each power is rounded down from the last, so its error grows by at most the error of R and
        one unit a step; a product of two numbers below 1 errs by their errors and one unit.
        """
        work = bits + guard
        one = 1 << work
        q_low, q_high = exp_of_minus(1 / self._scale, work)
        r_low, r_high = exp_of_minus((1 << self.shift) / self._scale, work)
        middle = (q_low + r_low << work) // (one + q_high)
        middle_high = (q_high + r_high << work) // (one + q_low) + 1
        power, steps, enough = one, 0, one >> bits // 2
        left = []
        while power >= enough:
            left.append(power * middle >> work)
            power = power * r_low >> work
            left.append(power)
            steps += 1
        error = steps * (r_high - r_low + 1) + (middle_high - middle) + 1
        return [one - rest - error for rest in left], error

    def sure(self, count: int) -> list[int]:
        """See `BlockLaw`; the odds of a place do not depend on its block."""
        low, _ = exp_of_minus(self._mask / self._scale, QUICK_BITS)
        return [min(low, (1 << QUICK_BITS) - 1)] * count

    def exponents(self, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `BlockLaw`; two roundings and the scale's own."""
        return self._places(drawn) / self._nearby

    def exponent(self, drawn: int) -> Fraction:
        """See `BlockLaw`."""
        return ((drawn ^ drawn >> 63) & self._mask) / self._scale

    def _places(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        return (drawn ^ drawn >> 63) & self._mask


def _fits(scale: Fraction) -> bool:
    return scale * LARGEST_EXPONENT < 1 << 63


_FAMILY = Family(law=LaplaceLaw, one=laplace_draw, fits=_fits)
