"""Rounding with a direction: up where too small would be a lie, down where too large would be.

Rule 1: what a guarantee reads is rounded away from danger, by the name of the function.
"""

import math
from fractions import Fraction

__all__ = ["float_down", "float_log", "float_up", "round_down", "round_up", "short_up"]

DIGITS = 12
"""Significant digits kept: short enough to read and to add, fine enough to lose nothing."""


LONGEST = 2048
LONG_DIGITS = 60


def round_up(x: Fraction, digits: int = DIGITS) -> Fraction:
    """The least decimal of so many significant digits that is not below x.

    >>> round_up(Fraction(1, 3), 3), round_up(Fraction(1, 2), 3)
    (Fraction(167, 500), Fraction(1, 2))
    """
    unit = _unit(x, digits)
    return math.ceil(x / unit) * unit


def round_down(x: Fraction, digits: int = DIGITS) -> Fraction:
    """The greatest decimal of so many significant digits that is not above x."""
    unit = _unit(x, digits)
    return math.floor(x / unit) * unit


def short_up(x: Fraction) -> Fraction:
    """The same number, or one hardly larger that is not too long to go on computing with.

    >>> short_up(Fraction(1, 3)), short_up(sum(Fraction(1, n) for n in range(1, 5000))) > 9
    (Fraction(1, 3), True)
    """
    long = max(x.numerator.bit_length(), x.denominator.bit_length()) > LONGEST
    return round_up(x, LONG_DIGITS) if long else x


def float_up(x: Fraction) -> float:
    """The least float that is not below x.

    >>> float_up(Fraction(1, 10)) >= Fraction(1, 10) > float_down(Fraction(1, 10))
    True
    """
    nearest = _nearest(x)
    return nearest if nearest >= x else math.nextafter(nearest, math.inf)


def float_down(x: Fraction) -> float:
    """The greatest float that is not above x."""
    nearest = _nearest(x)
    return nearest if nearest <= x else math.nextafter(nearest, -math.inf)


def float_log(x: Fraction) -> float:
    """The logarithm of x > 0 as the float near it, also where x itself has no float near it.

    It has no direction: it seeks, and what it finds is proved otherwise.
    """
    return math.log(x.numerator) - math.log(x.denominator)


def _nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _unit(x: Fraction, digits: int) -> Fraction:
    """One in the last of so many significant digits of x."""
    if x == 0:
        return Fraction(1)
    size = abs(x)
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    leading = math.floor((bits - 1) * math.log10(2))
    while Fraction(10) ** (leading + 1) <= size:
        leading += 1
    return Fraction(10) ** (leading - digits + 1)
