"""Permute-and-flip: as private as the exponential mechanism, and never worse."""

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
    round_down,
    round_up,
)
from differential_privacy.mechanisms.selection import Selection, score_array
from differential_privacy.sampling import Bits, permute_and_flip
from differential_privacy.sampling.choice import Scores

__all__ = ["PermuteAndFlip"]

HALVINGS = 60


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class PermuteAndFlip(Selection):
    """Go through the candidates in random order; take one with chance e^(rate (score - best)).

    Theorem: with scores that one unit moves by at most s the pure loss is 2 rate s, or rate s when
    all move one way; the expected score is never below that of the exponential mechanism. It has
    no bounded range, so its rho is epsilon^2 / 2, not epsilon^2 / 8.

    Reference: McKenna, Sheldon 2020 (2010.12603v1), theorems 1 and 2.

    >>> PermuteAndFlip(rate="1/20").loss(Sensitivity(most=1))
    PureLoss(epsilon=0.1)
    """

    def release(self, exact: Scores, *, bits: Bits | None = None) -> int:
        """The index of the candidate chosen by its private score."""
        return permute_and_flip(score_array(exact), self.rate, bits=bits)

    def probability(self, noisy: int, *, exact: Scores) -> Interval:
        """The chance of a candidate, given all scores.

        Theorem: let each candidate arrive at a uniform time t; the chosen one had heads, and no
        other both heads and an earlier time. So its chance is p_i times the integral of the product
        of the others' (1 - t p_j) over t from 0 to 1.
        """
        scores = [int(score) for score in exact]
        heads = [exp(self.rate * (score - max(scores))) for score in scores]
        powers = [Interval.of(1)]
        for place, chance in enumerate(heads):
            if place != noisy:
                shifted = [Interval.of(0), *(power * -chance for power in powers)]
                powers = [a + b for a, b in zip([*powers, Interval.of(0)], shifted, strict=True)]
        integral = sum((c / (k + 1) for k, c in enumerate(powers)), start=Interval.of(0))
        return heads[noisy] * integral

    def error(self, confidence: Number, *, candidates: int) -> Fraction:
        """How far below the best the chosen score can be, with this confidence, at worst.

        Theorem: the worst case is one best candidate and k - 1 with heads of chance p, this far
        below; the best is chosen with chance (1 - (1 - p)^k) / (k p).

        >>> float(PermuteAndFlip(rate="0.05").error(0.95, candidates=100))
        137.277069045
        """
        k = integer(candidates, "candidates", least=1)
        sure = open_probability(confidence, "confidence")
        if k * sure <= 1:
            return Fraction(0)
        # Whatever p is, the best is chosen with chance 1 - (k - 1) p / 2 at least.
        low, high = min(Fraction(1), round_down(2 * (1 - sure) / (k - 1))), Fraction(1)
        for _ in range(HALVINGS):
            middle = round_down((low + high) / 2)
            none_else = exp(k * log(1 - middle)) if middle < 1 else Interval.of(0)
            best = (1 - none_else) / (k * middle)
            low, high = (middle, high) if best.low >= sure else (low, middle)
        return round_up((-log(low) / self.rate).high)
