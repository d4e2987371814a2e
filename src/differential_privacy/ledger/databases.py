"""A store in the one table of a database: what all kinds of databases have in common.

Rule 1: no connection lives through an error or a fork; the next call opens another one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, TypeAlias

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger.entries import Record
from differential_privacy.ledger.store import Transaction

__all__ = ["Database", "DatabaseStore"]

Connection: TypeAlias = Any
"""That of a driver: each runs statements, and hands over rows, in the same words."""


class Database(Protocol):
    """What is a kind's own: also the mark for a value, and what begins a writer's transaction."""

    table: str
    mark: str
    begin: str
    errors: tuple[type[Exception], ...]

    def refusal(self, error: Exception) -> LedgerTamperedError | LedgerUnavailableError:
        """The error of ours that says what one of these `errors` does."""

    def connect(self) -> Connection:
        """A new connection."""

    def prepare(self, connection: Connection) -> None:
        """Makes the table where there is none, and sees that nothing could swallow its rows."""

    def place(self) -> object:
        """What the database's name leads to now."""

    def writing(self, connection: Connection) -> bool:
        """Whether a transaction is open that can be undone."""


class DatabaseStore:
    """Records in the table of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._open: Connection | None = None
        self._opened: object = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Holds the writers' lock from beginning to end."""
        with self._connected() as connection:
            connection.execute(self._database.begin)
            try:
                yield _Rows(connection, self._database)
                connection.execute("COMMIT")
            except BaseException:
                # A commit that was interrupted may have ended the transaction already.
                if self._database.writing(connection):
                    connection.execute("ROLLBACK")
                else:
                    self.close()
                raise

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers."""
        with self._connected() as connection:
            return _Rows(connection, self._database).after(sequence)

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes beside a record."""
        with self._connected() as connection:
            return _Rows(connection, self._database).attachment(sequence)

    def close(self) -> None:
        """Closes the connection."""
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """The connection; what the database refuses becomes an error of ours."""
        try:
            if self._open is not None and self._opened != self._database.place():
                # It was replaced: what is written to the old one, nobody else would see.
                self.close()
            if self._open is None:
                self._open = self._connect()
                self._opened = self._database.place()
            yield self._open
        except self._database.errors as error:
            with suppress(*self._database.errors):
                self.close()
            raise self._database.refusal(error) from error

    def _connect(self) -> Connection:
        connection = self._database.connect()
        try:
            self._database.prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection


class _Rows:
    """The table, as a connection sees it."""

    # Tables and marks are our own words; values are handed over beside the statement.
    # ruff: noqa: S608

    def __init__(self, connection: Connection, database: Database) -> None:
        self._run = connection.execute
        self._table, self._mark = database.table, database.mark

    def after(self, sequence: int) -> Sequence[Record]:
        asked = f"SELECT sequence, text, hash FROM {self._table} WHERE sequence > {self._mark}"
        rows = self._run(f"{asked} ORDER BY sequence", [sequence]).fetchall()
        return [Record(*row) for row in rows]

    def attachment(self, sequence: int) -> bytes | None:
        asked = f"SELECT attachment FROM {self._table} WHERE sequence = {self._mark}"
        found: tuple[bytes | None] | None = self._run(asked, [sequence]).fetchone()
        return found[0] if found else None

    def append(self, record: Record, attachment: bytes | None) -> None:
        marks = ", ".join([self._mark] * 4)
        row = [record.sequence, record.text, record.hash, attachment]
        self._run(f"INSERT INTO {self._table} VALUES ({marks})", row)
