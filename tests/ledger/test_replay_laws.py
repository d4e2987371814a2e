"""Laws: whatever a strategy asks of whichever accounts, no filter is passed, and replay agrees."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ledger.places import InMemory

from differential_privacy.errors import BudgetExceededError, InvalidArgumentError, NoTheoremError
from differential_privacy.ledger import Account, Certificates, Ledger
from differential_privacy.ledger.replay import State
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    Spendable,
)

SMALL = st.fractions(0, 1, max_denominator=12)
CHANCES = st.sampled_from([Fraction(0), Fraction(1, 1000), Fraction(1, 10), Fraction(9, 10)])
MEASURES: dict[str, st.SearchStrategy[Spendable]] = {
    "pure": st.builds(PureLoss, SMALL),
    "approximate": st.builds(ApproximateLoss, SMALL, CHANCES),
    "concentrated": st.builds(ConcentratedLoss, SMALL, CHANCES),
    "gaussian": st.builds(GaussianLoss, SMALL),
    "renyi": st.fixed_dictionaries({2: SMALL, 8: SMALL}).map(RenyiLoss),
}
BUDGETS = st.one_of(*MEASURES.values())
PRICES = (
    st.fixed_dictionaries({}, optional=MEASURES)
    .filter(bool)
    .map(lambda stated: Certificates(*stated.values()))
)
NAMES = ["a", "b", "c", "d"]
NAME = st.sampled_from(NAMES)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that somebody may do; the strategy's answers are whether it was refused."""

    act: str
    names: list[str]
    budget: Spendable
    price: Certificates
    other: "Step | None" = None


PLAIN = st.builds(
    Step,
    st.sampled_from(["open", "spend", "spend", "spend", "spend", "grant", "lower", "revoke"]),
    st.lists(NAME, min_size=1, max_size=3),
    BUDGETS,
    PRICES,
)
STEPS = st.builds(
    lambda step, other: Step(step.act, step.names, step.budget, step.price, other), PLAIN, PLAIN
)
STRATEGIES = st.tuples(
    st.lists(st.tuples(BUDGETS, st.sampled_from([None, *NAMES])), min_size=4, max_size=4),
    st.lists(STEPS, max_size=25),
)
REFUSALS = (BudgetExceededError, NoTheoremError, InvalidArgumentError)


class Recorded:
    """All that was admitted, kept apart from the ledger: what the laws are held against."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.spends: list[tuple[set[str], Certificates]] = []

    def above(self, names: list[str]) -> set[str]:
        found: set[str] = set()
        for name in names:
            at: str | None = name
            while at is not None:
                found.add(at)
                at = self.parents[at]
        return found

    def total(self, account: Account) -> Spendable:
        losses = [
            certificates.for_budget(account.budget)
            for charged, certificates in self.spends
            if account.name in charged
        ]
        return sum(losses, start=ZEROS[type(account.budget)])


ZEROS: dict[type, Spendable] = {
    PureLoss: PureLoss(0),
    ApproximateLoss: ApproximateLoss(0, 0),
    ConcentratedLoss: ConcentratedLoss(0),
    GaussianLoss: GaussianLoss(0),
    RenyiLoss: RenyiLoss({2: 0, 8: 0}),
}


def play(
    strategy: tuple[list[tuple[Spendable, str | None]], list[Step]],
    ledgers: Callable[[], Ledger],
) -> None:
    """Plays a strategy on two processes in turn and holds every law after every step."""
    both, recorded = (ledgers(), ledgers()), Recorded()
    for name, (budget, parent) in zip(NAMES, strategy[0], strict=True):
        above = parent if parent in recorded.parents else None
        both[0].open_account(name, budget, parent=above)
        recorded.parents[name] = above
    refused = False
    for number, chosen in enumerate(strategy[1]):
        # The next step depends on what became of the one before.
        step = chosen.other if refused and chosen.other is not None else chosen
        ledger, state = both[number % 2], both[number % 2].statement()
        try:
            do(ledger, step, recorded)
            refused = False
        except REFUSALS as error:
            refused = True
            assert ledger.statement() == state
            if isinstance(error, BudgetExceededError):
                assert_deserved(ledger.account(str(error.account)), step.price)
    assert_laws(both, recorded)
    assert_laws((ledgers(), ledgers()), recorded)


def do(ledger: Ledger, step: Step, recorded: Recorded) -> None:
    if step.act == "open":
        ledger.open_account(step.names[0], step.budget)
    elif step.act == "grant":
        ledger.grant(step.names[0], step.budget)
    elif step.act == "lower":
        ledger.lower(step.names[0], step.budget, who="curator", why="less")
    elif step.act == "revoke":
        ledger.revoke(step.names[0])
    else:
        ledger.spend(step.names, step.price, who="strategy", what={})
        charged = recorded.above(step.names)
        recorded.spends.append((charged, step.price))
        for account in map(ledger.account, charged):
            assert account.spent.within(account.budget)
            assert not account.revoked


def assert_deserved(account: Account, price: Certificates) -> None:
    try:
        after = account.spent + price.for_budget(account.budget)
    except InvalidArgumentError:
        return
    assert account.revoked or not after.within(account.budget)


def assert_laws(both: tuple[Ledger, Ledger], recorded: Recorded) -> None:
    accounts = {account.name: account for account in both[0].statement().accounts}
    assert accounts == {account.name: account for account in both[1].statement().accounts}
    assert both[0].verify() == both[1].verify()
    for account in accounts.values():
        assert account.spent == recorded.total(account)
        assert account.left.within(account.budget)
        above = None if account.parent is None else accounts[account.parent]
        if above is not None and type(above.spent) is type(account.spent):
            assert account.spent.within(above.spent)


@given(STRATEGIES)
def test_no_strategy_passes_any_filter_and_replay_gives_the_same_state(strategy: tuple) -> None:
    place = InMemory()
    play(strategy, place.open)


class StateThatForgetsParents(State):
    def charged(self, names: object) -> list[Account]:
        return [self.account(name) for name in dict.fromkeys(names)]  # type: ignore[call-overload]


TIGHT = (
    [(PureLoss(1), None), (PureLoss(1), "a"), (PureLoss(1), "b"), (PureLoss(1), "c")],
    [Step("spend", ["d"], PureLoss(0), Certificates(PureLoss(Fraction(1, 2))))] * 3,
)


def test_a_ledger_that_forgets_parents_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    play(TIGHT, InMemory().open)
    monkeypatch.setattr("differential_privacy.ledger.chain.State", StateThatForgetsParents)
    with pytest.raises(AssertionError):
        play(TIGHT, InMemory().open)


def test_a_ledger_that_admits_all_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Account, "admit", Account.after)
    with pytest.raises(Exception, match="breaks the rules of a spend"):
        play(TIGHT, InMemory().open)


def test_three_thirds_fit_and_nothing_after_them() -> None:
    """Attack 37: sums are exact."""
    third = Certificates(PureLoss("1/3"))
    ledger = Ledger.in_memory()
    ledger.open_account("visits", PureLoss(1))
    for _ in range(3):
        ledger.spend(["visits"], third, who="ada", what={})
    with pytest.raises(BudgetExceededError):
        ledger.spend(["visits"], Certificates(PureLoss("1e-300")), who="ada", what={})
    assert ledger.account("visits").left == PureLoss(0)
