"""A ledger on a Postgres server: for teams, over many machines.

Rule 1: a commit is on the server's disk before it returns (synchronous_commit at least on).
Rule 2: no connection lives through an error or a fork; the next call opens another one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from differential_privacy.errors import (
    LedgerTamperedError,
    LedgerUnavailableError,
    MissingExtraError,
)
from differential_privacy.ledger.entries import Record
from differential_privacy.ledger.store import PATIENCE_SECONDS, Transaction

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresStore"]

TABLE = """
    CREATE TABLE differential_privacy_ledger (
        sequence bigint PRIMARY KEY, text text NOT NULL, hash text NOT NULL, attachment bytea)
"""
PLAIN = """
    SELECT relkind = 'r' AND NOT relhasrules AND NOT relrowsecurity AND NOT EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid)
    FROM pg_class WHERE oid = to_regclass('differential_privacy_ledger')
"""
LOCK = int.from_bytes(b"dpledge")
BEGIN = f"""
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SET LOCAL lock_timeout = '{PATIENCE_SECONDS}s';
    SET LOCAL idle_in_transaction_session_timeout = '{PATIENCE_SECONDS}s';
    SELECT set_config('synchronous_commit', 'on', true)
        WHERE current_setting('synchronous_commit') IN ('off', 'local');
    SELECT pg_advisory_xact_lock({LOCK})
"""


class PostgresStore:
    """Records in the table `differential_privacy_ledger` of a database, made when it is not there.

    Its role needs the rights to select from the table and to insert into it, and no other: writers
    are kept apart by an advisory lock.
    """

    def __init__(self, dsn: str) -> None:
        self._psycopg = _psycopg()
        self._dsn = dsn
        self._open: Connection | None = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Holds the writers' lock from beginning to end."""
        with self._connected() as connection:
            connection.execute(BEGIN)
            try:
                yield _Rows(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.info.transaction_status == self._psycopg.pq.TransactionStatus.INTRANS:
                    connection.execute("ROLLBACK")
                else:
                    # The server ends the transaction of whoever leaves.
                    self.close()
                raise

    def after(self, sequence: int) -> Sequence[Record]:
        """The records with larger numbers."""
        with self._connected() as connection:
            return _Rows(connection).after(sequence)

    def attachment(self, sequence: int) -> bytes | None:
        """The bytes beside a record."""
        asked = "SELECT attachment FROM differential_privacy_ledger WHERE sequence = %s"
        with self._connected() as connection:
            found = connection.execute(asked, [sequence]).fetchone()
        return found[0] if found else None

    def close(self) -> None:
        """Closes the connection."""
        connection, self._open = self._open, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _connected(self) -> Iterator["Connection"]:
        """The connection; what the server or the network refuses becomes an error of ours."""
        try:
            if self._open is None:
                self._open = self._connect()
            yield self._open
        except self._psycopg.Error as error:
            self.close()
            # What a server says may be long and name its insides; its kind is enough.
            raise LedgerUnavailableError(f"its server: {type(error).__name__}") from error

    def _connect(self) -> "Connection":
        connection: Connection = self._psycopg.connect(
            self._dsn,
            autocommit=True,
            prepare_threshold=None,
            client_encoding="utf8",
            connect_timeout=PATIENCE_SECONDS,
            # In milliseconds: a network that swallows what is sent is a lost one.
            tcp_user_timeout=1000 * PATIENCE_SECONDS,
        )
        try:
            if connection.execute(PLAIN).fetchone() is None:
                connection.execute(BEGIN)
                if connection.execute(PLAIN).fetchone() is None:
                    connection.execute(TABLE)
                connection.execute("COMMIT")
            _check_table(connection)
        except BaseException:
            connection.close()
            raise
        return connection


class _Rows:
    """The table, within a transaction."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection

    def after(self, sequence: int) -> Sequence[Record]:
        asked = """
            SELECT sequence, text, hash FROM differential_privacy_ledger
            WHERE sequence > %s ORDER BY sequence
        """
        return [Record(*row) for row in self._connection.execute(asked, [sequence])]

    def append(self, record: Record, attachment: bytes | None) -> None:
        self._connection.execute(
            "INSERT INTO differential_privacy_ledger VALUES (%s, %s, %s, %s)",
            [record.sequence, record.text, record.hash, attachment],
        )


def _check_table(connection: "Connection") -> None:
    """Looks for a table that does as it is told: a trigger could swallow what is written."""
    if connection.execute(PLAIN).fetchone() != (True,):
        raise LedgerTamperedError("its table has rules, triggers or policies")


def _psycopg() -> ModuleType:
    """The driver, which only those who have a server need."""
    try:
        import psycopg  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("a ledger on Postgres", "postgres") from None
    return psycopg
