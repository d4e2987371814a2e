"""Private quantiles against their definition, over all neighbors of small data, and at any size."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM, ORDERS, Law, log_ratio, renyi
from tests.mechanisms.planted import QuantileThatMovesByHalfARow
from tests.mechanisms.test_bad_arguments import (
    NOT_CHANCES,
    NOT_NUMBERS,
    NOT_POSITIVE,
    assert_refused_by_name,
)

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.exact import Interval, exp
from differential_privacy.mechanisms import PrivateQuantile
from differential_privacy.privacy import ConcentratedLoss, PureLoss, Sensitivity

Rows = tuple[tuple[int, ...], tuple[int, ...]]

LOW, HIGH = -2, 3
DOMAIN = range(LOW, HIGH + 1)
FINE = Fraction(333333333333333333, 10**18)
QUANTILES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(1), FINE]

mechanisms = st.builds(
    PrivateQuantile,
    st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(2)]),
    low=st.just(LOW),
    high=st.just(HIGH),
    quantile=st.sampled_from(QUANTILES),
    offset=st.integers(0, 4),
)
values = st.lists(st.integers(LOW, HIGH), max_size=7)


def counted(rows: Sequence[int]) -> Rows:
    """Rows as the mechanism takes them: distinct values, and how many rows have each."""
    distinct = sorted(set(rows))
    return tuple(distinct), tuple(rows.count(value) for value in distinct)


def miss(mechanism: PrivateQuantile, rows: Sequence[int], candidate: int) -> Fraction:
    """By the definition: how many rows lie between the candidate's ranks and the target."""
    n, q = len(rows), mechanism.quantile
    target = q * n
    if q <= Fraction(1, 2):
        target = min(target + mechanism.offset, Fraction(n, 2))
    else:
        target = max(target - mechanism.offset, Fraction(n, 2))
    below = sum(value < candidate for value in rows)
    up_to = sum(value <= candidate for value in rows)
    return max(below - target, target - up_to, Fraction(0))


def law(mechanism: PrivateQuantile, rows: Sequence[int]) -> Law:
    weights = {c: exp(-mechanism.rate * miss(mechanism, rows, c)) for c in DOMAIN}
    total = sum(weights.values(), start=Interval.of(0))
    return {candidate: weight / total for candidate, weight in weights.items()}


def assert_the_law_is_the_definition(mechanism: PrivateQuantile, rows: Sequence[int]) -> None:
    for candidate, chance in law(mechanism, rows).items():
        told = mechanism.probability(candidate, exact=counted(rows))
        assert abs(told.low - chance.low) < Fraction(1, 10**30)


@given(mechanism=mechanisms, rows=values)
def test_chances_are_those_of_the_definition(mechanism: PrivateQuantile, rows: list[int]) -> None:
    assert_the_law_is_the_definition(mechanism, rows)


def test_a_rank_that_is_one_off_is_caught() -> None:
    class OneOff(PrivateQuantile):
        def _target(self, rows: int) -> int:
            return super()._target(rows) + 2 * self.quantile.denominator

    with pytest.raises(AssertionError):
        assert_the_law_is_the_definition(OneOff(1, low=LOW, high=HIGH, quantile="1/2"), [0, 1, 1])


@given(mechanism=mechanisms, rows=values, more=st.integers(LOW, HIGH))
def test_one_row_moves_no_miss_by_more_than_the_theorem_says(
    mechanism: PrivateQuantile, rows: list[int], more: int
) -> None:
    most = max(mechanism.quantile, 1 - mechanism.quantile)
    for candidate in DOMAIN:
        one = miss(mechanism, rows, candidate)
        assert abs(miss(mechanism, [*rows, more], candidate) - one) <= most


@pytest.mark.parametrize("quantile", QUANTILES)
def test_some_row_moves_a_miss_by_as_much(quantile: Fraction) -> None:
    mechanism = PrivateQuantile(1, low=LOW, high=HIGH, quantile=quantile)
    moved = max(
        abs(miss(mechanism, [*rows, more], c) - miss(mechanism, rows, c))
        for rows in combinations_with_replacement(DOMAIN, 3)
        for more, c in product(DOMAIN, DOMAIN)
    )
    assert moved == max(quantile, 1 - quantile)


