"""The exponential mechanism: choose one of many candidates, good ones far more often."""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.exact import (
    Interval,
    Number,
    boolean,
    exp,
    integer,
    log,
    open_probability,
    positive,
    proved,
    round_up,
    shown,
)
from differential_privacy.mechanisms.selection import rate_for, score_array, selection_loss
from differential_privacy.privacy import ConcentratedLoss, PureLoss, Sensitivity
from differential_privacy.sampling import Bits, exponential_choice
from differential_privacy.sampling.choice import Scores

__all__ = ["Exponential"]


@dataclass(frozen=True, slots=True, repr=False)
class Exponential:
    """Choose candidate i with chance in proportion to e^(rate score_i), scores being integers.

    `monotonic` promises that one unit moves all scores in the same direction, as counts of added
    rows do; it halves the loss.

    Theorem: when one unit moves each score by at most s, each weight and their sum move by at most
    a factor e^(rate s), so the pure loss is 2 rate s; when all move one way it is rate s. The log
    ratios of all candidates lie in one range of the width epsilon, so rho is epsilon^2 / 8.

    Reference: McSherry, Talwar 2007, theorem 6; bounded range: Durfee, Rogers 2019; rho: Cesar,
    Rogers 2020 (2004.07223), lemma 3.4.

    >>> Exponential(rate="1/20").loss(Sensitivity(most=1))
    PureLoss(epsilon=0.1)
    """

    rate: Fraction
    monotonic: bool

    def __init__(self, rate: Number, *, monotonic: bool = False) -> None:
        object.__setattr__(self, "rate", positive(rate, "rate"))
        object.__setattr__(self, "monotonic", boolean(monotonic, "monotonic"))

    def __repr__(self) -> str:
        return f"Exponential(rate={shown(self.rate)}, monotonic={self.monotonic})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, sensitivity: Sensitivity, monotonic: bool = False
    ) -> "Exponential":
        """The choice of exactly this loss.

        >>> Exponential.for_loss(PureLoss(0.1), sensitivity=Sensitivity(most=1))
        Exponential(rate=0.05, monotonic=False)
        """
        rate = rate_for(loss, sensitivity, monotonic=monotonic)
        return Exponential(rate, monotonic=monotonic)

    @staticmethod
    def for_error(error: Number, *, confidence: Number, candidates: int) -> "Exponential":
        """The least rate, so the least loss, at which the error is kept with the confidence."""
        most = positive(error, "error")
        choices = integer(candidates, "candidates", least=2)
        guess = round_up(Exponential(1).error(confidence, candidates=choices) / most)
        return Exponential(
            proved(guess, lambda r: Exponential(r).error(confidence, candidates=choices) <= most)
        )

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss, from the farthest that one unit moves any score."""
        return selection_loss(self.rate, sensitivity, monotonic=self.monotonic)

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

    def bound(self, confidence: Number, *, candidates: int) -> Fraction:
        """What lecture notes bound it by: (ln candidates - ln(1 - confidence)) / rate.

        >>> float(Exponential(rate="0.05").bound(0.95, candidates=100))
        152.01804919...
        """
        miss = 1 - open_probability(confidence, "confidence")
        return round_up((log(integer(candidates, "candidates", least=1) / miss) / self.rate).high)
