"""What one release costs in every measure that has a theorem for it.

Rule 1: a certificate is what a release states, or follows from that by a named theorem.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from differential_privacy.accounting import to_approximate, to_concentrated, to_renyi
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.exact import Number
from differential_privacy.ledger.measures import MEASURES, measure_of, orders_of
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    Spendable,
)

__all__ = ["Certificates", "approximate_to_concentrated"]

S = TypeVar("S", bound=Spendable)


def approximate_to_concentrated(loss: ApproximateLoss) -> ConcentratedLoss:
    """The rho that an approximate loss has, apart from a chance of its delta.

    Theorem: everything of loss (epsilon, delta) is post-processing of one release that tells all
    with chance delta and else answers by randomized response at epsilon. Apart from that chance it
    is pure, and so has rho = epsilon^2 / 2.

    Reference: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.1 and its proof; Bun, Steinke
    2016 (1605.02065), proposition 1.4 and definition 8.1.

    >>> from differential_privacy.ledger.certificates import approximate_to_concentrated
    >>> approximate_to_concentrated(ApproximateLoss(0.1, 1e-6))
    ConcentratedLoss(rho=0.005, delta=1e-06)
    """
    return ConcentratedLoss(loss.epsilon**2 / 2, loss.delta)


THEOREMS: tuple[tuple[type, Callable[[Any], Spendable]], ...] = (
    (PureLoss, to_approximate),
    (GaussianLoss, to_concentrated),
    (PureLoss, to_concentrated),
    (ApproximateLoss, approximate_to_concentrated),
)
"""From a kind of loss to another; where two lead to the same kind, the first that applies."""

SOURCES = {
    PureLoss: (PureLoss,),
    ApproximateLoss: (ApproximateLoss, PureLoss),
    ConcentratedLoss: (ConcentratedLoss, GaussianLoss, PureLoss, ApproximateLoss),
    GaussianLoss: (GaussianLoss,),
    RenyiLoss: (RenyiLoss, GaussianLoss, ConcentratedLoss, PureLoss),
}

CURVED = (GaussianLoss, ConcentratedLoss, PureLoss)
"""Kinds that have a Renyi divergence at every order, unless a chance is left unprotected."""


@dataclass(frozen=True, slots=True, repr=False)
class Certificates:
    """At most one loss of each kind, all of them true of the same release.

    A release states one or more; where a theorem leads from those to another kind, that is added.
    An account takes the one in its own measure, always, so no answer can steer which is taken.

    >>> from differential_privacy.ledger import Certificates
    >>> Certificates(PureLoss(0.1)).for_budget(ConcentratedLoss(1))
    ConcentratedLoss(rho=0.005)
    >>> Certificates(ConcentratedLoss(0.02), ApproximateLoss(1, 1e-6)).for_budget(PureLoss(1))
    Traceback (most recent call last):
        ...
    differential_privacy.errors.NoTheoremError: no theorem gives a PureLoss from Certificates(...
    """

    losses: tuple[Spendable, ...]

    def __init__(self, *losses: Spendable) -> None:
        held: dict[type, Spendable] = {measure_of(loss).kind: loss for loss in losses}
        if not losses or len(held) < len(losses):
            rule = "must be one loss or more, each of a kind of its own"
            raise InvalidArgumentError("losses", losses, rule)
        for source, theorem in THEOREMS:
            if source in held:
                derived = theorem(held[source])
                held.setdefault(type(derived), derived)
        kept = tuple(held[measure.kind] for measure in MEASURES if measure.kind in held)
        object.__setattr__(self, "losses", kept)

    def __repr__(self) -> str:
        return f"Certificates({', '.join(map(repr, self.losses))})"

    def for_budget(self, budget: S) -> S:
        """The loss in the budget's measure; a Renyi loss at the budget's orders."""
        orders = orders_of(budget)
        for loss in self.at(orders).losses:
            if isinstance(loss, type(budget)) and set(orders) <= set(orders_of(loss)):
                return loss
        kind = measure_of(budget).kind
        raise NoTheoremError(f"a {kind.__name__}", self, [one.__name__ for one in SOURCES[kind]])

    def at(self, orders: Iterable[Fraction]) -> "Certificates":
        """These, and the Renyi divergences at the given orders, where theorems give them.

        >>> from differential_privacy.ledger import Certificates
        >>> Certificates(GaussianLoss.of_mu(1)).at([2]).for_budget(RenyiLoss({2: 5}))
        RenyiLoss({2: 1})
        """
        stated = [loss for loss in self.losses if isinstance(loss, RenyiLoss)]
        known: dict[Number, Number] = {
            order: epsilon for loss in stated for order, epsilon in loss.curve
        }
        missing = [order for order in orders if order not in known]
        sources = [loss for loss in self.losses if type(loss) in CURVED and loss.delta == 0]
        if not missing or not sources:
            return self
        curves = [to_renyi(loss, missing) for loss in sources]
        known |= {order: min(curve.at(order) for curve in curves) for order in missing}
        return Certificates(*(loss for loss in self.losses if loss not in stated), RenyiLoss(known))
