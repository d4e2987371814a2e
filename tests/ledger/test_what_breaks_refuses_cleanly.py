"""A full disk, a file that cannot be written or is locked, a lost connection: nothing is answered.

What was told is kept, what was not told may be spent, and afterwards the ledger goes on.
"""

import fcntl
import os
import resource
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.ledger.places import Durable, InFile, OnServer, Place, forked, pay

from differential_privacy.errors import LedgerUnavailableError, MissingExtraError
from differential_privacy.ledger import Ledger, PostgresServer, anchor, postgres, sqlite
from differential_privacy.privacy import PureLoss


def opened(place: Place) -> Ledger:
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1000))
    return ledger


def spends(ledger: Ledger) -> set[object]:
    return {entry.spend for entry in ledger.statement("visits").entries if entry.kind == "spend"}


@pytest.mark.parametrize("room", [0, 100, 5_000, 40_000, 200_000])
def test_a_full_disk_refuses_and_keeps_what_was_told(in_file: InFile, room: int) -> None:
    ledger = opened(in_file)
    ledger.close()

    def act(tell: Callable[[str], None]) -> None:
        fresh = in_file.open()
        written = max(path.stat().st_size for path in in_file.path.parent.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (written + room, resource.RLIM_INFINITY))
        with suppress(LedgerUnavailableError):
            while True:
                tell(pay(fresh, "visits", question="?" * 300).id)
        with suppress(LedgerUnavailableError):
            tell(pay(fresh, "visits").id)
        tell("refused")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        tell(pay(fresh, "visits").id)

    child = forked(act)
    *told, last = child.lines()
    assert child.ended() == 0
    assert "refused" in told
    told.remove("refused")
    ledger.verify()
    assert {*told, last} <= spends(ledger)
    # One whose outcome was unknown may be spent: each refusal leaves one at most.
    assert len(spends(ledger)) <= len(told) + 3


