"""Law: whatever strategy picks each release after earlier answers, the budget covers them all."""

from collections.abc import Callable
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import Anything, exactly, least_epsilon, mp, real

from differential_privacy.accounting import AdvancedFilter, Filter, Odometer, filters
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError
from differential_privacy.exact import Interval
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
)

ODDS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10)]
Strategy = dict[tuple[int, ...], int]


def log_up(odds: Fraction) -> Fraction:
    return Fraction(int(exactly(mp.log(real(odds))) * 10**14) + 1, 10**14)


LOSS_OF = {odds: PureLoss(log_up(odds)) for odds in ODDS}
ROUNDS = 5
STRATEGIES = st.lists(st.integers(0, len(ODDS) - 1), min_size=2**ROUNDS - 1, max_size=2**ROUNDS - 1)
"""One choice for each history of yes-or-no answers, level by level."""


def transcripts(
    plan: list[int], gate: Callable[[], Anything]
) -> dict[tuple, tuple[Fraction, Fraction]]:
    """Every history with its chance under both datasets; a refused release is answered by None."""
    found: dict[tuple, tuple[Fraction, Fraction]] = {}
    pending = [((), Fraction(1), Fraction(1), gate(), 0)]
    while pending:
        history, mine, theirs, state, node = pending.pop()
        if len(history) == ROUNDS:
            found[history] = (mine, theirs)
            continue
        odds = ODDS[plan[node]]
        truth = odds / (1 + odds)
        try:
            after = state.admit(LOSS_OF[odds])
        except BudgetExceededError:
            pending.append(((*history, None), mine, theirs, state, 2 * node + 1))
            continue
        for answer, chance, other in ((0, truth, 1 - truth), (1, 1 - truth, truth)):
            pending.append(
                ((*history, answer), mine * chance, theirs * other, after, 2 * node + 1 + answer)
            )
    return found


def within_budget(found: dict, epsilon: Fraction) -> bool:
    most = exactly(mp.exp(real(epsilon))) * (1 + Fraction(1, 10**40))
    return all(p <= most * q and q <= most * p for p, q in found.values())


@given(STRATEGIES, st.fractions(0, 4, max_denominator=20))
def test_no_transcript_of_any_strategy_passes_a_pure_budget(
    plan: list[int], budget: Fraction
) -> None:
    found = transcripts(plan, lambda: Filter(PureLoss(budget), PureLoss(0)))
    assert sum(p for p, _ in found.values()) == sum(q for _, q in found.values()) == 1
    assert within_budget(found, budget)


def test_a_pure_budget_is_reached_by_a_strategy() -> None:
    budget = 3 * LOSS_OF[Fraction(3)].epsilon
    found = transcripts([3] * 31, lambda: Filter(PureLoss(budget), PureLoss(0)))
    assert max(p / q for p, q in found.values()) == 27


NUMBERS = st.fractions(0, 1, max_denominator=30)
CHANCES = st.fractions(0, Fraction(1, 4), max_denominator=60)
KINDS: dict[str, tuple[Anything, Anything]] = {
    "pure": (st.builds(PureLoss, NUMBERS), PureLoss(0)),
    "approximate": (st.builds(ApproximateLoss, NUMBERS, CHANCES), ApproximateLoss(0, 0)),
    "concentrated": (st.builds(ConcentratedLoss, NUMBERS, CHANCES), ConcentratedLoss(0)),
    "gaussian": (st.builds(GaussianLoss, NUMBERS), GaussianLoss(0)),
    "renyi": (
        st.fixed_dictionaries({2: NUMBERS, 8: NUMBERS}).map(RenyiLoss),
        RenyiLoss({2: 0, 8: 0}),
    ),
}
RUNS = st.sampled_from(sorted(KINDS)).flatmap(
    lambda kind: st.tuples(
        st.just(KINDS[kind][1]), KINDS[kind][0], st.lists(KINDS[kind][0], max_size=12)
    )
)


def obeys(
    make: Callable[[Anything, Anything], Anything], nothing: Anything, budget: Anything, asked: list
) -> bool:
    state, admitted = make(budget, nothing), nothing
    for loss in asked:
        total = admitted + loss if fits(admitted, loss) else None
        before = state
        try:
            state = state.admit(loss)
        except BudgetExceededError:
            if state is not before or state.spent != admitted:
                return False
            if total is not None and total.within(budget):
                return False
            continue
        if total is None or not total.within(budget) or state.spent != total:
            return False
        admitted = total
    return admitted.within(budget)


