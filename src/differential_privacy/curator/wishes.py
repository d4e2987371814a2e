"""From the errors that are wished for to the least price that gives them.

Rule 1: what is found is checked: each column's error at the price is within its wish.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from differential_privacy.curator.budgets import price_of
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, positive, round_down, round_up, sqrt
from differential_privacy.privacy import ConcentratedLoss, Spendable
from differential_privacy.queries import Plan, Question

__all__ = ["Within", "cheapest", "epsilon_of"]

Within: TypeAlias = Mapping[str, Number]
"""The error that each column may have."""

DIGITS = 3
LARGEST, LEAST = Fraction(10**6), Fraction(1, 10**6)
STEPS = 24


def cheapest(
    question: Question,
    within: Within,
    budgets: Sequence[Spendable],
    *,
    delta: Number | None,
    confidence: Fraction,
) -> Plan:
    """The plan of the least price, to three digits, at which each error is within its wish."""
    if not within or not hasattr(within, "items"):
        raise InvalidArgumentError("within", within, "must be errors by column, as {'n': 50}")
    wishes = {name: positive(most, f"within[{name!r}]") for name, most in within.items()}
    in_rho = all(isinstance(one, ConcentratedLoss) for one in budgets)

    def plan(size: Fraction) -> Plan:
        price = (
            price_of(budgets, rho=size, delta=delta)
            if in_rho
            else price_of(budgets, epsilon=size, delta=delta)
        )
        return question.plan(price)

    _check_names(plan(Fraction(1)), wishes)
    low, high = LEAST, LARGEST
    for _ in range(STEPS):
        middle = _between(low, high)
        low, high = (low, middle) if _holds(plan(middle), wishes, confidence) else (middle, high)
    size = round_up(high, DIGITS)
    while not _holds(found := plan(size), wishes, confidence):
        size = round_up(size * Fraction(101, 100), DIGITS)
        if size > LARGEST:
            rule = "cannot be had at any price: widen the wish, or the bounds are too wide"
            raise InvalidArgumentError("within", dict(within), rule)
    return found


def epsilon_of(plan: Plan) -> Fraction:
    """The epsilon of a plan, or the one whose pure loss has its rho."""
    loss = plan.loss
    if isinstance(loss, ConcentratedLoss):
        return round_down(sqrt(2 * loss.rho).low)
    return loss.epsilon_at(loss.delta)


def _between(low: Fraction, high: Fraction) -> Fraction:
    """The geometric middle, to a few digits."""
    return round_up(Fraction((float(low) * float(high)) ** 0.5), DIGITS + 2)


def _holds(plan: Plan, wishes: Mapping[str, Fraction], confidence: Fraction) -> bool:
    return all(
        one.error <= wishes[one.column] for one in plan.expected(confidence) if one.column in wishes
    )


def _check_names(plan: Plan, wishes: Mapping[str, Fraction]) -> None:
    known = [one.column for one in plan.expected()]
    for name in wishes:
        if name not in known:
            rule = f"must be a noisy column of the question: {', '.join(known)}"
            raise InvalidArgumentError("within", name, rule)
