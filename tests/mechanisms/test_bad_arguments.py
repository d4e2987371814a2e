"""Bad public arguments are refused by name, and private ones without a word of their value."""

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import CASES

from differential_privacy.errors import (
    BudgetExceededError,
    InvalidArgumentError,
    PrivateArgumentError,
)
from differential_privacy.exact import Grid, Interval
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
from differential_privacy.privacy import (
    AddRemoveRows,
    ApproximateLoss,
    ConcentratedLoss,
    Groups,
    People,
    PureLoss,
    Sensitivity,
)

TENTHS = Grid(step="0.1", lower="0.1", upper="0.9")
ONE = Sensitivity(l1=1)

NOT_NUMBERS = [float("nan"), float("inf"), -float("inf"), True, None, "ten", "1/0", [1], 1j]
NOT_POSITIVE = [*NOT_NUMBERS, 0, -1, "-1/2", -0.0]
NOT_CHANCES = [*NOT_POSITIVE, 1, "3/2", 2]
NOT_COUNTS = [0, -1, True, 1.5, "2", None, float("nan")]


def sparse(**changes: Any) -> SparseVector:
    return SparseVector(**{"threshold_scale": 1, "value_scale": 1, "positives": 1} | changes)


Call = Callable[[Any], Any]

PARAMETERS: dict[str, tuple[Call, list[Any]]] = {
    "Geometric scale": (Geometric, NOT_POSITIVE),
    "DiscreteGaussian variance": (DiscreteGaussian, NOT_POSITIVE),
    "Exponential rate": (Exponential, NOT_POSITIVE),
    "PermuteAndFlip rate": (PermuteAndFlip, NOT_POSITIVE),
    "ReportNoisyMax scale": (ReportNoisyMax, NOT_POSITIVE),
    "RandomizedResponse p": (lambda x: RandomizedResponse(x, "1/4"), NOT_CHANCES),
    "RandomizedResponse q": (lambda x: RandomizedResponse("1/4", x), NOT_CHANCES),
    "CategoricalResponse truth": (lambda x: CategoricalResponse(3, x), NOT_CHANCES),
    "CategoricalResponse categories": (lambda x: CategoricalResponse(x, "1/2"), [*NOT_COUNTS, 1]),
    "SparseVector threshold_scale": (lambda x: sparse(threshold_scale=x), NOT_POSITIVE),
    "SparseVector value_scale": (lambda x: sparse(value_scale=x), NOT_POSITIVE),
    "SparseVector positives": (lambda x: sparse(positives=x), NOT_COUNTS),
    "SparseVector.open threshold": (lambda x: sparse().open(x), [1.5, True, None, "0"]),
    "TruncatedBeta weight": (lambda x: TruncatedBeta(x, grid=TENTHS), NOT_POSITIVE),
    "TruncatedBeta grid": (
        lambda x: TruncatedBeta(1, grid=x),
        [Grid(step="0.1", lower=0, upper="0.9"), Grid(step="0.1", lower="0.1", upper=1)],
    ),
    "Geometric.error confidence": (Geometric(1).error, NOT_CHANCES),
    "Geometric.bound confidence": (Geometric(1).bound, NOT_CHANCES),
    "Geometric.error count": (lambda x: Geometric(1).error("0.9", count=x), NOT_COUNTS),
    "Geometric.bound count": (lambda x: Geometric(1).bound("0.9", count=x), NOT_COUNTS),
    "Geometric.for_error error": (
        lambda x: Geometric.for_error(x, confidence="0.9"),
        NOT_COUNTS,
    ),
    "Geometric.for_error confidence": (
        lambda x: Geometric.for_error(3, confidence=x),
        NOT_CHANCES,
    ),
    "DiscreteGaussian.error confidence": (DiscreteGaussian(1).error, NOT_CHANCES),
    "DiscreteGaussian.error count": (
        lambda x: DiscreteGaussian(1).error("0.9", count=x),
        NOT_COUNTS,
    ),
    "DiscreteGaussian.for_error error": (
        lambda x: DiscreteGaussian.for_error(x, confidence="0.9"),
        NOT_COUNTS,
    ),
    "DiscreteGaussian.delta_at epsilon": (
        lambda x: DiscreteGaussian(1).delta_at(x, sensitivity=1),
        NOT_POSITIVE,
    ),
    "DiscreteGaussian.delta_at sensitivity": (
        lambda x: DiscreteGaussian(1).delta_at(1, sensitivity=x),
        NOT_COUNTS,
    ),
    "DiscreteGaussian.for_one_integer sensitivity": (
        lambda x: DiscreteGaussian.for_one_integer(ApproximateLoss(1, "1e-6"), sensitivity=x),
        NOT_COUNTS,
    ),
    "Exponential.error candidates": (
        lambda x: Exponential(1).error("0.9", candidates=x),
        NOT_COUNTS,
    ),
    "Exponential.bound candidates": (
        lambda x: Exponential(1).bound("0.9", candidates=x),
        NOT_COUNTS,
    ),
    "Exponential.for_error error": (
        lambda x: Exponential.for_error(x, confidence="0.9", candidates=3),
        NOT_POSITIVE,
    ),
    "PermuteAndFlip.error candidates": (
        lambda x: PermuteAndFlip(1).error("0.9", candidates=x),
        NOT_COUNTS,
    ),
    "ReportNoisyMax.error confidence": (
        lambda x: ReportNoisyMax(1).error(x, candidates=2),
        NOT_CHANCES,
    ),
    "ReportNoisyMax.error candidates": (
        lambda x: ReportNoisyMax(1).error("0.9", candidates=x),
        NOT_COUNTS,
    ),
    "ReportNoisyMax.bound candidates": (
        lambda x: ReportNoisyMax(1).bound("0.9", candidates=x),
        NOT_COUNTS,
    ),
    "SparseVector.error confidence": (lambda x: sparse().error(x, values=2), NOT_CHANCES),
    "SparseVector.error values": (lambda x: sparse().error("0.9", values=x), NOT_COUNTS),
    "RandomizedResponse.estimate answers": (
        lambda x: RandomizedResponse("1/4", "1/4").estimate(ones=0, answers=x),
        NOT_COUNTS,
    ),
    "RandomizedResponse.estimate ones": (
        lambda x: RandomizedResponse("1/4", "1/4").estimate(ones=x, answers=3),
        [-1, 4, True, 1.5],
    ),
    "RandomizedResponse.estimate confidence": (
        lambda x: RandomizedResponse("1/4", "1/4").estimate(ones=1, answers=3, confidence=x),
        NOT_CHANCES,
    ),
    "RandomizedResponse.variance share": (
        lambda x: RandomizedResponse("1/4", "1/4").variance(x, answers=3),
        [*NOT_NUMBERS, -1, 2],
    ),
    "RandomizedResponse.variance answers": (
        lambda x: RandomizedResponse("1/4", "1/4").variance("1/2", answers=x),
        NOT_COUNTS,
    ),
    "CategoricalResponse.estimate counts": (
        CategoricalResponse(3, "1/2").estimate,
        [[1, 2], [0, 0, 0], [1, 2, -1], [1, 2, 1.5], [1, 2, True]],
    ),
    "OnGrid count": (
        lambda x: OnGrid(Geometric(1), TENTHS, count=x),
        NOT_COUNTS,
    ),
    "Sensitivity l1": (lambda x: Sensitivity(l1=x), [*NOT_NUMBERS[:4], -1]),
    "PureLoss epsilon": (PureLoss, [*NOT_NUMBERS, -1]),
    "ConcentratedLoss rho": (ConcentratedLoss, [*NOT_NUMBERS, -1]),
    "ApproximateLoss delta": (lambda x: ApproximateLoss(1, x), [*NOT_NUMBERS, -1, 1, 1.5]),
}


