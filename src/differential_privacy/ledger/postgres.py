"""A ledger on a Postgres server: for teams, over many machines.

Rule 1: a commit is on the server's disk before it returns (synchronous_commit at least on).
"""

from types import ModuleType
from typing import TYPE_CHECKING

from differential_privacy.errors import (
    LedgerTamperedError,
    LedgerUnavailableError,
    MissingExtraError,
)
from differential_privacy.ledger.store import PATIENCE_SECONDS

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresServer"]

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


class PostgresServer:
    """The table `differential_privacy_ledger` of a database, made when it is not there.

    Its role needs the rights to select from the table and to insert into it, and no other: writers
    are kept apart by an advisory lock.
    """

    table = "differential_privacy_ledger"
    mark = "%s"
    begin = BEGIN

    def __init__(self, dsn: str) -> None:
        self._psycopg = _psycopg()
        self._dsn = dsn
        self.errors: tuple[type[Exception], ...] = (self._psycopg.Error,)

    def refusal(self, error: Exception) -> LedgerUnavailableError:
        """What a server says may be long and name its insides; its kind is enough."""
        return LedgerUnavailableError(f"its server: {type(error).__name__}")

    def connect(self) -> "Connection":
        """A connection that gives up on a server that does not answer."""
        opened: Connection = self._psycopg.connect(
            self._dsn,
            autocommit=True,
            prepare_threshold=None,
            client_encoding="utf8",
            connect_timeout=PATIENCE_SECONDS,
            # In milliseconds: a network that swallows what is sent is a lost one.
            tcp_user_timeout=1000 * PATIENCE_SECONDS,
        )
        return opened

    def prepare(self, connection: "Connection") -> None:
        """Makes the table once, and looks for one that does as it is told."""
        if connection.execute(PLAIN).fetchone() is None:
            connection.execute(BEGIN)
            if connection.execute(PLAIN).fetchone() is None:
                connection.execute(TABLE)
            connection.execute("COMMIT")
        if connection.execute(PLAIN).fetchone() != (True,):
            raise LedgerTamperedError("its table has rules, triggers or policies")

    def place(self) -> object:
        """One name is one server."""
        return None

    def writing(self, connection: "Connection") -> bool:
        """Whether a transaction is open, and no statement is under way."""
        status = self._psycopg.pq.TransactionStatus
        return bool(connection.info.transaction_status == status.INTRANS)


def _psycopg() -> ModuleType:
    """The driver, which only those who have a server need."""
    try:
        import psycopg  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("a ledger on Postgres", "postgres") from None
    return psycopg
