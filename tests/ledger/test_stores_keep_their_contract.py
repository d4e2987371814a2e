"""What the ledger asks of a store, asked of each of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from tests.ledger.places import Place

from differential_privacy.ledger import Record, Store

Opener = Callable[[], Store]


@pytest.fixture
def opened(place: Place) -> Iterator[Opener]:
    """Opens the same store as often as it is called, and closes all in the end."""
    with ExitStack() as stores:
        yield lambda: stores.enter_context(closing(place.store()))


def record(sequence: int) -> Record:
    return Record(sequence, f'{{"é":{sequence}}}', f"hash {sequence}")


def appended(opened: Opener, count: int) -> None:
    with opened().transaction() as transaction:
        for sequence in range(1, count + 1):
            transaction.append(record(sequence), bytes([sequence]) if sequence % 2 else None)


def test_a_new_store_holds_nothing(opened: Opener) -> None:
    store = opened()
    assert list(store.after(0)) == []
    assert store.attachment(1) is None


def test_what_was_appended_is_there_for_every_opening_in_order(opened: Opener) -> None:
    appended(opened, 5)
    store = opened()
    for after in (0, 3, 5, 9):
        wanted = [record(sequence) for sequence in range(after + 1, 6)]
        assert list(store.after(after)) == wanted
        with store.transaction() as transaction:
            assert list(transaction.after(after)) == wanted
    assert [store.attachment(sequence) for sequence in range(1, 6)] == [
        b"\1",
        None,
        b"\3",
        None,
        b"\5",
    ]
    store.close()
    assert len(store.after(0)) == 5


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_was_not_committed_leaves_no_trace(opened: Opener, error: type[BaseException]) -> None:
    appended(opened, 2)
    store = opened()

    def fails() -> None:
        with store.transaction() as transaction:
            transaction.append(record(3), b"lost")
            raise error

    for _ in range(2):
        with pytest.raises(error):
            fails()
    assert len(store.after(0)) == len(opened().after(0)) == 2
    assert store.attachment(3) is None
    with store.transaction() as transaction:
        transaction.append(record(3), None)
    assert len(opened().after(0)) == 3


def test_an_open_transaction_is_not_read_by_others(opened: Opener) -> None:
    appended(opened, 2)
    with opened().transaction() as transaction:
        transaction.append(record(3), None)
        if opened() is not opened():
            # In memory there is one opening, for all.
            assert len(opened().after(0)) == 2
    assert len(opened().after(0)) == 3
