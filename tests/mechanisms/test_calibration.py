"""Noise for a loss has that loss and no more; for an error, it is the most that keeps it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mechanisms.distributions import hockey_stick

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Grid
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    Geometric,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
    TruncatedBeta,
)
from differential_privacy.privacy import (
    AddRemoveRows,
    ApproximateLoss,
    ChangeRows,
    ConcentratedLoss,
    PureLoss,
    Sensitivity,
)

ONE = Sensitivity(l1=1)
MOST = Sensitivity(most=2)
TENTHS = Grid(step="0.1", lower="0.1", upper="0.9")

Calibrated = tuple[Callable[[PureLoss], Any], Any]

PURE: dict[str, Calibrated] = {
    "geometric": (lambda loss: Geometric.for_loss(loss, sensitivity=Sensitivity(l1=3)),
                  Sensitivity(l1=3)),
    "exponential": (lambda loss: Exponential.for_loss(loss, sensitivity=MOST), MOST),
    "exponential, monotonic": (
        lambda loss: Exponential.for_loss(loss, sensitivity=MOST, monotonic=True), MOST),
    "permute-and-flip": (lambda loss: PermuteAndFlip.for_loss(loss, sensitivity=MOST), MOST),
    "permute-and-flip, monotonic": (
        lambda loss: PermuteAndFlip.for_loss(loss, sensitivity=MOST, monotonic=True), MOST),
    "noisy max": (lambda loss: ReportNoisyMax.for_loss(loss, sensitivity=MOST), MOST),
    "noisy max, monotonic": (
        lambda loss: ReportNoisyMax.for_loss(loss, sensitivity=MOST, monotonic=True), MOST),
    "sparse vector": (
        lambda loss: SparseVector.for_loss(loss, sensitivity=MOST, positives=3), MOST),
    "sparse vector, monotonic": (
        lambda loss: SparseVector.for_loss(loss, sensitivity=MOST, positives=3, monotonic=True),
        MOST),
    "truncated beta, one more": (
        lambda loss: TruncatedBeta.for_loss(loss, grid=TENTHS, unit=AddRemoveRows()),
        AddRemoveRows()),
    "truncated beta, one changed": (
        lambda loss: TruncatedBeta.for_loss(loss, grid=TENTHS, unit=ChangeRows()), ChangeRows()),
}  # fmt: skip

ROUNDED: dict[str, Calibrated] = {
    "randomized response": (lambda loss: RandomizedResponse.for_loss(loss, sensitivity=ONE), ONE),
    "randomized response of three bits": (
        lambda loss: RandomizedResponse.for_loss(loss, sensitivity=Sensitivity(l1=3)),
        Sensitivity(l1=3)),
    "categorical response": (lambda loss: CategoricalResponse.for_loss(loss, categories=5), ONE),
}  # fmt: skip

losses = st.fractions(min_value=Fraction(1, 1000), max_value=10, max_denominator=10**6)


@pytest.mark.parametrize("name", PURE)
@given(epsilon=losses)
def test_noise_for_a_loss_has_exactly_this_loss(name: str, epsilon: Fraction) -> None:
    for_loss, takes = PURE[name]
    assert for_loss(PureLoss(epsilon)).loss(takes) == PureLoss(epsilon)


@given(rho=losses, square=st.integers(1, 50))
def test_gaussian_noise_for_a_rho_has_exactly_this_rho(rho: Fraction, square: int) -> None:
    moved = Sensitivity(l2_squared=square)
    noise = DiscreteGaussian.for_loss(ConcentratedLoss(rho), sensitivity=moved)
    assert noise.loss(moved) == ConcentratedLoss(rho)


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize(
    "epsilon", ["0.001", "0.1", "1/3", "1", "31/30", "16/15", "2.5", "29/3", "10"]
)
def test_lies_for_a_loss_have_no_more_than_this_loss_and_hardly_less(
    name: str, epsilon: str
) -> None:
    for_loss, takes = ROUNDED[name]
    target = Fraction(epsilon)
    reached = for_loss(PureLoss(target)).loss(takes).epsilon
    assert reached >= target * (1 - Fraction(1, 10**7))
    assert reached <= target


@pytest.mark.parametrize("epsilon", [0, "1e-13"])
def test_lies_for_next_to_no_loss_have_no_more_than_this_loss(epsilon: Any) -> None:
    for for_loss, takes in ROUNDED.values():
        assert for_loss(PureLoss(epsilon)).loss(takes).epsilon <= Fraction(epsilon)


NOISES = {"geometric": Geometric, "discrete gaussian": DiscreteGaussian}


def parameter(noise: Any) -> Fraction:
    return noise.scale if isinstance(noise, Geometric) else noise.variance


@pytest.mark.parametrize("kind", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("error", [1, 2, 7, 40])
@pytest.mark.parametrize("confidence", ["0.2", "0.5", "0.95", "0.999"])
@pytest.mark.parametrize("count", [1, 5])
def test_noise_for_an_error_keeps_it_and_more_noise_does_not(
    kind: Any, error: int, confidence: str, count: int
) -> None:
    noise = kind.for_error(error, confidence=confidence, count=count)
    assert noise.error(confidence, count=count) <= error
    more = kind(parameter(noise) * (1 + Fraction(1, 10**8)))
    assert more.error(confidence, count=count) > error


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("error", ["1", "7", "12.5", "250"])
@pytest.mark.parametrize("candidates", [2, 30])
def test_a_rate_for_an_error_keeps_it_and_a_smaller_does_not(
    kind: Any, error: str, candidates: int
) -> None:
    choice = kind.for_error(error, confidence="0.9", candidates=candidates)
    assert choice.error("0.9", candidates=candidates) <= Fraction(error)
    less = kind(choice.rate * (1 - Fraction(1, 10**8)))
    assert less.error("0.9", candidates=candidates) > Fraction(error)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_an_error_that_needs_no_rate_is_refused_by_its_name(kind: Any) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        kind.for_error(10, confidence="0.9", candidates=1)
    assert refused.value.argument in {"candidates", "error", "confidence"}


TARGETS = [(1, "1e-6", 1), ("0.1", "1e-6", 1), ("1/2", "1e-9", 3), (4, "1e-5", 2), (1, "0.01", 1)]


@pytest.mark.parametrize(("epsilon", "delta", "moved"), TARGETS)
def test_noise_for_one_integer_is_proved_and_a_thousandth_less_is_not_enough(
    epsilon: Any, delta: str, moved: int
) -> None:
    target = ApproximateLoss(epsilon, delta)
    noise = DiscreteGaussian.for_one_integer(target, sensitivity=moved)
    assert noise.delta_at(epsilon, sensitivity=moved) <= target.delta
    less = DiscreteGaussian(noise.variance * Fraction(999, 1000))
    assert less.delta_at(epsilon, sensitivity=moved) > target.delta


def test_noise_for_one_integer_is_enough_by_its_exact_law() -> None:
    noise = DiscreteGaussian.for_one_integer(ApproximateLoss(1, "1e-3"), sensitivity=2)
    window = range(-80, 81)
    here = {z: noise.probability(z, exact=0) for z in window}
    there = {z: noise.probability(z, exact=2) for z in window}
    told = hockey_stick(here, there, Fraction(1))
    assert Fraction("0.999e-3") <= told <= Fraction("1e-3")


def test_a_calibration_that_is_off_is_caught() -> None:
    """The factor two of the sensitivity, forgotten and doubled."""
    for scale in (Fraction(1, 2), Fraction(2)):
        wrong = Geometric(Geometric.for_loss(PureLoss(1), sensitivity=ONE).scale * scale)
        assert wrong.loss(ONE) != PureLoss(1)
