"""Attacks of the notes on what is handed in, kept and remembered, each by its number."""

import re
import shutil
import stat
from fractions import Fraction
from pathlib import Path

import pytest
from tests.hostile.movements import exact
from tests.hostile.rows import crowd
from tests.hostile.worlds import COUNT, Pair, World, made, reopened, simple, small

import differential_privacy as dp
from differential_privacy.errors import (
    BudgetExceededError,
    DifferentialPrivacyError,
    InvalidArgumentError,
    PolicyError,
    QuestionError,
)
from differential_privacy.ledger import csv_table, json_lines
from differential_privacy.release import Answer
from differential_privacy.release.noisy import Noisy


def told(world: World) -> set[str]:
    """Every long hexadecimal number that the ledger's entries hold."""
    entries = world.curator.ledger.statement().entries
    return {
        word
        for entry in entries
        for word in re.findall(r"data:[0-9a-f]+|[0-9a-f]{16,}", entry.text)
    }


def test_35_nothing_in_the_ledger_can_be_guessed_from_the_data(tmp_path: Path) -> None:
    """Who knows the data but for one row, and reads the ledger, could else try each such row.

    Under another secret, the same question of the same files leaves other marks; noise is wide, so
    that no two answers are the same by chance.
    """
    world = small(tmp_path)
    world.session().sql(COUNT, epsilon="1e-9")
    first = told(world)
    world.curator.close()
    shutil.rmtree(world.folder / ".dp")
    world = reopened(world)
    world.session().sql(COUNT, epsilon="1e-9")
    assert first
    assert not first & told(world)


# 43-45: what is handed in, who may do what, and what is remembered.

NAMES = [
    "people; DROP TABLE people",
    'people" --',
    "pe\u043eple",
    "peop\u200ble",
    "x" * 999,
    "=1+1",
]


@pytest.mark.parametrize("name", NAMES)
def test_43_a_hostile_name_is_refused_by_policy_and_question(tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    for place in ("tables.people", "patient =", "analysts.ada"):
        head, _, tail = simple().partition(place)
        key = place.replace("people", quoted).replace("ada", quoted).replace("patient", quoted)
        with pytest.raises((PolicyError, InvalidArgumentError)):
            made(tmp_path / str(len(place)), f"{head}{key}{tail}", people=crowd(3))
    written = '"' + name.replace('"', '""') + '"'
    world = made(tmp_path / "world", simple(), people=crowd(3))
    with pytest.raises(QuestionError):
        world.session().plan(f"SELECT COUNT(*) FROM {written}", epsilon=1)


def test_43_a_formula_in_a_question_is_text_in_the_ledgers_table(tmp_path: Path) -> None:
    world = small(tmp_path)
    world.session().sql(
        '/*=cmd|" /C calc"!A0*/ SELECT COUNT(*) AS "=1+1" FROM people', epsilon="1/9"
    )
    cells = csv_table(world.curator.ledger.statement().entries).replace('""', "").split('"')
    assert not [cell for cell in cells if cell.strip()[:1] in ("=", "+", "@")]


@pytest.mark.parametrize("octets", [b"", b"{}", b"[]", b'{"groups":[[{}]]}', b"\x80\x04K\x01."])
def test_43_what_is_no_answer_is_not_read_as_one(octets: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        Noisy.from_bytes(octets).to_bytes()


def test_44_an_analyst_reads_only_the_tables_that_are_theirs(pair: Pair) -> None:
    session = pair[0].session()
    for ask in (
        lambda: session.sql("SELECT COUNT(*) FROM diagnoses", epsilon=1),
        lambda: session.mock("diagnoses"),
        lambda: session.table("diagnoses").count().plan(epsilon=1),
        lambda: session.table("visits").join("diagnoses", on="visits.patient = diagnoses.patient")
        .count().answer(epsilon=1),
        lambda: session.buy(pair[0].session("poor").plan("SELECT COUNT(*) FROM diagnoses",
                                                         epsilon=1)),
    ):  # fmt: skip
        with pytest.raises(QuestionError, match="not among the tables"):
            ask()


def test_44_nobody_spends_more_than_their_own_budget(pair: Pair) -> None:
    session = pair[0].session("poor")
    session.sql("SELECT COUNT(*) FROM visits WHERE age = 3", epsilon="3/4")
    with pytest.raises(BudgetExceededError) as refused:
        session.sql("SELECT COUNT(*) FROM visits WHERE age = 4", epsilon="1/2")
    assert "poor" in str(refused.value)
    with pytest.raises((BudgetExceededError, DifferentialPrivacyError)):
        session.buy(pair[0].session().plan("SELECT COUNT(*) FROM visits", epsilon=2))


def test_44_what_the_curator_keeps_is_the_curators_alone(pair: Pair) -> None:
    kept = pair[1].folder / ".dp"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    ledger = pair[1].curator.ledger
    statement = ledger.statement()
    shown = json_lines(statement.entries) + csv_table(statement.entries) + repr(statement)
    assert shown
    assert ledger.secret().hex() not in shown
    assert repr(ledger.secret())[2:-1] not in shown


def test_45_no_answer_depends_on_what_was_asked_before(tmp_path: Path, pair: Pair) -> None:
    """The exact numbers and the noise of a plan are those of a fresh curator."""
    text = "SELECT ward, COUNT(*), AVG(cost), COUNT(DISTINCT code) FROM visits GROUP BY ward"
    fresh = tmp_path / "fresh"
    shutil.copytree(pair[1].folder, fresh, ignore=shutil.ignore_patterns(".dp", "proposed*"))
    with dp.Curator(fresh / "curator.toml") as curator:
        world = World(curator, fresh)
        plans = [one.session().plan(text, epsilon=1) for one in (world, pair[1])]
        assert repr(plans[0].priced) == repr(plans[1].priced)
        assert exact(world, plans[0]) == exact(pair[1], plans[1])


def test_45_a_public_table_that_changed_is_read_anew(tmp_path: Path) -> None:
    """Ranges and keys of public tables are of the file that the engine reads, not of an old one."""
    wards = tmp_path / "wards.csv"
    wards.write_text("code,beds\neven,10\nodd,20\n")
    policy = simple() + PUBLIC.replace("WARDS", str(wards))
    world = made(tmp_path / "world", policy, people=crowd(20))
    text = "SELECT SUM(beds) AS s FROM people AS p JOIN wards AS w ON p.code = w.code"
    plan = world.session().plan(text, epsilon=300)
    before = world.session().buy(plan)
    wards.write_text("code,beds\n" + "even,1000000\n" * 20 + "odd,20\n")
    error: float = plan.expected(Fraction(99, 100))[0].error
    bound = 20 * 20 + error + 1
    for ask in (lambda: world.session().buy(plan), lambda: world.session().sql(text, epsilon=301)):
        try:
            answer: Answer = ask()
        except DifferentialPrivacyError:
            continue
        assert answer.repeated or float(str(answer.value)) <= bound
    assert float(str(before.value)) <= bound


PUBLIC = """
[tables.wards]
path = "WARDS"
public = true
unique = ["code"]
columns = { code = "text", beds = "integer" }
"""
