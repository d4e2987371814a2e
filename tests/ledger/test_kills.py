"""Attack 29: kill -9 at every step. No spend is lost, and nothing is answered unpaid."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from tests.ledger.places import Durable, InFile, forked, pay

from differential_privacy import ledger as package
from differential_privacy.ledger import DatabaseStore, Ledger, NoAnchor, SQLiteFile
from differential_privacy.ledger.store import Transaction
from differential_privacy.privacy import PureLoss

SOURCE = str(Path(package.__file__).parent)
ROUNDS = int(os.environ.get("DP_KILLS", "25"))
THOROUGH = "DP_KILLS" in os.environ
COST = Fraction(1, 10)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


Profiler = Callable[[FrameType, str, object], None]


def killed_at(step: int) -> Profiler:
    """A profiler that ends the process at the step: a call, or a return, inside of the ledger."""
    left = step

    def tick(frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal left
        if frame.f_code.co_filename.startswith(SOURCE):
            left -= 1
            if left == 0:
                die()

    return tick


def answer_once(ledger: Ledger, key: str, tell: Callable[[str], None]) -> None:
    """Asks, as the door does: pay, look, answer; and tells what it was told."""
    receipt = pay(ledger, "visits", epsilon=COST)
    tell(f"paid {receipt.id}")
    data = ledger.record_answer(receipt, key, key.encode())
    tell(f"answered {receipt.id} {data.decode()}")


def assert_all_told_is_kept(ledger: Ledger, told: list[str], *, attempts: int) -> None:
    ledger.verify()
    entries = ledger.statement("visits").entries
    spends = {entry.spend for entry in entries if entry.kind == "spend"}
    paid = [line.split()[1] for line in told if line.startswith("paid")]
    answered = [line.split()[1:] for line in told if line.startswith("answered")]
    assert len(paid) == len(set(paid))
    assert set(paid) <= spends
    assert len(spends) <= attempts
    assert ledger.account("visits").spent == PureLoss(len(spends) * COST)
    for identity, key in answered:
        kept = ledger.answer(key)
        assert kept is not None
        assert kept[0].id == identity in spends
        assert kept[1] == key.encode()


def test_a_kill_at_every_step_loses_no_spend_and_answers_nothing_unpaid(durable: Durable) -> None:
    ledger = durable.open()
    ledger.open_account("visits", PureLoss(1000))
    told, attempts, status = [], 0, -signal.SIGKILL
    # Without a wish for more, every second step in a file, every fifth on a server.
    stride = 1 if THOROUGH else 2 if isinstance(durable, InFile) else 5
    while status == -signal.SIGKILL:
        step = 1 + stride * attempts

        def act(tell: Callable[[str], None], step: int = step) -> None:
            fresh = durable.open()
            sys.setprofile(killed_at(step))
            answer_once(fresh, f"question-{step}", tell)
            sys.setprofile(None)

        child = forked(act)
        told += child.lines()
        status = child.ended()
        attempts += 1
    assert status == 0
    assert attempts > 100
    assert_all_told_is_kept(ledger, told, attempts=attempts)
    assert_all_told_is_kept(durable.open(), told, attempts=attempts)


def test_a_kill_at_every_step_of_a_beginning_leaves_what_can_be_begun_again(
    tmp_path: Path,
) -> None:
    step, status = 1, -signal.SIGKILL
    while status == -signal.SIGKILL:
        place = InFile(tmp_path / f"{step}")
        place.path.parent.mkdir()

        def act(tell: Callable[[str], None], place: InFile = place, step: int = step) -> None:
            sys.setprofile(killed_at(step))
            place.open().open_account("visits", PureLoss(1))
            tell("opened")
            sys.setprofile(None)

        child = forked(act)
        told, status = child.lines(), child.ended()
        ledger = place.open()
        assert len(ledger.statement().entries) in ([1] if told else [0, 1])
        ledger.open_account("visits", PureLoss(1))
        pay(ledger, "visits", epsilon=1)
        assert ledger.verify().entries == 2
        step += 1 if THOROUGH else 3
    assert status == 0
    assert step > 100


def test_kills_at_any_moment_of_three_processes_at_once_lose_nothing(durable: Durable) -> None:
    ledger = durable.open()
    ledger.open_account("visits", PureLoss(1000))

    def act(tell: Callable[[str], None], name: str) -> None:
        fresh = durable.open()
        for number in range(200):
            answer_once(fresh, f"{name}-{number}", tell)

    told = []
    for turn in range(ROUNDS):
        children = [forked(partial(act, name=f"{turn}-{number}")) for number in range(3)]
        for number, child in enumerate(children):
            # Killed while the next one is on its way, wherever that happens to be.
            told += [child.pipe.readline().strip() for _ in range((turn + number) % 7)]
        for child in children:
            os.kill(child.process, signal.SIGKILL)
        told += [line for child in children for line in child.lines()]
        assert {child.ended() for child in children} <= {0, -signal.SIGKILL}
    assert_all_told_is_kept(ledger, told, attempts=600 * ROUNDS)
    assert_all_told_is_kept(durable.open(), told, attempts=600 * ROUNDS)


class StoreThatCommitsLater(DatabaseStore):
    """It says that it has written what it will write with the next."""

    def __init__(self, path: Path) -> None:
        super().__init__(SQLiteFile(path))
        self._late = ExitStack()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        self._late.close()
        yield self._late.enter_context(super().transaction())


def test_a_store_that_commits_later_is_caught(in_file: InFile) -> None:
    in_file.open().open_account("visits", PureLoss(1000))

    def act(tell: Callable[[str], None]) -> None:
        ledger = Ledger(StoreThatCommitsLater(in_file.path), NoAnchor())
        tell(f"paid {pay(ledger, 'visits').id}")
        die()

    child = forked(act)
    told = child.lines()
    assert child.ended() == -signal.SIGKILL
    with pytest.raises(AssertionError):
        assert_all_told_is_kept(in_file.open(), told, attempts=1)
