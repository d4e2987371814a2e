"""What noise a price buys: the price is shared among all that a question asks, for least error.

Theorem: of statistics with noise of their own the losses add, so shares of a price that sum to one
cost that price together. With shares e_j of an epsilon the variances fall as 1 / e_j^2, and their
weighted sum is least for e_j in proportion to the cube root of the weight; with shares of a rho
they fall as 1 / rho_j, and it is least in proportion to the square root.

Rule 1: everything here follows from public facts: declared ranges, bounds and the price.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from differential_privacy.accounting import concentrated_within
from differential_privacy.errors import QuestionError
from differential_privacy.mechanisms import (
    DiscreteGaussian,
    GaussianThreshold,
    Geometric,
    PrivateQuantile,
    TruncatedGeometric,
    partition_selection,
)
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Sensitivity,
    Spendable,
)
from differential_privacy.queries.blocks import Blocks, Needs
from differential_privacy.queries.bounding import Reach
from differential_privacy.queries.measures import Block, Percentile, Statistic
from differential_privacy.queries.questions import Asked

__all__ = ["Finding", "Noise", "Price", "Priced", "priced"]

Noise: TypeAlias = Geometric | DiscreteGaussian
Finding: TypeAlias = TruncatedGeometric | GaussianThreshold

PIECES = 10_000
"""Shares of a price are whole multiples of one part in so many."""

CHOSEN = Fraction(4)
"""How much a percentile matters beside a count: its rank is missed by more than a count's noise."""

FOUND = Fraction(1, 2)
"""How much finding the groups matters beside a count."""

LARGEST_FINDING = 1000
"""An epsilon for each group of a person above which nothing would be hidden anyway."""

INSIDE = Fraction(95, 100)
"""How surely MIN and MAX are no more extreme than the data."""


@dataclass(frozen=True, slots=True)
class Price:
    """What may be spent on a question: a pure epsilon, a rho, or either of them, and a delta.

    Where no rho is given, a delta makes room for one: the largest that is within the epsilon.
    """

    epsilon: Fraction | None
    rho: Fraction | None = None
    delta: Fraction = Fraction(0)

    def finding(self) -> "Price":
        """What is left when finding the groups takes half of the delta."""
        return replace(self, delta=self.delta / 2)

    @property
    def concentrated(self) -> Fraction | None:
        """The rho that may be spent."""
        if self.rho is not None or self.epsilon is None or not self.delta:
            return self.rho
        return _rho_within(ApproximateLoss(self.epsilon, self.delta))


@dataclass(frozen=True, slots=True)
class Priced:
    """The noise of everything, and what it costs in each measure that has a theorem for it.

    `harm` is the weighted sum of variances, in units of what one row of a person can add.
    """

    blocks: Blocks
    noises: tuple[tuple[Block, Noise], ...]
    quantiles: tuple[tuple[Percentile, PrivateQuantile], ...]
    finding: Finding | None
    losses: tuple[Spendable, ...]
    harm: Fraction

    @property
    def noise_of(self) -> dict[Statistic, Noise]:
        """The noise of each statistic."""
        return {one: noise for block, noise in self.noises for one in block.statistics}

    @property
    def noise_name(self) -> str:
        """What the literature calls the noise."""
        return "Gaussian" if isinstance(self.losses[0], ConcentratedLoss) else "Laplace"


def priced(asked: Asked, reach: Reach, price: Price) -> list[Priced]:
    """Each way in which the price can be spent on a question."""
    unknown = asked.groups is None
    if unknown and not price.delta:
        rule = "are not public, so finding them needs a delta"
        instead = "delta=1e-6, or GROUP BY columns with categories or a range in the policy"
        raise QuestionError("these groups", rule, instead=instead)
    ways: list[InEpsilon | InRho] = []
    if price.epsilon is not None:
        ways.append(InEpsilon(price.epsilon, price.delta if unknown else Fraction(0)))
    spread = price.finding() if unknown and price.rho is None else price
    rho = spread.concentrated
    if rho is not None:
        ways.append(InRho(rho, spread.delta if unknown else Fraction(0), price))
    return [_spent(asked, reach, way) for way in ways]


@dataclass(frozen=True, slots=True)
class InEpsilon:
    """A price in epsilon buys Laplace noise for lengths in L1; a delta is for finding groups."""

    size: Fraction
    delta: Fraction
    power = 1 / 3

    def blocks(self, needs: Needs) -> Blocks:
        """What noise is added to."""
        return Blocks.laplace(needs)

    def noise(self, block: Block, reach: Reach, part: Fraction) -> tuple[Noise, Fraction]:
        """The noise of a part of the price, and its variance, where a row adds one."""
        rows = _groups(reach) if block.by_person else reach.rows
        variance = 2 * (Fraction(rows, reach.unit) / part) ** 2
        return Geometric(rows * block.row_l1 / part), variance

    def choice(self, percentile: Percentile, reach: Reach, part: Fraction) -> PrivateQuantile:
        """How a percentile is chosen for a part of the price."""
        return PrivateQuantile.for_loss(
            PureLoss(part),
            sensitivity=Sensitivity(l1=reach.rows),
            low=percentile.low,
            high=percentile.high,
            quantile=percentile.share,
        )

    def finding(self, reach: Reach, part: Fraction) -> Finding:
        """How groups are found for a part of the price."""
        most = Fraction(LARGEST_FINDING * _groups(reach))
        share = ApproximateLoss(min(part, most), self.delta)
        return partition_selection(share, groups=_groups(reach))

    @property
    def losses(self) -> tuple[Spendable, ...]:
        """What it all costs."""
        return (ApproximateLoss(self.size, self.delta) if self.delta else PureLoss(self.size),)


