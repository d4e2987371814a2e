"""`dp check`: what a policy protects, in words, and what is wrong with it.

Rule 1: without `--data` no private row is read; with it, what is shown is for the curator alone.
"""

from collections.abc import Iterator
from dataclasses import asdict

import click

from differential_privacy.cli import options
from differential_privacy.cli.looking import Seen, seen
from differential_privacy.cli.showing import (
    Look,
    columns,
    console,
    fields,
    note,
    show,
    show_json,
    title,
)
from differential_privacy.cli.warning import warnings_of
from differential_privacy.cli.wording import meaning, numbers, words
from differential_privacy.curator import Policy, read_policy
from differential_privacy.curator.opening import open_engine
from differential_privacy.curator.proposing import gaps_of
from differential_privacy.errors import PolicyError, SourceError
from differential_privacy.ledger import as_json
from differential_privacy.privacy import Spendable
from differential_privacy.sources import Key, Ranks, Scanner, Table, owner_table

__all__ = ["command"]

NO_KEY = bytes(32)
"""Nothing is ranked here, so that no secret is needed."""


@click.command("check", epilog=options.examples("dp check", "dp check --data", "dp check --json"))
@click.option("--data", is_flag=True, help="Read the data too: exact numbers, for you alone.")
@options.policy
@options.as_json
def command(
    *,
    data: bool,
    policy: str,
    in_json: bool,
) -> None:
    """Say who is protected and how much may be learned, and what is wrong with the policy.

    It reads the policy and what tables are stored as, and no private row.
    """
    gaps = gaps_of(policy)
    if gaps:
        raise PolicyError(policy, ", ".join(gaps), "to be filled in from what is public")
    read = read_policy(policy)
    engine = open_engine(read)
    try:
        scanner = Scanner(read.tables, engine, Ranks(NO_KEY))
        for table in read.tables.values():
            # Building a scan sees that what is declared is stored, as something that fits.
            scanner.scan(table, [column.name for column in table.columns])
        warnings = list(warnings_of(read, engine))
        found = {name: _seen(scanner, table) for name, table in read.tables.items() if data}
    finally:
        engine.close()
    if in_json:
        show_json(_report(read, warnings, found))
    else:
        _show(read, warnings, found)


def _show(policy: Policy, warnings: list[str], found: dict[str, Seen]) -> None:
    for name, table in policy.tables.items():
        show(title(name), fields(_said(policy, table)), "")
        if name in found:
            show(*_exact(table, found[name]), "")
    for analyst in policy.analysts.values():
        lines: list[tuple[str, Look]] = [
            ("may ask", ", ".join(analyst.tables) or "every table"),
            ("may spend", words(analyst.budget)),
            *((f"  {name}", words(budget)) for name, budget in analyst.projects.items()),
        ]
        show(title(f"analyst {analyst.name}"), fields(lines), "")
    show(fields(("look at", one) for one in warnings) if warnings else "nothing is wrong")


def _said(policy: Policy, table: Table) -> Iterator[tuple[str, Look]]:
    """A table in words."""
    if table.public:
        yield "public", "anyone may know all of it"
        return
    yield "protected", _protected(policy, table)
    if table.bounds:
        yield "bounded", ", or ".join(map(str, table.bounds))
    if table.parent is not None:
        yield "shares", f"what may be spent of {table.parent}"
        return
    budget = policy.budget_of(table.name)
    whole = "all analysts together" if table.partition is None else f"each {table.partition}"
    yield "may spend", f"{words(budget)}, {whole}"
    yield from _meaning(budget)


def _meaning(budget: Spendable) -> Iterator[tuple[str, Look]]:
    yield "meaning", meaning(budget)
    delta = numbers(budget).get("delta")
    if delta:
        yield "delta", f"suits tables of up to {int(1 / (10 * delta)):,} people"


def _protected(policy: Policy, table: Table) -> str:
    if table.owner is None:
        return "each row is a person of its own"
    way = []
    here = table
    while isinstance(here.owner, Key):
        way.append(f"{here.owner.column} -> {here.owner.table}.{here.owner.references}")
        here = policy.tables[here.owner.table]
    last = owner_table(table, policy.tables)
    named = last.owner if last is table else f"{last.name}.{last.owner}, by {', '.join(way)}"
    return f"each {table.unit}, as {named} tells them apart"


def _seen(scanner: Scanner, table: Table) -> Seen:
    try:
        with console(errors=True).status(f"reading {table.name}"):
            return seen(scanner, table)
    except SourceError as error:
        # The engine's own words may hold rows: whoever asks this may see them.
        note(f"{table.name}: {error.__context__}")
        raise


def _exact(table: Table, found: Seen) -> Iterator[Look]:
    lines: list[tuple[str, Look]] = [
        ("exact", "numbers for the curator alone: they protect nobody"),
        ("rows", f"{found.rows:,}"),
    ]
    if found.unowned:
        lines.append(("of nobody", f"{found.unowned:,} rows: no question sees them"))
    if found.people is not None:
        lines.append((f"{table.unit}s", f"{found.people:,}, of {found.most:,} rows at most"))
    if found.beyond is not None and found.rows:
        share = found.beyond / found.rows
        lines.append(("left out", f"{found.beyond:,} rows ({share:.1%}): beyond the bound"))
    yield fields(lines)
    heads = ("column", "no value", "at or below the range", "at or above it")
    yield columns(
        heads,
        (
            (
                one.name,
                f"{one.missing:,}",
                "" if one.lowest is None else f"{one.lowest:,}",
                "" if one.highest is None else f"{one.highest:,}",
            )
            for one in found.columns
        ),
        right="lrrr",
    )


def _report(policy: Policy, warnings: list[str], found: dict[str, Seen]) -> dict[str, object]:
    return {
        "tables": {
            name: {
                "public": table.public,
                "protected": None if table.public else _protected(policy, table),
                "bounds": [str(one) for one in table.bounds],
                "budget": None if table.public else as_json([policy.budget_of(name)]),
                "meaning": None if table.public else meaning(policy.budget_of(name)),
                **({"exact": asdict(found[name])} if name in found else {}),
            }
            for name, table in policy.tables.items()
        },
        "analysts": {
            name: {"budget": as_json([one.budget]), "tables": list(one.tables)}
            for name, one in policy.analysts.items()
        },
        "warnings": warnings,
    }
