"""Some neighbors and output attain the loss: one that is claimed too high is a bug too."""

from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import pytest
from tests.mechanisms.cases import CASES, REACHED, Case
from tests.mechanisms.distributions import Law, hockey_stick, law, log_ratio, renyi
from tests.mechanisms.planted import case_of

from differential_privacy.mechanisms import DiscreteGaussian, Exponential, Geometric
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Sensitivity,
)

WHOLE_ORDERS = (2, 3, 4)
"""Here the shifted sums of the discrete Gaussian are the same sum, so rho is attained."""


@singledispatch
def share(loss: Any, one: Law, other: Law) -> float:
    """How much of the loss two laws come to."""
    raise NotImplementedError(type(loss))


@share.register
def _(loss: PureLoss, one: Law, other: Law) -> float:
    return log_ratio(one, other) / float(loss.epsilon)


@share.register
def _(loss: ApproximateLoss, one: Law, other: Law) -> float:
    return float(hockey_stick(one, other, loss.epsilon) / loss.delta)


@share.register
def _(loss: ConcentratedLoss, one: Law, other: Law) -> float:
    if loss.delta:
        told = sum((one[o].low for o in one if not other[o].high), start=Fraction(0))
        return float(told / loss.delta)
    return min(renyi(one, other, order) / order for order in WHOLE_ORDERS) / float(loss.rho)


def assert_the_loss_is_reached(case: Case) -> None:
    reached = max(
        share(case.loss, law(case, one), law(case, other))
        for pair in case.pairs
        for one, other in (pair, pair[::-1])
    )
    assert reached >= case.reach


def nothing_told(case: Case) -> bool:
    return case.loss == PureLoss(0)


@pytest.mark.parametrize("case", [case for case in CASES if not nothing_told(case)], ids=str)
def test_some_output_tells_neighbors_apart_by_all_of_the_loss(case: Case) -> None:
    assert_the_loss_is_reached(case)


@pytest.mark.parametrize("case", [case for case in CASES if nothing_told(case)], ids=str)
def test_a_loss_of_zero_is_perfect_privacy(case: Case) -> None:
    for one, other in case.pairs:
        assert law(case, one) == law(case, other)


def test_two_cases_tell_nothing() -> None:
    assert sum(map(nothing_told, CASES)) == 2


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_that_falls_short_says_why(case: Case) -> None:
    assert case.reach == REACHED or case.why


class GeometricOfTwiceTheSensitivity(Geometric):
    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        return PureLoss(2 * sensitivity.need_l1() / self.scale)


class GaussianOneInTenThousandTooMuch(DiscreteGaussian):
    def loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        enough = sensitivity.need_l2_squared() / (2 * self.variance)
        return ConcentratedLoss(enough * Fraction(10001, 10000))


def test_a_loss_that_is_claimed_too_high_is_caught() -> None:
    geometric, gaussian = case_of(Geometric, scale=10), case_of(DiscreteGaussian, variance=25)
    monotonic = case_of(Exponential, monotonic=True)
    for case in (
        replace(geometric, mechanism=GeometricOfTwiceTheSensitivity(10)),
        replace(gaussian, mechanism=GaussianOneInTenThousandTooMuch(25)),
        replace(monotonic, mechanism=Exponential(monotonic.mechanism.rate)),
    ):
        with pytest.raises(AssertionError):
            assert_the_loss_is_reached(case)


@pytest.mark.parametrize("exact", [{"l1": "0.5"}, {"l2_squared": "0.25"}], ids=str)
def test_one_value_on_a_grid_moves_as_many_steps_as_its_loss_says(exact: dict[str, str]) -> None:
    """Half a unit is at most three steps of a fifth, whichever norm the half is stated in."""
    case = next(case for case in CASES if case.name == "gaussian on a grid")
    assert case.mechanism.loss(Sensitivity(**exact)).rho == Fraction(9, 18)
