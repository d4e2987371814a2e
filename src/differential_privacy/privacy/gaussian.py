"""The loss of Gaussian noise on real numbers: two normals, mu standard deviations apart."""

import math
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    float_log,
    log_normal_cdf,
    nonnegative,
    normal_cdf,
    proved,
    root,
    round_up,
    short_up,
    shown,
    small_probability,
    sqrt,
)
from differential_privacy.privacy.renyi import ConcentratedLoss

__all__ = ["GaussianLoss"]

LARGEST_EPSILON = 1 << 13
LEAST_MU = 1e-150
LARGEST_MU_SQUARED = 1 << 40
"""Beyond, nothing is hidden, and the coarser theorem of concentrated losses is used."""


@dataclass(frozen=True, slots=True, repr=False)
class GaussianLoss:
    """No easier to tell apart than two normals whose means are mu standard deviations apart.

    The square of mu is kept, because it is rational where noise has a rational variance.

    Theorem: at epsilon the delta is F(mu/2 - epsilon/mu) - e^epsilon F(-mu/2 - epsilon/mu), with
    F the distribution function of the normal.

    Reference: Balle, Wang 2018 (1805.06530v2), theorem 8; Dong, Roth, Su 2019 (1905.02383v3),
    corollary 1.

    >>> float(GaussianLoss.of_mu(1).delta_at(1))
    0.126936737507
    >>> float((GaussianLoss.of_mu("3/30") + GaussianLoss.of_mu("4/30")).epsilon_at(1e-6))
    0.685781976143
    """

    mu_squared: Fraction

    def __init__(self, mu_squared: Number) -> None:
        object.__setattr__(self, "mu_squared", nonnegative(mu_squared, "mu_squared"))

    def __repr__(self) -> str:
        return f"GaussianLoss(mu_squared={shown(self.mu_squared)})"

    @staticmethod
    def of_mu(mu: Number) -> "GaussianLoss":
        """The loss of the given mu."""
        return GaussianLoss(nonnegative(mu, "mu") ** 2)

    @property
    def mu(self) -> Interval:
        """How many standard deviations the two normals are apart."""
        return sqrt(self.mu_squared)

    @property
    def delta(self) -> Fraction:
        """Every chance is protected at some epsilon."""
        return Fraction(0)

    def delta_at(self, epsilon: Number) -> Fraction:
        """The delta that is left at an epsilon."""
        epsilon = nonnegative(epsilon, "epsilon")
        if self.mu_squared == 0:
            return Fraction(0)
        above = normal_cdf(self.mu / 2 - epsilon / self.mu)
        if epsilon > LARGEST_EPSILON:
            return round_up(above.high)
        below = exp(epsilon) * normal_cdf(-self.mu / 2 - epsilon / self.mu)
        return min(Fraction(1), round_up((above - below).high))

    def epsilon_at(self, delta: Number) -> Fraction:
        """The epsilon that suffices at a delta: sought by floats, then proved by enclosures."""
        delta = small_probability(delta, "delta")
        if self.mu_squared == 0 or (delta > 0 and self.delta_at(0) <= delta):
            return Fraction(0)
        if delta == 0:
            raise InvalidArgumentError("delta", delta, "must be above 0: normals have tails")
        if self.mu_squared > LARGEST_MU_SQUARED:
            return ConcentratedLoss(self.mu_squared / 2).epsilon_at(delta)
        guess = Fraction(
            _float_epsilon(max(LEAST_MU, math.sqrt(self.mu_squared)), float_log(delta))
        )
        return round_up(proved(guess, lambda epsilon: self.delta_at(epsilon) <= delta))

    def __add__(self, other: "GaussianLoss") -> "GaussianLoss":
        """The squares of mu add, also adaptively.

        Reference: Dong, Roth, Su 2019 (1905.02383v3), corollary 2; adaptive choice of mu:
        Smith, Thakurta 2022 (2210.17520).
        """
        if not isinstance(other, GaussianLoss):
            return NotImplemented
        return GaussianLoss(short_up(self.mu_squared + other.mu_squared))

    def __or__(self, other: "GaussianLoss") -> "GaussianLoss":
        return GaussianLoss(max(self.mu_squared, other.mu_squared))

    def within(self, budget: "GaussianLoss") -> bool:
        """Whether mu does not pass the budget's."""
        return self.mu_squared <= budget.mu_squared


def _float_epsilon(mu: float, log_delta: float) -> float:
    """The root of the theorem in floats, on a log scale; it need only be near."""

    def excess(epsilon: float) -> float:
        above = log_normal_cdf(mu / 2 - epsilon / mu)
        below = epsilon + log_normal_cdf(-mu / 2 - epsilon / mu)
        return above + math.log1p(-min(math.exp(below - above), 1 - 1e-16)) - log_delta

    if excess(0.0) <= 0:
        return 0.0
    high = mu * mu / 2 + mu
    while excess(high) > 0:
        high *= 2
    return root(excess, 0.0, high)
