"""Whether what is asked for wrongly is refused by name, and shapes are what numpy users expect."""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from differential_privacy import sampling
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sampling import family

DRAWS_BY_NAME = [
    (sampling.discrete_laplace, "scale"),
    (sampling.discrete_gaussian, "scale"),
    (sampling.discrete_gaussian_of_variance, "variance"),
    (sampling.bernoulli, "p"),
    (sampling.bernoulli_exp, "x"),
    (sampling.uniform, "below"),
]
BAD = [-1, math.nan, math.inf, -math.inf, True, None, "one", 1j]


@pytest.mark.parametrize(("draw", "name"), DRAWS_BY_NAME)
@pytest.mark.parametrize("value", BAD, ids=repr)
def test_bad_parameters_are_refused_by_name(
    draw: Callable[..., object], name: str, value: object
) -> None:
    for size in (None, 3):
        with pytest.raises(InvalidArgumentError) as caught:
            draw(value, size)
        assert caught.value.argument == name


@pytest.mark.parametrize(("draw", "name"), [*DRAWS_BY_NAME[:3], DRAWS_BY_NAME[5]])
def test_zero_is_no_scale(draw: Callable[..., object], name: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        draw(0, 3)
    assert caught.value.argument == name


@pytest.mark.parametrize(("draw", "_name"), DRAWS_BY_NAME)
@pytest.mark.parametrize("size", [-1, True, 2.0, (2, -1), (2, 1.5), "3", [2]], ids=repr)
def test_bad_sizes_are_refused_by_name(
    draw: Callable[..., object], _name: str, size: object
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        draw(1, size)
    assert caught.value.argument == "size"


@pytest.mark.parametrize(("draw", "_name"), DRAWS_BY_NAME)
@pytest.mark.parametrize("size", [0, 1, 5, 40_000, (), (0, 3), (2, 3), (3, 1, 700), np.int64(4)])
def test_arrays_have_the_shape_asked_for(
    draw: Callable[..., np.ndarray], _name: str, size: int | tuple[int, ...]
) -> None:
    drawn = draw(1, size)
    assert drawn.shape == (size if isinstance(size, tuple) else (int(size),))
    assert drawn.dtype == (np.bool_ if "bernoulli" in draw.__name__ else np.int64)


def test_scales_may_be_written_in_every_exact_way() -> None:
    for scale in (1, 0.5, "1/3", "2.5", Fraction(1, 3), np.float64(0.5)):
        assert sampling.discrete_laplace(scale, 3).dtype == np.int64


def test_small_arrays_of_one_scale_pay_for_a_table_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    blocks = family.Blocks
    monkeypatch.setattr(family, "Blocks", lambda law: made.append(law) or blocks(law))
    scale = Fraction(987_654_321, 1_234_567)
    sampling.discrete_laplace(scale, family.WORTH - 1)
    assert not made
    for _ in range(5):
        sampling.discrete_laplace(scale, 1)
    assert len(made) == 1
    sampling.discrete_laplace(scale, 100_000)
    sampling.discrete_laplace(scale)
    assert len(made) == 1


def test_only_so_many_tables_are_kept() -> None:
    for step in range(2 * family.KEPT):
        sampling.discrete_laplace(1000 + step, 1)
    assert family._prepared.cache_info().currsize == family.KEPT


def test_threads_may_share_the_tables() -> None:
    def work(step: int) -> float:
        drawn = sampling.discrete_laplace(500 + step % 40, 20_000)
        return float(np.abs(drawn).mean()) / (500 + step % 40)

    with ThreadPoolExecutor(8) as pool:
        means = list(pool.map(work, range(160)))
    # A mean of 20000 sizes strays by a 141st of the scale.
    assert max(abs(mean - 1) for mean in means) < 8 / 141
