"""Which groups are kept: against the recurrence, over all neighbors, and what others print."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from tests.mechanisms.distributions import DRAWS, FALSE_ALARM, ORDERS, hockey_stick, renyi
from tests.mechanisms.planted import (
    SelectionThatCountsOneTooMany,
    ThresholdThatIsOneShort,
)
from tests.mechanisms.test_bad_arguments import (
    NOT_CHANCES,
    NOT_COUNTS,
    NOT_POSITIVE,
    assert_refused_by_name,
)

from differential_privacy.accounting import to_approximate
from differential_privacy.errors import (
    InvalidArgumentError,
    NoTheoremError,
    PrivateArgumentError,
)
from differential_privacy.exact import Interval, exp
from differential_privacy.mechanisms import (
    DiscreteGaussian,
    GaussianThreshold,
    TruncatedGeometric,
    partition_selection,
)
from differential_privacy.mechanisms.truncated_geometric import _turns
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss

EXACT = Fraction(1, 10**30)

RULES = [
    TruncatedGeometric(epsilon, delta)
    for epsilon, delta in (
        ("1", "1e-5"),
        ("1/3", "1/50"),
        ("0.02", "1e-4"),
        ("5", "1e-9"),
        ("2", "1/2"),
        ("1", "0.9"),
        ("1/1000", "1/10"),
    )
]


def by_recurrence(rule: TruncatedGeometric, most: int) -> list[mpmath.mpf]:
    """Theorem 1 of 2006.03684 as it is stated: the smallest of three, from none on."""
    with mpmath.workdps(60):
        grow = mpmath.exp(mpmath.mpf(rule.epsilon.numerator) / rule.epsilon.denominator)
        delta = mpmath.mpf(rule.delta.numerator) / rule.delta.denominator
        chances = [mpmath.mpf(0)]
        for _ in range(most):
            kept = chances[-1]
            chances.append(min(grow * kept + delta, 1 - (1 - kept - delta) / grow, mpmath.mpf(1)))
        return chances


def assert_optimal(rule: TruncatedGeometric, people: Iterable[int]) -> None:
    listed = list(people)
    wanted = by_recurrence(rule, max(listed))
    for n in listed:
        told = rule.probability(kept=True, exact=n)
        with mpmath.workdps(60):
            ends = [mpmath.mpf(e.numerator) / e.denominator for e in (told.low, told.high)]
            assert ends[0] - mpmath.mpf(10) ** -30 <= wanted[n] <= ends[1] + mpmath.mpf(10) ** -30
            assert ends[1] - ends[0] <= mpmath.mpf(10) ** -30


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_chance_to_keep_is_the_largest_that_the_recurrence_allows(
    rule: TruncatedGeometric,
) -> None:
    assert_optimal(rule, range(min(_turns(rule.epsilon, rule.delta)[1], 400) + 3))


def test_a_recurrence_that_begins_one_late_is_caught() -> None:
    with pytest.raises(AssertionError):
        assert_optimal(SelectionThatCountsOneTooMany("1", "1e-5"), range(10))


@pytest.mark.parametrize(
    ("epsilon", "delta", "groups", "people", "chance"),
    [
        (1, "1e-5", 1, 10, 0.12818308050524607),
        ("0.2", "1e-7", 10, 700, 0.5800625857189882),
    ],
)
def test_the_chances_are_those_that_pydp_prints(
    epsilon: Any, delta: str, groups: int, people: int, chance: float
) -> None:
    """PyDP, tests/algorithms/test_partition_selection.py: Google's C++ in floats."""
    rule = TruncatedGeometric.for_loss(ApproximateLoss(epsilon, delta), groups=groups)
    assert float(rule.probability(kept=True, exact=people).low) == pytest.approx(chance, rel=1e-10)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_it_is_truncated_noise_and_a_threshold_where_it_can_be(rule: TruncatedGeometric) -> None:
    """Noise of chance in proportion to q^|z|, cut off at k, passes n + z > k as often.

    That is so where k is whole, that is where the turn is halfway to certainty.
    """
    turn, sure = _turns(rule.epsilon, rule.delta)
    cut = turn - 1
    weights = {z: exp(-rule.epsilon * abs(z)) for z in range(-cut, cut + 1)}
    total = sum(weights.values(), start=Interval.of(0))
    delta = (weights[cut] / total).high
    whole = TruncatedGeometric(rule.epsilon, delta) if 0 < delta < 1 and cut < 300 else None
    if whole is None:
        return
    for n in range(min(sure, 60)):
        passing = sum(
            (weight for z, weight in weights.items() if n + z > cut), start=Interval.of(0)
        )
        apart = (passing / total) - whole.probability(kept=True, exact=n)
        assert abs(apart.low) < EXACT


