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

LEAST_SCALE = Fraction(1, 1 << 500)
LEAST_MISS = 1e-20

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
        # Each step has the chance q^(its point nearest to zero) (1 - q^width) / (1 + q).
        nearest = np.where(self.firsts < 0, -self.firsts - width + 1, self.firsts)
        ratio = math.exp(-1 / self.scale)
        self.chances = (
            np.exp(-nearest / self.scale) * -math.expm1(-width / self.scale) / (1 + ratio)
        )
        self.chances[0] += math.exp(-(far + 1) / self.scale) / (1 + ratio)

    @staticmethod
    def fit(scale: Fraction, miss: float) -> bool:
        """Whether floats can hold the scale, and the steps resolve so small a miss."""
        return LEAST_SCALE < scale < 1 / LEAST_SCALE and miss > LEAST_MISS

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
