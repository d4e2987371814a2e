"""Whether discrete Laplace and Gaussian draws have their laws, on every path and at every size.

Each test must reject a scale 2 % off and a zero that is twice too likely; the planted bugs show it.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sampling.conftest import (
    DRAWS,
    FALSE_ALARM,
    SLOW,
    Cells,
    counted,
    gaussian_cells,
    laplace_cells,
    luck,
    luck_of_two,
)

from differential_privacy import sampling
from differential_privacy.sampling.bits import Reader
from differential_privacy.sampling.blocks import Blocks
from differential_privacy.sampling.gaussian import GaussianLaw
from differential_privacy.sampling.laplace import LaplaceLaw
from differential_privacy.sampling.rejection import gaussian_draw, laplace_draw

SCALES = [
    Fraction(text)
    for text in ("1/3", "1", "5/2", "63", "64", "100", "12345/67", "1000000", "1000000000000")
]
VARIANCES = [
    Fraction(text)
    for text in ("1/9", "1", "7/3", "25/4", "10000", "25600", "25921", "100000", "1e12", "1e24")
]


def one_by_one(
    draw: Callable[[Fraction, Reader], int], parameter: Fraction, law: Cells
) -> NDArray[np.int64]:
    reader = Reader(sampling.secure_bits())
    drawn = [draw(parameter, reader) for _ in range(DRAWS // SLOW)]
    return law.count(np.array(drawn))


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_arrays_have_the_laplace_law(scale: Fraction) -> None:
    law = laplace_cells(scale)
    counts = counted(law, lambda n: sampling.discrete_laplace(scale, n))
    assert luck(counts, law.odds) > FALSE_ALARM


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_arrays_have_the_gaussian_law(variance: Fraction) -> None:
    law = gaussian_cells(variance)
    counts = counted(law, lambda n: sampling.discrete_gaussian_of_variance(variance, n))
    assert luck(counts, law.odds) > FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(5, 2), Fraction(100)], ids=str)
def test_single_draws_have_the_laplace_law(scale: Fraction) -> None:
    law = laplace_cells(scale)
    drawn = [sampling.discrete_laplace(scale) for _ in range(DRAWS // SLOW)]
    assert luck(law.count(np.array(drawn)), law.odds) > FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(5, 2), Fraction(100)], ids=str)
def test_single_draws_have_the_gaussian_law(scale: Fraction) -> None:
    law = gaussian_cells(scale**2)
    drawn = [sampling.discrete_gaussian(scale) for _ in range(DRAWS // SLOW)]
    assert luck(law.count(np.array(drawn)), law.odds) > FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction("12345/67"), Fraction(10**6)], ids=str)
def test_tables_and_rejection_draw_the_same_laplace_law(scale: Fraction) -> None:
    law = laplace_cells(scale)
    table = counted(law, lambda n: sampling.discrete_laplace(scale, n))
    single = one_by_one(laplace_draw, scale, law)
    assert luck_of_two(table, single) > FALSE_ALARM


@pytest.mark.parametrize("variance", [Fraction(7, 3), Fraction(10**12)], ids=str)
def test_tables_and_rejection_draw_the_same_gaussian_law(variance: Fraction) -> None:
    law = gaussian_cells(variance)
    table = counted(law, lambda n: sampling.discrete_gaussian_of_variance(variance, n))
    single = one_by_one(gaussian_draw, variance, law)
    assert luck_of_two(table, single) > FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_laplace_scale_two_percent_off_is_rejected(scale: Fraction) -> None:
    law = laplace_cells(scale)
    wrong = scale * Fraction(102, 100)
    counts = counted(law, lambda n: sampling.discrete_laplace(wrong, n))
    assert luck(counts, law.odds) < FALSE_ALARM


@pytest.mark.parametrize("variance", VARIANCES[1:], ids=str)
def test_a_gaussian_scale_two_percent_off_is_rejected(variance: Fraction) -> None:
    law = gaussian_cells(variance)
    wrong = variance * Fraction(102, 100) ** 2
    counts = counted(law, lambda n: sampling.discrete_gaussian_of_variance(wrong, n))
    assert luck(counts, law.odds) < FALSE_ALARM


@pytest.mark.parametrize("scale", SCALES[:7], ids=str)
def test_a_doubled_zero_is_rejected(scale: Fraction) -> None:
    law = laplace_cells(scale)

    def doubled(count: int) -> NDArray[np.int64]:
        magnitude = sampling.discrete_laplace(scale, count)
        # The sign drawn apart from the size, without refusing minus zero: the classic mistake.
        size = np.where(magnitude >= 0, magnitude, -1 - magnitude)
        sign = 1 - 2 * sampling.uniform(2, count)
        return sign * size

    counts = counted(law, doubled)
    assert luck(counts, law.odds) < FALSE_ALARM


def test_single_draws_ten_percent_off_are_rejected() -> None:
    right, wrong = Fraction(5, 2), Fraction(11, 4)
    law = laplace_cells(right)
    assert luck(one_by_one(laplace_draw, wrong, law), law.odds) < FALSE_ALARM
    law = gaussian_cells(right**2)
    assert luck(one_by_one(gaussian_draw, wrong**2, law), law.odds) < FALSE_ALARM


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(5, 2)], ids=str)
def test_draws_keep_their_laws_when_many_words_tie(scale: Fraction) -> None:
    for law, cells in (
        (LaplaceLaw(scale), laplace_cells(scale)),
        (GaussianLaw(scale**2), gaussian_cells(scale**2)),
    ):
        # With 17 bits a threshold ties with one word in 2**17 and the tail with one in 2**8.
        drawn = Blocks(law, bits=17).draw(DRAWS // SLOW, sampling.secure_bits())
        counts = cells.count(drawn)
        assert luck(counts, cells.odds) > FALSE_ALARM


def test_draws_keep_their_laws_when_the_exact_coins_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("differential_privacy.sampling.coins.BAND", 0.5)
    scale, count = Fraction(10**6), DRAWS // SLOW
    for law, cells in (
        (LaplaceLaw(scale), laplace_cells(scale)),
        (GaussianLaw(scale**2), gaussian_cells(scale**2)),
    ):
        drawn = Blocks(law).draw(count, sampling.secure_bits())
        assert luck(cells.count(drawn), cells.odds) > FALSE_ALARM
