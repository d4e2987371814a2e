"""What the ledger says of itself: the accounts, the entries, and whether all of it checks out."""

from dataclasses import dataclass

from differential_privacy.ledger.accounts import Account
from differential_privacy.ledger.entries import Entry, Head

__all__ = ["Statement", "Verification"]


@dataclass(frozen=True, slots=True)
class Statement:
    """Accounts, in the order in which they were opened, and the entries that concern them."""

    accounts: tuple[Account, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, from the first entry on: so many entries and answers, up to this head."""

    entries: int
    answers: int
    head: Head
