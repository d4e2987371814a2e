"""What a question may cost: deltas that fit the budget, wishes met for little, prices shared."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curator.wards import spent, written

import differential_privacy as dp
from differential_privacy.curator.budgets import price_of
from differential_privacy.errors import InvalidArgumentError, QuestionError
from differential_privacy.ledger import Certificates
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Spendable,
)
from differential_privacy.queries import Plan, Price

BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"
BY_NOTE = BY_WARD.replace("ward", "note")


@pytest.fixture(scope="module")
def curator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dp.Curator]:
    with dp.Curator(written(tmp_path_factory.mktemp("approximate"))) as one:
        yield one


@pytest.fixture(scope="module")
def in_rho(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dp.Curator]:
    budget = "{ rho = 2, delta = 1e-6 }"
    names = ("VISITS", "HOMES", "ITEMS", "ADA", "BOB")
    policy = written(
        tmp_path_factory.mktemp("rho"), PROJECT="{ rho = 1 }", **dict.fromkeys(names, budget)
    )
    with dp.Curator(policy) as one:
        yield one


SIZES = st.integers(1, 1000).map(lambda part: Fraction(part, 1000))
DELTAS = st.sampled_from([0, "1e-9", "1e-6", "1/3"])
BUDGETS = st.lists(
    st.one_of(
        st.builds(ApproximateLoss, st.sampled_from(["1/2", 1, 3, 20]), DELTAS),
        st.builds(ConcentratedLoss, st.sampled_from(["1/100", 1, 7]), DELTAS),
    ),
    min_size=1,
    max_size=3,
)


@given(BUDGETS, st.lists(SIZES, min_size=1, max_size=12))
def test_deltas_that_nobody_stated_never_pass_a_budget(
    budgets: list[Spendable], sizes: list[Fraction]
) -> None:
    """Whatever sizes a budget is spent in, its delta lasts as long as the rest of it does."""
    least = min(size_in_all(budget) for budget in budgets)
    sizes = [least * size / sum(sizes) for size in sizes]
    prices = [price_of(budgets, epsilon=size) for size in sizes if size >= Fraction(1, 10**9)]
    for budget in budgets:
        assert sum(price.delta for price in prices) <= budget.delta


def size_in_all(budget: Spendable) -> Fraction:
    """As much epsilon as a budget surely pays for, in however many parts."""
    if isinstance(budget, ApproximateLoss):
        return budget.epsilon
    assert isinstance(budget, ConcentratedLoss)
    # One question of epsilon costs a rho of half its square.
    return Fraction(int((2 * budget.rho) ** Fraction(1, 2) * 1000), 1000)


@given(st.lists(SIZES, min_size=1, max_size=12), DELTAS)
def test_deltas_of_a_budget_in_rho_last_too(sizes: list[Fraction], delta: str | int) -> None:
    budget = ConcentratedLoss(1, delta)
    prices = [price_of([budget], rho=size / sum(sizes)) for size in sizes]
    assert sum(price.delta for price in prices) <= budget.delta
    assert all(price.epsilon is not None and price.rho is not None for price in prices)
    assert all((price.epsilon or 0) ** 2 / 2 <= (price.rho or 0) for price in prices)


@pytest.mark.parametrize(
    ("budgets", "given", "price"),
    [
        ([PureLoss(1)], {"epsilon": "0.5"}, Price(Fraction(1, 2))),
        ([PureLoss(1), ApproximateLoss(1, "1e-6")], {"epsilon": 1}, Price(Fraction(1))),
        (
            [ApproximateLoss(2, "1e-6")],
            {"epsilon": 1},
            Price(Fraction(1), None, Fraction(1, 2 * 10**6)),
        ),
        (
            [ApproximateLoss(2, "1e-6"), ApproximateLoss(1, "1e-7")],
            {"epsilon": 1},
            Price(Fraction(1), None, Fraction(1, 10**7)),
        ),
        (
            [ApproximateLoss(2, "1e-6")],
            {"epsilon": 1, "delta": "1e-6"},
            Price(Fraction(1), None, Fraction(1, 10**6)),
        ),
        ([ConcentratedLoss(1)], {"epsilon": 1}, Price(Fraction(1), Fraction(1, 2))),
        (
            [ConcentratedLoss(1, "1e-6")],
            {"rho": "0.5"},
            Price(Fraction(1), Fraction(1, 2), Fraction(1, 2 * 10**6)),
        ),
    ],
)
def test_a_price_is_what_its_budgets_can_pay(
    budgets: list[Spendable], given: dict[str, object], price: Price
) -> None:
    assert price_of(budgets, **given) == price  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("budget", "given", "rule"),
    [
        (PureLoss(1), {}, "epsilon"),
        (PureLoss(1), {"epsilon": 1, "rho": 1}, "epsilon"),
        (PureLoss(1), {"epsilon": 1, "delta": "1e-9"}, "delta = .*must be 0"),
        (PureLoss(1), {"rho": 1}, "rho = .*in epsilon"),
        (ApproximateLoss(1, "1e-6"), {"rho": 1}, "rho = .*in epsilon"),
        *(
            (PureLoss(1), {"epsilon": bad}, "epsilon")
            for bad in (0, -1, "nan", "inf", 1e-320, 1e300)
        ),
        (ApproximateLoss(1, "1e-6"), {"epsilon": True}, "epsilon"),
        (ApproximateLoss(1, "1e-6"), {"epsilon": "one"}, "epsilon"),
        *(
            (ApproximateLoss(1, "1e-6"), {"epsilon": 1, "delta": bad}, "delta")
            for bad in (-1, 1, 2, "x")
        ),
    ],
)
def test_a_price_that_makes_no_sense_is_refused(
    budget: Spendable, given: dict[str, object], rule: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=rule):
        price_of([budget], **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [BY_WARD, BY_NOTE, "SELECT MEDIAN(cost), MAX(age) FROM visits"])
@pytest.mark.parametrize("size", ["0.001", "0.3", "2"])
def test_every_plan_fits_the_measures_of_who_pays(
    curator: dp.Curator, in_rho: dp.Curator, text: str, size: str
) -> None:
    for one, price in (
        (curator, {"epsilon": size}),
        (in_rho, {"epsilon": size}),
        (in_rho, {"rho": size}),
    ):
        plan = one.session("ada").plan(text, **price)  # type: ignore[arg-type]
        losses = Certificates(*plan.losses)
        for account in one.ledger.statement().accounts:
            if account.parent is None:
                assert type(losses.for_budget(account.budget)) is type(account.budget)
                assert losses.for_budget(account.budget).delta <= account.budget.delta


WISHES = [
    ("SELECT COUNT(*) AS n FROM visits", {"n": 50}),
    ("SELECT COUNT(*) AS n FROM visits", {"n": "0.5"}),
    (BY_WARD, {"n": 20}),
    (BY_WARD, {"m": "0.05"}),
    (BY_WARD, {"n": 40, "m": "0.1"}),
    (BY_NOTE, {"n": 30}),
    ("SELECT SUM(cost) - 2 * COUNT(*) AS s FROM visits WHERE age > 2", {"s": 100}),
    ("SELECT MEDIAN(cost) AS m, COUNT(DISTINCT person) AS p FROM visits", {"m": 25, "p": 9}),
    ("SELECT STDDEV(age) AS d FROM visits", {"d": "0.3"}),
]


@pytest.mark.parametrize(("text", "within"), WISHES)
def test_a_wish_is_met_at_the_least_price_or_nearly(
    curator: dp.Curator, in_rho: dp.Curator, text: str, within: dict[str, object]
) -> None:
    for one in (curator, in_rho):
        session = one.session("ada")
        plan = session.plan(text, within=within)  # type: ignore[arg-type]
        assert meets(plan, within)
        # Errors fall with epsilon, and with the root of rho.
        name, part = ("rho", Fraction(96, 100)) if one is in_rho else ("epsilon", Fraction(98, 100))
        size = rho_of(plan) if one is in_rho else epsilon_of(plan)
        cheaper = session.plan(text, **{name: size * part})  # type: ignore[arg-type]
        assert not meets(cheaper, within)
        assert spent(one) == {}


def epsilon_of(plan: Plan) -> Fraction:
    """What a plan costs a budget in epsilon."""
    return Certificates(*plan.losses).for_budget(ApproximateLoss(1, "1/2")).epsilon


def rho_of(plan: Plan) -> Fraction:
    """What it costs one in rho."""
    return Certificates(*plan.losses).for_budget(ConcentratedLoss(1, "1/2")).rho


def meets(plan: Plan, within: dict[str, object]) -> bool:
    errors = {one.column: one.error for one in plan.expected()}
    return all(errors[name] <= float(str(wish)) for name, wish in within.items())


def test_a_wish_for_more_confidence_costs_more(curator: dp.Curator) -> None:
    ada = curator.session("ada")
    prices = [
        epsilon_of(ada.plan(BY_WARD, within={"n": 20}, confidence=sure))
        for sure in ("0.5", "0.95", "0.999")
    ]
    assert prices == sorted(prices)
    assert prices[0] < prices[2] / 3


@pytest.mark.parametrize(
    ("within", "rule"),
    [
        ({"k": 5}, "must be a noisy column of the question: n, m"),
        ({"n": 0}, "positive"),
        ({"n": -3}, "positive"),
        ({"n": "nan"}, "within"),
        ({}, "must be errors by column"),
        (5, "must be errors by column"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused(
    curator: dp.Curator, within: dict[str, object], rule: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=rule):
        curator.session("ada").plan(BY_WARD, within=within)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="must stand alone"):
        curator.session("ada").plan(BY_WARD, within={"n": 3}, epsilon=1)


BATCH = [
    ("SELECT COUNT(*) AS n FROM visits WHERE age = 1", {"n": 100}),
    ("SELECT SUM(cost) AS s FROM visits", {"s": 5000}),
    ("SELECT ward, COUNT(*) AS n FROM visits WHERE age = 2 GROUP BY ward", {"n": 50}),
]


NOTED = ("SELECT note, COUNT(*) AS n FROM visits GROUP BY note", {"n": 200})


@pytest.mark.parametrize("in_rho", [False, True])
def test_a_batch_shares_its_price_in_proportion_to_the_wishes(
    tmp_path: Path, *, in_rho: bool
) -> None:
    names = ("VISITS", "HOMES", "ITEMS", "ADA", "BOB", "PROJECT")
    budgets = dict.fromkeys(names, "{ rho = 1, delta = 1e-6 }") if in_rho else {}
    with dp.Curator(written(tmp_path, **budgets)) as curator:
        batch = [*BATCH, NOTED]
        answers = curator.session("ada").batch(batch, epsilon="0.2", delta="1e-8")
        cost = rho_of if in_rho else epsilon_of
        total = Fraction(1, 50) if in_rho else Fraction(1, 5)
        spent_ = sum(cost(answer.plan) for answer in answers)
        assert total * Fraction(97, 100) <= spent_ <= total
        assert sum(answer.loss.delta for answer in answers) <= Fraction(1, 10**8)
        ratios = [
            answer.plan.expected()[0].error / wish
            for answer, (_, within) in zip(answers, batch, strict=True)
            for wish in within.values()
        ]
        assert max(ratios) <= 1.15 * min(ratios)


def test_a_batch_for_nothing_is_refused_and_one_of_nothing_is_free(curator: dp.Curator) -> None:
    assert curator.session("ada").batch([], epsilon=1) == []
    with pytest.raises(InvalidArgumentError, match="epsilon"):
        curator.session("ada").batch(BATCH, epsilon=0)
    assert spent(curator) == {}


def test_a_plan_is_free_and_reads_no_data(tmp_path: Path) -> None:
    """Private files may be gone: a plan is made of public facts alone."""
    policy = written(tmp_path)
    with dp.Curator(policy) as curator:
        run = curator.engine.run
        private = [str(tmp_path / f"{name}.parquet") for name in ("visits", "homes", "items")]

        def watched(query: object) -> object:
            text = curator.engine.written(query)  # type: ignore[arg-type]
            assert not any(path in text for path in private)
            return run(query)  # type: ignore[arg-type]

        object.__setattr__(curator.engine, "run", watched)
        ada = curator.session("ada")
        joined = (
            "SELECT beds, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY 1"
        )
        for text in (BY_WARD, BY_NOTE, joined):
            plan = ada.plan(text, epsilon=1)
            assert plan.expected()
            assert plan.sql
            assert plan.why
            ada.plan(text, within={"n": 20})
        assert spent(curator) == {}
        with pytest.raises(AssertionError):
            ada.sql(BY_WARD, epsilon=1)


def test_groups_that_must_be_found_are_refused_where_no_delta_can_be_paid(tmp_path: Path) -> None:
    pure = "{ epsilon = 10 }"
    names = ("VISITS", "HOMES", "ITEMS", "ADA", "BOB")
    with dp.Curator(written(tmp_path, **dict.fromkeys(names, pure))) as curator:
        with pytest.raises(QuestionError, match="finding them needs a delta"):
            curator.session("ada").sql(BY_NOTE, epsilon=1)
        assert curator.session("ada").sql(BY_WARD, epsilon=1).loss == PureLoss(1)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward, 1 AS x FROM visits GROUP BY ward",
        "SELECT DISTINCT ward FROM visits",
        "SELECT ward FROM visits WHERE age > 3 GROUP BY ward ORDER BY ward LIMIT 1",
        "SELECT beds FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY beds",
    ],
)
def test_public_groups_alone_are_not_sold(curator: dp.Curator, text: str) -> None:
    ada = curator.session("ada")
    for buy in (
        lambda: ada.sql(text, epsilon=1),
        lambda: ada.plan(text, within={"n": 5}),
        lambda: ada.lost(text, epsilon=1),
        lambda: ada.table("visits").group_by("ward").answer(epsilon=1),
    ):
        with pytest.raises(QuestionError, match=r"groups: are public.*COUNT\(\*\) beside them"):
            buy()
    assert spent(curator) == {}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > 3",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC",
        "SELECT note FROM visits GROUP BY note",
        "SELECT MEDIAN(age) FROM visits",
    ],
)
def test_groups_of_which_anything_private_is_asked_are_priced(
    curator: dp.Curator, text: str
) -> None:
    priced = curator.session("ada").plan(text, epsilon="0.5").priced
    assert priced.noises or priced.quantiles or priced.finding
