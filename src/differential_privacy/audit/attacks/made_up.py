"""Draws that a seed repeats, for made-up people: the same attack on the same data, for anyone.

Rule 1: nothing that protects anybody is drawn from these bits; a curator's noise is never seeded.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from differential_privacy.sampling import Bits, uniform

__all__ = ["Repeated", "picked", "shares", "whole"]

FLOAT_BITS = 53


class Repeated:
    """Bits that a seed determines, from a hash of the seed and of how often it was asked.

    >>> from differential_privacy.audit.attacks.made_up import Repeated
    >>> bool((Repeated(7).octets(100) == Repeated(7).octets(100)).all())
    True
    """

    __slots__ = ("_asked", "_seed")

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._asked = 0

    def octets(self, count: int) -> NDArray[np.uint8]:
        """The next `count` octets."""
        name = f"made up {self._seed} {self._asked}".encode()
        self._asked += 1
        return np.frombuffer(bytearray(hashlib.shake_256(name).digest(count)), np.uint8).copy()


def whole(below: int, size: int | tuple[int, ...], *, bits: Bits) -> NDArray[np.int64]:
    """Whole numbers from 0 and below this, each equally likely."""
    return np.asarray(uniform(below, size, bits=bits), dtype=np.int64)


def shares(size: int | tuple[int, ...], *, bits: Bits) -> NDArray[np.float64]:
    """Numbers from 0 to 1, evenly likely."""
    return np.asarray(whole(1 << FLOAT_BITS, size, bits=bits) * 2.0**-FLOAT_BITS)


def picked(weights: Sequence[float], size: int, *, bits: Bits) -> NDArray[np.int64]:
    """Places in a list of weights, each as likely as its weight."""
    reached = np.cumsum(weights)
    found = np.searchsorted(reached / reached[-1], shares(size, bits=bits), side="right")
    return np.minimum(found, len(weights) - 1).astype(np.int64)
