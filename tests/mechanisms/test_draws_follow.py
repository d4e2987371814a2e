"""Probabilities are a distribution, and draws have it.

Each chi-square fails by bad luck with a probability of 1e-9 at most, and is shown to reject the
law that its case plants: a scale or a chance a few hundredths off.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import CASES, Case, Output
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM, Law, law, luck, total
from tests.mechanisms.planted import case_of

from differential_privacy import sampling
from differential_privacy.mechanisms import Geometric, ReportNoisyMax, SparseVector


def drawn_for(case: Case) -> Any:
    return case.pairs[0][0] if case.drawn_for is None else case.drawn_for


def draws(case: Case, mechanism: Any) -> Iterable[Output]:
    return case.many(mechanism, drawn_for(case), int(DRAWS * case.draws))


def assert_draws_follow(drawn: Iterable[Output], chances: Law) -> None:
    assert luck(drawn, chances) > FALSE_ALARM


@pytest.mark.parametrize("case", CASES, ids=str)
def test_probabilities_add_up_to_one(case: Case) -> None:
    for exact in {drawn_for(case), *(exact for pair in case.pairs for exact in pair)}:
        sum_of_all = total(law(case, exact))
        assert all(chance.high >= 0 for chance in law(case, exact).values())
        assert sum_of_all.low <= 1
        assert sum_of_all.high >= 1 - case.left_out
        assert sum_of_all.high - sum_of_all.low < case.within
        if not case.left_out:
            assert 1 in sum_of_all


@pytest.mark.parametrize(
    "case", [case for case in CASES if hasattr(case.mechanism, "tail")], ids=str
)
@pytest.mark.parametrize("error", [0, 1, 7])
def test_what_a_window_leaves_out_is_the_tail(case: Case, error: int) -> None:
    noise = case.mechanism
    inside = sum(
        (noise.probability(z, exact=0) for z in range(-error, error + 1)),
        start=noise.probability(error + 1, exact=0) * 0,
    )
    outside = noise.tail(error)
    assert (inside + outside).low <= 1 <= (inside + outside).high
    assert outside.high - outside.low < 1e-9


@pytest.mark.parametrize("case", CASES, ids=str)
def test_draws_follow_the_probabilities(case: Case) -> None:
    assert_draws_follow(draws(case, case.mechanism), law(case, drawn_for(case)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_draws_of_another_law_are_rejected(case: Case) -> None:
    with pytest.raises(AssertionError):
        assert_draws_follow(draws(case, case.planted), law(case, drawn_for(case)))


def test_a_scale_two_percent_off_is_rejected() -> None:
    case = case_of(Geometric, scale=10)
    drawn = case.many(Geometric("10.2"), 0, 10 * DRAWS)
    with pytest.raises(AssertionError):
        assert_draws_follow(drawn, law(case, 0))


def test_a_doubled_zero_is_rejected() -> None:
    case = case_of(Geometric, scale=10)
    noise = sampling.discrete_laplace(10, DRAWS)
    # The sign drawn apart from the size, with minus zero taken for zero: the classic mistake.
    size = np.where(noise >= 0, noise, -1 - noise)
    drawn = (size * (1 - 2 * sampling.uniform(2, DRAWS))).tolist()
    with pytest.raises(AssertionError):
        assert_draws_follow(drawn, law(case, 0))


def test_a_wrong_sign_is_rejected() -> None:
    case = case_of(Geometric, scale=10)
    drawn = (-value for value in case.many(case.mechanism, 5, DRAWS))
    with pytest.raises(AssertionError):
        assert_draws_follow(drawn, law(replace(case, drawn_for=5), 5))


def test_ties_settled_the_other_way_are_rejected() -> None:
    case = case_of(ReportNoisyMax, monotonic=False, scale=1)
    drawn = (2 - index for index in case.many(case.mechanism, (0, 0, 0), DRAWS // 20))
    with pytest.raises(AssertionError):
        assert_draws_follow(drawn, law(case, (0, 0, 0)))


def test_above_the_threshold_without_equality_is_rejected() -> None:
    case = case_of(SparseVector, monotonic=False, positives=1)
    lower = tuple(value - 1 for value in drawn_for(case))
    with pytest.raises(AssertionError):
        assert_draws_follow(
            case.many(case.mechanism, lower, DRAWS // 20), law(case, drawn_for(case))
        )


def test_a_single_draw_has_the_law_of_many() -> None:
    noise = Geometric(2)
    case = replace(case_of(Geometric, scale=1), mechanism=noise, outputs=tuple(range(-40, 41)))
    assert_draws_follow((noise.release(0) for _ in range(DRAWS // 10)), law(case, 0))


def test_the_coordinates_of_a_vector_have_noise_of_their_own() -> None:
    noise = Geometric(100).release(np.zeros((2, DRAWS // 10), dtype=np.int64))
    # Equal with a chance of about 1 / 400; were the noise shared, always.
    assert (noise[0] == noise[1]).mean() < 1 / 50


def test_values_after_a_positive_have_noise_of_their_own() -> None:
    wide = SparseVector(threshold_scale=1, value_scale=3, positives=2)
    case = replace(case_of(SparseVector, monotonic=False, positives=2), mechanism=wide)
    level = replace(case, drawn_for=(0,) * len(drawn_for(case)))
    assert_draws_follow(draws(level, wide), law(level, drawn_for(level)))


@pytest.mark.parametrize("threshold", [-3, 4])
def test_a_threshold_moves_the_values(threshold: int) -> None:
    mechanism = SparseVector(threshold_scale=1, value_scale=1, positives=1)
    moved = tuple(value + threshold for value in (0, 1))
    for told in ((True,), (False, True), (False, False)):
        assert mechanism.probability(told, exact=(0, 1)) == mechanism.probability(
            told, exact=moved, threshold=threshold
        )


def test_no_run_tells_more_positives_than_were_paid_for() -> None:
    mechanism = SparseVector(threshold_scale=1, value_scale=1, positives=1)
    assert mechanism.release([10**6] * 5) == [True]
    assert mechanism.probability((True, True), exact=(0, 0)).high < 1e-30
