"""The exponential mechanism: choose one of many candidates, good ones far more often."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    integer,
    log,
    open_probability,
    round_up,
)
from differential_privacy.mechanisms.selection import Selection, score_array
from differential_privacy.privacy import ConcentratedLoss, Sensitivity
from differential_privacy.sampling import Bits, exponential_choice
from differential_privacy.sampling.choice import Scores

__all__ = ["Exponential"]


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Exponential(Selection):
    """Choose candidate i with chance in proportion to e^(rate score_i), scores being integers.

    Theorem: when one unit moves each score by at most s, each weight and their sum move by at most
    a factor e^(rate s), so the pure loss is 2 rate s; when all move one way it is rate s. The log
    ratios of all candidates lie in one range of the width epsilon, so rho is epsilon^2 / 8.

    Reference: McSherry, Talwar 2007, theorem 6; bounded range: Durfee, Rogers 2019; rho: Cesar,
    Rogers 2020 (2004.07223), lemma 3.4.

    >>> Exponential(rate="1/20").loss(Sensitivity(most=1))
    PureLoss(epsilon=0.1)
    """

    def concentrated_loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        """The concentrated loss, a quarter of what a pure loss alone would give."""
        return ConcentratedLoss(self.loss(sensitivity).epsilon ** 2 / 8)

    def release(self, exact: Scores, *, bits: Bits | None = None) -> int:
        """The index of the candidate chosen by its private score."""
        return exponential_choice(score_array(exact), self.rate, bits=bits)

    def probability(self, noisy: int, *, exact: Scores) -> Interval:
        """The chance of a candidate, given all scores."""
        scores = [int(score) for score in exact]
        weights = [exp(self.rate * (score - max(scores))) for score in scores]
        return weights[noisy] / sum(weights, start=Interval.of(0))

    def error(self, confidence: Number, *, candidates: int) -> Fraction:
        """How far below the best the chosen score can be, with this confidence, at worst: exact.

        Theorem: the worst case is one best candidate and all others exactly this far below, who
        together have the chance (k - 1) w / (1 + (k - 1) w) with w = e^(-rate error).

        >>> float(Exponential(rate="0.05").error(0.95, candidates=100))
        150.791...
        """
        others = integer(candidates, "candidates", least=1) - 1
        sure = open_probability(confidence, "confidence")
        odds = others * sure / (1 - sure)
        return round_up((log(odds) / self.rate).high) if odds > 1 else Fraction(0)
