"""Worlds: one policy over data that were made up, with a door whose noise comes from a tape.

Rule 1: two worlds of one name rank rows alike and draw the same noise, so that whatever differs
between them comes from the data.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from differential_privacy.audit.tape import Tape
from differential_privacy.curator import Accounts, Catalog, Policy, Session
from differential_privacy.curator.opening import check_stored
from differential_privacy.ledger import Ledger
from differential_privacy.release import Door
from differential_privacy.sources import Cell, DuckDB, Engine, Ranks, Scanner, Table
from differential_privacy.sources.trees import Query

__all__ = ["World", "world"]

NAME = "a world"


@dataclass(slots=True)
class Watched:
    """An engine of which every query is taken down; sources are shown by the names of tables."""

    engine: Engine
    tables: Mapping[str, Table]
    queries: list[str] = field(default_factory=list)

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        """Runs it, and notes what was run."""
        self.queries.append(self.written(query))
        return self.engine.run(query)

    def written(self, query: Query) -> str:
        """What is run, without the places where a world keeps its data."""
        text = self.engine.written(query)
        for name, table in self.tables.items():
            text = text.replace(self.engine.stored(table.source, name).text, name)
        return text

    def __getattr__(self, name: str) -> object:
        found: object = getattr(self.engine, name)
        return found


@dataclass(frozen=True, slots=True)
class World:
    """A session over one body of data, and what it does: queries, draws, entries."""

    session: Session
    ledger: Ledger
    tape: Tape
    queries: list[str]


@contextmanager
def world(
    policy: Policy, data: Mapping[str, object], *, analyst: str, name: str = NAME
) -> Iterator[World]:
    """The policy over these sources in the place of its private tables, in DuckDB, in memory.

    `data` has a frame or a `Place` for each private table; public tables stay as they are.
    """
    tables = {
        table.name: replace(table, source=data.get(table.name, table.source))
        for table in policy.tables.values()
    }
    made = replace(policy, tables=tables)
    with TemporaryDirectory() as folder:
        engine = DuckDB([table.source for table in tables.values()], folder=Path(folder))
        try:
            ledger = Ledger.in_memory()
            watched = Watched(engine, tables)
            stands_in = cast("Engine", watched)
            ranks = Ranks(hashlib.blake2b(name.encode(), digest_size=32).digest())
            catalog = Catalog(Scanner(tables, stands_in, ranks))
            check_stored(made, catalog.scanner)
            accounts = Accounts.opened(made, stands_in, ledger)
            tape = Tape(name)
            door = Door(ledger, stands_in, tape)
            session = Session(made.analysts[analyst], accounts, catalog, door)
            yield World(session, ledger, tape, watched.queries)
        finally:
            engine.close()
