"""Whether a coin for each place has exactly the probability that its digits tell."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.sampling.conftest import DRAWS, FALSE_ALARM, ScriptedBits, luck

from differential_privacy import sampling
from differential_privacy.exact import Interval, exp
from differential_privacy.sampling.coins import BAND
from differential_privacy.sampling.digits import digits_of

THIRDS = [Fraction(place, 3) for place in range(4)]


def toss(probabilities: list[Fraction], word: int) -> list[bool]:
    """The coins whose first 64 bits are these, followed by zeros."""
    nearby = np.array([float(p) for p in probabilities])
    bits = ScriptedBits(lambda count: word.to_bytes(8, "little") * (count // 8), bytes)
    coins = sampling.bernoulli_each(
        nearby, lambda place: digits_of(probabilities[place]), bits=bits
    )
    return coins.tolist()


def test_a_coin_is_heads_where_the_uniform_number_is_below() -> None:
    for p in THIRDS[1:3]:
        edge = int(p * 2**64)
        for word in (0, edge - 2**40, edge - 1, edge, edge + 1, edge + 2**40, 2**64 - 1):
            assert toss([p], word) == [word <= edge]


def test_the_sure_coins_are_sure() -> None:
    for word in (0, 1, 2**63, 2**64 - 1):
        assert toss([Fraction(1)], word) == [True]
    assert toss([Fraction(0)], 1) == [False]


@pytest.mark.parametrize("off", [-BAND / 2, 0.0, BAND / 2])
def test_floats_within_half_the_band_decide_nothing_wrongly(off: float) -> None:
    p = Fraction(1, 3)
    edge = int(p * 2**64)
    words = np.array([edge + (-1) ** k * 2**k for k in range(40)], dtype=np.uint64)
    bits = ScriptedBits(lambda _: words.tobytes(), bytes)
    nearby = np.full(words.size, float(p) + off)
    heads = sampling.bernoulli_each(nearby, lambda _: digits_of(p), bits=bits)
    assert heads.tolist() == [int(word) <= edge for word in words.tolist()]


def test_coins_of_many_places_have_their_odds() -> None:
    count = DRAWS // 4
    for p in THIRDS:
        heads = sampling.bernoulli_each(np.full(count, float(p)), lambda _, p=p: digits_of(p))
        if p in {0, 1}:
            assert heads.all() == heads.any() == bool(p)
        else:
            ones = int(heads.sum())
            assert luck(np.array([count - ones, ones]), [float(1 - p), float(p)]) > FALSE_ALARM


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(40), Fraction(1, 10**9)])
def test_digits_within_enclosures_are_those_of_120_decimal_places(x: Fraction) -> None:
    def rough(work: int) -> Interval:
        """Far wider than what was asked for, so that more must be asked for."""
        return exp(-x, max(8, work // 4))

    with mpmath.workdps(120):
        true = mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator)
        for enclosure in (lambda work: exp(-x, work), rough):
            digits: Callable[[int], int] = sampling.digits_within(enclosure)
            for bits in (16, 64, 200):
                assert digits(bits) == int(mpmath.floor(mpmath.ldexp(true, bits)))


def test_a_single_point_has_its_own_digits() -> None:
    half = sampling.digits_within(lambda _: Interval.of(Fraction(1, 2)))
    assert half(64) == 2**63
