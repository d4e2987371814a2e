"""Whatever an analyst writes is refused for what was written, or answered as if no person mattered.

The attacker's view of each attack is compared on two neighboring tables: plan, price, groups,
errors, what the engine is asked, and what the ledger notes.
"""

from typing import Any

import pytest
from sqlglot.dialects.duckdb import DuckDB
from tests.hostile.harmless import HARMLESS
from tests.hostile.movements import assert_moves_no_more_than_claimed
from tests.hostile.refused import REFUSED
from tests.hostile.rows import RARE
from tests.hostile.views import sql, view, views
from tests.hostile.worlds import Pair

from differential_privacy.queries import parsing, reader, scope
from differential_privacy.queries.values import Whole
from differential_privacy.release import Door
from differential_privacy.sources import duck
from differential_privacy.sources.trees import Op


def assert_same(pair: Pair, text: str) -> Any:
    """No world can be told from the other."""
    one, other = views(pair, sql(text))
    assert one == other
    return one


def assert_refused(pair: Pair, text: str) -> None:
    seen = assert_same(pair, text)
    assert seen.error is not None, "it was answered"
    name, said = seen.error
    assert name in ("QuestionError", "InvalidArgumentError")
    assert RARE not in said.replace(text[:80], "")
    assert (seen.runs, seen.entries, seen.paid) == ((), (), ())


def assert_harmless(pair: Pair, text: str) -> None:
    seen = assert_same(pair, text)
    assert seen.error is None
    assert seen.runs
    assert seen.paid
    assert RARE not in repr(seen.answer).replace(text, "")


@pytest.mark.parametrize("idea", REFUSED)
def test_is_refused_and_costs_nothing(pair: Pair, idea: str) -> None:
    assert_refused(pair, REFUSED[idea])


@pytest.mark.parametrize("idea", HARMLESS)
def test_is_answered_as_if_nobody_mattered(pair: Pair, idea: str) -> None:
    assert_harmless(pair, HARMLESS[idea])


@pytest.mark.parametrize("idea", HARMLESS)
def test_moves_exact_numbers_by_no_more_than_its_plan_claims(pair: Pair, idea: str) -> None:
    assert_moves_no_more_than_claimed(pair, HARMLESS[idea])


def test_a_gate_that_reads_one_statement_of_several_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(text: str) -> Any:
        return DuckDB().parse(text)[0]

    monkeypatch.setattr(parsing, "_parsed", first)
    with pytest.raises(AssertionError, match="it was answered"):
        assert_refused(pair, REFUSED["stacks a statement"])


def test_a_question_that_may_name_people_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "place_of", lambda *_: None)
    with pytest.raises(AssertionError, match="it was answered"):
        assert_refused(pair, REFUSED["groups by the person"])


def test_conditions_on_other_people_are_caught(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope.FrameScope, "_compare_owners", lambda *_: None)
    with pytest.raises(AssertionError, match="it was answered"):
        assert_refused(pair, REFUSED["anybody's rows"])
    with pytest.raises(AssertionError):
        assert_moves_no_more_than_claimed(pair, REFUSED["anybody's rows"])


def test_a_door_that_shows_every_group_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everything(_: Door, __: Any, exact: Any) -> list[Any]:
        return sorted(exact, key=repr)

    monkeypatch.setattr(Door, "_groups", everything)
    with pytest.raises(AssertionError):
        assert_harmless(pair, HARMLESS["rare keys"])


@pytest.mark.parametrize(
    ("op", "raising", "idea"),
    [
        (Op.REAL_OF_TEXT, "CAST({} AS DOUBLE)", "sums of texts"),
        (Op.REAL, "CAST(CAST({} AS DECIMAL(9, 2)) AS DOUBLE)", "infinities"),
        (Op.DAYS_OF_TEXT, "(CAST({} AS DATE) - DATE '1970-01-01')", "casts of texts to times"),
    ],
)
def test_an_expression_that_raises_on_a_value_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, op: Op, raising: str, idea: str
) -> None:
    monkeypatch.setitem(duck.WRITER._spelled, op, raising)
    with pytest.raises(AssertionError):
        assert_harmless(pair, HARMLESS[idea])


def test_a_range_that_is_read_from_the_data_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan whose ends move with the rows tells of them before anybody pays."""
    read = Whole.__post_init__

    def learned(kind: Whole) -> None:
        counted = "SELECT COUNT(*) FROM read_parquet('{}')"
        where = learned.world.folder / "visits.parquet"  # type: ignore[attr-defined]
        ((rows,),) = learned.world.curator.engine._rows(counted.format(where))  # type: ignore[attr-defined]
        if kind.high == 120:
            object.__setattr__(kind, "high", rows)
        read(kind)

    monkeypatch.setattr(Whole, "__post_init__", learned)
    with pytest.raises(AssertionError):
        assert_learned_nothing(pair, learned)


def assert_learned_nothing(pair: Pair, learned: Any) -> None:
    seen = []
    for world in pair:
        learned.world = world
        seen.append(view(world, sql("SELECT SUM(age) FROM visits", epsilon=1)))
    assert seen[0] == seen[1]
