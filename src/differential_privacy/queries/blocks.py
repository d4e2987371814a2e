"""How counts, sums and squares of one value are told together, for either kind of noise.

Theorem: let x be from a to b, W = b - a. Of rows that hold x, U = sum(b - x) and V = sum(x - a) are
whole numbers that are never negative, and each row adds exactly W to U + V. So Laplace noise for an
L1 sensitivity of W a row tells both, and with them count = (U + V) / W and sum = (b V + a U) / W:
the count costs nothing beside the sum. Two noises of half the price each would have twice the
variance in the count.

Gaussian noise goes to the count and to the sum of x - m, with m the middle, because squares of
lengths do not gain by U and V; the sum around the middle has half the range.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from differential_privacy.queries.measures import Block, Exact, Linear, Statistic

__all__ = ["Blocks", "Moments", "Needs"]

MEAN_OF_SQUARE = Fraction(1, 3)
"""The mean of (m / M)^2 where the mean m of a value may be anywhere within M of the middle."""


@dataclass(slots=True)
class Moments:
    """What is needed of one value: how many rows hold it, their sum, the sum of squares.

    `square` sums ((x - middle) / coarse)^2 in whole numbers. `rows`, `sums`, `means` and `squares`
    say how often each is asked for.
    """

    count: Exact
    total: Exact
    square: Exact
    low: int
    high: int
    coarse: int = 1
    rows: int = 0
    sums: int = 0
    means: int = 0
    squares: int = 0

    @property
    def middle(self) -> int:
        """The middle of the range."""
        return (self.low + self.high) // 2

    @property
    def reach(self) -> int:
        """How far from the middle a value can be."""
        return max(self.high - self.middle, self.middle - self.low)

    @property
    def widest(self) -> int:
        """How far from zero a value can be."""
        return max(abs(self.low), abs(self.high), 1)

    @property
    def largest_square(self) -> int:
        """What one row adds to the squares at most; coarse distances are rounded down."""
        return max(-(-self.reach // self.coarse), 1) ** 2

    @property
    def largest(self) -> int:
        """The largest number of one row that is added up."""
        return max(self.widest, self.largest_square if self.squares else 0)

    @property
    def counted(self) -> Fraction:
        """How much the count's variance matters, to all that is told with it."""
        if not self.rows and not self.means:
            return Fraction(0)
        through_sums = self.sums * Fraction(self.middle, self.widest) ** 2
        return self.rows + self.means * MEAN_OF_SQUARE + through_sums

    @property
    def summed(self) -> Fraction:
        """How much the variance of the sum around the middle matters."""
        return self.means + self.sums * Fraction(self.reach, self.widest) ** 2


@dataclass(slots=True)
class Needs:
    """Everything that a question needs of each group."""

    counts: dict[Exact, int] = field(default_factory=dict)
    moments: dict[Exact, Moments] = field(default_factory=dict)

    def count(self, exact: Exact) -> None:
        """One more use of a count."""
        self.counts[exact] = self.counts.get(exact, 0) + 1

    def settled(self) -> tuple[dict[Exact, Fraction], list[Moments]]:
        """Counts that are no part of anything else, and the moments with the counts they tell."""
        counts = {exact: Fraction(uses) for exact, uses in self.counts.items()}
        for one in self.moments.values():
            one.rows = int(counts.pop(one.count, Fraction(0)))
        return counts, list(self.moments.values())

    @property
    def exact(self) -> list[Exact]:
        """What the engine is asked for."""
        found = dict.fromkeys(self.counts)
        for one in self.moments.values():
            found[one.count] = None
            if one.sums or one.means:
                found[one.total] = None
            if one.squares:
                found[one.square] = None
        return list(found)


@dataclass(slots=True)
class Blocks:
    """Blocks of statistics, and the multiples of statistics that each exact number is told by."""

    blocks: list[Block] = field(default_factory=list)
    estimates: dict[Exact, dict[Statistic, Fraction]] = field(default_factory=dict)

    def combined(self, value: Linear) -> dict[Statistic, Fraction]:
        """The multiples of statistics that add up to a linear value, but for its constant."""
        total: dict[Statistic, Fraction] = {}
        for exact, times in value.terms:
            for statistic, part in self.estimates[exact].items():
                total[statistic] = total.get(statistic, Fraction(0)) + times * part
        return {statistic: times for statistic, times in total.items() if times}

    @staticmethod
    def laplace(needs: Needs) -> "Blocks":
        """For noise whose price is the L1 sensitivity."""
        return Blocks._told(needs, corners=True)

    @staticmethod
    def gaussian(needs: Needs) -> "Blocks":
        """For noise whose price is the L2 sensitivity."""
        return Blocks._told(needs, corners=False)

    @staticmethod
    def _told(needs: Needs, *, corners: bool) -> "Blocks":
        found = Blocks()
        counts, moments = needs.settled()
        for exact, importance in counts.items():
            found._count(exact, importance)
        for one in moments:
            # A count that several values share is told once, for all of them.
            counted = sum(
                (each.counted for each in moments if each.count == one.count), Fraction(0)
            )
            if not one.counted:
                found._sum(one)
            elif not one.summed or one.high == one.low:
                found._count(one.count, counted)
                found.estimates[one.total] = found._times(one.count, one.low)
            elif corners and one.count not in found.estimates:
                found._corners(one, counted)
            else:
                found._count(one.count, counted)
                found._centered(one)
            if one.squares:
                found._square(one)
        return found

    def _add(self, statistics: tuple[Statistic, ...], length: int, importance: Fraction) -> None:
        """A block whose rows add vectors of at most this length in L1, and so in L2."""
        self.blocks.append(Block(statistics, length, length * length, importance))

    def _count(self, exact: Exact, importance: Fraction) -> None:
        if exact in self.estimates:
            return
        one = Statistic.of({exact: 1})
        self._add((one,), 1, importance)
        self.estimates[exact] = {one: Fraction(1)}

    def _sum(self, one: Moments) -> None:
        total = Statistic.of({one.total: 1})
        self._add((total,), one.widest, Fraction(one.sums))
        self.estimates[one.total] = {total: Fraction(1)}

    def _corners(self, one: Moments, counted: Fraction) -> None:
        above = Statistic.of({one.count: one.high, one.total: -1})
        below = Statistic.of({one.total: 1, one.count: -one.low})
        width = one.high - one.low
        # Both the count and the sum around the middle have twice a corner's variance, in rows.
        self._add((above, below), width, 2 * (counted + one.summed))
        share = Fraction(1, width)
        self.estimates[one.count] = {above: share, below: share}
        self.estimates[one.total] = {above: one.low * share, below: one.high * share}

    def _centered(self, one: Moments) -> None:
        total = Statistic.of({one.total: 1, one.count: -one.middle})
        self._add((total,), one.reach, one.summed)
        around = self._times(one.count, one.middle)
        self.estimates[one.total] = {total: Fraction(1), **around}

    def _square(self, one: Moments) -> None:
        """Squares around the middle of what they can be; the count tells the rest."""
        middle = one.largest_square // 2
        square = Statistic.of({one.square: 1, one.count: -middle})
        self._add((square,), one.largest_square - middle, Fraction(one.squares))
        self.estimates[one.square] = {square: Fraction(1), **self._times(one.count, middle)}

    def _times(self, exact: Exact, factor: int) -> dict[Statistic, Fraction]:
        return {one: part * factor for one, part in self.estimates[exact].items()}
