"""Law: what is rounded goes the way its name says, and no further than it must."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.exact.oracle import spread_rationals

from differential_privacy.exact import directed, float_down, float_up, round_down, round_up

DIGITS = st.integers(1, 15)


def unit(x: Fraction, digits: int) -> Fraction:
    """The last place of so many significant digits of x, found by comparing with powers of ten."""
    power = len(str(abs(x.numerator))) - len(str(x.denominator)) - 1
    while Fraction(10) ** (power + 1) <= abs(x):
        power += 1
    return Fraction(10) ** (power - digits + 1)


def goes_up(x: Fraction) -> bool:
    return round_up(x) >= x >= round_down(x)


@given(spread_rationals(300))
@example(Fraction(0))
@example(Fraction(1))
@example(Fraction(999999999999999, 10**15))
def test_rounding_has_its_direction(x: Fraction) -> None:
    assert goes_up(x)
    assert float_down(x) <= x <= float_up(x)
    assert round_up(-x) == -round_down(x)


@given(spread_rationals(300))
def test_rounding_loses_less_than_its_last_digit(x: Fraction) -> None:
    assert round_up(x) - x < abs(x) / 10**10
    assert x - round_down(x) < abs(x) / 10**10


@given(spread_rationals(300), DIGITS)
@example(Fraction(9981, 10000), 3)
@example(Fraction(19, 10), 1)
def test_rounding_gives_the_nearest_decimal_of_so_many_digits(x: Fraction, digits: int) -> None:
    last = unit(x, digits)
    assert round_up(x, digits) == math.ceil(x / last) * last
    assert round_down(x, digits) == math.floor(x / last) * last


@given(spread_rationals(340))
@example(Fraction(1, 10))
@example(Fraction(2) ** 1024)
@example(-(Fraction(2) ** 1024))
@example(Fraction(10) ** 400)
@example(-(Fraction(10) ** 400))
@example(Fraction(1, 10**400))
@example(-Fraction(1, 10**400))
@example(Fraction(2**53 + 1))
def test_float_up_is_the_least_float_not_below_and_float_down_the_greatest_not_above(
    x: Fraction,
) -> None:
    up, down = float_up(x), float_down(x)
    assert down <= x <= up
    assert math.nextafter(up, -math.inf) < x
    assert math.nextafter(down, math.inf) > x


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_its_own_float(x: float) -> None:
    assert float_up(Fraction(x)) == x == float_down(Fraction(x))


def test_planted_a_floor_for_a_ceiling_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        ceil = staticmethod(math.floor)
        floor = staticmethod(math.floor)
        log10 = staticmethod(math.log10)

    monkeypatch.setattr(directed, "math", Wrong)
    assert not goes_up(Fraction(1, 3))


def test_planted_the_nearest_float_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    tenths = [Fraction(n, 10) for n in range(1, 10)]
    nearest = [float(x) for x in tenths]
    assert not all(y >= x for x, y in zip(tenths, nearest, strict=True))
    assert not all(y <= x for x, y in zip(tenths, nearest, strict=True))
    monkeypatch.setattr(directed, "_nearest", lambda x: math.nextafter(float(x), -math.inf))
    assert not all(math.nextafter(float_down(x), math.inf) > x for x in tenths)
