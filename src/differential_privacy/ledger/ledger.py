"""The ledger: who may spend how much, what was spent, and the answers that were paid for.

Rule 1: a spend is durable before `spend` returns; what fails after that is not refunded.
Rule 2: a spend charges every account that it names and all above them, or none.
Rule 3: nothing is answered by a ledger that cannot be written, or is not the one that was written.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import final

from differential_privacy.errors import InvalidArgumentError, LedgerTamperedError
from differential_privacy.ledger.accounts import Account
from differential_privacy.ledger.anchor import Anchor, FileAnchor, NoAnchor
from differential_privacy.ledger.certificates import Certificates
from differential_privacy.ledger.chain import Chain, Draft
from differential_privacy.ledger.databases import DatabaseStore
from differential_privacy.ledger.entries import Entry, Kind, digest, public_body, public_text
from differential_privacy.ledger.measures import as_json, measure_of, orders_of
from differential_privacy.ledger.memory import MemoryStore
from differential_privacy.ledger.postgres import PostgresServer
from differential_privacy.ledger.replay import Answer, State
from differential_privacy.ledger.sqlite import SQLiteFile
from differential_privacy.ledger.statement import Statement, Verification
from differential_privacy.ledger.store import Store
from differential_privacy.ledger.turns import Turns
from differential_privacy.privacy import Spendable
from differential_privacy.sampling import secure_bits

__all__ = ["Ledger", "Receipt"]

IDENTITY_OCTETS = 16
SECRET_OCTETS = 32


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was paid: the spend's own id, and where it stands in the chain."""

    id: str
    sequence: int
    hash: str


