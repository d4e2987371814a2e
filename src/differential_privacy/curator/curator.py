"""The curator: holds the tables of a policy, and lets analysts in by the door alone."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from differential_privacy.curator.accounts import Accounts
from differential_privacy.curator.catalog import Catalog
from differential_privacy.curator.opening import check_stored, open_engine, open_ledger
from differential_privacy.curator.policy import Policy
from differential_privacy.curator.reading import read_policy
from differential_privacy.curator.session import Session
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.ledger import Ledger
from differential_privacy.release import Door
from differential_privacy.sources import Engine, Ranks, Scanner, prepare

__all__ = ["Curator"]


class Curator:
    """Opens a policy: its engine, its ledger, its accounts.

    `policy` is the path of a `curator.toml`, or a `Policy` made in Python: the same checks hold.
    """

    def __init__(self, policy: str | Path | Policy) -> None:
        self.policy = policy if isinstance(policy, Policy) else read_policy(policy)
        with ExitStack() as opened:
            self.engine: Engine = open_engine(self.policy)
            opened.callback(self.engine.close)
            self.ledger: Ledger = open_ledger(self.policy)
            opened.callback(self.ledger.close)
            # Whoever shares the ledger ranks rows alike.
            ranks = Ranks(self.ledger.secret())
            self.catalog = Catalog(Scanner(self.policy.tables, self.engine, ranks))
            check_stored(self.policy, self.catalog.scanner)
            self.accounts = Accounts.opened(self.policy, self.engine, self.ledger)
            self._close = opened.pop_all().close

    def session(self, analyst: str, *, project: str | None = None) -> Session:
        """What an analyst of the policy can do."""
        known = self.policy.analysts
        if analyst not in known:
            rule = f"must be one of the policy's: {', '.join(known) or 'none yet'}"
            raise InvalidArgumentError("analyst", analyst, rule)
        door = Door(self.ledger, self.engine)
        return Session(known[analyst], self.accounts, self.catalog, door, project)

    def prepare(self, tables: Iterable[str] | None = None) -> list[str]:
        """Ranks the rows of tables within their owners, so that questions find them bounded."""
        named = [table.name for table in self.policy.private if not table.owned_by_row]
        wanted = named if tables is None else list(tables)
        for name in wanted:
            if name not in named:
                rule = f"must be a table whose people own several rows: {', '.join(named)}"
                raise InvalidArgumentError("table", name, rule)
            prepare(self.catalog.scanner, self.policy.tables[name])
        return wanted

    def close(self) -> None:
        """Gives back engine and ledger."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
