"""Errors of several noises together: never below the truth, and hardly above."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Interval
from differential_privacy.mechanisms import (
    Blend,
    DiscreteGaussian,
    Geometric,
    OnGrid,
    errors_along,
)
from differential_privacy.mechanisms import blend as blend_module
from differential_privacy.mechanisms.noise_cells import NoiseCells, cells_of, sum_of

Terms = Sequence[tuple[Any, Any]]

CONFIDENCES = ["0.5", "0.9", "0.95", "0.999", "0.99999999"]


def chances(noise: Any, reach: int) -> dict[int, Interval]:
    return {z: noise.probability(z, exact=0) for z in range(-reach, reach + 1)}


def passed(terms: Terms, error: float, reach: int) -> tuple[Fraction, Fraction]:
    """The exact chance of a blend to be farther from zero: between these."""
    low, told = Fraction(0), Fraction(0)
    laws = [chances(noise, reach) for _, noise in terms]
    for drawn in product(*(law.items() for law in laws)):
        chance = math.prod((each.low for _, each in drawn), start=Fraction(1))
        told += chance
        size = sum(Fraction(f) * z for (f, _), (z, _) in zip(terms, drawn, strict=True))
        if abs(size) > error:
            low += chance
    return low, low + (1 - told)


SMALL: list[tuple[Terms, int]] = [
    ([(1, Geometric(1)), (1, Geometric(1))], 40),
    ([(1, Geometric("3/2")), (-2, Geometric("1/2"))], 50),
    ([("1/3", Geometric(2)), ("0.7", DiscreteGaussian(4))], 60),
    ([(1, DiscreteGaussian(9)), (1, DiscreteGaussian("1/4"))], 40),
    ([(5, DiscreteGaussian(1)), ("22/7", DiscreteGaussian(2))], 20),
    ([(1, Geometric("1/2")), (2, Geometric("1/3")), (4, DiscreteGaussian("1/3"))], 16),
]


def assert_honest(terms: Terms, reach: int, confidence: str, error: float) -> None:
    missed, _ = passed(terms, error, reach)
    assert missed <= 1 - Fraction(confidence)


@pytest.mark.parametrize(("terms", "reach"), SMALL, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.99"])
def test_an_error_is_passed_as_seldom_as_stated(terms: Terms, reach: int, confidence: str) -> None:
    error = Blend(terms).error(confidence)
    assert_honest(terms, reach, confidence, error)


@pytest.mark.parametrize(("terms", "reach"), SMALL[:5], ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.99"])
def test_one_percent_less_is_passed_more_often(terms: Terms, reach: int, confidence: str) -> None:
    """Two noises of small scales are summed as they are: what is left is a part in ten thousand."""
    error = Blend(terms).error(confidence)
    _, missed = passed(terms, error * 0.99 - 1e-9, reach)
    assert missed > 1 - Fraction(confidence)


def test_an_error_that_forgets_a_term_is_caught() -> None:
    terms, reach = SMALL[0]
    with pytest.raises(AssertionError):
        assert_honest(terms, reach, "0.9", Blend(terms[:1]).error("0.9"))


def two_laplaces(a: float, b: float, t: float) -> float:
    """The chance that the sum of two Laplace numbers on the reals passes t."""
    if a == b:
        return (1 + t / (2 * a)) * math.exp(-t / a)
    return (a * a * math.exp(-t / a) - b * b * math.exp(-t / b)) / (a * a - b * b)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize(("a", "b"), [(1e5, 1e5), (1e6, 3e5), (1e9, 1e6), (1e15, 1e15)])
def test_wide_laplace_noise_has_the_error_of_the_reals(a: float, b: float, confidence: str) -> None:
    error = Blend([(1, Geometric(a)), (-1, Geometric(b))]).error(confidence)
    miss = 1 - float(confidence)
    assert two_laplaces(a, b, error + 2) <= miss * (1 + 1e-9)
    assert two_laplaces(a, b, error * 0.99) > miss


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize(
    "deviations", [(1e3, 1e3), (1e4, 3e3), (1e5, 1e6), (1e12, 1e12), (5e3, 5e3, 2e3, 9e3, 1e3)]
)
def test_gaussian_noise_has_the_error_of_the_normal(
    deviations: tuple[float, ...], confidence: str
) -> None:
    terms = [(1, DiscreteGaussian(Fraction(d) ** 2)) for d in deviations]
    error = Blend(terms).error(confidence)
    normal = math.hypot(*deviations) * norm.isf((1 - float(confidence)) / 2)
    assert normal * (1 - 1e-6) - 1 <= error <= normal * 1.01


@pytest.mark.parametrize("factor", [1, "-1/3", "2.5"])
@pytest.mark.parametrize("noise", [Geometric(7), DiscreteGaussian(30)], ids=repr)
def test_one_noise_has_its_own_error(factor: Any, noise: Any) -> None:
    exact = abs(Fraction(factor)) * noise.error("0.95")
    for terms in ([(factor, noise)], [(factor, noise), (0, Geometric(100))]):
        error = Fraction(Blend(terms).error("0.95"))
        assert exact <= error <= exact * (1 + Fraction(1, 10**15))


def test_no_noise_has_no_error() -> None:
    for terms in ([], [(0, Geometric(1))]):
        assert Blend(terms).error("0.95") < 1e-9
        assert Blend(terms).deviation == 0


@given(
    factors=st.lists(st.fractions(-5, 5, max_denominator=50), min_size=1, max_size=4),
    scale=st.fractions(1, 1000, max_denominator=10),
)
def test_signs_order_and_units_do_not_matter(factors: list[Fraction], scale: Fraction) -> None:
    noises = [Geometric(scale), DiscreteGaussian(scale), Geometric(2), DiscreteGaussian(50)]
    terms = list(zip(factors, noises, strict=False))
    error = Blend(terms).error("0.9")
    assert Blend([(-f, n) for f, n in terms]).error("0.9") == pytest.approx(error, rel=1e-9)
    assert Blend(terms[::-1]).error("0.9") == pytest.approx(error, rel=0.02, abs=1e-9)
    doubled = Blend([(2 * f, n) for f, n in terms]).error("0.9")
    assert doubled == pytest.approx(2 * error, rel=1e-9, abs=1e-9)


MIXED = [
    [(1, Geometric(3)), (2, DiscreteGaussian(10))],
    [(1, Geometric(500)), (-1, Geometric(20)), ("1/2", DiscreteGaussian(10**6))],
    [(1, DiscreteGaussian(10**9)), (30, Geometric(1000)), (1, Geometric(1)), (1, Geometric(9))],
]


@pytest.mark.parametrize("terms", MIXED, ids=str)
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_draws_are_within_the_error_as_often_as_stated(terms: Terms, confidence: str) -> None:
    trials = DRAWS
    total = sum(
        float(Fraction(f)) * np.asarray(n.release(np.zeros(trials, dtype=np.int64)), dtype=float)
        for f, n in terms
    )
    error = Blend(terms).error(confidence)
    hits = int((np.abs(total) <= error).sum())
    assert binom.cdf(hits, trials, float(confidence)) > FALSE_ALARM
    # Not much more often either: a percent less is passed.
    fewer = int((np.abs(total) <= 0.98 * error).sum())
    assert binom.sf(fewer - 1, trials, float(confidence)) > FALSE_ALARM


@pytest.mark.parametrize("terms", MIXED, ids=str)
def test_the_deviation_is_that_of_draws(terms: Terms) -> None:
    drawn = sum(
        float(Fraction(f)) * np.asarray(n.release(np.zeros(DRAWS, dtype=np.int64)), dtype=float)
        for f, n in terms
    )
    # The square of a draw has at most six times the variance's square for its own variance.
    assert abs(drawn.var() / Blend(terms).deviation ** 2 - 1) < 6.2 * math.sqrt(6 / DRAWS)


def test_the_deviation_is_rounded_up() -> None:
    deviation = Blend([(1, DiscreteGaussian(2)), (3, Geometric(5))]).deviation
    square = 2 + 9 * Geometric(5).variance
    assert square.high <= Fraction(deviation) ** 2 <= square.high * (1 + Fraction(1, 10**15))


NOISES = [
    Geometric("1/100"),
    Geometric(1),
    Geometric(60),
    Geometric(12345),
    DiscreteGaussian("1/50"),
    DiscreteGaussian(2),
    DiscreteGaussian(10**4),
    DiscreteGaussian(3 * 10**6),
]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("fineness", [8, 48])
def test_cells_have_the_chances_of_the_noise_in_them(noise: Any, fineness: int) -> None:
    cells = cells_of(noise, fineness=fineness, lost=1e-6)
    width, beside = int(cells.step), int(cells.slack)
    assert width == 2 * beside + 1
    for place in {0, 1, 2, cells.chances.size // 2, cells.chances.size - 1}:
        if place >= cells.chances.size or width > 100:
            continue
        inside = range(place * width - beside, place * width + beside + 1)
        exact = sum((noise.probability(z, exact=0) for z in inside), start=Interval.of(0))
        assert cells.chances[place] == pytest.approx(float(exact.high), rel=1e-11, abs=1e-200)
    beyond = noise.tail(round((cells.chances.size - 1) * width + beside))
    assert beyond.low <= cells.lost
    whole = float(cells.of_both_signs.sum())
    assert 1 - cells.lost * (1 + 1e-9) - 1e-12 <= whole <= 1 + 1e-12


@pytest.mark.parametrize("sigma", [5000, 10**7])
def test_cells_of_wide_bells_are_those_of_a_normal_that_is_never_one_away(sigma: int) -> None:
    """Of the two, each passes an integer at most as often as the other passes the one before."""
    noise = DiscreteGaussian(sigma**2)
    cells = cells_of(noise, fineness=16, lost=1e-6)
    assert cells.slack == cells.step / 2 + 1
    for k in (1, sigma // 3, sigma, 3 * sigma):
        above = noise.tail(k - 1) / 2
        assert float(above.low) <= norm.sf((k - 1) / sigma) * (1 + 1e-9)
        assert float(above.high) >= norm.sf(k / sigma) * (1 - 1e-9)


def test_chances_above_are_sums_of_cells() -> None:
    cells = NoiseCells(2.0, np.array([0.4, 0.2, 0.1]), 0.0, 0.0)
    least = np.array([-100.0, -4.1, -4.0, -0.1, 0.0, 1.9, 2.0, 3.9, 4.0, 1e300])
    wanted = [1.0, 1.0, 0.9, 0.7, 0.3, 0.3, 0.1, 0.1, 0.0, 0.0]
    assert cells.above(least) == pytest.approx(wanted)


def test_sums_and_other_widths_keep_all_chances_and_both_sides_alike() -> None:
    one = cells_of(Geometric(5), fineness=64, lost=1e-9)
    two = cells_of(DiscreteGaussian(50), fineness=64, lost=1e-9).times(0.3)
    both = sum_of([one, two], step=0.2)
    assert both.of_both_signs.sum() == pytest.approx(1, abs=1e-8)
    assert both.slack == pytest.approx(both.step)
    assert both.deviation == pytest.approx(math.hypot(one.deviation, two.deviation), rel=1e-3)
    assert one.lost + two.lost < both.lost < 3e-9


COLUMNS = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, -2.0], [0.3, 7.0], [0.0, 1.0], [1.0, 1e-9]])


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.9999"])
@pytest.mark.parametrize(
    "noises",
    [(Geometric(1), Geometric(1)), (Geometric(300), DiscreteGaussian(9)),
     (DiscreteGaussian(10**8), DiscreteGaussian(10**7))],
    ids=str,
)  # fmt: skip
def test_errors_along_are_those_of_single_blends(noises: tuple[Any, Any], confidence: str) -> None:
    one, other = noises
    x, y = COLUMNS.T
    found = errors_along(
        [(Fraction(1), Fraction(0), one), (Fraction(0), Fraction(1), other)],
        x, y, confidence=confidence,
    )  # fmt: skip
    for (a, b), error in zip(COLUMNS.tolist(), found.tolist(), strict=True):
        single = Blend([(a, one), (b, other)]).error(confidence)
        assert single * 0.999 <= error <= single * 1.03


def test_errors_along_sum_noises_of_one_proportion_first() -> None:
    terms = [
        (Fraction(2), Fraction(1), Geometric(5)),
        (Fraction(4), Fraction(2), Geometric(3)),
        (Fraction(1), Fraction(0), DiscreteGaussian(100)),
        (Fraction(0), Fraction(1), Geometric(2)),
        (Fraction(0), Fraction(0), Geometric(10**9)),
    ]
    x, y = np.array([1.0, 0.3]), np.array([-0.5, 2.0])
    found = errors_along(terms, x, y, confidence="0.95")
    for place in range(2):
        factors = [(float(a) * x[place] + float(b) * y[place], noise) for a, b, noise in terms]
        single = Blend(factors).error("0.95")
        assert found[place] == pytest.approx(single, rel=0.03)


@pytest.mark.parametrize("scale", ["0.04", "1e-4", "1e-12"])
@pytest.mark.parametrize("confidence", ["0.5", "0.9999"])
def test_noise_that_is_next_to_none_has_an_error_next_to_none(scale: str, confidence: str) -> None:
    """Its cells are one, however many kinds of it are summed and beside whatever else."""
    none: list[Any] = [Geometric(scale), DiscreteGaussian(Fraction(scale) ** 2)]
    terms: Terms = [(5, none[0]), ("1/3", none[1]), (1000, none[0])]
    assert 0 < Blend(terms).error(confidence) < 1e-6
    wide = Blend([(1, Geometric(100))]).error(confidence)
    assert wide <= Blend([*terms, (1, Geometric(100))]).error(confidence) <= wide * 1.01
    for noise in none:
        assert blend_module._cells(noise, fineness=48, lost=1e-5).chances.size == 1


@given(
    scale=st.fractions(Fraction(1, 50), 3, max_denominator=100),
    lost=st.sampled_from([1e-3, 1e-7, 1e-12]),
)
def test_no_more_cells_are_left_out_than_may_be_lost(scale: Fraction, lost: float) -> None:
    for noise in (Geometric(scale), DiscreteGaussian(scale)):
        cells = blend_module._cells(noise, fineness=48, lost=lost)  # type: ignore[arg-type]
        assert float(noise.tail(cells.chances.size - 1).low) <= cells.lost
        assert cells.lost <= 2 * lost * (1 + 1e-8)
        assert cells.chances.size == 1 or float(noise.tail(cells.chances.size - 2).high) > lost


def test_sums_have_no_more_cells_than_a_number_of_scales_has() -> None:
    """A rare step of a far noise would have any number of cells of a near one."""
    cells = [blend_module._cells(Geometric("0.1"), fineness=48, lost=1e-5)] * 3
    together = sum_of(cells, step=blend_module._step(cells, 48))
    assert together.chances.size >= 48 * blend_module.MOST_SCALES
    assert together.chances.size <= 48 * blend_module.MOST_SCALES + len(cells)


def test_slack_that_is_forgotten_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the middles of wide cells are taken for the noise."""

    def rough(noise: Any, **settings: Any) -> NoiseCells:
        cells = cells_of(noise, fineness=2, lost=settings["lost"])
        return NoiseCells(cells.step, cells.chances, 0.0, cells.lost)

    terms = [(1, Geometric(40)), (1, Geometric(40))]
    honest = Blend(terms).error("0.5")
    monkeypatch.setattr(blend_module, "cells_of", rough)
    careless = [Blend(terms).error(c) / honest for c in ("0.5", "0.45", "0.55")]
    assert min(careless) < 0.95


@pytest.mark.parametrize("confidence", [0, 1, -1, "nan", True, 1 - Fraction(1, 10**101)])
def test_confidences_that_are_none_are_refused(confidence: Any) -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        Blend([(1, Geometric(1)), (1, Geometric(1))]).error(confidence)
    assert refused.value.argument == "confidence"


def test_what_is_no_integer_noise_is_refused() -> None:
    for wrong in (OnGrid, 5, None):
        with pytest.raises(InvalidArgumentError) as refused:
            Blend([(1, wrong), (1, Geometric(1))]).error("0.9")  # type: ignore[list-item]
        assert refused.value.argument == "noise"


def test_the_text_reads_back_as_an_equal_value() -> None:
    blend = Blend([(1, Geometric(10)), ("-1/3", DiscreteGaussian("2.5"))])
    names = {kind.__name__: kind for kind in (Blend, Geometric, DiscreteGaussian, Fraction)}
    assert eval(repr(blend), names) == blend  # noqa: S307 - our own text
    assert hash(blend) == hash(Blend(blend.terms))
