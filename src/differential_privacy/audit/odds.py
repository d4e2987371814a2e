"""How much likelier an event is on one input than on another: bounds from counted draws.

Rule 1: every bound is rounded down.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import odds_of_tail

__all__ = ["Bound", "Tally", "by_ends", "by_pairs", "chance_interval"]

MARGIN = Fraction(1, 1 << 30)
"""Far above the relative error of the odds, far below what any number of draws can tell."""

BESIDE = Fraction(1, 16)
"""The share of the miss that is spent on what hardly matters."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many pairs of draws, one on each input, met the event.

    It is counted in the first draws, in the second, and in pairs that have it in one of them only.
    """

    trials: int = 0
    first: int = 0
    second: int = 0
    only_first: int = 0
    only_second: int = 0

    @staticmethod
    def of(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> "Tally":
        """The tally of these pairs.

        >>> Tally.of(np.array([True, True, False]), np.array([True, False, False]))
        Tally(trials=3, first=2, second=1, only_first=1, only_second=0)
        """
        ones, others, both = int(first.sum()), int(second.sum()), int((first & second).sum())
        return Tally(first.size, ones, others, ones - both, others - both)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.trials + other.trials,
            self.first + other.first,
            self.second + other.second,
            self.only_first + other.only_first,
            self.only_second + other.only_second,
        )

    def scaled(self, trials: int) -> "Tally":
        """What so many pairs of independent draws of these chances would show, about."""
        p, q = Fraction(self.first, self.trials), Fraction(self.second, self.trials)
        shares = (p, q, p * (1 - q), q * (1 - p))
        return Tally(trials, *(round(share * trials) for share in shares))


class Bound(Protocol):
    """A number that (p - delta) / q is not below, but for a chance of the miss at most.

    It depends on the tally; p and q are the chances of the event on the first and second input.
    """

    def __call__(self, tally: Tally, *, miss: Fraction, delta: Fraction) -> Fraction:
        """The bound of this tally: the larger the miss, the larger it is."""


def chance_interval(hits: int, trials: int, *, miss: Fraction) -> tuple[Fraction, Fraction]:
    """The interval of Clopper and Pearson: a chance is below it, or above it, for miss / 2 each.

    Theorem: were the chance below the low end, so many hits or more would have a chance below
    miss / 2, as that grows with the chance of a hit; so with the high end and fewer.

    >>> low, high = chance_interval(0, 100, miss=Fraction("0.1"))
    >>> low, float(high)
    (Fraction(0, 1), 0.02951...)
    """
    low = _odds(hits, trials, miss / 2)
    high = _odds(trials - hits, trials, miss / 2)
    return low / (1 + low), 1 / (1 + high)


def by_ends(tally: Tally, *, miss: Fraction, delta: Fraction) -> Fraction:
    """The bound from an interval for each chance: best for events that are not rare.

    Theorem: if p is at least p_low but for miss / 2, and q at most q_high but for miss / 2, then
    (p - delta) / q is at least (p_low - delta) / q_high but for the miss, by the union bound.

    Reference: Clopper, Pearson 1934.

    >>> float(by_ends(Tally(100, 60, 20, 48, 8), miss=Fraction("0.1"), delta=Fraction(0)))
    1.85...
    """
    low, _ = chance_interval(tally.first, tally.trials, miss=miss)
    _, high = chance_interval(tally.second, tally.trials, miss=miss)
    return max((low - delta) / high, Fraction(0))


def by_pairs(tally: Tally, *, miss: Fraction, delta: Fraction) -> Fraction:
    """The bound from pairs of draws that differ: best for rare events, and for no delta.

    Theorem: a pair has the event in its first draw only with chance p (1 - q), in its second only
    with chance q (1 - p). So of the pairs that have it in one, each has it in the first with odds
    r = p (1 - q) / (q (1 - p)), independently, and the end of Clopper and Pearson for one binomial
    bounds r. Then p / q = r / (1 + q (r - 1)) grows with r and falls with q, and so does it minus
    delta / q, where q is at least q_low; a sixteenth of the miss goes to the interval of q.

    Reference: McNemar 1947, Note on the sampling error of the difference between correlated
    proportions or percentages, whose pairs these are.

    >>> float(by_pairs(Tally(100, 60, 20, 48, 8), miss=Fraction("0.1"), delta=Fraction(0)))
    1.91...
    """
    pairs = tally.only_first + tally.only_second
    odds = _odds(tally.only_first, pairs, miss * (1 - BESIDE))
    if odds <= 1:
        return Fraction(0)
    low, high = chance_interval(tally.second, tally.trials, miss=miss * BESIDE)
    ratio = odds / (1 + high * (odds - 1))
    if delta == 0:
        return ratio
    return max(ratio - delta / low, Fraction(0)) if low else Fraction(0)


def _odds(hits: int, trials: int, tail: Fraction) -> Fraction:
    """The odds at which so many hits or more have this chance, or less."""
    if hits == 0:
        return Fraction(0)
    chance = min(float(tail) * (1 - 2**-40), 0.5)
    return Fraction(odds_of_tail(hits, trials, chance)) * (1 - MARGIN)
