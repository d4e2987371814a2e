"""Rigorous enclosures of exp, log, square roots and normal tails, in integer arithmetic.

Rule 1: every bound is rounded away from the value that it bounds, at every step.

Inside, a number is an integer count of 2**-bits: `low` is always floored, `high` always raised,
so no analysis of rounding errors is needed to see that the truth lies between.
"""

import math
from fractions import Fraction
from functools import lru_cache

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact.interval import Interval

__all__ = ["exp", "log", "normal_cdf", "pi", "sqrt"]

BITS = 128
"""Relative precision when nothing else is asked for."""

GUARD = 32
HALVINGS = 8
LARGEST_EXPONENT = 1 << 13
"""Beyond, a power of e has no use: it is larger than 10^3500, or smaller than its inverse."""
FAR_TAIL = 60


def exp(x: Interval | Fraction | int, bits: int = BITS) -> Interval:
    """Euler's number to the power x, within a relative 2**-bits when x is exact.

    >>> float(exp(1).low), float(exp(Fraction(-1, 10)).high)
    (2.718281828459045, 0.9048374180359596)
    """
    if isinstance(x, Interval):
        return Interval(exp(x.low, bits).low, exp(x.high, bits).high)
    x = Fraction(x)
    if x == 0:
        return Interval.of(1)
    least = max(LARGEST_EXPONENT, bits)
    if x < -least:
        return Interval(Fraction(0), Fraction(1, 1 << least))
    if x > LARGEST_EXPONENT:
        raise InvalidArgumentError("exponent", x, "must be at most 2**13: its power has no use")
    # x = shift * ln 2 + rest with rest in [0, 1): the series then has positive terms only.
    shift = math.floor(x * Fraction(1 << 64) / _ln2(64)[1]) - 1
    work = bits + GUARD + max(shift.bit_length(), 1)
    ln2_low, ln2_high = _ln2(work)
    scaled = _fixed(x, work)
    rest_low = scaled[0] - (shift * ln2_high if shift > 0 else shift * ln2_low)
    rest_high = scaled[1] - (shift * ln2_low if shift > 0 else shift * ln2_high)
    low, high = _exp_series(rest_low, rest_high, work)
    scale = Fraction(2) ** (shift - work)
    return Interval(low * scale, high * scale)


def log(x: Interval | Fraction | int, bits: int = BITS) -> Interval:
    """The natural logarithm of x > 0, within 2**-bits of a number near one.

    >>> float(log(3).high)
    1.0986122886681098
    """
    if isinstance(x, Interval):
        return Interval(log(x.low, bits).low, log(x.high, bits).high)
    x = Fraction(x)
    if x <= 0:
        raise InvalidArgumentError("logarithm of", x, "must be positive")
    if x == 1:
        return Interval.of(0)
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    mantissa = x / Fraction(2) ** shift
    if mantissa > Fraction(4, 3):
        mantissa, shift = mantissa / 2, shift + 1
    if mantissa < Fraction(2, 3):
        mantissa, shift = mantissa * 2, shift - 1
    work = bits + GUARD
    z = (mantissa - 1) / (mantissa + 1)
    low, high = _artanh(abs(z), work)
    if z < 0:
        low, high = -high, -low
    ln2_low, ln2_high = _ln2(work)
    low = 2 * low + (shift * ln2_low if shift > 0 else shift * ln2_high)
    high = 2 * high + (shift * ln2_high if shift > 0 else shift * ln2_low)
    return Interval(Fraction(low, 1 << work), Fraction(high, 1 << work))


def sqrt(x: Interval | Fraction | int, bits: int = BITS) -> Interval:
    """The square root of x >= 0, within a relative 2**-bits; exact where it is rational."""
    if isinstance(x, Interval):
        return Interval(sqrt(x.low, bits).low, sqrt(x.high, bits).high)
    x = Fraction(x)
    if x < 0:
        raise InvalidArgumentError("root of", x, "must not be negative")
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Interval.of(Fraction(top, bottom))
    work = bits + 2 + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    root = math.isqrt(math.floor(x * (1 << 2 * work)))
    return Interval(Fraction(root, 1 << work), Fraction(root + 1, 1 << work))


