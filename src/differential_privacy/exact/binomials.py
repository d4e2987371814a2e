"""Binomial masses and tails in floats, and the odds at which a tail is as large as wanted.

Rule 1: each says how far from the truth it may be; who needs more margin than that adds it.

Theorem: k hits or more among n, each of chance p and odds o = p / (1 - p), have the chance n p m,
with m the chance of k - 1 hits among n - 1, times the integral over r from 0 to 1 of
(1 - r)^(k-1) (1 + o r)^(n-k). For p up to k / (n + 1) this integrand is largest near r = 0, and its
logarithm is concave: where it is next to nothing it is cut off, and one rule of Gauss is right to
the last digits, whatever n is.

Reference: NIST Digital Library of Mathematical Functions 1.2, 8.17.1 and 8.17.5 at x (1 - r).
"""

import math
import sys
from functools import cache

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact.special import factorial_rest, normal_quantile

__all__ = ["binomial_mass", "binomial_tail", "odds_of_tail"]

Floats = NDArray[np.float64]

NODES = 32
CUT = 36.0
"""The integral ends where the integrand is below e^-36."""

NEAR = 0.2
POWERS = range(17, 1, -2)
"""So near to zero the logarithm's series of these odd powers is right to the last digit."""

STEPS = 200
CLOSE = 2.0**-42
LEAST_LOG_ODDS = math.log(sys.float_info.min)


def binomial_mass(hits: Floats, trials: Floats | float, share: float) -> Floats:
    """The chance of just so many hits, for whole numbers, when each is a hit with this chance.

    It is as near to the truth as `binomial_tail`.

    >>> binomial_mass(np.array([-1.0, 0.0, 1.0, 2.0]), 2.0, 0.5)
    array([0.  , 0.25, 0.5 , 0.25])
    """
    count = np.asarray(trials, dtype=np.float64)
    inside = np.clip(hits, 0.0, count)
    mass = np.exp(_log_mass(inside, count - inside, share, 1 - share))
    return np.asarray(np.where(hits == inside, mass, 0.0))


def binomial_tail(least: Floats, trials: Floats | float, share: float) -> Floats:
    """The chance of so many hits or more, for whole numbers, when each is a hit with this chance.

    It is right to a relative 2^-38, and 2^-46 sqrt(trials) more where the odds of the chance are
    not exact floats, as those of one half are; for up to 10^10 trials, above 1e-300.

    >>> binomial_tail(np.array([0.0, 1.0, 2.0, 3.0]), 2.0, 0.5)
    array([1.  , 0.75, 0.25, 0.  ])
    """
    count = np.asarray(trials, dtype=np.float64)
    some = np.maximum(count, 1.0)
    inside = np.clip(least, 1.0, some)
    # Above the mean the chance of fewer hits is the small one.
    many = share * (some + 1) > inside
    log_peak, width = _peak_and_width(
        np.where(many, some - inside, inside - 1),
        np.where(many, inside - 1, some - inside),
        np.where(many, (1 - share) / share, share / (1 - share)),
    )
    small = np.exp(log_peak) * width
    tail = np.where(many, 1 - small, small)
    return np.asarray(np.where(least < 1, 1.0, np.where(least > count, 0.0, tail)))


def odds_of_tail(least: int, trials: int, tail: float) -> float:
    """The odds of a hit at which `least` or more among the trials have this chance, up to one half.

    Theorem: as a function of the log odds the chance is a distribution function, of the log odds of
    a beta variate, whose density is log-concave; so its logarithm is concave. Hence one step of
    Newton's ends where it is too low at the most, and further ones never pass the root.

    It is right to a relative 2^-38, and 0 where it is less than any normal float.

    Reference: Bagnoli, Bergstrom 2005, Log-concave probability and its applications, theorem 1.

    >>> odds_of_tail(1, 1, 0.25)
    0.333...
    """
    if tail == 0:
        return 0.0
    hits, misses = np.array([least - 1.0]), np.array([float(trials - least)])
    # As if the log odds were normal: near the root where there are many trials.
    deviation = math.sqrt(1 / least + 1 / (trials - least + 1))
    log_odds = math.log(least) - math.log(trials - least + 1)
    log_odds = max(log_odds + deviation * normal_quantile(math.log(tail)), LEAST_LOG_ODDS)
    for _ in range(STEPS):
        odds = math.exp(log_odds)
        log_peak, width = (float(one[0]) for one in _peak_and_width(hits, misses, np.array([odds])))
        step = (log_peak + math.log(width) - math.log(tail)) * width * (1 + odds)
        if step >= 0 and log_odds <= LEAST_LOG_ODDS:
            return 0.0
        log_odds = max(log_odds - step, LEAST_LOG_ODDS)
        if abs(step) < CLOSE:
            break
    return math.exp(log_odds)


