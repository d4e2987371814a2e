"""The state of all accounts, replayed from entries: there is nothing else that it could come from.

Rule 1: an entry that the rules would not have admitted is no entry of ours.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from differential_privacy.errors import (
    DifferentialPrivacyError,
    LedgerTamperedError,
    UnknownAccountError,
)
from differential_privacy.ledger.accounts import Account
from differential_privacy.ledger.entries import GENESIS, Body, Entry, Head, Kind, Record
from differential_privacy.ledger.measures import from_json, measure_of
from differential_privacy.privacy import Spendable

__all__ = ["Answer", "State"]

REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Answer:
    """Where an answer stands, what paid for it, and what its bytes are bound by."""

    sequence: int
    spend: str
    digest: str


class State:
    """All that entries say together, kept up to date by following them one by one."""

    def __init__(self) -> None:
        self.hashes = [GENESIS.hash]
        self.accounts: dict[str, Account] = {}
        self.spends: dict[str, int] = {}
        self.answers: dict[str, Answer] = {}
        self.marks: dict[str, tuple[str, ...]] = {}
        self.secret: tuple[int, str] | None = None
        self._by_kind: Mapping[Kind, Callable[[int, Body], None]] = {
            Kind.OPEN: self._open,
            Kind.GRANT: self._grant,
            Kind.LOWER: self._lower,
            Kind.REVOKE: self._revoke,
            Kind.MARK: self._mark,
            Kind.SECRET: self._secret,
            Kind.SPEND: self._spend,
            Kind.ANSWER: self._answer,
        }

    @property
    def head(self) -> Head:
        """The newest entry followed."""
        return Head(len(self.hashes) - 1, self.hashes[-1])

    def holds(self, head: Head) -> bool:
        """Whether this head is one of the chain's."""
        return head.sequence < len(self.hashes) and self.hashes[head.sequence] == head.hash

    def account(self, name: str) -> Account:
        """The account of a name, or an error that says that there is none."""
        if name not in self.accounts:
            raise UnknownAccountError(name)
        return self.accounts[name]

    def charged(self, names: Iterable[str]) -> list[Account]:
        """The named accounts and all above them, each once."""
        found: dict[str, Account] = {}
        for name in names:
            above: str | None = name
            while above is not None and above not in found:
                found[above] = self.account(above)
                above = found[above].parent
        return list(found.values())

    def follow(self, records: Iterable[Record]) -> list[Entry]:
        """Follows the next entries; a state that fails half way must not be used again."""
        entries = []
        for record in records:
            entry = Entry.read(record, self.head)
            try:
                self._by_kind[entry.kind](entry.sequence, entry.body)
            except (DifferentialPrivacyError, LookupError, TypeError, ValueError) as error:
                found = f"entry {entry.sequence} breaks the rules of a {entry.kind}"
                raise LedgerTamperedError(found) from error
            self.hashes.append(record.hash)
            entries.append(entry)
        return entries

    def _open(self, _: int, body: Body) -> None:
        name, parent = _text(body["account"]), body["parent"]
        if name in self.accounts:
            raise ValueError(name)
        above = None if parent is None else self.account(_text(parent)).name
        self.accounts[name] = Account.opened_with(name, _budget(body), parent=above)

    def _grant(self, _: int, body: Body) -> None:
        account = self.account(_text(body["account"]))
        self.accounts[account.name] = account.granted(_budget(body))

    def _lower(self, _: int, body: Body) -> None:
        account = self.account(_text(body["account"]))
        self.accounts[account.name] = account.lowered(_budget(body))

    def _revoke(self, _: int, body: Body) -> None:
        account = self.account(_text(body["account"]))
        self.accounts[account.name] = replace(account, revoked=True)

    def _mark(self, _: int, body: Body) -> None:
        account, mark = self.account(_text(body["account"])).name, _text(body["mark"])
        marked = self.marks.get(mark, ())
        if account in marked:
            raise ValueError(mark)
        self.marks[mark] = (*marked, account)

    def _secret(self, sequence: int, body: Body) -> None:
        if self.secret is not None:
            raise ValueError(sequence)
        self.secret = sequence, _text(body["digest"])

    def _spend(self, sequence: int, body: Body) -> None:
        spend, losses = _text(body["id"]), _mapping(body["certificates"])
        names = [_text(name) for name in _list(body["accounts"])]
        accounts = self.charged(names)
        if spend in self.spends or not names or [account.name for account in accounts] != names:
            raise ValueError(spend)
        for account in accounts:
            measure = measure_of(account.budget).name
            after = account.after(_loss(measure, tuple(_mapping(losses[measure]).items())))
            if account.revoked or not after.spent.within(account.budget):
                raise ValueError(account.name)
            self.accounts[account.name] = after
        self.spends[spend] = sequence

    def _answer(self, sequence: int, body: Body) -> None:
        answer = Answer(sequence, _text(body["spend"]), _text(body["digest"]))
        key = _text(body["key"])
        if key in self.answers or answer.spend not in self.spends:
            raise ValueError(key)
        self.answers[key] = answer


def _budget(body: Body) -> Spendable:
    ((name, numbers),) = _mapping(body["budget"]).items()
    return _loss(name, tuple(_mapping(numbers).items()))


@lru_cache(REMEMBERED)
def _loss(name: str, numbers: tuple[tuple[str, object], ...]) -> Spendable:
    return from_json(name, {number: _text(text) for number, text in numbers})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return value
