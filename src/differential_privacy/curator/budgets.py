"""From an asked price and the budgets that will pay to what may be spent on one question.

Rule 1: every account that pays must have a theorem for the price in its own measure.
"""

from collections.abc import Sequence
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, positive, round_down, small_probability, sqrt
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Spendable,
)
from differential_privacy.queries import Price

__all__ = ["price_of"]

DIGITS = 3
LEAST, LARGEST = Fraction(1, 10**9), Fraction(10**12)


def price_of(
    budgets: Sequence[Spendable],
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
) -> Price:
    """What may be spent: an epsilon, or a rho where all budgets are concentrated.

    A delta that is not given is the same part of the budget's delta as epsilon is of its epsilon.
    An epsilon of concentrated budgets costs rho = epsilon^2 / 2, which Gaussian noise may use too.

    >>> price_of([ApproximateLoss(2, 1e-6)], epsilon=0.5)
    Price(epsilon=Fraction(1, 2), rho=None, delta=Fraction(1, 4000000))
    """
    if (epsilon is None) == (rho is None):
        rule = "must be given, or rho, or within: what this question may cost"
        raise InvalidArgumentError("epsilon", epsilon, rule)
    pure = any(isinstance(one, PureLoss) for one in budgets)
    concentrated = all(isinstance(one, ConcentratedLoss) for one in budgets)
    name, given = ("epsilon", epsilon) if rho is None else ("rho", rho)
    if not LEAST <= positive(given or 0, name) <= LARGEST:
        raise InvalidArgumentError(name, given, "must be from 1e-9 to 1e12")
    if rho is not None:
        if not concentrated:
            rule = "is for budgets in rho: this one is in epsilon"
            raise InvalidArgumentError("rho", rho, rule)
        size = positive(rho, "rho")
        share = _share(budgets, size, delta)
        return Price(round_down(sqrt(2 * size).low), size, share)
    size = positive(epsilon or 0, "epsilon")
    if pure:
        if delta is not None and small_probability(delta, "delta"):
            rule = "must be 0: a budget that pays here is a pure epsilon"
            raise InvalidArgumentError("delta", delta, rule)
        return Price(size)
    if concentrated:
        rho_spent = size**2 / 2
        return Price(size, rho_spent, _share(budgets, rho_spent, delta))
    return Price(size, None, _share(budgets, size, delta))


def _share(budgets: Sequence[Spendable], size: Fraction, delta: Number | None) -> Fraction:
    """The delta asked for, or the part of the budgets' that goes with this size."""
    if delta is not None:
        return small_probability(delta, "delta")
    shares = []
    for budget in budgets:
        if isinstance(budget, ApproximateLoss) and budget.epsilon:
            shares.append(budget.delta * min(size / budget.epsilon, Fraction(1)))
        elif isinstance(budget, ConcentratedLoss) and budget.rho:
            part = _in_rho(budgets, size) / budget.rho
            shares.append(budget.delta * min(part, Fraction(1)))
    least = min(shares, default=Fraction(0))
    return round_down(least, DIGITS) if least else Fraction(0)


def _in_rho(budgets: Sequence[Spendable], size: Fraction) -> Fraction:
    """What a concentrated budget pays: its own size, or at most that of the pure epsilon."""
    if all(isinstance(one, ConcentratedLoss) for one in budgets):
        return size
    return size**2 / 2
