"""Whether a release fails never depends on the values, and no sum wraps around."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from differential_privacy.exact import Grid
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    Geometric,
    OnGrid,
    PermuteAndFlip,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
    TruncatedBeta,
)

EXTREMES = [0, 1, -1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**200, -(2**200), 10**400]
MOST_LIKELY = 10**6
"""No noise of these tests passes this, but with a chance below e^-1000."""


def magnitude(value: int | Fraction) -> str:
    """A name that is short enough to read."""
    size = abs(int(value)).bit_length()
    return f"{type(value).__name__} {'-' * (value < 0)}{abs(value) if size < 8 else f'{size} bits'}"


class Replayed:
    """The same bits for each release: a fixed stream, expanded by a counter."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def octets(self, count: int) -> NDArray[np.uint8]:
        drawn = []
        while len(drawn) < count:
            self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
            drawn.append(self.state >> 56)
        return np.array(drawn, dtype=np.uint8)


NOISES = [Geometric(3), Geometric("1e15"), DiscreteGaussian(30), DiscreteGaussian("1e30")]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@given(value=st.sampled_from(EXTREMES) | st.integers(), seed=st.integers(0, 2**32))
def test_the_noise_does_not_depend_on_the_value(noise: Any, value: int, seed: int) -> None:
    added = noise.release(0, bits=Replayed(seed))
    released = noise.release(value, bits=Replayed(seed))
    assert type(released) is int
    assert released == value + added


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@given(
    values=st.lists(st.sampled_from(EXTREMES) | st.integers(), min_size=1, max_size=4),
    seed=st.integers(0, 2**32),
)
def test_sums_of_an_array_never_wrap(noise: Any, values: list[int], seed: int) -> None:
    added = noise.release([0] * len(values), bits=Replayed(seed)).tolist()
    released = noise.release(values, bits=Replayed(seed))
    assert released.tolist() == [value + z for value, z in zip(values, added, strict=True)]
    fits = all(-(2**63) <= noisy < 2**63 for noisy in released.tolist())
    assert released.dtype == (np.int64 if fits else object)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@given(
    values=st.lists(st.integers(2**63 - 9, 2**63 - 1) | st.integers(-(2**63), 9 - 2**63)),
    seed=st.integers(0, 2**32),
)
def test_sums_of_64_bits_never_wrap(noise: Any, values: list[int], seed: int) -> None:
    packed = noise.release(np.array(values, dtype=np.int64), bits=Replayed(seed))
    assert packed.tolist() == noise.release(values, bits=Replayed(seed)).tolist()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_narrow_arrays_are_widened_before_the_noise(kind: Any) -> None:
    ends = np.array([np.iinfo(kind).max, np.iinfo(kind).min], dtype=kind)
    for values in (ends, ends[:1].reshape(()), ends.reshape(1, 2)):
        released = Geometric(2).release(values, bits=Replayed(7))
        zeros = Geometric(2).release(np.zeros(values.shape, dtype=np.int64), bits=Replayed(7))
        expected = np.asarray(values).astype(object) + np.asarray(zeros).astype(object)
        assert np.asarray(released).tolist() == np.asarray(expected).tolist()


def test_a_sum_that_wraps_would_be_caught() -> None:
    top = np.array([2**63 - 1])
    wrapped = (top + np.array([5])).tolist()
    assert wrapped != [2**63 + 4]


ANSWERS: dict[str, Callable[[int], Any]] = {
    "randomized response": RandomizedResponse("1/4", "1/8").release,
    "categorical response": CategoricalResponse(5, "1/2").release,
    "sparse vector": lambda value: SparseVector(
        threshold_scale=1, value_scale=1, positives=1
    ).release([value, -value]),
    "exponential": lambda value: Exponential("1/3").release([value, 0, -value]),
    "permute-and-flip": lambda value: PermuteAndFlip("1/3").release([value, 0, -value]),
    "noisy max": lambda value: ReportNoisyMax(3).release([value, 0, -value]),
    "truncated beta": lambda value: TruncatedBeta(
        "0.1", grid=Grid(step="0.1", lower="0.1", upper="0.9")
    ).release([value, 3]),
}


@pytest.mark.parametrize("what", ANSWERS)
@pytest.mark.parametrize("value", EXTREMES, ids=magnitude)
def test_no_value_makes_a_release_fail(what: str, value: int) -> None:
    ANSWERS[what](value)
    if -(2**63) < value < 2**63:
        ANSWERS[what](np.int64(value))


@pytest.mark.parametrize("what", ["randomized response", "categorical response"])
def test_no_array_of_answers_fails(what: str) -> None:
    assert np.asarray(ANSWERS[what](EXTREMES)).shape == (len(EXTREMES),)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("best", [2**63 - 1, 2**200, 10**400], ids=magnitude)
