"""What a curator should look at again in a policy, although it breaks no rule."""

from collections.abc import Iterator
from fractions import Fraction

from differential_privacy.cli.opening import (
    account_names,
    policy_budgets,
    seen_accounts,
)
from differential_privacy.cli.wording import numbers, words
from differential_privacy.curator import Policy
from differential_privacy.curator.accounts import Accounts
from differential_privacy.curator.drafts import names_something
from differential_privacy.curator.opening import ledger_file, open_ledger
from differential_privacy.errors import UnknownAccountError
from differential_privacy.ledger import Ledger
from differential_privacy.privacy import Spendable
from differential_privacy.sources import Engine, Kind, Table

__all__ = ["warnings_of"]

MUCH = {"epsilon": Fraction(5), "rho": Fraction(2), "delta": Fraction(1, 10**5)}
RANGED = (Kind.INTEGER, Kind.NUMBER)


def warnings_of(policy: Policy, engine: Engine) -> Iterator[str]:
    """One sentence each, with what to do; what breaks a rule is an error."""
    # In a ledger of its own, so that nothing is granted by looking.
    Accounts.opened(policy, engine, Ledger.in_memory())
    for table in policy.private:
        if table.parent is None:
            yield from _of_budget(f"tables.{table.name}", policy.budget_of(table.name))
        yield from _of_columns(table)
    for analyst in policy.analysts.values():
        yield from _of_budget(f"analysts.{analyst.name}", analyst.budget)
    if not policy.analysts:
        yield "analysts: nobody may ask yet: write [analysts.ada] and a budget"
    yield from _of_ledger(policy, engine)


def _of_budget(key: str, budget: Spendable) -> Iterator[str]:
    for name, number in numbers(budget).items():
        if number > MUCH[name]:
            shown = f"{float(number):.4g}"
            meaning = (
                "everything is told with this chance" if name == "delta" else "protects little"
            )
            yield f"{key}.budget: {name} {shown} is much: above {float(MUCH[name]):g} it {meaning}"


def _of_columns(table: Table) -> Iterator[str]:
    owners = {str(table.owner).lower()} if isinstance(table.owner, str) else set()
    endless = [
        column.name
        for column in table.columns
        if column.kind in RANGED
        and column.points is None
        and column.name.lower() not in owners
        and not names_something(column.name)
    ]
    if endless:
        listed = ", ".join(endless)
        yield f"tables.{table.name}: no range, so SUM and AVG need a CLAMP(x, low, high): {listed}"


def _of_ledger(policy: Policy, engine: Engine) -> Iterator[str]:
    """Where the policy and the ledger say different things, the smaller holds."""
    file = ledger_file(policy)
    if file is not None and not file.exists():
        return
    ledger = open_ledger(policy)
    try:
        accounts = seen_accounts(policy, engine, ledger)
        wished = policy_budgets(policy)
        for account, name in account_names(accounts).items():
            try:
                granted = ledger.account(account)
            except UnknownAccountError:
                continue
            budget = wished[name.partition("[")[0]]
            if granted.revoked:
                yield f"{name}: revoked in the ledger: `dp grant` opens it again"
            elif budget != granted.budget:
                said = f"the policy says {words(budget)}, the ledger {words(granted.budget)}"
                yield f"{name}: {said}: the smaller holds; `dp grant` records a larger one"
    finally:
        ledger.close()
