"""Error bars cover at their confidence, exactly, and are the least that do."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM
from tests.mechanisms.planted import GeometricWhoseTailIsOneLong, GeometricWhoseTailIsOneShort

from differential_privacy.exact import Grid, Interval, normal_cdf
from differential_privacy.mechanisms import (
    DiscreteGaussian,
    Exponential,
    Geometric,
    OnGrid,
    PermuteAndFlip,
    ReportNoisyMax,
    SparseVector,
)

CONFIDENCES = ["0.1", "0.5", "0.9", "0.95", "0.9999", "0.999999999999"]
NOISES = [
    Geometric("1/5"),
    Geometric(1),
    Geometric("7/2"),
    Geometric(12),
    DiscreteGaussian("1/10"),
    DiscreteGaussian(1),
    DiscreteGaussian(7),
    DiscreteGaussian("123.45"),
]


def inside(noise: Any, error: int) -> Interval:
    """The chance of noise within the error, summed up from single chances."""
    near = noise.probability(0, exact=0)
    beside = (noise.probability(z, exact=0) for z in range(1, error + 1))
    return near + 2 * sum(beside, start=Interval.of(0)) if error >= 0 else Interval.of(0)


def assert_error_is_exact(noise: Any, confidence: str, count: int) -> None:
    error = noise.error(confidence, count=count)
    sure = Fraction(confidence)
    assert inside(noise, error).high ** count >= sure
    assert inside(noise, error - 1).low ** count < sure
    assert error <= math.ceil(noise.bound(confidence, count=count))


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("count", [1, 2, 100])
def test_noise_is_within_the_error_at_the_confidence_and_not_within_less(
    noise: Any, confidence: str, count: int
) -> None:
    assert_error_is_exact(noise, confidence, count)


@pytest.mark.parametrize("digits", [1, 12, 300, 400, 1000])
def test_the_bound_is_the_quantile_however_sure_it_must_be(digits: int) -> None:
    miss = Fraction(1, 10**digits)
    bound = DiscreteGaussian(1).bound(1 - 2 * miss)
    assert normal_cdf(-bound).high <= miss < normal_cdf(-bound * (1 - Fraction(1, 10**6))).low


def test_a_tail_that_is_one_off_is_caught() -> None:
    for mistaken in (GeometricWhoseTailIsOneShort(12), GeometricWhoseTailIsOneLong(12)):
        with pytest.raises(AssertionError):
            assert_error_is_exact(mistaken, "0.95", 1)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("count", [1, 5])
def test_draws_are_within_the_error_as_often_as_stated(noise: Any, count: int) -> None:
    error, trials = noise.error("0.9", count=count), DRAWS // 10
    drawn = np.abs(noise.release(np.zeros((trials, count), dtype=np.int64)))
    hits = int((drawn.max(axis=1) <= error).sum())
    assert binom.cdf(hits, trials, 0.9) > FALSE_ALARM
    share = float(inside(noise, error).high) ** count
    assert binom.sf(hits - 1, trials, share) > FALSE_ALARM


@pytest.mark.parametrize("sigma", [5000, 10**6, 10**12])
@pytest.mark.parametrize("confidence", ["0.3", "0.95", "0.999999"])
def test_wide_gaussian_noise_has_nearly_the_error_of_the_reals(sigma: int, confidence: str) -> None:
    error = DiscreteGaussian(sigma**2).error(confidence)
    reals = sigma * norm.isf((1 - float(confidence)) / 2)
    # The noise within t has the chance of the reals within t + 1/2, but for a part in sigma^2.
    assert abs(error - (reals - 0.5)) <= 1.5 + 1e-9 * reals


@pytest.mark.parametrize("scale", ["1e18", "1e30"])
def test_the_largest_scales_have_an_error(scale: str) -> None:
    expected = math.log(20) * float(scale)
    assert Geometric(scale).error("0.95") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("parameter", ["1e-3", "1e-400"])
@pytest.mark.parametrize("kind", [Geometric, DiscreteGaussian])
def test_the_smallest_scales_have_an_error_of_zero(kind: Any, parameter: str) -> None:
    assert kind(parameter).error("0.95") == 0


@pytest.mark.parametrize("upper", ["10", "9.7", "9.99"])
@pytest.mark.parametrize("value", [0.0, 0.26, 4.75, 9.7])
def test_noisy_reals_are_within_the_error_of_the_exact_one(upper: str, value: float) -> None:
    """The exact value is inside the grid's ends, whether or not they are points of it."""
    grid = Grid(step="1/2", lower=0, upper=upper)
    mechanism = OnGrid(Geometric(2), grid)
    error = mechanism.error("0.9")
    exact, reach = Fraction(value), Interval.of(0)
    for index in range(-60, 100):
        if abs(grid.point(index) - exact) <= error:
            reach = reach + mechanism.probability(index, exact=value)
    assert reach.high >= Fraction(9, 10)


def test_an_end_that_is_no_point_of_the_grid_is_as_near_as_the_error_says() -> None:
    grid = Grid(step=1, lower=0, upper="9.99")
    # Rounding moves 9.99 by this; with next to no noise it is all of the error.
    moved = abs(grid.point(int(grid.index(np.array([9.99]))[0])) - Fraction("9.99"))
    assert moved <= OnGrid(Geometric("1/100"), grid).error("0.9")


