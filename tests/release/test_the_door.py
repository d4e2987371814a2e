"""The door: paid before it is read, kept before it is shown, and silent about what it saw."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pytest
from tests.plans.worlds import Data, Visit, opened, read

from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import (
    BudgetExceededError,
    DifferentialPrivacyError,
    SourceError,
)
from differential_privacy.ledger import Ledger
from differential_privacy.privacy import ApproximateLoss, PureLoss
from differential_privacy.queries import Plan, Price
from differential_privacy.release import Door, Noisy, Payers, Released
from differential_privacy.sources import Cell
from differential_privacy.sources.trees import Query

TEXT = "SELECT ward, COUNT(*), SUM(age) FROM visits GROUP BY ward"
EPSILON = Fraction(1, 10)
SECRET = 123_456_789
ROWS = [("a", 40, SECRET), ("b", 7, 12)]

Rows = Sequence[tuple[Cell, ...]]


@dataclass
class Scripted:
    """An engine that says what it is told to, and notes that it was asked."""

    rows: Rows = field(default_factory=lambda: ROWS)
    before: Callable[[], None] = lambda: None
    asked: int = 0

    def run(self, _: Query) -> Rows:
        self.before()
        self.asked += 1
        return self.rows


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    with opened(Data((Visit(1, 0),))) as (one,):
        yield one


@pytest.fixture
def plan(catalog: Catalog) -> Plan:
    return planned(catalog, TEXT)


def planned(catalog: Catalog, text: str, epsilon: Fraction = EPSILON) -> Plan:
    return read(catalog, text).plan(Price(epsilon))


ADA, BOB = Payers(("visits",), "ada", "ada"), Payers(("visits",), "bob", "bob")


def funded(ledger: Ledger, *, table: int = 1, own: int = 1) -> Ledger:
    ledger.open_account("visits", PureLoss(table))
    for name in ("ada", "bob"):
        ledger.open_account(name, PureLoss(own))
    return ledger


@pytest.fixture
def ledger() -> Ledger:
    return funded(Ledger.in_memory())


def spent(ledger: Ledger) -> list[Fraction]:
    """Of the table, of Ada, of Bob."""
    accounts = [ledger.account(name).spent for name in ("visits", "ada", "bob")]
    return [account.epsilon_at(0) for account in accounts]


def release(
    ledger: Ledger,
    plan: Plan,
    engine: Scripted | None = None,
    payers: Payers = ADA,
    *,
    door: type[Door] = Door,
    data: Callable[[], str] = lambda: "first",
) -> Released:
    made = door(ledger, engine or Scripted())  # type: ignore[arg-type]
    return made.release(plan, payers, data=data)


class DoorThatLooksFirst(Door):
    """The swap that must never happen."""

    def release(self, plan: Plan, payers: Payers, *, data: Callable[[], str]) -> Released:
        noisy = self._noisy(plan)
        found = super().release(plan, payers, data=data)
        return replace(found, noisy=noisy)


def assert_paid_before_it_is_read(ledger: Ledger, plan: Plan, door: type[Door]) -> None:
    seen: list[list[Fraction]] = []
    engine = Scripted(before=lambda: seen.append(spent(ledger)))
    release(ledger, plan, engine, door=door)
    assert seen
    assert all(one == [EPSILON, EPSILON, 0] for one in seen)


def test_the_spend_stands_in_the_ledger_when_data_is_read(ledger: Ledger, plan: Plan) -> None:
    assert_paid_before_it_is_read(ledger, plan, Door)


def test_a_door_that_looks_first_is_caught(ledger: Ledger, plan: Plan) -> None:
    with pytest.raises(AssertionError):
        assert_paid_before_it_is_read(ledger, plan, DoorThatLooksFirst)


def test_percentiles_are_paid_before_they_are_read(ledger: Ledger, catalog: Catalog) -> None:
    plan = planned(catalog, "SELECT MEDIAN(age) FROM visits")
    engine = Scripted([(3, 5)], before=lambda: spent(ledger)[0] or pytest.fail("not paid"))
    assert 0 <= release(ledger, plan, engine).noisy.chosen[0][0] <= 5


def test_a_refusal_spends_nothing_and_reads_nothing(catalog: Catalog) -> None:
    for table, own in ((1, 100), (100, 1)):
        ledger, engine = funded(Ledger.in_memory(), table=table, own=own), Scripted()
        plan = planned(catalog, TEXT, Fraction(2))
        with pytest.raises(BudgetExceededError):
            release(ledger, plan, engine)
        assert spent(ledger) == [0, 0, 0]
        assert engine.asked == 0
        assert all(entry.kind != "spend" for entry in ledger.statement().entries)


def test_what_fails_after_payment_stays_paid_and_says_nothing(ledger: Ledger, plan: Plan) -> None:
    def fails() -> None:
        raise SourceError

    with pytest.raises(SourceError) as caught:
        release(ledger, plan, Scripted(before=fails))
    assert spent(ledger) == [EPSILON, EPSILON, 0]
    # Nothing is given back by another way, either.
    assert all(ledger.account(one).left == PureLoss(1 - EPSILON) for one in ("visits", "ada"))
    assert str(caught.value) == str(SourceError())
    assert str(SECRET) not in str(caught.value)
    # The next try is a question of its own, and pays again.
    release(ledger, plan)
    assert spent(ledger) == [2 * EPSILON, 2 * EPSILON, 0]


def test_data_that_change_while_they_are_read_are_not_answered(ledger: Ledger, plan: Plan) -> None:
    versions = iter(["first", "second"])
    with pytest.raises(SourceError):
        release(ledger, plan, data=lambda: next(versions))
    assert spent(ledger) == [EPSILON, EPSILON, 0]


def test_the_same_question_is_answered_with_the_same_bytes_for_nothing(
    ledger: Ledger, plan: Plan
) -> None:
    first = release(ledger, plan)
    unread = Scripted(before=lambda: pytest.fail("a repeat reads no data"))
    again = release(ledger, plan, unread)
    assert (first.repeated, again.repeated) == (False, True)
    assert again.noisy.to_bytes() == first.noisy.to_bytes()
    assert again.receipt == first.receipt
    assert spent(ledger) == [EPSILON, EPSILON, 0]


def test_other_data_and_another_price_are_other_questions(
    ledger: Ledger, catalog: Catalog, plan: Plan
) -> None:
    first = release(ledger, plan)
    newer = release(ledger, plan, data=lambda: "second")
    dearer = release(ledger, planned(catalog, TEXT, 2 * EPSILON))
    assert not newer.repeated
    assert not dearer.repeated
    assert len({one.receipt.id for one in (first, newer, dearer)}) == 3
    assert spent(ledger) == [4 * EPSILON, 4 * EPSILON, 0]


def test_averaging_the_same_question_teaches_nothing(ledger: Ledger, plan: Plan) -> None:
    answers = {release(ledger, plan).noisy.to_bytes() for _ in range(50)}
    assert len(answers) == 1
    assert spent(ledger) == [EPSILON, EPSILON, 0]


def test_another_analyst_pays_of_their_own_and_the_table_pays_once(
    ledger: Ledger, plan: Plan
) -> None:
    """The release is one, so people lose no more; but what Bob knows is bounded by Bob's budget."""
    first = release(ledger, plan)
    unread = Scripted(before=lambda: pytest.fail("what was released is not released again"))
    shared = release(ledger, plan, unread, BOB)
    assert shared.noisy.to_bytes() == first.noisy.to_bytes()
    assert spent(ledger) == [EPSILON, EPSILON, EPSILON]
    again = release(ledger, plan, unread, BOB)
    assert again.repeated
    assert again.noisy.to_bytes() == first.noisy.to_bytes()
    assert spent(ledger) == [EPSILON, EPSILON, EPSILON]


