"""Report noisy max: add noise to every score, and tell only which is largest."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from differential_privacy.exact import (
    Interval,
    Number,
    boolean,
    exp,
    float_down,
    integer,
    log,
    open_probability,
    positive,
    round_up,
    shown,
)
from differential_privacy.mechanisms.geometric import Geometric
from differential_privacy.mechanisms.integers import add_noise
from differential_privacy.mechanisms.noise_steps import SUMMING, NoiseSteps
from differential_privacy.mechanisms.selection import rate_for, score_array, selection_loss
from differential_privacy.mechanisms.tails import least_whole
from differential_privacy.privacy import PureLoss, Sensitivity
from differential_privacy.sampling import Bits, discrete_laplace
from differential_privacy.sampling.choice import Scores

__all__ = ["ReportNoisyMax"]

BEYOND = 80
"""Noise beyond so many scales has a chance below 1e-34."""


@dataclass(frozen=True, slots=True, repr=False)
class ReportNoisyMax:
    """The index of the largest integer score after discrete Laplace noise; of equals, the first.

    Theorem: fix the noise of the others. If i wins from some noise on, then for a neighbor, whose
    scores moved by at most s, i wins from at most 2 s more on (s more when all move one way), ties
    being settled by the same order; and noise of scale b passes a level raised by m with at least
    e^(-m/b) of the chance. So the pure loss is 2 s / b, or s / b.

    Reference: Dwork, Roth 2014, claim 3.9, with ties for integers.

    >>> ReportNoisyMax(scale=20).loss(Sensitivity(most=1))
    PureLoss(epsilon=0.1)
    """

    scale: Fraction
    monotonic: bool

    def __init__(self, scale: Number, *, monotonic: bool = False) -> None:
        object.__setattr__(self, "scale", positive(scale, "scale"))
        object.__setattr__(self, "monotonic", boolean(monotonic, "monotonic"))

    def __repr__(self) -> str:
        return f"ReportNoisyMax(scale={shown(self.scale)}, monotonic={self.monotonic})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, sensitivity: Sensitivity, monotonic: bool = False
    ) -> "ReportNoisyMax":
        """The choice of exactly this loss."""
        rate = rate_for(loss, sensitivity, monotonic=monotonic)
        return ReportNoisyMax(1 / rate, monotonic=monotonic)

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss, from the farthest that one unit moves any score."""
        return selection_loss(1 / self.scale, sensitivity, monotonic=self.monotonic)

    def release(self, exact: Scores, *, bits: Bits | None = None) -> int:
        """The index of the largest noisy score; the noisy scores themselves stay private."""
        scores = score_array(exact)
        noisy = add_noise(scores, lambda shape: discrete_laplace(self.scale, shape, bits=bits))
        return int(np.argmax(noisy))

    def probability(self, noisy: int, *, exact: Scores) -> Interval:
        """The chance of a candidate, given all scores: a sum over its own noise."""
        scores = [int(score) for score in exact]
        far = math.ceil(BEYOND * self.scale)
        law, total = Geometric(self.scale), Interval.of(0)
        for z in range(-far, far + 1):
            chance = law.probability(z, exact=0)
            for place, score in enumerate(scores):
                if place != noisy:
                    # An earlier candidate wins a tie, so it must stay strictly below.
                    most = scores[noisy] + z - score - (1 if place < noisy else 0)
                    chance = chance * self._at_most(most)
            total = total + Interval(chance.low, chance.high)
        return Interval(total.low, total.high + law.tail(far).high)

    def error(self, confidence: Number, *, candidates: int) -> int:
        """How far below the best the chosen score can be, with this confidence, at worst.

        Theorem: the worst case is all others equally far below, and before it, so that they win
        ties. One of them wins over the noise z of the best when its own noise is z plus the gap or
        more: a sum over z. It is exact up to a scale of 1000, and taken in steps of a thousandth of
        the scale beyond; a miss below 1e-20 is left to the bound.

        >>> ReportNoisyMax(scale=3).error("0.95", candidates=2)
        10
        """
        others = integer(candidates, "candidates", least=1) - 1
        miss = float_down(1 - open_probability(confidence, "confidence"))
        guess = math.ceil(self.bound(confidence, candidates=candidates))
        if not NoiseSteps.fit(self.scale, miss):
            return guess
        noise = NoiseSteps(self.scale)

        def kept(gap: int) -> bool:
            other_wins = -np.expm1(others * noise.none(noise.at_least(noise.firsts + gap + 1)))
            return float(noise.chances @ other_wins) * (1 + SUMMING) <= miss

        return least_whole(kept, guess=guess)

    def bound(self, confidence: Number, *, candidates: int) -> Fraction:
        """The same by the union bound on all noises: 2 scale ln(candidates / (1 - confidence))."""
        miss = 1 - open_probability(confidence, "confidence")
        logarithm = log(integer(candidates, "candidates", least=1) / miss)
        return round_up((2 * self.scale * logarithm).high)

    def _at_most(self, most: int) -> Interval:
        """The chance that noise is at most this."""
        ratio = exp(-1 / self.scale)
        if most < 0:
            return exp(most / self.scale) / (1 + ratio)
        return 1 - exp(-(most + 1) / self.scale) / (1 + ratio)
