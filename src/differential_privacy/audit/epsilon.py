"""Lower bounds on the epsilon of anything that can be called: what it does, not what it says.

Rule 1: the draws that choose an event are not the draws that count it.
Rule 2: a bound is rounded down, a p-value up.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.audit.classifier import learned
from differential_privacy.audit.events import Cells, Counts, Event, best_event
from differential_privacy.audit.features import Feature, Reader, Table, features
from differential_privacy.audit.odds import Bound, Tally, by_ends, by_pairs
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    exp,
    float_down,
    integer,
    log,
    normal_quantile,
    open_probability,
    shown,
    small_probability,
)
from differential_privacy.privacy import Loss

__all__ = ["LowerBound", "each", "epsilon"]

V = TypeVar("V")
Pairs = tuple[Counts, Counts]

BATCH = 1 << 18
CHOOSING = 1 << 24
"""So many draws on each input choose the event at most; the rest of them count it."""

RANKED = 1 << 18
"""So many draws choose among the features; all that choose, among the best few."""

FINALISTS = 16
LAST = 2
"""Each time that the draws double, the better half of the finalists goes on, down to so many."""

FEWEST = 1000

CAUTION = 2.0
"""Deviations that are taken off the chances that an event seems to have, as it was chosen."""

HALVINGS = 60
LEAST_P_VALUE = 1e-290


@dataclass(frozen=True, slots=True)
class LowerBound:
    """What draws prove of a mechanism: with the confidence, its epsilon is no less.

    `hits` are how many of the `trials` on either input met the event; they come first of the input
    on which it is likelier, which is the second one when `reversed`. The p-value is the chance at
    most, if the claim holds, of draws that speak against it as much as these.
    """

    epsilon: float
    delta: Fraction
    confidence: Fraction
    event: str
    reversed: bool
    hits: tuple[int, int]
    trials: int
    claimed: Loss | None = None
    p_value: float | None = None

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """The shares of the draws that met the event, on the likelier input and on the other."""
        return Fraction(self.hits[0], self.trials), Fraction(self.hits[1], self.trials)

    @property
    def refuted(self) -> bool:
        """Whether the bound is above the claim."""
        return self.claimed is not None and self.epsilon > self.claimed.epsilon_at(self.delta)

    def as_json(self) -> dict[str, object]:
        """The object that stands for this bound in a report."""
        return {
            "epsilon": self.epsilon,
            "delta": float(self.delta),
            "confidence": float(self.confidence),
            "event": self.event,
            "reversed": self.reversed,
            "hits": list(self.hits),
            "trials": self.trials,
            "claimed": None if self.claimed is None else repr(self.claimed),
            "refuted": self.refuted,
            "p_value": self.p_value,
        }

    def __str__(self) -> str:
        first, second = ("second", "first") if self.reversed else ("first", "second")
        others = f"{self.hits[1]:,} on the {second}"
        allowed = f" at delta {shown(self.delta)}" if self.delta else ""
        lines = [
            f"epsilon{allowed} is at least {self.epsilon:.6g}, confidence {shown(self.confidence)}",
            f"event: {self.event}",
            f"of {self.trials:,} draws: {self.hits[0]:,} on the {first} input, {others}",
        ]
        if self.claimed is not None:
            verdict = "REFUTED" if self.refuted else "not refuted"
            lines.append(f"claim: {self.claimed}: {verdict}, p-value {self.p_value:.2g}")
        return "\n".join(lines)


def epsilon(
    mechanism: Callable[[V, int], ArrayLike],
    x: V,
    y: V,
    *,
    samples: int = 2_000_000,
    confidence: Number = Fraction("0.999"),
    delta: Number = 0,
    claimed: Loss | None = None,
) -> LowerBound:
    """A lower bound on how well anyone can tell from the output whether the input was x or y.

    `mechanism(value, size)` gives `size` independent outputs, along the first axis of an array of
    any type; `each` makes it of a mechanism that gives one. It is called several times.

    Theorem: if an event has chances p on x and q on y, p <= e^epsilon q + delta, so epsilon is at
    least ln((p - delta) / q), which `by_ends` and `by_pairs` bound from draws of one fixed event.
    Which event is fixed, which input comes first and which of the two bounds is taken are functions
    of the draws that choose. Given these, the draws that count are as independent as before, so the
    bound fails for a chance of 1 - confidence at most; and as it does so whatever the choice was,
    it does on average over the choices. However many features, tails and classifiers competed,
    nothing of the confidence is lost.

    Reference: Clopper, Pearson 1934; Ding, Wang, Wang, Zhang, Kifer 2018 (StatDP) and Bichsel,
    Steffen, Bogunovic, Vechev 2021 (DP-Sniper), who fix the chance of the event where this does
    not: at c = 0.01 no epsilon above ln(100) is found.

    >>> def tell(value: int, size: int) -> object:
    ...     return np.where(np.arange(size) % 4 == 0, 1 - value, value)
    >>> bound = epsilon(tell, 0, 1, samples=20_000, claimed=PureLoss(1))
    >>> bound.refuted, bound.hits, bound.trials
    (True, (7500, 2500), 10000)
    >>> bound.event, bound.epsilon < math.log(3)
    ('output <= 0', True)
    """
    total = integer(samples, "samples", least=2 * FEWEST)
    sure = open_probability(confidence, "confidence")
    allowed = small_probability(delta, "delta")
    tolerated = None if claimed is None else claimed.epsilon_at(allowed)
    choosing = min(total // 2, CHOOSING)
    search = _Search(choosing, total - choosing, 1 - sure, allowed)
    pair = _Pair(lambda size: (_outputs(mechanism, x, size), _outputs(mechanism, y, size)))
    with np.errstate(invalid="ignore", over="ignore"):
        reader, event, bound = search.best(pair)
        tally = sum(
            (event.tally(*pair.tables(reader, n)) for n in _sizes(search.counting)), Tally()
        )
    odds = bound(tally, miss=1 - sure, delta=allowed)
    return LowerBound(
        epsilon=float_down(log(odds).low) if odds > 1 else 0.0,
        delta=allowed,
        confidence=sure,
        event=str(event),
        reversed=event.reversed,
        hits=(tally.first, tally.second),
        trials=tally.trials,
        claimed=claimed,
        p_value=None if tolerated is None else _p_value(bound, tally, tolerated, allowed),
    )


def each(mechanism: Callable[[V], object]) -> Callable[[V, int], NDArray[np.generic]]:
    """Many outputs of a mechanism that gives one: rows of an array, or objects if they are uneven.

    >>> each(lambda value: [value] * value)(2, 3).tolist(), each(sorted)([2, 1], 1).tolist()
    ([[2, 2], [2, 2], [2, 2]], [[1, 2]])
    """

    def many(value: V, size: int) -> NDArray[np.generic]:
        outputs = [mechanism(value) for _ in range(size)]
        objects = np.empty(size, dtype=object)
        objects[:] = outputs
        try:
            rows = np.asarray(outputs)
        except ValueError:
            return objects
        return rows

    return many


@dataclass(frozen=True, slots=True)
class _Pair:
    """Draws on both inputs."""

    draw: Callable[[int], tuple[NDArray[np.generic], NDArray[np.generic]]]

    def tables(self, reader: Reader, size: int) -> tuple[Table, Table]:
        one, other = self.draw(size)
        return reader.table(one), reader.table(other)


def _outputs(mechanism: Callable[[V, int], ArrayLike], value: V, size: int) -> NDArray[np.generic]:
    """So many outputs, as rows."""
    drawn = np.asarray(mechanism(value, size))
    if drawn.shape[:1] != (size,) or drawn.size == 0:
        rule = f"must give an array with {size} outputs along its first axis"
        raise InvalidArgumentError("mechanism", f"an array of shape {drawn.shape}", rule)
    return drawn.reshape(size, -1)


def _sizes(total: int) -> Iterator[int]:
    for start in range(0, total, BATCH):
        yield min(BATCH, total - start)


@dataclass(frozen=True, slots=True)
class _Search:
    """How many draws choose and count, and what the event that is sought must be good for."""

    choosing: int
    counting: int
    miss: Fraction
    delta: Fraction

    def best(self, pair: _Pair) -> tuple[Reader, Event, Bound]:
        """The event of largest promise, among all features, then the best few, and its bound."""
        first, *rest = _sizes(self.choosing)
        one, other = pair.draw(first)
        if one.shape != other.shape:
            shapes = f"outputs of {one.shape[1]} and of {other.shape[1]} columns"
            raise InvalidArgumentError("mechanism", shapes, "must give as many on both inputs")
        reader = Reader.learned(np.concatenate((one[:RANKED], other[:RANKED])))
        tables = reader.table(one), reader.table(other)
        finalists = self._ranked(reader, tables)[:FINALISTS]
        for place, size in enumerate((first, *rest), start=1):
            tables = tables if place == 1 else pair.tables(reader, size)
            finalists = [self._again(event, counts, tables) for event, counts in finalists]
            finalists.sort(key=_promise, reverse=True)
            if place.bit_count() == 1 and len(finalists) > LAST:
                finalists = finalists[: len(finalists) // 2]
        event, _ = finalists[0]
        seen = event.tally(*tables).scaled(self.counting)
        bounds: tuple[Bound, ...] = (by_ends, by_pairs)
        return (
            reader,
            event,
            max(bounds, key=lambda bound: bound(seen, miss=self.miss, delta=self.delta)),
        )

    def _ranked(self, reader: Reader, tables: tuple[Table, Table]) -> list[tuple[Event, Pairs]]:
        one, other = (table[:, :RANKED] for table in tables)
        found = []
        classifier = learned(*(table[:, ::2] for table in tables))
        for feature in (*features(reader, np.concatenate((one, other), axis=1)), classifier):
            numbers = feature.read(one), feature.read(other)
            cells = Cells.cut(np.concatenate([side[::2] for side in numbers]))
            counts = Counts.of(cells, numbers[0]), Counts.of(cells, numbers[1])
            event = self._event(feature, cells, counts)
            found.append((event, (Counts.none(cells), Counts.none(cells))))
        return sorted(found, key=_promise, reverse=True)

    def _again(
        self, event: Event, counts: Pairs, tables: tuple[Table, Table]
    ) -> tuple[Event, Pairs]:
        """The event of a finalist, chosen anew with more draws."""
        one, other = (Counts.of(event.cells, event.feature.read(table)) for table in tables)
        more = counts[0] + one, counts[1] + other
        return self._event(event.feature, event.cells, more), more

    def _event(self, feature: Feature, cells: Cells, counts: Pairs) -> Event:
        deviations = -normal_quantile(math.log(self.miss / 2))
        weighed = int(counts[0].weighing.sum())
        deviations = CAUTION + deviations * math.sqrt(weighed / self.counting)
        return best_event(feature, cells, counts, delta=float(self.delta), deviations=deviations)


def _promise(found: tuple[Event, Pairs]) -> float:
    return found[0].promise


def _p_value(bound: Bound, tally: Tally, tolerated: Fraction, delta: Fraction) -> float:
    """The least miss at which the bound is above the claim, or a little more.

    Theorem: a true claim is refuted at each miss for a chance of the miss at most, and the larger
    the miss the more is refuted; so the least that refutes is a p-value.
    """
    claim = exp(tolerated).high

    def refuted(log_miss: float) -> bool:
        return bound(tally, miss=Fraction(math.exp(log_miss)), delta=delta) > claim

    low, high = math.log(LEAST_P_VALUE), -math.log(2)
    if not refuted(high):
        return 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if refuted(middle) else (middle, high)
    return math.exp(high)
