"""A range that is bought: between which powers of two nearly all values of an expression lie.

Where no range is declared, sums need one. This asks for the lowest and the highest power of two
that noise can tell, which no single person can move far.
"""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.release import Answer

__all__ = ["Range", "range_question"]

HIGHEST, LOWEST = 40, -20
EDGES = [Fraction(2) ** power for power in range(LOWEST, HIGHEST + 1)]
"""Values closer to zero than the first edge count as zero, values beyond the last as that."""


@dataclass(frozen=True, slots=True)
class Range:
    """Two ends that were bought, and the answer that told them.

    >>> Range.between(3, 5, None).clamp("cost")
    'CLAMP(cost, 0.00000381..., 0.00003051...)'
    """

    lower: Fraction
    upper: Fraction
    answer: Answer | None

    @staticmethod
    def between(low: int, high: int, answer: Answer | None) -> "Range":
        """The range of these places among the edges; places below zero are of negative values."""
        ends = (_edge(low, outward=-1), _edge(high, outward=1))
        return Range(min(ends), max(ends), answer)

    def clamp(self, expression: str) -> str:
        """The expression, held to this range, as it can stand in a question."""
        return f"CLAMP({expression}, {_decimal(self.lower)}, {_decimal(self.upper)})"


def range_question(table: str, expression: str) -> str:
    """The question whose two answers are places among the edges: one for each power of two."""
    branches = [f"WHEN x >= {_decimal(edge)} THEN {place + 1}" for place, edge in _falling(EDGES)]
    below = [f"WHEN x <= -{_decimal(edge)} THEN {-place - 1}" for place, edge in _falling(EDGES)]
    case = f"CASE {' '.join([*branches, *below])} WHEN x IS NULL THEN NULL ELSE 0 END"
    # What is built here passes the same gate as what analysts write.
    inner = f"SELECT {expression} AS x FROM {table}"  # noqa: S608
    places = f"SELECT {case} AS p FROM ({inner}) AS v"  # noqa: S608
    return f"SELECT MIN(p) AS low, MAX(p) AS high FROM ({places}) AS w"  # noqa: S608


def _falling(edges: list[Fraction]) -> list[tuple[int, Fraction]]:
    return list(enumerate(edges))[::-1]


def _edge(place: int, *, outward: int) -> Fraction:
    """The end of a place that is farther out: toward more, or toward less."""
    if place == 0:
        return Fraction(0)
    size = abs(place) - 1
    far = (place > 0) == (outward > 0)
    edge = EDGES[min(size + 1, len(EDGES) - 1)] if far else EDGES[size]
    return edge if place > 0 else -edge


def _decimal(number: Fraction) -> str:
    """A power of two, written out: each is a finite decimal."""
    text = f"{float(number):.20f}".rstrip("0").rstrip(".")
    return text or "0"