@dataclass(frozen=True, slots=True)
class InRho:
    """A price in rho buys Gaussian noise for lengths in L2; where it was for an epsilon, that too.

    A delta is for finding groups.
    """

    size: Fraction
    delta: Fraction
    price: Price
    power = 1 / 2

    def blocks(self, needs: Needs) -> Blocks:
        """What noise is added to."""
        return Blocks.gaussian(needs)

    def noise(self, block: Block, reach: Reach, part: Fraction) -> tuple[Noise, Fraction]:
        """The noise of a part of the price, and its variance, where a row adds one."""
        squares = _groups(reach) if block.by_person else reach.squares
        variance = Fraction(squares, reach.unit**2) / (2 * part)
        return DiscreteGaussian(squares * block.row_squared / (2 * part)), variance

    def choice(self, percentile: Percentile, reach: Reach, part: Fraction) -> PrivateQuantile:
        """How a percentile is chosen for a part of the price."""
        return PrivateQuantile.for_concentrated_loss(
            ConcentratedLoss(part),
            sensitivity=Sensitivity(l2_squared=reach.squares),
            low=percentile.low,
            high=percentile.high,
            quantile=percentile.share,
        )

    def finding(self, reach: Reach, part: Fraction) -> Finding:
        """How groups are found for a part of the price."""
        most = Fraction(LARGEST_FINDING**2 * _groups(reach), 2)
        share = ConcentratedLoss(min(part, most), self.delta)
        return partition_selection(share, groups=_groups(reach))

    @property
    def losses(self) -> tuple[Spendable, ...]:
        """What it all costs."""
        rho = ConcentratedLoss(self.size, self.delta)
        if self.price.rho is not None or self.price.epsilon is None:
            return (rho,)
        return rho, ApproximateLoss(self.price.epsilon, self.price.delta)


def _spent(asked: Asked, reach: Reach, price: InEpsilon | InRho) -> Priced:
    """A price, shared among all that is asked."""
    blocks = price.blocks(asked.needs)
    shares = _shares(_weights(blocks, asked), power=price.power)
    parts = iter([share * price.size for share in shares])
    noises: list[tuple[Block, Noise]] = []
    quantiles: list[tuple[Percentile, PrivateQuantile]] = []
    harm = Fraction(0)
    for block in blocks.blocks:
        noise, variance = price.noise(block, reach, next(parts))
        noises.append((block, noise))
        harm += block.importance * variance
    for percentile in asked.percentiles:
        choice = price.choice(percentile, reach, next(parts))
        quantiles.append((percentile, _inside(percentile, choice)))
        harm += CHOSEN / (choice.rate * reach.unit) ** 2
    finding = None if asked.groups is not None else price.finding(reach, next(parts))
    return Priced(blocks, tuple(noises), tuple(quantiles), finding, price.losses, harm)


def _weights(blocks: Blocks, asked: Asked) -> list[Fraction]:
    """How much everything matters: blocks, percentiles, and finding the groups at the end."""
    found = [] if asked.groups is not None else [FOUND]
    chosen = [CHOSEN] * len(asked.percentiles)
    return [*(block.importance for block in blocks.blocks), *chosen, *found]


def _shares(weights: Sequence[Fraction], *, power: float) -> list[Fraction]:
    """Parts of one, in proportion to powers of the weights."""
    sizes = [float(weight) ** power for weight in weights]
    total = math.fsum(sizes)
    shares = [Fraction(max(1, int(size / total * PIECES)), PIECES) for size in sizes]
    if shares:
        # The largest part can bear what rounding the others took, or gave them.
        shares[shares.index(max(shares))] += 1 - sum(shares)
    return shares


def _groups(reach: Reach) -> int:
    if reach.groups is None:
        rule = "counts people, and nothing bounds how many groups a person is in"
        raise QuestionError("this question", rule)
    return reach.groups


def _inside(percentile: Percentile, choice: PrivateQuantile) -> PrivateQuantile:
    return choice.inside(INSIDE) if percentile.extreme else choice


@lru_cache(maxsize=256)
def _rho_within(loss: ApproximateLoss) -> Fraction:
    return concentrated_within(loss).rho
