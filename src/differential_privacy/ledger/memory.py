"""A ledger in memory: for notebooks, examples and tests. It ends with its process.

Rule 1: a fork gets no copy of it, for a copy would be a second budget.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from differential_privacy.errors import LedgerUnavailableError
from differential_privacy.ledger.entries import Record
from differential_privacy.ledger.store import PATIENCE_SECONDS, Transaction

__all__ = ["MemoryStore"]


class MemoryStore:
    """Records in a list, which threads may share."""

    def __init__(self) -> None:
        self._records: list[Record] = []
        self._attachments: dict[int, bytes] = {}
        self._writing = threading.Lock()
        self._process = os.getpid()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Appends all at its end, or nothing."""
        self._check_process()
        if not self._writing.acquire(timeout=PATIENCE_SECONDS):
            raise LedgerUnavailableError("another writer does not finish")
        try:
            pending = _Pending(self)
            yield pending
            for record, attachment in pending.appended:
                if attachment is not None:
                    self._attachments[record.sequence] = attachment
                self._records.append(record)
        finally:
            self._writing.release()

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers: the first has number 1."""
        self._check_process()
        return self._records[sequence:]

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes beside a record."""
        return self._attachments.get(sequence)

    def close(self) -> None:
        """Keeps all: there is nothing else that would."""

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise LedgerUnavailableError(
                "it is in the memory of another process; put a ledger to share into a file"
            )


class _Pending:
    """What a transaction would append."""

    def __init__(self, store: MemoryStore) -> None:
        self.after = store.after
        self.appended: list[tuple[Record, bytes | None]] = []

    def append(self, record: Record, attachment: bytes | None) -> None:
        self.appended.append((record, attachment))
