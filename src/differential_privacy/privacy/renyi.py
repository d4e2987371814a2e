"""Losses measured by Renyi divergence: a curve over orders, and the straight one, concentrated."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    exp,
    float_log,
    log,
    lowest,
    nonnegative,
    positive,
    rational,
    round_up,
    short_up,
    shown,
    small_probability,
)

__all__ = ["ConcentratedLoss", "RenyiLoss"]

HUGE = 1e300


def epsilon_of_order(order: Fraction, divergence: Fraction, delta: Fraction) -> Fraction:
    """The epsilon at a delta that a Renyi divergence of one order gives, rounded up.

    Theorem: divergence d of order a gives d + ln(1 - 1/a) - (ln delta + ln a) / (a - 1).

    Reference: Canonne, Kamath, Steinke 2020 (2004.00010v5), proposition 12.
    """
    bound = divergence + log(1 - 1 / order) - (log(delta) + log(order)) / (order - 1)
    return max(Fraction(0), round_up(bound.high))


def delta_of_order(order: Fraction, divergence: Fraction, epsilon: Fraction) -> Fraction:
    """The same theorem solved for delta, rounded up; 1 where it says nothing."""
    exponent = (order - 1) * (divergence - epsilon + log(1 - 1 / order)) - log(order)
    return Fraction(1) if exponent.high >= 0 else round_up(exp(exponent.high).high)


@dataclass(frozen=True, slots=True, repr=False)
class RenyiLoss:
    """The Renyi divergence of each order is at most the epsilon given for it, both ways round.

    >>> loss = RenyiLoss({2: 0.02, 32: 0.4})
    >>> loss + loss
    RenyiLoss({2: 0.04, 32: 0.8})
    >>> float(loss.epsilon_at(1e-6))
    0.70211500024
    """

    curve: tuple[tuple[Fraction, Fraction], ...]

    def __init__(self, curve: Mapping[Number, Number]) -> None:
        points = sorted(
            (rational(order, "order"), nonnegative(epsilon, "epsilon"))
            for order, epsilon in curve.items()
        )
        if not points:
            raise InvalidArgumentError("curve", curve, "must hold one order at least")
        if len({order for order, _ in points}) < len(points):
            raise InvalidArgumentError("curve", curve, "must hold each order once")
        if points[0][0] <= 1:
            raise InvalidArgumentError("order", points[0][0], "must be above 1")
        object.__setattr__(self, "curve", tuple(points))

    def __repr__(self) -> str:
        points = ", ".join(f"{shown(order)}: {shown(epsilon)}" for order, epsilon in self.curve)
        return f"RenyiLoss({{{points}}})"

    @property
    def delta(self) -> Fraction:
        """A divergence of any order above one leaves no chance unprotected."""
        return Fraction(0)

    def at(self, order: Number) -> Fraction:
        """The epsilon of one order of the curve."""
        wanted = rational(order, "order")
        for known, epsilon in self.curve:
            if known == wanted:
                return epsilon
        raise InvalidArgumentError("order", order, "must be an order of this curve")

    def delta_at(self, epsilon: Number) -> Fraction:
        """The least delta that one of the orders gives."""
        epsilon = nonnegative(epsilon, "epsilon")
        return min(delta_of_order(order, bound, epsilon) for order, bound in self.curve)

    def epsilon_at(self, delta: Number) -> Fraction:
        """The least epsilon that one of the orders gives."""
        delta = positive(small_probability(delta, "delta"), "delta")
        return min(epsilon_of_order(order, bound, delta) for order, bound in self.curve)

    def __add__(self, other: "RenyiLoss") -> "RenyiLoss":
        """At each order that both know the epsilons add, also adaptively.

        Reference: Mironov 2017 (1702.07476v3), proposition 1.
        """
        if not isinstance(other, RenyiLoss):
            return NotImplemented
        mine, theirs = dict(self.curve), dict(other.curve)
        return RenyiLoss(
            {order: short_up(mine[order] + theirs[order]) for order in mine.keys() & theirs.keys()}
        )

    def __or__(self, other: "RenyiLoss") -> "RenyiLoss":
        mine, theirs = dict(self.curve), dict(other.curve)
        return RenyiLoss(
            {order: max(mine[order], theirs[order]) for order in mine.keys() & theirs.keys()}
        )

    def within(self, budget: "RenyiLoss") -> bool:
        """Whether no order of the budget is passed; one that is not known here counts as passed."""
        mine = dict(self.curve)
        return all(order in mine and mine[order] <= bound for order, bound in budget.curve)


@dataclass(frozen=True, slots=True, repr=False)
class ConcentratedLoss:
    """The Renyi divergence of every order a > 1 is at most rho times a; apart from chance delta.

    >>> ConcentratedLoss(0.005) + ConcentratedLoss(0.005)
    ConcentratedLoss(rho=0.01)
    >>> float(ConcentratedLoss(5).epsilon_at(1e-6))
    20.5519488141
    """

    rho: Fraction
    delta: Fraction

    def __init__(self, rho: Number, delta: Number = 0) -> None:
        object.__setattr__(self, "rho", nonnegative(rho, "rho"))
        object.__setattr__(self, "delta", small_probability(delta, "delta"))

    def __repr__(self) -> str:
        rest = f", delta={shown(self.delta)}" if self.delta else ""
        return f"ConcentratedLoss(rho={shown(self.rho)}{rest})"

    def delta_at(self, epsilon: Number) -> Fraction:
        """The delta that is left at an epsilon: an order sought by floats, then proved exactly."""
        epsilon = nonnegative(epsilon, "epsilon")
        if self.rho == 0:
            return self.delta

        rho, far = (float(min(value, Fraction(HUGE))) for value in (self.rho, epsilon))

        def exponent(order: float) -> float:
            return (order - 1) * (order * rho - far) + (
                (order - 1) * math.log1p(-1 / order) - math.log(order)
            )

        order = _best_order(exponent)
        rest = delta_of_order(order, self.rho * order, epsilon)
        return min(Fraction(1), round_up(self.delta + (1 - self.delta) * rest))

    def epsilon_at(self, delta: Number) -> Fraction:
        """The epsilon that suffices at a delta above this loss's own.

        Theorem: what is concentrated but for chance d is (epsilon, d + (1 - d) delta')-private
        where the rest is (epsilon, delta')-private.

        Reference: Bun, Steinke 2016 (1605.02065), section 8.
        """
        delta = small_probability(delta, "delta")
        if self.rho == 0 and delta >= self.delta:
            return Fraction(0)
        if delta <= self.delta:
            raise InvalidArgumentError("delta", delta, f"must be above {shown(self.delta)}")
        rest = (delta - self.delta) / (1 - self.delta)
        log_rest = float_log(rest)

        rho = float(min(self.rho, Fraction(HUGE)))

        def epsilon(order: float) -> float:
            gain = math.log1p(-1 / order) - (log_rest + math.log(order)) / (order - 1)
            return order * rho + gain

        order = _best_order(epsilon)
        return epsilon_of_order(order, self.rho * order, rest)

    def __add__(self, other: "ConcentratedLoss") -> "ConcentratedLoss":
        """The rhos add and the deltas add, also adaptively.

        Reference: Bun, Steinke 2016 (1605.02065), lemma 2.3 and section 8.
        """
        if not isinstance(other, ConcentratedLoss):
            return NotImplemented
        delta = self.delta + other.delta
        if delta >= 1:
            raise InvalidArgumentError(
                "delta", delta, "must stay below 1: nothing would be protected"
            )
        return ConcentratedLoss(short_up(self.rho + other.rho), short_up(delta))

    def __or__(self, other: "ConcentratedLoss") -> "ConcentratedLoss":
        return ConcentratedLoss(max(self.rho, other.rho), max(self.delta, other.delta))

    def within(self, budget: "ConcentratedLoss") -> bool:
        """Whether neither number passes the budget's."""
        return self.rho <= budget.rho and self.delta <= budget.delta


def _best_order(objective: Callable[[float], float]) -> Fraction:
    """An order above one at which the objective is small: each is sound, this one is tight."""
    found = lowest(lambda u: max(-HUGE, min(HUGE, objective(1 + math.exp(u)))), -25.0, 60.0)
    return 1 + round_up(Fraction(math.exp(found)))
