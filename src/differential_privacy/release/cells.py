"""The noisy numbers of an answer by what they are called in its plan, as arrays over its groups."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.queries import Linear, Percentile, Plan, Statistic, Whole
from differential_privacy.release.noisy import Noisy

__all__ = ["Cells", "Floats", "Values"]

Floats = NDArray[np.float64]
Values = NDArray[np.object_] | Floats
"""Numbers, in which NaN stands for NULL, or texts and truths, in which None does."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The noisy numbers of one answer, and what is public of them."""

    plan: Plan
    noisy: Noisy

    @property
    def size(self) -> int:
        """How many groups there are."""
        return len(self.noisy.groups)

    def key(self, place: int) -> Values:
        """A key of every group."""
        kind = self.plan.asked.keys[place].type
        values = [group[place] for group in self.noisy.groups]
        if isinstance(kind, Whole) and kind.step != 1:
            return np.array([math.nan if v is None else float(int(v) * kind.step) for v in values])
        # Whole numbers stay what they are: floats would take two large ones for the same.
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found

    def parts(self, value: Linear) -> Mapping[Statistic, Fraction]:
        """The multiples of noisy statistics that add up to a linear value, a row being one."""
        unit = self.plan.reach.unit
        combined = self.plan.priced.blocks.combined(value)
        return {one: times / unit for one, times in combined.items()}

    def statistic(self, one: Statistic) -> Floats:
        """A noisy statistic of every group."""
        listed = [each for block, _ in self.plan.priced.noises for each in block.statistics]
        return np.array(self.noisy.statistics[listed.index(one)], dtype=np.float64)

    def sums(self, value: Linear) -> Floats:
        """The noisy value of a linear output, of every group."""
        total = np.full(self.size, float(value.constant))
        for one, times in self.parts(value).items():
            total = total + self.statistic(one) * float(times)
        return total

    def chosen(self, percentile: Percentile) -> Floats:
        """What was chosen for every group."""
        place = [one for one, _ in self.plan.priced.quantiles].index(percentile)
        return np.array(self.noisy.chosen[place], dtype=np.float64) * float(percentile.step)
