"""The same question is free, whatever it is called; errors have constant words, and no more."""

import json
import logging
from contextlib import nullcontext
from typing import Any, Self

import pytest
from tests.hostile.rows import EXTREME, RARE
from tests.hostile.worlds import Pair, World

from differential_privacy.curator import Session
from differential_privacy.errors import SourceError
from differential_privacy.queries import Plan
from differential_privacy.sources import duck

# A comment edited, or the text in another way, is the same question.

SPELLINGS = [
    "SELECT ward, COUNT(*) AS n FROM visits WHERE age > 30 GROUP BY ward",
    "select WARD, count(*) n from VISITS where (age > 30) group by 1 -- other words",
    "SELECT v.ward, COUNT(*) FROM visits AS v /* again */ WHERE 30 < v.age GROUP BY v.ward",
    (
        "WITH w AS (SELECT * FROM visits) SELECT ward, COUNT(*) AS how_many FROM w WHERE age > 30 "
        "GROUP BY ALL ORDER BY 2 DESC"
    ),
]


@pytest.mark.parametrize("spelling", SPELLINGS[:3])
def test_another_comment_is_the_same_question_free(pair: Pair, spelling: str) -> None:
    session, ledger = pair[1].session(), pair[1].curator.ledger
    first = session.sql(SPELLINGS[0], epsilon="0.01")
    before = ledger.statement()
    again = session.sql(spelling, epsilon="0.01")
    assert again.repeated
    assert again.noisy.to_bytes() == first.noisy.to_bytes()
    assert ledger.statement() == before


def test_another_shape_of_the_same_question_is_paid_for_or_is_the_same(pair: Pair) -> None:
    """Whatever the plan makes of it, equal answers are free and new noise is paid."""
    session = pair[1].session()
    first = session.sql(SPELLINGS[0], epsilon="0.01")
    other = session.sql(SPELLINGS[3], epsilon="0.01")
    same = sorted(map(repr, first.noisy.statistics)) == sorted(map(repr, other.noisy.statistics))
    assert same == other.repeated


def test_a_key_without_the_price_is_caught(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dear answer for the price of a cheap one would be a free repeat."""
    session = pair[0].session()
    monkeypatch.setattr(Plan, "key", property(lambda plan: repr(plan.asked.keys)))
    session.sql("SELECT MIN(age) FROM visits WHERE age > 31", epsilon="0.01")
    assert session.sql("SELECT MIN(age) FROM visits WHERE age > 31", epsilon=3).repeated


# Errors: constant words, and nothing behind them.


def chain(error: BaseException) -> str:
    """All that hangs on an error: its causes, its contexts, its notes."""
    found, here = "", error
    while here is not None:
        found += f"{type(here).__module__} {here} {getattr(here, '__notes__', '')}\n"
        here = here.__cause__ or here.__context__  # type: ignore[assignment]
    return found


class Broken:
    """An engine's connection that fails with a value in its words."""

    def cursor(self) -> "Broken":
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def execute(self, _: str) -> Any:
        message = f"Conversion Error: could not cast '{RARE}' of patient {EXTREME}"
        raise duck.duckdb.ConversionException(message)


def refused(world: World, monkeypatch: pytest.MonkeyPatch, text: str) -> SourceError:
    session = world.session()
    plan = session.plan(text, epsilon=1)
    with monkeypatch.context() as patched:
        patched.setattr(world.curator.engine, "_connection", Broken())
        with pytest.raises(SourceError) as failed:
            session.buy(plan)
    return failed.value


def test_what_the_engine_says_is_told_to_nobody(
    pair: Pair,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.DEBUG):
        error = refused(pair[1], monkeypatch, "SELECT SUM(age) FROM visits WHERE age > 77")
    said = chain(error) + caplog.text + "".join(capfd.readouterr())
    assert str(error) == str(SourceError())
    assert RARE not in said
    assert str(EXTREME) not in said
    assert "duckdb" not in said.replace("differential_privacy", "")


def test_words_of_the_engine_that_get_through_are_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duck, "silenced", lambda *_: nullcontext())
    monkeypatch.setattr(pair[1].curator.engine, "_connection", Broken())
    with pytest.raises(duck.duckdb.Error, match=RARE):
        pair[1].session().sql("SELECT SUM(age) FROM visits WHERE age > 78", epsilon=1)


def test_a_failure_after_payment_keeps_the_charge_and_is_the_same_in_both_worlds(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [len(world.curator.ledger.statement().entries) for world in pair]
    text = "SELECT SUM(age) FROM visits WHERE age > 79"
    errors = [refused(world, monkeypatch, text) for world in pair]
    after = [len(world.curator.ledger.statement().entries) for world in pair]
    assert str(errors[0]) == str(errors[1])
    assert [more - less for more, less in zip(after, before, strict=True)] == [1, 1]


def test_an_answer_in_json_is_read_back_without_surprises(pair: Pair) -> None:
    def ask(session: Session) -> Any:
        return session.sql("SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward", epsilon="0.001")

    for world in pair:
        told = json.loads(ask(world.session()).to_json())
        assert told["columns"]["ward"] == ["a", "b", "c", None]