def assert_refused_by_name(call: Call, bad: Any, name: str) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        call(bad)
    message = str(refused.value)
    assert refused.value.argument == name
    assert refused.value.status == 400
    assert message.startswith(f"{name} = ")
    assert message.endswith(f": {refused.value.rule}")
    parts = bad if isinstance(bad, list) else [bad]
    assert any(text in message for part in (bad, *parts) for text in (repr(part), str(part)))


@pytest.mark.parametrize("what", PARAMETERS)
def test_bad_public_arguments_are_refused_by_name(what: str) -> None:
    call, values = PARAMETERS[what]
    for bad in values:
        assert_refused_by_name(call, bad, what.rsplit(maxsplit=1)[-1])


UNKNOWN_NAMES: dict[str, tuple[Call, set[str]]] = {
    "a loss of zero": (lambda _: Geometric.for_loss(PureLoss(0), sensitivity=ONE), {"epsilon"}),
    "a rho of zero": (
        lambda _: DiscreteGaussian.for_loss(ConcentratedLoss(0), sensitivity=ONE),
        {"rho"},
    ),
    "no sensitivity, geometric": (
        lambda _: Geometric.for_loss(PureLoss(1), sensitivity=Sensitivity(l1=0)),
        {"sensitivity", "l1"},
    ),
    "no sensitivity, gaussian": (
        lambda _: DiscreteGaussian.for_loss(ConcentratedLoss(1), sensitivity=Sensitivity(l1=0)),
        {"sensitivity", "l2_squared"},
    ),
    "no sensitivity, exponential": (
        lambda _: Exponential.for_loss(PureLoss(1), sensitivity=Sensitivity(most=0)),
        {"sensitivity", "most"},
    ),
    "a norm that was not stated": (
        lambda _: Geometric(1).loss(Sensitivity(most=1)),
        {"sensitivity"},
    ),
    "another norm that was not stated": (
        lambda _: Exponential(1).loss(Sensitivity(l2_squared=1)),
        {"sensitivity"},
    ),
}


