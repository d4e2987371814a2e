"""Law: an enclosure holds the true value, and is no wider than it says."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.exact.oracle import exactly, mp, real, spread_rationals

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Interval, exp, functions, log, normal_cdf, pi, sqrt

ULP = Fraction(1, 1 << 128)


def encloses(interval: Interval, truth: object) -> bool:
    exact = exactly(truth)
    guard = abs(exact) / 10**50
    return interval.low - guard <= exact <= interval.high + guard


def relative_width(interval: Interval) -> Fraction:
    return (interval.high - interval.low) / max(abs(interval.low), abs(interval.high))


def many_digits(digits: int) -> object:
    context = mp.clone()
    context.dps = digits
    return context


@given(spread_rationals(12).filter(lambda x: abs(x) <= 8192))
@example(Fraction(1))
@example(Fraction(-1))
@example(Fraction(1, 10**30))
@example(Fraction(-1, 10**30))
@example(Fraction(8192))
@example(Fraction(-8192))
@example(Fraction(693147180559945309417232121458, 10**30))
def test_exp_is_enclosed_within_its_relative_precision(x: Fraction) -> None:
    assert encloses(exp(x), mp.exp(real(x)))
    assert relative_width(exp(x)) <= ULP


@given(st.integers(-(2**13), 2**13))
def test_exp_is_enclosed_at_huge_exponents(x: int) -> None:
    assert encloses(exp(x), mp.exp(x))
    assert relative_width(exp(x)) <= ULP


@given(spread_rationals(600, sign=False))
@example(Fraction(1))
@example(Fraction(2))
@example(Fraction(4, 3))
@example(Fraction(2, 3))
@example(1 + Fraction(1, 10**40))
@example(1 - Fraction(1, 10**40))
@example(Fraction(10) ** 1200)
@example(Fraction(10) ** -1200)
def test_log_is_enclosed_within_its_precision(x: Fraction) -> None:
    context = many_digits(120)
    truth = context.log(context.mpf(x.numerator) / x.denominator)
    found = log(x)
    sign, man, exponent, _ = truth._mpf_
    exact = Fraction(-man if sign else man) * Fraction(2) ** exponent
    assert found.low <= exact <= found.high
    assert found.high - found.low <= ULP * max(1, abs(exact))


@given(spread_rationals(600, sign=False))
@example(Fraction(1, 3))
@example(Fraction(2))
@example(Fraction(2) * Fraction(10) ** -1200)
def test_sqrt_is_enclosed_within_its_relative_precision(x: Fraction) -> None:
    found = sqrt(x)
    assert found.low**2 <= x <= found.high**2
    assert relative_width(found) <= ULP


@given(spread_rationals(300, sign=False))
def test_sqrt_is_exact_where_it_is_rational(root: Fraction) -> None:
    assert sqrt(root**2) == Interval.of(root)


@given(st.fractions(-60, 60, max_denominator=10**6))
@example(Fraction(0))
@example(Fraction(-60))
@example(Fraction(60))
@example(Fraction(-55))
@example(Fraction(-1, 10**20))
@example(Fraction(1, 10**20))
def test_normal_tails_are_enclosed_to_full_relative_precision(x: Fraction) -> None:
    tail = exactly(mp.ncdf(-abs(real(x))))
    truth = tail if x <= 0 else 1 - tail
    found = normal_cdf(x)
    slack = min(truth, 1 - truth) / 10**50
    assert found.low - slack <= truth <= found.high + slack
    assert relative_width(found) <= ULP


@given(st.fractions(-127, -61, max_denominator=10**6))
def test_normal_tails_far_out_are_enclosed_by_the_two_densities(x: Fraction) -> None:
    found = normal_cdf(x)
    assert encloses(found, mp.ncdf(real(x)))
    assert relative_width(found) <= 1 / x**2
    assert encloses(1 - normal_cdf(-x), mp.ncdf(real(x)))


def test_normal_tails_beyond_all_use_are_bounded_from_above() -> None:
    for x in (-129, -1000, -(10**6)):
        assert normal_cdf(x).low == 0
        assert mp.ncdf(x) <= real(normal_cdf(x).high) < 1e-100


@given(spread_rationals(3), spread_rationals(3))
def test_an_interval_goes_to_an_interval_around_both_ends(one: Fraction, two: Fraction) -> None:
    low, high = sorted((one % 40, two % 40))
    inside = Interval(low, high)
    for function in (exp, normal_cdf, sqrt):
        found = function(inside)
        assert found.low <= function(low).low
        assert found.high >= function(high).high


def test_pi_is_enclosed() -> None:
    assert encloses(pi(), mp.pi)
    assert relative_width(pi()) <= ULP


@pytest.mark.parametrize("bits", [16, 53, 128, 180])
def test_precision_is_what_was_asked_for(bits: int) -> None:
    for function, truth in ((exp, mp.exp), (log, mp.log), (sqrt, mp.sqrt)):
        found = function(Fraction(7, 5), bits)
        assert encloses(found, truth(real(Fraction(7, 5))))
        assert relative_width(found) <= Fraction(4, 1 << bits)


def test_powers_too_large_to_use_are_refused_and_too_small_are_bounded() -> None:
    with pytest.raises(InvalidArgumentError, match="exponent"):
        exp(2**13 + 1)
    tiny = exp(-(2**13) - 1)
    assert tiny.low == 0
    assert exactly(mp.exp(-(2**13) - 1)) <= tiny.high


@pytest.mark.parametrize("x", [0, -1, Fraction(-1, 3)])
def test_logarithms_of_nothing_or_less_are_refused_by_name(x: Fraction) -> None:
    with pytest.raises(InvalidArgumentError, match="must be positive"):
        log(x)


def test_roots_of_negatives_are_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError):
        sqrt(Fraction(-1))


@given(spread_rationals(3), spread_rationals(3), spread_rationals(3), spread_rationals(3))
def test_arithmetic_keeps_the_true_value_inside(
    a: Fraction, b: Fraction, c: Fraction, d: Fraction
) -> None:
    one, two = Interval(min(a, b), max(a, b)), Interval(min(c, d), max(c, d))
    for x in (a, b, (a + b) / 2):
        for y in (c, d, (c + d) / 2):
            assert x + y in one + two
            assert x - y in one - two
            assert x * y in one * two
            assert -x in -one
            if two.low > 0 or two.high < 0:
                assert x / y in one / two
    if two.low <= 0 <= two.high:
        with pytest.raises(ZeroDivisionError):
            one / two


POINTS = [Fraction(n, 7) for n in range(-40, 41, 3)]


def test_planted_a_series_that_forgets_its_rest_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = functions._exp_series

    def broken(low: int, high: int, work: int) -> tuple[int, int]:
        found = original(low, high, work)[0]
        return found, found

    monkeypatch.setattr(functions, "_exp_series", broken)
    assert not all(encloses(exp(x), mp.exp(real(x))) for x in POINTS)


def test_planted_a_swap_of_floor_and_ceil_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = functions._fixed
    monkeypatch.setattr(functions, "_fixed", lambda x, work: original(x, work)[::-1])
    assert not all(encloses(exp(x), mp.exp(real(x))) for x in POINTS)


def test_planted_ln_2_from_the_wrong_side_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = functions._ln2
    monkeypatch.setattr(
        functions, "_ln2", lambda work: tuple(x + (1 << 30) for x in original(work))
    )
    assert not all(encloses(log(x), mp.log(real(x))) for x in POINTS if x > 0)


def test_planted_a_tail_without_the_lost_bits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions.math, "ceil", lambda _: -8)
    assert relative_width(normal_cdf(Fraction(-8))) > ULP
