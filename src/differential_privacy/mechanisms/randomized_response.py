"""Randomized response: each bit tells the truth or lies, by chances that everyone knows."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    integer,
    log,
    open_probability,
    positive,
    probability,
    proved,
    round_up,
    shown,
)
from differential_privacy.mechanisms.estimate import Estimate, share_interval
from differential_privacy.mechanisms.integers import Integers, Noisy, whole_array
from differential_privacy.privacy import PureLoss, Sensitivity
from differential_privacy.sampling import Bits, bernoulli

__all__ = ["RandomizedResponse"]


@dataclass(frozen=True, slots=True, repr=False)
class RandomizedResponse:
    """Turn each 0 into a 1 with chance p, and each 1 into a 0 with chance q, each bit by itself.

    Theorem: an answer of bits of which one unit can change d has pure loss d ln c, with c the
    largest of (1-p)/q, p/(1-q), q/(1-p) and (1-q)/p: each changed bit gives a factor of at most c.

    Reference: Warner 1965; Dwork, Roth 2014, section 3.2.

    >>> two_coins = RandomizedResponse("1/4", "1/4")
    >>> two_coins.loss(Sensitivity(l1=1))
    PureLoss(epsilon=1.09861228867)
    >>> two_coins.estimate(ones=560, answers=1000).value
    Fraction(31, 50)
    """

    p: Fraction
    q: Fraction

    def __init__(self, p: Number, q: Number) -> None:
        object.__setattr__(self, "p", open_probability(p, "p"))
        object.__setattr__(self, "q", open_probability(q, "q"))

    def __repr__(self) -> str:
        return f"RandomizedResponse({shown(self.p)}, {shown(self.q)})"

    @staticmethod
    def for_loss(loss: PureLoss, *, sensitivity: Sensitivity) -> "RandomizedResponse":
        """The fewest lies of this loss, the same for both bits: 1 / (1 + e^epsilon), rounded up.

        >>> RandomizedResponse.for_loss(PureLoss(1), sensitivity=Sensitivity(l1=1))
        RandomizedResponse(0.26894142137, 0.26894142137)
        """
        changed = positive(sensitivity.need_l1(), "sensitivity")
        truth = 1 / (1 + exp(-loss.epsilon / changed))
        lie = proved(
            round_up((exp(-loss.epsilon / changed) * truth).high),
            lambda p: RandomizedResponse(p, p).loss(sensitivity).within(loss),
        )
        return RandomizedResponse(lie, lie)

    @property
    def factor(self) -> Fraction:
        """The most that one changed bit multiplies a chance by, exactly: e^epsilon."""
        p, q = self.p, self.q
        return max((1 - p) / q, p / (1 - q), q / (1 - p), (1 - q) / p)

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss of bits of which one unit changes at most `l1`."""
        return PureLoss(round_up((sensitivity.need_l1() * log(self.factor)).high))

    def release(self, exact: Integers, *, bits: Bits | None = None) -> Noisy:
        """The private bits, some of them turned; any integer but 0 counts as 1."""
        truth = _bits(exact)
        zeros = np.asarray(bernoulli(self.p, truth.shape, bits=bits))
        ones = np.asarray(bernoulli(self.q, truth.shape, bits=bits))
        answers = np.where(truth == 1, ~ones, zeros).astype(np.int64)
        return answers if answers.ndim else int(answers)

    def probability(self, noisy: Integers, *, exact: Integers) -> Interval:
        """The chance of these answers, given the true bits: exact."""
        chance = Fraction(1)
        for answer, truth in zip(np.ravel(noisy), np.ravel(_bits(exact)), strict=True):
            turned = self.q if truth else self.p
            chance *= (1 - turned if answer == truth else turned) if answer in (0, 1) else 0
        return Interval.of(chance)

    def lies(self, count: int, *, ones: int, zeros: int) -> Fraction:
        """The chance that exactly so many bits are turned, given how many are one and zero."""
        return sum(
            (
                comb(ones, j)
                * self.q**j
                * (1 - self.q) ** (ones - j)
                * comb(zeros, count - j)
                * self.p ** (count - j)
                * (1 - self.p) ** (zeros - count + j)
                for j in range(max(0, count - zeros), min(ones, count) + 1)
            ),
            start=Fraction(0),
        )

    def lies_bound(self, count: int, *, bits: int) -> Fraction:
        """What lecture notes bound `lies` by: C(k, j) max(p, q)^j max(1-p, 1-q)^(k-j)."""
        more, less = max(self.p, self.q), max(1 - self.p, 1 - self.q)
        return comb(bits, count) * more**count * less ** (bits - count)

    def estimate(self, *, ones: int, answers: int, confidence: Number = "0.95") -> Estimate:
        """The share of true ones among those who answered, from how many answered one.

        Theorem: an answer is one with chance p + (1 - p - q) m, with m the true share, so
        (ones / n - p) / (1 - p - q) is unbiased; its variance as a sample of many is
        r (1 - r) / (n (1 - p - q)^2), with r the chance of a one. Where p = q the answers are more
        evenly split than the truth, so it is at least (1 - 2p)^-2 times that of truthful answers.
        """
        told = integer(answers, "answers", least=1)
        affirmed = integer(ones, "ones", least=0)
        if affirmed > told:
            raise InvalidArgumentError("ones", ones, "must not be above answers")
        slope = self._slope()
        # Whatever the truth is, an answer is one with a chance between these.
        least, most = sorted((self.p, 1 - self.q))
        likely = min(most, max(least, Fraction(affirmed, told)))
        sure = open_probability(confidence, "confidence")
        ends = [(end - self.p) / slope for end in share_interval(affirmed, told, sure)]
        return Estimate(
            value=(Fraction(affirmed, told) - self.p) / slope,
            variance=self.variance(likely, answers=told),
            low=max(Fraction(0), min(Fraction(1), *ends)),
            high=min(Fraction(1), max(Fraction(0), *ends)),
            confidence=sure,
        )

    def variance(self, share: Number, *, answers: int) -> Fraction:
        """The variance of the estimate when the answers are one with the chance `share`."""
        chance = probability(share, "share")
        return chance * (1 - chance) / (integer(answers, "answers", least=1) * self._slope() ** 2)

    def _slope(self) -> Fraction:
        slope = 1 - self.p - self.q
        if slope == 0:
            raise InvalidArgumentError("p", self.p, "must not be 1 - q: such answers tell nothing")
        return slope


def _bits(exact: Integers) -> NDArray[np.int64]:
    """Any integer but 0 counts as 1."""
    return np.asarray(whole_array(exact) != 0).astype(np.int64)