def test_another_analyst_without_means_learns_nothing(plan: Plan) -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("visits", PureLoss(1))
    ledger.open_account("ada", PureLoss(1))
    ledger.open_account("bob", PureLoss("0.05"))
    release(ledger, plan)
    with pytest.raises(BudgetExceededError):
        release(ledger, plan, payers=BOB)


def test_the_ledger_notes_what_was_asked_and_nothing_that_was_seen(
    ledger: Ledger, plan: Plan
) -> None:
    release(ledger, plan)
    (entry,) = [one for one in ledger.statement().entries if one.kind == "spend"]
    assert entry.body["what"] == {
        "question": TEXT,
        "tables": ["visits"],
        "bounded": plan.bounding.words,
    }
    assert str(SECRET) not in "".join(one.text for one in ledger.statement().entries)


def test_found_groups_come_in_the_order_of_their_keys(catalog: Catalog) -> None:
    price = Price(Fraction(50), None, Fraction(1, 4))
    plan = read(catalog, TEXT.replace("ward", "note")).plan(price)
    ledger = Ledger.in_memory()
    for name in ("visits", "ada"):
        ledger.open_account(name, ApproximateLoss(100, "0.5"))
    rows = [(note, *([900] * len(plan.exact))) for note in ("y", None, "x", "", "z")]
    for version, order in (("one", rows), ("other", rows[::-1])):
        found = release(ledger, plan, Scripted(order), data=lambda version=version: version)
        assert found.noisy.groups == (("",), ("x",), ("y",), ("z",), (None,))


