"""Inputs that several units can tell apart are told apart by at most the loss of that group."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.mechanisms.cases import CASES, Case
from tests.mechanisms.distributions import assert_apart_at_most, law, log_ratio, renyi
from tests.mechanisms.planted import case_of

from differential_privacy.accounting import grouped
from differential_privacy.mechanisms import DiscreteGaussian, Geometric
from differential_privacy.privacy import ConcentratedLoss


def assert_groups_are_covered(case: Case, group: Callable[[Any, int], Any] = grouped) -> None:
    for one, other, size in case.apart:
        loss = group(case.loss, size)
        assert_apart_at_most(loss, law(case, one), law(case, other))
        assert_apart_at_most(loss, law(case, other), law(case, one))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_group_has_at_most_the_loss_of_its_size(case: Case) -> None:
    assert_groups_are_covered(case)


@pytest.mark.parametrize("case", [case for case in CASES if hasattr(case.takes, "times")], ids=str)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_group_costs_what_its_sensitivity_does(case: Case, size: int) -> None:
    of_all = case.mechanism.loss(case.takes.times(size))
    if isinstance(case.loss, ConcentratedLoss):
        # On a grid, a group is rounded once, and each unit of it would be rounded by itself.
        assert of_all.rho <= grouped(case.loss, size).rho
    else:
        assert of_all.epsilon <= grouped(case.loss, size).epsilon * (1 + 1e-11)


def test_the_loss_of_a_group_is_reached() -> None:
    pure = case_of(Geometric, scale=10)
    one, other, size = pure.apart[1]
    reached = log_ratio(law(pure, one), law(pure, other))
    assert reached >= float(grouped(pure.loss, size).epsilon) * (1 - 1e-6)
    bell = case_of(DiscreteGaussian, variance=25)
    one, other, size = bell.apart[1]
    reached = renyi(law(bell, one), law(bell, other), 2) / 2
    assert reached >= float(grouped(bell.loss, size).rho) * (1 - 1e-6)


def test_groups_that_cost_too_little_are_caught() -> None:
    with pytest.raises(AssertionError):
        assert_groups_are_covered(case_of(Geometric, scale=10), lambda loss, _size: loss)
    with pytest.raises(AssertionError):
        # Linear where the theorem has a square.
        assert_groups_are_covered(
            case_of(DiscreteGaussian, variance=25),
            lambda loss, size: ConcentratedLoss(loss.rho * size),
        )
