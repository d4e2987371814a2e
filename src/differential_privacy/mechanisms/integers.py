"""Private integers in, noisy integers out, with no overflow on the way.

Rule 1: whether and how something fails depends on types and shapes, never on values.
Rule 2: a sum that 64 bits cannot hold is carried by Python's integers, never wrapped.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import PrivateArgumentError

__all__ = ["Integers", "Noisy", "Whole", "add_noise", "clamped", "whole_array"]

Whole: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
"""An array of whole numbers: of int64, or of Python's integers where those would not do."""

Integers: TypeAlias = int | Sequence[int] | NDArray[np.integer] | NDArray[np.object_]
"""One exact integer, or as many as a list or an array holds."""

Noisy: TypeAlias = int | Whole
"""A whole number for a whole number, an array for anything else."""

RULE = "must be whole numbers: one, or a sequence or array of them"


def whole_array(exact: object, name: str = "exact") -> Whole:
    """A private argument as an array of integers; a fraction is refused, even one that is whole."""
    values = exact if isinstance(exact, np.ndarray) else np.array(exact, dtype=object)
    if values.dtype.kind == "i":
        return np.asarray(values, dtype=np.int64)
    if values.dtype.kind == "u":
        values = values.astype(object)
    if values.dtype != object or not all(_is_whole(value) for value in values.flat):
        raise PrivateArgumentError(name, RULE)
    whole = np.empty(values.shape, dtype=object)
    whole[...] = np.frompyfunc(int, 1, 1)(values)
    return whole


def add_noise(exact: Integers, draw: Callable[[tuple[int, ...]], Whole]) -> Noisy:
    """Each integer plus its own draw of noise: an int for an int, else an array.

    An array is of int64 when all its noisy sums fit, else of Python's integers; so its type tells
    no more than the sums themselves.

    >>> add_noise(5, lambda shape: np.full(shape, 2))
    7
    >>> add_noise([2**63 - 1], lambda shape: np.full(shape, 2))
    array([9223372036854775809], dtype=object)
    """
    values = whole_array(exact)
    noise = np.asarray(draw(values.shape))
    if values.dtype == np.int64 and noise.dtype == np.int64:
        sums = _sums(values.astype(np.int64), noise.astype(np.int64))
        if sums is not None:
            return sums if sums.ndim else int(sums)
    wide = np.asarray(values.astype(object) + noise.astype(object), dtype=object)
    if not wide.ndim:
        return int(wide[()])
    try:
        return wide.astype(np.int64)
    except OverflowError:
        return wide


def clamped(exact: Integers, least: int, most: int) -> NDArray[np.int64]:
    """Private integers within public ends that 64 bits hold."""
    return np.asarray(np.clip(whole_array(exact), least, most)).astype(np.int64)


def _sums(one: NDArray[np.int64], two: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The sums, or None when one of them does not fit: its sign then differs from both terms'."""
    sums = np.asarray(one + two)
    return None if bool((((one ^ sums) & (two ^ sums)) < 0).any()) else sums


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
