"""A law on 0, 1, 2, ... drawn by comparing one uniform number with the law's thresholds.

Rule 1: U below T_1 gives 0, U from T_k to T_(k+1) gives k, and nothing else decides.
Rule 2: a threshold is used only to the digits that an enclosure proves; where these leave a draw
open, more bits are read and more digits are made, so neither ties nor tails are cut off.
"""

from bisect import bisect_left
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from differential_privacy.sampling.bits import Bits, Reader, words

__all__ = ["GUIDE_BITS", "Table", "Thresholds", "proven_floors"]

GUIDE_BITS = 16
GUIDE_CELLS = 1 << GUIDE_BITS
UNDECIDED = -1

STEP = 64
GUARD = 64


class Thresholds(Protocol):
    """A law on 0, 1, 2, ... by its thresholds T_k, the probability of less than k."""

    def thresholds(self, bits: int, guard: int) -> tuple[list[int], int]:
        """Lower bounds of 2**(bits+guard) T_k for k = 1, 2, ..., and an error that none exceeds.

        The last of them leaves less than 2**-(bits/2) to come.
        """


def proven_floors(law: Thresholds, bits: int) -> list[int]:
    """floor(2**bits T_k) for k = 1, 2, ..., as far as the tail of the law is worth at `bits`."""
    # Every threshold is below 1, however near, so its digits are never those of 1.
    top = (1 << bits) - 1
    guard = GUARD
    while True:
        lows, error = law.thresholds(bits, guard)
        floors = [low >> guard for low in lows]
        raised = [min(low + error >> guard, top) for low in lows]
        if floors == raised:
            return floors
        guard *= 2


@final
class Table:
    """The thresholds of one law to `bits` digits, and a guide by the first 16 bits of U.

    Theorem: a draw has exactly the law, because it is the k of rule 1 for the U whose bits were
    read: a cell of the guide is decided only if no threshold lies in it, a word only if it equals
    no threshold's digits and lies before the last.

    The first lookup costs one array access; it leaves open about one draw in a hundred.
    """

    __slots__ = ("_bits", "_floors", "_law", "guide")

    def __init__(self, law: Thresholds, *, bits: int = 64) -> None:
        self._law = law
        self._bits = bits
        floors = proven_floors(law, bits)
        self._floors = np.array(floors, dtype=np.uint64)
        cells = (self._floors >> np.uint64(bits - GUIDE_BITS)).astype(np.int64)
        inside = np.bincount(cells, minlength=GUIDE_CELLS)
        before = np.cumsum(inside) - inside
        open_cell = inside > 0
        open_cell[cells[-1] :] = True
        self.guide: NDArray[np.int16] = np.where(open_cell, UNDECIDED, before).astype(np.int16)

    def resolve(self, guide_words: NDArray[np.uint16], bits: Bits) -> NDArray[np.int64]:
        """The draws whose first 16 bits the guide leaves open."""
        rest = self._bits - GUIDE_BITS
        fresh = words(bits, np.uint64, guide_words.size) >> np.uint64(64 - rest)
        word = guide_words.astype(np.uint64) << np.uint64(rest) | fresh
        drawn = np.searchsorted(self._floors, word, side="left")
        tied = self._floors[np.minimum(drawn, self._floors.size - 1)] <= word
        for place in np.flatnonzero(tied):
            drawn[place] = self._refine(int(word[place]), bits)
        return drawn

    def _refine(self, word: int, bits: Bits) -> int:
        known, reader = self._bits, Reader(bits)
        while True:
            word = word << STEP | reader.take(STEP)
            known += STEP
            floors = proven_floors(self._law, known)
            drawn = bisect_left(floors, word)
            if drawn < len(floors) and floors[drawn] != word:
                return drawn