def test_huge_scores_are_chosen_by_their_distance(kind: Any, best: int) -> None:
    for scores in ([best, best - 10**6, -best], [-best, best, 0]):
        assert kind(1).release(scores) == scores.index(best)
    if best < 2**63:
        assert kind(1).release(np.array([-best, best])) == 1
    # Equal scores are chosen alike, however large they are.
    assert {kind(1).release([best, best]) for _ in range(200)} == {0, 1}


@pytest.mark.parametrize("best", [2**63 - 1, 2**200])
def test_huge_scores_have_a_noisy_max(best: int) -> None:
    assert ReportNoisyMax(1).release([0, best, best - 10**6, -best]) == 1


def test_huge_values_are_told_to_be_above_and_below() -> None:
    run = SparseVector(threshold_scale=1, value_scale=1, positives=1)
    assert run.release([-(2**200), -(2**63), 2**63 - 1, 0]) == [False, False, True]
    assert run.open(2**200).above(2**200 + MOST_LIKELY)
    assert not run.open(2**200).above(2**200 - MOST_LIKELY)


REALS = [0.0, -0.0, 5e-324, 1e308, -1e308, float("inf"), -float("inf"), float("nan"), 2**200]


@pytest.mark.parametrize("noise", [Geometric(3), DiscreteGaussian(9)], ids=repr)
def test_every_float_has_a_noisy_value(noise: Any) -> None:
    mechanism = OnGrid(noise, Grid(step="0.1", lower=-5, upper=5), len(REALS))
    released = mechanism.release(REALS)
    assert np.isfinite(released).all()
    assert (np.abs(released) < MOST_LIKELY).all()


@pytest.mark.parametrize("value", REALS, ids=repr)
def test_one_real_has_a_noisy_value(value: float) -> None:
    released = OnGrid(Geometric(3), Grid(step="0.1", lower=-5, upper=5)).release(value)
    assert type(released) is float
    assert abs(released) < MOST_LIKELY


@pytest.mark.parametrize("value", [10**400, -(10**400), Fraction(10**400)], ids=magnitude)
def test_a_number_that_no_float_holds_is_an_end_of_the_grid(value: Any) -> None:
    """A list of integers fails for its type or not at all."""
    released = OnGrid(Geometric(1), Grid(step=1, lower=0, upper=10), 2).release([value, 1])
    assert released.shape == (2,)


def test_noise_on_a_grid_is_added_to_the_rounded_value() -> None:
    mechanism = OnGrid(Geometric(3), Grid(step="0.25", lower=-5, upper=5), 6)
    values = [0.1, 0.125, -0.125, 4.9, 77.0, float("nan")]
    added = mechanism.noise.release([0] * len(values), bits=Replayed(5))
    released = mechanism.release(values, bits=Replayed(5))
    rounded = np.array([0.0, 0.25, 0.0, 5.0, 5.0, -5.0])
    assert released.tolist() == (rounded + 0.25 * added).tolist()


@pytest.mark.parametrize("truth", [7, -7, 2**200], ids=magnitude)
def test_the_likelihood_of_an_answer_is_that_of_its_release(truth: int) -> None:
    """An integer that is no bit, or no category, counts as one; the probability must agree."""
    bit = RandomizedResponse("1/4", "1/8")
    assert bit.probability(1, exact=truth) == bit.probability(1, exact=1)
    three = CategoricalResponse(3, "1/2")
    nearest = 0 if truth < 0 else 2
    for answer in range(3):
        assert three.probability(answer, exact=truth) == three.probability(answer, exact=nearest)


def test_an_answer_that_cannot_be_given_has_no_chance() -> None:
    for chance in (
        lambda: RandomizedResponse("1/4", "1/8").probability(5, exact=1),
        lambda: CategoricalResponse(3, "1/2").probability(7, exact=1),
    ):
        try:
            assert chance().high == 0
        except ValueError:
            continue


@pytest.mark.parametrize("categories", [5, 2**40 + 3, 2**61 - 1, 2**61], ids=magnitude)
def test_lies_about_very_many_categories_do_not_wrap(categories: int) -> None:
    """Two lies that met would make another answer impossible, and so tell the truth."""
    response = CategoricalResponse(categories, Fraction(1, 10**30))
    truth = categories - 1
    for lie in (0, 1, categories - 3, categories - 2):
        answer = response.release([truth], bits=Counted(lie))
        assert answer.tolist() == [(truth + lie + 1) % categories]


class Counted:
    """All ones for the first call, so that no coin falls on the truth; then one small number."""

    def __init__(self, number: int) -> None:
        self.number, self.calls = number, 0

    def octets(self, count: int) -> NDArray[np.uint8]:
        self.calls += 1
        if self.calls == 1:
            return np.full(count, 255, dtype=np.uint8)
        return np.frombuffer(self.number.to_bytes(count, "little"), np.uint8)
