"""Attacks on what conditions are believed to say: equal trees, changed public tables, endless LIKE.

Rule 1: each test is an attack that worked once: it must fail from then on.
"""

import multiprocessing
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hostile.worlds import World, made
from tests.plans.moves import check_removals, told_each
from tests.plans.worlds import Data, Visit, opened, read

from differential_privacy.errors import QuestionError
from differential_privacy.queries import Question
from differential_privacy.sources.trees import FALSE, TRUE, Literal, Name, when

MANY = Data(
    (
        *(Visit(1, 6 * cost + age, cost=cost, age=age) for cost in range(7) for age in range(6)),
        Visit(2, 99),
    )
)
TESTS = ("cost > 1", "age > 2", "cost > 3", "age = 1")


def number(test: str) -> str:
    return f"(CASE WHEN {test} THEN 1 ELSE 0 END)"


def truth(test: str) -> str:
    return f"(CASE WHEN {test} THEN TRUE ELSE FALSE END)"


def test_a_truth_is_no_number() -> None:
    assert Literal(1) != TRUE
    assert Literal(0) != FALSE
    tree = Name("t", "x")
    assert when(tree, Literal(1), Literal(0)) != when(tree, TRUE, FALSE)


@pytest.mark.parametrize("many", [1, 2, 4])
def test_a_truth_that_looks_like_a_number_hides_no_groups(many: int) -> None:
    """In each row k is 0 or 1; that it equals the truth beside it must not rule out the 1."""
    keys = ", ".join(f"{number(test)} AS k{place}" for place, test in enumerate(TESTS[:many]))
    where = " AND ".join(f"({truth(test)} OR {number(test)} = 0)" for test in TESTS[:many])
    text = f"SELECT COUNT(*) FROM (SELECT DISTINCT person, {keys} FROM visits WHERE {where}) AS s"
    with opened(MANY, MANY.without(1), MANY.without(2)) as (whole, *others):
        check_removals(whole, others, text)


def test_a_truth_that_looks_like_a_number_takes_no_group_from_an_answer() -> None:
    key, where = number("cost > 1"), f"{truth('cost > 1')} OR {number('cost > 1')} = 0"
    text = f"SELECT {key} AS k, COUNT(*) FROM visits WHERE {where} GROUP BY k"
    with opened(MANY) as (catalog,):
        for plan, told in told_each(catalog, text):
            assert told.exact.keys() <= set(plan.asked.groups or ())


def test_a_truth_and_a_number_of_one_subquery_are_two_columns() -> None:
    columns = f"{truth('age > 1')} AS b, {number('age > 1')} AS k"
    text = f"SELECT SUM(k + 1) FROM (SELECT person, {columns} FROM visits GROUP BY 1, 2, 3) AS s"
    with opened(MANY) as (catalog,):
        assert told_each(catalog, text)


WARDS = """
[tables.people]
path = "people.parquet"
person = "patient"
bounds = [{ rows = 1 }]
budget = { epsilon = 1e9, delta = 1e-3 }
columns = { patient = "integer", ward = "text" }
[tables.wards]
path = "wards.parquet"
public = true
unique = ["ward"]
columns = { ward = "text", weight = "integer" }
[analysts.ada]
budget = { epsilon = 1e9, delta = 1e-3 }
"""
JOINED = "FROM people AS p JOIN wards AS w ON p.ward = w.ward"


def wards(world: World, **columns: list[object]) -> None:
    pq.write_table(pa.table(columns), world.folder / "wards.parquet")


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (f"SELECT SUM(w.weight) AS n {JOINED}", {"ward": ["a", "b"], "weight": [1, 10**9]}),
        (f"SELECT COUNT(*) AS n {JOINED}", {"ward": ["b"] * 1000, "weight": [1] * 1000}),
    ],
)
def test_a_public_table_that_changes_between_reading_and_pricing_is_noticed(
    tmp_path: Path, text: str, changed: dict[str, list[object]]
) -> None:
    world = made(
        tmp_path / "world",
        WARDS,
        people={"patient": [1, 2, 3], "ward": ["a", "a", "b"]},
        wards={"ward": ["a", "b"], "weight": [1, 3]},
    )
    session, reading = world.session(), Question.read

    def read_then_changed(*args: object, **kwargs: object) -> Question:
        question = reading(*args, **kwargs)  # type: ignore[arg-type]
        wards(world, **changed)
        return question

    with (
        patch.object(Question, "read", staticmethod(read_then_changed)),
        pytest.raises(QuestionError, match="changed since"),
    ):
        session.sql(text, epsilon=1)
    world.curator.close()


def _planned(text: str) -> None:
    with opened(Data((Visit(1, 1),))) as (catalog,):
        read(catalog, text)


def _ends(work: Callable[[str], None], text: str) -> bool:
    """Whether a process of its own comes to an end; the wait is a hundred times what is needed."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=(text,))
    process.start()
    process.join(60)
    ended = not process.is_alive()
    process.kill()
    process.join()
    return ended


@pytest.mark.parametrize("where", ["note IN ('{0}') AND note LIKE '{1}'", "'{0}' LIKE '{1}'"])
def test_no_pattern_takes_endless_time_to_plan(where: str) -> None:
    met = where.format("a" * 90, "%a" * 40 + "%b")
    assert _ends(_planned, f"SELECT note, COUNT(*) FROM visits WHERE {met} GROUP BY note")
