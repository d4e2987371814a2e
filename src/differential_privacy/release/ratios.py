"""Honest intervals for the ratio of two noisy numbers, as an average is of a sum and a count.

Rule 1: this is post-processing: it sees noisy numbers and public ones, and nothing else.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    open_probability,
    rational,
)
from differential_privacy.mechanisms import DiscreteGaussian, Geometric, errors_along

__all__ = ["ratio_interval"]

Floats = NDArray[np.float64]
Term = tuple[Fraction, Fraction, Geometric | DiscreteGaussian]

TURN = 0.01
"""The angle of a piece: half of it moves a blend by half a percent of the one at a right angle."""

ASIDE = Fraction(1, 100)
"""The part of the miss that the blend at a right angle may take."""

QUARTER = math.pi / 4
LARGEST = Fraction(10**300)
LEAST = 1e-9
ROUNDING = 1e-12
NONE = 1e-300

FAINT = Fraction(1, 10**30)
"""A variance that pieces of ratios need not tell from a smaller one."""

CHUNK = 1 << 7
"""Cells at a time, so that a table of cells by pieces stays in the nearest caches."""


def ratio_interval(
    numerator: ArrayLike,
    denominator: ArrayLike,
    *,
    terms: Sequence[tuple[Number, Number, Geometric | DiscreteGaussian]],
    confidence: Number,
    within: tuple[Number, Number],
) -> tuple[Floats, Floats]:
    """For each cell the ends of an interval that holds the exact ratio with this confidence.

    Each of the `terms` is an independent noise, with the factors by which it is in the numerator
    and in the denominator. The exact ratio is known to lie `within`.

    Theorem: at the exact ratio r, numerator - r denominator is noise alone: the sum of
    (a - r b) noise over terms (a, b, noise). So with the confidence it is no larger than the error
    of that `Blend`, and r is one of those at which it is not. The interval is the least that holds
    all of these in the range; it is the whole range where there are none.

    Reference: Fieller 1954, Some problems in interval estimation.

    >>> from differential_privacy.release import ratio_interval
    >>> low, high = ratio_interval(
    ...     [5000, 3], [100, 1], terms=[(1, 0, Geometric(100)), (0, 1, Geometric(1))],
    ...     confidence="0.95", within=(0, 100),
    ... )
    >>> low.round(), high.round()
    (array([47.,  0.]), array([ 53., 100.]))
    """
    ends = [rational(end, "within") for end in within]
    if len(ends) != 2 or ends[0] > ends[1]:  # noqa: PLR2004 - a lower end and an upper
        raise InvalidArgumentError("within", within, "must be the lower end and then the upper")
    least, most = (float(min(max(end, -LARGEST), LARGEST)) for end in ends)
    exact = tuple((rational(a, "terms"), rational(b, "terms"), noise) for a, b, noise in terms)
    sheets = _sheets(exact, open_probability(confidence, "confidence"), least, most)
    tops, bottoms = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    low, high = np.empty(tops.size), np.empty(tops.size)
    for start in range(0, tops.size, CHUNK):
        part = slice(start, start + CHUNK)
        found = [sheet.hull(tops.ravel()[part], bottoms.ravel()[part]) for sheet in sheets]
        low[part] = np.minimum.reduce([first for first, _ in found])
        high[part] = np.maximum.reduce([last for _, last in found])
    none = low > high
    low[none], high[none] = least, most
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    return low.reshape(tops.shape), high.reshape(tops.shape)


@dataclass(frozen=True, slots=True, eq=False)
class _Sheet:
    """Ratios around a center, cut into pieces with an error for all of each.

    Far ratios, and the edges of their pieces, are counted as one divided by their distance.
    """

    center: float
    far: bool
    edges: Floats
    errors: Floats

    def hull(self, tops: Floats, bottoms: Floats) -> tuple[Floats, Floats]:
        """For each cell the least and the greatest ratio that the error of any piece allows."""
        above, below = tops - self.center * bottoms, bottoms
        if self.far:
            above, below = below, above
        # Over nothing every ratio is as good as another, and over next to nothing it is as well.
        size = np.maximum(np.abs(below), NONE)[:, None]
        middle = np.where(below < 0, -above, above)[:, None]
        with np.errstate(all="ignore"):
            first = np.maximum((middle - self.errors) / size, self.edges[:-1])
            last = np.minimum((middle + self.errors) / size, self.edges[1:])
            empty = first > last
            first[empty], last[empty] = np.inf, -np.inf
            low, high = first.min(axis=1), last.max(axis=1)
            held = low <= high
            if self.far:
                low, high = 1 / high, 1 / low
            low = low + self.center - (abs(self.center) + np.abs(low)) * ROUNDING
            high = high + self.center + (abs(self.center) + np.abs(high)) * ROUNDING
        return np.where(held, low, np.inf), np.where(held, high, -np.inf)


@lru_cache(maxsize=256)
def _sheets(
    terms: tuple[Term, ...], confidence: Fraction, least: float, most: float
) -> tuple[_Sheet, ...]:
    """The range of ratios in pieces of equal angle around the ratio that has the least noise.

    Theorem: the noise at the ratio center + scale tan(angle), times the cosine, is the blend at
    this angle. A little turned, by d, that is cos(d) times the blend at the middle of a piece and
    sin(d) times the one at a right angle to it; so it is no larger than the error of the one plus
    d times that of the other, each with its part of the miss.
    """
    # Where noise is next to nothing, any center and scale near these will do.
    variances = [max(Interval.of(noise.variance).high, FAINT) for _, _, noise in terms]
    below = sum((b * b * v for (_, b, _), v in zip(terms, variances, strict=True)), Fraction(0))
    if not below:
        errors = errors_along(terms, np.ones(1), np.zeros(1), confidence=confidence)
        return (_Sheet(0.0, far=False, edges=np.array([least, most]), errors=errors),)
    both = sum((a * b * v for (a, b, _), v in zip(terms, variances, strict=True)), Fraction(0))
    above = sum((a * a * v for (a, _, _), v in zip(terms, variances, strict=True)), Fraction(0))
    center, scale = float(both / below), math.sqrt((above - both * both / below) / below)
    # Noise that is in both alike vanishes at the center, and any scale around it will do.
    scale = scale or LEAST * max(abs(least - center), abs(most - center)) or 1.0
    first, last = (math.atan((end - center) / scale) for end in (least, most))
    sheets = []
    for start, end in ((-math.pi, -QUARTER), (-QUARTER, QUARTER), (QUARTER, math.pi)):
        low, high = max(start, first), min(end, last)
        if low < high or first == low == high == last:
            angles = np.linspace(low, high, math.ceil((high - low) / TURN) + 2)
            edges = scale * np.tan(angles)
            # The ends of the range itself, of which an angle near a right one keeps few digits.
            edges[0] = least - center if low == first else edges[0]
            edges[-1] = most - center if high == last else edges[-1]
            errors = _errors(terms, angles, center, scale, confidence)
            sheets.append(_sheet(center, scale, angles, edges, errors))
    return tuple(sheets)


def _errors(
    terms: tuple[Term, ...], angles: Floats, center: float, scale: float, confidence: Fraction
) -> Floats:
    """The errors of the theorem for the pieces between these angles."""
    middles, turn = (angles[1:] + angles[:-1]) / 2, np.diff(angles) / 2
    cosines, sines = np.cos(middles), np.sin(middles)
    kept, aside = ((1 - confidence) * share for share in (1 - ASIDE, ASIDE))
    at = errors_along(terms, cosines, -center * cosines - scale * sines, confidence=1 - kept)
    beside = errors_along(terms, -sines, center * sines - scale * cosines, confidence=1 - aside)
    return at + turn * beside


def _sheet(center: float, scale: float, angles: Floats, edges: Floats, errors: Floats) -> _Sheet:
    """The pieces in ratios; the error at a ratio is that at its angle over the cosine."""
    if abs(angles[0]) > QUARTER or abs(angles[-1]) > QUARTER:
        sines = np.minimum(np.abs(np.sin(angles[1:])), np.abs(np.sin(angles[:-1])))
        far_errors = (errors / sines / scale)[::-1]
        return _Sheet(center, far=True, edges=1 / edges[::-1], errors=far_errors)
    cosines = np.minimum(np.cos(angles[1:]), np.cos(angles[:-1]))
    return _Sheet(center, far=False, edges=edges, errors=errors / cosines)
