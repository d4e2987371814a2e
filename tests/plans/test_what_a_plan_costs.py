"""What all parts of a plan cost together is its price: never more, and hardly less."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from tests.plans.grammar import policies, questions
from tests.plans.moves import plans, share_lost
from tests.plans.worlds import BOUNDS, Data, declared, opened, read

from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import QuestionError
from differential_privacy.mechanisms import GaussianThreshold, TruncatedGeometric
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Sensitivity,
)
from differential_privacy.queries import Plan, Price, pricing
from differential_privacy.sources import Bounds

CLOSE = Fraction(1, 10**6)
"""What is lost to the rounding of roots, as a part."""

WHOLE = Fraction(1, 5)
"""What is lost at most to thresholds that are whole numbers, where deltas are large."""

SMALL = st.sampled_from(["1/1000", "1/10", "1/3", "1", "5/2", "20"]).map(Fraction)
DELTAS = st.sampled_from(["1/1000000000", "1/1000000", "1/1000"]).map(Fraction)
PRICES = st.one_of(
    SMALL.map(Price),
    st.builds(Price, SMALL, st.none(), DELTAS),
    SMALL.map(lambda rho: Price(None, rho)),
    st.builds(Price, st.none(), SMALL, DELTAS),
    st.builds(Price, SMALL, SMALL, DELTAS),
)


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    with opened(Data()) as (one,):
        yield one


def sensitivity(plan: Plan, block: Any) -> Sensitivity:
    """How far a person moves a block, from what is known of one row and of a person's rows."""
    reach = plan.reach
    rows, squares = reach.rows, reach.squares
    if block.by_person:
        assert reach.groups is not None
        rows = squares = reach.groups
    return Sensitivity(l1=rows * block.row_l1, l2_squared=squares * block.row_squared)


def pure(plan: Plan) -> Fraction:
    """The epsilon of all that needs no delta."""
    rows = Sensitivity(l1=plan.reach.rows)
    noises = [noise.loss(sensitivity(plan, block)) for block, noise in plan.priced.noises]
    choices = [choice.loss(rows) for _, choice in plan.priced.quantiles]
    for loss in (*noises, *choices):
        assert isinstance(loss, PureLoss)
    return sum((loss.epsilon for loss in (*noises, *choices)), Fraction(0))


def concentrated(plan: Plan) -> Fraction:
    """The same as a rho."""
    rows = Sensitivity(l2_squared=plan.reach.squares)
    noises = [noise.loss(sensitivity(plan, block)) for block, noise in plan.priced.noises]
    choices = [choice.concentrated_loss(rows) for _, choice in plan.priced.quantiles]
    for loss in (*noises, *choices):
        assert isinstance(loss, ConcentratedLoss)
        assert loss.delta == 0
    return sum((loss.rho for loss in (*noises, *choices)), Fraction(0))


def found_within(plan: Plan, rest: ApproximateLoss) -> bool:
    """Whether finding groups is within what is left for it, whichever rule finds them."""
    rule, groups = plan.priced.finding, plan.reach.groups
    assert groups is not None
    if isinstance(rule, TruncatedGeometric):
        return rule.loss(groups).within(rest)
    assert isinstance(rule, GaussianThreshold)
    return rule.loss(groups).epsilon_at(rest.delta) <= rest.epsilon


def found_concentrated(plan: Plan) -> ConcentratedLoss:
    rule, groups = plan.priced.finding, plan.reach.groups
    if rule is None:
        return ConcentratedLoss(0)
    assert groups is not None
    if isinstance(rule, TruncatedGeometric):
        return rule.concentrated_loss(groups)
    return rule.loss(groups)


def check_cost(plan: Plan) -> None:
    """The stated losses are true, and the first one is used up."""
    stated, *more = plan.losses
    if isinstance(stated, ConcentratedLoss):
        check_concentrated(plan, stated)
        for loss in more:
            assert isinstance(loss, ApproximateLoss)
            assert stated.epsilon_at(loss.delta) <= loss.epsilon
        return
    assert not more
    spent = pure(plan)
    if plan.priced.finding is None:
        assert stated == PureLoss(stated.epsilon_at(0))
        assert spent == stated.epsilon_at(0)
        return
    assert isinstance(stated, ApproximateLoss)
    rest = ApproximateLoss(stated.epsilon - spent, stated.delta)
    assert found_within(plan, rest)
    # A whole threshold leaves a little of its delta, which epsilon alone cannot use up.
    close = CLOSE if isinstance(plan.priced.finding, TruncatedGeometric) else WHOLE
    assert capped(plan) or not found_within(plan, scaled(rest, 1 - close))


def check_concentrated(plan: Plan, stated: ConcentratedLoss) -> None:
    finding = found_concentrated(plan)
    spent = ConcentratedLoss(concentrated(plan) + finding.rho, finding.delta)
    assert spent.within(stated)
    assert capped(plan) or spent.rho >= stated.rho * (1 - CLOSE)


def scaled(loss: ApproximateLoss, factor: Fraction) -> ApproximateLoss:
    return ApproximateLoss(loss.epsilon * factor, loss.delta)


