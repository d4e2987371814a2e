"""Which of the two samplers draws: one by one, or by an array once that pays for its set-up.

Rule 1: what decides is public: the parameter and how many draws it was asked for. Where bits are
given, it is the draws of this call alone, so that the same bits give the same draws.
Rule 2: what is kept between calls holds no randomness.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from differential_privacy.sampling.bits import Bits, Reader
from differential_privacy.sampling.blocks import BlockLaw, Blocks
from differential_privacy.sampling.keystream import secure_bits
from differential_privacy.sampling.shape import Size, shape_of

__all__ = ["LARGEST_EXPONENT", "Draws", "Family"]

WORTH = 300
"""As many draws one by one take as long as to set up a sampler of arrays."""

KEPT = 32
"""Parameters whose samplers are kept, at less than a megabyte each."""

LARGEST_EXPONENT = 27726
"""exp of minus this is below 2**-40000, which we call never."""

Draws = NDArray[np.int64] | NDArray[np.object_]


@final
class _Prepared:
    """One parameter: how many draws it has seen and, once they are worth it, a sampler.

    Two threads may both set one up; either is as good, and nothing breaks.
    """

    __slots__ = ("_blocks", "_law", "_seen")

    def __init__(self, law: BlockLaw) -> None:
        self._law = law
        self._seen = 0
        self._blocks: Blocks | None = None

    def blocks(self, count: int) -> Blocks | None:
        """The sampler, if these draws or those before them pay for it."""
        self._seen += count
        return self.table() if self._seen >= WORTH else None

    def table(self) -> Blocks:
        """The sampler, set up when it is first needed."""
        if self._blocks is None:
            self._blocks = Blocks(self._law)
        return self._blocks


@final
@dataclass(frozen=True, eq=False)
class Family:
    """The laws of one kind, by a rational parameter.

    `law` makes the law of a parameter, `one` draws from it without set-up, and `fits` tells
    whether 64 bits hold all its integers but for a probability below 2**-40000.
    """

    law: Callable[[Fraction], BlockLaw]
    one: Callable[[Fraction, Reader], int]
    fits: Callable[[Fraction], bool]

    def draw(self, parameter: Fraction, size: Size, bits: Bits | None) -> int | Draws:
        """One Python integer, or an array of them."""
        source = secure_bits() if bits is None else bits
        if size is None:
            return self.one(parameter, Reader(source))
        shape, count = shape_of(size)
        if not self.fits(parameter):
            whole = np.empty(count, dtype=np.object_)
            whole[:] = self._one_by_one(parameter, count, source)
            return whole.reshape(shape)
        prepared = _prepared(self, parameter)
        if bits is None:
            blocks = prepared.blocks(count)
        else:
            blocks = prepared.table() if count >= WORTH else None
        if blocks is None:
            # numpy raises OverflowError itself for an integer that does not fit.
            drawn = np.array(self._one_by_one(parameter, count, source), dtype=np.int64)
        else:
            drawn = blocks.draw(count, source)
        return drawn.reshape(shape)

    def _one_by_one(self, parameter: Fraction, count: int, bits: Bits) -> list[int]:
        reader = Reader(bits)
        return [self.one(parameter, reader) for _ in range(count)]


@lru_cache(maxsize=KEPT)
def _prepared(family: Family, parameter: Fraction) -> _Prepared:
    return _Prepared(family.law(parameter))
