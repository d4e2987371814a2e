"""One direction of a privacy-loss distribution: masses on a grid of losses, and their convolution.

Rule 1: mass only ever moves to larger losses; what floats may have lost is charged to delta.

Discretization. A cell of the grid holds some mass under the one dataset and some under the other.
Both are kept when they are split between the two ends of the cell, which spreads likelihood ratios
without moving their mean, so every hockey stick grows or stays: the bound is from above, and it is
exact at the grid's points ("connecting the dots").

Reference: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022 (2207.04380), section 4.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from differential_privacy.accounting.convolution import convolved_tail, upper_convolution

__all__ = ["Masses"]

Floats = NDArray[np.float64]

LONGEST = 1 << 15
"""Points kept: a longer distribution goes over to a grid twice as coarse."""

TAIL = 1e-18
"""Mass cut off at either end: moved up at the lower, charged to delta at the upper."""

RELATIVE = 2.0**-46
"""By how much each mass is raised: far more than the sums of positive floats that make it lose."""

ROUNDING = 2.0**-52
"""Above the relative error of one operation on floats."""

SPLIT = 2.0**-36
"""By how much the share that an atom sends to the upper end of its cell is raised."""


@dataclass(frozen=True, slots=True, eq=False)
class Masses:
    """The chance, under one dataset, of each log ratio of its likelihood to the other's.

    The grid's step is 2**-fineness, so its points are exact floats. `most` is the largest finite
    loss there is, known apart from the grid; `infinite` is the chance of what the other dataset
    makes impossible. `lost` bounds the mass that errors may have taken,
    `gained` what they may have added; `wobble` adds up the squares of the cells that mass was
    rounded in, which bounds how far the rounding can have carried the whole, and `drift` what
    it carries on average.
    """

    fineness: int
    lowest: int
    mass: Floats
    most: float
    infinite: float = 0.0
    lost: float = 0.0
    gained: float = 0.0
    wobble: float = 0.0
    drift: float = 0.0

    @property
    def step(self) -> float:
        """The distance between two points of the grid."""
        return math.ldexp(1.0, -self.fineness)

    @property
    def losses(self) -> Floats:
        """The log ratio of each mass."""
        return np.arange(self.lowest, self.lowest + len(self.mass), dtype=np.float64) * self.step

    @staticmethod
    def of_atoms(
        losses: Floats,
        chances: Floats,
        *,
        fineness: int,
        most: float,
        infinite: float = 0.0,
        lost: float = 0.0,
        split: float = SPLIT,
    ) -> "Masses":
        """Each atom split between the two points of the grid around it.

        Theorem: an atom of mass m at loss l, at d above the lower end of a cell of width h, keeps
        both its masses when m (1 - e^-d) / (1 - e^-h) of it goes to the upper end. A whole cell
        whose masses are a and b splits as an atom of mass a at ln(a / b) does.
        """
        step = math.ldexp(1.0, -fineness)
        below = np.floor(losses / step)
        share = np.expm1(below * step - losses) / math.expm1(-step)
        upper = chances * np.minimum(1.0, share + split)
        low = int(below.min())
        cell = (below - low).astype(np.int64)
        size = int(cell.max()) + 2
        mass = _placed(cell, chances - upper, size) + _placed(cell + 1, upper, size)
        raised = RELATIVE * float(mass.sum())
        mass = mass * (1 + RELATIVE)
        drift = step**2 / 8 + split * step
        return Masses(fineness, low, mass, most, infinite, lost, lost + raised, step**2, drift)

    def coarser(self, fineness: int) -> "Masses":
        """The same on a grid of larger steps, halved down as often as it takes."""
        now = self
        while now.fineness > fineness:
            odd = (now.lowest + np.arange(len(now.mass))) % 2
            up = now.mass * odd * min(1.0, 1 / (1 + math.exp(-now.step)) + SPLIT)
            down = now.mass * odd - up
            low = now.lowest // 2
            place = (now.lowest + np.arange(len(now.mass))) // 2 - low
            size = len(now.mass) // 2 + 2
            mass = _placed(place, now.mass * (1 - odd) + down, size)
            mass += _placed(place + 1, up, size)
            now = replace(
                now,
                fineness=now.fineness - 1,
                lowest=low,
                mass=mass * (1 + RELATIVE),
                gained=now.gained + RELATIVE,
                wobble=now.wobble + (2 * now.step) ** 2,
                drift=now.drift + (2 * now.step) ** 2 / 8 + SPLIT * 2 * now.step,
            )
        return now

    def __add__(self, other: "Masses") -> "Masses":
        """The distribution of the sum of two independent losses.

        Theorem: the log ratios of independent answers add, so their laws convolve; a choice of the
        second after the first answer does no better than the worst second one.

        Reference: Zhu, Dong, Wang 2022 (2106.08567v4), theorem 10.
        """
        fineness = min(self.fineness, other.fineness)
        one, two = self.coarser(fineness), other.coarser(fineness)
        mass, added = upper_convolution(one.mass, two.mass)
        stop, beyond = convolved_tail(one.mass, two.mass, TAIL)
        kept = mass[: max(stop, 1)]
        # What was added beyond is added at the top: the sum of any upper part stays large enough.
        kept[-1] += min(added, float(mass[stop:].sum()))
        # What was lost on one side was lost with every mass of the other; totals hardly pass 1.
        more = 1 + 2.0**-20
        both = Masses(
            fineness,
            one.lowest + two.lowest,
            kept,
            (one.most + two.most) * (1 + ROUNDING),
            one.infinite + two.infinite - one.infinite * two.infinite,
            (one.lost + two.lost) * more + beyond * more,
            (one.gained + two.gained) * more + 2 * added,
            one.wobble + two.wobble,
            one.drift + two.drift,
        )
        lifted = both._lifted(TAIL + added)
        return lifted if len(lifted.mass) <= LONGEST else lifted.coarser(fineness - 1)

    def _lifted(self, tail: float) -> "Masses":
        """Without a lower tail of this mass, which is moved up to the first point kept."""
        reached = np.cumsum(self.mass)
        first = min(int(np.searchsorted(reached, tail)), len(self.mass) - 1)
        mass = self.mass[first:].copy()
        mass[0] = reached[first]
        return replace(self, lowest=self.lowest + first, mass=mass, gained=self.gained + tail)


def _placed(place: NDArray[np.int64], mass: Floats, size: int) -> Floats:
    return np.asarray(np.bincount(place, mass, size), dtype=np.float64)
