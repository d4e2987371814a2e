"""The exponential mechanism over a continuum: the bias of a coin, chosen by its likelihood."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import Grid, Interval, Number, log, positive, shown
from differential_privacy.mechanisms.exponential import Exponential
from differential_privacy.mechanisms.integers import whole_array
from differential_privacy.privacy import AddRemoveRows, ChangeRows, PureLoss
from differential_privacy.sampling import Bits

__all__ = ["TruncatedBeta"]
"""The name of the law it draws from."""

MOST_POINTS = 100_000
UNIT = Fraction(1, 1 << 40)
"""What a log-likelihood is counted in, so that scores are integers."""


@dataclass(frozen=True, slots=True, repr=False)
class TruncatedBeta:
    """Choose the chance of heads from a grid inside (0, 1), by how likely it makes the flips.

    `weight` is what each flip counts, where it would count one for a posterior without privacy.

    Theorem: with N_H heads and N_T tails a point t has chance in proportion to
    t^(weight N_H) (1 - t)^(weight N_T): a Beta(1 + weight N_H, 1 + weight N_T) on the grid. When
    one unit moves the score of each candidate by something from a to b, the pure loss is b - a: the
    constant part cancels. From 0.1 to 0.9 a flip that comes or goes moves scores by ln 0.1 to
    ln 0.9, so by ln 9; one that changes by -ln 9 to ln 9. The general theorem, 2 weight times the
    farthest move, allows less than half of the weight when flips come and go.

    Logarithms are rounded to integers of a fine unit first, and the loss is that of these.

    Reference: McSherry, Talwar 2007, theorem 6; bounded range: Durfee, Rogers 2019.

    >>> inside = Grid(step=0.01, lower=0.1, upper=0.9)
    >>> choice = TruncatedBeta.for_loss(PureLoss(0.1), grid=inside, unit=AddRemoveRows())
    >>> float(choice.weight), choice.loss(AddRemoveRows())
    (0.0455..., PureLoss(epsilon=0.1))
    """

    weight: Fraction
    grid: Grid

    def __init__(self, weight: Number, *, grid: Grid) -> None:
        object.__setattr__(self, "weight", positive(weight, "weight"))
        object.__setattr__(self, "grid", grid)
        rule = "must be a Grid inside (0, 1): elsewhere one flip could rule a point out"
        if type(grid) is not Grid:
            raise InvalidArgumentError("grid", grid, rule)
        if len(grid) > MOST_POINTS:
            raise InvalidArgumentError("grid", grid, f"must have at most {MOST_POINTS} points")
        if not 0 < grid.point(grid.first) <= grid.point(grid.last) < 1:
            raise InvalidArgumentError("grid", grid, rule)

    def __repr__(self) -> str:
        return f"TruncatedBeta(weight={shown(self.weight)}, grid={self.grid!r})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, grid: Grid, unit: AddRemoveRows | ChangeRows
    ) -> "TruncatedBeta":
        """The weight of exactly this loss."""
        spread = TruncatedBeta(1, grid=grid).loss(unit).epsilon
        return TruncatedBeta(positive(loss.epsilon, "epsilon") / spread, grid=grid)

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
        return max(max(abs(move) for move in moves) for moves in self._moves(unit)) * UNIT

    def loss(self, unit: AddRemoveRows | ChangeRows) -> PureLoss:
        """The pure loss for one flip more or less, or of another outcome."""
        spread = max(max(moves) - min(moves) for moves in self._moves(unit))
        return PureLoss(self.weight * spread * UNIT)

    def release(self, exact: Sequence[int], *, bits: Bits | None = None) -> Fraction:
        """The chance of heads, chosen by the private numbers of heads and tails."""
        return self.points[self._choice.release(self._scores(exact), bits=bits)]

    def probability(self, noisy: Fraction, *, exact: Sequence[int]) -> Interval:
        """The chance of a candidate, given the numbers of heads and tails."""
        if noisy not in self.points:
            return Interval.of(0)
        place = self.points.index(noisy)
        return self._choice.probability(place, exact=self._scores(exact))

    def _moves(self, unit: AddRemoveRows | ChangeRows) -> list[list[int]]:
        """What one unit can add to the scores of all candidates, up to its sign."""
        heads, tails = self.log_likelihoods()
        changed = [head - tail for head, tail in zip(heads, tails, strict=True)]
        known = {AddRemoveRows: [heads, tails], ChangeRows: [changed]}
        if type(unit) not in known:
            rule = "must be AddRemoveRows() or ChangeRows(): the theorem is for one flip"
            raise InvalidArgumentError("unit", unit, rule)
        return known[type(unit)]

    @property
    def _choice(self) -> Exponential:
        return Exponential(self.weight * UNIT)

    def _scores(self, exact: Sequence[int]) -> list[int]:
        counts = whole_array(exact)
        if np.shape(counts) != (2,):
            raise PrivateArgumentError("exact", "must be two numbers: of heads and of tails")
        heads, tails = (int(count) for count in counts)
        return [
            heads * head + tails * tail for head, tail in zip(*self.log_likelihoods(), strict=True)
        ]
