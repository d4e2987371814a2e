"""Integers of which each is equally likely."""

from typing import overload

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import integer
from differential_privacy.sampling.bits import Bits, Reader, integers
from differential_privacy.sampling.family import Draws
from differential_privacy.sampling.keystream import secure_bits
from differential_privacy.sampling.shape import Size, chunks, shape_of

__all__ = ["uniform"]


@overload
def uniform(below: int, size: None = None, *, bits: Bits | None = None) -> int: ...
@overload
def uniform(below: int, size: int | tuple[int, ...], *, bits: Bits | None = None) -> Draws: ...
def uniform(below: int, size: Size = None, *, bits: Bits | None = None) -> int | Draws:
    """Integers from 0 to below - 1, each with probability exactly 1 / below.

    Arrays are of int64 if `below` is at most 2**63, and of Python integers beyond.

    Theorem: a word cut to as many bits as below - 1 has is uniform below a power of two; words
    that are too large are drawn again, which leaves the others equally likely.

    >>> uniform(1), uniform(6, (2, 3)).shape, uniform(2**64, 3).dtype
    (0, (2, 3), dtype('O'))
    """
    bound = integer(below, "below", least=1)
    source = secure_bits() if bits is None else bits
    if size is None:
        return Reader(source).below(bound)
    shape, count = shape_of(size)
    if bound > 1 << 63:
        reader = Reader(source)
        whole = np.empty(count, dtype=np.object_)
        whole[:] = [reader.below(bound) for _ in range(count)]
        return whole.reshape(shape)
    drawn = np.empty(count, dtype=np.int64)
    for part in chunks(count):
        _fill(drawn[part], bound, source)
    return drawn.reshape(shape)


def _fill(drawn: NDArray[np.int64], bound: int, bits: Bits) -> None:
    largest = bound - 1
    width = largest.bit_length()
    drawn[:] = integers(bits, width, drawn.size)
    again = np.flatnonzero(drawn > largest)
    while again.size:
        fresh = integers(bits, width, again.size)
        drawn[again] = fresh
        again = again[fresh > largest]
