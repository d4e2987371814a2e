"""Estimators of randomized response: unbiased, of the variance they state, and they cover.

Everything is summed over the exact law of the answers; nothing is simulated.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import binomial_upper, mp, real

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.mechanisms import CategoricalResponse, RandomizedResponse
from differential_privacy.mechanisms.estimate import share_interval
from differential_privacy.privacy import PureLoss, Sensitivity

TWO_COINS = RandomizedResponse("1/4", "1/4")
RESPONSES = [
    TWO_COINS,
    RandomizedResponse("1/10", "1/3"),
    RandomizedResponse("1/3", "1/100"),
    RandomizedResponse("4/5", "3/4"),
]
SHARES = [Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1)]


def binomial(n: int, chance: Fraction) -> list[Fraction]:
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def answers_of(response: RandomizedResponse, *, ones: int, zeros: int) -> list[Fraction]:
    """How likely each number of affirmative answers is when so many are truly one and zero."""
    mine, theirs = binomial(ones, 1 - response.q), binomial(zeros, response.p)
    law = [Fraction(0)] * (ones + zeros + 1)
    for one, chance in enumerate(mine):
        for other, chance_of_other in enumerate(theirs):
            law[one + other] += chance * chance_of_other
    return law


def chance_of_one(response: RandomizedResponse, share: Fraction) -> Fraction:
    return response.p + (1 - response.p - response.q) * share


def assert_unbiased(
    response: RandomizedResponse, estimate: Callable[[int, int], Fraction], n: int = 12
) -> None:
    for ones in range(0, n + 1, 3):
        law = answers_of(response, ones=ones, zeros=n - ones)
        mean = sum(chance * estimate(told, n) for told, chance in enumerate(law))
        assert mean == Fraction(ones, n)


@pytest.mark.parametrize("response", RESPONSES, ids=repr)
def test_the_estimate_is_unbiased(response: RandomizedResponse) -> None:
    assert_unbiased(response, lambda ones, n: response.estimate(ones=ones, answers=n).value)


@pytest.mark.parametrize("response", RESPONSES, ids=repr)
def test_an_estimate_that_forgets_the_lies_is_caught(response: RandomizedResponse) -> None:
    with pytest.raises(AssertionError):
        assert_unbiased(response, Fraction)


@pytest.mark.parametrize("response", RESPONSES, ids=repr)
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_the_variance_is_that_of_a_sample_of_many(
    response: RandomizedResponse, share: Fraction
) -> None:
    n, chance = 12, chance_of_one(response, share)
    law = binomial(n, chance)
    values = [response.estimate(ones=told, answers=n).value for told in range(n + 1)]
    mean = sum(p * value for p, value in zip(law, values, strict=True))
    square = sum(p * (value - mean) ** 2 for p, value in zip(law, values, strict=True))
    assert mean == share
    assert square == response.variance(chance, answers=n)


def assert_covers(response: RandomizedResponse, n: int, confidence: str, *, sample: bool) -> None:
    """In a sample of many, or for so many people of whom some are truly ones."""
    sure = Fraction(confidence)
    bars = [response.estimate(ones=told, answers=n, confidence=sure) for told in range(n + 1)]
    for ones in range(n + 1):
        share = Fraction(ones, n)
        law = (
            binomial(n, chance_of_one(response, share))
            if sample
            else answers_of(response, ones=ones, zeros=n - ones)
        )
        held = sum(
            chance for chance, bar in zip(law, bars, strict=True) if bar.low <= share <= bar.high
        )
        assert held >= sure, (share, float(held))


@pytest.mark.parametrize("response", RESPONSES, ids=repr)
@pytest.mark.parametrize("n", [1, 2, 9, 30])
@pytest.mark.parametrize("confidence", ["0.5", "0.8", "0.95", "0.999"])
@pytest.mark.parametrize("sample", [True, False])
def test_intervals_hold_the_true_share_at_their_confidence(
    response: RandomizedResponse, n: int, confidence: str, *, sample: bool
) -> None:
    assert_covers(response, n, confidence, sample=sample)


def test_intervals_that_are_too_short_are_caught() -> None:
    class Hasty(RandomizedResponse):
        def estimate(self, **asked: Any) -> Any:
            return RandomizedResponse(self.p, self.q).estimate(**asked | {"confidence": "0.8"})

    with pytest.raises(AssertionError):
        assert_covers(Hasty("1/4", "1/4"), 30, "0.95", sample=True)


@given(trials=st.integers(1, 60), data=st.data())
def test_the_ends_of_an_interval_leave_each_half_of_the_miss(
    trials: int, data: st.DataObject
) -> None:
    hits = data.draw(st.integers(0, trials))
    confidence = data.draw(
        st.sampled_from([Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000)])
    )
    low, high = share_interval(hits, trials, confidence)
    side = (1 - confidence) / 2
    for end, extreme in ((low, range(hits, trials + 1)), (high, range(hits + 1))):
        if 0 < end < 1:
            law = binomial(trials, end)
            left = sum(law[count] for count in extreme)
            assert side * (1 - Fraction(1, 10**4)) <= left <= side


@given(
    size=st.floats(3, 36), share=st.floats(0, 1), side=st.sampled_from(["0.005", "1e-9", "1e-17"])
)
def test_the_ends_of_an_interval_hold_for_any_number_of_trials(
    size: float, share: float, side: str
) -> None:
    trials = math.floor(math.exp(size))
    hits = min(trials - 1, math.floor(math.exp(size * share)))
    low, high = (real(end) for end in share_interval(hits, trials, 1 - 2 * Fraction(side)))
    wanted = real(Fraction(side))
    # What came up is as likely as asked for between an end and two billionths inside of it.
    for least, odds in ((hits, low / (1 - low)), (trials - hits, (1 - high) / high)):
        more = odds * (1 + 2 * mp.mpf(10) ** -9)
        assert binomial_upper(least, trials, odds) <= wanted < binomial_upper(least, trials, more)


def test_an_estimate_is_inside_its_interval_unless_it_is_no_share() -> None:
    for told in range(31):
        bar = TWO_COINS.estimate(ones=told, answers=30)
        assert 0 <= bar.low <= bar.high <= 1
        assert bar.low <= min(max(bar.value, Fraction(0)), Fraction(1)) <= bar.high


# The numbers of the seeds.


def test_b1_two_coins_have_a_loss_of_ln_3() -> None:
    loss = TWO_COINS.loss(Sensitivity(l1=1)).epsilon
    assert float(loss) == pytest.approx(1.0986122886681098, abs=1e-11)
    assert TWO_COINS.factor == 3


def test_b1_fair_coins_have_a_loss_of_0() -> None:
    assert RandomizedResponse("1/2", "1/2").loss(Sensitivity(l1=1)) == PureLoss(0)


@given(ones=st.integers(0, 500))
def test_b1_two_coins_are_estimated_by_twice_the_mean_less_a_half(ones: int) -> None:
    mean = Fraction(ones, 500)
    assert TWO_COINS.estimate(ones=ones, answers=500).value == 2 * mean - Fraction(1, 2)


@given(share=st.fractions(0, 1, max_denominator=1000), n=st.integers(1, 1000))
def test_b1_two_coins_have_at_least_four_times_the_variance_of_truth(
    share: Fraction, n: int
) -> None:
    truthful = share * (1 - share) / n
    assert TWO_COINS.variance(chance_of_one(TWO_COINS, share), answers=n) >= 4 * truthful


@given(
    lie=st.fractions(Fraction(1, 100), Fraction(49, 100), max_denominator=100),
    share=st.fractions(0, 1, max_denominator=100),
)
def test_equal_lies_multiply_the_variance_by_the_square_of_the_slope(
    lie: Fraction, share: Fraction
) -> None:
    response = RandomizedResponse(lie, lie)
    chance = chance_of_one(response, share)
    assert response.variance(chance, answers=1) >= share * (1 - share) / (1 - 2 * lie) ** 2


@pytest.mark.parametrize("bits", [(0,), (1, 0, 1), (1, 1, 0, 0, 1)], ids=str)
@pytest.mark.parametrize("response", RESPONSES, ids=repr)
def test_n33_the_chance_of_so_many_lies_is_exact_and_within_its_bound(
    response: RandomizedResponse, bits: tuple[int, ...]
) -> None:
    k, ones = len(bits), sum(bits)
    turned = [Fraction(0)] * (k + 1)
    for answers in product((0, 1), repeat=k):
        lies = sum(a != b for a, b in zip(answers, bits, strict=True))
        turned[lies] += response.probability(answers, exact=bits).low
    for count in range(k + 1):
        assert response.lies(count, ones=ones, zeros=k - ones) == turned[count]
        most = max(response.p, response.q) ** count
        rest = max(1 - response.p, 1 - response.q) ** (k - count)
        assert response.lies_bound(count, bits=k) == comb(k, count) * most * rest
        assert turned[count] <= response.lies_bound(count, bits=k)


def test_n33_the_bound_is_reached_by_equal_lies() -> None:
    for count in range(6):
        assert TWO_COINS.lies(count, ones=3, zeros=2) == TWO_COINS.lies_bound(count, bits=5)


# More than two answers.


@pytest.mark.parametrize("truth", ["1/2", "0.9", "0.05"])
def test_the_estimates_of_categories_are_unbiased_and_add_up_to_one(truth: str) -> None:
    response = CategoricalResponse(3, truth)
    exact, shares = (0, 0, 1, 2), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    means = [Fraction(0)] * 3
    for answers in product(range(3), repeat=4):
        chance = response.probability(answers, exact=exact).low
        told = response.estimate([answers.count(c) for c in range(3)])
        assert sum(one.value for one in told) == 1
        means = [mean + chance * one.value for mean, one in zip(means, told, strict=True)]
    assert tuple(means) == shares


@pytest.mark.parametrize("truth", ["1/2", "0.9", "0.05"])
@pytest.mark.parametrize("confidence", ["0.8", "0.99"])
def test_the_intervals_of_a_category_cover(truth: str, confidence: str) -> None:
    response, n, sure = CategoricalResponse(4, truth), 20, Fraction(confidence)
    slope = response.truth - response.each_lie
    bars = [response.estimate([told, n - told, 0, 0], confidence=sure)[0] for told in range(n + 1)]
    for ones in range(n + 1):
        share = Fraction(ones, n)
        law = binomial(n, response.each_lie + slope * share)
        held = sum(
            chance for chance, bar in zip(law, bars, strict=True) if bar.low <= share <= bar.high
        )
        assert held >= sure


def test_answers_that_tell_nothing_are_not_estimated() -> None:
    with pytest.raises(InvalidArgumentError, match="tell nothing"):
        RandomizedResponse("1/2", "1/2").estimate(ones=1, answers=2)
    with pytest.raises(InvalidArgumentError, match="tell nothing"):
        CategoricalResponse(4, "1/4").estimate([1, 2, 3, 4])