Keep = Callable[[int], Interval]


def bits(keeps: Keep, people: tuple[int, ...]) -> dict[tuple[bool, ...], Interval]:
    """The law of which groups are kept."""
    chances = {}
    for told in product((False, True), repeat=len(people)):
        chance = Interval.of(1)
        for kept, n in zip(told, people, strict=True):
            chance = chance * (keeps(n) if kept else 1 - keeps(n))
        chances[told] = chance
    return chances


def keeper(rule: Any) -> Keep:
    known: dict[int, Interval] = {}
    return lambda n: known.setdefault(n, rule.probability(kept=True, exact=n))


def assert_delta_holds(rule: Any, epsilon: Fraction, delta: Fraction, groups: int) -> Fraction:
    """Over all neighbors: a person more in up to so many of so many groups, at any sizes."""
    keeps, worst = keeper(rule), Fraction(0)
    most = min(rule.people_for("0.99") + 2, 14 if groups == 1 else 6)
    for people in product(range(most), repeat=groups):
        here = bits(keeps, people)
        for joined in product((0, 1), repeat=groups):
            there = bits(keeps, tuple(n + one for n, one in zip(people, joined, strict=True)))
            told = max(hockey_stick(here, there, epsilon), hockey_stick(there, here, epsilon))
            worst = max(worst, told)
    assert worst <= delta
    return worst


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-2"), ("3", "1e-4")])
def test_the_loss_of_truncated_geometric_holds_for_all_neighbors_and_is_reached(
    epsilon: str, delta: str, groups: int
) -> None:
    budget = ApproximateLoss(epsilon, delta)
    rule = TruncatedGeometric.for_loss(budget, groups=groups)
    assert rule.loss(groups).within(budget)
    assert rule.loss(groups).delta >= budget.delta * (1 - Fraction(1, 10**10))
    worst = assert_delta_holds(rule, budget.epsilon, budget.delta, groups)
    assert worst >= budget.delta * (1 - Fraction(1, 10**9))


def test_off_by_one_is_caught_over_all_neighbors() -> None:
    """opendp#2922: the delta of the next threshold."""
    with pytest.raises(AssertionError):
        assert_delta_holds(
            SelectionThatCountsOneTooMany(1, "1e-2"), Fraction(1), Fraction(1, 100), 1
        )
    rule = GaussianThreshold.for_loss(ConcentratedLoss("1/2", "1e-3"), groups=1)
    one_short = ThresholdThatIsOneShort(rule.variance, rule.threshold)
    assert_alone_holds(rule, groups=1, delta=Fraction(1, 1000))
    with pytest.raises(AssertionError):
        assert_alone_holds(one_short, groups=1, delta=Fraction(1, 1000))


def assert_alone_holds(rule: Any, *, groups: int, delta: Fraction) -> None:
    """The chance that any group of one person is shown."""
    none = Fraction(1)
    for _ in range(groups):
        none *= rule.probability(kept=False, exact=1).low
    assert 1 - none <= delta


