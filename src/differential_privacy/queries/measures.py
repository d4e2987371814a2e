"""What is asked of the engine for each group, and which whole numbers of it noise is added to.

Rule 1: noise is added to statistics: whole multiples of exact whole numbers, added up. How far one
row can move them together is known from declared ranges alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from differential_privacy.sources.trees import Literal, Tree

__all__ = ["Block", "Exact", "Linear", "Percentile", "Statistic", "Way", "linear"]


ONE_EACH = Literal(1)


class Way(Enum):
    """How the rows of a group become one whole number."""

    ROWS = "how many rows"
    COUNT = "how many rows whose value is not NULL"
    SUM = "the sum of a whole number of each row"
    DISTINCT = "how many different values"
    PEOPLE = "how many people, of rows whose value is not NULL"


@dataclass(frozen=True, slots=True)
class Exact:
    """A whole number that an engine gives for each group; it is private."""

    way: Way
    tree: Tree = ONE_EACH

    @property
    def by_person(self) -> bool:
        """Whether a person counts once in a group, however many rows they have there."""
        return self.way is Way.PEOPLE


@dataclass(frozen=True, slots=True)
class Linear:
    """Multiples of exact numbers, added up, and a constant.

    >>> rows = Exact(Way.ROWS)
    >>> linear(rows, 2).plus(linear(rows, 3)).terms[0][1]
    Fraction(5, 1)
    """

    terms: tuple[tuple[Exact, Fraction], ...] = ()
    constant: Fraction = Fraction(0)

    def plus(self, other: "Linear") -> "Linear":
        """Their sum."""
        terms = dict(self.terms)
        for exact, times in other.terms:
            terms[exact] = terms.get(exact, Fraction(0)) + times
        kept = tuple((exact, times) for exact, times in terms.items() if times)
        return Linear(kept, self.constant + other.constant)

    def times(self, factor: Fraction) -> "Linear":
        """A multiple."""
        if not factor:
            return Linear()
        terms = tuple((exact, times * factor) for exact, times in self.terms)
        return Linear(terms, self.constant * factor)


def linear(exact: Exact, times: Fraction | int = 1) -> Linear:
    """A multiple of one exact number."""
    return Linear(((exact, Fraction(times)),))


@dataclass(frozen=True, slots=True)
class Statistic:
    """A whole number that noise is added to: whole multiples of exact numbers, added up."""

    terms: tuple[tuple[Exact, int], ...]

    @staticmethod
    def of(terms: Mapping[Exact, int]) -> "Statistic":
        """Without the terms that are zero."""
        return Statistic(tuple((exact, times) for exact, times in terms.items() if times))


@dataclass(frozen=True, slots=True)
class Block:
    """Statistics that share one noise.

    One row (or one person in a group, for `by_person`) adds a vector to them whose absolute values
    sum to at most `row_l1` and whose squares sum to at most `row_squared`. `importance` is how
    much its variance, in units of what a row can add, matters to what was asked.
    """

    statistics: tuple[Statistic, ...]
    row_l1: int
    row_squared: int
    importance: Fraction

    @property
    def by_person(self) -> bool:
        """Whether a person counts once in a group."""
        return all(exact.by_person for one in self.statistics for exact, _ in one.terms)

    @property
    def named(self) -> str:
        """The ways in which its rows are told, for people to read."""
        return " and ".join(
            "+".join(exact.way.name.lower() for exact, _ in one.terms) for one in self.statistics
        )


@dataclass(frozen=True, slots=True)
class Percentile:
    """A value such that a share of the rows has lower ones; `tree` is a whole number, coarsened.

    The answer is `step` times what is chosen from `low` to `high`. `extreme` is set for MIN (-1)
    and MAX (1): the lowest and highest values that noise can tell.
    """

    tree: Tree
    low: int
    high: int
    step: Fraction
    share: Fraction
    extreme: int = 0
