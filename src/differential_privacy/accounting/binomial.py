"""Binomial probabilities in floats, none too small."""

import math

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import log_factorial

__all__ = ["binomial_masses"]

Floats = NDArray[np.float64]


def binomial_masses(hits: Floats, trials: int, *, log_hit: float, log_miss: float) -> Floats:
    """The chance of each number of hits among so many trials, raised by more than floats can lose.

    Each logarithm is a sum of a few floats below n ln n and n times the rates, each right to a few
    units in its last place; so the masses are raised by 2^-48 times that size.

    >>> half = -math.log(2)
    >>> binomial_masses(np.array([0.0, 1.0]), 2, log_hit=half, log_miss=half).round(9)
    array([0.25, 0.5 ])
    """
    misses = trials - hits
    logarithm = (
        log_factorial(trials)
        - log_factorial(hits)
        - log_factorial(misses)
        + hits * log_hit
        + misses * log_miss
    )
    size = (trials + 1) * (math.log(trials + 1) + abs(log_hit) + abs(log_miss) + 1)
    return np.asarray(np.exp(np.minimum(logarithm + 2.0**-48 * size, 0.0)), dtype=np.float64)
