"""Membership: shares with their intervals, beside what a guarantee allows."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.audit.membership import membership
from differential_privacy.audit.scores import likelihood_scores
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import ConcentratedLoss, GaussianLoss, PureLoss

SURE = "0.999999"
NUMBERS = st.lists(st.integers(0, 9), min_size=1, max_size=30)


def generator(seed: int) -> Any:
    return np.random.default_rng(seed)  # noqa: TID251 - the same draws in every run


@given(NUMBERS, NUMBERS)
def test_the_area_is_the_share_of_pairs_with_ties_half(ins: list[int], outs: list[int]) -> None:
    pairs = [(one > other) + (one == other) / 2 for one in ins for other in outs]
    assert membership(ins, outs).area == pytest.approx(sum(pairs) / len(pairs))


@given(NUMBERS, NUMBERS)
def test_the_curve_rises_from_none_to_all(ins: list[int], outs: list[int]) -> None:
    curve = membership(ins, outs).roc
    assert curve == tuple(sorted(curve))
    assert [found for _, found in curve] == sorted(found for _, found in curve)
    assert (curve[0][0], curve[-1]) == (0.0, (1.0, 1.0))
    for accused, found in curve[1:]:
        matches = [
            (sum(one >= t for one in outs) / len(outs), sum(one >= t for one in ins) / len(ins))
            for t in {*outs, -1}
        ]
        assert any((accused, found) == pytest.approx(match) for match in matches)


@given(NUMBERS, NUMBERS)
def test_no_more_of_the_others_are_accused_than_asked(ins: list[int], outs: list[int]) -> None:
    for found in membership(ins * 40, outs * 40).found:
        assert found.accused <= found.false_alarms * len(outs) * 40
        assert found.interval[0] <= found.share <= found.interval[1]


@pytest.mark.parametrize("loss", [GaussianLoss.of_mu(1), ConcentratedLoss("1/2")])
def test_what_keeps_its_guarantee_is_not_refuted_and_reaches_it(loss: Any) -> None:
    draws = generator(1)
    found = membership(
        draws.normal(1, 1, 100_000), draws.normal(size=100_000), loss=loss, confidence=SURE
    )
    assert not found.refuted
    at_one_percent, at_a_tenth = found.found
    assert at_one_percent.share == pytest.approx(0.0924, rel=0.1)
    assert at_a_tenth.share == pytest.approx(0.0183, rel=0.2)
    assert at_one_percent.most is not None
    assert at_one_percent.share < 1.1 * at_one_percent.most
    assert found.area == pytest.approx(0.7602, abs=0.01)


def test_what_breaks_its_guarantee_is_refuted() -> None:
    draws = generator(2)
    ins, outs = draws.normal(1, 1, 20_000), draws.normal(size=20_000)
    found = membership(ins, outs, loss=PureLoss(1), confidence=SURE)
    assert found.refuted
    assert "REFUTED" in str(found)
    assert found.as_json()["refuted"]
    assert not membership(outs, ins, loss=PureLoss(1), confidence=SURE).refuted


def test_the_threshold_of_the_others_costs_no_confidence() -> None:
    """One law on both sides: wrong in half of the draws at most; over 140 of 200 is 3e-9."""
    draws = generator(3)
    wrong = sum(
        membership(draws.random(200), draws.random(200), loss=PureLoss(0), confidence="0.5")
        .found[0]
        .refuted
        for _ in range(200)
    )
    assert wrong <= 140


def test_a_plot_has_the_curve_the_guarantee_and_guessing() -> None:
    draws = generator(4)
    found = membership(draws.normal(1, 1, 500), draws.normal(size=500), loss=GaussianLoss.of_mu(1))
    drawn = found.plot().to_dict()
    (values,) = drawn["datasets"].values()
    lines = {row["line"] for row in values}
    assert lines == {"found", "guessing", "most that the guarantee allows"}
    assert drawn["encoding"]["x"]["scale"]["type"] == drawn["encoding"]["y"]["scale"]["type"]
    assert drawn["encoding"]["x"]["scale"]["type"] == "log"
    assert all(row["found"] > 0 and row["accused"] > 0 for row in values)


def test_likelihood_ratios_find_members_that_scores_hide() -> None:
    """Records differ more from each other than by being members."""
    draws = generator(5)
    records, models = 2000, 16
    level = draws.normal(0, 10, records)
    within = draws.random((models, records)) < 0.5
    within[:4] = [[True], [False], [True], [False]]
    shadows = level + 2 * within + draws.normal(size=(models, records))
    inside = draws.random(records) < 0.5
    scores = level + 2 * inside + draws.normal(size=records)
    ratios = likelihood_scores(scores, shadows=shadows, within=within)
    assert membership(scores[inside], scores[~inside]).area < 0.6
    assert membership(ratios[inside], ratios[~inside]).area > 0.88


@pytest.mark.parametrize(
    ("ins", "outs", "message"),
    [
        ([math.nan], [0.0], "scores_in = '1 times NaN'"),
        ([0.0], [[0.0]], "scores_out = 'an array of shape"),
        ([], [0.0], "scores_in = 'an array of shape"),
    ],
)
def test_what_is_no_score_is_named(ins: Any, outs: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        membership(ins, outs)


@pytest.mark.parametrize(
    ("shadows", "within", "message"),
    [
        ([[0.0], [1.0]], [[True]], "shapes"),
        ([[0.0], [1.0]], [[1], [0]], "shadows, within"),
        ([[0.0], [math.inf]], [[True], [False]], "finite"),
        ([[0.0], [1.0]], [[True], [True]], "within = '2 models'"),
        ([[0.0], [1.0]], [[True], [False]], "in and out of two"),
        ([[0.0], [0.0], [1.0], [1.0]], [[True], [True], [False], [False]], "must vary"),
    ],
)
def test_shadows_that_tell_nothing_are_named(shadows: Any, within: Any, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        likelihood_scores([0.0], shadows=shadows, within=within)
