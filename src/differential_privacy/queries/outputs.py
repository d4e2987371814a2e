"""What an answer's columns are made of: group keys, noisy numbers, and what is computed from them.

Rule 1: everything here is post-processing: it names exact numbers, and only their noisy values meet
it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from differential_privacy.queries.measures import Linear, Percentile
from differential_privacy.sources.kinds import Kind

__all__ = [
    "Chosen",
    "Computed",
    "Constant",
    "GroupKey",
    "Make",
    "Output",
    "OutputColumn",
    "Ratio",
    "Sorting",
    "leaves",
]


class Make(Enum):
    """How one number is computed from others; numbers are NULL where what they need is."""

    ADD = "a + b"
    SUBTRACT = "a - b"
    MULTIPLY = "a * b"
    DIVIDE = "a / b, NULL where b is zero"
    NEGATE = "-a"
    SQUARE = "a * a"
    ROOT = "the square root of a, of zero where a is negative"
    ABSOLUTE = "a without its sign"
    ROUND = "a to b digits"
    FLOOR = "a rounded down"
    CEILING = "a rounded up"
    LEAST = "the least that is not NULL"
    GREATEST = "the greatest that is not NULL"
    COALESCE = "the first that is not NULL"
    NULL_IF = "a, or NULL where it is b"
    CHOOSE = "b where a is true, else c"
    EQUAL = "a = b"
    DIFFERENT = "a <> b"
    LESS = "a < b"
    AT_MOST = "a <= b"
    IS_NULL = "a is NULL"
    NOT = "not a"
    AND = "a and b"
    OR = "a or b"
    WITHIN = "a, or the end of b to c that it is beyond"


@dataclass(frozen=True, slots=True)
class GroupKey:
    """The value of a group's key, by its place."""

    place: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A public value."""

    value: Fraction | str | bool | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """One noisy number over another, within a range that is known in public."""

    top: Linear
    bottom: Linear
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A value that was chosen by rank."""

    percentile: Percentile


@dataclass(frozen=True, slots=True)
class Computed:
    """A number made of others."""

    make: Make
    args: tuple["Output", ...]


Output: TypeAlias = GroupKey | Constant | Linear | Ratio | Chosen | Computed


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of the answer; `kind` and `step` say how its numbers are written."""

    name: str
    output: Output
    kind: Kind
    step: Fraction = Fraction(1)
    public: bool = False


@dataclass(frozen=True, slots=True)
class Sorting:
    """One part of ORDER BY."""

    output: Output
    descending: bool = False
    nulls_first: bool = False


def leaves(output: Output) -> Iterator[Linear | Ratio | Chosen]:
    """The noisy numbers that an output is made of."""
    if isinstance(output, Computed):
        for arg in output.args:
            yield from leaves(arg)
    elif isinstance(output, Linear | Ratio | Chosen):
        yield output
