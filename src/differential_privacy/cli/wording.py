"""Losses and budgets as people read them, and what they mean."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import cast

from differential_privacy.errors import BudgetExceededError, InvalidArgumentError
from differential_privacy.ledger import Account, as_json
from differential_privacy.privacy import (
    ApproximateLoss,
    Belief,
    ConcentratedLoss,
    PureLoss,
    Spendable,
    belief,
)

__all__ = ["budget_of", "meaning", "numbers", "part_spent", "told_refusal", "words", "words_left"]

SELDOM = Fraction(1, 10**6)
"""The chance that is left out where a loss has tails, and so bounds beliefs at none."""


def words(loss: Spendable) -> str:
    """A loss in a few words.

    >>> from differential_privacy.cli.wording import words
    >>> words(ApproximateLoss(0.5, 1e-6)), words(PureLoss("1/3"))
    ('epsilon 0.5, delta 1e-06', 'epsilon 0.3333')
    """
    shown = [(name, number) for name, number in numbers(loss).items() if number or name != "delta"]
    return ", ".join(f"{name} {float(number):.4g}" for name, number in shown)


def words_left(account: Account) -> str:
    """What is left of a budget, in a few words.

    >>> from differential_privacy.cli.wording import words_left
    >>> from differential_privacy.ledger import Account
    >>> words_left(Account.opened_with("ada", ApproximateLoss(2, 1e-6)))
    'epsilon 2 of 2, delta 1e-06 of 1e-06 left'
    """
    left, budget = numbers(account.left), numbers(account.budget)
    told = [
        f"{name} {float(left[name]):.3g} of {float(most):.4g}"
        for name, most in budget.items()
        if most or name != "delta"
    ]
    return f"{', '.join(told)} left"


def told_refusal(error: BudgetExceededError, names: Mapping[str, str]) -> str:
    """Why a budget refuses, with the account as people call it."""
    account = names.get(str(error.account), str(error.account))
    told = (error.needed, error.spent, error.budget)
    needed, spent, budget = (words(cast("Spendable", one)) for one in told)
    advice = "ask a coarser question, accept more noise, or ask the curator for more"
    return (
        f"{account}: this needs {needed}, but {spent} of {budget} is spent: {advice} "
        "(nothing was spent)"
    )


def numbers(loss: Spendable) -> dict[str, Fraction]:
    """The numbers of a loss by their names."""
    (written,) = as_json([loss]).values()
    return {name: Fraction(number) for name, number in written.items()}


def part_spent(account: Account) -> float:
    """How much of a budget is spent, by the number of which most is."""
    spent, budget = numbers(account.spent), numbers(account.budget)
    return max((float(spent[name] / most) for name, most in budget.items() if most), default=1.0)


def meaning(loss: Spendable, priors: tuple[str, ...] = ("0.01", "0.5")) -> str:
    """What others can come to believe of somebody, rounded so that it never sounds safer.

    >>> from differential_privacy.cli.wording import meaning
    >>> meaning(PureLoss(1), ("0.1",))
    'a belief that somebody is in it can grow from 10 % to 23.2 % at most'
    """
    found = [_belief(loss, prior) for prior in priors]
    grown = ", ".join(
        f"from {float(one.prior * 100):g} % to {math.ceil(one.most * 1000) / 10:g} %"
        for one in found
    )
    chance = max(one.chance for one in found)
    seldom = f", except with chance {float(chance):.2g}" if chance else ""
    return f"a belief that somebody is in it can grow {grown} at most{seldom}"


def _belief(loss: Spendable, prior: str) -> Belief:
    try:
        return belief(loss, prior=prior)
    except InvalidArgumentError:
        return belief(loss, prior=prior, chance=max(4 * loss.delta, SELDOM))


def budget_of(epsilon: str | None, delta: str | None, rho: str | None) -> Spendable:
    """The budget that is given so on the command line.

    >>> from differential_privacy.cli.wording import budget_of
    >>> budget_of("1", "1e-6", None), budget_of(None, None, "0.1")
    (ApproximateLoss(epsilon=1, delta=1e-06), ConcentratedLoss(rho=0.1))
    """
    if (epsilon is None) == (rho is None):
        rule = "must be given as --epsilon 1, --epsilon 1 --delta 1e-6, or --rho 0.1"
        raise InvalidArgumentError("budget", epsilon, rule)
    if rho is not None:
        return ConcentratedLoss(rho, delta or 0)
    return PureLoss(str(epsilon)) if delta is None else ApproximateLoss(str(epsilon), delta)
