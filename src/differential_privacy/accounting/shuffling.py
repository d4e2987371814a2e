"""What anonymity adds to local privacy: the loss of messages that were shuffled first."""

import math
from fractions import Fraction

import numpy as np
from scipy.special import bdtr, bdtrc

from differential_privacy.accounting.binomial import binomial_masses
from differential_privacy.exact import Number, float_log, integer, open_probability, root, round_up
from differential_privacy.privacy import ApproximateLoss, PureLoss

__all__ = ["shuffled"]

REACH = 12.0
"""Standard deviations of the number of clones that are summed over; the rest is charged."""

LEAST_EPSILON = 1e-9
"""Below this there is nothing worth hiding among clones, and floats could not tell."""

LARGEST_EPSILON = 500.0
"""Above this nobody's message is ever a clone."""

TINY = 1e-300
SUMMING = 2.0**-36


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
    others = integer(people, "people", least=1) - 1
    if not others or not LEAST_EPSILON < epsilon < LARGEST_EPSILON:
        return ApproximateLoss(local.epsilon, delta)
    clones = _Clones(epsilon, others)
    if clones.delta(epsilon) > allowed:
        return ApproximateLoss(local.epsilon, delta)
    if clones.delta(0.0) <= allowed:
        return ApproximateLoss(0, delta)
    wanted = float_log(allowed)
    found = root(lambda e: math.log(max(clones.delta(e), TINY)) - wanted, 0.0, epsilon)
    step = found * 1e-12
    while Fraction(clones.delta(found)) > allowed:
        found, step = found + step, step * 2
    return ApproximateLoss(min(round_up(Fraction(found)), local.epsilon), delta)


class _Clones:
    """The pair of the theorem, for all numbers of clones that are not too unlikely."""

    def __init__(self, epsilon: float, others: int) -> None:
        share = math.exp(-epsilon)
        middle, deviation = others * share, math.sqrt(others * share * (1 - share))
        first = max(0, math.floor(middle - REACH * deviation - REACH))
        last = min(others, math.ceil(middle + REACH * deviation + REACH))
        self.clones = np.arange(first, last + 1)
        self.chances = binomial_masses(
            self.clones.astype(np.float64),
            others,
            log_hit=-epsilon,
            log_miss=math.log(-math.expm1(-epsilon)),
        )
        below = bdtr(first - 1, others, share) if first else 0.0
        self.beyond = float(below + (bdtrc(last, others, share) if last < others else 0.0))
        self.truth = 1 / (1 + math.exp(-epsilon))

    def delta(self, epsilon: float) -> float:
        """The hockey stick at epsilon, rounded up."""
        truth, lie, odds = self.truth, 1 - self.truth, math.exp(epsilon)
        turn = (truth * (odds + 1) - 1) / ((truth - lie) * (odds + 1))
        least = np.floor((self.clones + 1) * turn) + 1
        with_one = bdtrc(np.minimum(least - 2, self.clones), self.clones, 0.5)
        without = bdtrc(np.minimum(least - 1, self.clones), self.clones, 0.5)
        mine = truth * with_one + lie * without
        theirs = lie * with_one + truth * without
        stick = float(self.chances @ (mine - odds * theirs))
        return stick + self.beyond + SUMMING * float(self.chances @ mine)
