"""A question built in Python is that of the SQL: one plan, one answer, one gate."""

from collections.abc import Callable, Iterator

import pytest
from tests.curator.wards import written

import differential_privacy as dp
from differential_privacy.curator import Query
from differential_privacy.errors import InvalidArgumentError, QuestionError


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dp.Session]:
    with dp.Curator(written(tmp_path_factory.mktemp("hospital"))) as curator:
        yield curator.session("ada")


Built = Callable[[Query], Query]

PAIRS: list[tuple[Built, str]] = [
    (lambda q: q.count(), "SELECT COUNT(*) FROM visits"),
    (
        lambda q: q.where("age > 2").group_by("ward").count().mean("cost"),
        "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE age > 2 GROUP BY ward",
    ),
    (
        lambda q: q.where("age > 2 OR age = 0").where("cost < 5").sum("cost", name="s"),
        "SELECT SUM(cost) FROM visits WHERE (age > 2 OR age = 0) AND cost < 5",
    ),
    (
        lambda q: q.group_by("age % 2", "ward").count("cost").count_distinct("person"),
        "SELECT COUNT(cost), COUNT(DISTINCT person) FROM visits GROUP BY age % 2, ward",
    ),
    (
        lambda q: q.variance("cost").deviation("age").median("cost").quantile("age", "1/10"),
        "SELECT VAR_POP(cost), STDDEV_POP(age), MEDIAN(cost), QUANTILE_CONT(age, 0.1) FROM visits",
    ),
    (
        lambda q: q.group_by("ward").count(name="k").having("k > 9").order_by("k DESC").limit(2),
        "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    ),
    (
        lambda q: q.join("wards w", on="visits.ward = w.ward").group_by("beds").sum("age"),
        "SELECT beds, SUM(age) FROM visits JOIN wards w ON visits.ward = w.ward GROUP BY beds",
    ),
    (
        lambda q: q.where("note LIKE '%)--'").mean("CASE WHEN age > 2 THEN cost END"),
        "SELECT AVG(CASE WHEN age > 2 THEN cost END) FROM visits WHERE note LIKE '%)--'",
    ),
    (lambda q: q.group_by("note").count(), "SELECT note, COUNT(*) FROM visits GROUP BY note"),
]


@pytest.mark.parametrize(("built", "text"), PAIRS)
def test_what_is_built_has_the_plan_of_the_text(ada: dp.Session, built: Built, text: str) -> None:
    assert built(ada.table("visits")).plan(epsilon=1).key == ada.plan(text, epsilon=1).key


def test_what_was_asked_in_sql_is_free_in_python(ada: dp.Session) -> None:
    first = ada.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon="0.1")
    query = ada.table("visits").group_by("ward").count().order_by("n")
    again = query.answer(epsilon="0.1")
    assert again.repeated
    assert sorted(again.rows) == sorted(first.rows)
    assert query.answer(within={"n": 50}).plan.loss != first.loss


def test_each_step_leaves_the_query_before_it_as_it_was(ada: dp.Session) -> None:
    whole = ada.table("visits").count()
    some = whole.where("age > 2")
    assert whole.sql == "SELECT COUNT(*) AS n FROM visits"
    assert some.sql == "SELECT COUNT(*) AS n FROM visits WHERE (age > 2)"


@pytest.mark.parametrize(
    "built",
    [
        lambda q: q.where("TRUE) OR (TRUE").count(),
        lambda q: q.where("TRUE -- ").where("age > 2)").count(),
        lambda q: q.where("age > 2; SELECT 1").count(),
        lambda q: q.group_by("ward, person").count(),
        lambda q: q.mean("cost), COUNT(*").count(),
        lambda q: q.mean("cost) FROM visits UNION ALL SELECT (person"),
        lambda q: q.having("TRUE) OR (TRUE").group_by("ward").count(),
        lambda q: q.group_by("person").count(),
        lambda q: q.mean("note"),
        lambda q: q.where("nobody = 1").count(),
        lambda q: q.join("visits v, homes", on="TRUE").count(),
    ],
)
def test_what_is_built_passes_the_same_gate(ada: dp.Session, built: Built) -> None:
    before = spent_of(ada)
    with pytest.raises(QuestionError):
        built(ada.table("visits")).answer(epsilon=1)
    assert spent_of(ada) == before


def spent_of(session: dp.Session) -> object:
    return session.account.spent


def test_a_question_for_nothing_is_refused(ada: dp.Session) -> None:
    with pytest.raises(InvalidArgumentError, match="asked for something"):
        ada.table("visits").where("age > 2").plan(epsilon=1)
    with pytest.raises(QuestionError, match="no table of this policy"):
        ada.table("nothing").count().plan(epsilon=1)


def test_a_comment_is_no_part_of_what_is_built(ada: dp.Session) -> None:
    query = ada.table("visits").where("age > 2 -- elderly").where("cost > 1 /* dear */").count()
    assert query.sql == "SELECT COUNT(*) AS n FROM visits WHERE (age > 2) AND (cost > 1)"
