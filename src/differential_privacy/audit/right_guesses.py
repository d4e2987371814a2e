"""How many of many guesses can be right, by chance, under a guarantee: the laws of a one-run audit.

Rule 1: a chance is rounded up, and what is refuted by it down.

Each canary is put among the records or left out by a fair coin. Whoever sees the output alone
guesses so many coins, no more and no fewer, of canaries of their own choice. Let p_n be the chance
that n guesses are right. A canary that is drawn evenly among all m, together with the others, is
guessed right while n of the others are for a chance of (n + 1) p_(n+1) / m, and wrong for
(guesses - n) p_n / m; and the guarantee, of the flip of its coin, bounds the one by the other, for
every set of such n.
"""

import math

import numpy as np

from differential_privacy.exact import (
    binomial_tail,
    log_normal_cdf,
    normal_quantile,
)

__all__ = ["chance_of_right", "gaussian_refuted"]

MARGIN = 2.0**-20
"""Far above the relative error of a tail, far below what any number of guesses can tell."""

STEP_MARGIN = 2.0**-36
"""The same for one step of the recursion, in which only positive numbers are added."""


def chance_of_right(
    right: int, *, guesses: int, canaries: int, epsilon: float, delta: float
) -> float:
    """The largest chance of so many right guesses, or more, under an (epsilon, delta) guarantee.

    Theorem: let W be binomial: so many guesses, each right with odds e^epsilon, and let m be the
    canaries. Then the chance is at most f (1 + m delta (1 - f) / (v P[W = v])), for v right ones
    and f = P[W >= v]; and some mechanism reaches it, if it is not above 1.

    By the head of this file, the sum over n of ((n + 1) p_(n+1) - e^epsilon (guesses - n) p_n)+ is
    at most m delta. As (n + 1) P[W = n+1] = e^epsilon (guesses - n) P[W = n], a rise of the ratio
    u_n = p_n / P[W = n] at j, by d, takes d j P[W = j] of this. So u is a constant, plus rises that
    last, minus drops that last. What lasts from j on has a mass of P[W >= j] and a tail, from v on,
    of at least f times that; so drops do not help, and a rise helps by f P[W < j] for each j
    P[W = j] that it takes, most at j = v, as the binomial is log-concave; beyond v by less.

    Reference: Steinke, Nasr, Jagielski 2023 (2305.08846), theorem 5.2, of which it is the exact
    form. That has f + 2 m delta max over i of P[v - i <= W < v] / i, which is above this where the
    chance is small; where it is near 1 it is below what three canaries show.

    >>> round(chance_of_right(3, guesses=3, canaries=3, epsilon=0.0, delta=0.01), 6)
    0.13375
    """
    if right == 0:
        return 1.0
    sure, rest = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    hits, misses = np.array([float(right)]), np.array([guesses - right + 1.0])
    tail = float(binomial_tail(hits, guesses, sure)[0])
    left = float(binomial_tail(misses, guesses, rest)[0])
    # The mass itself may be too small for a float; what lies on the far side of it is not above it.
    if tail < left:
        leak = left * (1 + _beyond(guesses - right, right, math.exp(epsilon)))
    else:
        leak = tail * _beyond(right, guesses - right, math.exp(-epsilon))
    return min((tail + canaries * delta * leak / right) * (1 + MARGIN), 1.0)


def _beyond(fewer: int, more: int, odds: float) -> float:
    """All masses after one of a binomial, in units of it, which has so many yet to be turned."""
    steps = np.arange(fewer)
    return float(np.cumprod((fewer - steps) / (more + 1 + steps) * odds).sum())


def gaussian_refuted(mu: float, *, right: int, guesses: int, canaries: int, miss: float) -> bool:
    """Whether so many right guesses, or more, have a chance below the miss under a Gaussian loss.

    Theorem: under the trade-off of two normals mu apart, an event of chance x by one coin has at
    least G(x) = F(F^-1(x) - mu) by the other. Let P be the chance of i right ones or more, and D
    the mean of what they have beyond i, divided by the m canaries; P' and D' those of i + 1. Then
    D is D' + P' / m, and by the head of this file, for all n from i on together, (guesses - i) P
    / m - D is at least G(D + i P' / m). What P must be grows with P' and D', and if the chance is
    not below the miss these are at least the miss and 0 at first: where P must pass 1, it is below.

    Reference: Mahloujifar, Melis, Chaudhuri 2025 (2410.22235), algorithm 3, in sums of
    positive numbers alone.

    >>> numbers = {"guesses": 200, "canaries": 1000, "miss": 0.05}
    >>> [gaussian_refuted(0.5, right=right, **numbers) for right in (150, 170)]
    [False, True]
    """
    chance, beyond = miss, 0.0
    for count in range(right - 1, -1, -1):
        beyond += chance / canaries
        other = _other_side(beyond + count * chance / canaries, mu)
        reached = canaries * (other + beyond) / (guesses - count) * (1 - STEP_MARGIN)
        if reached <= chance:
            # From here on, each further step is met by what is already there.
            return False
        chance = reached
        if chance > 1:
            return True
    return False


def _other_side(chance: float, mu: float) -> float:
    """The least chance, by the other coin, of an event of this chance."""
    if chance >= 1:
        return 1.0
    near = chance < 1 / 2
    place = normal_quantile(math.log(chance) if near else math.log1p(-chance))
    return math.exp(log_normal_cdf((place if near else -place) - mu))
