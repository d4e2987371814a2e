"""Law: binomial masses and tails in floats are as near to the truth as they say, for all trials."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.special import betainc, betaincinv
from tests.exact.oracle import Anything, binomial_upper, mp

from differential_privacy.exact import binomial_mass, binomial_tail, binomials, odds_of_tail

RIGHT = 2.0**-38
LEAST = 1e-300
FEW = st.integers(1, 80)
MANY = st.floats(1, math.log(1e10)).map(lambda x: math.floor(math.exp(x)))
DEVIATIONS = st.floats(1.5, 37)
"""Where the continued fraction is quick, and beyond what is ever summed."""

SHARES = st.one_of(st.just(0.5), st.floats(1e-9, 0.999))
SIDES = st.one_of(
    st.sampled_from([0.5, 0.4999, 0.025, 1e-17, 1e-300]), st.floats(-690, -0.7).map(math.exp)
)


def masses(trials: int, share: float) -> list[Anything]:
    """The binomial law, in sixty digits."""
    hit, miss = mp.mpf(share), 1 - mp.mpf(share)
    return [mp.binomial(trials, k) * hit**k * miss ** (trials - k) for k in range(trials + 1)]


def allowed(trials: int, share: float) -> float:
    return RIGHT + (0.0 if share == 0.5 else 2.0**-46 * math.sqrt(trials))


def is_near(found: float, truth: Anything, *, within: float) -> bool:
    """Whether it is as near as it must be, where there are floats to say so."""
    return bool(abs(found - truth) <= truth * within) if truth > LEAST else bool(found <= 2 * LEAST)


def tail(least: int, trials: int, share: float) -> float:
    return float(binomial_tail(np.array([float(least)]), trials, share)[0])


def tail_is_near(least: int, trials: int) -> bool:
    return is_near(tail(least, trials, 0.5), binomial_upper(least, trials, 1), within=RIGHT)


@given(FEW, SHARES)
@example(1, 0.5)
@example(2, 1e-9)
def test_few_trials_have_the_masses_and_tails_of_the_sum(trials: int, share: float) -> None:
    law, hits = masses(trials, share), np.arange(-2.0, trials + 4)
    found = binomial_mass(hits, trials, share), binomial_tail(hits, trials, share)
    for place, mass, upper in zip(hits.astype(int).tolist(), *found, strict=True):
        here = law[place] if 0 <= place <= trials else mp.mpf(0)
        assert is_near(mass, here, within=allowed(trials, share))
        assert is_near(upper, mp.fsum(law[max(place, 0) :]), within=allowed(trials, share))


@given(MANY, DEVIATIONS, SHARES)
@example(10**10, 6.0, 0.5)
@example(10**10, 37.0, 0.37)
@example(10**10, 3.0, 0.999)
def test_any_number_of_trials_has_the_tail_of_the_continued_fraction(
    trials: int, deviations: float, share: float
) -> None:
    spread = deviations * math.sqrt(trials * share * (1 - share))
    least = min(trials, math.ceil(trials * share + spread) + 1)
    odds = mp.mpf(share) / (1 - mp.mpf(share))
    truth = binomial_upper(least, trials, odds)
    assert is_near(tail(least, trials, share), truth, within=allowed(trials, share))


@given(MANY, DEVIATIONS, SHARES)
@example(10**10, 3.0, 0.999)
def test_a_tail_that_is_nearly_all_is_right_to_what_it_lacks(
    trials: int, deviations: float, share: float
) -> None:
    spread = deviations * math.sqrt(trials * share * (1 - share))
    least = max(1, math.floor(trials * share - spread) - 1)
    lacks = binomial_upper(trials - least + 1, trials, (1 - mp.mpf(share)) / share)
    error = abs(tail(least, trials, share) - (1 - lacks))
    assert error <= 2.0**-53 + lacks * allowed(trials, share)


@given(MANY, st.floats(-8, 8))
@example(10**10, 0.0)
def test_near_the_middle_of_fair_coins_scipy_says_the_same(trials: int, deviations: float) -> None:
    least = trials / 2 + deviations * math.sqrt(trials) / 2
    k = min(trials, max(1, round(least)))
    # Of so many trials scipy is right to ten digits.
    assert math.isclose(tail(k, trials, 0.5), betainc(k, trials - k + 1, 0.5), rel_tol=1e-9)


@given(MANY, st.floats(-37, 37), SHARES)
def test_masses_are_those_of_sixty_digits(trials: int, deviations: float, share: float) -> None:
    spread = deviations * math.sqrt(trials * share * (1 - share))
    hits = min(trials, max(0, round(trials * share + spread)))
    exact = mp.loggamma(trials + 1) - mp.loggamma(hits + 1) - mp.loggamma(trials - hits + 1)
    exact += hits * mp.log(share) + (trials - hits) * mp.log1p(-mp.mpf(share))
    found = float(binomial_mass(np.array([float(hits)]), trials, share)[0])
    assert is_near(found, mp.exp(exact), within=allowed(trials, share))


def test_trials_are_one_for_all_or_one_for_each() -> None:
    least, trials = np.array([0.0, 0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0, 3.0])
    assert binomial_tail(least, trials, 0.5).tolist() == pytest.approx([1, 1, 0.5, 0.5], rel=1e-15)
    assert binomial_mass(least, trials, 0.5).tolist() == pytest.approx([1, 0.5, 0.5, 0.375])


def has_the_tail(odds: float, least: int, trials: int, side: float) -> bool:
    """Whether the odds are right: a little less has too small a tail, a little more too large."""
    less, more = (mp.mpf(odds) * (1 - RIGHT), mp.mpf(odds) * (1 + RIGHT))
    return bool(binomial_upper(least, trials, less) <= side <= binomial_upper(least, trials, more))


@given(st.integers(1, 300), st.data(), SIDES)
def test_odds_have_the_tail_that_was_asked_for(
    trials: int, data: st.DataObject, side: float
) -> None:
    least = data.draw(st.integers(1, trials))
    odds = odds_of_tail(least, trials, side)
    assume(odds > 0)
    assert has_the_tail(odds, least, trials, side)


@given(
    size=st.floats(1, 40),
    share=st.floats(0, 1),
    mirrored=st.booleans(),
    side=st.floats(-690, -4).map(math.exp),
)
@example(size=math.log(1e17), share=0.5, mirrored=False, side=0.005)
@example(size=40.0, share=1.0, mirrored=False, side=1e-17)
def test_odds_have_their_tail_for_any_number_of_trials(
    *, size: float, share: float, mirrored: bool, side: float
) -> None:
    trials = math.floor(math.exp(size))
    least = max(1, min(trials, math.floor(math.exp(size * share))))
    least = trials - least + 1 if mirrored else least
    odds = odds_of_tail(least, trials, side)
    assume(odds > 0)
    assert has_the_tail(odds, least, trials, side)


def test_odds_are_those_of_scipy() -> None:
    for least, trials, side in ((1, 1, 0.3), (5, 10, 0.025), (990, 1000, 0.001), (3, 10**6, 0.4)):
        odds = odds_of_tail(least, trials, side)
        found = betaincinv(least, trials - least + 1, side)
        assert odds / (1 + odds) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("trials", [1, 2, 100, 10**17, 10**300])
@pytest.mark.parametrize("side", [0.0, 5e-324, 1e-310, 1e-300, 0.5])
def test_odds_of_any_size_are_found_or_none(trials: int, side: float) -> None:
    for least in (1, (trials + 1) // 2, trials):
        odds = odds_of_tail(least, trials, side)
        assert 0 <= odds < math.inf
        if trials == 1:
            assert odds == pytest.approx(side / (1 - side) if side > LEAST else 0.0, rel=1e-12)


def test_planted_a_rule_of_too_few_places_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(least, trials) for trials in (9, 100, 10**4) for least in (trials // 2 + 1, trials)]
    assert all(tail_is_near(*row) for row in rows)
    places, weights = np.polynomial.legendre.leggauss(12)
    monkeypatch.setattr(binomials, "_gauss", lambda: ((places + 1) / 2, weights / 2))
    assert not all(tail_is_near(*row) for row in rows)


def test_planted_an_integral_that_is_cut_off_early_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert all(tail_is_near(least, 100) for least in range(51, 101))
    monkeypatch.setattr(binomials, "CUT", 18.0)
    assert not all(tail_is_near(least, 100) for least in range(51, 101))


def test_planted_a_logarithm_that_cancels_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binomials, "_left_by_log", lambda x, ratio: x - np.log(ratio))
    rows = [(Fraction(trials, 2) + 2 * math.isqrt(trials), trials) for trials in (10**8, 10**10)]
    assert not all(tail_is_near(int(least), trials) for least, trials in rows)