def test_a_full_disk_below_the_anchor_refuses_what_is_spent_already(
    in_file: InFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = opened(in_file)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(LedgerUnavailableError, match=r"its anchor: .*No space left"):
            pay(ledger, "visits")
    assert len(spends(ledger)) == 1
    assert pay(ledger, "visits").id in spends(in_file.open())


@pytest.mark.parametrize("protected", ["file", "folder"])
def test_a_read_only_file_refuses(protected: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = InFile(folder)
        ledger = opened(place)
        before = spends(ledger)
        ledger.close()
        modes = {"file": (0o777, 0o444), "folder": (0o555, 0o666)}
        folder.chmod(modes[protected][0])
        place.path.chmod(modes[protected][1])
        place.anchor.chmod(0o644)

        def act(tell: Callable[[str], None]) -> None:
            if os.geteuid() == 0:
                # Root may write anywhere.
                os.setuid(65534)
            try:
                pay(place.open(), "visits")
            except LedgerUnavailableError as error:
                tell(str(error))

        child = forked(act)
        (told,) = child.lines()
        assert child.ended() == 0
        assert "nothing was answered" in told
        assert spends(ledger) == before


def test_a_locked_file_refuses_and_goes_on_when_it_is_free(
    in_file: InFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE_SECONDS", 0.05)
    ledger = opened(in_file)
    with closing(sqlite3.connect(in_file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerUnavailableError, match="database is locked"):
            pay(ledger, "visits")
        assert ledger.account("visits").spent == PureLoss(0)
    pay(ledger, "visits")
    assert len(spends(ledger)) == 1


def test_a_locked_server_refuses_and_goes_on_when_it_is_free(
    on_server: OnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = postgres.BEGIN.replace("'30s'", "'50ms'")
    monkeypatch.setattr(PostgresServer, "begin", impatient)
    ledger = opened(on_server)
    with psycopg.connect(on_server.dsn) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [postgres.LOCK])
        with pytest.raises(LedgerUnavailableError, match="LockNotAvailable"):
            pay(ledger, "visits")
        assert ledger.account("visits").spent == PureLoss(0)
    pay(ledger, "visits")
    assert len(spends(ledger)) == 1


def test_a_locked_anchor_refuses_what_is_spent_already(
    in_file: InFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchor, "PATIENCE_SECONDS", 0.05)
    ledger = opened(in_file)
    folder = os.open(in_file.anchor.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with pytest.raises(LedgerUnavailableError, match="its anchor is locked"):
        pay(ledger, "visits")
    os.close(folder)
    pay(ledger, "visits")
    assert len(spends(ledger)) == 2


def terminate_all(place: OnServer) -> None:
    with psycopg.connect(place.dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_lost_connection_refuses_once_and_the_next_call_reconnects(on_server: OnServer) -> None:
    ledger = opened(on_server)
    terminate_all(on_server)
    with pytest.raises(LedgerUnavailableError, match="its server: AdminShutdown"):
        pay(ledger, "visits")
    terminate_all(on_server)
    receipt = pay(ledger, "visits")
    assert spends(ledger) == {receipt.id}
    terminate_all(on_server)
    with pytest.raises(LedgerUnavailableError, match="its server"):
        ledger.answer("how many?")
    assert ledger.answer("how many?") is None


def test_a_server_that_is_not_there_refuses(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailableError, match="its server: OperationalError"):
        Ledger.on_server(f"postgresql://nobody@/nothing?host={tmp_path}", anchor=tmp_path / "a")


def test_a_folder_that_is_not_there_refuses(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailableError, match="No such file"):
        Ledger.in_file(tmp_path / "nowhere" / "ledger.db")


@pytest.mark.parametrize("name", ["a b", "é?#%20", "it's", "-x"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    place = InFile(tmp_path / name)
    pay(opened(place), "visits")
    assert len(spends(place.open())) == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


class Cut:
    """A connection that is lost around one statement: before it reaches the server, or after."""

    def __init__(
        self, connection: Any, at: str, lose: Callable[[Any], None], *, after: bool
    ) -> None:
        self._connection, self._at, self._lose, self._after = connection, at, lose, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, statement: str, *arguments: Any) -> Any:
        cut = statement.strip().startswith(self._at)
        if cut and not self._after:
            self._lose(self._connection)
        done = self._connection.execute(statement, *arguments)
        if cut:
            self._lose(self._connection)
        return done


def lose_server(connection: Any) -> None:
    connection.close()
    raise psycopg.OperationalError


def lose_file(connection: Any) -> None:
    connection.close()
    raise sqlite3.OperationalError


def cut_once(place: Durable, ledger: Ledger, at: str, *, after: bool) -> None:
    """The ledger's next statement of this kind is cut."""
    store: Any = ledger._chain._store
    ledger.account("visits")
    lose = lose_file if isinstance(place, InFile) else lose_server
    store._open = Cut(store._open, at, lose, after=after)


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_of_unknown_outcome_is_settled_and_paid_once(
    durable: Durable, *, after: bool
) -> None:
    ledger = opened(durable)
    cut_once(durable, ledger, "COMMIT", after=after)
    receipt = pay(ledger, "visits")
    assert spends(ledger) == {receipt.id}
    cut_once(durable, ledger, "COMMIT", after=after)
    assert ledger.record_answer(receipt, "how many?", b"42") == b"42"
    assert durable.open().answer("how many?") == (receipt, b"42")
    ledger.verify()
    assert ledger.account("visits") == durable.open().account("visits")


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_whose_outcome_stays_unknown_is_not_answered(
    durable: Durable, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    ledger = opened(durable)
    cut_once(durable, ledger, "COMMIT", after=after)
    gone = lose_file if isinstance(durable, InFile) else lose_server
    with monkeypatch.context() as patch:
        patch.setattr(type(ledger._chain._store), "_connect", lambda _: gone(closing_nothing))
        with pytest.raises(LedgerUnavailableError):
            pay(ledger, "visits")
    assert len(spends(ledger)) == int(after)


class closing_nothing:  # noqa: N801 - a stand-in for a connection
    close = staticmethod(lambda: None)


@pytest.mark.parametrize("statement", ["BEGIN", "SELECT sequence", "INSERT"])
def test_a_connection_lost_before_the_commit_spends_nothing(
    durable: Durable, statement: str
) -> None:
    ledger = opened(durable)
    cut_once(durable, ledger, statement, after=True)
    with pytest.raises(LedgerUnavailableError):
        pay(ledger, "visits")
    assert spends(ledger) == set()
    pay(ledger, "visits")


def test_a_role_that_may_only_read_and_insert_is_enough_and_can_undo_nothing(
    on_server: OnServer,
) -> None:
    ledger = opened(on_server)
    on_server.execute("CREATE ROLE writer LOGIN")
    try:
        on_server.execute("GRANT SELECT, INSERT ON entries TO writer")
        limited = OnServer(on_server.anchor.parent, on_server.dsn.replace("tester@", "writer@"))
        assert pay(limited.open(), "visits").id in spends(ledger)
        for undone in ("DELETE FROM entries", "UPDATE entries SET text = ''"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                limited.execute(undone)
    finally:
        on_server.execute("DROP OWNED BY writer")
        on_server.execute("DROP ROLE writer")


def test_a_missing_driver_is_answered_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'differential_privacy\[postgres\]'"):
        PostgresServer("postgresql://")


@pytest.mark.parametrize("moment", ["_follow", "_append"])
def test_an_interrupt_anywhere_leaves_no_half_of_an_entry(
    place: Place, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    ledger = opened(place)
    pay(ledger, "visits")
    whole = getattr(type(ledger._chain), moment)

    def interrupted(*arguments: Any) -> None:
        whole(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(ledger._chain), moment, interrupted)
        with pytest.raises(KeyboardInterrupt):
            pay(ledger, "visits")
    receipt = pay(ledger, "visits")
    assert receipt.id in spends(ledger)
    assert ledger.account("visits") == place.open().account("visits")
    ledger.verify()


def test_the_file_is_for_its_owner_alone(in_file: InFile) -> None:
    ledger = opened(in_file)
    kept = list(in_file.path.parent.iterdir())
    assert len(kept) == 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    ledger.close()


def test_a_commit_is_asked_to_be_on_disk(durable: Durable) -> None:
    ledger = opened(durable)
    store: Any = ledger._chain._store
    if isinstance(durable, InFile):
        assert store._open.execute("PRAGMA synchronous").fetchone() == (2,)
        assert store._open.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        return
    durable.execute("ALTER ROLE tester SET synchronous_commit = off")
    try:
        store.close()
        with store.transaction():
            assert store._open.execute("SHOW synchronous_commit").fetchone() == ("on",)
        assert store._open.execute("SHOW synchronous_commit").fetchone() == ("off",)
    finally:
        durable.execute("ALTER ROLE tester RESET synchronous_commit")
