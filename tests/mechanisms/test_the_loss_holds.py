"""No output tells neighbors apart by more than the loss, by exact output probabilities.

What a window of outputs leaves out has the chance `left_out` at most, as test_draws_follow proves.
"""

import dataclasses
from typing import Any

import pytest
from tests.mechanisms import planted
from tests.mechanisms.cases import CASES, Case
from tests.mechanisms.distributions import assert_apart_at_most, law

from differential_privacy.mechanisms import DiscreteGaussian, Exponential
from differential_privacy.privacy import Sensitivity


def assert_the_loss_holds(case: Case, loss: Any = None) -> None:
    for one, other in case.pairs:
        there, back = law(case, one), law(case, other)
        assert_apart_at_most(loss or case.loss, there, back)
        assert_apart_at_most(loss or case.loss, back, there)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_output_tells_neighbors_apart_by_more_than_the_loss(case: Case) -> None:
    assert_the_loss_holds(case)


CONCENTRATED = [case for case in CASES if isinstance(case.mechanism, Exponential)]


@pytest.mark.parametrize("case", CONCENTRATED, ids=str)
def test_the_concentrated_loss_of_the_exponential_mechanism_holds(case: Case) -> None:
    assert_the_loss_holds(case, case.mechanism.concentrated_loss(case.takes))


GAUSSIAN = [
    case
    for case in CASES
    if isinstance(case.mechanism, DiscreteGaussian) and isinstance(case.pairs[0][0], int)
]


@pytest.mark.parametrize("case", GAUSSIAN, ids=str)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_the_delta_of_one_integer_is_exact(case: Case, epsilon: str) -> None:
    told = case.mechanism.delta_at(epsilon, sensitivity=int(case.takes.need_l1()))
    found = max(
        planted.delta(law(case, one), law(case, other), epsilon)
        for pair in case.pairs
        for one, other in (pair, pair[::-1])
    )
    assert found <= told <= found * (1 + planted.TINY) + planted.TINY


@pytest.mark.parametrize("variance", ["1/20", "1/3", "2", "30"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_delta_grows_with_the_sensitivity(variance: str, epsilon: str) -> None:
    noise = DiscreteGaussian(variance)
    deltas = [noise.delta_at(epsilon, sensitivity=moved) for moved in range(1, 6)]
    assert deltas == sorted(deltas)


@pytest.mark.parametrize("moved", [1, 2])
def test_numerical_losses_are_no_larger_and_not_too_small(moved: int) -> None:
    cases = [case for case in CASES if hasattr(case.mechanism, "numerical_loss")]
    for case in cases:
        numerical = case.mechanism.numerical_loss(moved)
        if not isinstance(case.pairs[0][0], int):
            continue
        for epsilon in ("0.1", "1/2", "1"):
            here, there = law(case, 0), law(case, moved)
            exact = planted.delta(here, there, epsilon)
            assert exact <= numerical.delta_at(epsilon) + case.left_out
            stated = case.mechanism.loss(Sensitivity(l1=moved)).delta_at(epsilon)
            assert numerical.delta_at(epsilon) <= stated * (1 + planted.LOOSE) + planted.LOOSE


@pytest.mark.parametrize("case", planted.LOSSES, ids=str)
def test_a_loss_that_is_claimed_too_small_is_caught(case: Case) -> None:
    with pytest.raises(AssertionError):
        assert_the_loss_holds(case)


def test_permute_and_flip_has_no_bounded_range() -> None:
    """Its rho is not the exponential mechanism's eps^2 / 8."""
    case = planted.PERMUTE_AND_FLIP_OF_BOUNDED_RANGE
    assert_the_loss_holds(case)
    with pytest.raises(AssertionError):
        assert_the_loss_holds(case, case.mechanism.concentrated_loss(case.takes))
    same = dataclasses.replace(case, mechanism=Exponential(case.mechanism.rate))
    assert_the_loss_holds(same, same.mechanism.concentrated_loss(same.takes))
