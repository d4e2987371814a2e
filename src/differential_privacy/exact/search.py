"""Roots and minima in floats: they seek, and what they find is proved otherwise.

A page of our own, because scipy takes longer to import than all else in this package.
"""

import math
from collections.abc import Callable
from fractions import Fraction

__all__ = ["lowest", "proved", "root"]

STEPS = 200
CLOSE = 2.0**-42
GOLDEN = (math.sqrt(5) - 1) / 2


def proved(guess: Fraction, enough: Callable[[Fraction], bool]) -> Fraction:
    """The first that is enough, from a guess upward in tiny steps that double.

    >>> proved(Fraction(1), lambda x: x * x >= 2) ** 2 >= 2
    True
    """
    step = guess / 10**12 or Fraction(1, 10**30)
    while not enough(guess):
        guess, step = guess + step, 2 * step
    return guess


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function changes its sign between `low` and `high`.

    The secant through both ends, whose slope is halved at an end that stays twice (the Illinois
    rule), so that it closes in from both sides.

    >>> round(root(lambda x: x * x - 2, 0.0, 2.0), 9)
    1.414213562
    """
    at_low, at_high = function(low), function(high)
    last_kept = 0
    for _ in range(STEPS):
        if high - low <= CLOSE * max(abs(low), abs(high)):
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < middle < high:
            middle = (low + high) / 2
        here = function(middle)
        if here == 0:
            return middle
        if (here > 0) == (at_low > 0):
            low, at_low = middle, here
            at_high, last_kept = (at_high / 2 if last_kept == 1 else at_high), 1
        else:
            high, at_high = middle, here
            at_low, last_kept = (at_low / 2 if last_kept == -1 else at_low), -1
    return (low + high) / 2


def lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls and then rises is lowest, by golden section.

    >>> round(lowest(lambda x: (x - 3) ** 2, 0.0, 10.0), 6)
    3.0
    """
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(STEPS):
        if right - left <= CLOSE * max(1.0, abs(left)):
            break
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
    return (low + high) / 2
