"""A number drawn from noisy answers, with how far it may be off."""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.exact import float_down, odds_of_tail

__all__ = ["Estimate", "share_interval"]

SLACK = 1e-9
"""More than the relative error of odds that are sought by floats."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An unbiased estimate, the variance of the noise in it, and an interval at a confidence."""

    value: Fraction
    variance: Fraction
    low: Fraction
    high: Fraction
    confidence: Fraction


def share_interval(hits: int, trials: int, confidence: Fraction) -> tuple[Fraction, Fraction]:
    """An interval that holds a chance with the confidence, from how often it came up in trials.

    Theorem: an end is the chance at which what came up, or more (less), has half of the remaining
    probability; so each side misses at most that often, whatever the chance is.

    Reference: Clopper, Pearson 1934.

    >>> low, high = share_interval(5, 10, Fraction(95, 100))
    >>> round(float(low), 4), round(float(high), 4)
    (0.1871, 0.8129)
    """
    side = float_down((1 - confidence) / 2)
    low, high = Fraction(0), Fraction(1)
    if hits:
        odds = Fraction(odds_of_tail(hits, trials, side) * (1 - SLACK))
        low = odds / (1 + odds)
    if hits < trials:
        odds = Fraction(odds_of_tail(trials - hits, trials, side) * (1 - SLACK))
        high = 1 / (1 + odds)
    return low, high
