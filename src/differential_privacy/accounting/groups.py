"""What a loss for one unit becomes for several: groups, and data that was mapped before its use."""

import math
from fractions import Fraction
from functools import singledispatch

from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.exact import Number, exp, integer, nonnegative, round_up
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    Loss,
    PureLoss,
)

__all__ = ["grouped", "preprocessed"]

LARGEST_EXPONENT = 8_000
SMALLEST_EPSILON = Fraction(1, 1 << 64)


@singledispatch
def grouped(loss: object, size: int) -> Loss:  # noqa: ARG001 - the types dispatched to read it
    """The loss for a group of `size` units whose data come or go together.

    >>> grouped(PureLoss(0.1), 3), grouped(ConcentratedLoss(0.5), 2)
    (PureLoss(epsilon=0.3), ConcentratedLoss(rho=2))
    """
    kinds = ["PureLoss", "ApproximateLoss", "ConcentratedLoss", "GaussianLoss"]
    raise NoTheoremError("the loss of a group", loss, kinds)


@grouped.register
def pure_group(loss: PureLoss, size: int) -> PureLoss:
    """Theorem: k steps from neighbor to neighbor multiply the odds by e^epsilon each."""
    return PureLoss(integer(size, "size", least=0) * loss.epsilon)


@grouped.register
def approximate_group(loss: ApproximateLoss, size: int) -> ApproximateLoss:
    """Theorem: k steps give k epsilon, and delta times 1 + e^epsilon + ... + e^((k-1) epsilon).

    Each further step carries the deltas before it through one more factor e^epsilon.

    >>> approximate_group(ApproximateLoss(1, 1e-6), 2)
    ApproximateLoss(epsilon=2, delta=3.71828182846e-06)
    """
    k = integer(size, "size", least=0)
    epsilon = k * loss.epsilon
    if loss.delta == 0:
        return ApproximateLoss(epsilon, 0)
    if epsilon > LARGEST_EXPONENT:
        raise InvalidArgumentError("size", size, "must leave delta below 1: nothing is protected")
    if loss.epsilon < SMALLEST_EPSILON:
        # Each of the k terms is at most the largest, and hardly less.
        delta = round_up(k * exp(epsilon).high * loss.delta)
    else:
        delta = round_up(((exp(epsilon) - 1) / (exp(loss.epsilon) - 1)).high * loss.delta)
    if delta >= 1:
        raise InvalidArgumentError("size", size, "must leave delta below 1: nothing is protected")
    return ApproximateLoss(epsilon, delta)


@grouped.register
def concentrated_group(loss: ConcentratedLoss, size: int) -> ConcentratedLoss:
    """Theorem: k steps give k^2 rho. Reference: Bun, Steinke 2016 (1605.02065), proposition 1.9."""
    k = integer(size, "size", least=0)
    if loss.delta and k > 1:
        rule = "must be 0: the theorem is for losses without a delta"
        raise InvalidArgumentError("delta", loss.delta, rule)
    return ConcentratedLoss(k**2 * loss.rho, loss.delta)


@grouped.register
def gaussian_group(loss: GaussianLoss, size: int) -> GaussianLoss:
    """Theorem: k steps give k mu. Reference: Dong, Roth, Su 2019 (1905.02383v3), theorem 6."""
    return GaussianLoss(integer(size, "size", least=0) ** 2 * loss.mu_squared)


def preprocessed(loss: Loss, kappa: Number) -> Loss:
    """The loss of a release from data that went through a map with Lipschitz constant kappa first.

    Theorem: neighbors are at distance one, so their images are at a whole distance of at most
    kappa: the loss is that of a group of floor(kappa) units.

    >>> preprocessed(PureLoss(0.1), 2)
    PureLoss(epsilon=0.2)
    """
    return grouped(loss, math.floor(nonnegative(kappa, "kappa")))
