"""Rounding with a direction: up where too small would be a lie, down where too large would be.

Rule 1: what a guarantee reads is rounded away from danger, by the name of the function.
"""

import math
from fractions import Fraction

__all__ = ["float_down", "float_log", "float_up", "round_down", "round_up"]

DIGITS = 12
"""Significant digits kept: short enough to read and to add, fine enough to lose nothing."""


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
    if x == 0:
        return Fraction(1)
    leading = math.floor(
        (abs(x.numerator).bit_length() - x.denominator.bit_length()) * math.log10(2)
    )
    return Fraction(10) ** (leading - digits + 1)
