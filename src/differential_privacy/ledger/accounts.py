"""An account: a budget, what was spent of it, and the larger account that it is a part of.

Rule 1: the measure is fixed when an account is opened, before any answer is seen.
"""

from dataclasses import dataclass, replace

from differential_privacy.accounting import Filter
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError
from differential_privacy.ledger.measures import left_of, nothing_of
from differential_privacy.privacy import Spendable

__all__ = ["Account"]


@dataclass(frozen=True, slots=True)
class Account:
    """What may be spent under one name, and what was.

    `opened` is the budget that it was opened with, `budget` the one that it was given last. What is
    spent is bookkeeping; the promise is the budget.

    Theorem: whoever may raise a budget after seeing answers has promised the largest that they
    would have granted: the filter of that budget admits the same releases. Lowering it only refuses
    what that filter would have admitted, so it needs no theorem, and takes no promise back: a lower
    budget is a promise of its own only where no answer had a part in choosing it.

    >>> from differential_privacy.ledger import Account
    >>> account = Account.opened_with("ada", PureLoss(1)).admit(PureLoss(0.25))
    >>> account.left
    PureLoss(epsilon=0.75)
    >>> account.admit(PureLoss(0.8))
    Traceback (most recent call last):
        ...
    differential_privacy.errors.BudgetExceededError: ada: this needs PureLoss(epsilon=0.8), but ...
    """

    name: str
    opened: Spendable
    budget: Spendable
    spent: Spendable
    parent: str | None = None
    revoked: bool = False

    @staticmethod
    def opened_with(name: str, budget: Spendable, *, parent: str | None = None) -> "Account":
        """An account of which nothing is spent."""
        return Account(name, budget, budget, nothing_of(budget), parent)

    @property
    def left(self) -> Spendable:
        """What this account would still admit; an account above it may hold less."""
        return nothing_of(self.budget) if self._closed else left_of(self.budget, self.spent)

    def admit(self, loss: Spendable) -> "Account":
        """The account when this loss is spent too, or an error that names it."""
        budget = self.spent if self.revoked else self.budget
        refusal = BudgetExceededError(
            needed=loss, spent=self.spent, budget=budget, account=self.name
        )
        if self._closed:
            raise refusal
        try:
            return replace(self, spent=Filter(budget, self.spent).admit(loss).spent)
        except BudgetExceededError:
            raise refusal from None

    def after(self, loss: Spendable) -> "Account":
        """The account when this loss, once admitted, is spent too."""
        return replace(self, spent=self.spent + loss)

    def granted(self, budget: Spendable) -> "Account":
        """The account with a larger budget, open again if it was revoked."""
        self._check_measure(budget)
        if not self.budget.within(budget):
            rule = f"must not be below {self.budget}: what was promised is spent; or revoke it"
            raise InvalidArgumentError("budget", budget, rule)
        return replace(self, budget=budget, revoked=False)

    def lowered(self, budget: Spendable) -> "Account":
        """The account with a smaller budget; where more is spent already, with nothing left.

        >>> from differential_privacy.ledger import Account
        >>> account = Account.opened_with("ada", PureLoss(1)).admit(PureLoss(0.75))
        >>> account.lowered(PureLoss(0.5)).left
        PureLoss(epsilon=0)
        """
        self._check_measure(budget)
        if not budget.within(self.budget):
            rule = f"must not be above {self.budget}, which {self.name} has: that needs a grant"
            raise InvalidArgumentError("budget", budget, rule)
        return replace(self, budget=budget)

    @property
    def _closed(self) -> bool:
        """Whether nothing at all is admitted: it was revoked, or lowered below what is spent."""
        return self.revoked or not self.spent.within(self.budget)

    def _check_measure(self, budget: Spendable) -> None:
        if nothing_of(budget) != nothing_of(self.budget):
            rule = f"must be in the measure that {self.name} was opened with: {self.budget}"
            raise InvalidArgumentError("budget", budget, rule)
