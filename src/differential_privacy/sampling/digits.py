"""Probabilities by their binary digits, and how a uniform number is compared with one.

Rule 1: a digit is told only when an enclosure proves it.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from differential_privacy.exact import Interval, exp
from differential_privacy.sampling.bits import Reader

__all__ = ["Digits", "digits_of", "digits_of_exp", "digits_within", "exp_of_minus", "is_below"]

Digits = Callable[[int], int]
"""A probability p as the function from n to floor(2**n p)."""

GUARD = 64
"""Bits beyond those asked for: the chance that an enclosure must be made again is 2**-60."""

STEP = 64
"""Bits by which a comparison that is still open goes on."""


def exp_of_minus(x: Fraction, bits: int) -> tuple[int, int]:
    """Whole numbers around 2**bits exp(-x), for x >= 0.

    >>> exp_of_minus(Fraction(1), 8)
    (94, 95)
    """
    if x > bits:
        # e is more than 2, so the value lies from 0 to 1.
        return 0, 1
    enclosure = exp(-x, bits)
    return math.floor(enclosure.low * (1 << bits)), math.ceil(enclosure.high * (1 << bits))


def digits_of(p: Fraction) -> Digits:
    """The digits of a rational."""
    return lambda bits: (p.numerator << bits) // p.denominator


def digits_of_exp(x: Fraction, factor: Fraction = Fraction(1)) -> Digits:
    """The digits of factor * exp(-x), for x >= 0.

    Theorem: the loop ends, because exp(-x) is irrational for every rational x but 0, and for 0
    the enclosure is one point.
    """

    def digits(bits: int) -> int:
        work = bits + GUARD + factor.numerator.bit_length()
        while True:
            low, high = exp_of_minus(x, work)
            unit = factor.denominator << (work - bits)
            floor = low * factor.numerator // unit
            if floor == high * factor.numerator // unit:
                return floor
            work *= 2

    return digits


def digits_within(enclosure: Callable[[int], Interval]) -> Digits:
    """The digits of a number that is irrational, or one point at every precision.

    `enclosure` takes a relative precision in bits, and grows as narrow as is asked.
    """

    def digits(bits: int) -> int:
        work = bits + GUARD
        while True:
            around = enclosure(work)
            floor = math.floor(around.low * (1 << bits))
            if floor == math.floor(around.high * (1 << bits)):
                return floor
            work *= 2

    return digits


def is_below(digits: Digits, word: int, known: int, reader: Reader) -> bool:
    """Whether U is below p, where U is uniform and its first `known` bits are `word`.

    Theorem: the answer is yes with probability exactly p, because it is the true order of U and
    p: a word below floor(2**n p) puts all of U below p, a word above it puts U above p, and while
    they are equal more bits of both are looked at.
    """
    while word == (floor := digits(known)):
        word = word << STEP | reader.take(STEP)
        known += STEP
    return word < floor
