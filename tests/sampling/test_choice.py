"""Whether choices by score have exactly the odds of their mechanism, at any gap and any size."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.sampling.conftest import DRAWS, FALSE_ALARM, FixedBits, luck

from differential_privacy import sampling
from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError

COUNT = min(max(DRAWS // 50, 10_000), 200_000)
CASES = [
    ([3, 1, 0, 3], Fraction(1, 2)),
    ([0, 0, 0], Fraction(5)),
    ([0, -2, -4, -6, -20], Fraction(1, 3)),
    ([10**25, 10**25 - 1, 10**25 + 2], Fraction(2, 3)),
    ([5, 9], Fraction(0)),
]
CHOICES = [sampling.exponential_choice, sampling.permute_and_flip]
Choose = Callable[..., int]


def exponential_odds(scores: list[int], rate: Fraction) -> np.ndarray:
    best = max(scores)
    weights = np.array([math.exp((score - best) * rate) for score in scores])
    return weights / weights.sum()


def permute_and_flip_odds(scores: list[int], rate: Fraction) -> np.ndarray:
    """By its own definition: every order, and the first head in it."""
    heads = [math.exp((score - max(scores)) * rate) for score in scores]
    odds = np.zeros(len(scores))
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        still = 1.0 / len(orders)
        for index in order:
            odds[index] += still * heads[index]
            still *= 1 - heads[index]
    return odds


ODDS = {
    sampling.exponential_choice: exponential_odds,
    sampling.permute_and_flip: permute_and_flip_odds,
}


def counts_of(choose: Choose, scores: list[int] | np.ndarray, rate: Fraction) -> np.ndarray:
    chosen = [choose(scores, rate) for _ in range(COUNT)]
    return np.bincount(chosen, minlength=len(scores))


@pytest.mark.parametrize("choose", CHOICES)
@pytest.mark.parametrize(("scores", "rate"), CASES)
def test_small_choices_have_their_exact_odds(
    choose: Choose, scores: list[int], rate: Fraction
) -> None:
    assert luck(counts_of(choose, scores, rate), ODDS[choose](scores, rate)) > FALSE_ALARM


def test_the_two_mechanisms_are_told_apart() -> None:
    scores, rate = CASES[0]
    counts = counts_of(sampling.exponential_choice, scores, rate)
    assert luck(counts, permute_and_flip_odds(scores, rate)) < FALSE_ALARM


@pytest.mark.parametrize("choose", CHOICES)
def test_arrays_of_every_integer_type_have_the_same_odds(choose: Choose) -> None:
    rate = Fraction(1, 2)
    odds = ODDS[choose]([0, 1, 3], rate)
    for kind in (np.int8, np.int64, np.uint64):
        least = np.iinfo(kind).min
        scores = np.array([least, least + 1, least + 3], dtype=kind)
        assert luck(counts_of(choose, scores, rate), odds) > FALSE_ALARM


@pytest.mark.parametrize("choose", CHOICES)
@pytest.mark.parametrize("rate", ["1/3", 10**400, "1e-300"])
def test_huge_gaps_do_not_overflow(choose: Choose, rate: str | int) -> None:
    scores = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    if rate != "1e-300":
        assert {choose(scores, rate) for _ in range(50)} == {1}
        assert {choose([-(10**300), 10**300], rate) for _ in range(50)} == {1}
    else:
        assert {choose(scores, rate) for _ in range(200)} == {0, 1}
        assert {choose([0, 10**700], rate) for _ in range(50)} == {1}


@pytest.mark.parametrize("choose", CHOICES)
def test_one_candidate_is_chosen_and_equal_ones_alike(choose: Choose) -> None:
    assert choose([-(10**100)], 3) == 0
    assert choose(np.array([7], np.uint8), 0) == 0
    scores = np.zeros(7, dtype=np.int64)
    assert luck(counts_of(choose, scores, Fraction(9)), [1 / 7] * 7) > FALSE_ALARM


@pytest.mark.parametrize("choose", CHOICES)
def test_a_million_candidates_are_no_trouble(choose: Choose) -> None:
    scores = np.arange(1_000_000)
    chosen = [choose(scores, 1) for _ in range(20)]
    assert min(chosen) > 999_900
    everyone = [choose(np.zeros(1_000_000, np.int64), 1) for _ in range(20)]
    assert len(set(everyone)) > 15


def test_a_refused_proposal_is_made_again() -> None:
    # The second candidate weighs two of all proposals, which its true odds refuse but never.
    proposals = (1 << 59) + (1 << 23) + 4
    script = format(proposals - 1, "060b") + "1" * 64 + "0" * 132
    octets = int(script, 2).to_bytes(32, "little")
    bits = FixedBits(octets)
    assert sampling.exponential_choice([0, -(10**6)], 1, bits=bits) == 0
    assert not bits.left


def test_half_of_the_odds_may_lie_with_a_million_unlikely_candidates() -> None:
    scores = np.append(np.full(1 << 20, -20), 0)
    log_two = "0.69314718055994530942"
    best = [sampling.exponential_choice(scores, log_two) == 1 << 20 for _ in range(100)]
    # A fair coin strays so far with probability below 1e-9.
    assert 18 < sum(best) < 82


@pytest.mark.parametrize("choose", CHOICES)
def test_scores_that_are_no_whole_numbers_are_refused_and_not_shown(choose: Choose) -> None:
    for scores in (
        [1.5, 2],
        np.array([0.1234]),
        ["1234"],
        [True],
        np.array([[1234]]),
        1234,
        [None],
    ):
        with pytest.raises(PrivateArgumentError, match="scores") as caught:
            choose(scores, 1)
        assert "1234" not in str(caught.value)
    for scores in ([], np.array([], dtype=int)):
        with pytest.raises(InvalidArgumentError, match="scores"):
            choose(scores, 1)
    for rate in (-1, math.nan, math.inf, True):
        with pytest.raises(InvalidArgumentError, match="rate"):
            choose([1, 2], rate)
