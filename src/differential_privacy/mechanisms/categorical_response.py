"""Randomized response with more than two answers: the truth, or any other answer alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    integer,
    log,
    open_probability,
    proved,
    round_up,
    shown,
)
from differential_privacy.mechanisms.estimate import Estimate, share_interval
from differential_privacy.mechanisms.integers import Integers, Noisy, clamped
from differential_privacy.privacy import PureLoss, Sensitivity
from differential_privacy.sampling import Bits, bernoulli, uniform

__all__ = ["CategoricalResponse"]

MOST_CATEGORIES = 1 << 61


@dataclass(frozen=True, slots=True, repr=False)
class CategoricalResponse:
    """Answer one of the categories 0 ... d-1: the truth with chance `truth`, else any other.

    Theorem: the answer of one person has pure loss |ln(truth (d - 1) / (1 - truth))|, the log ratio
    of telling the truth and of naming one other category.

    Reference: Kairouz, Oh, Viswanath 2014 (1407.1338v4), section 4.2.

    >>> dice = CategoricalResponse(categories=6, truth="1/2")
    >>> dice.loss(Sensitivity(l1=1))
    PureLoss(epsilon=1.60943791244)
    """

    categories: int
    truth: Fraction

    def __init__(self, categories: int, truth: Number) -> None:
        object.__setattr__(self, "categories", integer(categories, "categories", least=2))
        if self.categories > MOST_CATEGORIES:
            raise InvalidArgumentError("categories", categories, "must be at most 2**61")
        object.__setattr__(self, "truth", open_probability(truth, "truth"))

    def __repr__(self) -> str:
        return f"CategoricalResponse(categories={self.categories}, truth={shown(self.truth)})"

    @staticmethod
    def for_loss(loss: PureLoss, *, categories: int) -> "CategoricalResponse":
        """The most truth of this loss: e^epsilon / (e^epsilon + d - 1), rounded down.

        >>> CategoricalResponse.for_loss(PureLoss(1), categories=3)
        CategoricalResponse(categories=3, truth=0.57611688...)
        """
        others = integer(categories, "categories", least=2) - 1
        if loss.epsilon == 0:
            return CategoricalResponse(categories, Fraction(1, others + 1))
        odds, uniform_lie = others * exp(-loss.epsilon), Fraction(others, others + 1)
        lie = proved(
            min(uniform_lie, round_up((odds / (1 + odds)).high)),
            lambda p: (
                p >= uniform_lie
                or CategoricalResponse(categories, 1 - p).loss(Sensitivity(1)).within(loss)
            ),
        )
        return CategoricalResponse(categories, 1 - min(lie, uniform_lie))

    @property
    def each_lie(self) -> Fraction:
        """The chance to name one given category that is not the truth."""
        return (1 - self.truth) / (self.categories - 1)

    @property
    def factor(self) -> Fraction:
        """The most that another truth multiplies the chance of an answer by, exactly."""
        return max(self.truth / self.each_lie, self.each_lie / self.truth)

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss of as many answers as one unit can change: `l1` counts them."""
        return PureLoss(round_up((sensitivity.need_l1() * log(self.factor)).high))

    def release(self, exact: Integers, *, bits: Bits | None = None) -> Noisy:
        """The private categories, some replaced; an integer that is none counts as the nearest."""
        truth = clamped(exact, 0, self.categories - 1)
        honest = np.asarray(bernoulli(self.truth, truth.shape, bits=bits))
        lie = np.asarray(uniform(self.categories - 1, truth.shape, bits=bits), dtype=np.int64)
        answers = np.where(honest, truth, (truth + lie + 1) % self.categories).astype(np.int64)
        return answers if answers.ndim else int(answers)

    def probability(self, noisy: Integers, *, exact: Integers) -> Interval:
        """The chance of these answers, given the true categories: exact."""
        chance = Fraction(1)
        told = np.ravel(clamped(exact, 0, self.categories - 1))
        for answer, truth in zip(np.ravel(noisy), told, strict=True):
            possible = 0 <= answer < self.categories
            chance *= (self.truth if answer == truth else self.each_lie) if possible else 0
        return Interval.of(chance)

    def estimate(self, counts: Sequence[int], *, confidence: Number = "0.95") -> list[Estimate]:
        """The true share of each category, from how often each was answered.

        Theorem: an answer is c with chance f + (truth - f) m, with m the true share of c and f the
        chance of each lie, so (count / n - f) / (truth - f) is unbiased.
        """
        told = [integer(count, "counts", least=0) for count in counts]
        if len(told) != self.categories or sum(told) == 0:
            rule = f"must be {self.categories} numbers, not all zero"
            raise InvalidArgumentError("counts", told, rule)
        slope = self.truth - self.each_lie
        if slope == 0:
            rule = "must not be 1 / categories: such answers tell nothing"
            raise InvalidArgumentError("truth", self.truth, rule)
        sure, total = open_probability(confidence, "confidence"), sum(told)
        return [self._estimate(count, total, sure, slope) for count in told]

    def _estimate(self, count: int, total: int, sure: Fraction, slope: Fraction) -> Estimate:
        share = Fraction(count, total)
        # Whatever the truth is, an answer comes with a chance between these.
        least, most = sorted((self.each_lie, self.truth))
        likely = min(most, max(least, share))
        ends = [(end - self.each_lie) / slope for end in share_interval(count, total, sure)]
        return Estimate(
            value=(share - self.each_lie) / slope,
            variance=likely * (1 - likely) / (total * slope**2),
            low=max(Fraction(0), min(Fraction(1), *ends)),
            high=min(Fraction(1), max(Fraction(0), *ends)),
            confidence=sure,
        )
