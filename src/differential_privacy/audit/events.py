"""Events on a feature of the outputs, and the choice of the one that tells two inputs apart best.

Rule 1: an event is chosen on some draws and counted on others.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.features import Feature, Floats, Table
from differential_privacy.audit.odds import Tally

__all__ = ["Cells", "Counts", "Event", "best_event"]

Ints = NDArray[np.int64]

MOST_ATOMS = 4096
MIDDLE = 200
OFTEN = 1000
SMOOTHING = 4.0
CAUTION = 1.5
PLAINER = 1.05
"""A patchwork of cells must promise more than a tail by so much."""

SAID = 3
"""So many parts of an event are said in words; how many more there are is counted."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The real line cut into cells, each up to and with its end; a last one holds NaN.

    >>> cells = Cells.cut(np.array([1.0, 1.0, 2.0]))
    >>> cells.count(np.array([0.5, 1.0, 1.5, 2.0, np.inf, np.nan])).tolist()
    [1, 1, 1, 1, 1, 1]
    """

    ends: Floats

    @staticmethod
    def cut(numbers: Floats) -> "Cells":
        """Cells that hold one value each where values repeat, finer and finer towards the ends."""
        ordered = np.sort(numbers[~np.isnan(numbers)])
        values, repeats = np.unique(ordered, return_counts=True)
        if values.size <= MOST_ATOMS:
            atoms, between = values, values[:0]
        else:
            atoms = values[repeats * OFTEN >= ordered.size]
            between = ordered[_ranks(ordered.size)]
        ends = np.concatenate((np.nextafter(atoms, -np.inf), atoms, between, [np.inf]))
        return Cells(np.unique(ends))

    def index(self, numbers: Floats) -> Ints:
        """The cell of each number."""
        return np.searchsorted(self.ends, numbers)

    def count(self, numbers: Floats) -> Ints:
        """How many of the numbers are in each cell."""
        return np.bincount(self.index(numbers), minlength=self.ends.size + 1)


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each cell was met, on draws that order the cells and on draws that weigh them."""

    ordering: Ints
    weighing: Ints

    @staticmethod
    def none(cells: Cells) -> "Counts":
        """Nothing was met yet."""
        zeros = np.zeros(cells.ends.size + 1, dtype=np.int64)
        return Counts(zeros, zeros)

    @staticmethod
    def of(cells: Cells, numbers: Floats) -> "Counts":
        """Every other draw orders, the rest weigh."""
        return Counts(cells.count(numbers[::2]), cells.count(numbers[1::2]))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.ordering + other.ordering, self.weighing + other.weighing)


@dataclass(frozen=True, slots=True)
class Event:
    """Some of the cells of a feature; `reversed` when it is likelier on the second input.

    `promise` is the bound that it seems to give.
    """

    feature: Feature
    cells: Cells = field(repr=False)
    chosen: NDArray[np.bool_] = field(repr=False)
    reversed: bool
    promise: float

    def tally(self, one: Table, other: Table) -> Tally:
        """How often it happened, first on the input where it is likelier."""
        first, second = (
            self.chosen[self.cells.index(self.feature.read(table))] for table in (one, other)
        )
        return Tally.of(second, first) if self.reversed else Tally.of(first, second)

    def __str__(self) -> str:
        codes = self.feature.codes
        parts = list(self._ranges() if codes is None else self._values(codes))
        if self.chosen[-1]:
            parts.append("is NaN" if codes is None else "is none")
        more = [f"or {len(parts) - SAID} more"] if len(parts) > SAID else []
        said = " or ".join(parts[:SAID])
        return " ".join([self.feature.name, said or "is impossible", *more])

    def _values(self, codes: Mapping[float, str]) -> Iterator[str]:
        # A cell whose lower end is the float below its end holds one value.
        for place in np.flatnonzero(self.chosen[:-1]):
            end = self.cells.ends[place]
            if place and self.cells.ends[place - 1] == np.nextafter(end, -np.inf):
                yield f"is {codes[float(end)]}"

    def _ranges(self) -> Iterator[str]:
        inside = np.concatenate(([False], self.chosen[:-1], [False])).astype(np.int8)
        starts, stops = (np.flatnonzero(np.diff(inside) == step) for step in (1, -1))
        for start, stop in zip(starts, stops, strict=True):
            low = -math.inf if start == 0 else float(self.cells.ends[start - 1])
            yield _range(low, float(self.cells.ends[start]), float(self.cells.ends[stop - 1]))


