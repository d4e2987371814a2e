"""Private quantiles: one whole number of a public range, near the asked rank of private values."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    integer,
    positive,
    probability,
    round_down,
    shown,
    sqrt,
)
from differential_privacy.mechanisms.exponential import Exponential
from differential_privacy.mechanisms.integers import Integers, Whole, clamped, whole_array
from differential_privacy.privacy import ConcentratedLoss, PureLoss, Sensitivity
from differential_privacy.sampling import Bits, exponential_choice, uniform

__all__ = ["PrivateQuantile"]

FARTHEST = 1 << 61
"""The ends of a range: the distance of any two candidates fits in 64 bits, with room to add one."""

FINEST = 10**18
"""The largest denominator of a quantile: more than all digits of a float."""

COARSE = 1 << 24
"""Scores of a hundred billion rows fit in 64 bits where a row is no more units than these."""

ROOM = float(1 << 61)

RULE = "must be two rows of whole numbers: values, and as many numbers of rows that have them"

Runs = tuple[NDArray[np.int64], NDArray[np.int64], Whole]


@dataclass(frozen=True, slots=True, repr=False)
class PrivateQuantile:
    """Choose a whole number c from low to high with chance in proportion to e^(-rate miss(c)).

    With n rows, the target is quantile n; c misses it by as many rows as it lies below the number
    of rows under c, or above the number of rows up to c. Some candidate misses nothing. An
    `offset` brings the target so many rows nearer to the median, never past it; `inside` says why.

    Theorem: let q be the quantile and m = max(q, 1 - q). One more row moves the target up by q, or
    with an offset by something from q to 1/2, and each number of rows by 0 or 1; so it moves each
    miss by at most m. By the theorem of `Exponential` k rows of one person have pure loss
    2 rate m k, and rho half the square of rate m k. Groups have choices of their own, so the
    losses of the groups add: by the rows in all of them, and by the sum of the squares of the rows
    in each.

    Reference: Smith 2011, Privacy-preserving statistical estimation with optimal convergence
    rates, algorithm 2, here with whole candidates and misses of rank.

    >>> median = PrivateQuantile(rate="1/10", low=0, high=10**6, quantile="1/2")
    >>> median.loss(Sensitivity(l1=1)), median.rank_error("0.95")
    (PureLoss(epsilon=0.1), 168)
    """

    rate: Fraction
    low: int
    high: int
    quantile: Fraction
    offset: int

    def __init__(
        self, rate: Number, *, low: int, high: int, quantile: Number, offset: int = 0
    ) -> None:
        object.__setattr__(self, "rate", positive(rate, "rate"))
        object.__setattr__(self, "low", integer(low, "low", least=-FARTHEST))
        object.__setattr__(self, "high", integer(high, "high", least=self.low))
        if self.high > FARTHEST:
            raise InvalidArgumentError("high", high, "must be at most 2**61")
        object.__setattr__(self, "quantile", probability(quantile, "quantile"))
        if self.quantile.denominator > FINEST:
            raise InvalidArgumentError("quantile", quantile, "must be a fraction of at most 10**18")
        object.__setattr__(self, "offset", integer(offset, "offset", least=0))

    def __repr__(self) -> str:
        asked = f"quantile={shown(self.quantile)}, offset={self.offset}"
        return f"PrivateQuantile({shown(self.rate)}, low={self.low}, high={self.high}, {asked})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, sensitivity: Sensitivity, low: int, high: int, quantile: Number
    ) -> "PrivateQuantile":
        """The choice of exactly this loss, for a unit that moves so many rows; see `loss`.

        >>> PrivateQuantile.for_loss(
        ...     PureLoss(0.1), sensitivity=Sensitivity(l1=1), low=0, high=9, quantile=1
        ... )
        PrivateQuantile(0.05, low=0, high=9, quantile=1, offset=0)
        """
        one = PrivateQuantile(1, low=low, high=high, quantile=quantile)
        spread = positive(one.loss(sensitivity).epsilon, "sensitivity")
        return replace(one, rate=positive(loss.epsilon, "epsilon") / spread)

    @staticmethod
    def for_concentrated_loss(
        loss: ConcentratedLoss, *, sensitivity: Sensitivity, low: int, high: int, quantile: Number
    ) -> "PrivateQuantile":
        """The choice of this rho, or of one that is less by the rounding of a root."""
        one = PrivateQuantile(1, low=low, high=high, quantile=quantile)
        spread = positive(one.concentrated_loss(sensitivity).rho, "sensitivity")
        return replace(one, rate=round_down(sqrt(positive(loss.rho, "rho") / spread).low))

    def inside(self, confidence: Number) -> "PrivateQuantile":
        """The minimum or maximum with a target so far inside that noise seldom takes it out.

        Theorem: no row is below a candidate that is below all values, so it misses all of the
        target, which is the offset in a group of twice as many rows. With the confidence no such
        candidate is chosen, for none misses by less than `Exponential.error`. In a smaller group
        the target is the median.

        >>> PrivateQuantile("1/10", low=0, high=10**6, quantile=0).inside("0.95")
        PrivateQuantile(0.1, low=0, high=1000000, quantile=0, offset=168)
        """
        if self.quantile not in {0, 1}:
            rule = "must be 0 or 1: only a minimum or a maximum has an outside"
            raise InvalidArgumentError("quantile", self.quantile, rule)
        return replace(self, offset=self._error(confidence))

    @property
    def candidates(self) -> int:
        """How many whole numbers there are to choose from."""
        return self.high - self.low + 1

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss of all groups, for a unit that moves so many rows, one number a group."""
        return PureLoss(2 * self.rate * self._moved * sensitivity.need_l1())

    def concentrated_loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        """The concentrated loss of all groups, for a unit that moves so many rows."""
        return ConcentratedLoss((self.rate * self._moved) ** 2 * sensitivity.need_l2_squared() / 2)

    def release(self, exact: tuple[Integers, Integers], *, bits: Bits | None = None) -> int:
        """A candidate for the private values and for how many rows there are of each.

        The values may come in any order; one that lies outside the range counts as its end.
        """
        firsts, lengths, scores = self._runs(exact)
        run = exponential_choice(scores, self._unit_rate, multiplicities=lengths, bits=bits)
        return int(firsts[run]) + uniform(int(lengths[run]), bits=bits)

    def probability(self, noisy: int, *, exact: tuple[Integers, Integers]) -> Interval:
        """The chance of a candidate, given the values and how many rows there are of each."""
        firsts, lengths, scores = self._runs(exact)
        here = np.flatnonzero((firsts <= noisy) & (noisy - firsts < lengths))
        if not here.size:
            return Interval.of(0)
        best = int(max(scores))
        weights = [exp(self._unit_rate * (int(score) - best)) for score in scores]
        total = sum(
            (weight * int(length) for weight, length in zip(weights, lengths, strict=True)),
            start=Interval.of(0),
        )
        return weights[int(here[0])] / total

    def rank_error(self, confidence: Number) -> int:
        """By how many rows the rank of one answer may miss the quantile, with this confidence.

        Theorem: the worst case of `Exponential` is one candidate at the target and all others
        equally far from it; the target itself is at most the offset away from the quantile.
        """
        return self._error(confidence) + self.offset

    def _error(self, confidence: Number) -> int:
        return math.ceil(Exponential(self.rate).error(confidence, candidates=self.candidates))

    @property
    def _moved(self) -> Fraction:
        """How far one row moves a miss, at most."""
        return max(self.quantile, 1 - self.quantile)

    @property
    def _unit(self) -> int:
        """Misses are whole in units of one row divided by this: the target may be half of n."""
        return 2 * self.quantile.denominator

    @property
    def _unit_rate(self) -> Fraction:
        return self.rate / self._unit

    def _target(self, rows: int) -> int:
        """The target in units."""
        at, median = int(self.quantile * self._unit) * rows, self._unit // 2 * rows
        moved = self.offset * self._unit
        return min(at + moved, median) if at <= median else max(at - moved, median)

    def _runs(self, exact: tuple[Integers, Integers]) -> Runs:
        """Runs of candidates with equal scores: their first, how many they are, and the score."""
        values, weights = self._counted(exact)
        reached = np.concatenate([np.zeros(1, dtype=weights.dtype), np.cumsum(weights)])
        target = self._target(int(reached[-1]))
        # Each value is a run of its own, and so is each gap before, between and after them.
        firsts = np.concatenate([values, [self.low], values + 1])
        lasts = np.concatenate([values, values - 1, [self.high]])
        below = np.concatenate([reached[:-1], reached]) * self._unit
        up_to = np.concatenate([reached[1:], reached]) * self._unit
        miss = np.maximum(np.maximum(below - target, target - up_to), 0)
        lengths = lasts - firsts + 1
        some = np.flatnonzero(lengths)
        return firsts[some], lengths[some], -miss[some]

    def _counted(self, exact: tuple[Integers, Integers]) -> tuple[NDArray[np.int64], Whole]:
        """Distinct values of the range in order, and how many rows there are of each."""
        try:
            given, rows = map(whole_array, exact)
        except (TypeError, ValueError) as wrong:
            raise PrivateArgumentError("exact", RULE) from wrong
        if given.size != rows.size:
            raise PrivateArgumentError("exact", RULE)
        values, weights = clamped(given, self.low, self.high).ravel(), np.ravel(np.maximum(rows, 0))
        # Of fine quantiles all scores are long, so that the time does not tell how many rows are.
        if weights.dtype == np.int64 and (
            self._unit > COARSE or weights.astype(np.float64).sum() * self._unit > ROOM
        ):
            weights = weights.astype(object)
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        starts = np.flatnonzero(np.diff(values, prepend=self.low - 1))
        return values[starts], np.add.reduceat(weights, starts) if starts.size else weights
