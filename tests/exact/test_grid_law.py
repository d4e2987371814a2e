"""Law: two reals at most s apart have indices at most steps(s) apart, whatever floats do."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import Grid

STEPS = st.sampled_from(
    [
        Fraction(1),
        Fraction(1, 10),
        Fraction(1, 3),
        Fraction(37, 10),
        Fraction(7, 1000),
        Fraction(1, 1 << 20),
        Fraction(3, 10**9),
        Fraction(10**6),
        Fraction(10**6, 7),
    ]
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def grid_of(step: Fraction) -> Grid:
    return Grid(step=step, lower=-step * 10**6, upper=step * 10**6)


def nearest(grid: Grid, value: float) -> int:
    """The index by fractions alone: clamped to the ends, halves up."""
    if math.isnan(value):
        return grid.first
    if math.isinf(value):
        return grid.last if value > 0 else grid.first
    return max(grid.first, min(grid.last, math.floor(Fraction(value) / grid.step + Fraction(1, 2))))


def keeps_apart(index: object, grid: Grid, one: float, other: float) -> bool:
    apart = abs(Fraction(one) - Fraction(other))
    first, second = index([one, other])
    return abs(int(first) - int(second)) <= grid.steps(apart)


@given(STEPS, st.integers(-(10**6), 10**6), st.integers(-4, 4), st.integers(-4, 4))
def test_adversarial_halves_stay_close(step: Fraction, at: int, ulps: int, others: int) -> None:
    grid = grid_of(step)
    value = float((at + Fraction(1, 2)) * step)
    other = float((at - Fraction(1, 2)) * step)
    for _ in range(abs(ulps)):
        value = math.nextafter(value, math.copysign(math.inf, ulps))
    for _ in range(abs(others)):
        other = math.nextafter(other, math.copysign(math.inf, others))
    assert keeps_apart(grid.index, grid, value, other)
    assert grid.index([value, other]).tolist() == [nearest(grid, value), nearest(grid, other)]


@given(STEPS, FLOATS, FLOATS)
def test_any_two_floats_stay_close(step: Fraction, one: float, other: float) -> None:
    grid = grid_of(step)
    assert keeps_apart(grid.index, grid, one, other)
    assert grid.index([one]).tolist() == [nearest(grid, one)]


@given(
    st.fractions(Fraction(1, 10**9), 10**9, max_denominator=10**9),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
    st.floats(-1e6, 1e6),
)
def test_every_grid_gives_the_nearest_point(
    step: Fraction, one: float, other: float, low: float, high: float
) -> None:
    try:
        grid = Grid(step=step, lower=min(low, high), upper=max(low, high))
    except InvalidArgumentError:
        return
    assert grid.index([one, other]).tolist() == [nearest(grid, one), nearest(grid, other)]
    assert keeps_apart(grid.index, grid, one, other)
    assert grid.first <= grid.index([one])[0] <= grid.last
    assert grid.lower <= grid.point(grid.first) <= grid.point(grid.last) <= grid.upper


@given(STEPS)
def test_it_is_reached(step: Fraction) -> None:
    grid = grid_of(step)
    assert grid.steps(step) == 1
    assert grid.steps(step * Fraction(101, 100)) == 2
    low, high = grid.index([float(step * Fraction(49, 100)), float(step * Fraction(151, 100))])
    assert high - low == 2


@pytest.mark.parametrize("at", [2**51, 2**52 - 10, -(2**52) + 10])
@pytest.mark.parametrize("step", [Fraction(1), Fraction(1, 3), Fraction(37, 10), Fraction(1, 10)])
def test_the_largest_indices_are_right(at: int, step: Fraction) -> None:
    end = step * (2**52 - 2)
    grid = Grid(step=step, lower=-end, upper=end)
    values = [float((at + Fraction(k, 4)) * step) for k in range(-8, 9)]
    assert grid.index(values).tolist() == [nearest(grid, value) for value in values]


@given(STEPS)
def test_nothing_in_the_data_is_an_error(step: Fraction) -> None:
    grid = grid_of(step)
    odd = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, 0.0, -0.0]
    assert grid.index(odd).tolist() == [nearest(grid, value) for value in odd]
    assert grid.index([]).tolist() == []
    short = [math.nan, math.inf, -math.inf, 3e38, -3e38, 0.0]
    assert grid.index(np.array(short, dtype=np.float32)).shape == (len(short),)
    assert grid.index(np.zeros((2, 3))).shape == (2, 3)


def test_one_value_has_one_index() -> None:
    assert int(Grid(step=1, lower=0, upper=10).index(3.2)) == 3


def test_whole_numbers_too_large_for_a_float_are_clamped_or_refused_as_private() -> None:
    grid = Grid(step=1, lower=0, upper=10)
    try:
        assert grid.index([10**400, -(10**400)]).tolist() == [10, 0]
    except PrivateArgumentError as refused:
        assert "0000" not in str(refused)  # noqa: PT017


def test_whole_numbers_beyond_2_to_53_stay_close() -> None:
    grid = Grid(step="3.7", lower=0, upper=12 * 10**15)
    values = np.arange(2**53, 2**53 + 400, dtype=np.int64)
    indices = grid.index(values)
    for apart in (1, 2, 3):
        most = int((indices[apart:] - indices[:-apart]).max())
        assert most <= grid.steps(Fraction(apart)), f"{apart} apart, but {most} steps"


def test_exact_fractions_stay_close() -> None:
    grid = Grid(step="0.1", lower=-1, upper=1)
    low, high = grid.index([Fraction(-1, 20), Fraction(1, 20)])
    assert high - low <= grid.steps(Fraction(1, 10))


@pytest.mark.parametrize("bad", ["a", b"a", [object()], [[1], [1, 2]], [1j], ["secret-7"]])
def test_what_is_no_number_is_refused_without_being_shown(bad: object) -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        Grid(step=1, lower=0, upper=1).index(bad)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("step", "lower", "upper"),
    [
        (0, 0, 1),
        (-1, 0, 1),
        (1, 2, 1),
        (10, 1, 9),
        (1, 0, 2**52),
        (1, -(2**52), 0),
        ("1e-9", 0, 10**9),
        (math.nan, 0, 1),
        (1, math.inf, math.inf),
        (1, 0, None),
    ],
)
def test_impossible_grids_are_refused_by_name(step: object, lower: object, upper: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"(step|lower|upper) = "):
        Grid(step=step, lower=lower, upper=upper)


@pytest.mark.parametrize(
    ("step", "upper"), [("1e-400", "1e-398"), ("1e390", "1e400"), ("1e-310", "1e-305")]
)
def test_a_grid_outside_of_floats_is_refused_when_it_is_made_or_works(
    step: str, upper: str
) -> None:
    try:
        grid = Grid(step=step, lower=0, upper=upper)
    except InvalidArgumentError:
        return
    assert grid.index([1e300, 0.0]).tolist() == [nearest(grid, 1e300), 0]


@given(STEPS, st.floats(-1e5, 1e5))
@example(Fraction(1, 10), 0.25)
def test_a_grid_reads_back_from_its_repr(step: Fraction, lower: float) -> None:
    grid = Grid(step=step, lower=lower, upper=lower + float(step) * 3)
    assert eval(repr(grid), {"Grid": Grid, "Fraction": Fraction}) == grid  # noqa: S307


def test_planted_rounding_in_floats_alone_is_found() -> None:
    grid = Grid(step="0.1", lower=-100, upper=100)

    def in_floats(values: list[float]) -> list[int]:
        return np.floor(np.asarray(values) / 0.1 + 0.5).astype(np.int64).tolist()

    halves = [float(Fraction(2 * k + 1, 20)) for k in range(-900, 900)]
    assert in_floats(halves) != [nearest(grid, value) for value in halves]
    assert grid.index(halves).tolist() == [nearest(grid, value) for value in halves]


def test_planted_rounding_half_to_even_is_found() -> None:
    grid = Grid(step=1, lower=-100, upper=100)

    def to_even(values: list[float]) -> list[int]:
        return [round(value) for value in values]

    assert not all(keeps_apart(to_even, grid, k + 0.5, k + 1.5) for k in range(4))
    assert all(keeps_apart(grid.index, grid, k + 0.5, k + 1.5) for k in range(4))
