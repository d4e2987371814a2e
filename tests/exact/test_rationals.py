"""Law: a number means what a person wrote, or is refused by name."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import spread_rationals

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import (
    integer,
    nonnegative,
    open_probability,
    positive,
    probability,
    rational,
    shown,
    small_probability,
)


@given(st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-300))
def test_a_float_is_its_shortest_decimal(x: float) -> None:
    assert rational(x, "x") == Fraction(repr(x))
    assert float(rational(x, "x")) == x
    assert rational(np.float64(x), "x") == Fraction(repr(x))


@given(st.integers(-(10**1000), 10**1000))
def test_a_whole_number_is_itself(x: int) -> None:
    assert rational(x, "x") == x
    assert rational(str(x), "x") == x


@given(spread_rationals(100))
def test_a_fraction_is_itself_also_as_text(x: Fraction) -> None:
    assert rational(x, "x") == x
    assert rational(str(x), "x") == x
    assert rational(f" {x.numerator}/{x.denominator}\n", "x") == x


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9))
def test_a_decimal_is_itself(x: Decimal) -> None:
    if abs(x.as_tuple().exponent) <= 1000:
        assert rational(x, "x") == Fraction(x)
        assert rational(str(x), "x") == Fraction(x)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.", Fraction(1)),
        (".5", Fraction(1, 2)),
        ("+2", Fraction(2)),
        ("-1/3", Fraction(-1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        ("1E3", Fraction(1000)),
        ("-0", Fraction(0)),
    ],
)
def test_texts_that_people_write(text: str, value: Fraction) -> None:
    assert rational(text, "x") == value


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (np.int64(3), Fraction(3)),
        (np.uint8(3), Fraction(3)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.5), Fraction(1, 2)),
        (np.longdouble("0.5"), Fraction(1, 2)),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_numpy_scalars_are_numbers(value: object, meant: Fraction) -> None:
    assert rational(value, "x") == meant


BAD = [
    math.nan,
    math.inf,
    -math.inf,
    np.float64("nan"),
    True,
    False,
    np.True_,
    None,
    b"1",
    "",
    " ",
    "one",
    "1/0",
    "0/0",
    "1/-3",
    "1/2/3",
    "0x10",
    "1_000",
    "--1",
    "1 2",
    "nan",
    "inf",
    "-Infinity",
    "1e999999999",
    "1e-999999999",
    "1e99999",
    "9" * 100_000,
    "1/" + "9" * 100_000,
    "0." + "1" * 100_000,
    Decimal("NaN"),
    Decimal("sNaN"),
    Decimal("Infinity"),
    Decimal("1e999999"),
    10**2000,
    10**5000,
    Fraction(1, 10**2000),
    Fraction(1, 10**5000),
    1j,
    [1],
    (1, 2),
    {},
    object(),
    np.array([1, 2]),
    np.array([1]),
    np.array(0.5),
    np.array(["a"]),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize(
    "reader",
    [rational, positive, nonnegative, probability, open_probability, small_probability, integer],
    ids=lambda reader: reader.__name__,
)
def test_what_is_no_number_is_refused_by_argument_value_and_rule(
    reader: object, bad: object
) -> None:
    if reader is integer and type(bad) is int:
        return
    with pytest.raises(InvalidArgumentError) as refused:
        reader(bad, "epsilon")
    assert not isinstance(refused.value, PrivateArgumentError)
    assert refused.value.argument == "epsilon"
    assert str(refused.value).startswith("epsilon = ")
    assert refused.value.rule in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("reader", "inside", "outside"),
    [
        (positive, ["1e-300", 1, 5], [0, -1, "-1e-300"]),
        (nonnegative, [0, "1e-300", -0.0], [-1, "-1e-300"]),
        (probability, [0, 1, 0.5], [-1, "-1e-300", 1 + 1e-15, 2]),
        (open_probability, ["1e-300", 0.5], [0, 1, -1, 2]),
        (small_probability, [0, 0.5, "0.99999999999999999999"], [1, -1, 2]),
    ],
)
def test_each_range_has_its_ends(reader: object, inside: list, outside: list) -> None:
    for value in inside:
        assert reader(value, "x") == rational(value, "x")
    for value in outside:
        with pytest.raises(InvalidArgumentError, match="x = "):
            reader(value, "x")


def test_whole_numbers_are_at_least_their_least() -> None:
    assert integer(np.int8(3), "x", least=3) == 3
    assert type(integer(np.int8(3), "x")) is int
    for bad in (2, -1, 3.0, "3", Fraction(3), None):
        with pytest.raises(InvalidArgumentError, match="x = "):
            integer(bad, "x", least=3)


@given(spread_rationals(600))
def test_what_is_shown_reads_back(x: Fraction) -> None:
    back = eval(shown(x), {"Fraction": Fraction})  # noqa: S307
    assert rational(back, "x") == x


def test_planted_a_float_read_by_its_bits_is_found() -> None:
    assert Fraction(0.1) != Fraction("0.1") == rational(0.1, "x")
