"""The exact loss of a mechanism that is given as a table of its output probabilities.

Rule 1: a table of rationals is answered in rationals; logarithms enter at the very end, rounded up.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    log,
    nonnegative,
    probability,
    round_up,
    small_probability,
)
from differential_privacy.privacy import ApproximateLoss

__all__ = ["FiniteMechanism", "Worst", "hockey_stick", "least_factor"]

Distribution = Mapping[Hashable, Fraction]


@dataclass(frozen=True, slots=True)
class Worst:
    """The pair of inputs that is told apart best, by which event, at which odds.

    `factor` is e^epsilon, exactly, or None when no epsilon suffices.
    """

    inputs: tuple[Hashable, Hashable]
    event: frozenset[Hashable]
    factor: Fraction | None


def hockey_stick(one: Distribution, other: Distribution, *, factor: Fraction) -> Fraction:
    """The most by which an event's chance under `one` passes `factor` times that under `other`.

    Theorem: the best event takes each output that is more than `factor` times as likely.

    >>> half, sure = Fraction(1, 2), Fraction(1)
    >>> hockey_stick({"a": half, "b": half}, {"a": sure}, factor=sure)
    Fraction(1, 2)
    """
    gains = (chance - factor * other.get(output, Fraction(0)) for output, chance in one.items())
    return sum((gain for gain in gains if gain > 0), start=Fraction(0))


def least_factor(
    one: Distribution, other: Distribution, *, delta: Fraction = Fraction(0)
) -> tuple[Fraction | None, frozenset[Hashable]]:
    """The least factor whose hockey stick is at most delta, and an event that needs it.

    Theorem: the hockey stick falls in straight pieces, the slope between two likelihood ratios
    being the chance under `other` of the outputs above; so the factor is (P(S) - delta) / Q(S) for
    the S of largest ratios that makes this largest. None when S has no chance under `other`: max
    divergence is infinite.
    """
    impossible = [output for output, chance in one.items() if chance and not other.get(output)]
    event = list(impossible)
    mine, theirs = sum((one[output] for output in impossible), Fraction(0)), Fraction(0)
    if mine > delta:
        return None, frozenset(event)
    shared = [output for output, chance in one.items() if chance and other.get(output)]
    shared.sort(key=lambda output: one[output] / other[output], reverse=True)
    best, best_size = Fraction(0), 0
    for output in shared:
        event.append(output)
        mine, theirs = mine + one[output], theirs + other[output]
        if (mine - delta) / theirs > best:
            best, best_size = (mine - delta) / theirs, len(event)
    return best, frozenset(event[:best_size])


class FiniteMechanism:
    """A mechanism with finitely many inputs and outputs, known by its probabilities.

    `neighbors` are the pairs of inputs to keep apart; all pairs when left out.

    >>> odds = {"yes": {"yes": "3/4", "no": "1/4"}, "no": {"yes": "1/4", "no": "3/4"}}
    >>> coins = FiniteMechanism(odds)
    >>> coins.worst().factor, coins.loss()
    (Fraction(3, 1), ApproximateLoss(epsilon=1.09861228867, delta=0))
    """

    def __init__(
        self,
        table: Mapping[Hashable, Mapping[Hashable, Number]],
        *,
        neighbors: Iterable[tuple[Hashable, Hashable]] | None = None,
    ) -> None:
        self.table: dict[Hashable, Distribution] = {
            given: {output: probability(chance, "probability") for output, chance in row.items()}
            for given, row in table.items()
        }
        for given, row in self.table.items():
            if sum(row.values()) != 1:
                raise InvalidArgumentError("table", given, "must have probabilities that sum to 1")
        named = [(a, b) for a in table for b in table if a != b] if neighbors is None else neighbors
        self.pairs = sorted({pair for a, b in named for pair in ((a, b), (b, a))}, key=repr)
        strangers = [given for pair in self.pairs for given in pair if given not in self.table]
        if strangers:
            raise InvalidArgumentError("neighbors", strangers[0], "must be inputs of the table")

    def worst(self, *, delta: Number = 0) -> Worst:
        """The pair and event that need the largest factor at this delta."""
        allowed = small_probability(delta, "delta")
        found = Worst(("", ""), frozenset(), Fraction(0))
        for one, other in self.pairs:
            factor, event = least_factor(self.table[one], self.table[other], delta=allowed)
            if factor is None:
                return Worst((one, other), event, None)
            if found.factor is None or factor > found.factor:
                found = Worst((one, other), event, factor)
        return found

    def loss(self, *, delta: Number = 0) -> ApproximateLoss:
        """The tight epsilon at this delta."""
        worst = self.worst(delta=delta)
        if worst.factor is None:
            rule = (
                "must be larger: some event can happen for one input of a pair, not for the other"
            )
            raise InvalidArgumentError("delta", delta, rule)
        epsilon = round_up(log(worst.factor).high) if worst.factor > 1 else 0
        return ApproximateLoss(epsilon, delta)

    def delta_at(self, *, factor: Number) -> Fraction:
        """The tight delta at e^epsilon = factor, exactly."""
        odds = nonnegative(factor, "factor")
        sticks = (hockey_stick(self.table[a], self.table[b], factor=odds) for a, b in self.pairs)
        return max(sticks, default=Fraction(0))
