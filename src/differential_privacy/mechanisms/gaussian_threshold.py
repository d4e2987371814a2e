"""Show the groups whose noisy number of people passes a threshold that one person seldom does."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    float_log,
    integer,
    log,
    open_probability,
    positive,
    round_up,
    shown,
)
from differential_privacy.mechanisms.gaussian import DiscreteGaussian
from differential_privacy.mechanisms.integers import Integers, Whole, whole_array
from differential_privacy.mechanisms.tails import least_whole
from differential_privacy.privacy import ConcentratedLoss
from differential_privacy.sampling import Bits

__all__ = ["GaussianThreshold"]

HALF = Fraction(1, 2)
TINY = Fraction(1, 1 << 40)

FEW = 64
"""Up to so many times a power is taken exactly."""


@dataclass(frozen=True, slots=True, repr=False)
class GaussianThreshold:
    """Keep a group whose number of people plus discrete Gaussian noise is at least the threshold.

    Theorem: let a person be in at most g groups. In d of them they are alone: these exist only
    with them, and each is shown with the chance p that 1 plus noise reaches the threshold. So but
    for a chance 1 - (1 - p)^d none is shown; and then what is shown is made of the noisy numbers
    of the g - d others, which noise of its own has moved by one each, so its rho is
    (g - d) / (2 variance), both ways round. Both numbers are largest at an end: the loss is rho
    g / (2 variance) but for chance 1 - (1 - p)^g. The noisy numbers of the groups that are kept are
    made of the same, so they may be told as well.

    Reference: Bun, Steinke 2016 (1605.02065), section 8, for losses but for a chance;
    Korolova, Kenthapadi, Mishra, Ntoulas 2009, for the threshold, there with Laplace noise.

    >>> rule = GaussianThreshold(variance=50, threshold=40)
    >>> rule.loss(groups=1), rule.people_for("0.95")
    (ConcentratedLoss(rho=0.01, delta=2.52...e-08), 52)
    """

    variance: Fraction
    threshold: int

    def __init__(self, variance: Number, threshold: int) -> None:
        object.__setattr__(self, "variance", positive(variance, "variance"))
        object.__setattr__(self, "threshold", integer(threshold, "threshold", least=1))

    def __repr__(self) -> str:
        return f"GaussianThreshold(variance={shown(self.variance)}, threshold={self.threshold})"

    @staticmethod
    def for_loss(loss: ConcentratedLoss, *, groups: int) -> "GaussianThreshold":
        """The noise of this rho, and the least threshold that has at most this delta.

        >>> GaussianThreshold.for_loss(ConcentratedLoss(0.01, 1e-6), groups=1)
        GaussianThreshold(variance=50, threshold=36)
        """
        most = integer(groups, "groups", least=1)
        delta = positive(loss.delta, "delta")
        variance = most / (2 * positive(loss.rho, "rho"))
        guess = DiscreteGaussian(variance).place_above(float_log(min(HALF, delta / most)))

        def enough(above_one: int) -> bool:
            return GaussianThreshold(variance, 1 + above_one).told_alone(most) <= delta

        return GaussianThreshold(variance, 1 + least_whole(enough, guess=guess))

    def loss(self, groups: int) -> ConcentratedLoss:
        """The concentrated loss, but for a delta, of a person in at most so many groups."""
        most = integer(groups, "groups", least=1)
        return ConcentratedLoss(most / (2 * self.variance), self.told_alone(most))

    def told_alone(self, groups: int) -> Fraction:
        """The chance that one of so many groups is kept in which the person is alone."""
        return any_of(groups, round_up(self._reached_by(1).high))

    def release(self, people: Integers, *, bits: Bits | None = None) -> NDArray[np.bool_]:
        """Which groups are kept, by the private numbers of people in them."""
        kept, _ = self.release_counts(people, bits=bits)
        return kept

    def release_counts(
        self, people: Integers, *, bits: Bits | None = None
    ) -> tuple[NDArray[np.bool_], Whole]:
        """Which groups are kept, and the noisy numbers of people in these; zero in the others."""
        exact = whole_array(people)
        noisy = np.asarray(DiscreteGaussian(self.variance).release(exact, bits=bits))
        kept = np.asarray((noisy >= self.threshold) & (exact >= 1), dtype=np.bool_)
        return kept, np.where(kept, noisy, 0)

    def probability(self, kept: bool, *, exact: int) -> Interval:  # noqa: FBT001 - an answer
        """The chance that a group of so many people is kept, or that it is not."""
        keeps = self._reached_by(exact) if exact >= 1 else Interval.of(0)
        return keeps if kept else 1 - keeps

    def people_for(self, chance: Number) -> int:
        """The least number of people of which a group is kept with at least this chance.

        >>> GaussianThreshold(variance=50, threshold=40).people_for("1/2")
        40
        """
        wanted = open_probability(chance, "chance")
        above = DiscreteGaussian(self.variance).place_above(float_log(min(wanted, 1 - wanted)))
        more = self.threshold - above if wanted < HALF else self.threshold + above - 2
        return 1 + least_whole(lambda more: self._reached_by(1 + more).low >= wanted, guess=more)

    def _reached_by(self, people: int) -> Interval:
        """The chance that so many people, with noise, reach the threshold."""
        noise, least = DiscreteGaussian(self.variance), self.threshold - people
        return noise.tail(least - 1) / 2 if least >= 1 else 1 - noise.tail(-least) / 2


def any_of(many: int, chance: Fraction) -> Fraction:
    """The chance of any of so many independent events of the same chance, rounded up.

    >>> any_of(2, Fraction(1, 2))
    Fraction(3, 4)
    """
    # For small chances their sum is as good, and no difference of nearly equal numbers.
    union = many * chance
    if union <= TINY or chance >= 1:
        return union
    none = (1 - chance) ** many if many <= FEW else exp(many * log(1 - chance)).low
    return min(union, round_up(1 - none))
