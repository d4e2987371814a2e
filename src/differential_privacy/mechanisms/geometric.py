"""The geometric mechanism: discrete Laplace noise on integers."""

import math
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.accounting import NumericalLoss, discrete_laplace_loss
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    integer,
    log,
    open_probability,
    positive,
    round_up,
    shown,
)
from differential_privacy.mechanisms.integers import Integers, Noisy, add_noise
from differential_privacy.mechanisms.tails import least_covering, widest_within
from differential_privacy.privacy import PureLoss, Sensitivity
from differential_privacy.sampling import Bits, discrete_laplace

__all__ = ["Geometric"]

LARGE_SCALE = 1 << 30


@dataclass(frozen=True, slots=True, repr=False)
class Geometric:
    """Add discrete Laplace noise to integers: z with chance in proportion to exp(-|z| / scale).

    Theorem: integers of L1 sensitivity s with noise of scale b have pure loss s / b, because
    the log ratio of two output probabilities is at most |x - x'| / b by the triangle inequality.

    Reference: Ghosh, Roughgarden, Sundararajan 2009, section 2; with Laplace noise on reals:
    Dwork, McSherry, Nissim, Smith 2006, proposition 1.

    >>> Geometric(scale=2).loss(Sensitivity(l1=1))
    PureLoss(epsilon=0.5)
    >>> Geometric(scale=10).error(confidence=0.95)
    30
    """

    scale: Fraction

    def __init__(self, scale: Number) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))

    def __repr__(self) -> str:
        return f"Geometric(scale={shown(self.scale)})"

    @staticmethod
    def for_loss(loss: PureLoss, *, sensitivity: Sensitivity) -> "Geometric":
        """The noise that has exactly this loss.

        >>> Geometric.for_loss(PureLoss(0.1), sensitivity=Sensitivity(l1=1))
        Geometric(scale=10)
        """
        moved = positive(sensitivity.need_l1(), "sensitivity")
        return Geometric(moved / positive(loss.epsilon, "epsilon"))

    @staticmethod
    def for_error(error: Number, *, confidence: Number, count: int = 1) -> "Geometric":
        """The most noise, so the least loss, of which none of `count` draws passes the error.

        >>> noise = Geometric.for_error(30, confidence=0.95)
        >>> noise.error(confidence=0.95), float(noise.scale)
        (30, 10.1852451897)
        """
        most = integer(error, "error", least=1)
        scale = widest_within(
            most, start=Fraction(most), error=lambda b: Geometric(b).error(confidence, count=count)
        )
        return Geometric(scale)

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss of a vector of integers."""
        return PureLoss(sensitivity.need_l1() / self.scale)

    def numerical_loss(self, sensitivity: int) -> NumericalLoss:
        """The distribution of the loss of one integer: tighter than `loss` for many together."""
        return discrete_laplace_loss(self.scale, sensitivity)

    def release(self, exact: Integers, *, bits: Bits | None = None) -> Noisy:
        """The private integers, each plus noise of its own."""
        return add_noise(exact, lambda shape: discrete_laplace(self.scale, shape, bits=bits))

    def probability(self, noisy: int, *, exact: int) -> Interval:
        """The chance of a noisy integer, given the exact one: (1 - q) / (1 + q) q^|z|."""
        ratio = exp(-1 / self.scale)
        return (1 - ratio) / (1 + ratio) * exp(-abs(noisy - exact) / self.scale)

    def tail(self, error: int) -> Interval:
        """The chance that noise is farther from zero than `error`: 2 q^(error + 1) / (1 + q)."""
        return 2 * exp(-(error + 1) / self.scale) / (1 + exp(-1 / self.scale))

    def error(self, confidence: Number, *, count: int = 1) -> int:
        """The least t such that all of `count` draws are within t, with this confidence: exact."""
        guess = math.ceil(self.bound(confidence, count=count))
        return least_covering(confidence, count, tail=self.tail, guess=guess)

    def bound(self, confidence: Number, *, count: int = 1) -> Fraction:
        """What lecture notes bound the error by: scale ln(count / (1 - confidence)).

        Theorem: P(|z| > t) <= q^t for whole t, so no draw passes the bound, raised to a whole
        number, with this confidence, by the union bound.

        >>> float(Geometric(scale=1).bound(confidence=0.9))
        2.302585093
        """
        miss = 1 - open_probability(confidence, "confidence")
        return round_up((self.scale * log(integer(count, "count", least=1) / miss)).high)

    @property
    def variance(self) -> Interval:
        """The variance of the noise: 2 q / (1 - q)^2, a little below the 2 scale^2 of reals."""
        if self.scale > LARGE_SCALE:
            # The series of 1 / (2 sinh^2(x / 2)), with x = 1 / scale, is 2 / x^2 - 1/6 + x^2 / 120.
            return 2 * self.scale**2 - Interval(Fraction(0), Fraction(1, 6))
        ratio = exp(-1 / self.scale)
        return 2 * ratio / ((1 - ratio) * (1 - ratio))
