"""A ledger in one SQLite file: for one machine, however many processes.

Rule 1: a commit is on disk before it returns (write-ahead log, synchronous = FULL).
Rule 2: the file is its owner's alone (mode 0600).
Rule 3: no connection lives through a fork; the ledger closes it before.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger.entries import Record
from differential_privacy.ledger.store import PATIENCE_SECONDS, Transaction

__all__ = ["SQLiteStore"]

TABLE = (
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL, "
    "hash TEXT NOT NULL, attachment BLOB) STRICT"
)


class SQLiteStore:
    """Records in the one table of a file of this name, made when it is not there."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()
        self._open: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Holds SQLite's write lock from beginning to end."""
        with self._connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield _Rows(connection)
                connection.execute("COMMIT")
            except BaseException:
                # A commit that was interrupted may have ended the transaction already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers."""
        with self._connected() as connection:
            return _Rows(connection).after(sequence)

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes beside a record."""
        asked = "SELECT attachment FROM entries WHERE sequence = ?"
        with self._connected() as connection:
            found = connection.execute(asked, [sequence]).fetchone()
        return found[0] if found else None

    def close(self) -> None:
        """Closes the file."""
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection; what SQLite refuses becomes an error of ours, and it starts anew."""
        try:
            if self._open is not None and self._opened != self._place():
                # The file was replaced: what is written to the old one, nobody else would see.
                self.close()
            if self._open is None:
                self._open = self._connect()
                self._opened = self._place()
            yield self._open
        except (sqlite3.Error, OSError) as error:
            with suppress(sqlite3.Error):
                self.close()
            # SQLite says so of a file that is torn or none of its own, and of nothing else.
            torn = type(error) is sqlite3.DatabaseError
            kind = LedgerTamperedError if torn else LedgerUnavailableError
            raise kind(f"its file: {error}") from error

    def _place(self) -> tuple[int, int] | None:
        """Which file has the name now."""
        with suppress(FileNotFoundError):
            found = self._path.stat()
            return (found.st_dev, found.st_ino)
        return None

    def _connect(self) -> sqlite3.Connection:
        if self._place() is None:
            self._create()
        connection = sqlite3.connect(
            f"{self._path.as_uri()}?mode=rw",
            uri=True,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA synchronous = FULL")
            # Where an fsync may stop at the drive's cache, as on macOS, this goes on to the drive.
            connection.execute("PRAGMA fullfsync = ON")
            _check_layout(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _create(self) -> None:
        """Makes the whole file under another name, so that nobody ever opens half of it."""
        handle, name = tempfile.mkstemp(prefix=f"{self._path.name}.", dir=self._path.parent)
        os.close(handle)
        try:
            with closing(sqlite3.connect(name, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(TABLE)
            # Whoever was first has made it.
            with suppress(FileExistsError):
                os.link(name, self._path)
        finally:
            Path(name).unlink()


class _Rows:
    """The table, within a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def after(self, sequence: int) -> Sequence[Record]:
        asked = "SELECT sequence, text, hash FROM entries WHERE sequence > ? ORDER BY sequence"
        return [Record(*row) for row in self._connection.execute(asked, [sequence])]

    def append(self, record: Record, attachment: bytes | None) -> None:
        self._connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?)",
            [record.sequence, record.text, record.hash, attachment],
        )


def _check_layout(connection: sqlite3.Connection) -> None:
    """Looks for the one table alone: a trigger or a view could swallow what is written."""
    if connection.execute("SELECT sql FROM sqlite_schema").fetchall() != [(TABLE,)]:
        raise LedgerTamperedError("its file holds more, or less, than its one table")
