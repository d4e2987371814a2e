"""A rare key, a bad cell and a comment, at every front: SQL, Python, plan, mock, errors, ledger."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.harmless import HARMLESS
from tests.hostile.refused import REFUSED
from tests.hostile.rows import EXTREME, RARE
from tests.hostile.views import Ask, sql, view, views
from tests.hostile.worlds import KEY, Pair, World, neighbors

from differential_privacy.cli import main
from differential_privacy.ledger import csv_table, json_lines
from differential_privacy.release import Door
from differential_privacy.sources import Ranks, duck

SURE = 420
"""An epsilon at which ten people are enough for their group to be shown, all but surely."""

COMMON = ["x0", "x1", "x2", "x3"]
RARE_KEYS = "SELECT code, COUNT(*) AS n, SUM(age) AS s FROM visits GROUP BY code"
COEFFICIENT = str(Ranks(KEY)._secret("row 0 start"))
HIDDEN = (RARE, str(EXTREME), "a" * 1000, KEY.hex(), repr(KEY)[2:-1], COEFFICIENT)


def everything(world: World) -> list[str]:
    """All texts that an analyst gets from a rare key's question, and what the ledger shows."""
    session = world.session()
    answer = session.sql(RARE_KEYS, epsilon=SURE, delta="1e-9")
    assert [code for code, *_ in answer.rows] == COMMON, "so that this is no test of nothing"
    plan, ledger = answer.plan, world.curator.ledger
    query = session.table("visits").group_by("code").count().sum("age")
    entries = ledger.statement().entries[-2:]
    return [
        *(str(part) for part in (answer, answer.columns.rows, answer.noisy, answer.receipt)),
        *(answer.to_json(), answer._repr_html_(), answer.how, repr(answer.theorems)),
        *(str(answer.to_arrow().to_pylist()), answer.to_pandas().to_csv(), str(answer.to_polars())),
        *(repr(plan), repr(plan.priced), repr(plan.asked), plan.why, "".join(plan.sql), plan.key),
        *(str(one) for one in plan.expected()),
        *(query.sql, repr(query), repr(query.plan(epsilon=1, delta="1e-9"))),
        *(repr(session), repr(session.account), repr(session.mock("visits", rows=500).rows)),
        *(json_lines(entries), csv_table(entries), repr(entries)),
    ]


def test_a_rare_key_is_in_nothing_that_an_analyst_is_given(pair: Pair) -> None:
    told = "".join(everything(pair[1]))
    secret = pair[1].curator.ledger.secret()
    for hidden in (*HIDDEN, secret.hex(), repr(secret)[2:-1]):
        assert hidden not in told


def test_a_rare_key_that_is_shown_is_caught(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Door, "_groups", lambda _, __, exact: sorted(exact, key=repr))
    answer = pair[1].session().sql(RARE_KEYS, epsilon=SURE + 2, delta="1e-9")
    assert RARE in answer.to_json()


FRONTS: dict[str, Ask] = {
    "python": lambda session: session.table("visits").group_by("code").count().answer(epsilon=SURE),
    "python, filtered": lambda session: (
        session.table("visits")
        .where(f"code = '{RARE}'")
        .count()
        .mean("cost")
        .median("age")
        .answer(epsilon=SURE)
    ),
    "python, joined": lambda session: (
        session.table("visits")
        .join("drugs", on="visits.patient = drugs.patient")
        .group_by("drug")
        .count()
        .answer(epsilon=SURE)
    ),
    "python, a broken condition": lambda session: (
        session.table("visits")
        .where("1 = 1) UNION ALL SELECT * FROM visits --")
        .count()
        .answer(epsilon=SURE)
    ),
    "python, a stacked condition": lambda session: (
        session.table("visits").where("TRUE; DROP TABLE visits").count().answer(epsilon=SURE)
    ),
    "python, a table of its own": lambda session: (
        session.table("read_csv('/etc/passwd')").count().answer(epsilon=SURE)
    ),
    "python, a name that ends": lambda session: (
        session.table("visits").count(name="n FROM diagnoses; --").answer(epsilon=SURE)
    ),
    "within": sql(f"SELECT COUNT(*) AS n FROM visits WHERE code = '{RARE}'", within={"n": 3}),
    "within, of groups": sql(RARE_KEYS, within={"n": 90}, delta="1e-9"),
    "batch": lambda session: session.batch(
        [(f"SELECT COUNT(*) AS n FROM visits WHERE code = '{RARE}'", {"n": 1})], epsilon=SURE
    )[0],
    "a plan, bought": lambda session: session.buy(session.plan(RARE_KEYS, epsilon=SURE + 1)),
    "too dear": lambda session: session.sql("SELECT COUNT(*) FROM visits", epsilon="1e14"),
    "no table": lambda session: session.mock("nothing"),
    "a column that is none": sql(f"SELECT SUM({RARE.replace('-', '_')}) FROM visits", epsilon=1),
}


