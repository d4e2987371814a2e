"""Which body of data a table is: known again when it is renamed, moved, copied or imported anew.

Rule 1: a budget hangs on the data. Where a table is, and what the beginning and the end of its
files hold, are marks; whatever has a mark that the ledger knows spends from that body's account.
Rule 2: marks are made with the ledger's secret, so that whoever reads entries or their hashes
cannot try out what the data may be.
Rule 3: a body that is parted into accounts stays parted in the same way, into the same parts.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from differential_privacy.curator.policy import Policy
from differential_privacy.errors import PolicyError
from differential_privacy.ledger import Ledger
from differential_privacy.sources import Engine, Key, Place, Table, root

__all__ = ["Lineage", "chain", "state"]

SHORT = 12


@dataclass(frozen=True, slots=True)
class Lineage:
    """Bodies of data as a ledger knows them; copied files that were packed anew are not known."""

    policy: Policy
    engine: Engine
    ledger: Ledger

    def bodies(self, table: Table) -> tuple[str, ...]:
        """The bodies that a table is, several where it was put together from known ones."""
        self._check_copies(table)
        first = self._first(table)
        marks = (*self._marks(first), *self._marks(table))
        found = [_body(name) for mark in marks for name in self.ledger.marked(mark)]
        known = tuple(dict.fromkeys(found)) or (f"data:{self._mark(self._identity(first))}",)
        self._check_parted(first, known)
        return known

    def remember(self, bodies: Mapping[str, tuple[str, ...]]) -> None:
        """Gives each body the marks that its tables have now."""
        for table in self.policy.private:
            first = self._first(table)
            for body in bodies[table.name]:
                account = self._account(first, body)
                parted = [_parted(body, first.partition), *self._parts(body, first)]
                marks = [*self._marks(first), *self._marks(table), *parted]
                for mark in dict.fromkeys(marks):
                    if account not in self.ledger.marked(mark):
                        self.ledger.mark(account, mark)
                if first.partition is not None and not self._versions(body):
                    self.ledger.mark(account, f"first of {body}")
                    self.ledger.mark(account, self._version(first, body))

    def unchanged(self, table: Table, bodies: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether a table, and what is said of it, are as they were when its parts were opened."""
        return all(self.ledger.marked(self._version(table, body)) for body in bodies[table.name])

    def _version(self, table: Table, body: str) -> str:
        now = state(table, self.policy.tables, self.engine)
        return f"version {self._mark(now)} of {body}"

    def _mark(self, text: str) -> str:
        return _digest(text, self.ledger.secret())

    def _versions(self, body: str) -> tuple[str, ...]:
        return self.ledger.marked(f"first of {body}")

    def _first(self, table: Table) -> Table:
        return self.policy.tables[root(table, self.policy.tables)]

    def _identity(self, table: Table) -> str:
        """Where it is; of a frame, which is nowhere, nothing lasts but what the policy calls it."""
        if isinstance(table.source, Place):
            return self.engine.identity(table.source)
        return f"frame named {table.name}"

    def _account(self, table: Table, body: str) -> str:
        """An account of the body that is open."""
        if table.partition is None:
            return body
        categories = table.column(table.partition).categories or ()
        return f"{body}[{categories[0]}]"

    def _marks(self, table: Table) -> list[str]:
        """Where it is, and what it holds, file by file."""
        pieces = [piece for piece, _ in self.engine.parts(table.source)] or [table.source]
        held = [self.engine.fingerprint(piece) for piece in pieces]
        return [
            f"at {self._mark(self._identity(table))}",
            *(f"holds {self._mark(mark)}" for mark in held if mark is not None),
        ]

    def _check_copies(self, table: Table) -> None:
        """Two tables of one policy with the same bytes must say which is a copy of which."""
        mine = set(self._marks(table))
        for other in self.policy.private:
            if self._first(other) == self._first(table) or not mine & set(self._marks(other)):
                continue
            rule = f"is, or holds, the same data as {other.name}: write parent = {other.name!r}"
            raise PolicyError(self.policy.file, f"tables.{table.name}", rule)

    def _check_parted(self, table: Table, bodies: tuple[str, ...]) -> None:
        rule = "must stay as it was when this data was first asked: its accounts hang on it"
        for body in bodies:
            known = [self.ledger.marked(_parted(body, name)) for name in self._partings(table)]
            if any(known) and not self.ledger.marked(_parted(body, table.partition)):
                raise PolicyError(self.policy.file, f"tables.{table.name}.partition", rule)
            if any(known) and not all(map(self.ledger.marked, self._parts(body, table))):
                key = f"tables.{table.name}.columns.{table.partition}.categories"
                raise PolicyError(self.policy.file, key, rule)

    def _parts(self, body: str, table: Table) -> list[str]:
        """A mark of the parts, in order: who is in none of them is in the first."""
        if table.partition is None:
            return []
        named = repr(table.column(table.partition).categories)
        return [f"parts {self._mark(named)} of {body}"]

    def _partings(self, table: Table) -> list[str | None]:
        return [None, *(column.name for column in table.columns)]


def chain(table: Table, tables: Mapping[str, Table]) -> list[Table]:
    """A table, and those that are read to find whose its rows are: its foreign keys lead there."""
    found = [table]
    while isinstance(key := found[-1].owner, Key):
        found.append(tables[key.table])
    return found


def state(table: Table, tables: Mapping[str, Table], engine: Engine) -> str:
    """The versions of all data that a scan of a table reads, and what is said of them."""
    return " ".join(
        f"{engine.version(one.source)} {one.columns} {one.owner}" for one in chain(table, tables)
    )


def _parted(body: str, column: str | None) -> str:
    return f"{body} parted by {column or 'nothing'}"


def _body(account: str) -> str:
    """The body that an account, or the account of a part, is of."""
    return account.partition("[")[0]


def _digest(text: str, key: bytes) -> str:
    return hashlib.blake2b(text.encode(), key=key, digest_size=SHORT).hexdigest()
