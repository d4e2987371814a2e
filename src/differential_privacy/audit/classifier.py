"""A small classifier of outputs: logistic regression on what each column shows of its value.

Theorem: of all events of one chance on one input, the one that is least likely on the other takes
the outputs of largest likelihood ratio. A classifier that tells the inputs apart learns the ratio.

Reference: Neyman, Pearson 1933; Bichsel, Steffen, Bogunovic, Vechev 2021 (DP-Sniper), section IV.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.features import Feature, Floats, Table, frequent

__all__ = ["learned"]

Singles = NDArray[np.float32]

STEPS = 8
CLOSE = 0.003
RIDGE = 1.0
FARTHEST = 8.0
"""So many widths from the middle, all numbers are as far."""

MOST_INPUTS = 200
"""So many weights are learned in seconds."""

MOST_FLAGS = 8
COARSE, FINE = (0.5,), tuple(place / 16 for place in range(1, 16))
"""Where a column is cut, in shares of its values, and where the extremes of a row are."""


@dataclass(frozen=True, slots=True)
class _Base:
    """A number of each output, and what is looked at of it."""

    read: Callable[[Table], Floats]
    middle: float
    width: float
    flags: Floats
    cuts: Floats

    @staticmethod
    def of(read: Callable[[Table], Floats], table: Table, *, shares: tuple[float, ...]) -> "_Base":
        """Its place and width, the values that many draws share, and where to cut the rest."""
        values = read(table)
        flags = frequent(values)[:MOST_FLAGS]
        plain = values[np.isfinite(values) & ~np.isin(values, flags)]
        if not plain.size:
            return _Base(read, 0.0, 1.0, flags, np.zeros(0))
        low, middle, high = np.quantile(plain, (0.25, 0.5, 0.75))
        return _Base(read, middle, float(high - low) or 1.0, flags, np.quantile(plain, shares))

    def inputs(self, table: Table) -> Iterator[Floats]:
        """Which flag it is, whether it is NaN, where it lies, how far off, and above which cuts."""
        value = self.read(table)
        plain = np.isfinite(value)
        for flag in self.flags:
            same = value == flag
            plain &= ~same
            yield same.astype(np.float64)
        yield np.isnan(value).astype(np.float64)
        if not self.cuts.size:
            return
        off = np.zeros(value.shape)
        np.divide(value - self.middle, self.width, out=off, where=plain)
        np.clip(off, -FARTHEST, FARTHEST, out=off)
        yield off
        yield np.abs(off)
        for cut in self.cuts:
            yield (plain & (value > cut)).astype(np.float64)


def learned(one: Table, other: Table) -> Feature:
    """The logarithm of the odds that an output came from the first input, as far as learned."""
    bases = list(_bases(np.concatenate((one, other), axis=1)))
    inputs = np.array(
        [np.concatenate(pair) for base in bases for pair in _pairs(base, one, other)], np.float32
    )
    target = np.repeat(np.array([1, 0], np.float32), [one.shape[1], other.shape[1]])
    means = np.asarray(inputs.mean(axis=1, dtype=np.float64))
    spreads = np.asarray(inputs.std(axis=1, dtype=np.float64))
    useful = spreads > 0
    scaled = (inputs[useful] - means[useful, None]) / spreads[useful, None]
    weights = np.zeros(means.size)
    weights[useful] = _fitted(scaled.astype(np.float32), target) / spreads[useful]

    def score(table: Table) -> Floats:
        total = np.full(table.shape[1], -float(weights @ means))
        places = iter(weights)
        for base in bases:
            for given in base.inputs(table):
                total += next(places) * given
        return total

    return Feature("the score of a classifier", score, graded=True)


def _pairs(base: _Base, one: Table, other: Table) -> Iterator[tuple[Floats, Floats]]:
    return zip(base.inputs(one), base.inputs(other), strict=True)


def _bases(table: Table) -> Iterator[_Base]:
    """The columns, then the extremes of a row and the steps from column to column, if few."""
    count = len(table)
    columns = [_Base.of(partial(_column, place), table, shares=COARSE) for place in range(count)]
    yield from columns
    if count == 1:
        return
    yield _Base.of(partial(np.min, axis=0), table, shares=FINE)
    yield _Base.of(partial(np.max, axis=0), table, shares=FINE)
    room = MOST_INPUTS - sum(3 + base.flags.size + base.cuts.size for base in columns)
    for place in range(min(count - 1, room // 4)):
        if not columns[place].flags.size and not columns[place + 1].flags.size:
            yield _Base.of(partial(_step, place), table, shares=COARSE)


def _column(place: int, table: Table) -> Floats:
    return np.asarray(table[place])


def _step(place: int, table: Table) -> Floats:
    return np.asarray(table[place + 1] - table[place])


def _fitted(inputs: Singles, target: Singles) -> Floats:
    """Newton's steps; the ridge keeps inputs that say the same from fighting each other."""
    weights = np.zeros(len(inputs))
    for _ in range(STEPS):
        score = weights.astype(np.float32) @ inputs
        chance = 1 / (1 + np.exp(-np.clip(score, -30, 30)))
        slope = inputs @ (chance - target) + RIDGE * weights
        bend = (inputs * (chance * (1 - chance))) @ inputs.T + RIDGE * np.eye(len(inputs))
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if np.abs(step).max() < CLOSE:
            break
    return weights
