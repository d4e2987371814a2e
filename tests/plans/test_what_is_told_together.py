"""Counts, sums and squares of one question share what can be shared, and none spoils another."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given
from tests.plans.grammar import questions
from tests.plans.moves import PRICE, plans
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Visit, opened, read

from differential_privacy.audit import Told
from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import QuestionError
from differential_privacy.queries import Exact, Linear, Plan, Price, Ratio, leaves


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    with opened(Data(), bounds=(ROWS,)) as (one,):
        yield one


def each(catalog: Catalog, text: str, price: Price = PRICE) -> list[Plan]:
    """The plans of either noise."""
    return plans(read(catalog, text), price)


@given(questions())
def test_no_statistic_is_told_twice(catalog: Catalog, text: str) -> None:
    try:
        found = each(catalog, text)
    except QuestionError:
        found = []
    for plan in found:
        told = [one for block, _ in plan.priced.noises for one in block.statistics]
        assert len(told) == len(set(told))


@given(questions())
def test_noisy_statistics_add_up_to_what_is_asked(catalog: Catalog, text: str) -> None:
    """Without noise they give the number itself, whatever the data hold."""
    try:
        found = each(catalog, text)
    except QuestionError:
        found = []
    for plan in found:
        told = {one for block, _ in plan.priced.noises for one in block.statistics}
        for value in linear_values(plan):
            parts = plan.priced.blocks.combined(value)
            assert parts.keys() <= told
            total: dict[Exact, Fraction] = {}
            for one, times in parts.items():
                for exact, many in one.terms:
                    total[exact] = total.get(exact, Fraction(0)) + times * many
            assert settled(plan, total) == settled(plan, dict(value.terms))


def linear_values(plan: Plan) -> Iterator[Linear]:
    for column in plan.columns:
        for leaf in leaves(column.output):
            if isinstance(leaf, Ratio):
                yield from (leaf.top, leaf.bottom)
            elif isinstance(leaf, Linear):
                yield leaf


def settled(plan: Plan, total: dict[Exact, Fraction]) -> dict[Exact, Fraction]:
    """Without zeros, and with the sum of what is the same in every row as a multiple of rows."""
    total = dict(total)
    for one in plan.asked.needs.moments.values():
        if one.low == one.high and one.total in total:
            rows = total.pop(one.total) * one.low
            total[one.count] = total.get(one.count, Fraction(0)) + rows
    return {exact: times for exact, times in total.items() if times}


FAR = "SELECT AVG(age + 1000000) AS far, AVG(age) AS near FROM visits"
NEAR = "SELECT AVG(age) AS near, AVG(age + 1000000) AS far FROM visits"


@pytest.mark.parametrize("text", [FAR, NEAR])
def test_a_mean_far_from_zero_is_as_good_beside_another_as_at_half_the_price(
    catalog: Catalog, text: str
) -> None:
    """The count that both share must not bring its noise in, times the distance from zero."""
    alone = errors(catalog, "SELECT AVG(age) AS near FROM visits", Price(Fraction(1, 3)))
    for one, other in zip(errors(catalog, text, Price(Fraction(1))), alone * 2, strict=False):
        assert one["far"] <= other["near"]
        assert one["near"] <= other["near"]


def errors(catalog: Catalog, text: str, price: Price) -> list[dict[str, float]]:
    return [
        {one.column: one.error for one in plan.expected()} for plan in each(catalog, text, price)
    ]


@pytest.mark.parametrize("value", ["cost", "age", "age * 3 + 1"])
def test_a_count_costs_nothing_beside_the_mean(catalog: Catalog, value: str) -> None:
    """For Laplace noise: two corners tell both."""
    price = Price(Fraction(1))
    both = f"SELECT COUNT({value}) AS n, AVG({value}) AS m FROM visits"
    (together,) = errors(catalog, both, price)
    (alone,) = errors(catalog, f"SELECT AVG({value}) AS m FROM visits", price)
    assert together["m"] == alone["m"]


def test_what_is_named_often_has_no_more_noise_and_no_less(catalog: Catalog) -> None:
    once = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"
    often = f"{once} HAVING COUNT(*) > 3 AND COUNT(*) < 90 ORDER BY COUNT(*), AVG(cost)"
    assert [plan.priced.noises for plan in each(catalog, once)] == [
        plan.priced.noises for plan in each(catalog, often)
    ]


@pytest.mark.parametrize("bounds", [ROWS, GROUPS, TOTAL], ids=str)
@pytest.mark.parametrize("most", [10**3, 4 * 10**15, 4 * 10**18])
def test_no_number_of_a_row_passes_64_bits_however_it_is_weighed(
    most: int, bounds: tuple[object, ...]
) -> None:
    """An engine that fails would fail on some data alone; what might is not planned."""
    text = f"SELECT VAR_POP(CLAMP(id, 0, {most})), SUM(CLAMP(id, -{most}, {most})) FROM visits"
    data = Data((Visit(1, most), Visit(1, most), Visit(2, 0), Visit(3, -most)))
    with opened(data, bounds=(bounds,)) as (catalog,):  # type: ignore[arg-type]
        if bounds is TOTAL and most > 10**3:
            with pytest.raises(QuestionError, match="no bound"):
                each(catalog, text)
        else:
            assert all(Told.of(plan).exact for plan in each(catalog, text))


def test_a_value_that_is_the_same_in_every_row_has_a_variance_of_nothing(catalog: Catalog) -> None:
    for text in ("VAR_POP(3)", "STDDEV(CLAMP(age, 2, 2))", "SUM(0), AVG(0)", "AVG(7), COUNT(*)"):
        assert each(catalog, f"SELECT {text} FROM visits")
