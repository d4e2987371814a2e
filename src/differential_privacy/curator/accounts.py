"""Which accounts of the ledger pay for a question, and which data it was asked of.

Rule 1: a question pays from the account of each table that it reads, and from the analyst's own.

Theorem: where a public column parts the people of a table, each person's rows are in one part, so
what is asked of some parts costs the people of the others nothing: each part has an account.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from differential_privacy.curator.lineage import Lineage, unchanged
from differential_privacy.curator.policy import Analyst, Policy
from differential_privacy.errors import (
    BudgetExceededError,
    InvalidArgumentError,
    PolicyError,
    UnknownAccountError,
)
from differential_privacy.ledger import Ledger, Parts
from differential_privacy.privacy import Spendable
from differential_privacy.queries import Plan
from differential_privacy.release import Payers
from differential_privacy.sources import Engine, Key, Table, root

__all__ = ["Accounts", "analyst_account"]


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts of one policy in its ledger; `bodies` are those of data behind each table."""

    policy: Policy
    engine: Engine
    ledger: Ledger
    bodies: Mapping[str, tuple[str, ...]]

    @staticmethod
    def opened(policy: Policy, engine: Engine, ledger: Ledger) -> "Accounts":
        """Opens what the policy names, and sees that the ledger grants as much as it says."""
        lineage = Lineage(policy, engine, ledger)
        bodies = {table.name: lineage.bodies(table) for table in policy.private}
        accounts = Accounts(policy, engine, ledger, bodies)
        for table in policy.private:
            budget = policy.budget_of(table.name)
            for name in accounts.of_table(table):
                accounts._open(name, budget, f"tables.{table.name}")
        lineage.remember(accounts.bodies)
        for analyst in policy.analysts.values():
            key, name = f"analysts.{analyst.name}", analyst_account(analyst)
            accounts._open(name, analyst.budget, key)
            for project, budget in analyst.projects.items():
                part = analyst_account(analyst, project)
                accounts._open(part, budget, f"{key}.projects.{project}", parent=name)
        return accounts

    def of_table(self, table: Table, parts: Sequence[str] = ()) -> list[str]:
        """The accounts of a table: one for each body of data, or for each part of its people."""
        first = self.policy.tables[root(table, self.policy.tables)]
        bodies = self.bodies[table.name]
        if first.partition is None:
            return list(bodies)
        known = first.column(first.partition).categories or ()
        return [name for body in bodies for name in Parts(body, known).accounts(*parts)]

    def paying(self, plan: Plan, analyst: Analyst, project: str | None) -> Payers:
        """Who pays for a plan."""
        tables = [
            name
            for table in sorted(plan.tables)
            for name in self._read_parts(self.policy.tables[table], plan)
        ]
        own = analyst_account(analyst, project)
        return Payers(tuple(dict.fromkeys(tables)), own, analyst.name)

    def budgets(
        self, tables: frozenset[str], analyst: Analyst, project: str | None
    ) -> list[Spendable]:
        """The budgets that pay for a question about these tables."""
        names = {self.of_table(self.policy.tables[name])[0] for name in tables}
        names |= {analyst_account(analyst), analyst_account(analyst, project)}
        return [self.ledger.account(name).budget for name in sorted(names)]

    def data(self, plan: Plan) -> str:
        """The versions of all data that a plan reads, public tables too, and what is said of them.

        Owners that are found through other tables change with these.
        """
        read = sorted(plan.asked.read)
        return " ".join(self._state(self.policy.tables[name]) for name in read)

    def _state(self, table: Table) -> str:
        said = f"{self.engine.version(table.source)} {table.columns} {table.owner}"
        if isinstance(table.owner, Key):
            return f"{said} {self._state(self.policy.tables[table.owner.table])}"
        return said

    def named(self, error: BudgetExceededError) -> BudgetExceededError:
        """The same refusal, with an account of data called by the table that it is of."""
        owners = [name for name, bodies in self.bodies.items() if _body_of(error.account) in bodies]
        account = f"table {owners[0]}, all analysts together" if owners else error.account
        return BudgetExceededError(
            needed=error.needed, spent=error.spent, budget=error.budget, account=account
        )

    def _read_parts(self, table: Table, plan: Plan) -> list[str]:
        """The accounts of the parts that a plan reads; all, unless it names some.

        Parts are told apart only as long as the data stay as they were when they were opened: a
        person who moved could else have spent in two of them.
        """
        named = None
        if table.partition is not None and unchanged(self.ledger, self.engine, self.bodies, table):
            named = plan.asked.pinned(table.name, table.partition)
        if table.partition is None or not named:
            return self.of_table(table)
        parts = table.column(table.partition).categories or ()
        return self.of_table(table, [part for part in parts if part in named])

    def _open(self, name: str, budget: Spendable, key: str, *, parent: str | None = None) -> None:
        try:
            granted = self.ledger.account(name).budget
        except UnknownAccountError:
            self.ledger.open_account(name, budget, parent=parent)
            return
        if type(granted) is not type(budget):
            rule = f"must stay in the measure of what the ledger granted: {granted}"
            raise PolicyError(self.policy.file, f"{key}.budget", rule)
        if not budget.within(granted):
            rule = f"is more than the ledger grants, {granted}: `dp grant` records a larger one"
            raise PolicyError(self.policy.file, f"{key}.budget", rule)


def _body_of(account: str | None) -> str:
    return (account or "").partition("[")[0]


def analyst_account(analyst: Analyst, project: str | None = None) -> str:
    """The account of an analyst, or of one of their projects."""
    if project is None:
        return f"analyst:{analyst.name}"
    if project not in analyst.projects:
        known = ", ".join(analyst.projects) or "none"
        raise InvalidArgumentError("project", project, f"must be one of {analyst.name}'s: {known}")
    return f"analyst:{analyst.name}:{project}"