def gap_chance(mechanism: Any, gap: int, candidates: int) -> Interval:
    """The chance to choose at least this far below the best, at worst.

    One candidate is the best and the others are exactly this far below; they come first, where
    they win ties.
    """
    scores = (*[-gap] * (candidates - 1), 0)
    return 1 - mechanism.probability(candidates - 1, exact=scores)


SELECTIONS = [
    kind(parameter) for kind in (Exponential, PermuteAndFlip) for parameter in ("1/20", "1/300")
]


@pytest.mark.parametrize("mechanism", [*SELECTIONS, ReportNoisyMax(1)], ids=repr)
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
@pytest.mark.parametrize("candidates", [2, 5])
def test_the_chosen_score_is_within_the_error_at_the_confidence(
    mechanism: Any, confidence: str, candidates: int
) -> None:
    error = mechanism.error(confidence, candidates=candidates)
    beyond = math.floor(error) + 1
    assert gap_chance(mechanism, beyond, candidates).low <= 1 - Fraction(confidence)
    assert error <= math.ceil(mechanism.bound(confidence, candidates=candidates))


@pytest.mark.parametrize("mechanism", [*SELECTIONS, ReportNoisyMax(1)], ids=repr)
@pytest.mark.parametrize("confidence", ["0.8", "0.999"])
@pytest.mark.parametrize("candidates", [2, 5])
def test_the_chosen_score_is_not_within_less_than_the_error(
    mechanism: Any, confidence: str, candidates: int
) -> None:
    error = mechanism.error(confidence, candidates=candidates)
    assert error > 0
    missed = gap_chance(mechanism, math.ceil(error) - 1, candidates)
    assert missed.high > 1 - Fraction(confidence)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("digits", [6, 12, 15, 18, 20, 40])
def test_no_confidence_is_so_high_that_the_error_is_understated(kind: Any, digits: int) -> None:
    confidence = 1 - Fraction(1, 10**digits)
    mechanism = kind("1/20")
    error = mechanism.error(confidence, candidates=10)
    assert gap_chance(mechanism, math.floor(error) + 1, 10).low <= 1 - confidence


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_one_candidate_is_never_wrong(kind: Any) -> None:
    assert kind(1).error("0.95", candidates=1) == 0


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_what_chance_alone_is_sure_of_needs_no_error(kind: Any) -> None:
    assert kind(1).error("0.1", candidates=5) == 0


@pytest.mark.parametrize("rate", ["1/20", "1/3"])
@pytest.mark.parametrize("candidates", [2, 10, 200])
def test_permute_and_flip_is_never_worse_than_the_exponential(rate: str, candidates: int) -> None:
    for confidence in ("0.5", "0.95", "0.999"):
        flip = PermuteAndFlip(rate).error(confidence, candidates=candidates)
        assert flip <= Exponential(rate).error(confidence, candidates=candidates)


SCORES = [(0, -1, -1, -1), (0, -3, -6, -9), (0, 0, -20, -20)]


@pytest.mark.parametrize("scores", SCORES, ids=str)
@pytest.mark.parametrize(
    "mechanism", [Exponential("1/2"), PermuteAndFlip("1/2"), ReportNoisyMax(2)], ids=repr
)
def test_chosen_draws_are_within_the_error_as_often_as_stated(
    mechanism: Any, scores: Sequence[int]
) -> None:
    error, trials = mechanism.error("0.9", candidates=len(scores)), DRAWS // 100
    hits = sum(-scores[mechanism.release(scores)] <= error for _ in range(trials))
    assert binom.cdf(hits, trials, 0.9) > FALSE_ALARM


def wrongly_told(mechanism: SparseVector, distance: int, signs: Sequence[int]) -> Interval:
    """The chance that any of some values, all this far from the threshold, is told wrongly."""
    exact = [sign * distance for sign in signs]
    right = tuple(sign > 0 for sign in signs)
    return 1 - mechanism.probability(right, exact=exact)


SPARSE = SparseVector(threshold_scale="1/2", value_scale="3/4", positives=2)


@pytest.mark.parametrize("signs", [(-1,), (1,), (-1, -1, 1), (-1, -1, -1)], ids=str)
@pytest.mark.parametrize("confidence", ["0.8", "0.95"])
def test_values_farther_than_the_error_are_told_rightly(
    signs: tuple[int, ...], confidence: str
) -> None:
    error = SPARSE.error(confidence, values=len(signs))
    assert wrongly_told(SPARSE, error + 1, signs).low <= 1 - Fraction(confidence)


@pytest.mark.parametrize("confidence", ["0.8", "0.999"])
@pytest.mark.parametrize("values", [1, 2])
def test_values_at_less_than_the_error_may_be_told_wrongly(confidence: str, values: int) -> None:
    """The error is the least that covers, whichever values are above and which below."""
    error = SPARSE.error(confidence, values=values)
    missed = max(
        wrongly_told(SPARSE, error - 1, signs).high for signs in product((1, -1), repeat=values)
    )
    assert missed > 1 - Fraction(confidence)
