"""MISSION rows B1-B5: every number of the lecture notes that these rows name, executed."""

import math
from fractions import Fraction

import numpy as np
import pytest

from differential_privacy.accounting import FiniteMechanism, analytic_sigma, classic_sigma
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Grid
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    Geometric,
    RandomizedResponse,
    TruncatedBeta,
)
from differential_privacy.privacy import (
    AddRemoveRows,
    ApproximateLoss,
    ChangeRows,
    GaussianLoss,
    PureLoss,
    Sensitivity,
)

ONE = Sensitivity(1)
TWO_COINS = RandomizedResponse("1/4", "1/4")


class TestB1RandomizedResponse:
    def test_t_two_coins_have_epsilon_ln_3(self) -> None:
        assert TWO_COINS.factor == 3
        assert float(TWO_COINS.loss(ONE).epsilon) == pytest.approx(math.log(3), rel=1e-11)

    def test_t_two_coins_table_of_answers(self) -> None:
        for truth in (0, 1):
            for answer in (0, 1):
                expected = Fraction(3, 4) if truth == answer else Fraction(1, 4)
                assert TWO_COINS.probability(answer, exact=truth).low == expected

    def test_t_estimator_is_twice_the_mean_less_one_half(self) -> None:
        for ones in (0, 250, 611, 1000):
            value = TWO_COINS.estimate(ones=ones, answers=1000).value
            assert value == 2 * Fraction(ones, 1000) - Fraction(1, 2)

    def test_t_variance_is_at_least_four_times_the_truthful_one(self) -> None:
        for percent in range(101):
            share = Fraction(percent, 100)
            told = share * Fraction(3, 4) + (1 - share) * Fraction(1, 4)
            truthful = share * (1 - share) / 1000
            assert TWO_COINS.variance(told, answers=1000) >= 4 * truthful

    def test_n_example_4_1_a_fair_lies_are_perfectly_private_and_worthless(self) -> None:
        fair = RandomizedResponse("1/2", "1/2")
        assert fair.loss(ONE) == PureLoss(0)
        assert fair.lies(1, ones=1, zeros=0) == fair.lies(1, ones=0, zeros=1) == Fraction(1, 2)
        with pytest.raises(InvalidArgumentError, match="tell nothing"):
            fair.estimate(ones=5, answers=10)

    def test_n_example_4_1_b_one_lie_in_four(self) -> None:
        assert TWO_COINS.lies(1, ones=1, zeros=0) == Fraction(1, 4)

    def test_n_proposition_3_2_epsilon_is_the_log_of_the_largest_ratio(self) -> None:
        p, q = Fraction(1, 10), Fraction(2, 5)
        table = {0: {0: 1 - p, 1: p}, 1: {0: q, 1: 1 - q}}
        assert RandomizedResponse(p, q).factor == FiniteMechanism(table).worst().factor

    def test_n_proposition_3_3_bounds_the_number_of_lies(self) -> None:
        uneven = RandomizedResponse("1/10", "2/5")
        for ones in range(7):
            for lies in range(7):
                exact = uneven.lies(lies, ones=ones, zeros=6 - ones)
                assert exact <= uneven.lies_bound(lies, bits=6)
        assert uneven.lies_bound(2, bits=6) == 15 * Fraction(2, 5) ** 2 * Fraction(9, 10) ** 4

    def test_b_3_1_truth_with_odds_e_to_epsilon(self) -> None:
        mechanism = RandomizedResponse.for_loss(PureLoss(1), sensitivity=ONE)
        assert float(1 - mechanism.q) == pytest.approx(math.e / (1 + math.e), rel=1e-11)
        assert float(mechanism.loss(ONE).epsilon) == pytest.approx(1, rel=1e-11)
        assert mechanism.loss(ONE).epsilon <= 1

    def test_n_3_1_more_than_two_categories(self) -> None:
        dice = CategoricalResponse(6, "1/2")
        table = {x: {y: dice.probability(y, exact=x).low for y in range(6)} for x in range(6)}
        assert FiniteMechanism(table).worst().factor == dice.factor == 5


