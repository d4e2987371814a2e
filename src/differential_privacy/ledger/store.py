"""What the ledger asks of a place that keeps its records.

Rule 1: what was appended is durable when the transaction is left; what was not leaves no trace.
Rule 2: one transaction at a time, over all processes and machines.
Rule 3: a store that cannot keep these says so by LedgerUnavailableError, and is ready to be asked
again.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from differential_privacy.ledger.entries import Record

__all__ = ["PATIENCE_SECONDS", "Store", "Transaction"]

PATIENCE_SECONDS = 30
"""How long a writer waits for others, each of whom takes some milliseconds."""


class Transaction(Protocol):
    """The time in which nobody else writes."""

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers, in their order."""

    def append(self, record: Record, attachment: bytes | None) -> None:
        """One more record, and the bytes that are kept beside it."""


class Store(Protocol):
    """Where records are kept. It is called by one thread at a time."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """Leaving it commits; an error inside, or in leaving, keeps nothing that is known of."""

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers, in their order: all that were durable when asked."""

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes that are kept beside a record."""

    def close(self) -> None:
        """Lets go of files and connections; the next call opens them again."""
