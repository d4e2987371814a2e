"""The secure source: AES-256 in counter mode, keyed by the operating system, one stream a thread.

Rule 1: keys come from the operating system alone; nobody can seed a stream, copy it or store it.
Rule 2: octets are handed out once, and erased here before they are.
Rule 3: no state survives a fork, a second of time, or GENERATION_OCTETS octets.
"""

import os
import threading
import time
from typing import NoReturn, final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from differential_privacy.sampling.bits import Bits

__all__ = ["secure_bits"]

KEY_OCTETS = 32
STATE_OCTETS = 48
"""A key and the counter to start from."""

BLOCK_OCTETS = 1 << 18
"""Octets made at once: enough to make a key's cost vanish, few enough to stay in a cache."""

GENERATION_OCTETS = 1 << 30
"""Octets after which the operating system is asked again, far below any bound of AES."""

GENERATION_SECONDS = 1.0
"""Seconds after which it is asked again, so that two copies of a virtual machine soon differ."""

ZEROS = bytes(BLOCK_OCTETS)


@final
class Keystream:
    """Uniform bits that nobody without the key can tell from independent ones.

    Theorem: each block of the stream is the AES-256 counter mode keystream of a key used for this
    block alone; its first 48 octets become the next key and counter and are erased (fast key
    erasure). So whoever reads the memory later learns no octet that was handed out before.

    Reference: Bernstein, "Fast-key-erasure random-number generators" 2017; NIST SP 800-38A 6.5.
    """

    __slots__ = ("_at", "_block", "_busy", "_expires", "_family", "_left", "_process", "_state")

    def __init__(self) -> None:
        self._busy = False
        self._left = self._at = 0
        self._block: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._rekey()

    def octets(self, count: int) -> NDArray[np.uint8]:
        """The next `count` octets, as an array of the caller's own."""
        if self._busy:
            # A signal handler draws while this thread is inside: it gets a stream of its own.
            return Keystream().octets(count)
        self._busy = True
        try:
            return self._octets(count)
        finally:
            self._busy = False

    def _octets(self, count: int) -> NDArray[np.uint8]:
        if (
            self._family != _forks
            or self._process != os.getpid()
            or time.monotonic() >= self._expires
        ):
            self._rekey()
        if count <= BLOCK_OCTETS - STATE_OCTETS:
            return self._slice(count)
        handed = np.empty(count, np.uint8)
        for start in range(0, count, BLOCK_OCTETS - STATE_OCTETS):
            part = handed[start : start + BLOCK_OCTETS - STATE_OCTETS]
            part[:] = self._slice(part.size)
        return handed

    def _slice(self, count: int) -> NDArray[np.uint8]:
        start = self._at
        if start + count > BLOCK_OCTETS:
            self._refill()
            start = self._at
        # The place moves first, so that an interrupt can lose octets but never repeat them.
        self._at = start + count
        source = self._block[start : start + count]
        if source.size != count:
            message = "the stream was interrupted while it was renewed: draw again"
            raise RuntimeError(message)
        handed = source.copy()
        source.fill(0)
        return handed

    def _refill(self) -> None:
        if self._left < BLOCK_OCTETS:
            self._rekey()
        self._left -= BLOCK_OCTETS
        key, counter = bytes(self._state[:KEY_OCTETS]), bytes(self._state[KEY_OCTETS:])
        block = bytearray(BLOCK_OCTETS + 15)
        Cipher(algorithms.AES256(key), modes.CTR(counter)).encryptor().update_into(ZEROS, block)
        self._state[:] = block[:STATE_OCTETS]
        block[:STATE_OCTETS] = bytes(STATE_OCTETS)
        self._block = np.frombuffer(block, np.uint8, BLOCK_OCTETS)
        self._at = STATE_OCTETS

    def _rekey(self) -> None:
        # The only place where the library asks the operating system for randomness.
        self._state = bytearray(os.urandom(STATE_OCTETS))  # noqa: TID251
        # Nothing can be handed out from here on, wherever an interrupt falls.
        self._at = BLOCK_OCTETS
        self._block = np.empty(0, np.uint8)
        self._left = GENERATION_OCTETS
        self._family = _forks
        self._process = os.getpid()
        self._expires = time.monotonic() + GENERATION_SECONDS

    def __reduce__(self) -> NoReturn:
        message = "a stream of secret bits is never copied or stored"
        raise TypeError(message)


@final
class _Secure:
    """The stream of whichever thread asks, so that it can be shared without being shared."""

    __slots__ = ()

    def octets(self, count: int) -> NDArray[np.uint8]:
        """The next octets of this thread's own stream."""
        try:
            stream: Keystream = _threads.stream
        except AttributeError:
            stream = _threads.stream = Keystream()
        return stream.octets(count)


_forks = 0
_threads = threading.local()
_SECURE = _Secure()


def _forget_after_fork() -> None:
    # A process number can come back, so a child also counts the forks that led to it.
    global _forks  # noqa: PLW0603
    _forks += 1


os.register_at_fork(after_in_child=_forget_after_fork)


def secure_bits() -> Bits:
    """The secure source that every draw uses unless it is given another one.

    >>> secure_bits().octets(24).shape
    (24,)
    """
    return _SECURE