def test_groups_that_an_engine_makes_up_are_not_shown(ledger: Ledger, plan: Plan) -> None:
    found = release(ledger, plan, Scripted([("no such ward", 10**6, 10**6)]))
    assert found.noisy.groups == (("a",), ("b",), ("c",), (None,))
    assert all(abs(value) < 10**5 for column in found.noisy.statistics for value in column)


def test_huge_numbers_pass_through_whole(ledger: Ledger, plan: Plan) -> None:
    # As a float it would be off by 2**37.
    huge = 3 * 2**90 + 2**37
    found = release(ledger, plan, Scripted([("a", 1, huge)]))
    noisy = Noisy.from_bytes(found.noisy.to_bytes())
    assert noisy == found.noisy
    assert any(abs(abs(column[0]) - huge) < 10**6 for column in noisy.statistics)


def assert_twins_cost_the_table_once(ledger: Ledger, plan: Plan, engine: Scripted) -> None:
    """Ada and Bob ask the same at once, in two threads each."""
    found: list[bytes] = []
    barrier = threading.Barrier(4)
    payers = iter([ADA, BOB, ADA, BOB])

    def ask() -> None:
        mine = next(payers)
        barrier.wait()
        found.append(release(ledger, plan, engine, mine).noisy.to_bytes())

    in_threads(4, ask)
    assert len(found) == 4
    assert len(set(found)) == 1
    assert spent(ledger) == [EPSILON] * 3
    assert engine.asked == 1


def test_threads_with_one_question_get_one_answer_and_pay_once(ledger: Ledger, plan: Plan) -> None:
    inside = threading.Barrier(2)

    def lingers() -> None:
        # A second thread that is let in has the time to come; one that waits is not missed.
        with suppress(threading.BrokenBarrierError):
            inside.wait(timeout=0.2)

    assert_twins_cost_the_table_once(ledger, plan, Scripted(before=lingers))


def test_threads_that_do_not_take_turns_are_caught(
    ledger: Ledger, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ledger, "turn", lambda *_: nullcontext())
    inside = threading.Barrier(4)
    with pytest.raises(AssertionError):
        assert_twins_cost_the_table_once(ledger, plan, Scripted(before=inside.wait))


def test_a_turn_that_fails_is_given_away(ledger: Ledger, plan: Plan) -> None:
    """Whoever waited asks for themselves: what failed stays paid, and hinders nobody."""
    outcomes: list[str] = []
    barrier = threading.Barrier(3)
    failures = iter([SourceError(), KeyboardInterrupt()])

    def fails() -> None:
        error = next(failures, None)
        if error is not None:
            raise error

    def ask() -> None:
        barrier.wait()
        try:
            release(ledger, plan, engine)
            outcomes.append("answered")
        except (SourceError, KeyboardInterrupt):
            outcomes.append("failed")

    engine = Scripted(before=fails)
    in_threads(3, ask)
    assert sorted(outcomes) == ["answered", "failed", "failed"]
    assert spent(ledger) == [3 * EPSILON, 3 * EPSILON, 0]


