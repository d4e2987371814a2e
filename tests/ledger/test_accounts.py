"""Accounts: opened once, charged with all above them, granted more, revoked; over every store."""

from fractions import Fraction
from typing import Any

import pytest
from tests.ledger.places import Place, pay

from differential_privacy.errors import (
    BudgetExceededError,
    InvalidArgumentError,
    NoTheoremError,
    UnknownAccountError,
)
from differential_privacy.ledger import Certificates, Ledger, Parts, Receipt
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    Spendable,
)

BUDGETS: list[Spendable] = [
    PureLoss(1),
    ApproximateLoss(1, "1e-6"),
    ConcentratedLoss("0.05", "1e-9"),
    GaussianLoss("0.1"),
    RenyiLoss({2: "0.1", "33/2": "0.5"}),
]
PRICE = Certificates(
    GaussianLoss("0.003"),
    ApproximateLoss("1/30", "1e-9"),
    PureLoss("0.07"),
    ConcentratedLoss("0.002"),
)


def refused_unchanged(ledger: Ledger, error: type[Exception], match: str, **asked: Any) -> None:
    before = ledger.statement()
    spend = {"accounts": ["visits"], "certificates": PRICE, "who": "ada", "what": {}} | asked
    with pytest.raises(error, match=match):
        ledger.spend(spend.pop("accounts"), spend.pop("certificates"), **spend)
    assert ledger.statement() == before


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: type(budget).__name__)
def test_an_account_grants_as_long_as_its_filter_admits_and_not_once_more(
    place: Place, budget: Spendable
) -> None:
    ledger = place.open()
    ledger.open_account("visits", budget)
    cost, spent, granted = PRICE.for_budget(budget), None, 0
    while (after := cost if spent is None else spent + cost).within(budget):
        ledger.spend(["visits"], PRICE, who="ada", what={})
        spent, granted = after, granted + 1
    assert granted > 2
    refused_unchanged(ledger, BudgetExceededError, "visits: this needs")
    account = place.open().account("visits")
    assert (account.spent, account.budget) == (spent, budget)
    assert account == ledger.account("visits")


