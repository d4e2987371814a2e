"""The discrete Gaussian mechanism: noise on integers with the bell's probabilities."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from differential_privacy.accounting import NumericalLoss, discrete_gaussian_loss
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    float_log,
    integer,
    normal_cdf,
    normal_quantile,
    open_probability,
    pi,
    positive,
    proved,
    round_up,
    shown,
    sqrt,
)
from differential_privacy.mechanisms.integers import Integers, Noisy, add_noise
from differential_privacy.mechanisms.tails import least_covering, widest_within
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, Sensitivity
from differential_privacy.sampling import Bits, discrete_gaussian_of_variance

__all__ = ["DiscreteGaussian"]

NARROW = 1 << 24
"""Variances up to this have their tails summed term by term; wider ones lie between integrals."""

SUMMING = Fraction(1, 10**10)
"""Far above the relative error of a sum of positive floats."""

LARGEST_EPSILON = 1 << 13
FAR = 1 << 12
MOST_WAVES = 64
"""From this variance on the sum's waves are below 1e-500: there is no need to tell them apart."""

DEVIATIONS = 9
"""A term so many deviations after the first of a tail is less than 1e-17 of it."""


@dataclass(frozen=True, slots=True, repr=False)
class DiscreteGaussian:
    """Add discrete Gaussian noise to integers: z in proportion to e^(-z^2 / (2 variance)).

    Theorem: integers of L2 sensitivity s with noise of variance v have concentrated loss
    rho = s^2 / (2 v), as on the reals: shifting by an integer only permutes the terms of the sum.

    Reference: Canonne, Kamath, Steinke 2020 (2004.00010v5), theorem 4 and, for vectors, theorem 14.

    >>> DiscreteGaussian(variance=100).loss(Sensitivity(l1=1))
    ConcentratedLoss(rho=0.005)
    >>> DiscreteGaussian(variance=100).error(confidence=0.95)
    20
    """

    variance: Fraction

    def __init__(self, variance: Number) -> None:
        object.__setattr__(self, "variance", positive(variance, "variance"))

    def __repr__(self) -> str:
        return f"DiscreteGaussian(variance={shown(self.variance)})"

    @staticmethod
    def for_loss(loss: ConcentratedLoss, *, sensitivity: Sensitivity) -> "DiscreteGaussian":
        """The noise that has exactly this rho.

        >>> DiscreteGaussian.for_loss(ConcentratedLoss(0.005), sensitivity=Sensitivity(l1=1))
        DiscreteGaussian(variance=100)
        """
        moved = positive(sensitivity.need_l2_squared(), "sensitivity")
        return DiscreteGaussian(moved / (2 * positive(loss.rho, "rho")))

    @staticmethod
    def for_one_integer(loss: ApproximateLoss, *, sensitivity: int) -> "DiscreteGaussian":
        """The least noise that is enough for one integer, which its exact delta tells.

        The variance is found to nine digits, and proved enough; a vector needs `for_loss` with
        `concentrated_within`.

        >>> DiscreteGaussian.for_one_integer(ApproximateLoss(1, 1e-6), sensitivity=1)
        DiscreteGaussian(variance=17.8...)
        """
        step = integer(sensitivity, "sensitivity", least=1)
        positive(loss.epsilon, "epsilon")
        positive(loss.delta, "delta")

        def enough(variance: Fraction) -> bool:
            return DiscreteGaussian(variance).delta_at(loss.epsilon, sensitivity=step) <= loss.delta

        high = Fraction(step * step)
        while not enough(high):
            high *= 2
        low = high / 2
        while enough(low):
            low, high = low / 2, low
        while high - low > low / 10**9:
            middle = (low + high) / 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        # The delta of integers is not quite monotone in the variance, so the end is checked itself.
        return DiscreteGaussian(proved(round_up(high), enough))

    @staticmethod
    def for_error(error: Number, *, confidence: Number, count: int = 1) -> "DiscreteGaussian":
        """The most noise, so the least loss, of which none of `count` draws passes the error.

        >>> DiscreteGaussian.for_error(20, confidence=0.95).error(confidence=0.95)
        20
        """
        most = integer(error, "error", least=1)
        variance = widest_within(
            most,
            start=Fraction(most) ** 2,
            error=lambda v: DiscreteGaussian(v).error(confidence, count=count),
        )
        return DiscreteGaussian(variance)

    def loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        """The concentrated loss of a vector of integers."""
        return ConcentratedLoss(sensitivity.need_l2_squared() / (2 * self.variance))

    def delta_at(self, epsilon: Number, *, sensitivity: int) -> Fraction:
        """The delta of one integer that one unit moves by at most `sensitivity`: exact, rounded up.

        Theorem: with t = epsilon v / s, it is P(z > t - s/2) - e^epsilon P(z > t + s/2).

        Reference: Canonne, Kamath, Steinke 2020 (2004.00010v5), theorem 7.
        """
        step = integer(sensitivity, "sensitivity", least=1)
        target = positive(epsilon, "epsilon")
        turn = target * self.variance / step
        above = self._above(math.floor(turn - Fraction(step, 2)) + 1)
        below = self._above(math.floor(turn + Fraction(step, 2)) + 1)
        if target > LARGEST_EPSILON:
            return round_up(above.high)
        return max(Fraction(0), round_up((above - exp(target) * below).high))

    def numerical_loss(self, sensitivity: int) -> NumericalLoss:
        """The distribution of the loss of one integer: tighter than `loss` for many together."""
        return discrete_gaussian_loss(self.variance, sensitivity)

    def release(self, exact: Integers, *, bits: Bits | None = None) -> Noisy:
        """The private integers, each plus noise of its own."""
        return add_noise(
            exact, lambda shape: discrete_gaussian_of_variance(self.variance, shape, bits=bits)
        )

    def probability(self, noisy: int, *, exact: int) -> Interval:
        """The chance of a noisy integer, given the exact one."""
        return exp(-Fraction((noisy - exact) ** 2) / (2 * self.variance)) / _normalizer(
            self.variance
        )

    def tail(self, error: int) -> Interval:
        """The chance that noise is farther from zero than `error`."""
        return 2 * self._above(error + 1) if error >= 0 else Interval.of(1)

    def error(self, confidence: Number, *, count: int = 1) -> int:
        """The least t such that all of `count` draws are within t, with this confidence: exact."""
        miss = (1 - open_probability(confidence, "confidence")) / integer(count, "count", least=1)
        guess = self.place_above(float_log(miss / 2)) - 1
        return least_covering(confidence, count, tail=self.tail, guess=guess)

    def place_above(self, log_chance: float) -> int:
        """Near the least number that noise reaches with at most this chance, of one half at most.

        Theorem: by Euler and Maclaurin the sum from m on is about the integral from m - 1/2, and
        less by a 24th of the slope there. It only seeks, and what it finds is proved otherwise.
        """
        far, deviation = Fraction(-normal_quantile(log_chance)), sqrt(self.variance).high
        return max(1, math.ceil(far * deviation - far / (24 * deviation) + Fraction(1, 2)))

    def bound(self, confidence: Number, *, count: int = 1) -> Fraction:
        """The error on the reals, by the union bound: sigma F^-1(1 - (1 - confidence)/(2 count)).

        Theorem: no draw passes this, raised to a whole number, with this confidence. Each term of a
        tail is below the integral over the step before it, and all terms sum to no less than the
        whole integral; so P(z > t) is at most the normal's, for whole t.

        >>> float(DiscreteGaussian(variance=1).bound(confidence=0.95))
        1.95996398455
        """
        miss = (1 - open_probability(confidence, "confidence")) / (
            2 * integer(count, "count", least=1)
        )
        guess = Fraction(-normal_quantile(float_log(miss))) + Fraction(1, 10**13)
        deviations = proved(guess, lambda far: normal_cdf(-far).high <= miss)
        return round_up((sqrt(self.variance) * deviations).high)

    def _above(self, first: int) -> Interval:
        """The chance of noise of at least `first`."""
        if first <= 0:
            return 1 - self._above(1 - first)
        if first**2 > 2 * self.variance * FAR:
            # A discrete Gaussian passes m with chance e^(-m^2 / (2 v)) at most.
            return Interval(Fraction(0), exp(-Fraction(first**2) / (2 * self.variance)).high)
        if self.variance < 1:
            return _sum_from(first, self.variance) / _normalizer(self.variance)
        if self.variance <= NARROW:
            length = math.ceil(DEVIATIONS * math.sqrt(self.variance)) + 2
            later = np.arange(length, dtype=np.float64)
            terms = np.exp(-later * (later + 2 * first) / (2 * float(self.variance)))
            total = Fraction(float(terms.sum()))
            shares = Interval(total * (1 - SUMMING), total * (1 + SUMMING))
            return (
                shares * exp(-Fraction(first**2) / (2 * self.variance)) / _normalizer(self.variance)
            )
        # Where the bell is convex, steps lie between the trapezoids and the midpoints; elsewhere
        # they lie between the integrals before and after them, because it falls.
        deviation = sqrt(self.variance)
        if first - 1 > deviation.high:
            least = normal_cdf(-first / deviation) + self.probability(first, exact=0) / 2
            most = normal_cdf((Fraction(1, 2) - first) / deviation)
            return Interval(least.low * (1 - SUMMING), most.high)
        least, most = normal_cdf(-first / deviation), normal_cdf((1 - first) / deviation)
        return Interval(least.low * (1 - SUMMING), most.high)


@lru_cache(maxsize=256)
def _normalizer(variance: Fraction) -> Interval:
    """The sum of e^(-z^2 / (2 v)) over all integers.

    Theorem: by Poisson's summation it is sqrt(2 pi v) (1 + 2 sum over k of e^(-2 pi^2 v k^2)).
    """
    if variance < 1:
        return 1 + 2 * _sum_from(1, variance)
    wave = exp(-2 * pi() * pi() * min(variance, Fraction(MOST_WAVES)))
    least = wave.low if variance <= MOST_WAVES else Fraction(0)
    waves = Interval(1 + 2 * least, 1 + 2 * wave.high + 3 * wave.high**4)
    return sqrt(2 * pi() * variance) * waves


def _sum_from(first: int, variance: Fraction) -> Interval:
    """The sum of e^(-z^2 / (2 v)) from a positive z on, for v below 1, where it falls fast."""
    total, place = Interval.of(0), first
    while True:
        term = exp(-Fraction(place**2) / (2 * variance))
        total, place = total + term, place + 1
        # Each further term is less than half of the one before.
        if term.high <= total.high / (1 << 140) or term.low == 0:
            return Interval(total.low, total.high + term.high)
