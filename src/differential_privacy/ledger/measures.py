"""The kinds of loss that a budget may be stated in, and how each is written exactly, as JSON.

Rule 1: what is written reads back as an equal loss; no number passes through a float.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, rational, shown
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    Spendable,
)

__all__ = [
    "MEASURES",
    "as_json",
    "from_json",
    "left_of",
    "measure_of",
    "nothing_of",
    "orders_of",
]


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of loss: its name in the ledger, and its numbers by their names."""

    name: str
    kind: type
    numbers: Callable[[Any], dict[str, Fraction]]
    build: Callable[[Mapping[str, Number]], Spendable]


def _of_fields(name: str, kind: type, *fields: str) -> Measure:
    return Measure(
        name,
        kind,
        numbers=lambda loss: {field: getattr(loss, field) for field in fields},
        build=lambda numbers: kind(**numbers),
    )


RENYI = Measure(
    "renyi",
    RenyiLoss,
    numbers=lambda loss: {_text(order): epsilon for order, epsilon in loss.curve},
    build=lambda numbers: RenyiLoss(
        {rational(order, "order"): numbers[order] for order in numbers}
    ),
)

MEASURES = (
    _of_fields("pure", PureLoss, "epsilon"),
    _of_fields("approximate", ApproximateLoss, "epsilon", "delta"),
    _of_fields("concentrated", ConcentratedLoss, "rho", "delta"),
    _of_fields("gaussian", GaussianLoss, "mu_squared"),
    RENYI,
)
BY_KIND = {measure.kind: measure for measure in MEASURES}
BY_NAME = {measure.name: measure for measure in MEASURES}


def measure_of(loss: object) -> Measure:
    """The kind of a loss, or an error where no budget can be stated in it."""
    if type(loss) not in BY_KIND:
        kinds = ", ".join(kind.__name__ for kind in BY_KIND)
        raise InvalidArgumentError("loss", loss, f"must be a loss that a filter is for: {kinds}")
    return BY_KIND[type(loss)]


def as_json(losses: Iterable[Spendable]) -> dict[str, dict[str, str]]:
    """Losses, one at most of each kind, as what JSON can hold.

    >>> from differential_privacy.ledger.measures import as_json
    >>> as_json([PureLoss("1/3"), ConcentratedLoss(0.5, 1e-6)])
    {'pure': {'epsilon': '1/3'}, 'concentrated': {'rho': '0.5', 'delta': '1e-06'}}
    """
    written = {}
    for loss in losses:
        measure = measure_of(loss)
        written[measure.name] = {
            name: _text(number) for name, number in measure.numbers(loss).items()
        }
    return written


def from_json(name: str, numbers: Mapping[str, str]) -> Spendable:
    """The loss that was written so.

    >>> from differential_privacy.ledger.measures import from_json
    >>> from_json("renyi", {"2": "0.02", "5/2": "1/30"})
    RenyiLoss({2: 0.02, 2.5: Fraction(1, 30)})
    """
    return BY_NAME[name].build(numbers)


def nothing_of(budget: Spendable) -> Spendable:
    """The loss of no release, in the budget's measure: two budgets share it where this is equal."""
    measure = measure_of(budget)
    return measure.build(dict.fromkeys(measure.numbers(budget), 0))


def left_of(budget: Spendable, spent: Spendable) -> Spendable:
    """What may still be spent: the difference of each number.

    >>> from differential_privacy.ledger.measures import left_of
    >>> left_of(ApproximateLoss(1, 1e-6), ApproximateLoss(0.75, 0))
    ApproximateLoss(epsilon=0.25, delta=1e-06)
    """
    measure = measure_of(budget)
    used = measure.numbers(spent)
    return measure.build(
        {name: number - used[name] for name, number in measure.numbers(budget).items()}
    )


def orders_of(budget: Spendable) -> list[Fraction]:
    """The orders at which a Renyi budget is stated; none for any other."""
    return [order for order, _ in budget.curve] if isinstance(budget, RenyiLoss) else []


def _text(number: Fraction) -> str:
    """The shortest text that reads back: a decimal where there is one, else a ratio."""
    decimal = shown(number)
    return str(number) if decimal.startswith("Fraction") else decimal
