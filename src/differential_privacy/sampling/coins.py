"""Coins of exactly the stated probability, rational or exp of minus a rational.

Rule 1: a coin compares U with its probability by proven digits; floats decide only where U lies
further from their value than BAND.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import Number, nonnegative, probability
from differential_privacy.sampling.bits import Bits, Reader, words
from differential_privacy.sampling.digits import Digits, digits_of, digits_of_exp, is_below
from differential_privacy.sampling.keystream import secure_bits
from differential_privacy.sampling.rejection import exp_coin
from differential_privacy.sampling.shape import Size, chunks, shape_of

__all__ = ["bernoulli", "bernoulli_each", "bernoulli_exp", "exp_coins"]

WORD = 64

BAND = 2.0**-36
"""How near a float must be to U to be distrusted; see `exp_coins` for why this is ample."""


@overload
def bernoulli(p: Number, size: None = None, *, bits: Bits | None = None) -> bool: ...
@overload
def bernoulli(
    p: Number, size: int | tuple[int, ...], *, bits: Bits | None = None
) -> NDArray[np.bool_]: ...
def bernoulli(
    p: Number, size: Size = None, *, bits: Bits | None = None
) -> bool | NDArray[np.bool_]:
    """True with probability exactly p, a rational from 0 to 1.

    >>> bernoulli("1/3", 5).shape, bernoulli(1), bernoulli(0, 3)
    ((5,), True, array([False, False, False]))
    """
    exact = probability(p, "p")
    source = secure_bits() if bits is None else bits
    if size is None:
        return Reader(source).below(exact.denominator) < exact.numerator
    return _toss(digits_of(exact), size, source)


@overload
def bernoulli_exp(x: Number, size: None = None, *, bits: Bits | None = None) -> bool: ...
@overload
def bernoulli_exp(
    x: Number, size: int | tuple[int, ...], *, bits: Bits | None = None
) -> NDArray[np.bool_]: ...
def bernoulli_exp(
    x: Number, size: Size = None, *, bits: Bits | None = None
) -> bool | NDArray[np.bool_]:
    """True with probability exactly exp(-x), for a rational x of at least 0.

    >>> bernoulli_exp(0), bernoulli_exp("1/3", (2, 3)).shape
    (True, (2, 3))
    """
    exact = nonnegative(x, "x")
    source = secure_bits() if bits is None else bits
    if size is None:
        return exp_coin(exact.numerator, exact.denominator, Reader(source))
    return _toss(digits_of_exp(exact), size, source)


def bernoulli_each(
    nearby: NDArray[np.float64], exact: Callable[[int], Digits], *, bits: Bits | None = None
) -> NDArray[np.bool_]:
    """A coin for each place, true with exactly the probability whose digits `exact` gives.

    `nearby` has these probabilities within half of BAND, so that by the theorem of `exp_coins`
    floats decide nearly all coins, and never wrongly.

    >>> bernoulli_each(np.array([0.0, 1.0]), lambda place: digits_of(Fraction(place)))
    array([False,  True])
    """
    source = secure_bits() if bits is None else bits
    return _compared(words(source, np.uint64, nearby.size), nearby, exact, source)


def _toss(digits: Digits, size: int | tuple[int, ...], bits: Bits) -> NDArray[np.bool_]:
    shape, count = shape_of(size)
    threshold = digits(WORD)
    if threshold == 1 << WORD:
        return np.ones(shape, dtype=np.bool_)
    heads = np.empty(count, dtype=np.bool_)
    for part in chunks(count):
        word = words(bits, np.uint64, part.stop - part.start)
        np.less(word, np.uint64(threshold), out=heads[part])
        for place in np.flatnonzero(word == np.uint64(threshold)):
            heads[part][place] = is_below(digits, threshold, WORD, Reader(bits))
    return heads.reshape(shape)


def exp_coins(
    word: NDArray[np.uint64],
    exponents: NDArray[np.float64],
    exact: Callable[[int], Fraction],
    bits: Bits,
) -> NDArray[np.bool_]:
    """For each U, of which a word gives the first 64 bits, whether it is below exp(-g).

    `exponents` are the g within a relative 2**-48, or an absolute 2**-48 where they are smaller;
    `exact` gives the one at a place as it is.

    Theorem: outside BAND the float comparison is the true one. exp falls with slope g exp(-g) <
    1/2 in log g, so the exponent's error moves exp(-g) by less than 2**-48; numpy's exp errs by
    at most 4 units in the last place, below 2**-50; the word's rounding and its 64 bits, by less
    than 2**-52. The sum is below 2**-47, 2**11 times less than BAND.

    Reference: numpy tests its float64 exp to 1 unit (umath-validation-set-exp.csv); a platform's
    exp that this leaves to is good to a few. BAND would bear an exp wrong by 2**15 units.
    """
    with np.errstate(under="ignore"):
        nearby = np.exp(-exponents)
    return _compared(word, nearby, lambda place: digits_of_exp(exact(place)), bits)


def _compared(
    word: NDArray[np.uint64],
    nearby: NDArray[np.float64],
    exact: Callable[[int], Digits],
    bits: Bits,
) -> NDArray[np.bool_]:
    apart = word.astype(np.float64) * 2.0**-WORD - nearby
    heads = apart < 0
    open_places = np.flatnonzero(np.abs(apart) <= BAND)
    if open_places.size:
        reader = Reader(bits)
        for place in open_places:
            heads[place] = is_below(exact(int(place)), int(word[place]), WORD, reader)
    return heads