def capped(plan: Plan) -> bool:
    """Finding groups takes no more than hides nothing anyway."""
    rule = plan.priced.finding
    largest = pricing.LARGEST_FINDING * (1 - CLOSE)
    if isinstance(rule, TruncatedGeometric):
        return rule.epsilon >= largest
    return isinstance(rule, GaussianThreshold) and 1 / rule.variance >= largest**2


@given(policies(), questions(), PRICES)
def test_the_parts_of_a_plan_cost_its_price(
    catalog: Catalog, bounds: tuple[Bounds, ...], text: str, price: Price
) -> None:
    found = planned(catalog, bounds, text, price)
    assert found
    for plan in found:
        check_cost(plan)


def planned(catalog: Catalog, bounds: tuple[Bounds, ...], text: str, price: Price) -> list[Plan]:
    places = {name: table.source for name, table in catalog.tables.items()}
    tables = declared(places, bounds)  # type: ignore[arg-type]
    scanner = replace(catalog.scanner, tables=tables)
    try:
        return plans(read(Catalog(scanner), text), price)
    except QuestionError:
        reject()


@given(questions(), SMALL)
def test_the_share_lost_costs_its_price(catalog: Catalog, text: str, epsilon: Fraction) -> None:
    price = Price(epsilon, None, Fraction(1, 10**6))
    try:
        (plan,) = share_lost(read(catalog, text), price)
    except QuestionError:
        reject()
    assert plan.losses == (PureLoss(epsilon),)
    assert pure(plan) == epsilon


SEVERAL = (
    "SELECT note, COUNT(*), AVG(cost), MEDIAN(age), COUNT(DISTINCT person) FROM visits GROUP BY 1"
)


@pytest.mark.parametrize("text", [SEVERAL, SEVERAL.replace("note", "ward")])
@pytest.mark.parametrize(
    ("price", "losses"),
    [
        (
            Price(Fraction(1), None, Fraction(1, 1000)),
            {
                (PureLoss(1),),
                (ApproximateLoss(1, "1/1000"),),
                ("ConcentratedLoss", ApproximateLoss(1, "1/1000")),
            },
        ),
        (Price(None, Fraction(2), Fraction(1, 1000)), {("ConcentratedLoss",)}),
    ],
)
def test_a_plan_states_its_price_in_every_measure_that_has_a_theorem(
    catalog: Catalog, text: str, price: Price, losses: set[tuple[object, ...]]
) -> None:
    for plan in plans(read(catalog, text), price):
        written = tuple(
            "ConcentratedLoss" if isinstance(loss, ConcentratedLoss) else loss
            for loss in plan.losses
        )
        assert written in losses


def test_groups_that_must_be_found_need_a_delta(catalog: Catalog) -> None:
    for price in (Price(Fraction(1)), Price(None, Fraction(1))):
        with pytest.raises(QuestionError, match="finding them needs a delta"):
            plans(read(catalog, SEVERAL), price)


def parts(value: object) -> Iterator[object]:
    """Everything that a value is made of."""
    if is_dataclass(value):
        for field in fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from parts(one)
    else:
        yield value


@given(questions(), PRICES)
def test_no_float_stands_where_a_guarantee_depends_on_it(
    catalog: Catalog, text: str, price: Price
) -> None:
    for plan in planned(catalog, BOUNDS, text, price):
        priced = plan.priced
        blocks = [(block.row_l1, block.row_squared) for block in priced.blocks.blocks]
        noises = [noise for _, noise in priced.noises]
        choices = [choice for _, choice in priced.quantiles]
        exact = (blocks, noises, choices, priced.finding, plan.losses, plan.reach)
        assert not any(isinstance(part, float) for part in parts(exact))


@given(
    st.lists(st.integers(0, 40).map(lambda power: Fraction(1, 10**power)), min_size=1, max_size=99),
    st.sampled_from([1 / 2, 1 / 3]),
)
def test_shares_are_parts_of_one_however_little_some_matter(
    weights: list[Fraction], power: float
) -> None:
    shares = pricing._shares(weights, power=power)
    assert sum(shares) == 1
    assert all(share > 0 for share in shares)
    heaviest = weights.index(max(weights))
    assert shares[heaviest] >= Fraction(1, len(shares)) * Fraction(9, 10)


def test_shares_that_add_up_to_more_are_caught(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = pricing._shares
    monkeypatch.setattr(
        pricing,
        "_shares",
        lambda weights, *, power: [share * 101 / 100 for share in true(weights, power=power)],
    )
    for plan in plans(read(catalog, SEVERAL)):
        with pytest.raises(AssertionError):
            check_cost(plan)


@pytest.mark.parametrize("change", [Fraction(99, 100), Fraction(101, 100)])
@pytest.mark.parametrize("text", [SEVERAL, "SELECT COUNT(*), AVG(cost), MAX(day) FROM visits"])
def test_noise_one_percent_off_is_caught(catalog: Catalog, text: str, change: Fraction) -> None:
    for plan in plans(read(catalog, text)):
        (block, noise), *rest = plan.priced.noises
        (name,) = [field.name for field in fields(noise)]
        other = type(noise)(getattr(noise, name) * change)
        priced = replace(plan.priced, noises=((block, other), *rest))
        with pytest.raises(AssertionError):
            check_cost(replace(plan, priced=priced))