@pytest.mark.parametrize("front", FRONTS)
def test_no_front_tells_the_worlds_apart(pair: Pair, front: str) -> None:
    one, other = views(pair, FRONTS[front])
    assert one == other
    assert one.error is None or one.error[0] in (
        "QuestionError",
        "InvalidArgumentError",
        "BudgetExceededError",
    )


@pytest.mark.parametrize("analyst", ["ada", "poor"])
def test_plans_tell_nothing_of_the_rows_and_cost_nothing(pair: Pair, analyst: str) -> None:
    def told(world: World, text: str) -> tuple[object, ...]:
        plan = world.session(analyst).plan(text, epsilon=1)
        words = repr((plan, plan.priced, plan.expected(), plan.reach)), plan.why
        return (*words, *(text.replace(str(world.folder), "") for text in plan.sql))

    before = [world.curator.ledger.statement() for world in pair]
    for idea in ("a rare key in WHERE", "many rows in one group", "many percentiles", "infinities"):
        assert told(pair[0], HARMLESS[idea]) == told(pair[1], HARMLESS[idea])
    assert [world.curator.ledger.statement() for world in pair] == before


def test_made_up_rows_are_made_of_the_policy_alone(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        message = "the engine was asked"
        raise AssertionError(message)

    monkeypatch.setattr(duck.DuckDB, "run", never)
    rows = pair[1].session().mock("visits", rows=2000).to_dict()
    assert set(rows["ward"]) <= {"a", "b", "c"}
    assert all(0 <= int(str(age)) <= 120 for age in rows["age"])


def test_prepared_or_not_nobody_tells_the_worlds_apart(tmp_path: Path) -> None:
    with neighbors(tmp_path / "worlds") as pair:
        for world in pair:
            world.curator.prepare(["visits"])
        for idea in ("rare keys", "many rows in one group", "many percentiles", "infinities"):
            one, other = (
                without_names(view(world, sql(HARMLESS[idea], epsilon=400))) for world in pair
            )
            assert one == other


def without_names(seen: Any) -> Any:
    """A view without the names of prepared tables, which change with the files, not the rows."""
    kept = seen.plan[:4] + seen.plan[5:]
    return seen.error, kept, seen.answer, len(seen.runs), seen.entries, seen.paid


DRAWN = re.compile(r"[0-9a-f]{16,}|data:[0-9a-f]+|[-+]?\d[\d.,e+-]*|[\u2500-\u259f\u00b1\s]")
"""Receipts, accounts, numbers, meters and blanks."""


def typed(world: World, arguments: tuple[str, ...]) -> tuple[int, str]:
    """What `dp` leaves with and writes, without its numbers, which noise was added to."""
    out = io.StringIO()
    place = ("--policy", str(world.folder / "curator.toml"))
    with redirect_stdout(out), redirect_stderr(out), pytest.raises(SystemExit) as left:
        main([*arguments, *place])
    told = out.getvalue().replace(str(world.folder), "")
    assert RARE not in told.replace(" ".join(arguments), "")
    assert isinstance(left.value.code, int)
    return left.value.code, DRAWN.sub("", told)


PAID = ("--as", "ada", "--epsilon", str(SURE + 3))
TYPED = {
    "a plan": ("plan", RARE_KEYS, *PAID),
    "a plan and its SQL": ("plan", HARMLESS["many percentiles"], *PAID, "--json"),
    "an answer": ("ask", RARE_KEYS, *PAID, "--yes"),
    "an answer for machines": ("ask", HARMLESS["many rows"], *PAID, "--json"),
    "a refusal": ("ask", REFUSED["groups by the person"], *PAID, "--yes"),
    "a refusal for machines": ("ask", REFUSED["anybody's rows"], *PAID, "--json"),
    "a price that nobody has": ("ask", HARMLESS["many rows"], "--as", "poor", "--epsilon", "7"),
    "the policy": ("check",),
}


@pytest.mark.parametrize("front", TYPED)
def test_the_command_line_does_not_tell_the_worlds_apart(pair: Pair, front: str) -> None:
    assert typed(pair[0], TYPED[front]) == typed(pair[1], TYPED[front])
