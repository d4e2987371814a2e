"""Attack 28: many processes, machines and threads ask at once for the last of a budget."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.places import Child, Durable, OnServer, Place, forked, pay

from differential_privacy.errors import (
    BudgetExceededError,
    DifferentialPrivacyError,
    LedgerTamperedError,
)
from differential_privacy.ledger import (
    DatabaseStore,
    Entry,
    FileAnchor,
    Head,
    Kind,
    Ledger,
    MemoryStore,
    NoAnchor,
    PostgresServer,
    Record,
)
from differential_privacy.ledger.store import Transaction
from differential_privacy.privacy import ConcentratedLoss, PureLoss

PROCESSES = 32
BUDGET, COST = Fraction(20), Fraction(3, 32)
GRANTED = BUDGET // COST


def spend_all(ledger: Ledger, account: str) -> Iterator[str]:
    """The ids of all that is granted until a refusal."""
    while True:
        try:
            yield pay(ledger, account, epsilon=COST).id
        except BudgetExceededError:
            return


def spending(open_ledger: Callable[[], Ledger], account: str) -> Child:
    """A process that spends all that it can."""

    def act(tell: Callable[[str], None]) -> None:
        for granted in spend_all(open_ledger(), account):
            tell(granted)

    return forked(act)


def assert_exactly_the_budget_is_granted(ledger: Ledger, children: list[Child]) -> None:
    granted = [line for child in children for line in child.lines()]
    assert [child.ended() for child in children] == [0] * len(children)
    assert len(granted) == len(set(granted)) == GRANTED
    assert ledger.account("visits").spent == PureLoss(GRANTED * COST)
    assert {entry.spend for entry in ledger.statement("visits").entries} - {None} == set(granted)
    ledger.verify()


def test_32_processes_at_once_are_granted_exactly_what_the_budget_holds(durable: Durable) -> None:
    ledger = durable.open()
    ledger.open_account("visits", PureLoss(BUDGET))
    names = [f"analyst {number}" for number in range(PROCESSES)]
    for name in names:
        ledger.open_account(name, ConcentratedLoss(100), parent="visits")
    assert_exactly_the_budget_is_granted(ledger, [spending(durable.open, name) for name in names])


def test_two_machines_are_granted_no_more_than_one(on_server: OnServer, tmp_path: Path) -> None:
    ledger = on_server.open()
    ledger.open_account("visits", PureLoss(BUDGET))
    there = FileAnchor(tmp_path / "elsewhere.anchor")
    there.advance(ledger.verify().head)

    def open_there() -> Ledger:
        return Ledger(DatabaseStore(PostgresServer(on_server.dsn)), there)

    places = [on_server.open, open_there] * 4
    assert_exactly_the_budget_is_granted(ledger, [spending(place, "visits") for place in places])


def test_processes_that_start_the_ledger_at_once_start_one(durable: Durable) -> None:
    def act(tell: Callable[[str], None]) -> None:
        ledger = durable.open()
        ledger.open_account("visits", PureLoss(BUDGET))
        for granted in spend_all(ledger, "visits"):
            tell(granted)

    children = [forked(act) for _ in range(8)]
    assert_exactly_the_budget_is_granted(durable.open(), children)


def test_threads_share_one_ledger(place: Place) -> None:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(3))
    with ThreadPoolExecutor(16) as threads:
        granted = list(threads.map(lambda _: list(spend_all(ledger, "visits")), range(16)))
    assert len({one for many in granted for one in many}) == Fraction(3) // COST


def test_a_fork_spends_from_the_same_ledger_and_breaks_nothing(durable: Durable) -> None:
    ledger = durable.open()
    ledger.open_account("visits", PureLoss(BUDGET))
    pay(ledger, "visits", epsilon=COST)
    children = []
    for _ in range(4):
        # The ledger that is open here is used on, on both sides.
        children.append(spending(lambda: ledger, "visits"))
        pay(ledger, "visits", epsilon=COST)
    told = [line for child in children for line in child.lines()]
    assert [child.ended() for child in children] == [0] * 4
    assert len(set(told)) + 5 == GRANTED
    assert ledger.account("visits").spent == PureLoss(GRANTED * COST)
    durable.open().verify()


def test_a_fork_gets_no_second_budget_in_memory() -> None:
    ledger = Ledger.in_memory()
    ledger.open_account("visits", PureLoss(1))

    def act(tell: Callable[[str], None]) -> None:
        try:
            tell(pay(ledger, "visits").id)
        except DifferentialPrivacyError as error:
            tell(str(error))

    child = forked(act)
    (told,) = child.lines()
    assert "memory of another process" in told
    assert child.ended() == 0


class StoreThatLetsAllWriteAtOnce(MemoryStore):
    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        yield self

    def append(self, record: Record, attachment: bytes | None) -> None:
        assert attachment is None
        self._records.append(record)


def test_a_store_that_does_not_keep_writers_apart_is_caught() -> None:
    store = StoreThatLetsAllWriteAtOnce()
    one, other = Ledger(store, NoAnchor()), Ledger(store, NoAnchor())
    one.open_account("visits", PureLoss(1))
    with store.transaction() as late:
        head = Head(1, late.after(0)[0].hash)
        pay(one, "visits")
        late.append(Entry.after(head, Kind.REVOKE, {"account": "visits"}).record, None)
    with pytest.raises(LedgerTamperedError, match="entry 2 stands where entry 3 belongs"):
        other.account("visits")
