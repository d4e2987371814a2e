"""What the mechanisms that choose by score share: one candidate is told, and its score is not.

Theorem: let noise or odds make a candidate e^(rate d) times as likely when its score rises by d.
When one unit moves each score by at most s, all others can fall as the chosen one rises, so the
pure loss is 2 rate s; when all scores move in one direction it is rate s.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from differential_privacy.errors import PrivateArgumentError
from differential_privacy.exact import (
    Number,
    boolean,
    integer,
    log,
    open_probability,
    positive,
    proved,
    round_up,
    shown,
)
from differential_privacy.mechanisms.integers import Whole, whole_array
from differential_privacy.privacy import PureLoss, Sensitivity

__all__ = ["Selection", "rate_for", "score_array", "selection_loss"]


@dataclass(frozen=True, slots=True, repr=False)
class Selection(ABC):
    """A choice by weights e^(rate score), however it is made; abstract.

    `monotonic` promises that one unit moves all scores in the same direction, as counts of added
    rows do; it halves the loss.
    """

    rate: Fraction
    monotonic: bool

    def __init__(self, rate: Number, *, monotonic: bool = False) -> None:
        object.__setattr__(self, "rate", positive(rate, "rate"))
        object.__setattr__(self, "monotonic", boolean(monotonic, "monotonic"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={shown(self.rate)}, monotonic={self.monotonic})"

    @classmethod
    def for_loss(cls, loss: PureLoss, *, sensitivity: Sensitivity, monotonic: bool = False) -> Self:
        """The choice of exactly this loss.

        >>> Exponential.for_loss(PureLoss(0.1), sensitivity=Sensitivity(most=1))
        Exponential(rate=0.05, monotonic=False)
        """
        return cls(rate_for(loss, sensitivity, monotonic=monotonic), monotonic=monotonic)

    @classmethod
    def for_error(cls, error: Number, *, confidence: Number, candidates: int) -> Self:
        """The least rate, so the least loss, at which the error is kept with the confidence."""
        most = positive(error, "error")
        choices = integer(candidates, "candidates", least=2)
        guess = round_up(cls(1).error(confidence, candidates=choices) / most)
        return cls(proved(guess, lambda r: cls(r).error(confidence, candidates=choices) <= most))

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss, from the farthest that one unit moves any score."""
        return selection_loss(self.rate, sensitivity, monotonic=self.monotonic)

    @abstractmethod
    def error(self, confidence: Number, *, candidates: int) -> Fraction:
        """How far below the best the chosen score can be, with this confidence, at worst."""

    def bound(self, confidence: Number, *, candidates: int) -> Fraction:
        """What lecture notes bound the error by: (ln candidates - ln(1 - confidence)) / rate.

        >>> float(Exponential(rate="0.05").bound(0.95, candidates=100))
        152.018049191
        """
        miss = 1 - open_probability(confidence, "confidence")
        return round_up((log(integer(candidates, "candidates", least=1) / miss) / self.rate).high)


def selection_loss(rate: Fraction, sensitivity: Sensitivity, *, monotonic: bool) -> PureLoss:
    """The loss at a rate."""
    return PureLoss((1 if monotonic else 2) * rate * sensitivity.need_most())


def rate_for(loss: PureLoss, sensitivity: Sensitivity, *, monotonic: bool) -> Fraction:
    """The rate of exactly this loss."""
    moved = positive(sensitivity.need_most(), "sensitivity")
    return positive(loss.epsilon, "epsilon") / ((1 if monotonic else 2) * moved)


def score_array(exact: object) -> Whole:
    """Private scores: a row of at least one."""
    scores = whole_array(exact)
    if scores.ndim != 1 or not np.size(scores):
        raise PrivateArgumentError("exact", "must be one row of scores, for one candidate or more")
    return scores