@pytest.mark.parametrize("what", UNKNOWN_NAMES)
def test_what_cannot_be_calibrated_names_an_argument_of_the_caller(what: str) -> None:
    call, names = UNKNOWN_NAMES[what]
    with pytest.raises(InvalidArgumentError) as refused:
        call(None)
    assert refused.value.argument in names


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, ReportNoisyMax])
@pytest.mark.parametrize("monotonic", ["False", "no"])
def test_a_promise_that_is_no_bool_is_refused(kind: Any, monotonic: Any) -> None:
    """It halves the loss, so text such as "False" must not be taken for true."""
    with pytest.raises(InvalidArgumentError) as refused:
        kind(1, monotonic=monotonic)
    assert refused.value.argument == "monotonic"


@pytest.mark.parametrize("monotonic", ["False", "no"])
def test_a_promise_of_a_run_that_is_no_bool_is_refused(monotonic: Any) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        sparse(monotonic=monotonic)
    assert refused.value.argument == "monotonic"


@pytest.mark.parametrize("unit", [Groups(AddRemoveRows(), size=5), People(), "rows"], ids=repr)
def test_a_unit_that_has_no_theorem_is_refused(unit: Any) -> None:
    """Five flips cost more than one, so a unit that is not known is not taken for one flip."""
    beta = TruncatedBeta("0.1", grid=TENTHS)
    for call in (beta.loss, beta.score_sensitivity):
        with pytest.raises(InvalidArgumentError):
            call(unit)


@pytest.mark.parametrize("junk", ["grid", None])
def test_a_grid_that_is_none_is_refused(junk: Any) -> None:
    for call in (lambda: TruncatedBeta(1, grid=junk), lambda: OnGrid(Geometric(1), junk)):
        with pytest.raises(InvalidArgumentError):
            call()


TENTH = [0.1, "0.1", "1/10", Fraction(1, 10), Decimal("0.1"), np.float64(0.1), "1e-1"]


@pytest.mark.parametrize("tenth", TENTH, ids=repr)
def test_a_float_is_its_shortest_decimal(tenth: Any) -> None:
    exact = Fraction(1, 10)
    assert Geometric(tenth).scale == exact
    assert DiscreteGaussian(tenth).variance == exact
    assert Exponential(tenth).rate == exact
    assert PermuteAndFlip(tenth).rate == exact
    assert ReportNoisyMax(tenth).scale == exact
    assert RandomizedResponse(tenth, tenth).p == RandomizedResponse(tenth, tenth).q == exact
    assert CategoricalResponse(3, tenth).truth == exact
    assert sparse(threshold_scale=tenth).threshold_scale == exact
    assert sparse(value_scale=tenth).value_scale == exact
    assert TruncatedBeta(tenth, grid=TENTHS).weight == exact
    assert PureLoss(tenth).epsilon == exact