def assert_the_losses_hold(mechanism: PrivateQuantile, sizes: Sequence[int]) -> None:
    """Over all data of these sizes and all neighbors of one row more, both ways round."""
    factor = exp(mechanism.loss(Sensitivity(l1=1)).epsilon).high
    rho = float(mechanism.concentrated_loss(Sensitivity(l1=1)).rho)
    for size in sizes:
        for rows in combinations_with_replacement(DOMAIN, size):
            here = law(mechanism, rows)
            for more in DOMAIN:
                there = law(mechanism, [*rows, more])
                for one, other in ((here, there), (there, here)):
                    assert all(one[c].low <= factor * other[c].high for c in DOMAIN)
                    for order in ORDERS:
                        assert renyi(one, other, order) <= order * rho * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("quantile", QUANTILES)
@pytest.mark.parametrize("offset", [0, 1])
def test_the_losses_hold_for_all_small_data_and_all_neighbors(
    quantile: Fraction, offset: int
) -> None:
    mechanism = PrivateQuantile(2, low=LOW, high=HIGH, quantile=quantile, offset=offset)
    assert_the_losses_hold(mechanism, [0, 1, 2, 3])


def test_a_loss_that_is_right_for_medians_only_is_caught() -> None:
    with pytest.raises(AssertionError):
        assert_the_losses_hold(
            QuantileThatMovesByHalfARow(2, low=LOW, high=HIGH, quantile=0, offset=1), [2, 3]
        )


@given(mechanism=mechanisms, rows=values, more=st.lists(st.integers(LOW, HIGH), max_size=4))
def test_rows_of_one_person_cost_as_many_times_as_much(
    mechanism: PrivateQuantile, rows: list[int], more: list[int]
) -> None:
    here, there = law(mechanism, rows), law(mechanism, rows + more)
    loss = mechanism.loss(Sensitivity(l1=len(more)))
    rho = mechanism.concentrated_loss(Sensitivity(l1=len(more))).rho
    for one, other in ((here, there), (there, here)):
        assert log_ratio(one, other) <= float(loss.epsilon) + 1e-12
        assert renyi(one, other, 2) <= 2 * float(rho) + 1e-12


def test_losses_of_groups_add_by_rows_and_by_squares() -> None:
    mechanism = PrivateQuantile(1, low=0, high=9, quantile="1/2")
    three_of_two = Sensitivity(l1=6, most=2)
    one_of_two = Sensitivity(l1=2)
    assert mechanism.loss(three_of_two) == PureLoss(3 * mechanism.loss(one_of_two).epsilon)
    of_one = mechanism.concentrated_loss(one_of_two).rho
    assert mechanism.concentrated_loss(three_of_two) == ConcentratedLoss(3 * of_one)


@given(
    epsilon=st.fractions(Fraction(1, 1000), 10),
    quantile=st.sampled_from(QUANTILES),
    rows=st.integers(1, 50),
)
def test_a_choice_for_a_loss_has_exactly_this_loss(
    epsilon: Fraction, quantile: Fraction, rows: int
) -> None:
    moved = Sensitivity(l1=rows, most=min(rows, 3))
    public = {"sensitivity": moved, "low": 0, "high": 10**6, "quantile": quantile}
    assert PrivateQuantile.for_loss(PureLoss(epsilon), **public).loss(moved) == PureLoss(epsilon)
    choice = PrivateQuantile.for_concentrated_loss(ConcentratedLoss(epsilon), **public)
    reached = choice.concentrated_loss(moved).rho
    assert epsilon * (1 - Fraction(1, 10**10)) <= reached <= epsilon


def missed(mechanism: PrivateQuantile, rows: Rows, most: Fraction) -> Interval:
    """The chance of a candidate that misses the target by more than this many rows."""
    total = Interval.of(0)
    flat = [value for value, weight in zip(*rows, strict=True) for _ in range(weight)]
    for candidate in range(mechanism.low, mechanism.high + 1):
        if miss(mechanism, flat, candidate) > most:
            total = total + mechanism.probability(candidate, exact=rows)
    return total


