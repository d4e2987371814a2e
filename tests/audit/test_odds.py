"""The bounds hold with their confidence: by exact sums over all that can be counted."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from differential_privacy.audit.odds import Tally, by_ends, by_pairs, chance_interval

PAIRS = 8
CHANCES = ["0", "0.02", "0.2", "0.5", "0.9", "1"]


def tallies(p: Fraction, q: Fraction, pairs: int) -> Iterator[tuple[Tally, Fraction]]:
    """Every tally of so many pairs, with its chance."""
    cells = (p * q, p * (1 - q), q * (1 - p), (1 - p) * (1 - q))
    for both in range(pairs + 1):
        for one in range(pairs + 1 - both):
            for other in range(pairs + 1 - both - one):
                counts = (both, one, other, pairs - both - one - other)
                ways = math.factorial(pairs)
                chance = Fraction(1)
                for count, cell in zip(counts, cells, strict=True):
                    ways //= math.factorial(count)
                    chance *= cell**count
                yield Tally(pairs, both + one, both + other, one, other), ways * chance


@cache
def bounded(bound: Any, tally: Tally, miss: Fraction, delta: Fraction) -> Fraction:
    return bound(tally, miss=miss, delta=delta)


def missed(bound: Any, p: Fraction, q: Fraction, delta: Fraction, miss: Fraction) -> Fraction:
    """The exact chance that the bound is above the truth."""
    wrong = Fraction(0)
    for tally, chance in tallies(p, q, PAIRS):
        if chance and bounded(bound, tally, miss, delta) * q > max(p - delta, Fraction(0)):
            wrong += chance
    return wrong


@pytest.mark.parametrize("bound", [by_ends, by_pairs])
@pytest.mark.parametrize("delta", ["0", "0.05"])
@pytest.mark.parametrize("q", CHANCES)
@pytest.mark.parametrize("p", CHANCES)
def test_no_bound_is_above_the_truth_more_often_than_it_says(
    bound: Any, p: str, q: str, delta: str
) -> None:
    for miss in (Fraction(1, 10), Fraction(1, 2)):
        assert missed(bound, Fraction(p), Fraction(q), Fraction(delta), miss) <= miss


def without_caution(tally: Tally, *, miss: Fraction, delta: Fraction) -> Fraction:  # noqa: ARG001
    """A planted bug: what was seen is taken for what is."""
    return Fraction(tally.first, tally.trials * max(tally.second, 1)) * tally.trials


def odds_for_chances(tally: Tally, *, miss: Fraction, delta: Fraction) -> Fraction:
    """A planted bug: the odds of pairs are taken for the ratio of chances."""
    rare = Tally(10**9, tally.first, tally.second, tally.only_first, tally.only_second)
    return by_pairs(rare, miss=miss, delta=delta)


@pytest.mark.parametrize("planted", [without_caution, odds_for_chances])
def test_a_bound_that_is_too_bold_is_caught(planted: Callable[..., Fraction]) -> None:
    miss = Fraction(1, 4)
    assert missed(planted, Fraction("0.9"), Fraction("0.5"), Fraction(0), miss) > miss


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from(["0.5", "0.1", "1e-3", "1e-9"]))
def test_the_interval_of_a_chance_is_that_of_clopper_and_pearson(
    hits: int, more: int, miss: str
) -> None:
    trials, tail = hits + more, float(miss) / 2
    low, high = chance_interval(hits, trials, miss=Fraction(miss))
    assert float(low) == pytest.approx(beta.ppf(tail, hits, more + 1) if hits else 0, rel=1e-6)
    assert float(high) == pytest.approx(beta.isf(tail, hits + 1, more), rel=1e-6)
    assert low <= Fraction(hits, trials) <= high


@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(1, 30),
    st.sampled_from([0, Fraction(1, 50)]),
)  # fmt: skip
def test_the_more_may_be_missed_the_larger_the_bound(
    both: int, one: int, other: int, neither: int, delta: Fraction
) -> None:
    tally = Tally(both + one + other + neither, both + one, both + other, one, other)
    for bound in (by_ends, by_pairs):
        bounds = [
            bound(tally, miss=Fraction(miss), delta=delta) for miss in ("1e-12", "1e-3", "0.1", "1")
        ]
        assert bounds == sorted(bounds)
