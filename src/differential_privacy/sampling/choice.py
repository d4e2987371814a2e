"""Choosing one of many by its score: the exponential mechanism's law, and permute-and-flip.

Rule 1: scores are whole numbers of any size; only their distance to the best is used, exactly.
Rule 2: a float only proposes; what is proposed is kept or refused by exact numbers.
Rule 3: no message shows a score.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from numbers import Integral
from typing import final

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import Number, nonnegative
from differential_privacy.sampling.bits import Bits, Reader, words
from differential_privacy.sampling.coins import exp_coins
from differential_privacy.sampling.digits import digits_of_exp, is_below
from differential_privacy.sampling.keystream import secure_bits

__all__ = ["Scores", "exponential_choice", "permute_and_flip"]

Scores = NDArray[np.integer] | NDArray[np.object_] | Sequence[int]
"""Whole numbers, as an array or as a sequence."""

FAR = 1 << 20
"""An exponent beyond this is as good as this to a float: exp of minus either is zero."""

FASTEST = 1 << 900
"""The same for a rate, which any gap of at least 1 then makes such an exponent."""

RAISED = 1 + 2.0**-36
RAISED_UNITS = 2

PROPOSALS = 60
"""All proposals together weigh less than two to this, which 64 bits hold with ease."""


def exponential_choice(
    scores: Scores,
    rate: Number,
    *,
    multiplicities: NDArray[np.int64] | None = None,
    bits: Bits | None = None,
) -> int:
    """An index, with probability exactly proportional to m exp(rate * scores[index]).

    m is its multiplicity: for how many equal candidates the index stands, one if nothing is said.

    Theorem: index i is proposed in proportion to a whole number V of at least W = 2**k m exp(-g),
    with g = rate * (best - scores[i]), and kept with odds W / V, so it is chosen in proportion to
    W, whatever k is. V is W in floats, raised by a relative 2**-36 and by 2: below g = 128 the
    float errs by less than a relative 2**-40; above it W is less than 2**(59 + 63) exp(-128) < 1,
    because k is chosen by the sum, in which the best weighs at least 1.

    One proposal in 2**34 or fewer is refused up to ten million indices, so the time tells next to
    nothing about the scores.

    Reference: McSherry, Talwar 2007, definition 2 (the exponential mechanism).

    >>> exponential_choice([0, 10**30, 7], 1), exponential_choice([5], "1/3")
    (1, 0)
    """
    gaps = _Gaps(scores, nonnegative(rate, "rate"))
    many = _multiplicities(multiplicities, gaps.count)
    reader = Reader(secure_bits() if bits is None else bits)
    with np.errstate(under="ignore"):
        nearby = np.exp(-gaps.exponents) * many
        k = PROPOSALS - math.frexp(float(nearby.sum()))[1]
        weights = np.ldexp(nearby * RAISED, k).astype(np.int64) + RAISED_UNITS
    reached = np.cumsum(weights)
    while True:
        drawn = reader.below(int(reached[-1]))
        index = int(np.searchsorted(reached, drawn, side="right"))
        factor = Fraction(2) ** k * int(many[index]) / int(weights[index])
        odds = digits_of_exp(gaps.exponent(index), factor)
        if is_below(odds, reader.take(64), 64, reader):
            return index


def permute_and_flip(scores: Scores, rate: Number, *, bits: Bits | None = None) -> int:
    """The first index, in a uniformly random order, whose coin of odds exp(-rate * gap) is heads.

    Theorem: coins and order are independent, so all coins may be tossed first; the first head of
    a random order is then a uniform one of the heads. The best candidate is always one of them.

    Reference: McKenna, Sheldon, NeurIPS 2020, algorithm 1.

    >>> permute_and_flip([0, 10**30, 7], 1), permute_and_flip([5], "1/3")
    (1, 0)
    """
    gaps = _Gaps(scores, nonnegative(rate, "rate"))
    source = secure_bits() if bits is None else bits
    coins = words(source, np.uint64, gaps.count)
    heads = exp_coins(coins, gaps.exponents, gaps.exponent, source)
    standing = np.flatnonzero(heads)
    return int(standing[Reader(source).below(standing.size)])


@final
class _Gaps:
    """How far each score is below the best, times a rate: exactly, and to a relative 2**-48."""

    __slots__ = ("_gaps", "_rate", "count", "exponents")

    def __init__(self, scores: Scores, rate: Fraction) -> None:
        self._rate = rate
        self._gaps = _below_best(scores)
        self.count = len(self._gaps)
        if isinstance(self._gaps, np.ndarray):
            # A gap is below 2**64, so a rate too small for floats gives a number near 0 either way.
            self.exponents = self._gaps.astype(np.float64) * float(min(rate, Fraction(FASTEST)))
        else:
            top, bottom = rate.numerator, rate.denominator
            self.exponents = np.array(
                [min(gap * top, FAR * bottom) / bottom for gap in self._gaps], dtype=np.float64
            )

    def exponent(self, index: int) -> Fraction:
        return int(self._gaps[index]) * self._rate


def _below_best(scores: Scores) -> NDArray[np.uint64] | list[int]:
    if isinstance(scores, np.ndarray) and scores.ndim == 1 and scores.dtype.kind in "iu":
        if not scores.size:
            raise InvalidArgumentError("scores", [], "must hold at least one score")
        wide = scores.astype(np.int64 if scores.dtype.kind == "i" else np.uint64)
        # The true difference is below 2**64, and unsigned subtraction is right modulo 2**64.
        distance: NDArray[np.uint64] = np.uint64(int(wide.max()) % 2**64) - wide.astype(np.uint64)
        return distance
    if not all(_is_whole(score) for score in _each(scores)):
        raise PrivateArgumentError("scores", "must be a sequence of whole numbers")
    whole = [int(score) for score in scores]
    if not whole:
        raise InvalidArgumentError("scores", [], "must hold at least one score")
    best = max(whole)
    return [best - score for score in whole]


def _multiplicities(given: NDArray[np.int64] | None, count: int) -> NDArray[np.int64]:
    many = np.ones(count, dtype=np.int64) if given is None else given
    if many.dtype != np.int64 or many.shape != (count,) or bool((many < 1).any()):
        rule = "must be an int64 array of as many numbers as scores, each at least 1"
        raise PrivateArgumentError("multiplicities", rule)
    return many


def _each(scores: object) -> Iterable[object]:
    return scores if isinstance(scores, Iterable) else [None]


def _is_whole(score: object) -> bool:
    return isinstance(score, Integral) and not isinstance(score, bool)
