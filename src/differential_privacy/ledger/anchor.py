"""The anchor: a small file that remembers how far the chain had come.

Rule 1: it is written after a commit and before anybody is told of it, and never goes backwards.
Rule 2: a chain that does not hold what the anchor holds is not the chain that was written.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger.entries import GENESIS, Head
from differential_privacy.ledger.store import PATIENCE_SECONDS

__all__ = ["Anchor", "FileAnchor", "NoAnchor"]

PAUSE_SECONDS = 0.001
"""Between two tries for the lock, which others hold for about as long."""


class Anchor(Protocol):
    """What remembers, outside of a store, which entries it must hold."""

    def newest(self) -> Head | None:
        """The head that a chain must hold, or none if nothing was ever anchored."""

    def advance(self, head: Head) -> None:
        """Remembers this head, durably, unless a newer one is remembered."""


class NoAnchor:
    """Remembers nothing: for a ledger in memory, which nobody can put back."""

    def newest(self) -> Head | None:
        """The beginning, which every chain holds."""
        return GENESIS

    def advance(self, head: Head) -> None:
        """Does nothing."""


class FileAnchor:
    """Remembers the head in a file, which is best kept where the ledger's copies are not.

    Whoever can put back an old ledger together with its old anchor is not noticed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()

    def newest(self) -> Head | None:
        """What the file holds; none where there is no file."""
        try:
            return _read(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise LedgerTamperedError(f"its anchor {self._path} is not one") from None
        except OSError as error:
            raise LedgerUnavailableError(f"its anchor: {error}") from error

    def advance(self, head: Head) -> None:
        """Replaces the file at once and whole."""
        try:
            with self._alone() as folder:
                newest = self.newest()
                if newest is not None and newest.sequence >= head.sequence:
                    return
                self._replace(json.dumps({"sequence": head.sequence, "hash": head.hash}))
                if newest is None:
                    # Later replacements need no such care: an older anchor is a true one, too.
                    os.fsync(folder)
        except OSError as error:
            raise LedgerUnavailableError(f"its anchor: {error}") from error

    def _replace(self, text: str) -> None:
        beside = self._path.with_name(f"{self._path.name}.new")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(handle)
        beside.replace(self._path)

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """Keeps other writers of this machine out, by a lock on the folder."""
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            self._lock(folder)
            yield folder
        finally:
            os.close(folder)

    def _lock(self, folder: int) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise LedgerUnavailableError("its anchor is locked") from None
                time.sleep(PAUSE_SECONDS)
            else:
                return


def _read(text: str) -> Head:
    held = json.loads(text)
    sequence, bound = held["sequence"], held["hash"]
    if not isinstance(sequence, int) or not isinstance(bound, str):
        raise TypeError
    return Head(sequence, bound)
