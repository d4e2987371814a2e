"""What every privacy loss can say of itself.

Rule 1: a loss never says less than the truth: what it computes is rounded up.
Rule 2: two losses add only when they are of one type; another type is reached by a named theorem.
"""

from fractions import Fraction
from typing import Protocol, Self, runtime_checkable

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number

__all__ = ["Loss", "Spendable", "checked"]


@runtime_checkable
class Loss(Protocol):
    """How well two neighboring datasets can be told apart by what was released.

    Every loss bounds a curve: the delta that is left at each epsilon. `delta_at` and `epsilon_at`
    read it in its two directions.
    """

    @property
    def delta(self) -> Fraction:
        """The chance that stays unprotected however large an epsilon is allowed."""

    def delta_at(self, epsilon: Number) -> Fraction:
        """A delta with which the release is (epsilon, delta)-differentially private."""

    def epsilon_at(self, delta: Number) -> Fraction:
        """An epsilon with which the release is (epsilon, delta)-differentially private."""

    def __add__(self, other: Self) -> Self:
        """The loss of both releases, the second chosen after seeing the first."""


@runtime_checkable
class Spendable(Loss, Protocol):
    """A loss that a budget may be stated in: whether a spend fits never depends on earlier answers.

    A numerical loss is none: a filter on its curve is no theorem.
    Reference: Regehr et al. 2026 (2602.15815), for the counterexample.
    """

    def __or__(self, other: Self) -> Self:
        """A loss that covers both: whatever has one or the other has this."""

    def within(self, budget: Self) -> bool:
        """Whether this loss is no larger than the budget, in every one of its numbers."""


def checked(loss: Loss) -> Loss:
    """A loss, or an error that says that it is none."""
    if not isinstance(loss, Loss):
        raise InvalidArgumentError("loss", loss, "must be a loss, as PureLoss(0.1)")
    return loss