def fits(one: Anything, two: Anything) -> bool:
    return one.delta + two.delta < 1


@given(RUNS)
def test_what_is_admitted_adds_up_within_the_budget_and_a_refusal_changes_nothing(
    run: tuple,
) -> None:
    nothing, budget, asked = run
    assert obeys(Filter, nothing, budget, asked)


@given(RUNS)
def test_an_odometer_reads_the_sum(run: tuple) -> None:
    nothing, _, asked = run
    meter, total = Odometer(nothing), nothing
    for loss in asked:
        if fits(total, loss):
            meter, total = meter.after(loss), total + loss
    assert meter.spent == total


def test_a_renyi_budget_needs_its_orders() -> None:
    state = Filter(RenyiLoss({2: 1, 8: 1}), RenyiLoss({2: 0, 8: 0}))
    with pytest.raises(BudgetExceededError):
        state.admit(RenyiLoss({2: 0}))
    assert state.admit(RenyiLoss({2: 1, 8: 1, 3: 100})).spent == RenyiLoss({2: 1, 8: 1})


def test_a_hopeless_delta_is_refused_as_a_spend() -> None:
    half = Fraction(1, 2)
    state = Filter(ApproximateLoss(1, half), ApproximateLoss(0, "0.45"))
    with pytest.raises(BudgetExceededError):
        state.admit(ApproximateLoss("0.1", "0.6"))
    state = Filter(ConcentratedLoss(1, half), ConcentratedLoss(0, "0.45"))
    with pytest.raises(BudgetExceededError):
        state.admit(ConcentratedLoss("0.1", "0.6"))
    with pytest.raises(BudgetExceededError):
        AdvancedFilter(ApproximateLoss(1, half), slack="0.1").admit(ApproximateLoss(0, "0.95"))


def test_another_type_is_refused_by_name() -> None:
    state = Filter(PureLoss(1), PureLoss(0))
    for bad in (GaussianLoss(0), ApproximateLoss(0, 0), 0, None):
        with pytest.raises(InvalidArgumentError, match="loss = "):
            state.admit(bad)
        with pytest.raises(InvalidArgumentError, match="spent = "):
            Filter(PureLoss(1), bad)


def test_a_refusal_says_what_is_needed_spent_and_allowed() -> None:
    state = Filter(PureLoss(1), PureLoss(0)).admit(PureLoss("0.75"))
    with pytest.raises(BudgetExceededError) as refused:
        state.admit(PureLoss("0.5"))
    for part in ("PureLoss(epsilon=0.5)", "PureLoss(epsilon=0.75)", "PureLoss(epsilon=1)"):
        assert part in str(refused.value)
    assert state.admit(PureLoss("0.25")).spent == PureLoss(1)


def responses_epsilon(odds: Fraction, times: int, delta: Fraction) -> Anything:
    mine = {k: comb(times, k) * odds ** (times - k) / (1 + odds) ** times for k in range(times + 1)}
    theirs = {k: comb(times, k) * odds**k / (1 + odds) ** times for k in range(times + 1)}
    return least_epsilon(mine, theirs, delta)


@given(st.sampled_from(ODDS), st.integers(1, 40), st.sampled_from(["0.3", "0.1", "1e-3", "1e-6"]))
def test_an_advanced_filter_covers_randomized_responses(
    odds: Fraction, times: int, slack: str
) -> None:
    state = AdvancedFilter(ApproximateLoss(10**6, slack), slack=slack)
    for _ in range(times):
        state = state.admit(ApproximateLoss(LOSS_OF[odds].epsilon, 0))
    assert exactly(responses_epsilon(odds, times, Fraction(slack))) <= state.epsilon


@given(
    STRATEGIES,
    st.fractions(Fraction(1, 2), 12, max_denominator=10),
    st.sampled_from(["0.3", "0.05", "1e-3"]),
)
def test_no_strategy_passes_an_advanced_budget(
    plan: list[int], epsilon: Fraction, slack: str
) -> None:
    class Gate:
        def __init__(self, inner: AdvancedFilter) -> None:
            self.inner = inner

        def admit(self, loss: PureLoss) -> "Gate":
            return Gate(self.inner.admit(ApproximateLoss(loss.epsilon, 0)))

    found = transcripts(
        plan, lambda: Gate(AdvancedFilter(ApproximateLoss(epsilon, slack), slack=slack))
    )
    odds = mp.exp(real(epsilon))
    for side in (0, 1):
        stick = mp.fsum(
            max(mp.mpf(0), real(x[side]) - odds * real(x[1 - side])) for x in found.values()
        )
        assert exactly(stick) <= Fraction(slack)


