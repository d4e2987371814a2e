"""Parallel composition: disjoint parts of a table, each with an account of its own.

Rule 1: the parts are public, and fixed before any answer is seen; each person is in one at most.
"""

from dataclasses import dataclass

from differential_privacy.accounting import parallel
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.ledger.ledger import Ledger
from differential_privacy.privacy import Spendable

__all__ = ["Parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a table, whose accounts are spent from side by side.

    What is asked of one part is charged to its account; what is asked of several, or of the whole
    table, to each of theirs. An account above them would add them up: they have none.

    Theorem: adding or removing one person changes the data of one part. The answers about all other
    parts have the same law with the person and without, so what a strategy learns of the person is
    bounded by the filter of that part: the whole table has the largest loss of its parts. The data
    do not change meanwhile. A person who moves counts in two parts: `grouped(loss, 2)`.

    Reference: McSherry 2009 (PINQ), theorem 4; why the data must not change, unless losses are
    pure: Henzinger, Safavi, Vadhan 2024 (2411.03299).

    >>> from differential_privacy.ledger import Certificates, Ledger, Parts
    >>> ledger, wards = Ledger.in_memory(), Parts("visits", ("north", "south"))
    >>> wards.open(ledger, PureLoss(1))
    >>> for ward, epsilon in [("north", 0.5), ("south", 0.25), ("south", 0.5)]:
    ...     paid = ledger.spend(
    ...         wards.accounts(ward), Certificates(PureLoss(epsilon)), who="ada", what={}
    ...     )
    >>> wards.cost(ledger)
    PureLoss(epsilon=0.75)
    """

    table: str
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.names or len(set(self.names)) < len(self.names):
            raise InvalidArgumentError("names", self.names, "must be one or more, each once")

    def accounts(self, *names: str) -> list[str]:
        """The accounts of these parts; of all, where none is named."""
        for name in names:
            if name not in self.names:
                rule = f"must be a part of {self.table}: {', '.join(self.names)}"
                raise InvalidArgumentError("part", name, rule)
        return [f"{self.table}[{name}]" for name in names or self.names]

    def open(self, ledger: Ledger, budget: Spendable) -> None:
        """Opens each part's account with the budget that the whole table then has."""
        for account in self.accounts():
            ledger.open_account(account, budget)

    def cost(self, ledger: Ledger) -> Spendable:
        """What the parts cost together, by what is spent so far."""
        return parallel([ledger.account(account).spent for account in self.accounts()])
