"""Who is protected: the unit of privacy, and how far apart two tables are in such units.

Rule 1: a unit is stated by the user, once for a table; none is a default.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from differential_privacy.errors import PrivateArgumentError
from differential_privacy.exact import integer

__all__ = ["AddRemoveRows", "ChangeRows", "Groups", "People", "Unit"]

Data_contra = TypeVar("Data_contra", contravariant=True)


class Unit(Protocol[Data_contra]):
    """Two datasets are neighbors when they are at distance one."""

    def distance(self, one: Data_contra, other: Data_contra) -> int:
        """The least number of units to add, remove or change to get from one to the other."""


@dataclass(frozen=True, slots=True)
class AddRemoveRows:
    """One row more or less; how many rows there are is private. Also called unbounded.

    >>> AddRemoveRows().distance(["x1"], ["x1", "x2"])
    1
    >>> AddRemoveRows().distance(["x1"], ["x2"])
    2
    """

    def distance(self, one: Iterable[Hashable], other: Iterable[Hashable]) -> int:
        """The L1 distance of the two histograms."""
        return _histogram_distance(Counter(one), Counter(other))


@dataclass(frozen=True, slots=True)
class ChangeRows:
    """One row of another value; how many rows there are is public. Also called bounded.

    >>> ChangeRows().distance(["x1"], ["x2"])
    1
    """

    def distance(self, one: Iterable[Hashable], other: Iterable[Hashable]) -> int:
        """Half the L1 distance of the two histograms: each change takes one row and puts one."""
        mine, theirs = Counter(one), Counter(other)
        if mine.total() != theirs.total():
            rule = "must have as many rows as the first: no number of changes adds a row"
            raise PrivateArgumentError("other", rule)
        return _histogram_distance(mine, theirs) // 2


@dataclass(frozen=True, slots=True)
class People:
    """One person more or less, with however many rows are theirs; a row is (person, value).

    >>> People().distance([("ann", 1), ("ann", 2), ("bob", 1)], [("bob", 1)])
    1
    """

    def distance(
        self, one: Iterable[tuple[Hashable, Hashable]], other: Iterable[tuple[Hashable, Hashable]]
    ) -> int:
        """One for each person in one dataset only, two (out and in) for each whose rows differ."""
        mine, theirs = _rows_by_person(one), _rows_by_person(other)
        alone = len(mine.keys() ^ theirs.keys())
        differing = sum(mine[person] != theirs[person] for person in mine.keys() & theirs.keys())
        return alone + 2 * differing


@dataclass(frozen=True, slots=True)
class Groups(Unit[Data_contra]):
    """So many units at once, as a family of four or a person with four phones.

    >>> Groups(AddRemoveRows(), size=2).distance(["a", "b", "c"], [])
    2
    """

    unit: Unit[Data_contra]
    size: int

    def __post_init__(self) -> None:
        integer(self.size, "size", least=1)

    def distance(self, one: Data_contra, other: Data_contra) -> int:
        """How many groups cover the distance in single units."""
        return -(-self.unit.distance(one, other) // self.size)


def _histogram_distance(one: Counter[Hashable], other: Counter[Hashable]) -> int:
    return (one - other).total() + (other - one).total()


def _rows_by_person(
    rows: Iterable[tuple[Hashable, Hashable]],
) -> dict[Hashable, Counter[Hashable]]:
    owned: dict[Hashable, Counter[Hashable]] = {}
    for person, value in rows:
        owned.setdefault(person, Counter())[value] += 1
    return owned
