"""Filters stop at a budget; odometers read what was spent. Both are values: the ledger stores them.

Rule 1: what a filter measures is chosen when it is made, never by looking at answers.
Rule 2: a refusal changes nothing, and depends on losses alone, which are public.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, TypeVar

from differential_privacy.errors import BudgetExceededError, InvalidArgumentError
from differential_privacy.exact import (
    Number,
    log,
    nonnegative,
    open_probability,
    round_up,
    short_up,
    sqrt,
)
from differential_privacy.privacy import ApproximateLoss, Loss, Spendable

__all__ = ["AdvancedFilter", "Filter", "Odometer"]

S = TypeVar("S", bound=Spendable)
L = TypeVar("L", bound=Loss)


@dataclass(frozen=True, slots=True)
class Odometer(Generic[L]):
    """The sum of what was spent so far: bookkeeping of losses of one type.

    It is a guarantee at a moment fixed beforehand; to stop at a moment that answers choose, use a
    filter. Reference: Rogers, Roth, Ullman, Vadhan 2016 (1605.08294), section 6.

    >>> Odometer(PureLoss(0)).after(PureLoss(0.1)).after(PureLoss(0.2)).spent
    PureLoss(epsilon=0.3)
    """

    spent: L

    def after(self, loss: L) -> "Odometer[L]":
        """The odometer when this loss is spent too."""
        return Odometer(self.spent + loss)


@dataclass(frozen=True, slots=True)
class Filter(Generic[S]):
    """Admits releases as long as their losses add up to no more than the budget.

    Theorem: whatever strategy picks each release after seeing the answers before it, all that is
    released together has the budget's loss. This holds for every type whose numbers add adaptively:
    pure, approximate, concentrated, Gaussian, and Renyi at the orders of the budget.

    Reference: Rogers, Roth, Ullman, Vadhan 2016 (1605.08294), theorem 4.3 (pure, approximate);
    Feldman, Zrnic 2021 (2008.11193), theorem 3.3 (Renyi, so concentrated); Whitehouse, Ramdas,
    Rogers, Wu 2023 (2203.05481) (concentrated but for a delta); Smith, Thakurta 2022
    (2210.17520) (Gaussian); interleaved sessions: Haney et al. 2023 (2309.05901).

    >>> spent = Filter(PureLoss(1), PureLoss(0)).admit(PureLoss(0.75))
    >>> spent.admit(PureLoss(0.5))
    Traceback (most recent call last):
        ...
    differential_privacy.errors.BudgetExceededError: this needs PureLoss(epsilon=0.5), but ...
    """

    budget: S
    spent: S

    def __post_init__(self) -> None:
        if type(self.spent) is not type(self.budget):
            raise InvalidArgumentError("spent", self.spent, "must be of the budget's type")
        if not _spendable(self.budget):
            rule = "must be of a kind that a filter is proved for, as PureLoss is"
            raise InvalidArgumentError("budget", self.budget, rule)
        if not self.spent.within(self.budget):
            raise InvalidArgumentError("spent", self.spent, "must be within the budget")

    def admit(self, loss: S) -> "Filter[S]":
        """The filter when this loss is spent too, or an error that says what is left."""
        if type(loss) is not type(self.budget):
            rule = f"must be a {type(self.budget).__name__}, as the budget is: convert it first"
            raise InvalidArgumentError("loss", loss, rule)
        refusal = BudgetExceededError(needed=loss, spent=self.spent, budget=self.budget)
        try:
            spent = self.spent + loss
        except InvalidArgumentError:
            # The deltas pass one: there is no such loss, and no budget holds it.
            raise refusal from None
        if not spent.within(self.budget):
            raise refusal
        return replace(self, spent=spent)


@dataclass(frozen=True, slots=True)
class AdvancedFilter:
    """Admits approximate losses by their squares: many small ones cost less than their sum.

    `slack` is the part of the budget's delta that pays for this.

    Theorem: while sqrt(2 ln(1/slack) S) + S/2 <= epsilon, with S the sum of the squared epsilons,
    and slack plus the sum of the deltas is within delta, everything together is within the budget,
    whatever the strategy.

    Reference: Whitehouse, Ramdas, Rogers, Wu 2023 (2203.05481v4), theorem 1.

    >>> filter = AdvancedFilter(ApproximateLoss(6, 2e-6), slack=1e-6)
    >>> for _ in range(100):
    ...     filter = filter.admit(ApproximateLoss(0.1, 0))
    >>> float(filter.epsilon)
    5.75652176976
    """

    budget: ApproximateLoss
    slack: Fraction
    squares: Fraction
    deltas: Fraction

    def __init__(
        self,
        budget: ApproximateLoss,
        *,
        slack: Number,
        squares: Fraction = Fraction(0),
        deltas: Fraction = Fraction(0),
    ) -> None:
        object.__setattr__(self, "budget", _approximate(budget, "budget"))
        object.__setattr__(self, "slack", open_probability(slack, "slack"))
        object.__setattr__(self, "squares", short_up(nonnegative(squares, "squares")))
        object.__setattr__(self, "deltas", short_up(nonnegative(deltas, "deltas")))
        if self.slack > budget.delta:
            raise InvalidArgumentError("slack", slack, "must not be above the budget's delta")

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of all that was admitted, at slack plus the deltas."""
        root = sqrt(-2 * log(self.slack) * self.squares)
        return round_up((root + self.squares / 2).high)

    def admit(self, loss: ApproximateLoss) -> "AdvancedFilter":
        """The filter when this loss is spent too, or an error that says what is left."""
        after = AdvancedFilter(
            self.budget,
            slack=self.slack,
            squares=self.squares + _approximate(loss, "loss").epsilon ** 2,
            deltas=self.deltas + loss.delta,
        )
        delta = self.slack + after.deltas
        if after.epsilon > self.budget.epsilon or delta > self.budget.delta:
            spent = ApproximateLoss(self.epsilon, self.slack + self.deltas)
            raise BudgetExceededError(needed=loss, spent=spent, budget=self.budget)
        return after


def _approximate(loss: ApproximateLoss, name: str) -> ApproximateLoss:
    if type(loss) is not ApproximateLoss:
        raise InvalidArgumentError(name, loss, "must be an ApproximateLoss: convert it first")
    return loss


def _spendable(loss: object) -> bool:
    return isinstance(loss, Spendable)
