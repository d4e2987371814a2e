"""The policy: tables and what is public of them, who may ask, and how much may be spent.

Rule 1: everything here is public, and none of it was read from private rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Spendable,
)
from differential_privacy.sources import Engine, Key, Table, owner_table, root
from differential_privacy.sources.columns import checked_name

__all__ = ["Analyst", "EngineChoice", "LedgerPlace", "Policy"]

FOLDER = Path(".dp")
BUDGETS = (PureLoss, ApproximateLoss, ConcentratedLoss)


@dataclass(frozen=True, slots=True)
class Analyst:
    """Somebody who may ask: how much in all, of which tables, and for which projects a part."""

    name: str
    budget: Spendable
    tables: tuple[str, ...] = ()
    projects: Mapping[str, Spendable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_name(self.name, "analyst")
        checked_budget(self.budget, f"analysts.{self.name}.budget")
        for name, budget in self.projects.items():
            checked_name(name, "project")
            checked_budget(budget, f"analysts.{self.name}.projects.{name}")

    def __hash__(self) -> int:
        return hash((self.name, self.budget, self.tables))


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Where tables live: DuckDB in this process, a Postgres server, or Spark."""

    name: str = "duckdb"
    dsn: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.name not in ("duckdb", "postgres", "spark"):
            raise InvalidArgumentError(
                "engine", self.name, "must be one of duckdb, postgres, spark"
            )
        if self.name == "postgres" and self.dsn is None:
            raise InvalidArgumentError("dsn", None, "must be given for postgres")


@dataclass(frozen=True, slots=True)
class LedgerPlace:
    """Where the ledger is: a file, or a Postgres server; and where its anchor is."""

    path: Path | None = None
    dsn: str | None = field(default=None, repr=False)
    anchor: Path | None = None


class Opened(Protocol):
    """Makes an engine for the sources of a policy."""

    def __call__(self, policy: "Policy") -> Engine:
        """The engine, open."""


@dataclass(frozen=True, slots=True)
class Policy:
    """All that a curator says in public, checked as a whole.

    `budgets` are of tables, all analysts together; `folder` is the curator's own, for the ledger,
    the key that ranks rows, and prepared tables.
    """

    tables: Mapping[str, Table]
    budgets: Mapping[str, Spendable]
    analysts: Mapping[str, Analyst]
    engine: EngineChoice = EngineChoice()
    ledger: LedgerPlace = LedgerPlace()
    folder: Path = FOLDER
    file: str = "policy"

    def __post_init__(self) -> None:
        if not self.tables:
            raise InvalidArgumentError("tables", "none", "must name one table at least")
        for name, table in self.tables.items():
            self._check_table(name, table)
        for analyst in self.analysts.values():
            self._check_analyst(analyst)

    @property
    def private(self) -> list[Table]:
        """The tables that people own."""
        return [table for table in self.tables.values() if not table.public]

    def budget_of(self, table: str) -> Spendable:
        """The budget of a table, or of the one that it is a copy of."""
        return self.budgets[root(self.tables[table], self.tables)]

    def _check_table(self, name: str, table: Table) -> None:
        if name != table.name:
            raise InvalidArgumentError("tables", name, f"must be keyed by its name, {table.name}")
        if table.public:
            if name in self.budgets:
                rule = "must have no budget: it is public"
                raise InvalidArgumentError(f"tables.{name}.budget", self.budgets[name], rule)
            return
        self._check_owner(table)
        if table.parent is not None:
            self._check_parent(table)
        elif name not in self.budgets:
            rule = "must be given: what all analysts together may spend, as { epsilon = 3 }"
            raise InvalidArgumentError(f"tables.{name}.budget", None, rule)
        else:
            checked_budget(self.budgets[name], f"tables.{name}.budget")

    def _check_owner(self, table: Table) -> None:
        seen = [table.name]
        while isinstance(table.owner, Key):
            key = table.owner
            parent = self.tables.get(key.table)
            if parent is None or parent.public or parent.name in seen:
                rule = "must lead to a private table of this policy, and not around in a circle"
                raise InvalidArgumentError(f"tables.{table.name}.person.table", key.table, rule)
            if parent.owned_by_row:
                rule = f"must lead to a table that names its people: {parent.name} does not"
                raise InvalidArgumentError(f"tables.{table.name}.person.table", key.table, rule)
            if parent.unit != table.unit:
                rule = f"must be {parent.unit}, as of {parent.name}, whose people own the rows"
                raise InvalidArgumentError(f"tables.{table.name}.unit", table.unit, rule)
            seen.append(parent.name)
            table = parent
        owner_table(table, self.tables)

    def _check_parent(self, table: Table) -> None:
        if table.name in self.budgets:
            rule = "must be left out: a copy shares the budget of its parent"
            raise InvalidArgumentError(f"tables.{table.name}.budget", table.parent, rule)
        seen, here = {table.name}, table
        while here.parent is not None:
            known = self.tables.get(here.parent)
            if known is None or known.public or known.name in seen:
                rule = "must be a private table of this policy, and not around in a circle"
                raise InvalidArgumentError(f"tables.{table.name}.parent", here.parent, rule)
            seen.add(known.name)
            here = known

    def _check_analyst(self, analyst: Analyst) -> None:
        for name in analyst.tables:
            if name not in self.tables:
                known = ", ".join(self.tables)
                rule = f"must be tables of this policy: {known}"
                raise InvalidArgumentError(f"analysts.{analyst.name}.tables", name, rule)


def checked_budget(budget: Spendable, name: str) -> Spendable:
    """A budget in a measure that questions are priced in."""
    if not isinstance(budget, BUDGETS):
        rule = "must be a PureLoss, an ApproximateLoss or a ConcentratedLoss"
        raise InvalidArgumentError(name, budget, rule)
    return budget
