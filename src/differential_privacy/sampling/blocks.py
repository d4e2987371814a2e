"""Laws that fall on both sides of zero, drawn by the array: a block by table, then a place in it.

An integer x is written as y if it is at least 0 and as -1 - y if not, with y >= 0, and y as
2**shift * block + place. So zero has one form only, and no draw is wasted on the sign.

Rule 1: a draw is accepted by whole numbers, or by floats outside a band where exact ones decide.
Rule 2: what does not fit in 64 bits raises OverflowError.
"""

from fractions import Fraction
from typing import Protocol, final

import numpy as np
from numpy.typing import NDArray

from differential_privacy.sampling.bits import Bits, integers, words
from differential_privacy.sampling.coins import exp_coins
from differential_privacy.sampling.shape import chunks
from differential_privacy.sampling.table import Table, Thresholds

__all__ = ["BlockLaw", "Blocks", "block_shift"]

FINEST = 64
"""A block is at most 1/32 of a scale wide, so that nearly all places in it are accepted."""

OPEN = np.iinfo(np.int16).min
QUICK_BITS = 16


def block_shift(scale: int) -> int:
    """How many bits of an integer of this scale are left to the place in a block.

    >>> [block_shift(scale) for scale in (63, 64, 128, 10**6)]
    [0, 1, 2, 14]
    """
    return (scale // FINEST).bit_length()


class BlockLaw(Thresholds, Protocol):
    """A law whose weights fall on both sides, seen as a law of blocks and odds within them.

    Number 2h of the thresholds' law is block h of the integers from 0 up, 2h + 1 block h of
    those below. The weight of a block is at least that of any integer in it.
    """

    shift: int

    def sure(self, count: int) -> list[int]:
        """For each of the first blocks, 2**16 times the least odds in it, rounded down."""

    def exponents(self, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        """The g for which each integer is kept with odds exp(-g), to a relative 2**-48."""

    def exponent(self, drawn: int) -> Fraction:
        """The same, exactly."""


@final
class Blocks:
    """A sampler of one law: an array by a few passes over small chunks.

    Theorem: an integer is proposed with the weight of its block, the same for all places, and
    kept with its own weight divided by that, so what is kept has its own weight. The place may be
    joined to a negative block by exclusive or, for the complement of a uniform place is uniform.
    """

    __slots__ = ("_blocks", "_law", "_sure", "_table")

    def __init__(self, law: BlockLaw, *, bits: int = 64) -> None:
        self._law = law
        self._table = Table(law, bits=bits)
        guide = self._table.guide
        self._blocks = np.where(guide < 0, OPEN, (guide >> 1) ^ -(guide & 1)).astype(np.int16)
        sure = np.array(law.sure(int(guide.max()) // 2 + 1), dtype=np.uint16)
        self._sure = np.where(guide < 0, 0, sure[guide >> 1]).astype(np.uint16)

    def draw(self, count: int, bits: Bits) -> NDArray[np.int64]:
        """So many independent draws."""
        drawn = np.empty(count, dtype=np.int64)
        for part in chunks(count):
            self._fill(drawn[part], bits)
        return drawn

    def _fill(self, drawn: NDArray[np.int64], bits: Bits) -> None:
        count, shift = drawn.size, self._law.shift
        guide_words = words(bits, np.uint16, count)
        blocks = self._blocks.take(guide_words, mode="clip")
        np.left_shift(blocks, shift, out=drawn, dtype=np.int64)
        left_open = np.flatnonzero(blocks == OPEN)
        if left_open.size:
            drawn[left_open] = self._signed(self._table.resolve(guide_words[left_open], bits))
        if shift:
            np.bitwise_xor(drawn, integers(bits, shift, count), out=drawn)
            self._accept(drawn, guide_words, bits)

    def _signed(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        shift = self._law.shift
        blocks = numbers >> 1
        if np.any(blocks >> (63 - shift)):
            raise OverflowError
        return (blocks ^ -(numbers & 1)) << shift

    def _accept(
        self, drawn: NDArray[np.int64], guide_words: NDArray[np.uint16], bits: Bits
    ) -> None:
        """Draw again what its odds refuse."""
        quick = words(bits, np.uint16, drawn.size)
        unsure = np.flatnonzero(quick >= self._sure.take(guide_words, mode="clip"))
        if not unsure.size:
            return
        asked = drawn[unsure]
        rest = words(bits, np.uint64, unsure.size) >> np.uint64(QUICK_BITS)
        word = quick[unsure].astype(np.uint64) << np.uint64(64 - QUICK_BITS) | rest
        kept = exp_coins(
            word,
            self._law.exponents(asked),
            lambda place: self._law.exponent(int(asked[place])),
            bits,
        )
        refused = unsure[~kept]
        if refused.size:
            again = np.empty(refused.size, dtype=np.int64)
            self._fill(again, bits)
            drawn[refused] = again
