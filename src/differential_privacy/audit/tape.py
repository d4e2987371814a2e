"""Bits that are the same each time: for worlds that are compared, never for an answer to anybody.

Rule 1: noise of a tape hides nothing; a door that reads one stands over made-up data alone.
"""

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tape"]

BLOCK = 1 << 16


@dataclass(slots=True)
class Tape:
    """Bits that follow from a name and a turn, and how often and how many were read.

    >>> one, other = Tape("a"), Tape("a")
    >>> bool((one.octets(5) == other.octets(5)).all()), one.calls, one.read
    (True, 1, 5)
    """

    name: str
    turn: int = 0
    calls: int = 0
    read: int = 0
    _made: bytes = field(default=b"", repr=False)
    _blocks: int = field(default=0, repr=False)

    def next_turn(self) -> None:
        """Goes on to bits that do not depend on how many were read before."""
        self.turn += 1
        self.calls = self.read = self._blocks = 0
        self._made = b""

    def octets(self, count: int) -> NDArray[np.uint8]:
        """The next octets of the tape."""
        self.calls += 1
        self.read += count
        while len(self._made) < count:
            block = hashlib.shake_256(f"{self.name} {self.turn} {self._blocks}".encode()).digest(
                BLOCK
            )
            self._made += block
            self._blocks += 1
        handed, self._made = self._made[:count], self._made[count:]
        return np.frombuffer(bytearray(handed), np.uint8)
