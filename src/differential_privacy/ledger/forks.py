"""Forks: what holds locks and connections lets go of them before, and neither side inherits any.

Rule 1: SQLite's files and a server's connection must not be used, nor closed, by two processes.
"""

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["Forkable", "let_go_at_forks"]


class Forkable(Protocol):
    """What can be made to hold nothing for a moment."""

    def pause(self) -> None:
        """Waits until no thread is inside, keeps all others out, and lets go of everything."""

    def resume(self) -> None:
        """Lets threads in again."""


_forkables: WeakSet[Forkable] = WeakSet()
_paused: list[Forkable] = []


def let_go_at_forks(forkable: Forkable) -> None:
    """Pauses this around every fork for as long as it is in use."""
    _forkables.add(forkable)


def _pause() -> None:
    # In one order, so that two threads that fork at once do not wait for each other.
    for forkable in sorted(_forkables, key=id):
        _paused.append(forkable)
        forkable.pause()


def _resume() -> None:
    while _paused:
        _paused.pop().resume()


os.register_at_fork(before=_pause, after_in_parent=_resume, after_in_child=_resume)
