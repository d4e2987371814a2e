"""What a hostile reviewer broke once: each attack stays, with the truth that it was held to."""

import copy
import math
import pickle
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from differential_privacy.accounting import (
    Filter,
    laplace_loss,
    optimal,
    repeated,
    sampled_gaussian_loss,
    shuffled,
    to_concentrated,
    to_numerical,
)
from differential_privacy.errors import DifferentialPrivacyError, PrivateArgumentError
from differential_privacy.exact import Grid
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Geometric,
    OnGrid,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
)
from differential_privacy.privacy import ConcentratedLoss, GaussianLoss, PureLoss, Sensitivity
from differential_privacy.sampling import exponential_choice
from differential_privacy.sampling.keystream import Keystream


def shuffled_delta(local: int, epsilon: Fraction) -> mp.mpf:
    """Two people: the pair of the clones' theorem, summed to 60 digits."""
    with mp.workdps(60):
        odds, share = mp.e ** (mp.mpf(epsilon.numerator) / epsilon.denominator), mp.e**-local
        truth = 1 / (1 + mp.e**-local)
        mine = {(1, 0): truth, (0, 1): 1 - truth}
        one: dict[tuple[int, int], mp.mpf] = {}
        two: dict[tuple[int, int], mp.mpf] = {}
        clones = {(0, 0): 1 - share, (1, 0): share / 2, (0, 1): share / 2}
        for (a, b), chance in clones.items():
            for (c, d), kept in mine.items():
                one[a + c, b + d] = one.get((a + c, b + d), mp.mpf(0)) + chance * kept
                two[a + d, b + c] = two.get((a + d, b + c), mp.mpf(0)) + chance * kept
        return sum(max(mp.mpf(0), one[at] - odds * two[at]) for at in one)


@pytest.mark.parametrize("local", [5, 14, 20, 25, 30])
def test_shuffling_of_weakly_private_messages_is_not_below_the_truth(local: int) -> None:
    told = shuffled(PureLoss(local), people=2, delta=1e-8)
    assert shuffled_delta(local, told.epsilon) <= mp.mpf("1e-8")


def test_shuffling_among_a_million_is_not_below_the_truth() -> None:
    # At epsilon 0 the delta is tanh(1/2) E[C(C, C/2) 2^-C]: 6.07910020641e-4.
    assert shuffled(PureLoss(1), people=10**6, delta="6.0791001e-4").epsilon > 0


@pytest.mark.parametrize(("doublings", "delta"), [(30, "0.5"), (30, "1e-6"), (32, "0.3")])
def test_a_lower_estimate_stays_below_the_truth_over_a_billion_releases(
    doublings: int, delta: str
) -> None:
    times = 2**doublings
    loss = repeated(to_numerical(GaussianLoss("1e-8")), times=times)
    exact = GaussianLoss(times * Fraction(1, 10**8)).epsilon_at(delta)
    assert loss.least_epsilon_at(delta) <= exact <= loss.epsilon_at(delta)


@pytest.mark.parametrize(("scale", "digits"), [(3, 15), (3, 18), (2, 15), (2, 18), (3, 25)])
def test_the_error_of_noisy_max_holds_at_any_confidence(scale: int, digits: int) -> None:
    miss = Fraction(1, 10**digits)
    gap = ReportNoisyMax(scale).error(1 - miss, candidates=2) + 1
    with mp.workdps(60):
        q = mp.e ** (-mp.mpf(1) / scale)

        def at_least(k: int) -> mp.mpf:
            return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)

        wrong = sum((1 - q) / (1 + q) * q ** abs(z) * at_least(z + gap) for z in range(-400, 401))
        assert wrong <= mp.mpf(miss.numerator) / miss.denominator


