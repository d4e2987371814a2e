"""Intervals of ratios cover as often as stated, by exact chances and by draws, and hardly more.

The statistical tests fail by bad luck with a probability of 1e-9 at most.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binom
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.mechanisms import Blend, DiscreteGaussian, Geometric
from differential_privacy.release import ratio_interval

Terms = list[tuple[Any, Any, Any]]
Floats = NDArray[np.float64]


def drawn(terms: Terms, top: float, bottom: float, count: int) -> tuple[Floats, Floats]:
    """Noisy numerators and denominators."""
    tops, bottoms = np.full(count, float(top)), np.full(count, float(bottom))
    for a, b, noise in terms:
        z = np.asarray(noise.release(np.zeros(count, dtype=np.int64)), dtype=np.float64)
        tops, bottoms = tops + float(a) * z, bottoms + float(b) * z
    return tops, bottoms


def exact_coverage(terms: Terms, top: float, bottom: float, reach: int, **asked: Any) -> float:
    """The chance, from exact probabilities, that the interval of two noises holds the ratio."""
    (a, b, one), (c, d, other) = terms
    z = np.arange(-reach, reach + 1)
    chances = [
        np.array([float(noise.probability(int(k), exact=0).low) for k in z])
        for noise in (one, other)
    ]
    first, second = np.meshgrid(z, z, indexing="ij")
    low, high = ratio_interval(
        top + a * first + c * second, bottom + b * first + d * second, terms=terms, **asked
    )
    ratio = top / bottom
    held = (low <= ratio) & (ratio <= high)
    return float(chances[0] @ held @ chances[1])


SMALL: list[tuple[Terms, int]] = [
    ([(1, 0, Geometric(2)), (0, 1, Geometric(1))], 70),
    ([(1, 0, Geometric(10)), (0, 1, DiscreteGaussian(4))], 250),
    ([(1, 0, DiscreteGaussian(100)), (0, 1, DiscreteGaussian(9))], 60),
    ([(0.5, 0, Geometric(6)), (5, 1, Geometric(2))], 150),
    ([(1, 1, Geometric(2)), (0, 1, Geometric(3))], 90),
]


@pytest.mark.parametrize(("terms", "reach"), SMALL, ids=lambda value: str(value)[:50])
@pytest.mark.parametrize("rows", [1, 4, 30, 1000])
@pytest.mark.parametrize("share", [0.0, 0.37, 1.0])
def test_an_interval_holds_the_ratio_at_least_as_often_as_stated(
    terms: Terms, reach: int, rows: int, share: float
) -> None:
    """From 1 row up, at the ends of the range and inside."""
    covered = exact_coverage(
        terms, 10 * share * rows, rows, reach, confidence="0.95", within=(0, 10)
    )
    assert covered >= 0.95 - 1e-6


@pytest.mark.parametrize(("terms", "reach"), SMALL[:4], ids=lambda value: str(value)[:50])
def test_with_many_rows_it_holds_the_ratio_hardly_more_often(terms: Terms, reach: int) -> None:
    """A lattice of chances can add some; two percent of the width add no more than this."""
    covered = exact_coverage(terms, 3700, 1000, reach, confidence="0.9", within=(0, 10))
    assert covered <= 0.93


def assert_covers(terms: Terms, top: float, bottom: float, **asked: Any) -> None:
    tops, bottoms = drawn(terms, top, bottom, DRAWS // 5)
    low, high = ratio_interval(tops, bottoms, terms=terms, **asked)
    hits = int(((low <= top / bottom) & (top / bottom <= high)).sum())
    assert binom.cdf(hits, tops.size, float(Fraction(asked["confidence"]))) > FALSE_ALARM


AVERAGES: list[Terms] = [
    [(1, 0, Geometric(5000)), (0, 1, Geometric(50))],
    [("0.01", 0, DiscreteGaussian(10**12)), (0, 1, DiscreteGaussian(400))],
    # Around the middle of its range, an average holds the count's noise twice.
    [(1, 0, Geometric(500)), (50, 1, Geometric(10))],
    # A sum of squares around the middle holds the sum's as well.
    [(1, 0, Geometric(10**5)), (100, 0, Geometric(500)), (-2500, 1, Geometric(10))],
    # The ratio of a part to the whole that it is in.
    [(1, 1, Geometric(30)), (0, 1, Geometric(30))],
    # Three noises of three proportions.
    [(1, 1, Geometric(30)), (0, 1, DiscreteGaussian(900)), (3, 1, Geometric(5))],
]


@pytest.mark.parametrize("terms", AVERAGES, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize("rows", [1, 20, 500, 10**6])
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_intervals_hold_the_ratio_of_draws(terms: Terms, rows: int, confidence: str) -> None:
    assert_covers(terms, 0.7 * rows, rows, confidence=confidence, within=(-100, 100))


def test_the_naive_interval_is_caught() -> None:
    """Its ends take the noisy denominator for the exact one."""
    terms = AVERAGES[0]
    tops, bottoms = drawn(terms, 90 * 300, 300, DRAWS // 10)
    error = Blend([(1, Geometric(5000))]).error("0.95")
    naive = int((np.abs(tops - 90 * bottoms) <= error).sum())
    assert binom.cdf(naive, tops.size, 0.95) < FALSE_ALARM


@pytest.mark.parametrize("terms", AVERAGES[:4], ids=lambda value: str(value)[:60])
def test_with_many_rows_the_interval_is_as_wide_as_the_noise(terms: Terms) -> None:
    rows, ratio = 10**9, 3.0
    low, high = ratio_interval(
        ratio * rows, rows, terms=terms, confidence="0.95", within=(-1000, 1000)
    )
    error = Blend([(Fraction(a) - 3 * Fraction(b), noise) for a, b, noise in terms]).error("0.95")
    assert 1 <= (high - low) / (2 * error / rows) <= 1.04


@pytest.mark.parametrize("terms", AVERAGES, ids=lambda value: str(value)[:60])
def test_without_rows_the_interval_is_the_whole_range(terms: Terms) -> None:
    low, high = ratio_interval(
        np.array([0.0, 1.0, 0.0]), np.zeros(3), terms=terms, confidence="0.95", within=(-7, 100)
    )
    assert (low == -7).all()
    assert (high == 100).all()


def test_numbers_that_no_ratio_of_the_range_explains_get_the_whole_range() -> None:
    low, high = ratio_interval(
        [10**6], [100], terms=AVERAGES[2], confidence="0.95", within=(0, 100)
    )
    assert (low[0], high[0]) == (0, 100)


@given(
    top=st.floats(-1e6, 1e6),
    bottom=st.floats(-1e4, 1e4),
    ends=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)).map(sorted),
    which=st.sampled_from(AVERAGES[:5]),
)
def test_an_interval_is_made_of_ratios_that_the_error_allows(
    top: float, bottom: float, ends: list[float], which: Terms
) -> None:
    """Brute force over ratios: none that is allowed is left out, and ends are nearly allowed."""
    low, high = (float(end) for end in ratio_interval(
        top, bottom, terms=which, confidence="0.95", within=(ends[0], ends[1])
    ))  # fmt: skip
    assert ends[0] <= low <= high <= ends[1]

    def allowed(ratio: float, stretch: float) -> bool:
        exact = [(Fraction(a) - Fraction(ratio) * Fraction(b), noise) for a, b, noise in which]
        return abs(top - ratio * bottom) <= stretch * Blend(exact).error("0.95")

    for ratio in np.linspace(ends[0], ends[1], 7):
        if allowed(float(ratio), 0.999):
            assert low - 1e-9 * abs(low) - 1e-9 <= ratio <= high + 1e-9 * abs(high) + 1e-9
    if (low, high) != (ends[0], ends[1]):
        for end in (low, high):
            assert end in ends or allowed(end, 1.06)


def test_an_unknown_range_may_be_as_wide_as_floats_are() -> None:
    terms = [(1, 0, Geometric(10)), (0, 1, Geometric(10))]
    low, high = ratio_interval(
        [0.0, 1.0, 100.0, 1e6],
        [0.0, 5.0, 1000.0, 1000.0],
        terms=terms,
        confidence="0.95",
        within=(-1e300, 1e300),
    )
    assert low[:2].tolist() == [-1e300] * 2
    assert high[:2].tolist() == [1e300] * 2
    assert 0.06 < low[2] < 0.1 < high[2] < 0.14
    assert 960 < low[3] < 1000 < high[3] < 1040
    near = ratio_interval(
        [100.0, 1e6], [1000.0] * 2, terms=terms, confidence="0.95", within=(-2000, 2000)
    )
    assert np.concatenate(near) == pytest.approx([*low[2:], *high[2:]], rel=1e-3)


def test_noise_that_is_in_the_numerator_only_gives_a_plain_interval() -> None:
    low, high = ratio_interval(
        [100.0, 5.0], [50, -10], terms=[(1, 0, Geometric(3))], confidence="0.9", within=(-99, 99)
    )
    error = Geometric(3).error("0.9")
    assert low == pytest.approx([(100 - error) / 50, -(5 + error) / 10], rel=1e-3)
    assert high == pytest.approx([(100 + error) / 50, -(5 - error) / 10], rel=1e-3)


def test_noise_that_both_share_vanishes_where_the_ratio_is_theirs() -> None:
    terms = [(2, 1, Geometric(10))]
    tops, bottoms = drawn(terms, 200.0, 100.0, 1000)
    low, high = ratio_interval(tops, bottoms, terms=terms, confidence="0.95", within=(0, 5))
    assert ((low <= 2) & (high >= 2)).all()


def test_no_noise_at_all_gives_the_ratio_itself() -> None:
    low, high = ratio_interval([6.0], [3.0], terms=[], confidence="0.95", within=(0, 10))
    assert low[0] == pytest.approx(2)
    assert high[0] == pytest.approx(2)


@pytest.mark.parametrize("many", [2, 3])
@pytest.mark.parametrize("ratio", [-2.1, 0.0, 1.9, 7.3])
def test_noise_that_is_next_to_none_gives_the_ratio_itself_also_at_the_ends(
    ratio: float, many: int
) -> None:
    noise = Geometric("1e-4")
    terms: Terms = [(1, 0, noise), ("1/2", 1, noise), (3, 1, noise)][:many]
    rows = np.arange(1.0, 1000.0)
    low, high = ratio_interval(
        rows * ratio, rows, terms=terms, confidence="0.95", within=("-2.1", "7.3")
    )
    assert ((low <= ratio) & (ratio <= high)).all()
    assert (high - low).max() < 1e-9


def test_one_ratio_alone_is_its_own_interval() -> None:
    low, high = ratio_interval([1.0], [1.0], terms=AVERAGES[0], confidence="0.95", within=(3, 3))
    assert (low[0], high[0]) == (3, 3)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 5), (300,)])
def test_intervals_have_the_shape_of_the_cells(shape: tuple[int, ...]) -> None:
    low, high = ratio_interval(
        np.ones(shape), np.ones(shape), terms=AVERAGES[2], confidence="0.95", within=(0, 1)
    )
    assert low.shape == high.shape == shape


def test_infinite_and_missing_numbers_have_some_interval() -> None:
    low, high = ratio_interval(
        [1e300, -1e300, 0.0], [1e-300, 1e300, 1e300],
        terms=AVERAGES[0], confidence="0.95", within=(0, 100),
    )  # fmt: skip
    assert ((low >= 0) & (low <= high) & (high <= 100)).all()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"confidence": 1}, "confidence"),
        ({"confidence": "nan"}, "confidence"),
        ({"within": (1, 0)}, "within"),
        ({"within": (0, math.inf)}, "within"),
        ({"within": (0, 1, 2)}, "within"),
        ({"terms": [("x", 0, Geometric(1))]}, "terms"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused_by_name(changes: dict[str, Any], name: str) -> None:
    asked = {"terms": AVERAGES[0], "confidence": "0.95", "within": (0, 1)} | changes
    with pytest.raises(InvalidArgumentError) as refused:
        ratio_interval([1.0], [1.0], **asked)
    assert refused.value.argument == name
