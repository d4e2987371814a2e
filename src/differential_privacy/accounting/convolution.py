"""Convolutions of nonnegative arrays from above, by Fourier transforms, with all errors bounded.

Rule 1: arrays are padded to the full length of the result, so nothing wraps around.
Rule 2: any upper part of the result sums to no less than it does in truth.
"""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["convolved_tail", "upper_convolution"]

Floats = NDArray[np.float64]

SHORT = 256
"""Up to this length a plain sum of products is as fast, and right to the last digits."""

THIN = 2.0**-10
"""An upper tail that holds no more of the mass, but half of the length, is convolved apart."""

UNIT = 2.0**-53


def upper_convolution(one: Floats, two: Floats) -> tuple[Floats, float]:
    """A convolution whose upper sums are none too small, and how much was added for that.

    Theorem: when the errors of all entries sum to at most e, adding e at the top is enough for all
    upper sums. A long thin tail would put it far up, so tails are convolved by themselves: their
    errors are small, as they are, and those of the bodies are added at the top of the bodies.

    >>> mass, added = upper_convolution(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    >>> mass.round(12), added < 1e-13
    (array([0.125, 0.5  , 0.375]), True)
    """
    first, second = _body(one), _body(two)
    mass, added = np.zeros(len(one) + len(two) - 1), 0.0
    for start, x, y in (
        (0, one[:first], two[:second]),
        (first, one[first:], two),
        (second, one[:first], two[second:]),
    ):
        if len(x) and len(y):
            part, error = _convolution(x, y)
            part[-1] += error
            mass[start : start + len(part)] += part
            added += error
    return mass * (1 + 4 * UNIT), added


def _body(mass: Floats) -> int:
    """The length without a long thin tail."""
    rest = np.cumsum(mass[::-1])[::-1]
    length = int(np.searchsorted(-rest, -THIN * rest[0]))
    return length if 2 * length <= len(mass) else len(mass)


def _convolution(one: Floats, two: Floats) -> tuple[Floats, float]:
    """The convolution, and a bound on the sum of the absolute errors of its entries.

    Theorem: a transform of length 2^t has a relative error, in the Euclidean norm, of at most
    r = (1 + u)^t (1 + sqrt(5) u)^t (1 + m)^t - 1, where m, the error of the roots of unity, is
    below u. No entry of a transform passes the sum of what it transforms. So the product errs by
    r (|x|_1 |y|_2 + |x|_2 |y|_1), its inverse by r |x * y|_2 <= r |x|_1 |y|_2 more; and the sum of
    n errors is at most sqrt n times their norm.

    Reference: Percival 2003, Rapid multiplication modulo the sum and difference of highly composite
    numbers, theorem 5.1; sqrt 5 from Brent, Percival, Zimmermann 2007.
    """
    sums = float(one.sum()), float(two.sum())
    if min(len(one), len(two)) <= SHORT:
        return np.convolve(one, two), UNIT * (SHORT + 2) * sums[0] * sums[1]
    length = len(one) + len(two) - 1
    size = 1 << (length - 1).bit_length()
    mass = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(two, size), size)[:length]
    relative = (math.log2(size) * (2 + math.sqrt(5)) + math.sqrt(5) + 1) * UNIT * 1.01
    norms = math.sqrt(float(np.square(one).sum())), math.sqrt(float(np.square(two).sum()))
    norm = relative * (2 * sums[0] * norms[1] + norms[0] * sums[1])
    # What lies below zero is an error alone: without it the entries are no farther from the truth.
    return np.maximum(mass, 0.0), norm * math.sqrt(length)


def convolved_tail(one: Floats, two: Floats, most: float) -> tuple[int, float]:
    """The first place from which a convolution sums to at most `most`, and that sum.

    It needs no transform: the sum from a place on adds, for each entry of the one array, the entry
    times the rest of the other array from where the two together reach the place. All terms are
    positive, so it is right to the last digits, however small.

    >>> convolved_tail(np.array([0.9, 0.1]), np.array([0.9, 0.1]), 0.05)
    (2, 0.010000000000000002)
    """
    if len(one) > len(two):
        one, two = two, one
    falling = one[::-1]
    rest = np.append(np.cumsum(two[::-1])[::-1], 0.0)

    def tail(place: int) -> float:
        # Entry i of the one array meets the rest from place - i on: nothing, a part, or all of it.
        first, last = max(0, place - len(two)), min(len(one), place)
        met = (
            falling[len(one) - last : len(one) - first] @ rest[place - last + 1 : place - first + 1]
        )
        return float(met + one[last:].sum() * rest[0])

    low, high = -1, len(one) + len(two) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle) <= most else (middle, high)
    return high, tail(high)