@pytest.mark.parametrize("groups", [1, 2, 10, 1000])
@pytest.mark.parametrize("delta", ["1e-2", "1e-6", "1e-12"])
@pytest.mark.parametrize("rho", ["1/2", "0.01", "1e-6"])
def test_the_threshold_is_the_least_of_which_the_delta_holds(
    rho: str, delta: str, groups: int
) -> None:
    budget = ConcentratedLoss(rho, delta)
    rule = GaussianThreshold.for_loss(budget, groups=groups)
    assert rule.loss(groups).rho == budget.rho
    assert rule.loss(groups).delta <= budget.delta
    lower = GaussianThreshold(rule.variance, rule.threshold - 1)
    assert lower.loss(groups).delta > budget.delta


def test_the_delta_of_a_threshold_is_the_sum_of_single_chances() -> None:
    rule = GaussianThreshold(9, 12)
    noise = DiscreteGaussian(9)
    above = sum((noise.probability(z, exact=0) for z in range(11, 60)), start=Interval.of(0))
    for groups in (1, 2, 7):
        delta = rule.loss(groups).delta
        exact = 1 - (1 - above.high) ** groups
        assert exact <= delta <= exact * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("people", [3, 11, 12, 20])
def test_where_a_person_is_not_alone_the_noisy_numbers_have_the_rho(people: int) -> None:
    """Kept or not, with the noisy number of what is kept: a function of one noisy number."""
    rule, noise = GaussianThreshold(9, 12), DiscreteGaussian(9)

    def law(n: int) -> dict[int | None, Interval]:
        told: dict[int | None, Interval] = {
            noisy: noise.probability(noisy, exact=n) for noisy in range(12, 70)
        }
        return told | {None: rule.probability(kept=False, exact=n)}

    for one, other in ((law(people), law(people + 1)), (law(people + 1), law(people))):
        for order in ORDERS:
            assert renyi(one, other, order) <= order * float(rule.loss(1).rho) * (1 + 1e-9)


def test_the_rho_is_reached_where_all_is_kept() -> None:
    rule, noise = GaussianThreshold(9, 12), DiscreteGaussian(9)
    one, other = (
        {noisy: noise.probability(noisy, exact=n) for noisy in range(12, 130)} for n in (60, 61)
    )
    assert renyi(one, other, 2) >= 2 * float(rule.loss(1).rho) * (1 - 1e-9)


@pytest.mark.parametrize("groups", [1, 3])
def test_a_concentrated_loss_of_truncated_geometric_holds(groups: int) -> None:
    budget = ConcentratedLoss("1/20", "1e-3")
    rule = TruncatedGeometric.for_concentrated_loss(budget, groups=groups)
    loss = rule.concentrated_loss(groups)
    assert loss.within(budget)
    assert loss.rho >= budget.rho * (1 - Fraction(1, 10**10))
    for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        assert_delta_holds(rule, epsilon, loss.delta_at(epsilon), groups)


@given(
    groups=st.integers(1, 10**4),
    delta=st.fractions(Fraction(1, 10**12), Fraction(1, 2)),
)
def test_deltas_of_groups_make_the_whole_and_hardly_less(groups: int, delta: Fraction) -> None:
    rule = TruncatedGeometric.for_loss(ApproximateLoss(1, delta), groups=groups)
    assert rule.delta >= delta / groups
    told = rule.loss(groups).delta
    assert delta * (1 - Fraction(1, 10**6)) <= told <= delta


CHANCES = ["1/2", "0.95", "0.01"]
BOTH = [*RULES, GaussianThreshold(9, 12), GaussianThreshold("1e6", 5000), GaussianThreshold(1, 1)]


@pytest.mark.parametrize("rule", BOTH, ids=repr)
@pytest.mark.parametrize("chance", CHANCES)
def test_people_for_a_chance_are_the_least_that_have_it(rule: Any, chance: str) -> None:
    people = rule.people_for(chance)
    assert rule.probability(kept=True, exact=people).high >= Fraction(chance)
    assert rule.probability(kept=True, exact=people - 1).low < Fraction(chance)


