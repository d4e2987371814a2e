"""Convolutions of nonnegative arrays by Fourier transforms, with a bound on all their errors.

Rule 1: arrays are padded to the full length of the result, so nothing wraps around.
Rule 2: the errors of all entries together are bounded by what is returned beside the result.

Transforms err in proportion to the norm of what they transform times the root of its length. So
peaks, high but few, are multiplied out; and a long low tail is kept apart from the short body.
"""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["convolve"]

Floats = NDArray[np.float64]

SHORT = 64
"""Up to this length a plain sum of products is as fast."""

PEAK = 1 / 128
"""What is larger is a peak: there are at most 128, as the entries of a distribution sum to one."""

LOW = 2.0**-16
"""What is smaller than this part of the largest entry is tail, where it lies outside the body."""

UNIT = 2.0**-53


def convolve(one: Floats, two: Floats) -> tuple[Floats, float]:
    """The convolution, and a bound on the sum of the absolute errors of its entries.

    >>> mass, error = convolve(np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    >>> mass, error < 1e-13
    (array([0.125, 0.5  , 0.375]), True)
    """
    if len(one) < len(two):
        one, two = two, one
    total = float(one.sum() * two.sum())
    if len(two) <= SHORT:
        return np.convolve(one, two), UNIT * (SHORT + 2) * total
    mass = np.zeros(len(one) + len(two) - 1)
    one_peaks, two_peaks = np.flatnonzero(one > PEAK), np.flatnonzero(two > PEAK)
    one_rest = one.copy()
    one_rest[one_peaks] = 0.0
    two_rest = two.copy()
    two_rest[two_peaks] = 0.0
    for place in one_peaks:
        mass[place : place + len(two)] += one[place] * two
    for place in two_peaks:
        mass[place : place + len(one)] += two[place] * one_rest
    error = UNIT * (len(one_peaks) + len(two_peaks) + 4) * total
    one_body, two_body = _body(one_rest), _body(two_rest)
    start, body, body_error = (
        one_body.start + two_body.start,
        *_transformed([(one_rest[one_body], two_rest[two_body])]),
    )
    mass[start : start + len(body)] += body
    if len(body) == len(mass):
        return mass, error + body_error
    one_tail, two_tail = one_rest.copy(), two_rest.copy()
    one_tail[one_body] = 0.0
    two_tail[two_body] = 0.0
    tail, tail_error = _transformed([(one_tail, two_rest), (one_rest - one_tail, two_tail)])
    return mass + tail, error + body_error + tail_error


def _body(rest: Floats) -> slice:
    """The stretch outside of which every entry is low; all of it where that is hardly shorter."""
    high = np.flatnonzero(rest >= LOW * rest.max())
    start, stop = int(high[0]), int(high[-1]) + 1
    return slice(start, stop) if 2 * (stop - start) <= len(rest) else slice(0, len(rest))


def _transformed(pairs: list[tuple[Floats, Floats]]) -> tuple[Floats, float]:
    """The sum of the convolutions of pairs of like lengths, by transforms of a power of two.

    Theorem: a transform of length 2^t has a relative error, in the Euclidean norm, of at most
    r = (1 + u)^t (1 + sqrt(5) u)^t (1 + m)^t - 1, where m, the error of the roots of unity, is
    below u. No entry of a transform passes the sum of what it transforms. So the product errs by
    r (|x|_1 |y|_2 + |x|_2 |y|_1), its inverse by r |x * y|_2 <= r |x|_1 |y|_2 more; and the sum of
    n errors is at most sqrt n times their norm.

    Reference: Percival 2003, Rapid multiplication modulo the sum and difference of highly composite
    numbers, theorem 5.1; sqrt 5 from Brent, Percival, Zimmermann 2007.
    """
    length = len(pairs[0][0]) + len(pairs[0][1]) - 1
    size = 1 << (length - 1).bit_length()
    spectra = [np.fft.rfft(x, size) * np.fft.rfft(y, size) for x, y in pairs]
    mass = np.fft.irfft(np.sum(spectra, axis=0), size)[:length]
    relative = (math.log2(size) * (2 + math.sqrt(5)) + math.sqrt(5) + 1) * UNIT * 1.01
    norm = relative * sum(
        2 * float(x.sum()) * float(np.linalg.norm(y)) + float(np.linalg.norm(x)) * float(y.sum())
        for x, y in pairs
    )
    # What an error could have made alone is taken out, and charged: tails stay short.
    noise = mass < norm
    charged = float(np.abs(mass[noise]).sum())
    mass[noise] = 0.0
    return mass, norm * math.sqrt(length) + charged