class TestB2Laplace:
    def test_t_blue_eyes_at_one_tenth_need_scale_ten(self) -> None:
        assert Geometric.for_loss(PureLoss(0.1), sensitivity=ONE) == Geometric(10)

    def test_n_proposition_3_6_scale_kappa_over_epsilon(self) -> None:
        noise = Geometric.for_loss(PureLoss(0.5), sensitivity=Sensitivity(3))
        assert noise.scale == 6
        assert noise.loss(Sensitivity(3)) == PureLoss(0.5)

    def test_n_proposition_3_7_error_bound(self) -> None:
        bound = Geometric(10).bound(confidence=0.95, count=20)
        assert float(bound) == pytest.approx(10 * math.log(20 / 0.05), rel=1e-11)
        assert Geometric(10).error(confidence=0.95, count=20) <= math.ceil(bound)

    def test_n_example_5_1_a_ln_10_at_one_tenth(self) -> None:
        assert float(Geometric(1).bound(confidence=0.9)) == pytest.approx(math.log(10), rel=1e-11)

    def test_n_example_5_1_b_one_at_one_over_e(self) -> None:
        bound = Geometric(1).bound(confidence=Fraction(1 - 1 / math.e))
        assert float(bound) == pytest.approx(1, rel=1e-11)

    def test_b_claim_3_3_mean_squared_error_of_a_coins_bias(self) -> None:
        # p (1 - p) / n is the sample's; the noise adds its variance over n^2, below 2 / (eps n)^2.
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
            variance = Geometric.for_loss(PureLoss(epsilon), sensitivity=ONE).variance
            assert variance.high <= 2 / epsilon**2

    def test_t_noise_on_the_mean_shrinks_with_the_square_of_n(self) -> None:
        noise = Geometric(10).variance.high
        small, large = (noise / rows**2 for rows in (1000, 10_000))
        assert small / large == 100


class TestB3Geometric:
    def test_h_every_integer_is_possible_under_both_neighbors(self) -> None:
        noise = Geometric(2)
        for output in (-300, -1, 0, 1, 2, 300):
            one, other = (noise.probability(output, exact=x) for x in (0, 1))
            assert one.low > 0
            assert other.low > 0
            assert max(one.high / other.low, other.high / one.low) < Fraction(math.exp(0.5) + 1e-12)

    def test_h_mironov_floats_leak_where_integers_do_not(self) -> None:
        # The textbook's Laplace in floats: outputs that only one of two neighbors can give.
        size = (np.arange(1, 1 << 10) / (1 << 10)).astype(np.float16)
        noise = np.concatenate((np.log(size), -np.log(size)))
        one, other = (set((np.float16(x) + noise).tolist()) for x in (0, 1))
        assert one - other
        assert other - one


