"""What may be read off the outputs of any mechanism: numbers that two inputs might change.

Rule 1: a feature looks at one output alone, and is fixed before the draws that it is tested on.

Theorem: an event on a feature of the output is an event on the output, so what bounds the odds of
all events bounds its odds too. Features can miss a leak; they cannot make one up.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Feature", "Reader", "Table", "features", "frequent"]

Floats = NDArray[np.float64]

Table = Floats
"""One row for each column of the outputs, one column for each draw."""

MOST_CODES = 4096
"""So many different rows, texts or objects are told apart; the rarer ones count as one."""

MOST_MARKERS = 16
OFTEN = 100
"""A value that so many draws show once or more on average is a value of its own."""

PAIR = 2
FEW_COLUMNS = 6
"""Up to so many columns every pair is compared; beyond, each with the next."""

SIGNIFICAND = 53
LOWEST = 1100
BITS = 2300
"""Exponents of floats and of their last bits, counted from LOWEST below zero, are below BITS."""

ODD = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Feature:
    """A number for each output; where it is a code, `codes` says what it stands for.

    Where it is `graded`, the larger the number the likelier one of the inputs.
    """

    name: str
    read: Callable[[Table], Floats] = field(repr=False)
    codes: Mapping[float, str] | None = field(default=None, repr=False)
    graded: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reader:
    """Turns outputs of any type into columns of numbers.

    Numbers stay what they are. A text or another object is its number, if it is one, and a code.

    >>> reader = Reader.learned(np.array([["a"], ["b"], ["a"]]))
    >>> reader.table(np.array([["b"], ["c"], ["a"]])), reader.names
    (array([[nan, nan, nan], [ 1., -1.,  0.]]), ('number of the output', 'output'))
    """

    names: tuple[str, ...]
    codes: Mapping[str, int] = field(repr=False)

    @staticmethod
    def learned(outputs: NDArray[np.generic]) -> "Reader":
        """The reader of such outputs, given as rows."""
        count = outputs.shape[1]
        plain = ["output"] if count == 1 else [f"column {place + 1}" for place in range(count)]
        if outputs.dtype.kind in "biufmM":
            return Reader(tuple(plain), {})
        if outputs.dtype.kind == "c":
            parts = [f"{part} of {name}" for name in plain for part in ("real part", "imaginary")]
            return Reader(tuple(parts), {})
        common = Counter(map(repr, outputs.ravel().tolist())).most_common(MOST_CODES)
        codes = {text: code for code, (text, _) in enumerate(sorted(common))}
        numbers = [f"number of {'the ' * (count == 1)}{name}" for name in plain]
        return Reader((*numbers, *plain), codes)

    def table(self, outputs: NDArray[np.generic]) -> Table:
        """The numbers of these outputs."""
        if outputs.dtype.kind in "biuf" and not self.codes:
            return np.ascontiguousarray(outputs.T, dtype=np.float64)
        if outputs.dtype.kind in "mM":
            return np.ascontiguousarray(outputs.view(np.int64).T, dtype=np.float64)
        if outputs.dtype.kind == "c":
            parts = np.ascontiguousarray(outputs, dtype=np.complex128).view(np.float64)
            return np.ascontiguousarray(parts.T)
        columns = outputs.T.tolist()
        numbers = [[_number(value) for value in column] for column in columns]
        codes = [[self.codes.get(repr(value), -1) for value in column] for column in columns]
        return np.array([*numbers, *codes], dtype=np.float64)

    def codes_of(self, place: int) -> Mapping[float, str] | None:
        """What the numbers of a column stand for, where they are codes."""
        if not self.codes or place < len(self.names) // 2:
            return None
        return {-1.0: "anything rarer"} | {float(code): text for text, code in self.codes.items()}


def features(reader: Reader, table: Table) -> Iterator[Feature]:
    """Everything that is tried on outputs like these, but for what is learned."""
    names = reader.names
    for place, name in enumerate(names):
        codes = reader.codes_of(place)
        yield Feature(name, partial(_column, place), codes)
        if codes is None:
            yield Feature(f"the last bit of {name}", partial(_last_bit, place), _PowersOfTwo())
            yield Feature(f"size and last bit of {name}", partial(_bits, place), _SizesAndBits())
    if len(names) == 1:
        return
    yield Feature("the sum of all columns", _sum)
    yield Feature("the least column", partial(np.min, axis=0))
    yield Feature("the largest column", partial(np.max, axis=0))
    yield Feature("the place of the least column", _place_of_least)
    yield Feature("the place of the largest column", _place_of_largest)
    yield Feature("the number of columns that are NaN", _count_of_nan)
    yield from _differences(names)
    often = [frequent(column) for column in table]
    for value in _markers(table, often):
        yield Feature(f"the number of columns equal to {value:g}", partial(_count_of, value))
    yield from _patterns(table, often)


def frequent(numbers: Floats) -> Floats:
    """The values that many draws share."""
    values, repeats = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    return np.asarray(values[repeats * OFTEN >= numbers.size])


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _differences(names: Sequence[str]) -> Iterator[Feature]:
    places = range(len(names))
    pairs = list(combinations(places, 2) if len(names) <= FEW_COLUMNS else pairwise(places))
    for one, other in pairs:
        yield Feature(f"{names[other]} - {names[one]}", partial(_difference, one, other))
    if len(names) > PAIR:
        yield Feature("the least step from a column to the next", _least_step)
        yield Feature("the largest step from a column to the next", _largest_step)


def _markers(table: Table, often: Sequence[Floats]) -> list[float]:
    """The values that are found in several columns, the most frequent ones."""
    seen = Counter[float]()
    for column, values in zip(table, often, strict=True):
        seen.update({float(value): int((column == value).sum()) for value in values[:MOST_CODES]})
    return [value for value, _ in seen.most_common(MOST_MARKERS)]


def _patterns(table: Table, often: Sequence[Floats]) -> Iterator[Feature]:
    """The whole row, with a blank for each value that few draws share."""
    read = partial(_pattern, often)
    kinds, first = np.unique(read(table), return_index=True)
    if 1 < kinds.size <= MOST_CODES:
        rows = table[:, first].T.tolist()
        texts = {
            float(kind): f"({', '.join(_shown(row, often))})"
            for kind, row in zip(kinds, rows, strict=True)
        }
        yield Feature("the row", read, texts)


def _shown(row: Sequence[float], often: Sequence[Floats]) -> Iterator[str]:
    for value, values in zip(row, often, strict=True):
        yield f"{value:g}" if value in values else "_"


def _pattern(often: Sequence[Floats], table: Table) -> Floats:
    """A hash of the row: the same for the same rows, and a whole number of 52 bits."""
    total = np.zeros(table.shape[1], dtype=np.uint64)
    for place, (column, values) in enumerate(zip(table, often, strict=True), start=1):
        kept = np.where(np.isin(column, values), column, np.nan) + 0.0
        bits = kept.view(np.uint64)
        mixed = (bits ^ (bits >> np.uint64(29))) * np.uint64(ODD)
        mixed ^= mixed >> np.uint64(32)
        total += mixed * np.uint64((place * ODD) % (1 << 64) | 1)
    total ^= total >> np.uint64(31)
    return (total >> np.uint64(12)).astype(np.float64)


def _column(place: int, table: Table) -> Floats:
    return np.asarray(table[place])


def _difference(one: int, other: int, table: Table) -> Floats:
    return np.asarray(table[other] - table[one])


def _sum(table: Table) -> Floats:
    return np.asarray(table.sum(axis=0))


def _place_of_least(table: Table) -> Floats:
    return np.asarray(table.argmin(axis=0) + 1.0)


def _place_of_largest(table: Table) -> Floats:
    return np.asarray(table.argmax(axis=0) + 1.0)


def _count_of_nan(table: Table) -> Floats:
    return np.asarray(np.isnan(table).sum(axis=0).astype(np.float64))


def _count_of(value: float, table: Table) -> Floats:
    return np.asarray((table == value).sum(axis=0).astype(np.float64))


def _least_step(table: Table) -> Floats:
    return np.asarray(np.diff(table, axis=0).min(axis=0))


def _largest_step(table: Table) -> Floats:
    return np.asarray(np.diff(table, axis=0).max(axis=0))


def _last_bit(place: int, table: Table) -> Floats:
    """The largest k such that the number is a multiple of 2^k; that of zero is above all others."""
    return _size_and_last_bit(table[place])[1]


def _bits(place: int, table: Table) -> Floats:
    """The exponents of the first bit and of the last one, in one code."""
    size, last = _size_and_last_bit(table[place])
    return (size + LOWEST) * BITS + (last + LOWEST)


def _size_and_last_bit(numbers: Floats) -> tuple[Floats, Floats]:
    finite = np.isfinite(numbers)
    fraction, exponent = np.frexp(np.where(finite, numbers, 0.0))
    whole = np.ldexp(fraction, SIGNIFICAND).astype(np.int64)
    low = (whole & -whole).astype(np.float64)
    last = np.where(whole == 0, LOWEST, exponent + np.frexp(low)[1] - SIGNIFICAND - 1)
    return np.where(finite, exponent - 1.0, np.nan), np.where(finite, last, np.nan)


class _PowersOfTwo(dict[float, str]):
    """What the exponents of last bits are in words."""

    def __missing__(self, code: float) -> str:
        return "that of zero" if code == LOWEST else f"2^{code:.0f}"


class _SizesAndBits(dict[float, str]):
    """What the codes of sizes and last bits are in words."""

    def __missing__(self, code: float) -> str:
        size, last = divmod(code, BITS)
        return f"2^{size - LOWEST:.0f} with {_PowersOfTwo()[last - LOWEST]}"
