"""Our numbers beside those of dp-accounting, which `make oracles` stores in `dp_accounting.json`.

Its pessimistic epsilon is never too small and its optimistic one never too large, except for the
errors of its Fourier transforms, which it does not charge for.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from differential_privacy.accounting import (
    NumericalLoss,
    analytic_sigma,
    discrete_gaussian_loss,
    discrete_laplace_loss,
    finite_loss,
    laplace_loss,
    repeated,
    sampled_gaussian_loss,
    sequential,
    to_numerical,
    to_renyi,
)
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import ApproximateLoss, GaussianLoss, PureLoss

ORACLE = json.loads(Path(__file__).with_name("dp_accounting.json").read_text())

TOLERANCE = 1e-3
"""The bar for every family of composed losses, at the deltas from COMMON_DELTA up."""

COMMON_DELTA = 1e-6
CLOSED = 1e-9
"""For closed forms: both sides are floats of the same formula, ours rounded up."""


def exact(number: float) -> Fraction:
    """The decimal that was written."""
    return Fraction(str(number))


def normal(sigma: float) -> GaussianLoss:
    return GaussianLoss(1 / exact(sigma) ** 2)


def response(noise: float, buckets: int) -> NumericalLoss:
    """With chance `noise` the answer is uniform among the buckets, and else the truth."""
    other = exact(noise) / buckets
    truth = 1 - exact(noise) + other
    rest = {str(place): other for place in range(2, buckets)}
    return finite_loss({"0": truth, "1": other, **rest}, {"0": other, "1": truth, **rest})


LAWS: dict[str, Callable[..., NumericalLoss]] = {
    "laplace": laplace_loss,
    "gaussian": lambda sigma: to_numerical(normal(sigma)),
    "sampled_gaussian": lambda sigma, rate: sampled_gaussian_loss(noise=sigma, rate=rate),
    "discrete_laplace": discrete_laplace_loss,
    "discrete_gaussian": lambda sigma, sensitivity: discrete_gaussian_loss(
        exact(sigma) ** 2, sensitivity
    ),
    "randomized_response": response,
    "approximate": lambda epsilon, delta: to_numerical(ApproximateLoss(epsilon, delta)),
}


def composed(events: list[dict[str, Any]]) -> NumericalLoss:
    parts = []
    for event in events:
        law, times = event["law"], event["times"]
        rest = {name: of for name, of in event.items() if name not in ("law", "times")}
        parts.append(repeated(LAWS[law](**rest), times=times))
    return sequential(parts)


def named(events: list[dict[str, Any]]) -> str:
    return "+".join("_".join(map(str, event.values())) for event in events[:3])


def compositions() -> list[Any]:
    """The cases of one composition together, so that it is made once."""
    together: dict[str, list[Any]] = {}
    for case in ORACLE["losses"]:
        together.setdefault(json.dumps(case["events"]), []).append(case)
    return [
        pytest.param(json.loads(events), cases, id=named(cases[0]["events"]))
        for events, cases in together.items()
    ]


@pytest.mark.parametrize(("events", "cases"), compositions())
def test_composed_epsilons_are_never_below_the_optimistic_and_hardly_above_the_pessimistic(
    events: list[dict[str, Any]], cases: list[dict[str, Any]]
) -> None:
    loss = composed(events)
    charge = Fraction(max(loss.forward.lost, loss.backward.lost))
    for case in cases:
        delta = exact(case["delta"])
        if delta < loss.delta:
            assert case["delta"] < COMMON_DELTA
            with pytest.raises(InvalidArgumentError):
                loss.epsilon_at(delta)
            continue
        epsilon = loss.epsilon_at(delta)
        assert epsilon >= case.get("lower", 0)
        assert loss.least_epsilon_at(delta) <= case["upper"]
        # The charge for errors is what a delta of 1e-9 notices, and dp-accounting leaves out.
        noticed = delta if case["delta"] >= COMMON_DELTA else delta + charge
        assert loss.epsilon_at(noticed) <= case["upper"] * (1 + TOLERANCE)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=named(case["events"]))
        for case in ORACLE["losses"]
        if case["delta"] == COMMON_DELTA
        and len(case["events"]) == 1
        and case["events"][0]["times"] == 1000
    ],
)
def test_a_planted_step_down_in_each_release_is_caught(case: dict[str, Any]) -> None:
    (event,) = case["events"]
    honest = composed([event | {"times": 1}])
    down = [replace(side, lowest=side.lowest - 1) for side in (honest.forward, honest.backward)]
    planted = repeated(NumericalLoss(*down), times=event["times"])
    assert planted.epsilon_at(COMMON_DELTA) < case["lower"]


@pytest.mark.parametrize("case", ORACLE["exact_gaussian"], ids=str)
def test_a_gaussian_epsilon_is_the_exact_one_and_its_numerical_one_is_not_below(
    case: dict[str, float],
) -> None:
    loss, delta = normal(case["sigma"]), exact(case["delta"])
    assert float(loss.epsilon_at(delta)) == pytest.approx(case["epsilon"], rel=CLOSED, abs=CLOSED)
    numerical = float(to_numerical(loss).epsilon_at(delta))
    assert loss.epsilon_at(delta) <= numerical
    assert numerical <= case["epsilon"] * (1 + TOLERANCE) + CLOSED


@pytest.mark.parametrize("case", ORACLE["analytic_gaussian"], ids=str)
def test_the_least_gaussian_noise_is_as_little(case: dict[str, float]) -> None:
    sigma = float(analytic_sigma(epsilon=case["epsilon"], delta=case["delta"]))
    assert sigma == pytest.approx(case["sigma"], rel=CLOSED)


def renyi_cases(*laws: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{case['law']}-{case.get('epsilon', case.get('sigma'))}")
        for case in ORACLE["renyi"]
        if case["law"] in laws
    ]


@pytest.mark.parametrize("case", renyi_cases("gaussian", "pure"))
def test_renyi_curves_and_the_epsilons_made_of_them_are_equal(case: dict[str, Any]) -> None:
    loss = normal(case["sigma"]) if case["law"] == "gaussian" else PureLoss(case["epsilon"])
    curve = to_renyi(loss, case["orders"])
    for order, divergence in zip(case["orders"], case["divergences"], strict=True):
        assert float(curve.at(order)) == pytest.approx(divergence, rel=CLOSED)
    together = repeated(curve, times=case["times"])
    for delta, epsilon in case["epsilons"].items():
        assert float(together.epsilon_at(delta)) == pytest.approx(epsilon, rel=CLOSED)


@pytest.mark.parametrize("case", renyi_cases("laplace"))
def test_laplace_noise_diverges_less_than_the_worst_of_its_epsilon(case: dict[str, Any]) -> None:
    curve = to_renyi(PureLoss(case["epsilon"]), case["orders"])
    for order, divergence in zip(case["orders"], case["divergences"], strict=True):
        assert divergence <= float(curve.at(order)) <= case["epsilon"]