def test_an_array_on_a_grid_pays_for_each_of_its_roundings() -> None:
    grid = Grid(step=1, lower=0, upper=100)
    ten = OnGrid(Geometric(10), grid, count=10)
    moved = int(np.abs(grid.index([0.51] * 10) - grid.index([0.49] * 10)).sum())
    assert moved == 10
    assert ten.loss(Sensitivity("0.2")).epsilon >= Fraction(moved, 10)
    with pytest.raises(PrivateArgumentError, match="count = 1"):
        OnGrid(Geometric(10), grid).release([0.5] * 10)


def test_an_interval_for_a_share_keeps_the_finest_confidence() -> None:
    sure = 1 - Fraction(1, 10**17)
    estimate = RandomizedResponse("1/4", "1/4").estimate(ones=620, answers=1000, confidence=sure)
    low = estimate.low / 2 + Fraction(1, 4)
    with mp.workdps(40):
        p = mp.mpf(low.numerator) / low.denominator
        tail = mp.betainc(620, 381, 0, p, regularized=True)
    assert tail <= mp.mpf("0.5e-17")


@pytest.mark.parametrize("ones", [0, 10])
def test_no_estimate_from_noisy_answers_is_without_variance(ones: int) -> None:
    assert RandomizedResponse("1/4", "1/4").estimate(ones=ones, answers=10).variance > 0
    counts = [ones, 10 - ones]
    assert min(one.variance for one in CategoricalResponse(2, "3/4").estimate(counts)) > 0


def test_an_interrupted_renewal_hands_out_no_empty_bits() -> None:
    stream = Keystream()
    stream.octets(300)
    stream._block = np.empty(0, np.uint8)
    with pytest.raises(RuntimeError, match="draw again"):
        stream._slice(16)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_run_that_was_paid_once_is_not_copied(duplicate: Callable[[object], object]) -> None:
    run = SparseVector(threshold_scale=1, value_scale=1, positives=1).open(0)
    with pytest.raises(TypeError, match="never copied"):
        duplicate(run)


def test_a_refused_score_is_not_in_the_error_nor_behind_it() -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        exponential_choice([3.7], 1)  # type: ignore[list-item]
    assert refused.value.__context__ is None
    assert "3.7" not in str(refused.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Filter(PureLoss(1), PureLoss(5)),
        lambda: Filter(laplace_loss(1), laplace_loss(1)),
        lambda: to_concentrated(10**5000),  # type: ignore[arg-type]
        lambda: optimal(ConcentratedLoss(1), times=2, delta=0.1),  # type: ignore[arg-type]
        lambda: optimal(PureLoss("1e-7"), times=10**12, delta=1e-6),
    ],
)
def test_what_has_no_answer_is_refused_on_purpose(ask: Callable[[], object]) -> None:
    with pytest.raises(DifferentialPrivacyError):
        ask()


def test_public_parameters_of_any_size_end() -> None:
    tiny = 1 - Fraction(1, 10**50)
    assert Geometric(1).error(tiny) == math.ceil(50 * math.log(10) - math.log((1 + math.e) / 2))
    assert DiscreteGaussian(1).error(tiny) in (14, 15)
    assert sampled_gaussian_loss("0.5", "1e-7").epsilon_at("1e-6") >= 0
    assert shuffled(PureLoss(1), people=10**18, delta=1e-6).epsilon < Fraction(1, 1000)
    assert repeated(PureLoss(0), times=2**2000) == PureLoss(0)
    assert ConcentratedLoss(1).delta_at("1e400") < Fraction(1, 10**1000)
    assert DiscreteGaussian(1).delta_at("1e320", sensitivity=1) < Fraction(1, 10**100)
    assert Geometric("1e320").variance.low > 10**640
    assert ReportNoisyMax("1e320").error("0.95", candidates=2) > 10**320


def test_a_loss_near_nothing_still_has_its_lies() -> None:
    response = CategoricalResponse.for_loss(PureLoss("1.5e-14"), categories=3)
    assert response.loss(Sensitivity(1)).within(PureLoss("1.5e-14"))