def normal_cdf(x: Interval | Fraction | int, bits: int = BITS) -> Interval:
    """The probability that a standard normal is at most x, small tails to full relative precision.

    Theorem: for t > 0 the probability of (0, t) is the density at t times the sum of
    t^(2n+1) / (1 3 5 ... (2n+1)); beyond t = 60 the tail lies from t/(1+t^2) to 1/t densities.

    >>> float(normal_cdf(Fraction(-3)).high)
    0.0013498980316300946
    """
    if isinstance(x, Interval):
        return Interval(normal_cdf(x.low, bits).low, normal_cdf(x.high, bits).high)
    x = Fraction(x)
    tail = _normal_tail(abs(x), bits)
    return tail if x <= 0 else 1 - tail


def _normal_tail(t: Fraction, bits: int) -> Interval:
    if t == 0:
        return Interval.of(Fraction(1, 2))
    lost = math.ceil(t * t) + 8 if t <= FAR_TAIL else 0
    work = bits + lost + GUARD
    density = exp(-t * t / 2, work) / sqrt(2 * pi(work), work)
    if t > FAR_TAIL:
        return Interval(density.low * t / (1 + t * t), density.high / t)
    one = 1 << work
    low, high = _fixed(t, work)
    square_low, square_high = _fixed(t * t, work)
    total_low, total_high, term_low, term_high, odd = low, high, low, high, 1
    while term_high > 1 or odd < 2 * t * t:
        odd += 2
        term_low = (term_low * square_low >> work) // odd
        term_high = _up_shift(term_high * square_high, work) // odd + 1
        total_low += term_low
        total_high += term_high
    # Once odd exceeds twice t squared the terms at least halve, so the rest is below the last one.
    series = Interval(Fraction(total_low, one), Fraction(total_high + term_high, one))
    return Fraction(1, 2) - density * series


def _exp_series(rest_low: int, rest_high: int, work: int) -> tuple[int, int]:
    """Bounds of exp(rest), rest in [0, 2): Taylor's series of rest / 2**HALVINGS, squared back."""
    inner = work + 2 * HALVINGS
    x_low, x_high = rest_low << HALVINGS, (rest_high << HALVINGS) + 1
    low = high = term_low = term_high = 1 << inner
    order = 0
    while term_high > 1:
        order += 1
        term_low = (term_low * x_low >> inner) // order
        term_high = _up_shift(term_high * x_high, inner) // order + 1
        low += term_low
        high += term_high
    high += term_high
    for _ in range(HALVINGS):
        low = low * low >> inner
        high = _up_shift(high * high, inner)
    return low >> 2 * HALVINGS, _up_shift(high, 2 * HALVINGS)


def _artanh(z: Fraction, work: int) -> tuple[int, int]:
    """Bounds of artanh(z) for z in [0, 1/3], in units of 2**-work."""
    low, high = _fixed(z, work)
    square_low, square_high = _fixed(z * z, work)
    total_low, total_high, odd = low, high, 1
    while high > 1:
        odd += 2
        low = low * square_low >> work
        high = _up_shift(high * square_high, work)
        total_low += low // odd
        total_high += high // odd + 1
    return total_low, total_high + 1


@lru_cache(maxsize=256)
def _ln2(work: int) -> tuple[int, int]:
    low, high = _artanh(Fraction(1, 3), work)
    return 2 * low, 2 * high


@lru_cache(maxsize=64)
def pi(bits: int = BITS) -> Interval:
    """Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    return 16 * _arctan_of_inverse(5, bits + GUARD) - 4 * _arctan_of_inverse(239, bits + GUARD)


def _arctan_of_inverse(n: int, work: int) -> Interval:
    """An alternating series: the error is below the first term left out, plus one unit a term."""
    power, total, odd, sign = (1 << work) // n, (1 << work) // n, 1, 1
    while power:
        power //= n * n
        odd += 2
        sign = -sign
        total += sign * (power // odd)
    slack = odd + 2
    return Interval(Fraction(total - slack, 1 << work), Fraction(total + slack, 1 << work))


def _fixed(x: Fraction, work: int) -> tuple[int, int]:
    scaled = x.numerator << work
    return scaled // x.denominator, -(-scaled // x.denominator)


def _up_shift(value: int, by: int) -> int:
    return -(-value >> by)
