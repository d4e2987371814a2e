"""Two releases, the second chosen by the first answer, have at most the sum of the losses."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.mechanisms.cases import CASES, Case
from tests.mechanisms.distributions import Law, assert_apart_at_most, law, log_ratio
from tests.mechanisms.planted import GeometricOfHalfTheSensitivity, case_of

from differential_privacy.accounting import repeated, sequential
from differential_privacy.mechanisms import Geometric
from differential_privacy.privacy import PureLoss

NEXT_TO_NO = Fraction(1, 10**400)
MOST = 16
"""So many outputs of each release are looked at: the likeliest, and the most telling."""


def some(case: Case, pair: tuple[Any, Any]) -> list[Any]:
    one, other = law(case, pair[0]), law(case, pair[1])
    telling = sorted(one, key=lambda output: one[output].high / max(other[output].high, NEXT_TO_NO))
    likely = sorted(one, key=lambda output: -one[output].high)
    return list(dict.fromkeys([*telling[:5], *telling[-5:], *likely]))[:MOST]


def both(case: Case, side: int) -> Law:
    """The law of two answers: which neighbors are asked about second depends on the first."""
    chances = {}
    for place, first in enumerate(some(case, case.pairs[0])):
        pair = case.pairs[place % len(case.pairs)]
        one = law(case, case.pairs[0][side])[first]
        for second in some(case, pair):
            chances[first, second] = one * law(case, pair[side])[second]
    return chances


def assert_losses_add(case: Case) -> None:
    together = case.loss + case.loss
    assert together == sequential([case.loss] * 2) == repeated(case.loss, times=2)
    one, other = both(case, 0), both(case, 1)
    assert_apart_at_most(together, one, other)
    assert_apart_at_most(together, other, one)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_two_releases_have_at_most_the_sum_of_the_losses(case: Case) -> None:
    assert_losses_add(case)


def test_the_sum_is_reached() -> None:
    case = case_of(Geometric, scale=10)
    reached = max(log_ratio(both(case, 0), both(case, 1)), log_ratio(both(case, 1), both(case, 0)))
    assert reached >= float(2 * case.loss.epsilon) * (1 - 1e-6)


class LossThatTakesTheLarger(PureLoss):
    """Composition mistaken for parallel composition."""

    def __add__(self, other: PureLoss) -> PureLoss:
        return PureLoss(max(self.epsilon, other.epsilon))


class GeometricOfMaxima(Geometric):
    def loss(self, sensitivity: Any) -> PureLoss:
        return LossThatTakesTheLarger(sensitivity.need_l1() / self.scale)


def test_a_sum_that_is_too_small_is_caught() -> None:
    case = case_of(Geometric, scale=10)
    for mistaken in (GeometricOfMaxima(10), GeometricOfHalfTheSensitivity(10)):
        with pytest.raises(AssertionError):
            assert_losses_add(replace(case, mechanism=mistaken))


def test_the_numerical_loss_of_two_covers_their_exact_law() -> None:
    case = case_of(Geometric, scale=Fraction(5, 2))
    numerical = repeated(case.mechanism.numerical_loss(2), times=2)
    one, other = law(case, 0), law(case, 2)
    for epsilon in ("0.5", "1", "1.5"):
        factor = numerical.delta_at(epsilon)
        exact = sum(
            max(
                0.0,
                float(one[a].low * one[b].low)
                - 2.718281828459045 ** float(epsilon) * float(other[a].high * other[b].high),
            )
            for a in one
            for b in one
        )
        assert exact <= float(factor) + 1e-12
        assert float(factor) <= exact * 1.001 + 1e-6
