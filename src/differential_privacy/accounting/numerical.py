"""A privacy loss as numbers: the distribution of log ratios, composed by convolution.

Rule 1: `epsilon_at` and `delta_at` are upper bounds; `least_epsilon_at` beside them is a lower one.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from differential_privacy.accounting.masses import Floats, Masses
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    float_down,
    nonnegative,
    round_down,
    round_up,
    small_probability,
)

__all__ = ["NumericalLoss"]

SUMMING = 2.0**-36
"""Above the relative error of sums over as many masses as are ever kept."""

SHARES = (0.1, 0.01, 0.001)
ETAS = (1e-6, 1e-9, 1e-12)
LEAST_ETA = 1e-300
"""The chances that are tried for the rounding to carry farther: any is sound, some are tight."""

SPAN = 500.0
"""Losses so far apart still have powers of e whose ratio is a float."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumericalLoss:
    """The tightest bound on many releases: how likely each log ratio is, at worst.

    `forward` is for data with the unit and `backward` for data without; one object serves for both
    when the pair is symmetric.

    >>> hundred = repeated(laplace_loss(0.1), times=100)
    >>> hundred
    NumericalLoss(epsilon=4.693 at delta=1e-06)
    >>> float(hundred.least_epsilon_at(1e-6)) > 4.67
    True
    """

    forward: Masses
    backward: Masses

    def __repr__(self) -> str:
        try:
            return f"NumericalLoss(epsilon={float(self.epsilon_at('1e-6')):.4g} at delta=1e-06)"
        except InvalidArgumentError:
            return f"NumericalLoss(delta={float(self.delta):.4g} whatever epsilon)"

    @property
    def delta(self) -> Fraction:
        """The chance of an answer that tells everything; with errors, where losses have no end."""
        told = max(_told(self.forward), _told(self.backward))
        return min(Fraction(1), Fraction(told))

    def delta_at(self, epsilon: Number) -> Fraction:
        """The delta that is left at an epsilon."""
        at = float_down(nonnegative(epsilon, "epsilon"))
        bound = max(_delta_at(self.forward, at), _delta_at(self.backward, at))
        return min(Fraction(1), round_up(Fraction(bound)))

    def epsilon_at(self, delta: Number) -> Fraction:
        """The epsilon that suffices at a delta."""
        allowed = small_probability(delta, "delta")
        if allowed < self.delta:
            rule = (
                f"must be at least {float(self.delta):.3g}: so much may be told or lost to rounding"
            )
            raise InvalidArgumentError("delta", delta, rule)
        found = max(
            _epsilon_at(side, float_down(allowed)) for side in (self.forward, self.backward)
        )
        return round_up(Fraction(found))

    def least_epsilon_at(self, delta: Number) -> Fraction:
        """An epsilon that no proof can go below: the gap to `epsilon_at` is what the grid costs.

        Theorem: rounding each of many independent losses inside cells of widths h moves their sum
        up by sum h^2 / 8 and what splits are raised by, and, except with chance eta, by another
        sqrt(2 ln(1/eta) sum h^2) at most; so the true delta at epsilon is at least the computed one
        at epsilon plus both, less eta and less what errors can have added.

        Reference: Gopi, Lee, Wutschitz 2021 (2106.02848v3), section 5, with Hoeffding's lemma.
        """
        wanted = float(small_probability(delta, "delta"))
        return max(_least(side, wanted) for side in (self.forward, self.backward))

    def __add__(self, other: "NumericalLoss") -> "NumericalLoss":
        """Both releases, the second chosen after the first answer from what has its loss."""
        if not isinstance(other, NumericalLoss):
            return NotImplemented
        forward = self.forward + other.forward
        if self.backward is self.forward and other.backward is other.forward:
            return NumericalLoss(forward, forward)
        return NumericalLoss(forward, self.backward + other.backward)


def _upper_sums(masses: Masses) -> tuple[Floats, Floats, Floats]:
    """The positive losses; the mass from each on; the same under the other dataset, times e^loss.

    The last is a sum of mass times e^-(how much larger its loss is), so nothing overflows however
    large losses are: stretches of `SPAN` are summed by themselves, and carried over.
    """
    first = max(0, 1 - masses.lowest)
    losses, mass = masses.losses[first:], masses.mass[first:]
    mine = np.cumsum(mass[::-1])[::-1]
    theirs, carried, stop = np.zeros(len(mass)), 0.0, len(mass)
    while stop:
        start = int(np.searchsorted(losses, losses[stop - 1] - SPAN))
        apart = losses[start:stop] - losses[start]
        inside = np.cumsum((mass[start:stop] * np.exp(-apart))[::-1])[::-1]
        to_next = losses[stop - 1] + masses.step - losses[start:stop]
        theirs[start:stop] = np.exp(apart) * inside + carried * np.exp(-to_next)
        carried, stop = float(theirs[start]), start
    return losses, mine, theirs


def _told(masses: Masses) -> float:
    """What no epsilon protects: past the largest loss there are no errors to charge."""
    return masses.infinite if masses.most < math.inf else masses.infinite + masses.lost


def _delta_at(masses: Masses, epsilon: float) -> float:
    if epsilon >= masses.most:
        return masses.infinite
    losses, mine, theirs = _upper_sums(masses)
    place = int(np.searchsorted(losses, epsilon, side="right"))
    told = masses.infinite + masses.lost
    if place == len(losses):
        return told
    stick = mine[place] * (1 + SUMMING) - math.exp(epsilon - losses[place]) * theirs[place]
    return told + max(0.0, float(stick))


def _epsilon_at(masses: Masses, delta: float) -> float:
    """Where the hockey stick, straight in e^epsilon between two losses, comes down to delta."""
    losses, mine, theirs = _upper_sums(masses)
    rest = delta - masses.infinite - masses.lost
    if len(losses) == 0:
        return 0.0
    if rest < 0:
        return masses.most
    starts = np.concatenate(([0.0], losses[:-1]))
    ends = mine * (1 + SUMMING) - theirs
    place = int(np.argmax(ends <= rest)) if bool(np.any(ends <= rest)) else len(losses) - 1
    over = mine[place] * (1 + SUMMING) - rest
    found = 0.0
    if over > 0 and theirs[place] > 0:
        found = float(losses[place]) + math.log(over / theirs[place])
    highest = min(float(losses[-1]), masses.most)
    return min(max(float(starts[place]), found) * (1 + 2.0**-48), highest)


def _least(masses: Masses, delta: float) -> Fraction:
    sure = replace(masses, lost=-masses.gained)
    best = 0.0
    for eta in (*(delta * share for share in SHARES), *ETAS):
        if eta < LEAST_ETA:
            continue
        carried = math.sqrt(2 * math.log(1 / eta) * masses.wobble) + masses.drift
        best = max(best, _epsilon_at(sure, delta + eta) * (1 - 2.0**-30) - carried)
    return round_down(Fraction(best))