class TestB4Exponential:
    def test_n_proposition_3_11_and_t_rate_is_epsilon_over_twice_kappa(self) -> None:
        choice = Exponential.for_loss(PureLoss(0.1), sensitivity=Sensitivity(most=1))
        assert choice.rate == Fraction(1, 20)

    def test_n_proposition_3_12_and_t_tail_bound(self) -> None:
        choice = Exponential.for_loss(PureLoss(0.1), sensitivity=Sensitivity(most=1))
        bound = choice.bound(confidence=0.95, candidates=100)
        assert float(bound) == pytest.approx(2 / 0.1 * (math.log(100) - math.log(0.05)), rel=1e-11)
        assert choice.error(confidence=0.95, candidates=100) <= bound

    GRID = Grid(step="0.001", lower="0.1", upper="0.9")

    def test_t_bias_of_a_coin_sensitivity_is_ln_10_under_add_remove(self) -> None:
        moved = TruncatedBeta(1, grid=self.GRID).score_sensitivity(AddRemoveRows())
        assert float(moved) == pytest.approx(math.log(10), rel=1e-9)
        assert round(float(moved), 1) == 2.3

    def test_t_bias_of_a_coin_sensitivity_is_ln_9_under_change(self) -> None:
        moved = TruncatedBeta(1, grid=self.GRID).score_sensitivity(ChangeRows())
        assert float(moved) == pytest.approx(math.log(9), rel=1e-9)
        assert round(float(moved), 3) == 2.197

    def test_t_each_flip_counts_for_0_022(self) -> None:
        moved = TruncatedBeta(1, grid=self.GRID).score_sensitivity(AddRemoveRows())
        general = Exponential.for_loss(PureLoss(0.1), sensitivity=Sensitivity(most=moved))
        assert round(float(general.rate), 3) == 0.022

    def test_t_a_flip_may_count_twice_as_much_because_all_scores_move_one_way(self) -> None:
        choice = TruncatedBeta.for_loss(PureLoss(0.1), grid=self.GRID, unit=AddRemoveRows())
        assert float(choice.weight) == pytest.approx(0.1 / math.log(9), rel=1e-9)
        assert choice.loss(AddRemoveRows()) == PureLoss(0.1)

    def test_t_the_law_is_a_truncated_beta(self) -> None:
        heads, tails = 70, 30
        coarse = Grid(step="0.05", lower="0.1", upper="0.9")
        choice = TruncatedBeta.for_loss(PureLoss(0.1), grid=coarse, unit=AddRemoveRows())
        weight = float(choice.weight)
        points = [float(point) for point in choice.points]
        shape = [p ** (weight * heads) * (1 - p) ** (weight * tails) for p in points]
        for point, density in zip(choice.points, shape, strict=True):
            chance = choice.probability(point, exact=(heads, tails))
            assert float(chance.high) == pytest.approx(density / sum(shape), rel=1e-6)

    def test_t_variance_falls_as_one_over_n_against_one_over_n_squared(self) -> None:
        coarse = Grid(step="0.01", lower="0.1", upper="0.9")
        choice = TruncatedBeta.for_loss(PureLoss(0.1), grid=coarse, unit=AddRemoveRows())

        def variance(rows: int) -> float:
            chances = [
                float(choice.probability(point, exact=(rows // 2, rows // 2)).high)
                for point in choice.points
            ]
            offsets = [(float(point) - 0.5) ** 2 for point in choice.points]
            return sum(chance * offset for chance, offset in zip(chances, offsets, strict=True))

        assert variance(4_000) / variance(40_000) == pytest.approx(10, rel=0.1)
        laplace = Geometric.for_loss(PureLoss(0.1), sensitivity=ONE).variance.high
        assert float(laplace / 40_000**2) < variance(40_000) / 100


class TestB5Gaussian:
    def test_n_proposition_3_15_classic_sigma_below_epsilon_one(self) -> None:
        sigma = classic_sigma(epsilon=0.5, delta=1e-5, sensitivity=3)
        assert float(sigma) == pytest.approx(math.sqrt(2 * math.log(1.25e5)) * 3 / 0.5, rel=1e-11)
        assert GaussianLoss(9 / sigma**2).delta_at(0.5) <= Fraction(1, 10**5)

    def test_n_proposition_3_15_is_false_for_large_epsilon_and_refused(self) -> None:
        # At epsilon 10 and delta 0.1 the formula gives a sigma that is too small.
        sigma = Fraction(math.sqrt(2 * math.log(1.25 / 0.1)) / 10)
        assert GaussianLoss(1 / sigma**2).delta_at(10) > Fraction(1, 10)
        with pytest.raises(InvalidArgumentError, match="epsilon = 1: must be below 1"):
            classic_sigma(epsilon=1, delta=1e-5)

    def test_analytic_sigma_is_the_least(self) -> None:
        for epsilon in (0.1, 1, 10):
            sigma = analytic_sigma(epsilon=epsilon, delta=1e-6)
            assert GaussianLoss(1 / sigma**2).delta_at(epsilon) <= Fraction(1, 10**6)
            less = sigma * Fraction(999_999, 1_000_000)
            assert GaussianLoss(1 / less**2).delta_at(epsilon) > Fraction(1, 10**6)

    def test_n_proposition_3_16_error_bound_that_was_left_open(self) -> None:
        noise = DiscreteGaussian(400)
        bound = noise.bound(confidence=0.95, count=10)
        assert float(bound) == pytest.approx(20 * 2.807033768343811, rel=1e-9)
        assert noise.error(confidence=0.95, count=10) <= math.ceil(bound)

    def test_n_example_5_2_a_histogram_with_sigma_one_that_was_left_open(self) -> None:
        noise = DiscreteGaussian(1)
        assert noise.loss(Sensitivity(1, most=1)).rho == Fraction(1, 2)
        assert noise.error(confidence=0.9) == 2
        assert noise.delta_at(1, sensitivity=1) < Fraction(2, 10)

    def test_discrete_noise_for_one_integer_is_as_good_as_on_the_reals(self) -> None:
        noise = DiscreteGaussian.for_one_integer(ApproximateLoss(1, 1e-6), sensitivity=1)
        reals = analytic_sigma(epsilon=1, delta=1e-6) ** 2
        assert float(noise.variance / reals) == pytest.approx(1, rel=0.01)