def test_a_fork_waits_for_no_thread_that_it_does_not_have(plan: Plan, tmp_path: Path) -> None:
    ledger = funded(Ledger.in_file(tmp_path / "ledger.db"))
    inside, leave = threading.Event(), threading.Event()

    def stays() -> None:
        inside.set()
        leave.wait()

    thread = threading.Thread(target=lambda: release(ledger, plan, Scripted(before=stays)))
    thread.start()
    inside.wait()
    answer = in_child(lambda: answer_of(ledger, plan, "first"))
    leave.set()
    thread.join()
    assert answer == answer_of(ledger, plan, "first")
    assert spent(ledger)[:2] == [2 * EPSILON, 2 * EPSILON]


def test_who_paid_beside_another_process_has_the_answer_for_good(
    ledger: Ledger, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob, in a process of his own, was faster; what Ada paid for is hers as well."""
    monkeypatch.setattr(Ledger, "turn", lambda *_: nullcontext())
    bobs: list[Released] = []
    engine = Scripted(before=lambda: bobs.append(release(ledger, plan, payers=BOB)))
    first = release(ledger, plan, engine)
    paid = spent(ledger)
    assert paid == [2 * EPSILON, EPSILON, EPSILON]
    for payers in (ADA, BOB):
        again = release(ledger, plan, payers=payers)
        assert again.repeated
        assert again.noisy == first.noisy == bobs[0].noisy
    assert spent(ledger) == paid


def test_threads_never_overspend(ledger: Ledger, catalog: Catalog) -> None:
    plans = [planned(catalog, f"SELECT COUNT(*) FROM visits WHERE age > {n}") for n in range(5)]
    outcomes: list[str] = []
    barrier = threading.Barrier(16)
    numbers = iter(range(16))

    def ask() -> None:
        number = next(numbers)
        barrier.wait()
        try:
            release(ledger, plans[number % 5], Scripted([(1,)]), data=lambda: f"version {number}")
            outcomes.append("answered")
        except BudgetExceededError:
            outcomes.append("refused")

    in_threads(16, ask)
    assert outcomes.count("answered") == 10
    assert spent(ledger)[0] == 1


def in_threads(count: int, work: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_forks_draw_noise_of_their_own(plan: Plan, tmp_path: Path) -> None:
    """Parent and children, after an earlier draw, in one ledger."""
    ledger = funded(Ledger.in_file(tmp_path / "ledger.db"))
    release(ledger, plan, data=lambda: "before")
    answers = [in_child(lambda n=n: answer_of(ledger, plan, f"child {n}")) for n in range(2)]
    answers.append(answer_of(ledger, plan, "parent"))
    numbers = [json.loads(answer)["statistics"] for answer in answers]
    assert len({json.dumps(one) for one in numbers}) == 3
    assert spent(ledger)[0] == 4 * EPSILON


def answer_of(ledger: Ledger, plan: Plan, version: str) -> str:
    return release(ledger, plan, data=lambda: version).noisy.to_bytes().decode()


def in_child(work: Callable[[], str]) -> str:
    """What a forked process says."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(into, work().encode())
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


ANOTHER = """
import sys
from tests.release.test_the_door import TEXT, Scripted, planned, release
from tests.plans.worlds import Data, Visit, opened
from differential_privacy.ledger import Ledger
with opened(Data((Visit(1, 0),))) as (catalog,):
    unread = Scripted(before=lambda: sys.exit("read"))
    found = release(Ledger.in_file(sys.argv[1]), planned(catalog, TEXT), unread)
print(found.repeated, found.noisy.to_bytes().decode())
"""


def test_another_process_repeats_the_same_bytes_and_a_reopened_ledger_too(
    plan: Plan, tmp_path: Path
) -> None:
    path = tmp_path / "ledger.db"
    ledger = funded(Ledger.in_file(path))
    first = release(ledger, plan)
    ledger.close()
    unread = Scripted(before=lambda: pytest.fail("a repeat reads no data"))
    again = release(Ledger.in_file(path), plan, unread)
    assert again.noisy.to_bytes() == first.noisy.to_bytes()
    root = Path(__file__).parents[2]
    said = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", ANOTHER, str(path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == f"True {first.noisy.to_bytes().decode()}"


def test_every_error_of_the_door_is_a_deliberate_one(ledger: Ledger, plan: Plan) -> None:
    """An engine's own words would tell what it saw."""

    def fails() -> None:
        raise SourceError from None

    with pytest.raises(DifferentialPrivacyError) as caught:
        release(ledger, plan, Scripted(before=fails))
    assert caught.value.__cause__ is None
