"""Whether subsets and orders are uniform: exact odds where few, and at ten million where many."""

import itertools
import math

import numpy as np
import pytest
from tests.sampling.conftest import DRAWS, FALSE_ALARM, luck

from differential_privacy import sampling
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sampling.subsets import _some, _sorted_by_keys

COUNT = min(max(DRAWS // 20, 20_000), 500_000)


def index_counts(outcomes: list[tuple[int, ...]], possible: list[tuple[int, ...]]) -> np.ndarray:
    place = {outcome: index for index, outcome in enumerate(possible)}
    return np.bincount([place[outcome] for outcome in outcomes], minlength=len(possible))


@pytest.mark.parametrize("population", [2, 3, 4, 5])
def test_every_order_is_equally_likely(population: int) -> None:
    drawn = [tuple(sampling.shuffle(population).tolist()) for _ in range(COUNT)]
    possible = list(itertools.permutations(range(population)))
    counts = index_counts(drawn, possible)
    assert luck(counts, [1 / len(possible)] * len(possible)) > FALSE_ALARM


@pytest.mark.parametrize("key_bits", [1, 2, 5])
def test_every_order_is_equally_likely_when_most_keys_are_equal(key_bits: int) -> None:
    bits = sampling.secure_bits()
    drawn = [tuple(_sorted_by_keys(4, key_bits, bits).tolist()) for _ in range(COUNT // 5)]
    possible = list(itertools.permutations(range(4)))
    counts = index_counts(drawn, possible)
    assert luck(counts, [1 / 24] * 24) > FALSE_ALARM


def test_orders_by_equal_keys_left_as_they_are_would_be_rejected() -> None:
    keys = sampling.uniform(4, (COUNT // 5, 4))
    drawn = [tuple(np.argsort(row, kind="stable").tolist()) for row in keys]
    counts = index_counts(drawn, list(itertools.permutations(range(4))))
    assert luck(counts, [1 / 24] * 24) < FALSE_ALARM


@pytest.mark.parametrize(("population", "size"), [(5, 2), (5, 3), (6, 1), (6, 5)])
def test_every_subset_of_a_size_is_equally_likely(population: int, size: int) -> None:
    drawn = [tuple(sampling.fixed_subset(population, size).tolist()) for _ in range(COUNT)]
    possible = list(itertools.combinations(range(population), size))
    counts = index_counts(drawn, possible)
    assert luck(counts, [1 / len(possible)] * len(possible)) > FALSE_ALARM


def test_few_members_of_many_are_uniform() -> None:
    population, size = 200, 3
    drawn = [tuple(_some(population, size, sampling.secure_bits()).tolist()) for _ in range(COUNT)]
    assert all(len(set(some)) == size for some in drawn)
    counts = np.bincount(np.ravel(drawn), minlength=population)
    assert luck(counts, [1 / population] * population) > FALSE_ALARM
    first = np.bincount([some[0] for some in drawn], minlength=population)
    ways = math.comb(population, size)
    odds = [math.comb(population - 1 - least, size - 1) / ways for least in range(population)]
    assert luck(first, odds) > FALSE_ALARM


def test_poisson_subsets_have_independent_members() -> None:
    drawn = [tuple(sampling.poisson_subset(4, "1/3").tolist()) for _ in range(COUNT)]
    possible = [some for size in range(5) for some in itertools.combinations(range(4), size)]
    odds = [(1 / 3) ** len(some) * (2 / 3) ** (4 - len(some)) for some in possible]
    assert luck(index_counts(drawn, possible), odds) > FALSE_ALARM


def test_ten_million_are_no_trouble() -> None:
    population = 10_000_000
    order = sampling.shuffle(population)
    assert order.dtype == np.int64
    seen = np.zeros(population, dtype=np.bool_)
    seen[order] = True
    assert seen.all()
    cells = np.bincount(10 * (order // 1_000_000) + np.arange(population) // 1_000_000)
    assert luck(cells, [1 / 100] * 100) > FALSE_ALARM
    for size in (1000, 1_000_000, 9_000_000):
        some = sampling.fixed_subset(population, size)
        assert some.size == size
        assert (np.diff(some) > 0).all()
    some = sampling.poisson_subset(population, "1/100")
    assert abs(some.size - 100_000) < 7 * math.sqrt(99_000)


def test_the_empty_population_has_one_order_and_one_subset() -> None:
    for some in (sampling.shuffle(0), sampling.fixed_subset(0, 0), sampling.poisson_subset(0, 1)):
        assert some.dtype == np.int64
        assert some.size == 0
    assert sampling.fixed_subset(10**12, 3).size == 3
    assert sampling.fixed_subset(4, 4).tolist() == [0, 1, 2, 3]
    assert sampling.fixed_subset(4, 0).tolist() == []


def test_subsets_larger_than_the_population_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="size = 4"):
        sampling.fixed_subset(3, 4)
    with pytest.raises(InvalidArgumentError, match="population"):
        sampling.shuffle(-1)
    with pytest.raises(InvalidArgumentError, match="population"):
        sampling.shuffle(1 << 41)
    with pytest.raises(InvalidArgumentError, match="rate"):
        sampling.poisson_subset(3, 2)
