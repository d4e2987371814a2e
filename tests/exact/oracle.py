"""Sixty decimal digits: what the laws of `exact`, `privacy` and `accounting` are judged by."""

from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

Anything = Any
"""A number of sixty digits, or any loss: tests ask what it says, not what it is."""

mp = mpmath.mp.clone()
mp.dps = 60

CLOSE = Fraction(1, 10**9)
"""What is called reached: a relative 1e-9."""


def real(x: Fraction | int) -> Anything:
    """A rational as sixty digits."""
    x = Fraction(x)
    return mp.mpf(x.numerator) / x.denominator


def exactly(x: Anything) -> Fraction:
    """Sixty digits as the rational that they are."""
    sign, mantissa, exponent, _ = mp.mpf(x)._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def bounds(claimed: Fraction, truth: Anything, *, within: Fraction = CLOSE) -> bool:
    """Whether the claim is not below the truth (at fifty digits) and reaches it."""
    exact = exactly(truth)
    guard = abs(exact) / 10**50
    return exact - guard <= claimed <= exact + abs(exact) * within + Fraction(1, 10**40)


def gaussian_delta(mu: Anything, epsilon: Anything) -> Anything:
    """The hockey stick of two normals: chance above the crossing, less e^epsilon the other's."""
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def hockey(
    mine: dict[Anything, Fraction], theirs: dict[Anything, Fraction], epsilon: Fraction
) -> Anything:
    """The hockey stick of two finite laws at epsilon, in sixty digits."""
    odds = mp.exp(real(epsilon))
    gains = (real(p) - odds * real(theirs.get(o, Fraction(0))) for o, p in mine.items())
    return mp.fsum(gain for gain in gains if gain > 0)


def least_epsilon(
    mine: dict[Anything, Fraction], theirs: dict[Anything, Fraction], delta: Fraction
) -> Anything:
    """The tight epsilon of two finite laws at delta, by every prefix of their likelihood order."""
    ranked = sorted(
        (o for o, p in mine.items() if p > 0),
        key=lambda o: (theirs.get(o, 0) == 0, mine[o] / theirs[o] if theirs.get(o) else 0),
        reverse=True,
    )
    best, p, q = mp.mpf(0), Fraction(0), Fraction(0)
    for output in ranked:
        p, q = p + mine[output], q + theirs.get(output, Fraction(0))
        if p > delta:
            if q == 0:
                return mp.inf
            best = max(best, mp.log(real((p - delta) / q)))
    return best


def product(
    one: dict[Anything, Fraction], two: dict[Anything, Fraction]
) -> dict[Anything, Fraction]:
    """The law of two independent outputs."""
    return {(a, b): p * q for a, p in one.items() for b, q in two.items()}


def laws(
    outputs: int, *, least: int = 1, most: int = 12
) -> st.SearchStrategy[dict[Anything, Fraction]]:
    """Rational laws on 0 ... outputs - 1, by whole weights."""
    weights = st.lists(st.integers(least, most), min_size=outputs, max_size=outputs)
    return weights.filter(any).map(lambda w: {i: Fraction(x, sum(w)) for i, x in enumerate(w)})


def binomial_upper(least: int, trials: int, odds: Anything) -> Anything:
    """The chance of so many hits or more, for odds below the mean: by a continued fraction.

    Reference: NIST Digital Library of Mathematical Functions 1.2, 8.17.22, by Lentz's method.
    """
    a, b, x = mp.mpf(least), mp.mpf(trials - least + 1), odds / (1 + mp.mpf(odds))
    begin = a * mp.log(x) - b * mp.log1p(odds) - mp.log(a) + mp.loggamma(a + b)
    total, above, below, place = mp.mpf(1), mp.mpf(1), mp.mpf(0), 0
    factor = mp.mpf(0)
    while abs(factor - 1) > mp.mpf(10) ** -45:
        m, odd = divmod(place := place + 1, 2)
        part = m * (b - m) if not odd else -(a + m) * (a + b + m)
        part *= x / ((a + place - 1) * (a + place))
        below, above = 1 / (1 + part * below), 1 + part / above
        total, factor = total * above * below, above * below
    return mp.exp(begin - mp.loggamma(a) - mp.loggamma(b)) / total


def spread_rationals(digits: int = 6, *, sign: bool = True) -> st.SearchStrategy[Fraction]:
    """Rationals over many orders of magnitude."""
    top = st.integers(-(10**18) if sign else 1, 10**18).filter(bool)
    return st.builds(
        lambda n, d, e: Fraction(n, d) * Fraction(10) ** e,
        top,
        st.integers(1, 10**18),
        st.integers(-digits, digits),
    )
