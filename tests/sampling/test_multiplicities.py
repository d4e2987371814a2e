"""Whether an index that stands for many candidates has exactly the odds of all of them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sampling.conftest import DRAWS, FALSE_ALARM, FixedBits, luck

from differential_privacy import sampling
from differential_privacy.errors import PrivateArgumentError
from differential_privacy.sampling.digits import exp_of_minus

COUNT = min(max(DRAWS // 50, 10_000), 200_000)
CASES = [
    ([3, 1, 0, 3], [1, 5, 2, 1], Fraction(1, 2)),
    ([0, -28, -43], [1, 2**40, 2**62], Fraction(1)),
    ([0, -(10**3), -7], [1, 2**62, 10**3], Fraction(1)),
    ([10**25, 10**25 - 1, 10**25 + 2], [7, 11, 1], Fraction(2, 3)),
    ([0, 0, 0], [2**61, 2**60, 2**60], Fraction(0)),
]


def many(multiplicities: list[int]) -> np.ndarray:
    return np.array(multiplicities, dtype=np.int64)


def odds(scores: list[int], multiplicities: list[int], rate: Fraction) -> np.ndarray:
    best = max(scores)
    weights = np.array(
        [
            m * math.exp(float((score - best) * rate))
            for score, m in zip(scores, multiplicities, strict=True)
        ]
    )
    return weights / weights.sum()


def counts(scores: list[int], multiplicities: list[int], rate: Fraction) -> np.ndarray:
    chosen = [
        sampling.exponential_choice(scores, rate, multiplicities=many(multiplicities))
        for _ in range(COUNT)
    ]
    return np.bincount(chosen, minlength=len(scores))


@pytest.mark.parametrize(("scores", "multiplicities", "rate"), CASES)
def test_choices_with_multiplicities_have_their_exact_odds(
    scores: list[int], multiplicities: list[int], rate: Fraction
) -> None:
    drawn = counts(scores, multiplicities, rate)
    assert luck(drawn, odds(scores, multiplicities, rate)) > FALSE_ALARM


def test_multiplicities_that_are_forgotten_are_rejected() -> None:
    scores, multiplicities, rate = CASES[0]
    drawn = counts(scores, multiplicities, rate)
    assert luck(drawn, odds(scores, [1] * len(scores), rate)) < FALSE_ALARM


@given(
    listed=st.lists(
        st.tuples(st.integers(0, 10**4), st.integers(1, 2**61)), min_size=1, max_size=30
    ),
    rate=st.fractions(Fraction(1, 10**6), 3),
)
def test_no_index_is_proposed_less_often_than_its_weight(
    listed: list[tuple[int, int]], rate: Fraction
) -> None:
    """Every last proposal of an index has odds of at most one, so they are odds."""
    scores = [-gap for gap, _ in listed]
    proposed = []

    class Recorded(FixedBits):
        def octets(self, count: int) -> np.ndarray:
            return np.zeros(count, dtype=np.uint8)

    original = np.cumsum

    def recorded(weights: np.ndarray) -> np.ndarray:
        proposed.append(weights)
        return original(weights)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("differential_privacy.sampling.choice.np.cumsum", recorded)
        multiplicities = many([m for _, m in listed])
        sampling.exponential_choice(scores, rate, multiplicities=multiplicities, bits=Recorded(b""))
    (weights,) = proposed
    assert 2**59 <= weights.sum() < 2**61
    # One power of two scales all of them; the largest tells which.
    least, largest = min(gap for gap, _ in listed), int(np.argmax(weights))
    exact = [m * math.exp(-(gap - least) * float(rate)) for gap, m in listed]
    power = Fraction(2) ** round(math.log2(weights[largest] / exact[largest]))
    for (gap, m), weight in zip(listed, weights.tolist(), strict=True):
        high = Fraction(exp_of_minus((gap - least) * rate, 200)[1], 1 << 200)
        assert power * m * high <= weight


@pytest.mark.parametrize(
    "wrong",
    [many([1]), many([1, 0]), many([1, -1]), np.array([1.0, 1.0]), many([1, 1, 1])],
    ids=str,
)
def test_multiplicities_that_are_none_are_refused(wrong: np.ndarray) -> None:
    with pytest.raises(PrivateArgumentError, match="multiplicities"):
        sampling.exponential_choice([1, 2], 1, multiplicities=wrong)


def test_hardly_any_proposal_is_refused_whatever_the_multiplicities() -> None:
    """So the time tells next to nothing, also where the best is one of very many."""
    scores = np.append(np.full(10**6, -100), 0)
    multiplicities = np.append(np.full(10**6, 2**40), 1)
    bits = Counting()
    for _ in range(50):
        sampling.exponential_choice(scores, 1, multiplicities=multiplicities, bits=bits)
    # A draw reads what a Reader fetches at once, and once more where uniform numbers are too large.
    assert bits.calls < 50 * 4


class Counting:
    def __init__(self) -> None:
        self.calls = 0
        self.source = sampling.secure_bits()

    def octets(self, count: int) -> np.ndarray:
        self.calls += 1
        return self.source.octets(count)
