"""Draws one by one in whole numbers, for every scale and with nothing to set up.

Rule 1: only whole numbers, uniform and exact, decide.

Reference: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS
2020 (arXiv 2004.00010 v5), algorithms 1 to 3; called [CKS20] below.
"""

import math
from fractions import Fraction

from differential_privacy.sampling.bits import Reader

__all__ = ["exp_coin", "gaussian_draw", "laplace_draw"]


def exp_coin(top: int, bottom: int, reader: Reader) -> bool:
    """A coin that is heads with probability exp(-top / bottom).

    Theorem: whole ones are coins of their own, all of which must be heads; for x of at most 1 the
    first k at which a coin of x / k fails is odd with probability 1 - x + x^2/2 - ... = exp(-x).

    Reference: [CKS20] algorithm 1.
    """
    while top > bottom:
        if not _small_exp_coin(1, 1, reader):
            return False
        top -= bottom
    return _small_exp_coin(top, bottom, reader)


def _small_exp_coin(top: int, bottom: int, reader: Reader) -> bool:
    tosses = 1
    while reader.below(bottom * tosses) < top:
        tosses += 1
    return tosses % 2 == 1


def laplace_draw(scale: Fraction, reader: Reader) -> int:
    """One integer x with probability proportional to exp(-|x| / scale).

    Theorem: for scale t / s, u + t v with u below t kept at odds exp(-u / t) and v geometric has
    weight exp(-n / t) at n; n // s sums s of these to weight exp(-n s / t); a sign, of which
    minus zero is refused, makes it two-sided.

    Reference: [CKS20] algorithm 2.
    """
    top, bottom = scale.numerator, scale.denominator
    while True:
        rest = reader.below(top)
        if not _small_exp_coin(rest, top, reader):
            continue
        whole = 0
        while _small_exp_coin(1, 1, reader):
            whole += 1
        size = (rest + top * whole) // bottom
        if reader.take(1) == 0:
            return size
        if size:
            return -size


def gaussian_draw(variance: Fraction, reader: Reader) -> int:
    """One integer x with probability proportional to exp(-x^2 / (2 variance)).

    Theorem: x drawn with weight exp(-|x| / t) and kept at odds exp(-(|x| - v/t)^2 / (2v)) has
    weight exp(-x^2 / (2v)) times a constant, whatever t is.

    Reference: [CKS20] algorithm 3.
    """
    spread = Fraction(math.isqrt(math.floor(variance)) + 1)
    top, bottom = variance.numerator, variance.denominator
    step = spread.numerator * bottom
    while True:
        drawn = laplace_draw(spread, reader)
        # (|x| - v/t)^2 / (2v) with v = top / bottom, brought to one fraction of whole numbers.
        offset = abs(drawn) * step - top
        if exp_coin(offset * offset, 2 * top * step * spread.numerator, reader):
            return drawn
