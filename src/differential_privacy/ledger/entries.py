"""The entries of the ledger: numbered, each bound to the one before it by a hash.

Rule 1: an entry is one canonical text; its hash covers that text and the hash before it.
Rule 2: the order is the chain's; the time is a note that nothing reads.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import TypeAlias
from unicodedata import normalize

from differential_privacy.errors import InvalidArgumentError, LedgerTamperedError

__all__ = [
    "GENESIS",
    "Body",
    "Entry",
    "Head",
    "Kind",
    "Record",
    "digest",
    "public_body",
    "public_text",
]

Body: TypeAlias = Mapping[str, object]
"""What an entry says: text, numbers, lists and mappings, all public."""

PARTS = {"body", "kind", "sequence", "time"}
LONGEST_NAME = 200
LONGEST_TEXT = 1 << 20
"""Characters of an entry: enough for any plan, and too few to fill a disk with one."""


class Kind(StrEnum):
    """What an entry does."""

    OPEN = "open"
    GRANT = "grant"
    LOWER = "lower"
    REVOKE = "revoke"
    MARK = "mark"
    SECRET = "secret"  # noqa: S105 - a kind, not a password
    SPEND = "spend"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain has come to: the number and the hash of its newest entry."""

    sequence: int
    hash: str


@dataclass(frozen=True, slots=True)
class Record:
    """An entry as a store keeps it."""

    sequence: int
    text: str
    hash: str


def digest(data: bytes) -> str:
    """What binds bytes that are kept beside the chain."""
    return sha256(data).hexdigest()


GENESIS = Head(0, digest(b"differential_privacy ledger, format 1"))
"""What the first entry follows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the chain: its record, and what that says.

    The text is JSON with sorted keys and no spaces; the hash is the SHA-256 of the hash before it,
    a line break and the text, in UTF-8.

    Theorem: whoever knows the hash of one entry knows all entries up to it: another chain with the
    same hash there would hold a collision of SHA-256.

    >>> from differential_privacy.ledger.entries import GENESIS, Entry, Kind
    >>> Entry.after(GENESIS, Kind.REVOKE, {"account": "ada"}, time="2026-11-20T12:00:00Z").text
    '{"body":{"account":"ada"},"kind":"revoke","sequence":1,"time":"2026-11-20T12:00:00Z"}'
    """

    record: Record
    previous: str
    time: str
    kind: Kind
    body: Body

    @staticmethod
    def after(head: Head, kind: Kind, body: Body, *, time: str | None = None) -> "Entry":
        """The entry that says this next."""
        sequence = head.sequence + 1
        text = _canonical({"body": body, "kind": kind, "sequence": sequence, "time": time or now()})
        return Entry.read(Record(sequence, text, _bound(head, text)), head)

    @staticmethod
    def read(record: Record, head: Head) -> "Entry":
        """The entry that a store holds, or an error if it is not the one that was written there."""
        if record.sequence != head.sequence + 1:
            found = f"entry {record.sequence} stands where entry {head.sequence + 1} belongs"
            raise LedgerTamperedError(found)
        try:
            said = json.loads(record.text)
            canonical = _canonical(said) == record.text and said.keys() == PARTS
            bound = _bound(head, record.text) == record.hash
            if canonical and bound and said["sequence"] == record.sequence:
                return Entry(record, head.hash, said["time"], Kind(said["kind"]), said["body"])
        except (AttributeError, TypeError, ValueError, RecursionError):
            pass
        raise LedgerTamperedError(f"entry {record.sequence}, or what it follows, was changed")

    @property
    def sequence(self) -> int:
        """Its number: the first entry has 1."""
        return self.record.sequence

    @property
    def text(self) -> str:
        """What its hash covers, after the hash before it."""
        return self.record.text

    @property
    def accounts(self) -> tuple[str, ...]:
        """The accounts that it opens, changes or charges; none of an answer."""
        named = self.body.get("accounts", [self.body.get("account")])
        return tuple(name for name in named if name) if isinstance(named, list) else ()

    @property
    def spend(self) -> object:
        """The id of the spend that it is, or that paid for it."""
        return self.body.get("id", self.body.get("spend"))

    @property
    def head(self) -> Head:
        """The end of the chain whose newest entry this is."""
        return Head(self.record.sequence, self.record.hash)


def now() -> str:
    """The time by this machine's clock, to the second: a note for people."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def public_text(value: object, name: str) -> str:
    """A name that is safe to show, to compare and to export.

    >>> from differential_privacy.ledger.entries import public_text
    >>> public_text("table: visits", "account")
    'table: visits'
    """
    if (
        not isinstance(value, str)
        or not 0 < len(value) <= LONGEST_NAME
        or not value.isprintable()
        or value != normalize("NFC", value).strip()
    ):
        rule = f"must be 1 to {LONGEST_NAME} printable characters, composed (NFC), no space around"
        raise InvalidArgumentError(name, value, rule)
    return value


def public_body(value: Mapping[str, object], name: str) -> Body:
    """What an entry may hold as it is: it reads back equal, and is not too long.

    >>> from differential_privacy.ledger.entries import public_body
    >>> public_body({"plan": {"table": "visits"}, "groups": ["ward"]}, "what")
    {'plan': {'table': 'visits'}, 'groups': ['ward']}
    """
    try:
        text = _canonical(value)
        same = json.loads(text) == value
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same or len(text) > LONGEST_TEXT:
        rule = f"must be what JSON holds, in at most {LONGEST_TEXT} characters: text, lists, ..."
        raise InvalidArgumentError(name, type(value).__name__, rule)
    return value


def _bound(head: Head, text: str) -> str:
    return digest(f"{head.hash}\n{text}".encode())


def _canonical(value: object) -> str:
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    # Half of a character is not text, and would fail in a store.
    text.encode()
    return text
