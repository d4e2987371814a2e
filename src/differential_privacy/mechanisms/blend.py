"""How far off a linear combination of independent noises may be: error bars of what is derived."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    float_down,
    float_up,
    open_probability,
    rational,
    shown,
    sqrt,
)
from differential_privacy.mechanisms.noise_cells import (
    Floats,
    IntegerNoise,
    NoiseCells,
    cells_of,
    sum_of,
)

__all__ = ["Blend", "errors_along"]

FINE, FINE_LOST = 512, 1e-5
"""Cells to a scale, and the part of the miss that their ends may take: within half a percent."""

COARSE, COARSE_LOST = 48, 1e-3
"""The same where hundreds of errors are sought at once: within a percent or two."""

LEAST_MISS = Fraction(1, 10**100)

ROUNDING = 1e-9
"""Relative; above what floats lose in sums of positive numbers, and in a place of such a sum."""

NEXT = 1e-12
"""The same for a place, as a part of the largest that there is."""

MOST_SCALES = 128
"""No more cells than so many scales have: the rest of what noise can reach, it reaches seldom."""

HALVINGS = 16
TINY = 1e-300

NONE = NoiseCells(1.0, np.ones(1), 0.0, 0.0)


@dataclass(frozen=True, slots=True, repr=False)
class Blend:
    """The sum of independent noises, each times a factor: what arithmetic makes of noisy numbers.

    >>> difference = Blend([(1, Geometric(10)), (-1, Geometric(10))])
    >>> round(difference.deviation, 2), round(difference.error("0.95"), 1)
    (19.99, 41.0)
    """

    terms: tuple[tuple[Fraction, IntegerNoise], ...]

    def __init__(self, terms: Sequence[tuple[Number, IntegerNoise]]) -> None:
        exact = tuple((rational(factor, "factor"), noise) for factor, noise in terms)
        object.__setattr__(self, "terms", exact)

    def __repr__(self) -> str:
        inside = ", ".join(f"({shown(factor)}, {noise!r})" for factor, noise in self.terms)
        return f"Blend([{inside}])"

    @property
    def deviation(self) -> float:
        """The standard deviation, rounded up."""
        square = sum((f * f * noise.variance for f, noise in self.terms), start=Interval.of(0))
        return float_up(sqrt(square).high)

    def error(self, confidence: Number) -> float:
        """A half width that the sum keeps with this confidence, hardly more than the least.

        Theorem: with x one of the noises and y the sum of the others, the chance to pass t is the
        sum over y of its chance times that of x to lie outside t around -y. All terms are positive,
        so floats keep it to a relative 1e-9; and what moves the noise to the middles of cells is
        added to t.
        """
        sure = open_probability(confidence, "confidence")
        terms = [(abs(factor), noise) for factor, noise in self.terms if factor]
        if len(terms) == 1:
            (factor, noise) = terms[0]
            return float_up(factor * noise.error(sure))
        miss = _miss(sure)
        lost = miss * FINE_LOST
        cells = [_cells(n, fineness=FINE, lost=lost).times(float(f)) for f, n in terms]
        return float(_errors(cells, np.ones((len(cells), 1)), miss, fineness=FINE)[0])


def errors_along(
    terms: Sequence[tuple[Fraction, Fraction, IntegerNoise]],
    x: Floats,
    y: Floats,
    *,
    confidence: Number,
) -> Floats:
    """For each x and y the error of the sum of (a x + b y) noise, over terms (a, b, noise).

    Noises whose a and b are in one proportion are summed once for all.
    """
    miss = _miss(open_probability(confidence, "confidence"))
    along: dict[Fraction | None, list[NoiseCells]] = {}
    for a, b, noise in terms:
        if a or b:
            cells = _cells(noise, fineness=COARSE, lost=miss * COARSE_LOST)
            along.setdefault(a / b if b else None, []).append(cells.times(float(abs(b or a))))
    sums = [sum_of(cells, step=_step(cells, COARSE)) for cells in along.values()]
    factors = [np.abs(x if ratio is None else float(ratio) * x + y) for ratio in along]
    return _errors(sums, np.array(factors).reshape(-1, x.size), miss, fineness=COARSE)


def _errors(noises: list[NoiseCells], factors: Floats, miss: float, *, fineness: int) -> Floats:
    """For each column of factors, of which there is a row for each noise."""
    if len(noises) <= 2:  # noqa: PLR2004 - one, and the sum of the others
        one, other, *_ = [*noises, NONE, NONE]
        a, b, *_ = [*factors, np.zeros(factors.shape[1]), np.zeros(factors.shape[1])]
        return _errors_of_two(one, other, a, b, miss)
    found = []
    for column in factors.T:
        scaled = [n.times(max(f, TINY)) for n, f in zip(noises, column, strict=True)]
        first, *others = scaled
        rest = sum_of(others, step=_step(scaled, fineness))
        found.append(_errors_of_two(first, rest, np.ones(1), np.ones(1), miss)[0])
    return np.array(found)


def _errors_of_two(one: NoiseCells, other: NoiseCells, a: Floats, b: Floats, miss: float) -> Floats:
    """The least t, to a part in 2^HALVINGS of the farthest, that a one + b other seldom passes."""
    moved, chances = np.multiply.outer(b, other.sizes), other.of_both_signs
    width = np.maximum(a, TINY)[:, None]

    def passed(t: Floats) -> NDArray[np.bool_]:
        apart = t[:, None]
        with np.errstate(over="ignore"):
            nearer, farther = (apart - moved) / width, (apart + moved) / width
        beyond = one.above(nearer) + one.above(farther)
        chance = beyond @ chances * (1 + ROUNDING) + one.lost + other.lost
        return np.asarray(chance > miss, dtype=np.bool_)

    low, high = np.zeros(a.size), a * one.reach + b * other.reach
    farthest = high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        over = passed(middle)
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    inside = np.where(passed(np.zeros(a.size)), high, 0.0)
    slack = a * one.slack + b * other.slack
    return np.asarray((inside + slack) * (1 + ROUNDING) + farthest * NEXT, dtype=np.float64)


def _cells(noise: IntegerNoise, *, fineness: int, lost: float) -> NoiseCells:
    """The cells of a noise but for those at the end that may be lost: of some noise one is left."""
    cells = cells_of(noise, fineness=fineness, lost=lost)
    farthest = 2 * np.cumsum(cells.chances[:0:-1]) * (1 + ROUNDING)
    many = int(np.searchsorted(farthest, lost, side="right"))
    gone = float(farthest[many - 1]) if many else 0.0
    near = cells.chances[: cells.chances.size - many]
    return NoiseCells(cells.step, near, cells.slack + cells.reach * NEXT, cells.lost + gone)


def _step(noises: list[NoiseCells], fineness: int) -> float:
    """Cells to a deviation, but no more of them than would fit: noise may be next to none."""
    deviation, reach = math.hypot(*(n.deviation for n in noises)), sum(n.reach for n in noises)
    step = max(deviation / (2 * fineness), reach / (MOST_SCALES * fineness))
    return step or NEXT * max(noise.step for noise in noises)


def _miss(confidence: Fraction) -> float:
    if 1 - confidence < LEAST_MISS:
        raise InvalidArgumentError("confidence", confidence, "must leave a chance of 1e-100")
    return float_down(1 - confidence)
