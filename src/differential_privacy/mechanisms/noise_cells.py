"""Integer noise gathered into cells of equal width, to sum several noises in floats.

Rule 1: the noise is within `slack` of the middle of its cell, but for the chance `lost`; who adds
these two to what the cells tell is right about the noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce, singledispatch

import numpy as np
from numpy.typing import NDArray

from differential_privacy.accounting.convolution import upper_convolution
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import normal_tail
from differential_privacy.mechanisms.gaussian import DiscreteGaussian
from differential_privacy.mechanisms.geometric import Geometric

__all__ = ["Floats", "IntegerNoise", "NoiseCells", "cells_of", "sum_of"]

Floats = NDArray[np.float64]

IntegerNoise = Geometric | DiscreteGaussian

LEAST = 0.002
"""Noise of a smaller scale or deviation is zero but for a chance below 1e-200, as at this one."""

NARROW = 4096.0
"""Bells up to this deviation are summed integer by integer; wider ones are cut from the normal."""

WHOLE = 9.0
"""The terms of a bell so many deviations out are less than 1e-17 of all."""


@dataclass(frozen=True, slots=True, eq=False)
class NoiseCells:
    """Symmetric noise by the chances of the cells around 0, step, 2 step, ...; of one sign."""

    step: float
    chances: Floats
    slack: float
    lost: float

    @property
    def sizes(self) -> Floats:
        """The middles of the cells."""
        return np.asarray(np.arange(self.chances.size) * self.step, dtype=np.float64)

    @property
    def reach(self) -> float:
        """The middle of the last cell."""
        return (self.chances.size - 1) * self.step

    @property
    def deviation(self) -> float:
        """The standard deviation of the middles."""
        return math.sqrt(2 * float(self.chances @ self.sizes**2))

    @property
    def of_both_signs(self) -> Floats:
        """The chances of the sizes, of whichever sign."""
        return np.concatenate([self.chances[:1], 2 * self.chances[1:]])

    def above(self, least: Floats) -> Floats:
        """The chance of a cell whose middle is above each of these numbers."""
        last = self.chances.size - 1
        up = np.cumsum(self.chances[::-1])[::-1]
        # The chances to be in cell k or above, from the lowest k on.
        reaching = np.concatenate([[1.0], 1 - up[:0:-1], up[1:], [0.0]])
        first = np.floor(np.clip(least / self.step, -last - 1, last)).astype(np.intp) + 1
        return np.asarray(reaching[first + last], dtype=np.float64)

    def times(self, factor: float) -> "NoiseCells":
        """The noise times a positive factor."""
        return NoiseCells(self.step * factor, self.chances, self.slack * factor, self.lost)

    def in_steps(self, step: float) -> "NoiseCells":
        """The same noise in cells of another width."""
        places = np.rint(self.sizes / step).astype(np.intp)
        chances = np.bincount(places, weights=self.chances).astype(np.float64)
        # A cell around zero holds both signs of what falls into it.
        chances[0] = 2 * chances[0] - self.chances[0]
        return NoiseCells(step, chances, self.slack + step / 2, self.lost)

    def plus(self, other: "NoiseCells") -> "NoiseCells":
        """The sum with independent noise in cells of the same width."""
        one, two = (
            np.concatenate([noise.chances[:0:-1], noise.chances]) for noise in (self, other)
        )
        lost = self.lost + other.lost
        sums, errors = upper_convolution(one, two)
        if errors > lost:
            # Where next to nothing may be lost, products are summed as they are.
            sums, errors = np.convolve(one, two), 0.0
        middle = one.size // 2 + two.size // 2
        return NoiseCells(self.step, sums[middle:], self.slack + other.slack, lost + errors)


def sum_of(noises: Sequence[NoiseCells], *, step: float) -> NoiseCells:
    """The sum of independent noises: of one as it is, of several in cells of this width."""
    if len(noises) == 1:
        return noises[0]
    return reduce(NoiseCells.plus, (noise.in_steps(step) for noise in noises))


@singledispatch
def cells_of(noise: object, *, fineness: int, lost: float) -> NoiseCells:  # noqa: ARG001 - the types dispatched to read it
    """The cells of a noise, so many to its scale, that leave out at most the chance `lost`."""
    raise InvalidArgumentError("noise", noise, "must be a Geometric or a DiscreteGaussian")


@cells_of.register
def _(noise: Geometric, *, fineness: int, lost: float) -> NoiseCells:
    """Theorem: from m > 0 up noise has the chance q^m / (1 + q), so a cell of s has 1 - q^s of it.

    Both sides together pass m with chance 2 e^(-m / scale) at most.
    """
    scale = max(float(noise.scale), LEAST)
    beside = math.floor(scale / (2 * fineness))
    width = 2 * beside + 1
    last = math.ceil(scale * math.log(2 / lost) / width)
    ratio = math.exp(-1 / scale)
    firsts = np.arange(last + 1) * float(width) - beside
    chances = np.exp(-firsts / scale) * (-math.expm1(-width / scale) / (1 + ratio))
    chances[0] = 1 - 2 * math.exp(-(beside + 1) / scale) / (1 + ratio)
    return NoiseCells(float(width), chances, float(beside), lost)


@cells_of.register
def _(noise: DiscreteGaussian, *, fineness: int, lost: float) -> NoiseCells:
    """Theorem: both sides together pass m with chance 2 e^(-m^2 / (2 variance)) at most.

    Drawn from one uniform number, wide noise and the normal differ by at most one: its chance to
    be k or above lies between the normal's to be above k and above k - 1, to all digits of a float.
    """
    deviation = math.sqrt(max(float(noise.variance), LEAST**2))
    reach = deviation * math.sqrt(2 * math.log(2 / lost))
    if deviation > NARROW:
        step = deviation / fineness
        edges = np.arange(math.ceil(reach / step) + 2) - 0.5
        tails = normal_tail(np.abs(edges) / fineness)
        chances = -np.diff(tails)
        chances[0] = 1 - 2 * tails[1]
        return NoiseCells(step, chances, step / 2 + 1, lost)
    beside = math.floor(deviation / (2 * fineness))
    width = 2 * beside + 1
    last = math.ceil(reach / width)
    numbers = np.arange(max(last * width + beside, math.ceil(WHOLE * deviation)) + 1)
    terms = np.exp(-((numbers / deviation) ** 2) / 2)
    terms /= 2 * terms.sum() - 1
    cells = np.bincount((numbers + beside) // width, weights=terms)[: last + 1]
    cells[0] = 2 * cells[0] - terms[0]
    return NoiseCells(float(width), cells.astype(np.float64), float(beside), lost)
