"""What anonymity adds to local privacy: the loss of messages that were shuffled first."""

import math
from fractions import Fraction

import numpy as np

from differential_privacy.accounting.binomial import binomial_masses
from differential_privacy.exact import (
    Number,
    binomial_mass,
    binomial_tail,
    float_down,
    float_log,
    integer,
    open_probability,
    proved,
    root,
    round_up,
)
from differential_privacy.privacy import ApproximateLoss, PureLoss

__all__ = ["shuffled"]

REACH = 12.0
"""Standard deviations of the number of clones that are summed over; the rest is charged."""

LEAST_EPSILON = 1e-9
"""Below this there is nothing worth hiding among clones, and floats could not tell."""

LARGEST_EPSILON = 500.0
"""Above this nobody's message is ever a clone."""

TINY = 1e-300
"""In the place of zero where a logarithm is sought."""

BEYOND = 1e-15
"""Above the error of the chance to lie outside of the reach."""

SUMMING = 2.0**-31
"""Above the relative error of binomial masses and tails, for as many trials as there are people."""

BLOCKS = 2000
"""Numbers of clones that are told apart at most."""

MOST_PEOPLE = 10**10
"""More people only hide better; so many are enough to compute with."""


def shuffled(local: PureLoss, *, people: int, delta: Number) -> ApproximateLoss:
    """The loss of the shuffled messages of so many people, each private by itself.

    Neighbors differ in what one person's message was made from.

    Theorem: any message hides among clones. With C ~ Bin(people - 1, e^-epsilon) of them,
    A ~ Bin(C, 1/2) and D ~ Bern(e^epsilon / (1 + e^epsilon)), no release can be told apart better
    than (A + D, C - A + 1 - D) from (A + 1 - D, C - A + D). For each C the likelihood ratio grows
    with the first number, so the hockey stick is a sum of binomial tails.

    Reference: Feldman, McMillan, Talwar 2021 (2012.12803v3), theorem 3.2.

    >>> shuffled(PureLoss(1), people=10_000, delta=1e-6)
    ApproximateLoss(epsilon=0.0...)
    """
    allowed = open_probability(delta, "delta")
    epsilon = float(local.epsilon)
    others = min(integer(people, "people", least=1), MOST_PEOPLE) - 1
    if not others or not LEAST_EPSILON < epsilon < LARGEST_EPSILON:
        return ApproximateLoss(local.epsilon, delta)
    clones = _Clones(epsilon, others)
    if clones.delta(epsilon) > allowed:
        return ApproximateLoss(local.epsilon, delta)
    if clones.delta(0.0) <= allowed:
        return ApproximateLoss(0, delta)
    wanted = float_log(allowed)
    found = root(lambda e: math.log(max(clones.delta(e), TINY)) - wanted, 0.0, epsilon)
    enough = proved(Fraction(found), lambda e: Fraction(clones.delta(float_down(e))) <= allowed)
    return ApproximateLoss(min(round_up(enough), local.epsilon), delta)


class _Clones:
    """The pair of the theorem, for all numbers of clones that are not too unlikely."""

    def __init__(self, epsilon: float, others: int) -> None:
        share = math.exp(-epsilon)
        middle, deviation = others * share, math.sqrt(others * share * (1 - share))
        first = max(0, math.floor(middle - REACH * deviation - REACH))
        last = min(others, math.ceil(middle + REACH * deviation + REACH))
        numbers = np.arange(first, last + 1, dtype=np.float64)
        log_miss = math.log(-math.expm1(-epsilon))
        chances = binomial_masses(numbers, others, log_hit=-epsilon, log_miss=log_miss)
        # Fewer clones hide less, so those of a block are taken for the fewest of it.
        starts = np.arange(0, len(numbers), -(-len(numbers) // BLOCKS))
        self.clones, self.chances = numbers[starts], np.add.reduceat(chances, starts)
        self.beyond = float(
            binomial_tail(np.array([last + 1.0]), others, share)[0]
            + max(0.0, 1 - binomial_tail(np.array([float(first)]), others, share)[0])
            + BEYOND
        )
        self.local = epsilon

    def delta(self, epsilon: float) -> float:
        """The hockey stick at epsilon, rounded up.

        With W the chance of the threshold or more among the clones and m that of one less, the two
        chances are W + truth m and W + lie m, so the stick is
        m truth (1 - e^(epsilon - local)) - W (e^epsilon - 1): no difference of near numbers. The
        thresholds beside the best are tried as well, lest rounding has missed it.
        """
        truth = 1 / (1 + math.exp(-self.local))
        gain, cost = -truth * math.expm1(epsilon - self.local), math.expm1(epsilon)
        turn = (truth - math.exp(-epsilon) * (1 - truth)) / math.tanh(self.local / 2)
        best = np.floor((self.clones + 1) * turn / (1 + math.exp(-epsilon))) + 1
        sticks, reach = [], binomial_tail(best + 1, self.clones, 0.5)
        for threshold in (best + 1, best, best - 1):
            less = binomial_mass(threshold - 1, self.clones, 0.5)
            won, paid = gain * less, cost * reach
            sticks.append(won - paid + SUMMING * (won + paid))
            reach = reach + less
        return self.beyond + float(self.chances @ np.maximum(np.max(sticks, axis=0), 0.0))
