"""A number drawn from noisy answers, with how far it may be off."""

from dataclasses import dataclass
from fractions import Fraction

from scipy.special import betainccinv, betaincinv

from differential_privacy.exact import float_down

__all__ = ["Estimate", "share_interval"]

SLACK = 1e-9
"""More than the relative error of a beta quantile in floats."""


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
    low = float(betaincinv(hits, trials - hits + 1, side)) * (1 - SLACK) if hits else 0.0
    high = 1.0
    if hits < trials:
        high = float(betainccinv(hits + 1, trials - hits, side)) * (1 + SLACK)
    return Fraction(low), min(Fraction(1), Fraction(high))
