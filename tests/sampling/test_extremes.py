"""Whether very small and very large scales neither wrap nor lose their size."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.sampling.conftest import FALSE_ALARM, FixedBits, luck

from differential_privacy import sampling
from differential_privacy.sampling.blocks import Blocks
from differential_privacy.sampling.gaussian import GaussianLaw
from differential_privacy.sampling.laplace import LaplaceLaw
from differential_privacy.sampling.table import Table, proven_floors

COUNT = 4000
LAWS = [sampling.discrete_laplace, sampling.discrete_gaussian]
HALF = {"discrete_laplace": 0.6931471805599453, "discrete_gaussian": 0.6744897501960817}
"""The median size of a draw, in scales."""

Draw = Callable[..., np.ndarray]


@pytest.mark.parametrize("draw", LAWS)
@pytest.mark.parametrize("exponent", [12, 14, 18, 30, 300])
def test_large_scales_give_large_values_of_both_signs(draw: Draw, exponent: int) -> None:
    scale = 10**exponent
    half = int(HALF[draw.__name__] * scale)
    drawn = [int(x) for x in draw(scale, COUNT)]
    counts = np.zeros((2, 2), dtype=np.int64)
    for x in drawn:
        counts[int(x < 0), int(abs(x) < half)] += 1
    assert luck(counts.ravel(), [1 / 4] * 4) > FALSE_ALARM
    assert max(map(abs, drawn)) < 60 * scale
    assert len(set(drawn)) == COUNT


@pytest.mark.parametrize("draw", LAWS)
@pytest.mark.parametrize("scale", ["0.000001", "1e-30", "1e-300", "1/1000"])
def test_tiny_scales_give_zero(draw: Draw, scale: str) -> None:
    assert not draw(scale, 100_000).any()
    assert not draw(scale, 10).any()
    assert draw(scale) == 0


@pytest.mark.parametrize("draw", LAWS)
def test_the_type_of_an_array_depends_on_the_scale_alone(draw: Draw) -> None:
    for count in (0, 3, 2000):
        assert draw(10**14, count).dtype == np.int64
        assert draw(10**18, count).dtype == object
    assert all(type(x) is int for x in draw(10**18, 5))
    assert type(draw(10)) is int


def test_a_draw_that_does_not_fit_is_an_error_and_never_wraps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for law in (LaplaceLaw(Fraction(10**14)), GaussianLaw(Fraction(10**32))):
        blocks = Blocks(law)
        last = blocks._signed(np.array([(1 << 64 - law.shift) - 1], np.int64))
        assert last.tolist() == [-(1 << 63)]
        with pytest.raises(OverflowError):
            blocks._signed(np.array([1 << 64 - law.shift], np.int64))
    monkeypatch.setattr(Table, "_refine", lambda *_: 1 << 70)
    with pytest.raises(OverflowError):
        Blocks(LaplaceLaw(Fraction(1)), bits=17).draw(100_000, sampling.secure_bits())


def test_the_whole_tail_of_a_table_is_reached() -> None:
    # 128 ones and then zeros: U is 2**-128 below 1, where thresholds for 64 bits do not reach.
    law = LaplaceLaw(Fraction(1))
    bits = FixedBits(b"\xff" * 8 + bytes(24) + b"\xff" * 8)
    drawn = int(Table(law).resolve(np.array([0xFFFF], np.uint16), bits)[0])
    assert drawn > len(proven_floors(law, 64))
    # Less than 2h has probability 1 - exp(-h).
    assert drawn // 2 == int(128 * np.log(2))


def test_the_largest_scale_of_int64_leaves_no_room_for_overflow() -> None:
    largest = (1 << 63) // 27726
    assert sampling.discrete_laplace(largest, 1).dtype == np.int64
    assert sampling.discrete_laplace(largest + 1, 1).dtype == object
    assert np.abs(sampling.discrete_laplace(largest, 100_000)).max() < 1 << 55