@pytest.mark.parametrize("rule", BOTH, ids=repr)
def test_more_people_are_kept_more_often_and_none_never(rule: Any) -> None:
    assert rule.probability(kept=True, exact=0) == Interval.of(0)
    assert rule.probability(kept=True, exact=-5) == Interval.of(0)
    end = rule.people_for("0.99")
    chances = [rule.probability(kept=True, exact=n).high for n in range(1, end, max(1, end // 50))]
    assert chances == sorted(chances)


@pytest.mark.parametrize("rule", BOTH, ids=repr)
def test_a_group_is_kept_as_often_as_stated(rule: Any) -> None:
    trials = DRAWS // 4
    for chance in ("0.01", "1/2", "0.95"):
        people = rule.people_for(chance)
        kept = int(rule.release(np.full(trials, people)).sum())
        exact = float(rule.probability(kept=True, exact=people).high)
        assert binom.cdf(kept, trials, exact) > FALSE_ALARM
        assert binom.sf(kept - 1, trials, exact) > FALSE_ALARM


@pytest.mark.parametrize("rule", BOTH, ids=repr)
def test_groups_of_none_are_never_kept_and_very_large_ones_always(rule: Any) -> None:
    none = np.array([0, -1, -(2**63)])
    for _ in range(20):
        assert not rule.release(np.tile(none, 500)).any()
    assert rule.release([2**63 - 1, 2**63, 10**400]).all()
    assert rule.release([]).shape == (0,)
    assert rule.release(np.zeros((3, 0, 2), dtype=np.int64)).shape == (3, 0, 2)
    assert rule.release(10**15).shape == ()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_floats_are_near_enough_to_the_chances_that_coins_are_exact(
    rule: TruncatedGeometric,
) -> None:
    turn, sure = _turns(rule.epsilon, rule.delta)
    people = np.unique(np.linspace(0, sure + 1, 200).astype(np.int64))
    people = np.union1d(people, [turn - 1, turn, turn + 1, sure - 1, sure, 1, 2])
    nearby = rule._nearby(np.clip(people, 0, sure), turn, sure)
    for n, close in zip(people.tolist(), nearby.tolist(), strict=True):
        assert abs(Fraction(close) - rule._chance(n, 128).low) < Fraction(1, 2**38)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        (Fraction(1, 2**40), Fraction(1, 2**1000)),
        (Fraction(2**10), Fraction(1, 2**1000)),
        (Fraction(1, 2**40), 1 - Fraction(1, 2**64)),
        (Fraction(1, 3), 1 - Fraction(1, 2**64)),
    ],
)
def test_the_ends_of_the_parameters_work(epsilon: Fraction, delta: Fraction) -> None:
    test_floats_are_near_enough_to_the_chances_that_coins_are_exact(
        TruncatedGeometric(epsilon, delta)
    )


def test_half_and_one_step_is_the_one_equality_that_algebra_settles() -> None:
    assert _turns(Fraction(1, 3), Fraction(1, 2)) == (1, 2)
    assert TruncatedGeometric("1/3", "1/2").probability(kept=True, exact=2) == Interval.of(1)


def test_counts_that_are_told_are_those_of_kept_groups_only() -> None:
    rule = GaussianThreshold(100, 60)
    people = np.repeat([0, 1, 40, 55, 60, 65, 100], 2000)
    kept, noisy = rule.release_counts(people)
    assert (noisy[kept] >= 60).all()
    assert (noisy[~kept] == 0).all()
    told = noisy[people == 100]
    assert abs(told.mean() - 100) < 6.2 * 10 / np.sqrt(told.size)
    kept, noisy = rule.release_counts([10**400, 5])
    assert kept.tolist() == [True, False]
    assert abs(noisy[0] - 10**400) < 1000
    assert noisy[1] == 0


BUDGETS = [
    ApproximateLoss(1, "1e-7"),
    ApproximateLoss("0.1", "1e-6"),
    ApproximateLoss(10, "1e-9"),
    ConcentratedLoss("0.01", "1e-6"),
    ConcentratedLoss("2", "1e-3"),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("groups", [1, 2, 4, 10, 300])
def test_the_rule_that_is_picked_is_within_the_budget_and_the_better(
    budget: Any, groups: int
) -> None:
    rule = partition_selection(budget, groups=groups)
    if isinstance(budget, ApproximateLoss):
        assert to_approximate(rule.loss(groups), budget.delta).within(budget)
        other = TruncatedGeometric.for_loss(budget, groups=groups)
    else:
        told = (
            rule.concentrated_loss(groups)
            if isinstance(rule, TruncatedGeometric)
            else rule.loss(groups)
        )
        assert told.within(budget)
        other = GaussianThreshold.for_loss(budget, groups=groups)
    assert rule.people_for("1/2") <= other.people_for("1/2")


def test_one_group_takes_the_optimal_rule_and_many_take_the_threshold() -> None:
    budget = ApproximateLoss(1, "1e-7")
    assert isinstance(partition_selection(budget, groups=1), TruncatedGeometric)
    assert isinstance(partition_selection(budget, groups=10), GaussianThreshold)


def test_what_only_equals_a_number_of_groups_is_refused_even_when_that_was_asked_before() -> None:
    assert partition_selection(BUDGETS[0], groups=1)
    for wrong in (True, 1.0):
        with pytest.raises(InvalidArgumentError):
            partition_selection(BUDGETS[0], groups=wrong)  # type: ignore[arg-type]


def test_a_loss_without_a_theorem_is_refused() -> None:
    with pytest.raises(NoTheoremError):
        partition_selection(PureLoss(1), groups=1)  # type: ignore[arg-type]


PARAMETERS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "TruncatedGeometric epsilon": (
        lambda x: TruncatedGeometric(x, "1e-6"),
        [*NOT_POSITIVE, 1025, Fraction(1, 2**41)],
    ),
    "TruncatedGeometric delta": (
        lambda x: TruncatedGeometric(1, x),
        [*NOT_CHANCES, "1e-302"],
    ),
    "TruncatedGeometric groups": (lambda x: TruncatedGeometric(1, "1e-6").loss(x), NOT_COUNTS),
    "TruncatedGeometric chance": (TruncatedGeometric(1, "1e-6").people_for, NOT_CHANCES),
    "GaussianThreshold variance": (lambda x: GaussianThreshold(x, 5), NOT_POSITIVE),
    "GaussianThreshold threshold": (lambda x: GaussianThreshold(1, x), NOT_COUNTS),
    "GaussianThreshold groups": (GaussianThreshold(1, 5).loss, NOT_COUNTS),
    "GaussianThreshold chance": (GaussianThreshold(1, 5).people_for, NOT_CHANCES),
    "for_loss groups": (
        lambda x: GaussianThreshold.for_loss(ConcentratedLoss(1, "1e-3"), groups=x),
        NOT_COUNTS,
    ),
}


@pytest.mark.parametrize("what", PARAMETERS)
def test_bad_public_arguments_are_refused_by_name(what: str) -> None:
    call, bad = PARAMETERS[what]
    for value in bad:
        assert_refused_by_name(call, value, what.rsplit(maxsplit=1)[-1])


@pytest.mark.parametrize("loss", [ApproximateLoss(1, 0), ApproximateLoss(0, "1e-3")], ids=repr)
def test_a_loss_that_allows_no_group_at_all_is_refused(loss: ApproximateLoss) -> None:
    with pytest.raises(ValueError, match=r"delta|epsilon"):
        TruncatedGeometric.for_loss(loss, groups=1)
    with pytest.raises(ValueError, match=r"delta|rho"):
        GaussianThreshold.for_loss(ConcentratedLoss(loss.epsilon, loss.delta), groups=1)


SECRET = 123456789


@pytest.mark.parametrize("rule", [RULES[0], GaussianThreshold(9, 12)], ids=repr)
@pytest.mark.parametrize("wrong", [SECRET + 0.5, [f"{SECRET}"], [None], [True], {SECRET: 1}])
def test_private_numbers_of_people_are_refused_without_their_value(rule: Any, wrong: Any) -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        rule.release(wrong)
    assert str(SECRET) not in str(refused.value)
