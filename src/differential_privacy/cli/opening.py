"""Opens what a command works on: a curator and a session, or the books of a policy alone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from differential_privacy.cli.outcomes import Unclear
from differential_privacy.curator import Curator, Policy, Session, read_policy
from differential_privacy.curator.accounts import Accounts, analyst_account
from differential_privacy.curator.lineage import Lineage
from differential_privacy.curator.opening import open_engine, open_ledger
from differential_privacy.errors import DifferentialPrivacyError, InvalidArgumentError
from differential_privacy.ledger import Account, Ledger
from differential_privacy.privacy import Spendable
from differential_privacy.queries import Plan
from differential_privacy.sources import Engine

__all__ = [
    "Books",
    "account_names",
    "opened_books",
    "opened_session",
    "paying",
    "policy_budgets",
    "seen_accounts",
]


@dataclass(frozen=True, slots=True)
class Books:
    """The ledger of a policy; `names` tells what people call its accounts."""

    policy: Policy
    ledger: Ledger
    names: Mapping[str, str]

    def label(self, account: str) -> str:
        """What people call an account."""
        return self.names.get(account, account)

    def account_of(self, called: str) -> str:
        """The account that is called so; of a table in parts, each is called `table[part]`."""
        for account, name in self.names.items():
            if called in (account, name):
                return account
        known = ", ".join(self.names.values()) or "none yet"
        raise InvalidArgumentError("account", called, f"must be one of {known}")


@contextmanager
def opened_session(
    policy: str, analyst: str | None, project: str | None
) -> Iterator[tuple[Curator, Session]]:
    """A session of the analyst, or of the only one whom the policy names."""
    with Curator(policy) as curator:
        known = list(curator.policy.analysts)
        if analyst is None and len(known) != 1:
            nobody = f"{policy} names nobody who may ask: write [analysts.ada] and a budget"
            raise Unclear(f"say who asks, by --as: {', '.join(known)}" if known else nobody)
        yield curator, curator.session(analyst or known[0], project=project)


@contextmanager
def opened_books(policy: str) -> Iterator[Books]:
    """The ledger, also where the data are not there to be read."""
    read = read_policy(policy)
    ledger = open_ledger(read)
    try:
        yield Books(read, ledger, _names(read, ledger))
    finally:
        ledger.close()


def paying(session: Session, plan: Plan) -> list[Account]:
    """The accounts that a plan is charged to, and those above them."""
    ledger = session.accounts.ledger
    payers = session.accounts.paying(plan, session.analyst, session.project)
    waiting = [*payers.tables, payers.own]
    found: dict[str, Account] = {}
    while waiting:
        account = ledger.account(waiting.pop(0))
        found[account.name] = account
        waiting += [above for above in [account.parent] if above and above not in found]
    return list(found.values())


def seen_accounts(policy: Policy, engine: Engine, ledger: Ledger) -> Accounts:
    """The accounts of a policy as its ledger has them: nothing is opened by looking."""
    lineage = Lineage(policy, engine, ledger)
    bodies = {table.name: lineage.bodies(table) for table in policy.private}
    return Accounts(policy, engine, ledger, bodies)


def account_names(accounts: Accounts) -> dict[str, str]:
    """What people call the accounts of tables and analysts."""
    names = {}
    for table in accounts.policy.private:
        if table.parent is None:
            for account in accounts.of_table(table):
                names[account] = table.name + "".join(account.partition("[")[1:])
    return names | _analyst_names(accounts.policy)


def policy_budgets(policy: Policy) -> dict[str, Spendable]:
    """The budgets that a policy states, by what people call their accounts."""
    found = dict(policy.budgets)
    for analyst in policy.analysts.values():
        found[analyst.name] = analyst.budget
        for project, budget in analyst.projects.items():
            found[f"{analyst.name}:{project}"] = budget
    return found


def _names(policy: Policy, ledger: Ledger) -> dict[str, str]:
    try:
        engine = open_engine(policy)
        try:
            return account_names(seen_accounts(policy, engine, ledger))
        finally:
            engine.close()
    except DifferentialPrivacyError:
        # An auditor has the ledger, and not the data: tables keep the names of the ledger.
        return _analyst_names(policy)


def _analyst_names(policy: Policy) -> dict[str, str]:
    names = {}
    for analyst in policy.analysts.values():
        names[analyst_account(analyst)] = analyst.name
        for project in analyst.projects:
            names[analyst_account(analyst, project)] = f"{analyst.name}:{project}"
    return names
