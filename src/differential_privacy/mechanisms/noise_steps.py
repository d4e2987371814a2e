"""Discrete Laplace noise in steps, to sum over it what falls as it grows: from above, in floats."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["SUMMING", "NoiseSteps"]

Floats = NDArray[np.float64]

STEPS = 1000
"""To a scale: up to this scale every integer is a step of its own, and the sums are exact."""

BEYOND = 60
"""Noise more scales away has a chance below 1e-26, which is given to the lowest step."""

ALMOST = 1 - 2.0**-53

SUMMING = 1e-10
"""Above the relative error of the sums."""


class NoiseSteps:
    """The chances of noise z in steps of whole numbers, and of other noise to reach past them.

    Theorem: what falls as z grows is at most what it is at the first of a step.
    """

    def __init__(self, scale: Fraction) -> None:
        self.scale = float(scale)
        width = max(1, math.floor(scale / STEPS))
        far = math.ceil(BEYOND * scale / width) * width
        self.width = width
        self.firsts = np.arange(-far, far + 1, width, dtype=np.float64)
        upper = self.at_least(self.firsts)
        self.chances = upper - np.append(upper[1:], 0.0)
        self.chances[0] += 1 - upper[0]

    def at_least(self, least: Floats) -> Floats:
        """The chance of noise of at least so much."""
        ratio = math.exp(-1 / self.scale)
        above = np.exp(-np.maximum(least, 0) / self.scale) / (1 + ratio)
        below = 1 - np.exp(np.minimum(least - 1, 0) / self.scale) / (1 + ratio)
        return np.asarray(np.where(least > 0, above, below), dtype=np.float64)

    @staticmethod
    def none(chances: Floats) -> Floats:
        """The logarithm of the chance of none: finite also where a chance is one in floats."""
        return np.asarray(np.log1p(-np.minimum(chances, ALMOST)), dtype=np.float64)