@final
class Ledger:
    """One append-only chain of entries, and the accounts that they make.

    The accounts are replayed from the entries; each process remembers what it has read and reads
    what came since. It may be used by several threads, and after a fork by both sides.

    >>> from differential_privacy.ledger import Certificates, Ledger
    >>> ledger = Ledger.in_memory()
    >>> ledger.open_account("visits", ConcentratedLoss(1))
    >>> ledger.open_account("ada", PureLoss(0.5), parent="visits")
    >>> price = Certificates(PureLoss(0.3))
    >>> paid = ledger.spend(["ada"], price, who="ada", what={"question": "how many?"})
    >>> ledger.record_answer(paid, "how many?", b"42")
    b'42'
    >>> [str(account.left) for account in ledger.statement().accounts]
    ['ConcentratedLoss(rho=0.955)', 'PureLoss(epsilon=0.2)']
    >>> ledger.spend(["ada"], price, who="ada", what={})
    Traceback (most recent call last):
        ...
    differential_privacy.errors.BudgetExceededError: ada: this needs PureLoss(epsilon=0.3), but ...
    """

    def __init__(self, store: Store, anchor: Anchor) -> None:
        self._chain = Chain(store, anchor)
        self._turns = Turns()
        self._secret: bytes | None = None
        # A ledger that does not check out is refused before anybody counts on it.
        self._chain.read()

    @staticmethod
    def in_memory() -> "Ledger":
        """A ledger that ends with this process."""
        return Ledger(MemoryStore(), NoAnchor())

    @staticmethod
    def in_file(
        path: str | os.PathLike[str], *, anchor: str | os.PathLike[str] | None = None
    ) -> "Ledger":
        """A ledger in an SQLite file, anchored beside it unless another place is named."""
        place = f"{os.fspath(path)}.anchor" if anchor is None else anchor
        return Ledger(DatabaseStore(SQLiteFile(path)), FileAnchor(place))

    @staticmethod
    def on_server(dsn: str, *, anchor: str | os.PathLike[str]) -> "Ledger":
        """A ledger on a Postgres server, anchored in a file of this machine."""
        return Ledger(DatabaseStore(PostgresServer(dsn)), FileAnchor(anchor))

    def open_account(self, name: str, budget: Spendable, *, parent: str | None = None) -> None:
        """Opens an account in the budget's measure; again with the same budget changes nothing.

        What is spent from it is spent from its parent, too.
        """
        public_text(name, "account")
        measure_of(budget)

        def decide(state: State) -> Draft | None:
            account = state.accounts.get(name)
            if account is None:
                above = None if parent is None else state.account(parent).name
                body = {"account": name, "budget": as_json([budget]), "parent": above}
                return Draft(Kind.OPEN, body)
            if account.parent != parent:
                rule = f"must be {account.parent!r}, as when {name} was opened"
                raise InvalidArgumentError("parent", parent, rule)
            if budget not in (account.opened, account.budget):
                rule = f"must be {account.budget}, which {name} has: a larger one needs a grant"
                raise InvalidArgumentError("budget", budget, rule)
            return None

        self._chain.write(decide)

    def grant(self, account: str, budget: Spendable) -> None:
        """Gives an account this larger budget in the place of its own, also after a revocation."""

        def decide(state: State) -> Draft | None:
            before = state.account(account)
            if before.granted(budget) == before:
                return None
            return Draft(Kind.GRANT, {"account": account, "budget": as_json([budget])})

        self._chain.write(decide)

    def lower(self, account: str, budget: Spendable, *, who: str, why: str) -> None:
        """Gives an account this smaller budget in the place of its own; what is spent stays spent.

        `who` and `why` are notes that all may read.
        """
        said = {"who": public_text(who, "who"), "why": public_text(why, "why")}

        def decide(state: State) -> Draft | None:
            before = state.account(account)
            if before.lowered(budget) == before:
                return None
            return Draft(Kind.LOWER, {"account": account, "budget": as_json([budget]), **said})

        self._chain.write(decide)

    def revoke(self, account: str) -> None:
        """Nothing more may be spent from this account, until a grant."""

        def decide(state: State) -> Draft | None:
            if state.account(account).revoked:
                return None
            return Draft(Kind.REVOKE, {"account": account})

        self._chain.write(decide)

    def secret(self) -> bytes:
        """A key that all who use this ledger share, drawn once; it is kept beside the entries.

        Exports and statements leave it out: they show its digest, which tells nothing of it.
        """
        if self._secret is not None:
            return self._secret
        drawn = secure_bits().octets(SECRET_OCTETS).tobytes()

        def decide(state: State) -> Draft | None:
            if state.secret is not None:
                return None
            return Draft(Kind.SECRET, {"digest": digest(drawn)}, drawn)

        found = self._chain.read().secret or self._chain.write(decide).secret
        sequence, bound = found or (0, "")
        data = self._chain.attachment(sequence)
        if data is None or digest(data) != bound:
            raise LedgerTamperedError(f"the secret of entry {sequence} is gone or changed")
        self._secret = data
        return data

    def mark(self, account: str, mark: str) -> None:
        """Remembers a mark of what an account is about, so that this is known again by it."""
        public_text(mark, "mark")

        def decide(state: State) -> Draft | None:
            if state.account(account).name in state.marks.get(mark, ()):
                return None
            return Draft(Kind.MARK, {"account": account, "mark": mark})

        self._chain.write(decide)

    def marked(self, mark: str) -> tuple[str, ...]:
        """The accounts that were given this mark."""
        return self._chain.read().marks.get(mark, ())

    def spend(
        self,
        accounts: Sequence[str],
        certificates: Certificates,
        *,
        who: str,
        what: Mapping[str, object],
    ) -> Receipt:
        """Charges the accounts and all above them, durably, or refuses and charges none.

        Each account is charged in its own measure; `who` and `what` are notes that all may read.
        """
        if isinstance(accounts, str) or not accounts:
            raise InvalidArgumentError("accounts", accounts, "must be a list of one name or more")
        names = [public_text(name, "account") for name in accounts]
        public_text(who, "who")
        public_body(what, "what")
        identity = secure_bits().octets(IDENTITY_OCTETS).tobytes().hex()

        def decide(state: State) -> Draft | None:
            if identity in state.spends:
                return None
            charged = state.charged(names)
            complete = certificates.at(
                order for account in charged for order in orders_of(account.budget)
            )
            losses = [complete.for_budget(account.budget) for account in charged]
            for account, loss in zip(charged, losses, strict=True):
                account.admit(loss)
            body = {
                "id": identity,
                "accounts": [account.name for account in charged],
                "certificates": as_json(complete.losses),
                "who": who,
                "what": what,
            }
            return Draft(Kind.SPEND, body)

        return self._receipt(self._chain.write(decide), identity)

    def record_answer(self, receipt: Receipt, key: str, data: bytes) -> bytes:
        """Keeps the answer to a question under its key; returns the first that was kept."""
        public_text(key, "key")

        def decide(state: State) -> Draft | None:
            if receipt.id not in state.spends or self._receipt(state, receipt.id) != receipt:
                raise InvalidArgumentError("receipt", receipt, "must be of a spend of this ledger")
            if key in state.answers:
                return None
            body = {"spend": receipt.id, "key": key, "digest": digest(data)}
            return Draft(Kind.ANSWER, body, bytes(data))

        return self._kept(self._chain.write(decide).answers[key])

    def answer(self, key: str) -> tuple[Receipt, bytes] | None:
        """What was answered under this key, and what paid for it."""
        state = self._chain.read()
        if key not in state.answers:
            return None
        found = state.answers[key]
        return self._receipt(state, found.spend), self._kept(found)

    def turn(self, key: str) -> AbstractContextManager[None]:
        """Keeps other threads from working on the answer of this key; they wait, and find it."""
        return self._turns.of(key)

    def account(self, name: str) -> Account:
        """One account as it is now."""
        return self._chain.read().account(name)

    def statement(self, account: str | None = None) -> Statement:
        """All accounts and entries; or one account and the entries that concern it."""
        state, entries = self._chain.replayed()
        if account is None:
            return Statement(tuple(state.accounts.values()), tuple(entries))
        found = state.account(account)
        return Statement((found,), tuple(_concerning(account, entries)))

    def verify(self) -> Verification:
        """Checks every entry from the first on and every answer's bytes, or raises."""
        state, entries = self._chain.replayed()
        for answer in state.answers.values():
            self._kept(answer)
        return Verification(len(entries), len(state.answers), state.head)

    def close(self) -> None:
        """Lets go of files and connections; the next call opens them again."""
        self._chain.close()

    def _receipt(self, state: State, identity: str) -> Receipt:
        sequence = state.spends[identity]
        return Receipt(identity, sequence, state.hashes[sequence])

    def _kept(self, answer: Answer) -> bytes:
        data = self._chain.attachment(answer.sequence)
        if data is None or digest(data) != answer.digest:
            raise LedgerTamperedError(f"the answer of entry {answer.sequence} is gone or changed")
        return data


def _concerning(account: str, entries: Iterable[Entry]) -> Iterator[Entry]:
    """What opened, changed or charged an account, and the answers that it paid for."""
    paid = set()
    for entry in entries:
        if account in entry.accounts:
            paid.add(entry.spend)
            yield entry
        elif entry.kind is Kind.ANSWER and entry.spend in paid:
            yield entry