@pytest.mark.parametrize("tenth", TENTH, ids=repr)
def test_a_share_given_as_a_float_is_its_shortest_decimal(tenth: Any) -> None:
    response = RandomizedResponse("1/4", "1/4")
    exact = Fraction(9, 100) / (10 * Fraction(1, 4))
    assert response.variance(tenth, answers=10) == exact


# Private arguments.

SECRET = 987654321

WRONG_TYPES: list[Any] = [
    float(SECRET),
    [float(SECRET)],
    f"{SECRET}",
    [f"{SECRET}"],
    None,
    {SECRET: 1},
    [[SECRET, 1], [SECRET]],
    np.array([SECRET + 0.5]),
    np.array([f"{SECRET}"]),
    [True, SECRET],
    np.array([True]),
    complex(SECRET),
    object(),
]
"""Of none of these is it known how an integer would follow; each shows the secret or its like."""

INTEGERS = [
    case.mechanism
    for kind in (
        Geometric,
        DiscreteGaussian,
        RandomizedResponse,
        CategoricalResponse,
        Exponential,
        PermuteAndFlip,
        ReportNoisyMax,
        SparseVector,
        TruncatedBeta,
    )
    for case in CASES
    if type(case.mechanism) is kind
]
EACH_KIND = list({type(mechanism): mechanism for mechanism in INTEGERS}.values())


@pytest.mark.parametrize("mechanism", EACH_KIND, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("wrong", WRONG_TYPES, ids=lambda w: type(w).__name__)
def test_private_arguments_of_a_wrong_type_are_refused_without_their_value(
    mechanism: Any, wrong: Any
) -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        mechanism.release(wrong)
    assert str(SECRET) not in str(refused.value)
    assert str(SECRET) not in repr(refused.value.__cause__)
    assert re.fullmatch(r"\w+: must be .*", str(refused.value))


@pytest.mark.parametrize(
    "wrong",
    [
        f"{SECRET}",
        [f"{SECRET}"],
        np.array([f"{SECRET}"]),
        {SECRET: 1},
        [[SECRET], [SECRET, 1]],
        complex(SECRET),
        object(),
    ],
    ids=lambda wrong: type(wrong).__name__,
)
@pytest.mark.parametrize("noise", [Geometric(1), DiscreteGaussian(1)], ids=repr)
def test_private_reals_of_a_wrong_type_are_refused_without_their_value(
    noise: Any, wrong: Any
) -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        OnGrid(noise, Grid(step=1, lower=0, upper=10)).release(wrong)
    assert str(SECRET) not in str(refused.value)


@pytest.mark.parametrize("text", ["1.5", "nan", "12", "x"])
def test_whether_text_is_refused_does_not_depend_on_what_it_says(text: str) -> None:
    with pytest.raises(PrivateArgumentError):
        OnGrid(Geometric(1), Grid(step=1, lower=0, upper=10)).release([text])


@pytest.mark.parametrize("wrong", [np.array(1.9), np.array(float("nan")), np.array([1, 2]), 1.5])
def test_a_run_refuses_what_is_no_integer_whatever_its_value(wrong: Any) -> None:
    with pytest.raises(PrivateArgumentError):
        sparse().open(0).above(wrong)


@pytest.mark.parametrize("wrong", [[1], [1, 2, 3], [], 3, [[1, 2], [3, 4]]], ids=repr)
def test_flips_that_are_no_pair_of_counts_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        TruncatedBeta(1, grid=TENTHS).release(wrong)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, ReportNoisyMax])
@pytest.mark.parametrize(
    "scores", [[], np.zeros(0, dtype=np.int64), 5, np.ones((2, 2), dtype=np.int64)], ids=str
)
def test_scores_that_are_no_row_of_candidates_are_refused(kind: Any, scores: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        kind(1).release(scores)


def test_no_positive_is_told_that_was_not_paid_for() -> None:
    run = sparse().open(0)
    assert run.above(10**9)
    with pytest.raises(BudgetExceededError) as refused:
        run.above(SECRET)
    assert str(SECRET) not in str(refused.value)


def test_a_point_outside_the_grid_has_no_chance() -> None:
    beta = TruncatedBeta(1, grid=TENTHS)
    assert beta.probability(Fraction(1, 3), exact=(1, 2)) == Interval.of(0)
