"""What many releases cost together: one after another, side by side, and the tighter bounds.

Rule 1: losses of different types do not mix; convert them first, so that the theorem is named.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeVar

import numpy as np

from differential_privacy.accounting.binomial import binomial_masses
from differential_privacy.accounting.conversion import as_approximate
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    exp,
    float_log,
    integer,
    log,
    open_probability,
    root,
    round_up,
    small_probability,
    sqrt,
)
from differential_privacy.privacy import ApproximateLoss, Loss, PureLoss, Spendable

__all__ = ["advanced", "optimal", "parallel", "repeated", "sequential"]

TINY = 1e-300
"""In the place of zero where a logarithm is sought."""

FEW_TIMES = 64
"""Up to so many times a power is taken exactly; beyond, from the side that is safe."""

MOST_TIMES = 10**7
"""As many masses as memory holds with ease."""

LARGEST_EPSILON = 1 << 10
"""Above this even one randomized response hides nothing, so the sum is the answer."""

L = TypeVar("L", bound=Loss)
S = TypeVar("S", bound=Spendable)


def sequential(losses: Sequence[L]) -> L:
    """The loss of all releases, each chosen after seeing the answers before it.

    Theorem: for each type of loss the numbers add (see `+` of the type), also adaptively.

    >>> sequential([PureLoss(0.1)] * 3)
    PureLoss(epsilon=0.3)
    """
    _one_type(losses)
    # In pairs, and pairs of pairs: numerical losses of like size convolve fastest.
    rest = list(losses)
    while len(rest) > 1:
        last = rest[2 * (len(rest) // 2) :]
        rest = [one + other for one, other in zip(rest[::2], rest[1::2], strict=False)] + last
    return rest[0]


def repeated(loss: L, *, times: int) -> L:
    """The loss of so many releases of the same loss: as `sequential`, in a few doublings.

    >>> repeated(PureLoss(0.1), times=1000)
    PureLoss(epsilon=100)
    """
    digits = f"{integer(times, 'times', least=1):b}"
    total = loss
    for digit in digits[1:]:
        total = total + total + loss if digit == "1" else total + total
    return total


def parallel(losses: Sequence[S]) -> S:
    """The loss of releases from disjoint parts of the data, for a row that comes or goes.

    The losses are for adding or removing a row, and the parts are fixed before any answer is seen.
    A row that changes goes from one part and comes to one: that is `grouped(parallel(...), 2)`.

    Theorem: the parts that the row is not in have the same law with it and without it, so what is
    left is one of the losses, covered by the largest.

    >>> parallel([PureLoss(0.1), PureLoss(0.5)])
    PureLoss(epsilon=0.5)
    """
    _one_type(losses)
    return reduce(lambda one, other: one | other, losses)


def advanced(loss: PureLoss | ApproximateLoss, *, times: int, slack: Number) -> ApproximateLoss:
    """The loss of so many releases of one loss, by the first bound that grew with a square root.

    Theorem: epsilon sqrt(2 k ln(1/slack)) + k epsilon (e^epsilon - 1), at k delta + slack; above
    epsilon 1 the sum k epsilon is smaller and stands in its place. `optimal` is never larger; this
    is here because it is what papers compare with.

    Reference: Dwork, Rothblum, Vadhan 2010, theorem III.3; Dwork, Roth 2014, theorem 3.20.

    >>> advanced(PureLoss(0.1), times=1000, slack=1e-6)
    ApproximateLoss(epsilon=27.1396731703, delta=1e-06)
    """
    loss, k = as_approximate(loss), integer(times, "times", least=1)
    spare = open_probability(slack, "slack")
    delta = _total_delta(k * loss.delta + spare)
    if loss.epsilon > 1:
        # The sum is smaller here, and no power of e can overflow.
        return ApproximateLoss(k * loss.epsilon, delta)
    spread = sqrt(2 * k * -log(spare))
    epsilon = loss.epsilon * (spread + k * (exp(loss.epsilon) - 1))
    return ApproximateLoss(round_up(epsilon.high), delta)


def optimal(loss: PureLoss | ApproximateLoss, *, times: int, delta: Number) -> ApproximateLoss:
    """The least epsilon that holds for every k releases of one loss, chosen adaptively.

    Theorem: the worst of them are k randomized responses; l lies among k have log ratio
    (k - 2 l) epsilon, so the delta at epsilon' is the sum over l of
    C(k, l) e^((k-l) epsilon) (1 - e^(epsilon' - (k - 2 l) epsilon))+ / (1 + e^epsilon)^k.

    Reference: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.3.

    >>> optimal(PureLoss(0.1), times=1000, delta=1e-6)
    ApproximateLoss(epsilon=19.3446714481, delta=1e-06)
    """
    loss, k = as_approximate(loss), integer(times, "times", least=1)
    if k > MOST_TIMES:
        raise InvalidArgumentError("times", times, f"must be at most {MOST_TIMES}: use repeated()")
    total = small_probability(delta, "delta")
    told = 1 - exp(k * log(1 - loss.delta)).low if k > FEW_TIMES else 1 - (1 - loss.delta) ** k
    if total < told:
        rule = "must be at least 1 - (1 - delta)^times: so often everything may be told"
        raise InvalidArgumentError("delta", delta, rule)
    rest = (total - told) / (1 - told)
    whole = ApproximateLoss(k * loss.epsilon, total)
    if rest == 0 or loss.epsilon == 0 or loss.epsilon > LARGEST_EPSILON:
        return whole
    lies = _LiesAmong(k, loss.epsilon)
    if lies.delta(0.0) <= rest:
        return ApproximateLoss(0, total)
    if lies.delta(float(whole.epsilon)) > rest:
        return whole
    wanted = float_log(rest)

    def excess(epsilon: float) -> float:
        return math.log(max(lies.delta(epsilon), TINY)) - wanted

    epsilon = root(excess, 0.0, float(whole.epsilon))
    step = epsilon * 2.0**-50
    while Fraction(lies.delta(epsilon)) > rest:
        epsilon, step = epsilon + step, step * 2
    return ApproximateLoss(min(round_up(Fraction(epsilon)), whole.epsilon), total)


class _LiesAmong:
    """The privacy loss of k randomized responses: masses on (k - 2 l) epsilon, none too small."""

    def __init__(self, k: int, epsilon: Fraction) -> None:
        lies = np.arange(k // 2 + 1, dtype=np.float64)
        rate = float(epsilon)
        truth = -math.log1p(math.exp(-rate))
        self.mass = binomial_masses(lies, k, log_hit=truth - rate, log_miss=truth)
        self.loss = (k - 2 * lies) * rate
        self.slack = 2.0**-50 * (k * rate + 1)

    def delta(self, epsilon: float) -> float:
        """The sum of the theorem, rounded up."""
        kept = -np.expm1(np.minimum(epsilon - self.slack - self.loss, 0.0))
        return float(self.mass @ kept) * (1 + 2.0**-40)


def _one_type(losses: Sequence[Loss]) -> None:
    kinds = sorted({type(loss).__name__ for loss in losses})
    if len(kinds) != 1 or not all(isinstance(loss, Loss) for loss in losses):
        raise InvalidArgumentError("losses", kinds, "must be one or more losses, all of one type")


def _total_delta(delta: Fraction) -> Fraction:
    if delta >= 1:
        raise InvalidArgumentError("slack", delta, "must leave a total delta below 1")
    return delta
