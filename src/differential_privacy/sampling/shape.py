"""How many draws are asked for, in the form that numpy uses."""

import math

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import integer

__all__ = ["CHUNK", "Size", "chunks", "shape_of"]

Size = int | tuple[int, ...] | None
"""None for one Python number, an int for a row, a tuple for an array of that shape."""

CHUNK = 1 << 15
"""Draws made together: many enough for numpy, few enough to stay in the nearest caches."""


def shape_of(size: int | tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The shape that `size` stands for, and how many draws fill it.

    >>> shape_of(3), shape_of((2, 5))
    (((3,), 3), ((2, 5), 10))
    """
    shape = size if isinstance(size, tuple) else (size,)
    try:
        whole = tuple(integer(length, "size", least=0) for length in shape)
    except InvalidArgumentError as error:
        rule = "must be None, a whole number, or a tuple of them, none below 0"
        raise InvalidArgumentError("size", size, rule) from error
    return whole, math.prod(whole)


def chunks(count: int) -> list[slice]:
    """The places of `count` draws, a chunk at a time."""
    return [slice(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
