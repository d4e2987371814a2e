"""Real values through a public grid: Laplace and Gaussian noise on reals, made of integers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import Grid, Interval, Number, integer, round_up, sqrt
from differential_privacy.mechanisms.integers import Integers, Noisy
from differential_privacy.privacy import Loss, Sensitivity
from differential_privacy.sampling import Bits

__all__ = ["IntegerNoise", "OnGrid"]


class IntegerNoise(Protocol):
    """Noise on integers, in steps of the grid."""

    def loss(self, sensitivity: Sensitivity) -> Loss:
        """The loss for integers."""

    def release(self, exact: Integers, *, bits: Bits | None = None) -> Noisy:
        """Integers plus noise."""

    def probability(self, noisy: int, *, exact: int) -> Interval:
        """The chance of a noisy integer."""

    def error(self, confidence: Number, *, count: int = 1) -> int:
        """The error in steps."""


N = TypeVar("N", bound=IntegerNoise)


@dataclass(frozen=True, slots=True)
class OnGrid(Generic[N]):
    """Round real values to the grid, add integer noise there, and tell where on the reals that is.

    The grid is part of the mechanism, and so is the `count` of values: rounding can widen each of
    their distances, and the loss pays for it.

    Theorem: a vector of n coordinates that moves by d in L1 moves by at most ceil(d / step) + n - 1
    steps, and by at most d2 / step + sqrt(n) steps in L2 where it moves by d2. No float meets the
    exact value after it was rounded, so no float's digits can tell it.

    Reference: Mironov 2012 (the attack on floats that this withstands).

    >>> laplace = OnGrid(Geometric(scale=1000), Grid(step=0.001, lower=0, upper=100))
    >>> laplace.loss(Sensitivity(l1=0.5))
    PureLoss(epsilon=0.5)
    """

    noise: N
    grid: Grid
    count: int = 1

    def __post_init__(self) -> None:
        integer(self.count, "count", least=1)
        if not isinstance(self.grid, Grid):
            raise InvalidArgumentError("grid", self.grid, "must be a Grid")

    def steps(self, sensitivity: Sensitivity) -> Sensitivity:
        """The sensitivity of the indices of values that have this one."""
        total = farthest = square = None
        if sensitivity.most is not None:
            farthest = Fraction(self.grid.steps(sensitivity.most))
        if sensitivity.l1 is not None:
            total = Fraction(self.grid.steps(sensitivity.l1) + self.count - 1)
        if self.count == 1 and sensitivity.l2_squared is not None:
            square = Fraction(self.grid.steps(sqrt(sensitivity.l2_squared).high)) ** 2
        elif sensitivity.l2_squared is not None:
            length = sqrt(sensitivity.l2_squared) / self.grid.step + sqrt(self.count)
            square = round_up((length * length).high)
        return Sensitivity(total, l2_squared=square, most=farthest)

    def loss(self, sensitivity: Sensitivity) -> Loss:
        """The loss of all the reals together, rounding included."""
        return self.noise.loss(self.steps(sensitivity))

    def release(self, exact: ArrayLike, *, bits: Bits | None = None) -> float | NDArray[np.float64]:
        """The noisy values, as floats: points of the endless grid, so they may pass its ends."""
        indices = self.grid.index(exact)
        if indices.size != self.count:
            raise PrivateArgumentError("exact", f"must be as many values as count = {self.count}")
        noisy = self.noise.release(indices, bits=bits)
        reals = np.asarray(noisy, dtype=np.float64) * float(self.grid.step)
        return reals if reals.ndim else float(reals)

    def probability(self, noisy: int, *, exact: float) -> Interval:
        """The chance of the point with the index `noisy`, given the exact value."""
        return self.noise.probability(noisy, exact=int(self.grid.index(exact)))

    def error(self, confidence: Number) -> Fraction:
        """How far any of the noisy values is from the exact one inside the grid's ends."""
        steps = self.noise.error(confidence, count=self.count)
        return steps * self.grid.step + self.grid.farthest
