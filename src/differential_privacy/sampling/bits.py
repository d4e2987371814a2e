"""Where randomness enters: a boundary of one method, and what is read through it.

Rule 1: every octet of a source is read at most once, and what is read decides everything.
"""

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bits", "Reader", "integers", "words"]

Word = TypeVar("Word", np.uint16, np.uint32, np.uint64)

SHORT, MIDDLE = 16, 32
"""Widths of the words that are shorter than 64 bits."""

OCTETS_AHEAD = 32
"""How much a reader fetches at once: about what one draw by rejection needs."""


class Bits(Protocol):
    """A source of independent uniform bits; every draw of this package is a function of one."""

    def octets(self, count: int) -> NDArray[np.uint8]:
        """The next `count` octets, aligned for 64-bit words, never handed out again."""


def words(bits: Bits, kind: type[Word], count: int) -> NDArray[Word]:
    """The next `count` words of 16, 32 or 64 uniform bits."""
    return bits.octets(count * np.dtype(kind).itemsize).view(kind)


def integers(bits: Bits, width: int, count: int) -> NDArray[np.int64]:
    """Integers uniform from 0 to 2**width - 1, for a width of at most 63, from words as short."""
    octets = 2 if width <= SHORT else 4 if width <= MIDDLE else 8
    word = bits.octets(count * octets).view(f"u{octets}")
    return np.asarray(word & ((1 << width) - 1), dtype=np.int64)


class Reader:
    """Reads a source a few bits at a time, for draws that are made one by one.

    What was fetched and not read is dropped with the reader; no draw sees it.
    """

    __slots__ = ("_bits", "_held", "_pool")

    def __init__(self, bits: Bits) -> None:
        self._bits = bits
        self._pool = 0
        self._held = 0

    def take(self, count: int) -> int:
        """The next `count` bits as an integer, uniform from 0 to 2**count - 1."""
        if self._held < count:
            octets = max(OCTETS_AHEAD, (count - self._held + 7) // 8)
            fresh = int.from_bytes(self._bits.octets(octets).tobytes(), "little")
            self._pool = self._pool << 8 * octets | fresh
            self._held += 8 * octets
        self._held -= count
        taken = self._pool >> self._held
        self._pool ^= taken << self._held
        return taken

    def below(self, bound: int) -> int:
        """An integer uniform from 0 to bound - 1.

        Theorem: what is accepted is uniform because every integer of so many bits is equally
        likely, and at least half of them are accepted.
        """
        count = (bound - 1).bit_length()
        while (drawn := self.take(count)) >= bound:
            pass
        return drawn