def test_a_refusal_names_account_need_spent_and_budget(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    ledger.open_account("ada", PureLoss(9), parent="visits")
    pay(ledger, "ada", epsilon="0.75")
    with pytest.raises(BudgetExceededError) as refused:
        pay(ledger, "ada", epsilon="0.5")
    error = refused.value
    assert error.account == "visits"
    assert (error.needed, error.spent, error.budget) == (
        PureLoss("0.5"),
        PureLoss("0.75"),
        PureLoss(1),
    )
    assert str(error).startswith("visits: this needs PureLoss(epsilon=0.5), but PureLoss")


def test_all_named_accounts_and_all_above_are_charged_once_or_none(place: Place) -> None:
    ledger = place.open()
    for name, parent in [("all", None), ("visits", "all"), ("labs", "all"), ("ada", "visits")]:
        ledger.open_account(name, PureLoss(1), parent=parent)
    ledger.open_account("bob", PureLoss("0.25"))
    pay(ledger, "ada", "labs", "visits", epsilon="0.4")
    spent = {account.name: account.spent for account in ledger.statement().accounts}
    assert spent == dict.fromkeys(["all", "visits", "labs", "ada"], PureLoss("0.4")) | {
        "bob": PureLoss(0)
    }
    refused_unchanged(
        ledger,
        BudgetExceededError,
        "^bob: ",
        accounts=["ada", "bob"],
        certificates=Certificates(PureLoss("0.4")),
    )
    refused_unchanged(
        ledger, UnknownAccountError, "account = 'eve': must be open", accounts=["ada", "eve"]
    )


def test_a_child_may_have_another_measure_than_its_parent(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", ConcentratedLoss("0.01"))
    ledger.open_account("ada", PureLoss(5), parent="visits")
    pay(ledger, "ada", epsilon="0.1")
    assert ledger.account("visits").spent == ConcentratedLoss("0.005")
    with pytest.raises(BudgetExceededError, match=r"^visits: .*rho"):
        pay(ledger, "ada", epsilon="0.2")


def test_a_spend_without_a_certificate_in_the_measure_is_refused_before_it_is_written(
    place: Place,
) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    refused_unchanged(
        ledger, NoTheoremError, "gives a PureLoss", certificates=Certificates(ConcentratedLoss(1))
    )


def test_renyi_accounts_of_several_orders_are_charged_together(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", RenyiLoss({2: 1}))
    ledger.open_account("ada", RenyiLoss({8: 1, "3/2": 1}), parent="visits")
    ledger.spend(["ada"], Certificates(GaussianLoss("0.1")), who="ada", what={})
    again = place.open()
    assert again.account("visits").spent == RenyiLoss({2: "0.1"})
    assert again.account("ada").spent == RenyiLoss({8: "0.4", "3/2": "0.075"})


def test_opening_again_changes_nothing_and_another_budget_is_an_error(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    ledger.open_account("ada", PureLoss(1), parent="visits")
    for opener in (ledger, place.open()):
        opener.open_account("ada", PureLoss(1), parent="visits")
    with pytest.raises(
        InvalidArgumentError, match=r"budget = PureLoss\(epsilon=2\).*needs a grant"
    ):
        ledger.open_account("ada", PureLoss(2), parent="visits")
    with pytest.raises(InvalidArgumentError, match="parent = None: must be 'visits'"):
        ledger.open_account("ada", PureLoss(1))
    with pytest.raises(UnknownAccountError, match="eve"):
        ledger.open_account("bob", PureLoss(1), parent="eve")
    with pytest.raises(InvalidArgumentError, match="a loss that a filter is for"):
        ledger.open_account("bob", 1.0)  # type: ignore[arg-type]
    assert len(ledger.statement().entries) == 2


def test_a_grant_gives_more_and_never_less_nor_another_measure(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    pay(ledger, "visits", epsilon=1)
    ledger.grant("visits", PureLoss("3/2"))
    ledger.grant("visits", PureLoss("3/2"))
    assert len(ledger.statement().entries) == 3
    pay(ledger, "visits", epsilon="1/2")
    with pytest.raises(BudgetExceededError):
        pay(ledger, "visits", epsilon="1/1000000")
    for budget in (PureLoss("1/2"), ApproximateLoss(9, 0), RenyiLoss({2: 9})):
        with pytest.raises(InvalidArgumentError, match="budget = "):
            ledger.grant("visits", budget)
    with pytest.raises(UnknownAccountError):
        ledger.grant("eve", PureLoss(1))
    # A policy may go on to state the budget that it opened the account with, or the new one.
    place.open().open_account("visits", PureLoss(1))
    place.open().open_account("visits", PureLoss("3/2"))
    assert place.open().account("visits").budget == PureLoss("3/2")


def test_a_renyi_grant_keeps_every_order(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", RenyiLoss({2: 1, 8: 4}))
    with pytest.raises(InvalidArgumentError, match="in the measure"):
        ledger.grant("visits", RenyiLoss({2: 2}))
    ledger.grant("visits", RenyiLoss({2: 2, 8: 4}))


@pytest.mark.parametrize("budget", BUDGETS, ids=lambda budget: type(budget).__name__)
def test_a_lowered_account_grants_as_much_as_one_that_was_opened_so(
    place: Place, budget: Spendable
) -> None:
    ledger = place.open()
    ledger.open_account("visits", budget + budget)
    ledger.spend(["visits"], PRICE, who="ada", what={})
    for opener in (ledger, place.open()):
        opener.lower("visits", budget, who="curator", why="too much")
    (entry,) = [one for one in ledger.statement().entries if one.kind == "lower"]
    assert (entry.body["who"], entry.body["why"]) == ("curator", "too much")
    other = Ledger.in_memory()
    other.open_account("visits", budget)
    other.spend(["visits"], PRICE, who="ada", what={})
    assert place.open().account("visits").left == other.account("visits").left
    for one in (ledger, other):
        while (one.account("visits").spent + PRICE.for_budget(budget)).within(budget):
            one.spend(["visits"], PRICE, who="ada", what={})
        with pytest.raises(BudgetExceededError):
            one.spend(["visits"], PRICE, who="ada", what={})
    assert ledger.account("visits").spent == other.account("visits").spent


def test_an_account_lowered_below_what_is_spent_admits_nothing_until_a_grant(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", ApproximateLoss(2, "1e-6"))
    ledger.open_account("ada", PureLoss(2), parent="visits")
    pay(ledger, "ada", epsilon="0.75")
    ledger.lower("visits", ApproximateLoss("0.5", "1e-6"), who="curator", why="less")
    assert place.open().account("visits").left == ApproximateLoss(0, 0)
    for epsilon in (0, "0.01"):
        with pytest.raises(BudgetExceededError, match=r"^visits: .*0.75.* of .*0.5"):
            pay(ledger, "ada", epsilon=epsilon)
    ledger.grant("visits", ApproximateLoss(1, "1e-6"))
    pay(ledger, "ada", epsilon="0.25")
    with pytest.raises(BudgetExceededError):
        pay(place.open(), "ada", epsilon="0.01")


def test_lowering_gives_nothing_opens_nothing_and_keeps_the_measure(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    ledger.revoke("visits")
    for budget in (PureLoss(2), ApproximateLoss("0.5", 0), RenyiLoss({2: "0.1"})):
        with pytest.raises(InvalidArgumentError, match="budget = "):
            ledger.lower("visits", budget, who="curator", why="less")
    with pytest.raises(UnknownAccountError):
        ledger.lower("eve", PureLoss(1), who="curator", why="less")
    with pytest.raises(InvalidArgumentError, match="why"):
        ledger.lower("visits", PureLoss("0.5"), who="curator", why="\x1b[2J")
    assert len(ledger.statement().entries) == 2
    ledger.lower("visits", PureLoss("0.5"), who="curator", why="less")
    assert place.open().account("visits").revoked


def test_nothing_is_spent_from_a_revoked_account_until_a_grant(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(2))
    ledger.open_account("ada", PureLoss(1), parent="visits")
    pay(ledger, "ada", epsilon="0.25")
    ledger.revoke("visits")
    ledger.revoke("visits")
    for epsilon in ("0.25", 0):
        with pytest.raises(BudgetExceededError, match=r"^visits: "):
            pay(ledger, "ada", epsilon=epsilon)
    again = place.open()
    assert again.account("visits").revoked
    assert again.account("visits").left == PureLoss(0)
    assert len(again.statement().entries) == 4
    again.grant("visits", PureLoss(2))
    pay(ledger, "ada", epsilon="0.75")
    assert ledger.account("visits").left == PureLoss(1)
    with pytest.raises(UnknownAccountError):
        ledger.revoke("eve")


def test_the_same_question_is_answered_once_and_the_first_answer_stays(place: Place) -> None:
    """Attack 30: a retry, a second process and a cached answer give the same bytes, paid once."""
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    assert ledger.answer("how many?") is None
    one, other = pay(ledger, "visits"), pay(ledger, "visits")
    assert ledger.record_answer(one, "how many?", b"42") == b"42"
    for again in (ledger, place.open()):
        assert again.record_answer(other, "how many?", b"43") == b"42"
        assert again.answer("how many?") == (one, b"42")
    assert ledger.record_answer(other, "how many more?", b"\x00" * 100_000) == b"\x00" * 100_000
    assert ledger.account("visits").spent == PureLoss("0.2")
    assert ledger.verify().answers == 2


@pytest.mark.parametrize("change", [{"id": "0" * 32}, {"sequence": 1}, {"hash": "0" * 64}])
def test_no_answer_is_recorded_that_this_ledger_was_not_paid_for(
    place: Place, change: dict
) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    paid = pay(ledger, "visits")
    told = {"id": paid.id, "sequence": paid.sequence, "hash": paid.hash} | change
    with pytest.raises(InvalidArgumentError, match="must be of a spend of this ledger"):
        ledger.record_answer(Receipt(**told), "how many?", b"42")
    assert ledger.answer("how many?") is None


def test_a_statement_of_an_account_holds_what_concerns_it(place: Place) -> None:
    ledger = place.open()
    for name, parent in [("visits", None), ("ada", "visits"), ("bob", "visits")]:
        ledger.open_account(name, PureLoss(1), parent=parent)
    hers, his = pay(ledger, "ada"), pay(ledger, "bob")
    ledger.record_answer(hers, "hers", b"1")
    ledger.record_answer(his, "his", b"2")
    ledger.revoke("bob")
    statement = ledger.statement("ada")
    assert [account.name for account in statement.accounts] == ["ada"]
    assert [entry.sequence for entry in statement.entries] == [2, 4, 6]
    assert [entry.sequence for entry in ledger.statement("visits").entries] == [1, 4, 5, 6, 7]
    whole = ledger.statement()
    assert [account.name for account in whole.accounts] == ["visits", "ada", "bob"]
    assert len(whole.entries) == 8
    with pytest.raises(UnknownAccountError):
        ledger.statement("eve")


def test_disjoint_parts_cost_together_what_the_dearest_costs(place: Place) -> None:
    ledger, wards = place.open(), Parts("visits", ("north", "south", "west"))
    wards.open(ledger, ConcentratedLoss(1))
    wards.open(ledger, ConcentratedLoss(1))
    for part, epsilon in [(["north"], 1), (["south", "west"], "0.5"), ([], "0.2")]:
        pay(ledger, *wards.accounts(*part), epsilon=epsilon)
    assert wards.cost(ledger) == ConcentratedLoss(Fraction(1, 2) + Fraction(1, 50))
    assert ledger.account("visits[west]").spent == ConcentratedLoss(
        Fraction(1, 8) + Fraction(1, 50)
    )
    with pytest.raises(BudgetExceededError, match=r"^visits\[north\]: "):
        pay(ledger, *wards.accounts(), epsilon=1)
    with pytest.raises(InvalidArgumentError, match="must be a part of visits"):
        wards.accounts("east")
    with pytest.raises(InvalidArgumentError, match="each once"):
        Parts("visits", ("north", "north"))


@pytest.mark.parametrize(
    "name", ["", " ", "\n", "a\x00b", "x" * 201, " ada", "ad\u0061\u0301", "\u202eada", 5, None]
)
def test_a_name_that_could_deceive_is_refused(place: Place, name: Any) -> None:
    """Attack 43: over-long and unprintable names."""
    ledger = place.open()
    ledger.open_account("ada", PureLoss(1))
    with pytest.raises(InvalidArgumentError, match="account"):
        ledger.open_account(name, PureLoss(1))
    refused_unchanged(ledger, InvalidArgumentError, "account", accounts=[name])
    refused_unchanged(ledger, InvalidArgumentError, "who", accounts=["ada"], who=name)
    receipt = pay(ledger, "ada")
    with pytest.raises(InvalidArgumentError, match="key"):
        ledger.record_answer(receipt, name, b"")


def deep() -> list:
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "what",
    [
        {"x": float("nan")},
        {"x": float("inf")},
        {1: "x"},
        {"x": b"bytes"},
        {"x": object()},
        {"x": ("a", "b")},
        {"x": "\ud800"},
        {"x": Fraction(1, 2)},
        {"x": "y" * (1 << 20)},
        {"x": deep()},
    ],
    ids=range(10),
)
def test_a_note_that_would_not_read_back_is_refused(what: dict) -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("visits", PureLoss(1))
    refused_unchanged(ledger, InvalidArgumentError, "what = 'dict'", what=what)


def test_a_note_is_kept_to_the_letter(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    what = {"SQL": "select 'é', \"ß\" -- \u2028 \x00 \\ 雪", "n": [1, 2.5, None, True], "": {}}
    ledger.spend(["visits"], PRICE, who="Ødegård", what=what)
    entry = place.open().statement().entries[-1]
    assert (entry.body["what"], entry.body["who"]) == (what, "Ødegård")


@pytest.mark.parametrize("accounts", [[], "visits", ()])
def test_a_spend_names_its_accounts_in_a_list(accounts: Any) -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("visits", PureLoss(1))
    refused_unchanged(ledger, InvalidArgumentError, "accounts = ", accounts=accounts)


def test_processes_see_each_others_entries(place: Place) -> None:
    one, other = place.open(), place.open()
    one.open_account("visits", PureLoss(1))
    for ledger in (one, other, one, other):
        pay(ledger, "visits", epsilon="1/4")
    for ledger in (one, other):
        assert ledger.account("visits").left == PureLoss(0)
        with pytest.raises(BudgetExceededError):
            pay(ledger, "visits")
    assert one.verify() == other.verify()


def test_a_closed_ledger_opens_again_when_it_is_asked(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    ledger.close()
    ledger.close()
    pay(ledger, "visits")
    assert ledger.verify().entries == 2
