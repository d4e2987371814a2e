"""The exponential mechanism over a continuum: the bias of a coin, chosen by its likelihood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Grid, Interval, Number, log, positive, shown
from differential_privacy.mechanisms.exponential import Exponential
from differential_privacy.mechanisms.integers import whole_array
from differential_privacy.privacy import AddRemoveRows, ChangeRows, PureLoss, Sensitivity
from differential_privacy.sampling import Bits

__all__ = ["TruncatedBeta"]
"""The name of the law it draws from."""

UNIT = Fraction(1, 1 << 40)
"""What a log-likelihood is counted in, so that scores are integers."""


@dataclass(frozen=True, slots=True, repr=False)
class TruncatedBeta:
    """Choose the chance of heads from a grid inside (0, 1), by how likely it makes the flips.

    `weight` is what each flip counts, where it would count one for a posterior without privacy.

    Theorem: with N_H heads and N_T tails a point t has chance in proportion to
    t^(weight N_H) (1 - t)^(weight N_T): a Beta(1 + weight N_H, 1 + weight N_T) on the grid. A flip
    moves the log-likelihood by at most -ln of the least chance of the grid, so adding or removing a
    flip costs 2 weight times that; changing one moves it by at most ln((1 - t)/t) at an end.
    Logarithms are rounded toward zero to a grid of their own, which never widens a move under
    add/remove, and by at most one unit under change.

    Reference: McSherry, Talwar 2007, theorem 6.

    >>> inside = Grid(step=0.01, lower=0.1, upper=0.9)
    >>> choice = TruncatedBeta.for_loss(PureLoss(0.1), grid=inside, unit=AddRemoveRows())
    >>> float(choice.weight), choice.loss(AddRemoveRows()).epsilon <= Fraction(1, 10)
    (0.0217..., True)
    """

    weight: Fraction
    grid: Grid

    def __init__(self, weight: Number, *, grid: Grid) -> None:
        object.__setattr__(self, "weight", positive(weight, "weight"))
        object.__setattr__(self, "grid", grid)
        if not 0 < grid.point(grid.first) <= grid.point(grid.last) < 1:
            rule = "must have all its points above 0 and below 1: else one flip could rule one out"
            raise InvalidArgumentError("grid", grid, rule)

    def __repr__(self) -> str:
        return f"TruncatedBeta(weight={shown(self.weight)}, grid={self.grid!r})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, grid: Grid, unit: AddRemoveRows | ChangeRows
    ) -> "TruncatedBeta":
        """The weight of exactly this loss: epsilon over twice the move of the score."""
        moved = TruncatedBeta(1, grid=grid).score_sensitivity(unit)
        return TruncatedBeta(positive(loss.epsilon, "epsilon") / (2 * moved), grid=grid)

    @property
    def points(self) -> list[Fraction]:
        """The candidates."""
        return [self.grid.point(index) for index in range(self.grid.first, self.grid.last + 1)]

    def log_likelihoods(self) -> tuple[list[int], list[int]]:
        """What a head and what a tail adds to the score of each candidate, in units."""
        heads = [math.ceil(log(point).high / UNIT) for point in self.points]
        tails = [math.ceil(log(1 - point).high / UNIT) for point in self.points]
        return heads, tails

    def score_sensitivity(self, unit: AddRemoveRows | ChangeRows) -> Fraction:
        """How far one flip moves any candidate's log-likelihood.

        >>> beta = TruncatedBeta(1, grid=Grid(step=0.01, lower=0.1, upper=0.9))
        >>> round(float(beta.score_sensitivity(AddRemoveRows())), 3)
        2.303
        >>> round(float(beta.score_sensitivity(ChangeRows())), 3)
        2.197
        """
        heads, tails = self.log_likelihoods()
        if isinstance(unit, AddRemoveRows):
            return max(-least for least in (*heads, *tails)) * UNIT
        return max(abs(head - tail) for head, tail in zip(heads, tails, strict=True)) * UNIT

    def loss(self, unit: AddRemoveRows | ChangeRows) -> PureLoss:
        """The pure loss for one flip more or less, or of another outcome."""
        return self._choice.loss(Sensitivity(most=self.score_sensitivity(unit) / UNIT))

    def release(self, exact: Sequence[int], *, bits: Bits | None = None) -> Fraction:
        """The chance of heads, chosen by the private numbers of heads and tails."""
        return self.points[self._choice.release(self._scores(exact), bits=bits)]

    def probability(self, noisy: Fraction, *, exact: Sequence[int]) -> Interval:
        """The chance of a candidate, given the numbers of heads and tails."""
        place = self.points.index(noisy)
        return self._choice.probability(place, exact=self._scores(exact))

    @property
    def _choice(self) -> Exponential:
        return Exponential(self.weight * UNIT)

    def _scores(self, exact: Sequence[int]) -> list[int]:
        heads, tails = (int(count) for count in whole_array(exact))
        return [
            heads * head + tails * tail for head, tail in zip(*self.log_likelihoods(), strict=True)
        ]
