"""The chain as this process follows it: read up to date, written to, and held against the anchor.

Rule 1: what was read once must still be there; what the anchor holds must be in the chain.
Rule 2: an entry is durable, and anchored, before anybody is told that it is written.
"""

import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger.anchor import Anchor
from differential_privacy.ledger.entries import GENESIS, Body, Entry, Kind, Record
from differential_privacy.ledger.forks import let_go_at_forks
from differential_privacy.ledger.replay import State
from differential_privacy.ledger.store import Store, Transaction

__all__ = ["Chain", "Draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """What the next entry is to say, and the bytes to keep beside it."""

    kind: Kind
    body: Body
    attachment: bytes | None = None


@final
class Chain:
    """One process's view of the entries in a store; its threads take turns."""

    def __init__(self, store: Store, anchor: Anchor) -> None:
        self._store = store
        self._anchor = anchor
        self._lock = threading.RLock()
        self._state = State()
        self._anchored = GENESIS
        let_go_at_forks(self)
        weakref.finalize(self, store.close)

    def read(self) -> State:
        """The state by all entries that are there now."""
        with self._lock:
            self._catch_up(self._store.after)
            return self._state

    def write(self, decide: Callable[[State], Draft | None]) -> State:
        """Appends what is decided on the newest state; a decision that finds itself done is none.

        That is how a commit of unknown outcome is settled: it is decided once more.
        """
        with self._lock:
            written = None
            for last in (False, True):
                leaving = False
                try:
                    with self._store.transaction() as transaction:
                        self._catch_up(transaction.after)
                        draft = decide(self._state)
                        written = None if draft is None else self._append(transaction, draft)
                        leaving = True
                    break
                except LedgerUnavailableError:
                    if last or not leaving:
                        raise
            if written is not None:
                self._follow([written])
            self._anchor.advance(self._state.head)
            return self._state

    def replayed(self) -> tuple[State, list[Entry]]:
        """All entries, read and checked anew, up to no less than what this process has seen."""
        with self._lock:
            self.read()
            state = State()
            entries = state.follow(self._store.after(0))
            if not state.holds(self._state.head):
                raise LedgerTamperedError(f"entry {self._state.head.sequence} is gone")
            return state, entries

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes that are kept beside an entry."""
        with self._lock:
            return self._store.attachment(sequence)

    def close(self) -> None:
        """Lets go of files and connections; the next call opens them again."""
        with self._lock:
            self._store.close()

    def pause(self) -> None:
        """Before a fork: see `forks`."""
        self._lock.acquire()
        self._store.close()

    def resume(self) -> None:
        """After a fork: see `forks`."""
        self._lock.release()

    def _append(self, transaction: Transaction, draft: Draft) -> Record:
        head = self._state.head
        if head == GENESIS:
            # From here on a missing anchor is a lost one.
            self._anchor.advance(head)
        record = Entry.after(head, draft.kind, draft.body).record
        transaction.append(record, draft.attachment)
        return record

    def _catch_up(self, after: Callable[[int], Sequence[Record]]) -> None:
        """Follows what was appended since, and holds all of it against the anchor.

        The anchor is read first: entries only come, so they must hold what it held before.
        """
        anchored = self._anchor.newest()
        self._follow_what_came(after)
        if anchored is None and self._state.head != GENESIS:
            # The first entry and its anchor may have come between the two.
            anchored = self._anchor.newest()
            self._follow_what_came(after)
        if anchored is None and self._state.head != GENESIS:
            found = (
                f"it has {self._state.head.sequence} entries and no anchor (on another machine, "
                "place one by FileAnchor(path).advance(head) with the head that a trusted one has)"
            )
            raise LedgerTamperedError(found)
        anchored = anchored or GENESIS
        if anchored.sequence < self._anchored.sequence:
            raise LedgerTamperedError("its anchor went back")
        if not self._state.holds(anchored):
            raise LedgerTamperedError(f"it does not hold entry {anchored.sequence} of its anchor")
        self._anchored = anchored

    def _follow_what_came(self, after: Callable[[int], Sequence[Record]]) -> None:
        head = self._state.head
        records = after(max(head.sequence - 1, 0))
        if head != GENESIS:
            # The newest entry that was read here must still be there.
            if not records or (records[0].sequence, records[0].hash) != (head.sequence, head.hash):
                raise LedgerTamperedError(f"entry {head.sequence} is gone, or is another one")
            records = records[1:]
        self._follow(records)

    def _follow(self, records: Sequence[Record]) -> None:
        # Whatever interrupts this, no half of an entry is left: the rest begins anew.
        state, self._state = self._state, State()
        state.follow(records)
        self._state = state