@pytest.mark.parametrize("confidence", ["0.8", "0.95", "0.999"])
@pytest.mark.parametrize("rate", ["1/2", "1/5"])
def test_the_rank_error_is_kept_at_the_confidence_and_hardly_less_would_be(
    confidence: str, rate: str
) -> None:
    mechanism = PrivateQuantile(rate, low=0, high=30, quantile="1/2")
    error = mechanism.rank_error(confidence)
    # All rows have one value, so it alone is at the target and all others miss by half the rows.
    for far, holds in ((error + 1, True), (error - 1, False)):
        chance = missed(mechanism, ((11,), (2 * far,)), Fraction(far) - Fraction(1, 2))
        assert (chance.low <= 1 - Fraction(confidence)) == holds


@pytest.mark.parametrize("quantile", [0, 1])
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.99"])
def test_an_answer_inside_is_not_beyond_the_values_at_the_confidence(
    quantile: int, confidence: str
) -> None:
    mechanism = PrivateQuantile("1/3", low=0, high=40, quantile=quantile).inside(confidence)
    end = 40 if quantile == 0 else 0
    for rows in (2 * mechanism.offset, 5 * mechanism.offset + 1):
        at = mechanism.probability(end, exact=((end,), (rows,)))
        assert 1 - at.low <= 1 - Fraction(confidence)
    # A target of two rows less would miss it.
    nearer = PrivateQuantile("1/3", low=0, high=40, quantile=quantile, offset=mechanism.offset - 2)
    at = nearer.probability(end, exact=((end,), (5 * mechanism.offset,)))
    assert 1 - at.high > 1 - Fraction(confidence)


def test_a_rank_error_counts_the_offset() -> None:
    plain = PrivateQuantile("1/3", low=0, high=40, quantile=0)
    inside = plain.inside("0.9")
    assert inside.rank_error("0.9") == plain.rank_error("0.9") + inside.offset


def test_one_candidate_is_the_answer_and_never_wrong() -> None:
    only = PrivateQuantile(1, low=5, high=5, quantile="1/2")
    assert only.release(((1, 9), (4, 4))) == 5
    assert only.rank_error("0.99") == 0
    assert only.candidates == 1


@given(rows=st.lists(st.integers(-9, 9), max_size=8), seed=st.randoms(use_true_random=False))
def test_order_duplicates_and_values_outside_change_nothing(rows: list[int], seed: Any) -> None:
    mechanism = PrivateQuantile("1/2", low=LOW, high=HIGH, quantile="2/3")
    shuffled = seed.sample(rows, len(rows))
    loose = (tuple(shuffled), (1,) * len(shuffled))
    clamped = counted([min(max(value, LOW), HIGH) for value in rows])
    for candidate in DOMAIN:
        told = mechanism.probability(candidate, exact=loose)
        assert told == mechanism.probability(candidate, exact=clamped)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64, object])
def test_arrays_of_every_integer_type_have_the_same_chances(kind: Any) -> None:
    mechanism = PrivateQuantile("1/2", low=0, high=9, quantile="1/2")
    rows = (np.array([2, 5], dtype=kind), np.array([3, 1], dtype=kind))
    assert mechanism.probability(3, exact=rows) == mechanism.probability(3, exact=((2, 5), (3, 1)))


EXTREMES = [0, 1, -1, 2**63 - 1, -(2**63), 2**63, 2**200, -(2**200), 10**400]


@pytest.mark.parametrize("quantile", QUANTILES)
@pytest.mark.parametrize("ends", [(0, 0), (0, 9), (-(2**61), 2**61), (2**50, 2**51)], ids=str)
def test_no_values_and_no_numbers_of_rows_make_a_release_fail(
    quantile: Fraction, ends: tuple[int, int]
) -> None:
    low, high = ends
    mechanism = PrivateQuantile("1/3", low=low, high=high, quantile=quantile, offset=2)
    for rows in (
        (EXTREMES, EXTREMES),
        (EXTREMES, [2**63 - 1] * len(EXTREMES)),
        ([], []),
        ([5], [0]),
        ([5, 5], [-3, 2]),
        (np.array([2**63 - 1, -(2**63)]), np.array([2**63 - 1, 2**63 - 1])),
        (7, 7),
    ):
        assert low <= mechanism.release(rows) <= high


