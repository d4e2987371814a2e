"""Every operator and function, replayed over strange values: a person changes numbers alone."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queries import growing
from tests.queries.facts import FACTS

from differential_privacy.audit import World, replay, world
from differential_privacy.curator import Analyst, Policy
from differential_privacy.privacy import ApproximateLoss

BUDGET = ApproximateLoss(10**6, Fraction(1, 10))
POLICY = Policy({"facts": FACTS}, {"facts": BUDGET}, {"ada": Analyst("ada", BUDGET)})
PRICES = (Fraction(1, 100) + Fraction(more, 10**9) for more in count())
PERSON = 3

Worlds = tuple[World, World]


@pytest.fixture(scope="module")
def neighbors() -> Iterator[Worlds]:
    """The facts, and the facts without one person."""
    facts = FACTS.source
    assert isinstance(facts, pa.Table)
    left = facts.filter(pc.not_equal(facts["person"], PERSON))
    assert left.num_rows < facts.num_rows
    with (
        world(POLICY, {"facts": facts}, analyst="ada") as one,
        world(POLICY, {"facts": left}, analyst="ada") as other,
    ):
        yield one, other


def assert_alike(neighbors: Worlds, text: str) -> None:
    price = next(PRICES)
    found = replay(lambda session: session.sql(text, epsilon=price, delta=0), *neighbors)
    assert found.holds, f"{text}: {found}"


@given(growing.expressions(2), growing.truths(2))
def test_no_expression_tells_of_a_person(neighbors: Worlds, value: str, where: str) -> None:
    assert_alike(neighbors, f"SELECT COUNT({value}) AS n FROM facts WHERE {where}")


@given(growing.numbers(2), st.sampled_from(["SUM", "AVG", "STDDEV", "MEDIAN", "MAX"]))
def test_no_aggregate_of_an_expression_tells_of_a_person(
    neighbors: Worlds, value: str, aggregate: str
) -> None:
    assert_alike(neighbors, f"SELECT {aggregate}(CLAMP({value}, -5, 9)) AS x FROM facts")


@given(growing.truths(2), growing.truths(1))
def test_no_group_by_an_expression_tells_of_a_person(
    neighbors: Worlds, key: str, having: str
) -> None:
    filtered = f"COUNT(*) FILTER (WHERE {having})"
    assert_alike(neighbors, f"SELECT {key} AS g, {filtered} AS n FROM facts GROUP BY g")
