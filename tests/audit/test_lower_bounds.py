"""Lower bounds on epsilon: what is broken is refuted, what is correct is not."""

import math
import os
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from tests.audit.mechanisms_of_dp_sniper import EPSILON, SUBJECTS, Subject, naive_laplace

from differential_privacy.audit.epsilon import LowerBound, each, epsilon
from differential_privacy.audit.features import Feature, features
from differential_privacy.audit.finite import exact_delta, exact_epsilon
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    Geometric,
    PermuteAndFlip,
    PrivateQuantile,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
)
from differential_privacy.privacy import ApproximateLoss, PureLoss, Sensitivity

FALSE_ALARM = Fraction(1, 10**6)
SURE = 1 - FALSE_ALARM
SAMPLES = int(os.environ.get("DP_DRAWS", "200000"))
SLOW = 20
ONE = Sensitivity(l1=1)


def generator(seed: int = 1) -> Any:
    return np.random.default_rng(seed)  # noqa: TID251 - the same draws in every run


def array(mechanism: Any, value: Any, size: int) -> Any:
    return mechanism.release(np.tile(np.asarray(value), (size, 1)))


HALF_TIMES = ((3, 7, 8), (1, 1, 1)), ((3, 7, 8, 9), (1, 1, 1, 1))

OURS = [
    (partial(array, Geometric(10)), (0,), (1,), PureLoss("0.1"), SAMPLES),
    (partial(array, Geometric(1)), (0, 0), (1, 2), PureLoss(3), SAMPLES),
    (partial(array, RandomizedResponse("1/4", "1/4")), (0,), (1,), PureLoss("1.1"), SAMPLES),
    (partial(array, CategoricalResponse(4, "1/2")), (0,), (1,), PureLoss("1.1"), SAMPLES),
    (each(ReportNoisyMax(2).release), (0, 5, 5), (1, 4, 4), PureLoss(1), SAMPLES // SLOW),
    (each(Exponential("1/2").release), (0, 5, 5), (1, 4, 4), PureLoss(1), SAMPLES // SLOW),
    (each(PermuteAndFlip("1/2").release), (0, 5, 5), (1, 4, 4), PureLoss(1), SAMPLES // SLOW),
    (
        each(PrivateQuantile("1/2", low=0, high=20, quantile="1/2").release),
        *HALF_TIMES,
        PureLoss("1/2"),
        SAMPLES // SLOW // 4,
    ),
    (
        each(SparseVector(threshold_scale=2, value_scale=4, positives=1).release),
        (2, 2, 2, -1),
        (3, 3, 3, -2),
        PureLoss(1),
        SAMPLES // SLOW,
    ),
]


@pytest.mark.parametrize(("mechanism", "x", "y", "claimed", "samples"), OURS)
def test_no_mechanism_of_ours_is_refuted(
    mechanism: Any, x: Any, y: Any, claimed: Any, samples: int
) -> None:
    bound = epsilon(mechanism, x, y, samples=samples, confidence=SURE, claimed=claimed)
    assert not bound.refuted, str(bound)
    assert bound.p_value is not None
    assert bound.p_value > FALSE_ALARM


def test_the_discrete_gaussian_is_not_refuted_at_its_delta_and_is_below() -> None:
    noise = DiscreteGaussian(variance=4)
    claimed = ApproximateLoss(noise.loss(ONE).epsilon_at("1e-2"), "1e-2")
    audit = partial(epsilon, partial(array, noise), (0,), (1,), samples=SAMPLES, confidence=SURE)
    assert not audit(delta="1e-2", claimed=claimed).refuted
    quarter = partial(array, DiscreteGaussian(variance=1))
    bound = epsilon(
        quarter, (0,), (1,), samples=SAMPLES, confidence=SURE, delta="1e-2", claimed=claimed
    )
    assert bound.refuted, str(bound)


HALF = [
    (partial(array, Geometric(Fraction(1, 2))), (0,), (1,), PureLoss(1), SAMPLES),
    (partial(array, Geometric(5)), (0,), (1,), PureLoss("0.1"), SAMPLES),
    (partial(array, RandomizedResponse("1/8", "1/8")), (0,), (1,), PureLoss("1.1"), SAMPLES),
    (each(ReportNoisyMax(1).release), (0, 5, 5), (1, 4, 4), PureLoss(1), 40_000),
    (
        each(PrivateQuantile(1, low=0, high=20, quantile="1/2").release),
        *HALF_TIMES,
        PureLoss("0.3"),
        10_000,
    ),
    (
        each(SparseVector(threshold_scale=3, value_scale=1, positives=1).release),
        (0, 0, 0, 1),
        (1, 1, 1, 0),
        PureLoss("7/6"),
        40_000,
    ),
]
"""Each with a half of the noise that the claim needs, or less."""


@pytest.mark.parametrize(("mechanism", "x", "y", "claimed", "samples"), HALF)
def test_half_the_noise_is_refuted(
    mechanism: Any, x: Any, y: Any, claimed: Any, samples: int
) -> None:
    bound = epsilon(mechanism, x, y, samples=samples, confidence=SURE, claimed=claimed)
    assert bound.refuted, str(bound)
    assert bound.p_value is not None
    assert bound.p_value <= FALSE_ALARM


CORRECT = [subject for subject in SUBJECTS if not subject.broken]
SOON = ("NoisyHist2", "ReportNoisyMax3", "ReportNoisyMax4", "SVT5", "SVT6", "PrefixSum")
BROKEN = [subject for subject in SUBJECTS if subject.name in SOON]


def audited(subject: Subject, samples: int) -> LowerBound:
    true = EPSILON if subject.broken or subject.true is None else subject.true
    return epsilon(
        subject.sampler(seed=7),
        subject.x,
        subject.y,
        samples=samples,
        confidence=SURE,
        claimed=PureLoss(math.nextafter(true, 9)),
    )


@pytest.mark.parametrize("subject", CORRECT, ids=lambda subject: subject.name)
def test_no_correct_mechanism_of_dp_sniper_is_refuted(subject: Subject) -> None:
    bound = audited(subject, SAMPLES // 4)
    assert not bound.refuted, str(bound)


@pytest.mark.parametrize("subject", BROKEN, ids=lambda subject: subject.name)
def test_39_wrong_sparse_vectors_and_maxima_are_refuted_by_few_draws(subject: Subject) -> None:
    bound = audited(subject, 400_000)
    assert bound.refuted, str(bound)


def test_epsilons_above_ln_100_are_found() -> None:
    """DP-Sniper's events have a chance of 0.01, so it stops there."""
    (subject,) = (subject for subject in SUBJECTS if subject.name == "NoisyHist2")
    assert audited(subject, 400_000).epsilon > 7


def test_naive_floating_point_laplace_is_refuted_by_its_bits() -> None:
    draws = generator()

    def naive(value: float, size: int) -> Any:
        return naive_laplace(value, size, draws)

    bound = epsilon(naive, 0.0, 1.0, samples=200_000, confidence=SURE, claimed=PureLoss(EPSILON))
    assert bound.refuted
    assert bound.epsilon > 5
    assert "last bit" in bound.event


DRAW = generator(3)


def sometimes(share: float, size: Any) -> Any:
    return DRAW.random(size) < share


def on_grid(numbers: Any) -> Any:
    """Numbers whose last bits tell nothing."""
    return np.rint(numbers * 256) / 256


def told_by_nan(value: int, size: int) -> Any:
    return np.where(sometimes(0.1 + 0.2 * value, size), np.nan, DRAW.normal(0, 1, size))


def told_by_infinity(value: int, size: int) -> Any:
    return np.where(sometimes(0.1 + 0.2 * value, size), -np.inf, DRAW.normal(0, 1, size))


def told_by_last_bit(value: int, size: int) -> Any:
    return (DRAW.integers(-(10**6), 10**6, size) * 2 + value) / 1024


def told_by_parity(value: int, size: int) -> Any:
    return DRAW.integers(-(10**6), 10**6, size) * 2 + value


def told_by_category(value: int, size: int) -> Any:
    names = np.array(["ache", "burn", "cold", "rare"])
    return names[np.where(sometimes(0.03 * value, size), 3, DRAW.integers(0, 3, size))]


def told_by_object(value: int, size: int) -> Any:
    kinds = np.array([None, (1, 2), {"a": value}, "text"], dtype=object)
    return kinds[DRAW.integers(0, 4, size)]


def told_by_difference(value: int, size: int) -> Any:
    base = on_grid(DRAW.normal(0, 1000, size))
    return np.stack((base, base + on_grid(DRAW.laplace(0, 1 + value, size))), axis=1)


def told_by_place(value: int, size: int) -> Any:
    rows = DRAW.normal(0, 1, (size, 3))
    rows[:, value] += 2
    return np.where(rows == rows.max(axis=1, keepdims=True), 9.0, 0.0)


def told_by_presence(value: int, size: int) -> Any:
    rows = DRAW.permuted(np.tile(np.arange(12.0), (size, 1)), axis=1)[:, :6]
    return np.where((rows == 5) & sometimes(0.5 * value, (size, 1)), 11.0, rows)


def told_by_row(value: int, size: int) -> Any:
    one, other, noise = DRAW.integers(0, 4, (3, size))
    mixed = np.where(sometimes(0.3 + 0.4 * value, size), noise, (one * other + one) % 4)
    return np.stack((one, other, mixed), axis=1)


def told_by_score(value: int, size: int) -> Any:
    return on_grid(DRAW.normal(0, 1, (size, 8)) + 0.15 * value * np.array([1, -1] * 4))


LEAKS = [
    ("is NaN", "", told_by_nan),
    ("-inf", "", told_by_infinity),
    ("last bit", "last bit", told_by_last_bit),
    ("last bit", "last bit", told_by_parity),
    ("'rare'", "", told_by_category),
    ("'a'", "", told_by_object),
    ("", " - ", told_by_difference),
    ("", "", told_by_place),
    ("number of columns equal to", "number of columns equal to", told_by_presence),
    ("the row", "the row", told_by_row),
    ("classifier", "classifier", told_by_score),
]
"""What is said of each leak, and the feature that it cannot be found without, if it is one."""

NAMES = [mechanism.__name__ for _, _, mechanism in LEAKS]


@pytest.mark.parametrize(("words", "_feature", "mechanism"), LEAKS, ids=NAMES)
def test_each_kind_of_leak_is_found_and_said(words: str, _feature: str, mechanism: Any) -> None:
    bound = epsilon(mechanism, 0, 1, samples=60_000, confidence=SURE, claimed=PureLoss("0.1"))
    assert bound.refuted, str(bound)
    assert words in bound.event, str(bound)
    still = epsilon(
        mechanism, 1, 1, samples=20_000, confidence=SURE, claimed=PureLoss(Fraction(1, 10**9))
    )
    assert not still.refuted


@pytest.mark.parametrize(
    ("feature", "mechanism"),
    [(feature, mechanism) for _, feature, mechanism in LEAKS if feature],
    ids=lambda given: getattr(given, "__name__", given),
)
def test_each_feature_is_needed(
    feature: str, mechanism: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the same leak is not found, or much less of it."""

    def others(*given: Any) -> Iterator[Feature]:
        return (kind for kind in features(*given) if feature not in kind.name)

    def nothing(*_: Any) -> Feature:
        return Feature("nothing", lambda table: np.zeros(table.shape[1]), graded=True)

    audit = partial(epsilon, mechanism, 0, 1, samples=60_000, confidence=SURE)
    whole = audit().epsilon
    module = import_module(epsilon.__module__)
    monkeypatch.setattr(module, "features", others)
    monkeypatch.setattr(module, "learned", nothing)
    assert audit().epsilon < whole * 0.9


@pytest.mark.parametrize("scale", ["1/2", "3"])
def test_the_exact_epsilon_of_the_geometric_is_enclosed(scale: str) -> None:
    noise, true = Geometric(Fraction(scale)), 1 / Fraction(scale)
    found = exact_epsilon(noise, 0, 1, range(-60, 60))
    assert found.low <= true <= found.high
    assert found.high - found.low < Fraction(1, 10**20)


def test_the_exact_epsilon_falls_with_delta_and_agrees_with_the_exact_delta() -> None:
    coins = RandomizedResponse("1/4", "1/4")
    outputs = [(0,), (1,)]
    found = exact_epsilon(coins, (0,), (1,), outputs, delta="1/10")
    left = exact_delta(coins, (0,), (1,), outputs, epsilon=found.low)
    assert abs(float(left.high) - 0.1) < 1e-15
    assert found.high < exact_epsilon(coins, (0,), (1,), outputs).low


def test_no_sampled_bound_is_above_the_exact_epsilon() -> None:
    mechanism, x, y = ReportNoisyMax(2), (0, 5, 5), (1, 4, 4)
    exact = exact_epsilon(mechanism, x, y, range(3))
    bound = epsilon(each(mechanism.release), x, y, samples=20_000, confidence=SURE)
    assert bound.epsilon <= exact.high


def test_an_output_of_one_input_alone_has_no_epsilon() -> None:
    class Sure:
        def probability(self, noisy: int, *, exact: int) -> Any:
            return Geometric(1).probability(noisy, exact=exact) * (noisy == exact)

    with pytest.raises(InvalidArgumentError, match="must be larger"):
        exact_epsilon(Sure(), 0, 1, [0, 1])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda _, size: np.zeros(size + 1),
        lambda _, size: np.zeros((size, 0)),
        lambda *_: 0.0,
        lambda *_: [],
    ],
)
def test_a_mechanism_with_the_wrong_number_of_outputs_is_named(wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="outputs along its first axis"):
        epsilon(wrong, 0, 1, samples=2000)


def test_outputs_of_another_width_on_the_other_input_are_named() -> None:
    with pytest.raises(InvalidArgumentError, match="must give as many on both"):
        epsilon(lambda value, size: np.zeros((size, value)), 1, 2, samples=2000)


def test_a_side_that_has_objects_is_told_from_one_that_has_numbers() -> None:
    def told(value: int, size: int) -> Any:
        return np.full(size, None) if value else np.zeros(size)

    assert epsilon(told, 0, 1, samples=4000, confidence=SURE).epsilon > 3


@pytest.mark.parametrize(
    ("argument", "value"),
    [("samples", 10), ("samples", 1e6), ("confidence", 1), ("delta", 1), ("delta", float("nan"))],
)
def test_bad_arguments_are_refused_by_name(argument: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=argument):
        epsilon(lambda _, size: np.zeros(size), 0, 1, **{argument: value})


def test_a_refutation_and_its_p_value_agree() -> None:
    draws = generator(5)

    def noisy(value: int, size: int) -> Any:
        return value + draws.geometric(0.2, size)

    audit = partial(epsilon, noisy, 0, 1, samples=20_000)
    for claim in ("0.001", "0.15", "0.2", "0.22", "0.5"):
        bound = audit(confidence="0.95", claimed=PureLoss(claim))
        assert bound.p_value is not None
        assert bound.refuted == (bound.p_value <= 0.05)


def test_a_bound_says_what_was_tried_and_found() -> None:
    bound = LowerBound(
        epsilon=1.5,
        delta=Fraction(0),
        confidence=Fraction("0.999"),
        event="output <= 0",
        reversed=True,
        hits=(9000, 1000),
        trials=10000,
        claimed=PureLoss(1),
        p_value=1e-9,
    )
    assert str(bound).splitlines() == [
        "epsilon is at least 1.5, confidence 0.999",
        "event: output <= 0",
        "of 10,000 draws: 9,000 on the second input, 1,000 on the first",
        "claim: PureLoss(epsilon=1): REFUTED, p-value 1e-09",
    ]
    assert bound.as_json()["refuted"] is True
    assert bound.chances == (Fraction(9, 10), Fraction(1, 10))


def exact_shares(answer: int) -> Sequence[float]:
    """Balcer and Vadhan's geometric for k = 3, n = 5, by its own law: truncated at both ends."""
    q = Fraction(8, 9)
    tail = q / (1 + q)
    shares = [(1 - q) / (1 + q) * q ** abs(z - answer) for z in range(6)]
    shares[0], shares[5] = q**answer * (1 - tail), q ** (5 - answer) * (1 - tail)
    return [float(share) for share in shares]


@pytest.mark.parametrize("answer", [1, 2])
def test_the_truncated_geometric_has_the_law_of_its_paper(answer: int) -> None:
    (subject,) = (subject for subject in SUBJECTS if subject.name == "TruncatedGeometric")
    counts = np.bincount(subject.sampler(seed=3)(answer, 10**6), minlength=6)
    shares = np.array(exact_shares(answer))
    assert shares.sum() == pytest.approx(1)
    assert np.all(np.abs(counts / 1e6 - shares) < 6 * np.sqrt(shares / 1e6))
