"""The table of epsilons in the note on accounting, section 3.1, at delta one in a million.

Rows are theorems, columns are what is composed; what other libraries print stands in the note.
"""

from collections.abc import Callable
from fractions import Fraction

import pytest

from differential_privacy.accounting import (
    AdvancedFilter,
    NumericalLoss,
    advanced,
    laplace_loss,
    laplace_renyi,
    optimal,
    repeated,
    sampled_gaussian_loss,
    to_concentrated,
    to_numerical,
)
from differential_privacy.exact import Number
from differential_privacy.privacy import ApproximateLoss, GaussianLoss, PureLoss

DELTA = "1e-6"
LAPLACE = [("0.1", 10), ("0.1", 100), ("0.1", 1000), ("0.1", 10_000), ("0.01", 10_000)]
FINE_ORDERS: list[Number] = [Fraction(5, 4) ** k + Fraction(1, 10) for k in range(1, 45)]
FINE_ORDERS += [Fraction(k, 50) for k in range(55, 700)]


def whitehouse(epsilon: str, times: int) -> Fraction:
    budget = ApproximateLoss(1000, DELTA)
    squares = times * Fraction(epsilon) ** 2
    return AdvancedFilter(budget, slack=DELTA, squares=squares).epsilon


ROWS: dict[str, tuple[Callable[[str, int], Fraction], list[float]]] = {
    "basic": (
        lambda e, k: repeated(PureLoss(e), times=k).epsilon,
        [1, 10, 100, 1000, 100],
    ),
    "DRV advanced": (
        lambda e, k: advanced(PureLoss(e), times=k, slack=DELTA).epsilon,
        [1.767, 6.308, 27.14, 157.7, 6.262],
    ),
    "Whitehouse 2023 filter": (whitehouse, [1.712, 5.757, 21.62, 102.6, 5.757]),
    "zCDP filter": (
        lambda e, k: repeated(to_concentrated(PureLoss(e)), times=k).epsilon_at(DELTA),
        [1.472, 5.222, 20.55, 100.7, 5.222],
    ),
    "Laplace RDP curve, best order": (
        lambda e, k: repeated(laplace_renyi(e, FINE_ORDERS), times=k).epsilon_at(DELTA),
        [0.99898, 4.984, 20.04, 98.12, 5.210],
    ),
    "optimal for generic pure DP": (
        lambda e, k: optimal(PureLoss(e), times=k, delta=DELTA).epsilon,
        [0.99937, 4.7746, 19.345, 96.572, 4.8855],
    ),
    "PLD": (
        lambda e, k: repeated(laplace_loss(e), times=k).epsilon_at(DELTA),
        [0.99898, 4.69267, 18.9503, 94.236, 4.87626],
    ),
}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("column", range(len(LAPLACE)), ids=[f"{e} x {k}" for e, k in LAPLACE])
def test_laplace_noise_composed(row: str, column: int) -> None:
    theorem, printed = ROWS[row]
    assert float(theorem(*LAPLACE[column])) == pytest.approx(printed[column], rel=1e-3)


@pytest.mark.parametrize(
    ("times", "exact", "concentrated"),
    [
        (10, 0.41986, 0.4547),
        (100, 1.44799, 1.5577),
        (1000, 5.18904, 5.5428),
        (10_000, 20.7812, 21.976),
    ],
)
def test_gaussian_noise_of_sigma_30_composed(times: int, exact: float, concentrated: float) -> None:
    one = GaussianLoss(Fraction(1, 900))
    every = repeated(one, times=times)
    assert float(every.epsilon_at(DELTA)) == pytest.approx(exact, rel=1e-4)
    numerical = repeated(to_numerical(one), times=times)
    assert float(numerical.epsilon_at(DELTA)) == pytest.approx(exact, rel=1e-3)
    assert float(to_concentrated(every).epsilon_at(DELTA)) == pytest.approx(concentrated, rel=1e-4)


@pytest.mark.parametrize(
    ("times", "printed"), [(1000, 2.1245), (10_000, 6.9074), (100_000, 27.6728)]
)
def test_sampled_gaussian_noise_composed(times: int, printed: float) -> None:
    every: NumericalLoss = repeated(sampled_gaussian_loss(1, 0.01), times=times)
    assert float(every.epsilon_at(DELTA)) == pytest.approx(printed, rel=1e-3)
