"""Turns: threads that are about to answer the same question do so one after the other.

Rule 1: nobody waits for what cannot come: whoever leaves, in whatever way, gives the turn away, and
a fork inherits none.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import final
from weakref import WeakValueDictionary

from differential_privacy.ledger.forks import let_go_at_forks

__all__ = ["Turns"]


@final
class Turns:
    """One lock for each key that somebody wants; of other processes it knows nothing."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._wanted: WeakValueDictionary[tuple[int, str], Lock] = WeakValueDictionary()
        let_go_at_forks(self)

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Waits until no other thread of this process is at work on this."""
        with self._guard:
            mine = self._wanted.setdefault((os.getpid(), key), Lock())
        with mine:
            yield

    def pause(self) -> None:
        """Before a fork: see `forks`."""
        self._guard.acquire()

    def resume(self) -> None:
        """After a fork: see `forks`."""
        self._guard.release()
