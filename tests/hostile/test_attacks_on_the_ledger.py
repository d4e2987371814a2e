"""Attacks of the notes on the ledger and the door, each by the number of its note."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hostile.rows import crowd
from tests.hostile.worlds import COUNT, reopened, small, spent

from differential_privacy.errors import (
    BudgetExceededError,
    LedgerTamperedError,
    LedgerUnavailableError,
)
from differential_privacy.ledger import Ledger
from differential_privacy.mechanisms import Geometric
from differential_privacy.release import Door


def test_28_many_at_once_get_as_many_answers_as_the_budget_has(tmp_path: Path) -> None:
    world = small(tmp_path)

    def ask(number: int) -> bool:
        try:
            world.session(["ada", "bob"][number % 2]).sql(
                f"{COUNT} WHERE x < {number}", epsilon="1/10"
            )
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        answered = sum(threads.map(ask, range(24)))
    assert answered == 10
    assert max(spent(world)) == 1


def test_28_one_question_at_once_has_one_answer(tmp_path: Path) -> None:
    world = small(tmp_path, "{ epsilon = 100 }")
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: world.session().sql(COUNT, epsilon="1/10"), range(8)))
    assert len({answer.noisy.to_bytes() for answer in answers}) == 1
    assert max(spent(world)) == Fraction(1, 10)


class Stopped(BaseException):
    """As if the process had ended here."""


@pytest.mark.parametrize("step", ["spend", "run", "noise", "record"])
def test_29_stopped_at_any_step_nothing_is_answered_unpaid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    world = small(tmp_path)
    places = {
        "spend": (Ledger, "spend"),
        "run": (type(world.curator.engine), "run"),
        "noise": (Geometric, "release"),
        "record": (Ledger, "record_answer"),
    }
    plan = world.session().plan(COUNT, epsilon="1/2")

    def stop(*_: Any, **__: Any) -> None:
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(*places[step], stop)
        with pytest.raises(Stopped):
            world.session().buy(plan)
    world = reopened(world)
    paid = Fraction(0) if step == "spend" else Fraction(1, 2)
    assert max(spent(world)) == paid
    answer = world.session().sql(COUNT, epsilon="1/2")
    assert not answer.repeated
    assert max(spent(world)) == paid + Fraction(1, 2)


def test_29_a_door_that_looks_before_it_pays_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = Door.release

    def early(door: Door, plan: Any, *args: Any, **kwargs: Any) -> Any:
        door._noisy(plan)
        return release(door, plan, *args, **kwargs)

    monkeypatch.setattr(Door, "release", early)
    with pytest.raises(AssertionError):
        test_29_stopped_at_any_step_nothing_is_answered_unpaid(tmp_path, monkeypatch, "run")


def test_30_a_question_again_is_the_same_answer_free_also_tomorrow(tmp_path: Path) -> None:
    world = small(tmp_path)
    first = world.session().sql(COUNT, epsilon="1/2")
    for _ in range(3):
        world = reopened(world)
        again = world.session().sql(COUNT, epsilon="1/2")
        assert again.repeated
        assert again.noisy.to_bytes() == first.noisy.to_bytes()
        assert again.receipt == first.receipt
    assert max(spent(world)) == Fraction(1, 2)
    assert not world.session().sql(COUNT, epsilon="1/4").repeated
    assert max(spent(world)) == Fraction(3, 4)


def test_30_an_answer_is_not_given_again_when_the_data_changed(tmp_path: Path) -> None:
    world = small(tmp_path)
    world.session().sql(COUNT, epsilon="1/4")
    pq.write_table(pa.table(crowd(101)), world.folder / "people.parquet")
    assert not world.session().sql(COUNT, epsilon="1/4").repeated
    assert max(spent(world)) == Fraction(1, 2)


@pytest.mark.parametrize("attack", ["restored", "deleted", "edited", "without its anchor"])
def test_31_a_ledger_that_went_back_answers_nothing(tmp_path: Path, attack: str) -> None:
    world = small(tmp_path)
    place, old = world.folder / ".dp", tmp_path / "old"
    world.session().sql(COUNT, epsilon="1/4")
    world.curator.close()
    shutil.copytree(place, old)
    world = reopened(world)
    world.session().sql(f"{COUNT} WHERE x > 3", epsilon="1/4")
    world.curator.close()
    for file in place.glob("ledger.db*"):
        anchor = file.name.endswith("anchor")
        if attack == "restored" and not anchor:
            shutil.copy(old / file.name, file)
        if attack == "deleted" and not anchor:
            file.unlink()
        if attack == "without its anchor" and anchor:
            file.unlink()
        if attack == "edited" and file.suffix == ".db":
            octets = file.read_bytes()
            assert b"x > 3" in octets
            file.write_bytes(octets.replace(b"x > 3", b"x > 4"))
    with pytest.raises((LedgerTamperedError, LedgerUnavailableError)):
        reopened(world).session().sql(f"{COUNT} WHERE x > 5", epsilon="1/4")
