"""`dp ledger`: what was spent, by whom and of what; whether the ledger checks out."""

import json
from collections.abc import Sequence

import click

from differential_privacy.cli import options
from differential_privacy.cli.lines import plain
from differential_privacy.cli.opening import Books, opened_books
from differential_privacy.cli.showing import Look, columns, fields, meter, note, show, show_json
from differential_privacy.cli.wording import words
from differential_privacy.ledger import (
    Account,
    Entry,
    Kind,
    as_json,
    csv_table,
    from_json,
    json_lines,
)
from differential_privacy.privacy import Spendable

__all__ = ["command"]

SHOWN = 20
LONGEST = 32
MINUTES = len("2026-11-20 12:00")
DONE = {
    Kind.OPEN: "opened",
    Kind.GRANT: "granted",
    Kind.LOWER: "lowered",
    Kind.REVOKE: "revoked",
}


@click.command(
    "ledger",
    epilog=options.examples(
        "dp ledger",
        "dp ledger --account ada",
        "dp ledger --verify",
        "dp ledger --export csv > ledger.csv",
    ),
)
@click.option("--account", help="Only of this table, analyst, or analyst:project.")
@click.option("--verify", is_flag=True, help="Check every entry and answer from the first on.")
@click.option("--export", type=click.Choice(["json", "csv"]), help="Write all entries.")
@options.policy
@options.as_json
def command(
    *,
    account: str | None,
    verify: bool,
    export: str | None,
    policy: str,
    in_json: bool,
) -> None:
    """Show what was spent and what is left; verify it; export it.

    It needs the policy and the ledger, and not the data. The export is one JSON object a line, with
    all that is needed to verify it elsewhere, or a table for a spreadsheet.
    """
    with opened_books(policy) as books:
        if verify:
            _verify(books, in_json=in_json)
            return
        statement = books.ledger.statement(account and books.account_of(account))
        if export is not None:
            write = {"json": json_lines, "csv": csv_table}[export]
            click.echo(write(statement.entries), nl=False)
        elif in_json:
            show_json(
                {
                    "accounts": [_account(books, one) for one in statement.accounts],
                    "entries": [json.loads(line) for line in _lines(statement.entries)],
                }
            )
        else:
            _show(books, statement.accounts, statement.entries)


def _verify(books: Books, *, in_json: bool) -> None:
    found = books.ledger.verify()
    if in_json:
        show_json(
            {
                "verified": True,
                "entries": found.entries,
                "answers": found.answers,
                "head": {"sequence": found.head.sequence, "hash": found.head.hash},
            }
        )
        return
    show(
        fields(
            [
                ("verified", f"{found.entries} entries and {found.answers} answers"),
                ("head", f"entry {found.head.sequence}"),
                ("hash", found.head.hash),
            ]
        )
    )


def _show(books: Books, accounts: Sequence[Account], entries: Sequence[Entry]) -> None:
    if not accounts:
        note("nothing yet: accounts are opened when the first question is planned or asked")
        return
    show(fields((books.label(one.name), meter(one)) for one in accounts), "")
    told = [entry for entry in entries if entry.kind in DONE or entry.kind is Kind.SPEND]
    heads = ("entry", "time (UTC)", "who", "what", "cost, budget")
    show(columns(heads, (_row(books, one, accounts) for one in told[-SHOWN:]), right="r"))
    if len(told) > SHOWN:
        note(f"and {len(told) - SHOWN} entries before: --export json writes all")


def _row(books: Books, entry: Entry, accounts: Sequence[Account]) -> Sequence[Look]:
    if entry.kind is Kind.SPEND:
        what, who = _question(entry), str(entry.body["who"])
    else:
        what, who = f"{DONE[entry.kind]} {', '.join(map(books.label, entry.accounts))}", ""
    # In the measure of an account that is shown.
    kinds = {type(one.budget) for one in accounts if one.name in entry.accounts}
    told = next((words(loss) for loss in _losses(entry) if type(loss) in kinds), "")
    time = entry.time.replace("T", " ")[:MINUTES]
    return (str(entry.sequence), time, who, what, told)


def _losses(entry: Entry) -> list[Spendable]:
    written = entry.body.get("certificates", entry.body.get("budget", {}))
    return [from_json(name, numbers) for name, numbers in dict(written).items()]  # type: ignore[call-overload]


def _question(entry: Entry) -> str:
    what = entry.body["what"]
    text = str(what.get("question", "")) if isinstance(what, dict) else ""
    line = plain(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _account(books: Books, account: Account) -> dict[str, object]:
    return {
        "account": books.label(account.name),
        "name": account.name,
        "budget": as_json([account.budget]),
        "spent": as_json([account.spent]),
        "left": as_json([account.left]),
        "parent": account.parent,
        "revoked": account.revoked,
    }


def _lines(entries: Sequence[Entry]) -> list[str]:
    return json_lines(entries).splitlines()
