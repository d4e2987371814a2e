"""Which accounts of the ledger pay for a question, and which data it was asked of.

Rule 1: a question pays from the account of each table that it reads, and from the analyst's own;
it reads the tables that it names, and those that tell whose their rows are.
Rule 2: of what the policy says and what the ledger granted, the smaller holds, for all processes.

Theorem: where a public column parts the people of a table, each person's rows are in one part, so
what is asked of some parts costs the people of the others nothing: each part has an account.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from differential_privacy.curator.lineage import Lineage, chain, state
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
from differential_privacy.sources import Engine, Table, root

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
        """Opens what the policy names; where it says less than the ledger, lowers that.

        Where it says more, or counts in another measure, it is refused, and nothing is changed.
        """
        lineage = Lineage(policy, engine, ledger)
        bodies = {table.name: lineage.bodies(table) for table in policy.private}
        accounts = Accounts(policy, engine, ledger, bodies)
        stated = list(accounts._stated())
        for one in stated:
            accounts._check(one)
        for one in stated:
            accounts._open(one)
        lineage.remember(accounts.bodies)
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
        named = [self.policy.tables[name] for name in sorted(plan.tables)]
        tables = [name for table in named for name in self._read_parts(table, plan)]
        # Whose a row is may be told by anybody's row there: by those of all parts.
        tables += [
            name
            for table in named
            for one in chain(table, self.policy.tables)[1:]
            for name in self.of_table(one)
        ]
        own = analyst_account(analyst, project)
        return Payers(tuple(dict.fromkeys(tables)), own, analyst.name)

    def budgets(
        self, tables: frozenset[str], analyst: Analyst, project: str | None
    ) -> list[Spendable]:
        """The budgets that pay for a question about these tables."""
        known = self.policy.tables
        names = {self.of_table(one)[0] for name in tables for one in chain(known[name], known)}
        names |= {analyst_account(analyst), analyst_account(analyst, project)}
        return [self.ledger.account(name).budget for name in sorted(names)]

    def data(self, plan: Plan) -> str:
        """The versions of all data that a plan reads, public tables too, and what is said of them.

        Owners that are found through other tables change with these.
        """
        known = self.policy.tables
        return " ".join(state(known[name], known, self.engine) for name in sorted(plan.asked.read))

    def named(self, error: BudgetExceededError) -> BudgetExceededError:
        """The same refusal, with an account of data called by the table that it is of."""
        owners = [name for name, bodies in self.bodies.items() if _body_of(error.account) in bodies]
        account = f"table {owners[0]}, all analysts together" if owners else error.account
        return BudgetExceededError(
            needed=error.needed, spent=error.spent, budget=error.budget, account=account
        )

    def _read_parts(self, table: Table, plan: Plan) -> list[str]:
        """The accounts of the parts that a plan reads; all, unless it names some.

        Parts are told apart only as long as the data, and what chooses one row of each person, stay
        as they were when they were opened: a person who moved could else have spent in two of them.
        For the same reason a copy, which may be parted otherwise, pays as a whole.
        """
        lineage = Lineage(self.policy, self.engine, self.ledger)
        if table.partition is None or table.parent is not None:
            return self.of_table(table)
        named = plan.asked.pinned(table.name, table.partition)
        if not named or not lineage.unchanged(table, self.bodies):
            return self.of_table(table)
        parts = table.column(table.partition).categories or ()
        return self.of_table(table, [part for part in parts if part in named])

    def _stated(self) -> Iterator["Stated"]:
        """What the policy says of each account; those that are above others come first."""
        for table in self.policy.private:
            budget = self.policy.budget_of(table.name)
            for name in self.of_table(table):
                yield Stated(f"tables.{table.name}.budget", name, budget)
        for analyst in self.policy.analysts.values():
            key, name = f"analysts.{analyst.name}", analyst_account(analyst)
            yield Stated(f"{key}.budget", name, analyst.budget)
            for project, budget in analyst.projects.items():
                part = analyst_account(analyst, project)
                yield Stated(f"{key}.projects.{project}.budget", part, budget, parent=name)

    def _granted(self, stated: "Stated") -> Spendable | None:
        try:
            return self.ledger.account(stated.account).budget
        except UnknownAccountError:
            return None

    def _check(self, stated: "Stated") -> None:
        granted = self._granted(stated)
        if granted is None:
            return
        if type(granted) is not type(stated.budget):
            rule = f"must stay in the measure of what the ledger granted: {granted}"
            raise PolicyError(self.policy.file, stated.key, rule)
        if not stated.budget.within(granted):
            rule = f"is more than the ledger grants, {granted}: `dp grant` records a larger one"
            raise PolicyError(self.policy.file, stated.key, rule)

    def _open(self, stated: "Stated") -> None:
        granted = self._granted(stated)
        if granted is None:
            self.ledger.open_account(stated.account, stated.budget, parent=stated.parent)
        elif granted != stated.budget:
            why = f"{stated.key} says so"
            self.ledger.lower(stated.account, stated.budget, who="the policy", why=why)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a policy says, under a key, that one account may spend."""

    key: str
    account: str
    budget: Spendable
    parent: str | None = None


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
