"""How much Gaussian noise is enough: the classic formula, the least for reals, the rho it may have.

Rule 1: a standard deviation is rounded up, and proved enough by the exact theorem.
"""

import math
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    float_down,
    float_log,
    log,
    lowest,
    open_probability,
    positive,
    root,
    round_down,
    round_up,
    sqrt,
)
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, GaussianLoss

__all__ = ["analytic_sigma", "classic_sigma", "concentrated_within"]

LEAST_STEP = Fraction(1, 1 << 60)


def classic_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Fraction:
    """The standard deviation of textbooks: sqrt(2 ln(5 / (4 delta))) sensitivity / epsilon.

    Theorem: this is enough when epsilon is below one; the proof does not go further and from some
    epsilon on the claim is false, so it is refused there.

    Reference: Dwork, Roth 2014, theorem A.1; Balle, Wang 2018 (1805.06530v2), section 2.3.

    >>> float(classic_sigma(epsilon=0.5, delta=1e-5))
    9.68961052522
    """
    target, chance = positive(epsilon, "epsilon"), open_probability(delta, "delta")
    if target >= 1:
        rule = "must be below 1, where the classic formula is proved: use analytic_sigma"
        raise InvalidArgumentError("epsilon", epsilon, rule)
    spread = sqrt(2 * log(Fraction(5, 4) / chance))
    return round_up((spread * positive(sensitivity, "sensitivity") / target).high)


def analytic_sigma(*, epsilon: Number, delta: Number, sensitivity: Number = 1) -> Fraction:
    """The least standard deviation that is enough, at any epsilon: sought by floats, then proved.

    Theorem: the delta of `GaussianLoss` is exact, and falls as the noise grows.

    Reference: Balle, Wang 2018 (1805.06530v2), theorem 8 and algorithm 1.

    >>> float(analytic_sigma(epsilon=0.5, delta=1e-5))
    7.03182667559
    """
    target, chance = positive(epsilon, "epsilon"), open_probability(delta, "delta")

    def excess(log_sigma: float) -> float:
        sigma = round_up(Fraction(math.exp(log_sigma)))
        return float_log(_delta(sigma, target)) - float_log(chance)

    low, high = -1.0, 1.0
    while excess(high) > 0:
        high += 2
    while excess(low) < 0:
        low -= 2
    sigma = round_up(Fraction(math.exp(root(excess, low, high))))
    step = sigma / 10**12
    while _delta(sigma, target) > chance:
        sigma, step = sigma + step, step * 2
    return round_up(sigma * positive(sensitivity, "sensitivity"))


def concentrated_within(loss: ApproximateLoss) -> ConcentratedLoss:
    """The largest rho, to twelve digits, that is enough for an epsilon at a delta.

    >>> concentrated_within(ApproximateLoss(1, 1e-6))
    ConcentratedLoss(rho=0.0243559703595)
    """
    near = _rho_near(loss) if loss.delta and loss.epsilon else Fraction(0)
    if near <= 0:
        rule = "must have a larger epsilon or delta: nothing concentrated has so little"
        raise InvalidArgumentError("loss", loss, rule)

    def enough(rho: Fraction) -> bool:
        return ConcentratedLoss(rho).epsilon_at(loss.delta) <= loss.epsilon

    # The steps begin from one decimal to the next, so that a good guess takes two trials.
    low, step = round_down(near), LEAST_STEP
    while not enough(low):
        low, step = round_down(low / (1 + step)), 2 * step
    high, step = round_up(low * (1 + LEAST_STEP)), LEAST_STEP
    while enough(high):
        low, high, step = high, round_up(high * (1 + step)), 2 * step
    while (middle := round_down((low + high) / 2)) > low:
        low, high = (middle, high) if enough(middle) else (low, middle)
    return ConcentratedLoss(low)


def _rho_near(loss: ApproximateLoss) -> Fraction:
    """About the largest rho that is enough: at each order the theorem is linear in rho."""
    epsilon, log_delta = float_down(round_down(loss.epsilon)), float_log(loss.delta)

    def negative_rho(order: float) -> float:
        gain = math.log1p(-1 / order) - (log_delta + math.log(order)) / (order - 1)
        return (gain - epsilon) / order

    found = lowest(lambda u: negative_rho(1 + math.exp(u)), -25.0, 60.0)
    return Fraction(-negative_rho(1 + math.exp(found)))


def _delta(sigma: Fraction, epsilon: Fraction) -> Fraction:
    return GaussianLoss(1 / sigma**2).delta_at(epsilon)
