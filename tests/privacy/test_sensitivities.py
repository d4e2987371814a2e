"""Law: a sensitivity is the Lipschitz constant over all datasets: never passed, and reached."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.accounting import lipschitz, lipschitz_at, score_lipschitz
from differential_privacy.errors import InvalidArgumentError, UnboundedSensitivityError
from differential_privacy.privacy import (
    AddRemoveRows,
    ChangeRows,
    Sensitivity,
    count_sensitivity,
    histogram_sensitivity,
    mean_sensitivity,
    median_sensitivity,
    sum_sensitivity,
    variance_sensitivity,
)

DOMAINS = [
    (Fraction(0), Fraction(1)),
    (Fraction(-2), Fraction(0), Fraction(3)),
    (Fraction(1, 3), Fraction(1, 2), Fraction(5, 4)),
    (Fraction(-5), Fraction(-1)),
    (Fraction(4),),
]


def tables(domain: tuple, least: int, most: int) -> Iterator[tuple]:
    for size in range(least, most + 1):
        yield from combinations_with_replacement(domain, size)


def neighbors(unit: object, domain: tuple, sizes: tuple[int, int]) -> list[tuple[tuple, tuple]]:
    everything = list(tables(domain, *sizes))
    if isinstance(unit, AddRemoveRows):
        return [
            (rows, tuple(sorted((*rows, value))))
            for rows in everything
            if len(rows) < sizes[1]
            for value in domain
        ]
    return [
        (rows, tuple(sorted((*rows[:place], value, *rows[place + 1 :]))))
        for rows in everything
        for place in range(len(rows))
        for value in domain
    ]


def norms(moves: list[list[Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    return (
        max(sum(map(abs, move), Fraction(0)) for move in moves),
        max(sum((x * x for x in move), Fraction(0)) for move in moves),
        max(max(map(abs, move), default=Fraction(0)) for move in moves),
    )


def of(sensitivity: Sensitivity) -> tuple:
    return sensitivity.l1, sensitivity.l2_squared, sensitivity.most


def constant(query: Callable, unit: object, domain: tuple, sizes: tuple[int, int]) -> tuple:
    moves = [
        [a - b for a, b in zip(query(one), query(other), strict=True)]
        for one, other in neighbors(unit, domain, sizes)
    ]
    return norms(moves)


def variance(rows: tuple) -> Fraction:
    mean = sum(rows, Fraction(0)) / len(rows)
    return sum(((x - mean) ** 2 for x in rows), Fraction(0)) / len(rows)


UNITS = [AddRemoveRows(), ChangeRows()]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_count_moves_by_one_and_does(unit: object) -> None:
    for domain in DOMAINS[:3]:
        found = constant(
            lambda rows, d=domain: [sum(x >= d[-1] for x in rows)], unit, domain, (0, 4)
        )
        assert found == of(count_sensitivity())


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_histogram_moves_as_far_as_it_says_and_does(unit: object) -> None:
    for domain in DOMAINS[:3]:
        found = constant(
            lambda rows, d=domain: [Fraction(Counter(rows)[x]) for x in d], unit, domain, (0, 4)
        )
        assert found == of(histogram_sensitivity(unit))


@pytest.mark.parametrize("unit", UNITS, ids=repr)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_sum_moves_as_far_as_it_says_and_does(unit: object, domain: tuple) -> None:
    found = constant(lambda rows: [sum(rows, Fraction(0))], unit, domain, (0, 4))
    assert found == of(sum_sensitivity(domain[0], domain[-1], unit))


@pytest.mark.parametrize("rows", [1, 2, 3, 5])
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_mean_moves_as_far_as_it_says_and_does(domain: tuple, rows: int) -> None:
    found = constant(
        lambda data: [sum(data, Fraction(0)) / rows], ChangeRows(), domain, (rows, rows)
    )
    assert found == of(mean_sensitivity(domain[0], domain[-1], rows=rows))


@pytest.mark.parametrize("rows", [1, 3, 5])
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_median_moves_as_far_as_it_says_and_does(domain: tuple, rows: int) -> None:
    found = constant(lambda data: [statistics.median(data)], ChangeRows(), domain, (rows, rows))
    assert found == of(median_sensitivity(domain[0], domain[-1]))


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_median_of_a_private_number_of_rows_moves_as_far_as_it_says_and_does(
    domain: tuple,
) -> None:
    for median in (statistics.median_low, statistics.median_high, statistics.median):
        found = constant(lambda data, m=median: [m(data)], AddRemoveRows(), domain, (1, 5))
        assert found[0] <= median_sensitivity(domain[0], domain[-1]).l1
    low = constant(lambda data: [statistics.median_low(data)], AddRemoveRows(), domain, (1, 5))
    assert low == of(median_sensitivity(domain[0], domain[-1]))


@pytest.mark.parametrize("rows", [2, 3, 4, 6])
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_variance_moves_as_far_as_it_says_and_does(domain: tuple, rows: int) -> None:
    found = constant(lambda data: [variance(data)], ChangeRows(), domain, (rows, rows))
    assert found == of(variance_sensitivity(domain[0], domain[-1], rows=rows))
    found = constant(
        lambda data: [variance(data) * rows / (rows - 1)], ChangeRows(), domain, (rows, rows)
    )
    assert found == of(variance_sensitivity(domain[0], domain[-1], rows=rows, sample=True))


@pytest.mark.parametrize("missing", [(None, 1), (0, None), (None, None)])
def test_what_one_row_moves_without_limit_is_refused_by_name(missing: tuple) -> None:
    for asked in (
        lambda: sum_sensitivity(*missing, AddRemoveRows()),
        lambda: sum_sensitivity(*missing, ChangeRows()),
        lambda: mean_sensitivity(*missing, rows=3),
        lambda: median_sensitivity(*missing),
        lambda: variance_sensitivity(*missing, rows=3),
    ):
        with pytest.raises(UnboundedSensitivityError, match=r"(lower|upper) = None"):
            asked()


@pytest.mark.parametrize("bad", [(1, 0), (float("inf"), 1), (0, float("nan")), ("a", 1), (0, True)])
def test_impossible_ranges_are_refused_by_name(bad: tuple) -> None:
    for asked in (
        lambda: sum_sensitivity(*bad, AddRemoveRows()),
        lambda: mean_sensitivity(*bad, rows=3),
        lambda: median_sensitivity(*bad),
        lambda: variance_sensitivity(*bad, rows=3),
    ):
        with pytest.raises(InvalidArgumentError, match=r"(lower|upper) = "):
            asked()


@pytest.mark.parametrize("rows", [0, -1, 2.5, None, True, "3"])
def test_impossible_sizes_are_refused_by_name(rows: object) -> None:
    for asked in (
        lambda: mean_sensitivity(0, 1, rows=rows),
        lambda: variance_sensitivity(0, 1, rows=rows),
    ):
        with pytest.raises(InvalidArgumentError, match="rows = "):
            asked()


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_norms_that_follow_hold_for_every_set_of_moves(moves: list[list[int]]) -> None:
    l1, square, most = norms([[Fraction(x) for x in move] for move in moves])
    for told in (Sensitivity(l1), Sensitivity(l1, most=most), Sensitivity(l1, l2_squared=square)):
        assert told.need_l1() >= l1
        assert told.need_l2_squared() >= square
        assert told.need_most() >= most
    everything = Sensitivity(l1, l2_squared=square, most=most)
    assert of(everything) == (l1, square, most)
    for units in (0, 1, 3):
        grown = norms([[Fraction(x * units) for x in move] for move in moves])
        assert of(everything.times(units)) == grown
    assert eval(repr(everything), {"Sensitivity": Sensitivity, "Fraction": Fraction}) == everything  # noqa: S307


def test_norms_that_do_not_follow_are_asked_for_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match="l1"):
        Sensitivity(l2_squared=2).need_l1()
    with pytest.raises(InvalidArgumentError, match="l2_squared"):
        Sensitivity(most=2).need_l2_squared()
    for bad in ({}, {"l1": -1}, {"l2_squared": float("nan")}, {"most": float("inf")}):
        with pytest.raises(InvalidArgumentError, match=r"(l1|l2_squared|most) = "):
            Sensitivity(**bad)
    with pytest.raises(InvalidArgumentError, match="units = "):
        Sensitivity(1).times(-1)


@given(st.dictionaries(st.integers(-5, 5), st.integers(-20, 20), min_size=2, max_size=6))
def test_a_lipschitz_constant_is_the_least_that_bounds_every_slope(table: dict[int, int]) -> None:
    points = list(table)
    slopes = {
        (x, y): Fraction(abs(table[x] - table[y]), abs(x - y))
        for x, y in product(points, repeat=2)
        if x != y
    }
    assert lipschitz(table.get, points) == max(slopes.values())
    for at in points:
        assert lipschitz_at(table.get, points, at=at) == max(
            s for p, s in slopes.items() if p[0] == at
        )
    assert score_lipschitz(lambda x, c: c * table[x], points, [1, -3, 2]) == 3 * max(
        slopes.values()
    )


def test_planted_a_range_for_the_farther_end_is_found() -> None:
    domain = DOMAINS[1]
    truth = constant(lambda rows: [sum(rows, Fraction(0))], AddRemoveRows(), domain, (0, 4))
    assert of(Sensitivity(domain[-1] - domain[0])) != truth
    truth = constant(lambda rows: [sum(rows, Fraction(0))], ChangeRows(), domain, (0, 4))
    assert of(Sensitivity(max(map(abs, domain)))) != truth


def test_planted_the_popular_one_over_n_of_a_variance_is_found() -> None:
    truth = constant(lambda data: [variance(data)], ChangeRows(), DOMAINS[0], (4, 4))
    assert of(Sensitivity(Fraction(1, 4))) != truth
    assert of(Sensitivity(Fraction(1, 4) ** 2)) != truth


def test_planted_one_bin_for_a_changed_row_is_found() -> None:
    domain = DOMAINS[1]
    truth = constant(
        lambda rows: [Fraction(Counter(rows)[x]) for x in domain], ChangeRows(), domain, (0, 3)
    )
    assert of(histogram_sensitivity(AddRemoveRows())) != truth
