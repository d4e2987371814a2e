"""From one kind of loss to a weaker kind, by a named theorem; never back.

Rule 1: what comes out is never smaller than what went in.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import singledispatch

from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.exact import Number, exp, log, positive, rational, round_up
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    Loss,
    PureLoss,
    RenyiLoss,
)

__all__ = ["ORDERS", "laplace_renyi", "to_approximate", "to_concentrated", "to_renyi"]

ORDERS: tuple[Number, ...] = (
    *("1.1", "1.25", "1.5", "1.75", 2, "2.5", 3, "3.5", 4, 5, 6, 7, 8, 10, 12, 14, 16, 20),
    *(24, 28, 32, 40, 48, 64, 80, 96, 128, 192, 256, 512, 1024),
)
"""Orders among which one is nearly best for any use: neighbors differ by about a fifth."""


def to_approximate(loss: Loss, delta: Number = 0) -> ApproximateLoss:
    """The epsilon that any loss has at a delta.

    >>> to_approximate(ConcentratedLoss(5), delta=1e-6)
    ApproximateLoss(epsilon=20.5519488141, delta=1e-06)
    """
    return ApproximateLoss(loss.epsilon_at(delta), delta)


def as_approximate(loss: PureLoss | ApproximateLoss) -> ApproximateLoss:
    """A pure loss is an approximate one with no delta; nothing else becomes one by itself."""
    if type(loss) is PureLoss:
        return ApproximateLoss(loss.epsilon, 0)
    if type(loss) is ApproximateLoss:
        return loss
    raise NoTheoremError(
        "an epsilon without a choice of delta", loss, ["PureLoss", "ApproximateLoss"]
    )


@singledispatch
def to_concentrated(loss: object) -> ConcentratedLoss:
    """The rho of a loss that has one: pure, Gaussian, or concentrated already.

    >>> to_concentrated(PureLoss(0.1)), to_concentrated(GaussianLoss.of_mu(0.1))
    (ConcentratedLoss(rho=0.005), ConcentratedLoss(rho=0.005))
    """
    raise NoTheoremError("a concentrated loss", loss, ["PureLoss", "GaussianLoss"])


@to_concentrated.register
def _(loss: ConcentratedLoss) -> ConcentratedLoss:
    return loss


@to_concentrated.register
def pure_to_concentrated(loss: PureLoss) -> ConcentratedLoss:
    """Theorem: a pure epsilon has rho = epsilon^2 / 2. Reference: Bun, Steinke 2016, prop. 1.4."""
    return ConcentratedLoss(loss.epsilon**2 / 2)


@to_concentrated.register
def gaussian_to_concentrated(loss: GaussianLoss) -> ConcentratedLoss:
    """Theorem: two normals mu apart have divergence a mu^2 / 2 at order a.

    Reference: Bun, Steinke 2016 (1605.02065), lemma 2.4.
    """
    return ConcentratedLoss(loss.mu_squared / 2)


@singledispatch
def to_renyi(loss: object, orders: Iterable[Number] = ORDERS) -> RenyiLoss:  # noqa: ARG001
    """The Renyi divergences of a loss at the given orders.

    >>> to_renyi(ConcentratedLoss(0.5), [2, 4])
    RenyiLoss({2: 1, 4: 2})
    """
    raise NoTheoremError("a Renyi loss", loss, ["PureLoss", "GaussianLoss", "ConcentratedLoss"])


@to_renyi.register
def pure_to_renyi(loss: PureLoss, orders: Iterable[Number] = ORDERS) -> RenyiLoss:
    """Theorem: no pure epsilon has a larger divergence than randomized response at epsilon.

    Everything of this loss is post-processing of that.

    Reference: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.1.
    """
    truth = 1 / (1 + exp(-loss.epsilon))

    def divergence(order: Fraction) -> Fraction:
        # The moment is truth (truth/lie)^(a-1) + lie (lie/truth)^(a-1), and truth/lie = e^epsilon;
        # the larger power is taken out, so that none overflows.
        step = (order - 1) * loss.epsilon
        rest = truth * (1 + exp(-loss.epsilon - 2 * step))
        return min(loss.epsilon, max(Fraction(0), round_up((step + log(rest)).high / (order - 1))))

    return RenyiLoss({order: divergence(order) for order in _exact(orders)})


@to_renyi.register
def concentrated_to_renyi(loss: ConcentratedLoss, orders: Iterable[Number] = ORDERS) -> RenyiLoss:
    """Theorem: by definition the divergence of order a is at most rho a."""
    if loss.delta:
        rule = "must be 0: a Renyi curve leaves no chance unprotected"
        raise InvalidArgumentError("delta", loss.delta, rule)
    return RenyiLoss({order: loss.rho * order for order in _exact(orders)})


@to_renyi.register
def gaussian_to_renyi(loss: GaussianLoss, orders: Iterable[Number] = ORDERS) -> RenyiLoss:
    """Theorem: two normals mu apart have divergence a mu^2 / 2 at order a."""
    return concentrated_to_renyi(gaussian_to_concentrated(loss), orders)


def laplace_renyi(epsilon: Number, orders: Iterable[Number] = ORDERS) -> RenyiLoss:
    """The Renyi divergences of Laplace noise on reals of scale sensitivity / epsilon.

    Theorem: with b = 1 / epsilon the moment of order a is a / (2a - 1) e^((a - 1) epsilon)
    + (a - 1) / (2a - 1) e^(-a epsilon): less than for the worst of this epsilon.

    Reference: Mironov 2017 (1702.07476v3), proposition 6.

    >>> laplace_renyi(0.1, [2, 32])
    RenyiLoss({2: 0.00964420784035, 32: 0.078205758589})
    """
    size = positive(epsilon, "epsilon")

    def divergence(order: Fraction) -> Fraction:
        weight = order / (2 * order - 1)
        rest = weight + (1 - weight) * exp(-(2 * order - 1) * size)
        return max(Fraction(0), round_up(size + log(rest).high / (order - 1)))

    return RenyiLoss({order: divergence(order) for order in _exact(orders)})


@to_renyi.register
def _(loss: RenyiLoss, orders: Iterable[Number] = ORDERS) -> RenyiLoss:
    return RenyiLoss({order: loss.at(order) for order in orders})


def _exact(orders: Iterable[Number]) -> list[Fraction]:
    exact = [rational(order, "order") for order in orders]
    if not exact:
        raise InvalidArgumentError("orders", orders, "must be one order or more")
    if min(exact) <= 1:
        raise InvalidArgumentError("order", min(exact), "must be above 1")
    return exact
