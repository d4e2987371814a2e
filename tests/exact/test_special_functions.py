"""Law: a special function in floats is as near to the truth as it says."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import gammaln, log_ndtr, ndtr, ndtri
from tests.exact.oracle import Anything, mp

from differential_privacy.exact import (
    log_factorial,
    log_normal_cdf,
    normal_quantile,
    normal_tail,
    special,
)

WHOLE = st.one_of(st.integers(0, 300), st.floats(1, 2.0**53).map(math.floor))


def tail(x: float) -> Anything:
    return mp.erfc(mp.mpf(x) / mp.sqrt(2)) / 2


def is_near(found: float, truth: Anything, *, within: float) -> bool:
    """Whether the relative error is no more than this."""
    return bool(abs(found - truth) <= abs(truth) * within)


def tail_is_near(x: float) -> bool:
    return is_near(float(normal_tail(np.array([x]))[0]), tail(x), within=(x * x + 2) * 2.0**-51)


def log_is_near(x: float) -> bool:
    return is_near(log_normal_cdf(x), mp.log(tail(-x)), within=2.0**-49)


def factorial_is_near(n: int) -> bool:
    size = n * math.log(max(n, 1)) + 1
    return bool(abs(float(log_factorial(n)) - mp.loggamma(n + 1)) <= size * 2.0**-50)


@given(st.floats(-40, 37.5))
@example(0.0)
@example(37.5)
def test_normal_tails_are_right_to_what_their_argument_is(x: float) -> None:
    assert tail_is_near(x)


def test_normal_tails_end_in_nothing_and_everything() -> None:
    found = normal_tail(np.array([-math.inf, -50.0, 50.0, math.inf]))
    assert found.tolist() == [1.0, 1.0, 0.0, 0.0]
    assert normal_tail(np.zeros((2, 3))).tolist() == [[0.5] * 3] * 2


@given(st.floats(-1e8, 0))
@example(0.0)
@example(-special.FAR)
@example(math.nextafter(-special.FAR, 0))
@example(-1e150)
def test_logarithms_of_normal_tails_are_right_to_their_last_digits(x: float) -> None:
    assert log_is_near(x)


@given(st.floats(-60, 0))
def test_logarithms_of_normal_tails_near_by_are_too(x: float) -> None:
    assert log_is_near(x)


@given(st.floats(0, 37.5))
def test_logarithms_of_nearly_one_are_as_near_as_the_tail_above(x: float) -> None:
    truth = mp.log1p(-tail(x))
    assert is_near(log_normal_cdf(x), truth, within=(x * x + 2) * 2.0**-51)


@given(st.one_of(st.floats(-1e10, math.log(0.5)), st.floats(-800, math.log(0.5))))
@example(math.log(0.5))
@example(math.log(1e-300))
@example(-1e6)
def test_quantiles_have_the_chance_that_was_asked_for(log_chance: float) -> None:
    found = normal_quantile(log_chance)
    truth = mp.log(tail(-found))
    slope = mp.npdf(found) / tail(-found)
    allowed = abs(found) * slope * 2.0**-49 + abs(log_chance) * 2.0**-52
    assert abs(truth - log_chance) <= allowed


@given(WHOLE)
@example(special.SMALL - 1)
@example(special.SMALL)
@example(10**10)
def test_factorials_are_right_to_the_size_of_their_logarithm(n: int) -> None:
    assert factorial_is_near(n)


@given(WHOLE)
@example(special.SMALL - 1)
@example(special.SMALL)
def test_what_stirling_leaves_out_is_right_to_its_last_digits(n: int) -> None:
    with mp.workdps(80):
        truth = mp.loggamma(n + 1) - (n * mp.log(n) - n if n else 0)
        error = abs(float(special.factorial_rest(np.float64(n))) - truth)
    assert error <= (2.0**-47 if n < special.SMALL else truth * 2.0**-50)


def test_scipy_says_the_same() -> None:
    x = np.linspace(-37, 37, 10_001)
    assert np.allclose(normal_tail(x), ndtr(-x), rtol=2e-12, atol=0)
    logs = [log_normal_cdf(each) for each in (x * 30).tolist()]
    assert np.allclose(logs, log_ndtr(x * 30), rtol=2e-12, atol=1e-300)
    chances = np.geomspace(1e-300, 0.49, 1000)
    quantiles = [normal_quantile(math.log(chance)) for chance in chances]
    assert np.allclose(quantiles, ndtri(chances), rtol=1e-13, atol=0)
    n = np.concatenate([np.arange(5000.0), np.geomspace(5000, 1e15, 5000).round()])
    assert np.allclose(log_factorial(n), gammaln(n + 1), rtol=1e-15, atol=1e-15)


def test_a_quantile_is_found_for_chances_that_are_no_floats() -> None:
    assert tail(-normal_quantile(-2302.6)) < mp.mpf(10) ** -999


POINTS = [Fraction(n, 7) for n in range(-400, 1, 13)]


def test_planted_a_wrong_coefficient_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (*special.STIRLING[:3], 1 / 1680, special.STIRLING[4])
    monkeypatch.setattr(special, "STIRLING", wrong)
    exact = mp.loggamma(17) - (16 * mp.log(16) - 16)
    assert not is_near(float(special.factorial_rest(np.float64(16))), exact, within=2.0**-50)


def test_planted_a_table_of_the_number_before_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(special, "SMALL_RESTS", np.roll(special.SMALL_RESTS, 1))
    assert not all(factorial_is_near(n) for n in range(20))


def test_planted_a_series_that_begins_too_near_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(log_is_near(float(x)) for x in POINTS)
    monkeypatch.setattr(special, "FAR", 6.0)
    assert not all(log_is_near(float(x)) for x in POINTS)