def test_numbers_of_rows_that_64_bits_cannot_add_are_added_by_python() -> None:
    """A sum that wrapped would send the median to the wrong end."""
    mechanism = PrivateQuantile(1, low=0, high=100, quantile="1/2")
    huge = 2**62
    assert mechanism.release(([10, 20, 90], [huge, huge, 3 * huge // 4])) == 20
    assert mechanism.release((np.array([10, 20, 90]), np.array([huge, huge, huge // 2]))) == 20
    assert mechanism.release(([10, 90], [1, 10**400])) == 90


@pytest.mark.parametrize("rows", [10**3, 10**5])
def test_the_answer_is_within_the_rank_error_as_often_as_stated(rows: int) -> None:
    mechanism = PrivateQuantile("1/20", low=0, high=2**50 - 1, quantile="3/4")
    step = 2**50 // rows
    listed = np.arange(rows, dtype=np.int64) * step
    error, trials = mechanism.rank_error("0.9"), DRAWS // 500
    ones = np.ones(rows, dtype=np.int64)
    ranks = [mechanism.release((listed, ones)) // step for _ in range(trials)]
    hits = sum(abs(rank - rows * 3 // 4) <= error + 1 for rank in ranks)
    assert binom.cdf(hits, trials, 0.9) > FALSE_ALARM


def test_a_gap_is_chosen_by_its_length_and_evenly_inside() -> None:
    """Two rows at the ends: all candidates are alike."""
    mechanism = PrivateQuantile(5, low=0, high=2**50 - 1, quantile="1/2")
    trials = DRAWS // 200
    drawn = [mechanism.release(([0, 2**50 - 1], [1, 1])) for _ in range(trials)]
    for part in range(1, 8):
        below = sum(value < part * 2**47 for value in drawn)
        assert FALSE_ALARM < binom.cdf(below, trials, part / 8) < 1 - FALSE_ALARM
    assert 0.4 < sum(value % 2 for value in drawn) / trials < 0.6


@given(mechanism=mechanisms)
def test_the_text_reads_back_as_an_equal_value(mechanism: PrivateQuantile) -> None:
    names = {"PrivateQuantile": PrivateQuantile, "Fraction": Fraction}
    assert eval(repr(mechanism), names) == mechanism  # noqa: S307 - our own text


def quantile_of(**changes: Any) -> PrivateQuantile:
    return PrivateQuantile(**({"rate": 1, "low": 0, "high": 9, "quantile": "1/2"} | changes))


PARAMETERS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "rate": (lambda x: quantile_of(rate=x), NOT_POSITIVE),
    "low": (lambda x: quantile_of(low=x), [1.5, True, None, "0", -(2**62)]),
    "high": (lambda x: quantile_of(high=x), [1.5, True, None, "0", -1, 2**62]),
    "quantile": (
        lambda x: quantile_of(quantile=x),
        [*NOT_NUMBERS, -1, "3/2", Fraction(1, 10**18 + 1)],
    ),
    "offset": (lambda x: quantile_of(offset=x), [-1, True, 1.5, None]),
    "confidence": (lambda x: quantile_of().rank_error(x), NOT_CHANCES),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_bad_public_arguments_are_refused_by_name(name: str) -> None:
    call, bad = PARAMETERS[name]
    for value in bad:
        assert_refused_by_name(call, value, name)


def test_an_inside_of_a_median_is_refused() -> None:
    with pytest.raises(InvalidArgumentError) as refused:
        quantile_of().inside("0.9")
    assert refused.value.argument == "quantile"


SECRET = 123456789


@pytest.mark.parametrize(
    "wrong",
    [
        SECRET,
        [SECRET],
        [[SECRET], [SECRET, 1]],
        [[SECRET + 0.5], [1]],
        [[SECRET], [float("nan")]],
        [[str(SECRET)], [1]],
        [[SECRET], [1], [1]],
        None,
    ],
    ids=str,
)
def test_private_rows_of_a_wrong_shape_are_refused_without_their_value(wrong: Any) -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        quantile_of().release(wrong)
    assert str(SECRET) not in str(refused.value)
    assert str(SECRET) not in repr(refused.value.__cause__)


@given(mechanism=mechanisms, rows=values)
def test_some_candidate_misses_nothing(mechanism: PrivateQuantile, rows: list[int]) -> None:
    """So the error of the exponential mechanism, which counts from the best, counts from zero."""
    assume(rows)
    assert min(miss(mechanism, rows, candidate) for candidate in DOMAIN) == 0
    assert math.isfinite(mechanism.rank_error("0.5"))