def best_event(
    feature: Feature,
    cells: Cells,
    counts: tuple[Counts, Counts],
    *,
    delta: float,
    deviations: float,
) -> Event:
    """The event of largest promise: a tail, or the cells of largest likelihood ratio.

    Theorem: of the events made of whole cells, the best are those that take cells by falling ratio
    (Neyman, Pearson). Their order is learned on one half of the counts, how many to take on the
    other, so that noise in the ratios does not look like a leak.
    """
    found = [
        _best_way(feature, cells, one, other, delta=delta, deviations=deviations, back=back)
        for back, (one, other) in ((False, counts), (True, counts[::-1]))
    ]
    return max(found, key=lambda event: event.promise)


def _best_way(
    feature: Feature,
    cells: Cells,
    one: Counts,
    other: Counts,
    *,
    delta: float,
    deviations: float,
    back: bool,
) -> Event:
    natural = np.arange(one.ordering.size)
    best, order, size = -math.inf, natural, 0
    for candidate in _orders(feature, one.ordering, other.ordering):
        hits = np.cumsum(one.weighing[candidate]), np.cumsum(other.weighing[candidate])
        trials = int(one.weighing.sum()), int(other.weighing.sum())
        bounds = _promises(hits, trials, delta=delta, deviations=deviations)
        place = int(np.argmax(bounds))
        if bounds[place] > max(PLAINER * best, best):
            best, order, size = float(bounds[place]), candidate, place + 1
    chosen = np.zeros(natural.size, dtype=np.bool_)
    chosen[order[:size]] = True
    met = one.ordering + one.weighing + other.ordering + other.weighing > 0
    return Event(feature, cells, _filled(chosen, met), back, best)


def _orders(feature: Feature, one: Ints, other: Ints) -> Iterator[Ints]:
    """Orders in which cells may be taken."""
    natural = np.arange(one.size)
    if feature.codes is None:
        yield natural
        yield natural[-2::-1]
    if not feature.graded:
        # Cells with few draws come late, as their ratios are little known.
        high, low = other + SMOOTHING, one + SMOOTHING
        yield np.argsort(-(low - CAUTION * np.sqrt(low)) / (high + CAUTION * np.sqrt(high)))


def _filled(chosen: NDArray[np.bool_], met: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells that no draw met are taken where both neighbors are, and left where not."""
    filled = chosen & met
    for run in _runs(~met[:-1]):
        before = run.start == 0 or filled[run.start - 1]
        after = run.stop == met.size - 1 or filled[run.stop]
        filled[run] = before and after
    return filled


def _runs(flags: NDArray[np.bool_]) -> Iterator[slice]:
    steps = np.diff(np.concatenate(([False], flags, [False])).astype(np.int8))
    for start, stop in zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1), strict=True):
        yield slice(int(start), int(stop))


def _promises(
    hits: tuple[Ints, Ints], trials: tuple[int, int], *, delta: float, deviations: float
) -> Floats:
    """The logarithms of odds that hits like these are good for.

    Theorem: the arcsine of the root of a share has nearly the deviation 1 / (2 sqrt(trials)),
    whatever the share. It only seeks: what is found is counted anew.
    """
    low, high = (
        np.arcsin(np.sqrt((hit + extra) / (count + extra)))
        for hit, count, extra in zip(hits, trials, (0, 1), strict=True)
    )
    low = np.sin(np.maximum(low - deviations / (2 * math.sqrt(trials[0])), 0)) ** 2
    high = np.sin(np.minimum(high + deviations / (2 * math.sqrt(trials[1])), math.pi / 2)) ** 2
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(low - delta, 0)) - np.log(high))


def _ranks(count: int) -> Ints:
    """Places in an ordered sample: near the ends by factors, in the middle evenly."""
    outer = np.unique(np.geomspace(1, count // MIDDLE, 60).astype(np.int64)) - 1
    inner = np.linspace(0, count - 1, MIDDLE).astype(np.int64)
    return np.unique(np.concatenate((outer, inner, count - 1 - outer)))


def _range(low: float, first: float, high: float) -> str:
    """The numbers above the low end and up to the high one, when `first` is the first end above."""
    single = math.nextafter(low, math.inf) == first
    if single and first == high:
        return f"= {high:.6g}"
    if low == -math.inf:
        return "is a number" if high == math.inf else f"<= {high:.6g}"
    least = f">= {first:.6g}" if single else f"> {low:.6g}"
    return least if high == math.inf else f"{least} and <= {high:.6g}"
