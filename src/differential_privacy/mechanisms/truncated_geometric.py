"""Show groups as often as a loss allows at all: the optimal rule for unknown keys."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    exp,
    float_log,
    integer,
    log,
    open_probability,
    positive,
    round_down,
    shown,
    sqrt,
)
from differential_privacy.mechanisms.gaussian_threshold import any_of
from differential_privacy.mechanisms.integers import Integers, clamped
from differential_privacy.mechanisms.tails import least_whole
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss
from differential_privacy.sampling import Bits, Digits, bernoulli_each, digits_within

__all__ = ["TruncatedGeometric"]

Floats = NDArray[np.float64]

PRECISION = 128
LARGEST_EPSILON = 1 << 10
LEAST_EPSILON = Fraction(1, 1 << 40)
LEAST_DELTA = Fraction(1, 1 << 1000)
"""From here on floats come within 2**-39 of every chance, as their logarithms are below 2**10."""

SLIGHTLY = Fraction(1, 10**9)

SMALL = 40.0
"""Above this 1 - e^-x is one to every digit of a float."""


@dataclass(frozen=True, slots=True, repr=False)
class TruncatedGeometric:
    """Keep a group of n people with the largest chance that epsilon and delta allow for each n.

    Theorem: a group of no people is never kept. From n to n + 1 the chance p may become
    e^epsilon p + delta at most, for else keeping tells too much, and 1 - e^-epsilon (1 - p - delta)
    at most, for else withholding does; the smaller of both, and of one, is the chance of n + 1, so
    no rule keeps any group more often. It is noise and a threshold: a group is kept when its people
    plus discrete Laplace noise of scale 1 / epsilon, cut off symmetrically, pass the cut.

    A person in g groups is told by g independent coins: g epsilon, but for 1 - (1 - delta)^g, the
    chance that any of g coins of the worst (epsilon, delta)-private kind tells all.

    Reference: Desfontaines, Voss, Gipson, Mandayam 2020 (2006.03684), theorem 1;
    several groups: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.3, at its largest epsilon.

    >>> rule = TruncatedGeometric(epsilon=1, delta=1e-5)
    >>> rule.loss(groups=1), rule.people_for("1/2"), rule.people_for("0.95")
    (ApproximateLoss(epsilon=1, delta=1e-05), 12, 14)
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        if not LEAST_EPSILON <= self.epsilon <= LARGEST_EPSILON:
            raise InvalidArgumentError("epsilon", epsilon, "must be from 2**-40 to 2**10")
        object.__setattr__(self, "delta", open_probability(delta, "delta"))
        if self.delta < LEAST_DELTA:
            raise InvalidArgumentError("delta", delta, "must be at least 2**-1000")

    def __repr__(self) -> str:
        return f"TruncatedGeometric(epsilon={shown(self.epsilon)}, delta={shown(self.delta)})"

    @staticmethod
    def for_loss(loss: ApproximateLoss, *, groups: int) -> "TruncatedGeometric":
        """The rule of this loss, for a person in at most so many groups.

        >>> TruncatedGeometric.for_loss(ApproximateLoss(1, 1e-5), groups=10)
        TruncatedGeometric(epsilon=0.1, delta=1.00000450002e-06)
        """
        most = integer(groups, "groups", least=1)
        return TruncatedGeometric(
            positive(loss.epsilon, "epsilon") / most, _each_of(most, loss.delta)
        )

    @staticmethod
    def for_concentrated_loss(loss: ConcentratedLoss, *, groups: int) -> "TruncatedGeometric":
        """The rule of this rho and delta, for a person in at most so many groups."""
        most = integer(groups, "groups", least=1)
        epsilon = sqrt(2 * positive(loss.rho, "rho") / most).low
        return TruncatedGeometric(round_down(epsilon), _each_of(most, loss.delta))

    def loss(self, groups: int) -> ApproximateLoss:
        """The loss of a person in at most so many groups."""
        most = integer(groups, "groups", least=1)
        return ApproximateLoss(most * self.epsilon, any_of(most, self.delta))

    def concentrated_loss(self, groups: int) -> ConcentratedLoss:
        """The same as a rho, but for the same delta.

        Theorem: but for chance delta an (epsilon, delta)-private answer is epsilon-private, which
        has rho epsilon^2 / 2. Reference: Bun, Steinke 2016 (1605.02065), section 8.
        """
        told = self.loss(groups)
        return ConcentratedLoss(told.epsilon * self.epsilon / 2, told.delta)

    def release(self, people: Integers, *, bits: Bits | None = None) -> NDArray[np.bool_]:
        """Which groups are kept, by the private numbers of people in them."""
        turn, sure = _turns(self.epsilon, self.delta)
        counts = clamped(people, 0, sure)
        flat = counts.ravel()

        def digits(place: int) -> Digits:
            return digits_within(lambda work: self._chance(int(flat[place]), work))

        heads = bernoulli_each(self._nearby(flat, turn, sure), digits, bits=bits)
        return (heads & (flat >= 1)).reshape(counts.shape)

    def probability(self, kept: bool, *, exact: int) -> Interval:  # noqa: FBT001 - an answer
        """The chance that a group of so many people is kept, or that it is not."""
        keeps = self._chance(exact, PRECISION)
        return keeps if kept else 1 - keeps

    def people_for(self, chance: Number) -> int:
        """The least number of people of which a group is kept with at least this chance."""
        wanted = open_probability(chance, "chance")
        turn, _ = _turns(self.epsilon, self.delta)
        return least_whole(lambda n: self._chance(n, PRECISION).low >= wanted, guess=turn)

    def _chance(self, people: int, work: int) -> Interval:
        """The chance that so many people are kept.

        Theorem: with G(n) = delta (e^(n epsilon) - 1) / (e^epsilon - 1), the chance is G(n) up to
        the turn t, where withholding begins to tell more than keeping. For n = t + m the chance to
        withhold is e^(-m epsilon) (1 - G(t) - G(m)), and from where that is not positive none.
        """
        turn, sure = _turns(self.epsilon, self.delta)
        if people <= turn:
            return _grown(self.epsilon, self.delta, max(people, 0), work)
        if people >= sure:
            return Interval.of(1)
        more = people - turn
        grown = (_grown(self.epsilon, self.delta, n, work) for n in (turn, more))
        return 1 - exp(-more * self.epsilon, work) * (1 - sum(grown, start=Interval.of(0)))

    def _nearby(self, people: NDArray[np.int64], turn: int, sure: int) -> Floats:
        """The same in floats, within 2**-38."""
        rate, least = float(self.epsilon), float_log(self.delta)

        def grown(n: NDArray[np.int64]) -> Floats:
            steps = np.maximum(n, 1) * rate
            # Where it counts this is at most one; elsewhere it must not overflow.
            exponent = least + _log_of_grown(steps) - _log_of_grown(np.array(rate))
            return np.exp(np.minimum(exponent, 1.0))

        more = np.maximum(people - turn, 0)
        withheld = np.exp(-more * rate) * (1 - grown(np.array(turn)) - grown(more))
        chances = np.where(people <= turn, grown(np.minimum(people, turn)), 1 - withheld)
        return np.asarray(np.where(people >= sure, 1.0, chances * (people >= 1)), dtype=np.float64)


