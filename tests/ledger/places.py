"""Places of ledgers, and processes that use them and may be killed."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol

import psycopg

from differential_privacy.ledger import (
    Certificates,
    DatabaseStore,
    Ledger,
    MemoryStore,
    NoAnchor,
    PostgresServer,
    Receipt,
    SQLiteFile,
    Store,
)
from differential_privacy.privacy import PureLoss


class Place(Protocol):
    """One ledger; each opening is that of another process."""

    def store(self) -> Store: ...

    def open(self) -> Ledger: ...


class Durable(Place, Protocol):
    """A ledger whose rows somebody else may reach."""

    anchor: Path

    def execute(self, statement: str) -> None: ...


class InMemory:
    def __init__(self) -> None:
        self._store = MemoryStore()

    def store(self) -> Store:
        return self._store

    def open(self) -> Ledger:
        return Ledger(self._store, NoAnchor())


class InFile:
    """In an SQLite file; `entries` in a statement is its table."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger.db"
        self.anchor = folder / "ledger.db.anchor"

    def store(self) -> Store:
        return DatabaseStore(SQLiteFile(self.path))

    def open(self) -> Ledger:
        return Ledger.in_file(self.path)

    def execute(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute(statement)


class OnServer:
    """On a Postgres server; `entries` in a statement is its table."""

    def __init__(self, folder: Path, dsn: str) -> None:
        self.dsn = dsn
        self.anchor = folder / "server.anchor"

    def store(self) -> Store:
        return DatabaseStore(PostgresServer(self.dsn))

    def open(self) -> Ledger:
        return Ledger.on_server(self.dsn, anchor=self.anchor)

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(statement.replace("entries", "differential_privacy_ledger"))


def pay(ledger: Ledger, *accounts: str, epsilon: object = "0.1", **what: object) -> Receipt:
    return ledger.spend(accounts, Certificates(PureLoss(epsilon)), who="ada", what=what)


def forked(act: Callable[[Callable[[str], None]], None]) -> "Child":
    """A process of its own that does this, and tells lines of text."""
    read_end, write_end = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(read_end)
            act(lambda line: write(write_end, line))
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    return Child(process, read_end)


def write(end: int, line: str) -> None:
    os.write(end, f"{line}\n".encode())


class Child:
    """A process that was started, and what it was told."""

    def __init__(self, process: int, end: int) -> None:
        self.process = process
        self.pipe = os.fdopen(end, encoding="utf-8")

    def lines(self) -> list[str]:
        """All that it tells until it ends; a line that a kill tore is none."""
        with self.pipe:
            return [line.strip() for line in self.pipe if line.endswith("\n")]

    def ended(self) -> int:
        """The status it ended with, negative for a signal."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