@given(
    st.lists(st.builds(ApproximateLoss, NUMBERS, CHANCES), max_size=15),
    st.fractions(0, 8, max_denominator=9),
)
def test_an_advanced_filter_admits_by_its_theorem(asked: list, epsilon: Fraction) -> None:
    slack, budget = Fraction(1, 100), ApproximateLoss(epsilon, "0.3")
    state, squares, deltas = AdvancedFilter(budget, slack=slack), Fraction(0), Fraction(0)
    for loss in asked:
        tried = squares + loss.epsilon**2
        needed = exactly(mp.sqrt(-2 * mp.log(real(slack)) * real(tried)) + real(tried) / 2)
        try:
            state = state.admit(loss)
        except BudgetExceededError:
            assert (
                needed * (1 + Fraction(1, 10**9)) > epsilon
                or slack + deltas + loss.delta > budget.delta
            )
            continue
        squares, deltas = tried, deltas + loss.delta
        assert needed <= epsilon * (1 + Fraction(1, 10**40))
        assert slack + deltas <= budget.delta
        assert (
            needed * (1 - Fraction(1, 10**40)) <= state.epsilon <= needed * (1 + Fraction(1, 10**9))
        )


def test_bad_advanced_filters_are_refused_by_name() -> None:
    budget = ApproximateLoss(1, "0.1")
    for bad in (0, 1, -1, "0.2", float("nan"), None):
        with pytest.raises(InvalidArgumentError, match="slack = "):
            AdvancedFilter(budget, slack=bad)
    state = AdvancedFilter(budget, slack="0.01")
    for bad in (ConcentratedLoss(1), GaussianLoss(1), None, 1):
        with pytest.raises(InvalidArgumentError, match="loss = "):
            state.admit(bad)
    with pytest.raises(InvalidArgumentError, match="budget = "):
        AdvancedFilter(GaussianLoss(1), slack="0.01")


def test_an_advanced_filter_cannot_start_in_credit() -> None:
    budget = ApproximateLoss(1, "0.1")
    with pytest.raises(InvalidArgumentError):
        AdvancedFilter(budget, slack="0.01", squares=Fraction(-10))
    with pytest.raises(InvalidArgumentError):
        AdvancedFilter(budget, slack="0.01", deltas=Fraction(-1, 2))


def test_planted_a_filter_that_compares_before_adding_is_found() -> None:
    class Late(Filter):
        def __post_init__(self) -> None:
            """A filter that lets itself pass the budget does not check that it did."""

        def admit(self, loss: PureLoss) -> "Late":
            if not self.spent.within(self.budget):
                raise BudgetExceededError(needed=loss, spent=self.spent, budget=self.budget)
            return Late(self.budget, self.spent + loss)

    found = transcripts([4] * 31, lambda: Late(PureLoss(2), PureLoss(0)))
    assert not within_budget(found, Fraction(2))
    assert not obeys(Late, PureLoss(0), PureLoss(1), [PureLoss("0.7")] * 3)


def test_planted_a_filter_that_keeps_a_refused_spend_is_found() -> None:
    class Keeping:
        def __init__(self, budget: PureLoss, spent: PureLoss) -> None:
            self.budget, self.spent = budget, spent

        def admit(self, loss: PureLoss) -> "Keeping":
            self.spent = self.spent + loss
            if not self.spent.within(self.budget):
                raise BudgetExceededError(needed=loss, spent=self.spent, budget=self.budget)
            return self

    assert not obeys(
        Keeping, PureLoss(0), PureLoss(1), [PureLoss("0.7"), PureLoss("0.7"), PureLoss("0.2")]
    )


def test_planted_an_advanced_filter_without_its_root_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(filters, "sqrt", lambda _: Interval.of(0))
    state = AdvancedFilter(ApproximateLoss(10**6, "0.001"), slack="0.001")
    for _ in range(10):
        state = state.admit(ApproximateLoss(LOSS_OF[Fraction(3, 2)].epsilon, 0))
    assert exactly(responses_epsilon(Fraction(3, 2), 10, Fraction(1, 1000))) > state.epsilon