def _peak_and_width(hits: Floats, misses: Floats, odds: Floats) -> tuple[Floats, Floats]:
    """The logarithm of what comes before the integral of the theorem, and the integral."""
    share, rest = odds / (1 + odds), 1 / (1 + odds)
    log_peak = np.log((hits + misses + 1) * share) + _log_mass(hits, misses, share, rest)
    # What the two logarithms begin with is taken together, as it would cancel.
    slope = hits - misses * odds
    end = _end(hits, misses, odds, slope)
    nodes, weights = _gauss()
    places = end[:, None] * nodes
    rise = odds[:, None] * places
    fall = (
        slope[:, None] * places
        + hits[:, None] * _left_by_log(-places, ratio=1 - places)
        + misses[:, None] * _left_by_log(rise, ratio=1 + rise)
    )
    return log_peak, end * (np.exp(-fall) @ weights)


def _log_mass(hits: Floats, misses: Floats, share: Floats | float, rest: Floats | float) -> Floats:
    """The logarithm of a binomial mass: nothing large cancels in it, whatever the numbers are.

    Theorem: ln n! is n ln n - n and a small rest; the large parts of all three factorials and the
    powers of the chances make the two deviances, which are small where the mass is not.

    Reference: Loader 2000, Fast and accurate computation of binomial probabilities.
    """
    trials = hits + misses
    factorials = factorial_rest(trials) - factorial_rest(hits) - factorial_rest(misses)
    return factorials - _deviance(hits, trials * share) - _deviance(misses, trials * rest)


def _end(hits: Floats, misses: Floats, odds: Floats, slope: Floats) -> Floats:
    """A place beyond which the integrand is below e^-CUT, and not much farther than it must be.

    Theorem: the logarithm falls by at least d r + h r^2 / 2, with d its slope at 0 and h the hits,
    as -ln(1 - r) >= r + r^2 / 2. It falls by at least D z + m z^2 / (2 + 2 z) too, with z = o r,
    D = d / o and m the misses, as ln(1 + z) <= z - z^2 / (2 + 2 z). The first is near the truth for
    odds below one, the second above.
    """
    scale = np.maximum(odds, 1.0)
    linear, square = slope / scale, hits / 2
    square = np.where(odds < 1, square, np.maximum(linear + misses / 2, 0.0))
    linear = np.where(odds < 1, linear, linear - CUT)
    with np.errstate(divide="ignore"):
        reached = 2 * CUT / (linear + np.hypot(linear, 2 * np.sqrt(square * CUT)))
    return np.asarray(np.minimum(reached / scale, 1.0))


def _deviance(count: Floats, mean: Floats) -> Floats:
    """The number k ln(k / mean) + mean - k, right to a relative 2^-46 however near the two are."""
    some = np.maximum(count, 1.0)
    over = _left_by_log((mean - some) / some, ratio=mean / some)
    return np.asarray(np.where(count == 0, mean, some * over))


def _left_by_log(x: Floats, *, ratio: Floats) -> Floats:
    """The difference x - ln(1 + x), right to a relative 2^-47 also where x or 1 + x is near zero.

    Both x and the ratio 1 + x are given, each to its own last digit.

    Theorem: with w = x / (2 + x) it is w (x - 2 w^2 (1/3 + w^2 / 5 + w^4 / 7 ...)).
    """
    near = np.abs(x) < NEAR
    small = x if near.all() else np.where(near, x, 0.0)
    part = small / (2 + small)
    square = part * part
    series = np.zeros_like(square)
    for power in POWERS:
        series = series * square + 1 / power
    left = part * (small - 2 * square * series)
    if near.all():
        return np.asarray(left)
    with np.errstate(divide="ignore"):
        return np.where(near, left, x - np.log(ratio))


@cache
def _gauss() -> tuple[Floats, Floats]:
    """The places and weights of Gauss's rule on 0 to 1."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    return (places + 1) / 2, weights / 2
