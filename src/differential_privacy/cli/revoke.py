"""`dp revoke`: nothing more may be spent from an account."""

import click

from differential_privacy.cli import options
from differential_privacy.cli.opening import opened_books
from differential_privacy.cli.showing import agreed, fields, is_terminal, meter, show, show_json
from differential_privacy.errors import InvalidArgumentError, UnknownAccountError

__all__ = ["command"]


@click.command("revoke", epilog=options.examples("dp revoke ada", "dp revoke visits --yes"))
@click.argument("account")
@click.option("--yes", is_flag=True, help="Do not ask whether to revoke it.")
@options.policy
@options.as_json
def command(
    *,
    account: str,
    yes: bool,
    policy: str,
    in_json: bool,
) -> None:
    """Let nothing more be spent from ACCOUNT: an analyst, analyst:project, or table.

    Answers that were paid for stay free. `dp grant` opens the account again.
    """
    with opened_books(policy) as books:
        name = books.account_of(account)
        if is_terminal() and not yes:
            agreed(f"Let nothing more be spent from {account}?")
        try:
            books.ledger.revoke(name)
        except UnknownAccountError:
            rule = f"has asked or answered nothing yet: take it out of {policy}"
            raise InvalidArgumentError("account", account, rule) from None
        if in_json:
            show_json({"account": books.label(name), "revoked": True})
        else:
            show(fields([(books.label(name), meter(books.ledger.account(name)))]))
