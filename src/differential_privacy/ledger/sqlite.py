"""A ledger in one SQLite file: for one machine, however many processes.

Rule 1: a commit is on disk before it returns (write-ahead log, synchronous = FULL).
Rule 2: the file is its owner's alone (mode 0600).
"""

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger.store import PATIENCE_SECONDS

__all__ = ["SQLiteFile"]

TABLE = (
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, text TEXT NOT NULL, "
    "hash TEXT NOT NULL, attachment BLOB) STRICT"
)


class SQLiteFile:
    """The file of this name, made when it is not there; one writer at a time holds its lock."""

    table = "entries"
    mark = "?"
    begin = "BEGIN IMMEDIATE"
    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()

    def refusal(self, error: Exception) -> LedgerTamperedError | LedgerUnavailableError:
        """Of a file that is torn or none of its own SQLite says so, and of nothing else."""
        torn = type(error) is sqlite3.DatabaseError
        kind = LedgerTamperedError if torn else LedgerUnavailableError
        return kind(f"its file: {error}")

    def connect(self) -> sqlite3.Connection:
        """A connection that any thread may use, one at a time."""
        if self.place() is None:
            self._create()
        return sqlite3.connect(
            f"{self._path.as_uri()}?mode=rw",
            uri=True,
            timeout=PATIENCE_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Has commits reach the disk; a trigger or a view could swallow what is written."""
        connection.execute("PRAGMA synchronous = FULL")
        # Where an fsync may stop at the drive's cache, as on macOS, this goes on to the drive.
        connection.execute("PRAGMA fullfsync = ON")
        if connection.execute("SELECT sql FROM sqlite_schema").fetchall() != [(TABLE,)]:
            raise LedgerTamperedError("its file holds more, or less, than its one table")

    def place(self) -> object:
        """Which file has the name now."""
        with suppress(FileNotFoundError):
            found = self._path.stat()
            return (found.st_dev, found.st_ino)
        return None

    def writing(self, connection: sqlite3.Connection) -> bool:
        """Whether a transaction is open."""
        return connection.in_transaction

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
