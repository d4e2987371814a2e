"""`dp grant`: a larger budget, for good, in the ledger."""

from dataclasses import replace

import click

from differential_privacy.cli import options
from differential_privacy.cli.opening import opened_books, policy_budgets
from differential_privacy.cli.showing import (
    agreed,
    fields,
    is_terminal,
    meter,
    note,
    show,
    show_json,
)
from differential_privacy.cli.wording import budget_of, meaning, words
from differential_privacy.errors import InvalidArgumentError, UnknownAccountError
from differential_privacy.ledger import as_json

__all__ = ["command"]


@click.command(
    "grant",
    epilog=options.examples(
        "dp grant ada --epsilon 2 --delta 1e-6",
        "dp grant visits --rho 0.5",
        "dp grant ada:trial --epsilon 1 --yes",
    ),
)
@click.argument("account")
@options.budget
@click.option("--yes", is_flag=True, help="Do not ask whether to grant it.")
@options.policy
@options.as_json
def command(
    *,
    account: str,
    epsilon: str | None,
    delta: str | None,
    rho: str | None,
    yes: bool,
    policy: str,
    in_json: bool,
) -> None:
    """Give ACCOUNT (an analyst, analyst:project, or table) this budget in place of its own.

    What is spent stays spent. A revoked account is open again.
    """
    budget = budget_of(epsilon, delta, rho)
    with opened_books(policy) as books:
        name = books.account_of(account)
        try:
            before = books.ledger.account(name)
        except UnknownAccountError:
            rule = f"has asked or answered nothing yet: write its budget in {policy}"
            raise InvalidArgumentError("account", account, rule) from None
        # What is wrong with it is told with the name that was typed.
        replace(before, name=account).granted(budget)
        if is_terminal() and not yes:
            told = [("was", words(before.budget)), ("will be", words(budget))]
            note(fields([*told, ("meaning", meaning(budget))]))
            agreed("Grant it?")
        books.ledger.grant(name, budget)
        after = books.ledger.account(name)
        if in_json:
            show_json({"account": books.label(name), "budget": as_json([after.budget])})
            return
        show(fields([(books.label(name), meter(after))]))
        stated = policy_budgets(books.policy).get(books.label(name).partition("[")[0])
        if stated != after.budget:
            note(f"write it in {policy}, too: the smaller of both holds")
