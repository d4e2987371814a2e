"""Pure and approximate losses: epsilon alone, and epsilon with a delta."""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    exp,
    log,
    nonnegative,
    round_up,
    short_up,
    shown,
    small_probability,
)

__all__ = ["ApproximateLoss", "PureLoss"]


@dataclass(frozen=True, slots=True, repr=False)
class ApproximateLoss:
    """Each event is at most e^epsilon times as likely, plus delta.

    Theorem: the worst release of this loss tells everything with chance delta, and else answers a
    yes-or-no question by randomized response at epsilon; at a smaller epsilon' its delta is
    delta + (1 - delta) (e^epsilon - e^epsilon') / (1 + e^epsilon).

    Reference: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.1 and its proof.

    >>> ApproximateLoss(epsilon=1, delta=1e-6).delta_at(1)
    Fraction(1, 1000000)
    >>> ApproximateLoss(0.5, 1e-6) + ApproximateLoss(0.5, 1e-6)
    ApproximateLoss(epsilon=1, delta=2e-06)
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", small_probability(delta, "delta"))

    def __repr__(self) -> str:
        return f"ApproximateLoss(epsilon={shown(self.epsilon)}, delta={shown(self.delta)})"

    def delta_at(self, epsilon: Number) -> Fraction:
        """The delta that is left at another epsilon: the least that holds for all such releases."""
        epsilon = nonnegative(epsilon, "epsilon")
        if epsilon >= self.epsilon:
            return self.delta
        told = (1 - exp(epsilon - self.epsilon)) / (1 + exp(-self.epsilon))
        return min(round_up(self.delta + (1 - self.delta) * told.high), Fraction(1))

    def epsilon_at(self, delta: Number) -> Fraction:
        """The epsilon that suffices at another delta."""
        delta = small_probability(delta, "delta")
        if delta < self.delta:
            rule = f"must be at least {shown(self.delta)}, the delta of this loss"
            raise InvalidArgumentError("delta", delta, rule)
        slack = (delta - self.delta) / (1 - self.delta)
        if slack == 0:
            return self.epsilon
        kept = 1 - slack - slack * exp(-self.epsilon)
        if kept.high <= 0:
            return Fraction(0)
        epsilon = round_up((self.epsilon + log(kept.high)).high)
        return max(Fraction(0), min(epsilon, self.epsilon))

    def __add__(self, other: "ApproximateLoss") -> "ApproximateLoss":
        """Both numbers add, also when the second release was chosen after the first answer.

        Reference: Dwork, Roth 2014, theorem B.1; Rogers, Roth, Ullman, Vadhan 2016 (1605.08294).
        """
        if not isinstance(other, ApproximateLoss):
            return NotImplemented
        delta = self.delta + other.delta
        if delta >= 1:
            raise InvalidArgumentError(
                "delta", delta, "must stay below 1: nothing would be protected"
            )
        return ApproximateLoss(short_up(self.epsilon + other.epsilon), short_up(delta))

    def __or__(self, other: "ApproximateLoss") -> "ApproximateLoss":
        return ApproximateLoss(max(self.epsilon, other.epsilon), max(self.delta, other.delta))

    def within(self, budget: "ApproximateLoss") -> bool:
        """Whether neither number passes the budget's."""
        return self.epsilon <= budget.epsilon and self.delta <= budget.delta


@dataclass(frozen=True, slots=True, repr=False)
class PureLoss:
    """Each event is at most e^epsilon times as likely with one unit's data as without.

    Theorem: the worst release of this loss is randomized response at epsilon, so at a smaller
    epsilon' it has delta (e^epsilon - e^epsilon') / (1 + e^epsilon).

    >>> PureLoss(0.1) + PureLoss("1/5")
    PureLoss(epsilon=0.3)
    >>> float(PureLoss(1).delta_at(0))
    0.462117157261
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", nonnegative(epsilon, "epsilon"))

    def __repr__(self) -> str:
        return f"PureLoss(epsilon={shown(self.epsilon)})"

    @property
    def delta(self) -> Fraction:
        """Nothing is left unprotected."""
        return Fraction(0)

    def delta_at(self, epsilon: Number) -> Fraction:
        """The delta that is left at a smaller epsilon."""
        return ApproximateLoss(self.epsilon, 0).delta_at(epsilon)

    def epsilon_at(self, delta: Number) -> Fraction:
        """The epsilon that suffices when a delta is allowed."""
        return ApproximateLoss(self.epsilon, 0).epsilon_at(delta)

    def __add__(self, other: "PureLoss") -> "PureLoss":
        """The epsilons add, also when the second release was chosen after the first answer.

        Theorem: the probability of a transcript is a product over its answers, each factor given
        the earlier ones, so its log ratio is a sum of terms each at most its epsilon.
        """
        if not isinstance(other, PureLoss):
            return NotImplemented
        return PureLoss(short_up(self.epsilon + other.epsilon))

    def __or__(self, other: "PureLoss") -> "PureLoss":
        return PureLoss(max(self.epsilon, other.epsilon))

    def within(self, budget: "PureLoss") -> bool:
        """Whether the epsilon does not pass the budget's."""
        return self.epsilon <= budget.epsilon