@lru_cache(maxsize=256)
def _turns(epsilon: Fraction, delta: Fraction) -> tuple[int, int]:
    """The turn, and the least number of people that is always kept.

    Theorem: e^epsilon p + delta is the smaller of both where p is at most
    (1 - delta) / (1 + e^epsilon). Neither that nor G(t) + G(m) = 1 can be an equality that
    precision does not settle: e^epsilon is transcendental, by Lindemann, and both would be
    equations for it with rational coefficients, but for t = m = 1, where G is delta itself.

    Theorem: the least m at which G(t) + G(m) is one or more is t or t + 1. For G(n + 1) is
    e^epsilon G(n) + delta, so G(t - 1) < (1 - delta) / (1 + e^epsilon) < G(t) puts 1 - G(t) between
    G(t - 1) and G(t + 1).
    """

    def passes(n: int) -> bool:
        return _positive(
            lambda work: _grown(epsilon, delta, n, work) * (1 + exp(epsilon, work)) - (1 - delta)
        )

    # The guess is the turn in floats, where e^(n epsilon) - 1 passes this.
    grown = float((1 - delta) / delta) * math.tanh(float(epsilon) / 2)
    turn = least_whole(passes, guess=math.ceil(math.log1p(grown) / float(epsilon)))
    short = _positive(lambda work: 1 - 2 * _grown(epsilon, delta, turn, work))
    return turn, 2 * turn + 1 if short else 2 * turn


def _positive(value: Callable[[int], Interval]) -> bool:
    """Whether a number is above zero, from enclosures as narrow as it takes."""
    work = PRECISION
    while (around := value(work)).low <= 0 < around.high:
        work *= 2
    return around.low > 0


def _grown(epsilon: Fraction, delta: Fraction, n: int, work: int) -> Interval:
    """The G of the theorem: exact for none and for one."""
    if n <= 1:
        return Interval.of(n * delta)
    return delta * (exp(n * epsilon, work) - 1) / (exp(epsilon, work) - 1)


def _log_of_grown(steps: Floats) -> Floats:
    """The logarithm of e^x - 1."""
    small = np.log(np.expm1(np.minimum(steps, SMALL)))
    return np.asarray(np.where(steps > SMALL, steps, small), dtype=np.float64)


def _each_of(many: int, delta: Fraction) -> Fraction:
    """The chance of each of so many independent events, of which any has at most chance delta."""
    whole = open_probability(delta, "delta")
    share, root = whole / many, (1 - exp(log(1 - whole) / many)).low
    # The exact root comes to no more, but what it comes to is told rounded up.
    tried = (round_down(root), round_down(root * (1 - SLIGHTLY)))
    return max((one for one in tried if one > share and any_of(many, one) <= whole), default=share)
