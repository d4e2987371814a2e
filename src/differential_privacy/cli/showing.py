"""How things look in a terminal: fields, tables, meters; plain text where there is none.

Rule 1: text that others wrote, as questions and names, is never taken for markup.
Rule 2: what a program reads is never cut to the width of a terminal.
"""

import json
import sys
from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from differential_privacy.cli.lines import plain
from differential_privacy.cli.outcomes import Declined
from differential_privacy.cli.wording import part_spent, words, words_left
from differential_privacy.ledger import Account

__all__ = [
    "Look",
    "agreed",
    "columns",
    "console",
    "fields",
    "is_terminal",
    "meter",
    "note",
    "paragraph",
    "show",
    "show_json",
    "title",
]

Look = str | Text | Table

WIDTH, LABEL, GAP = 80, 12, 2
ENDLESS = 10_000
BLOCKS = 12
PLENTY, SOME = 0.5, 0.2


def is_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def console(*, errors: bool = False) -> Console:
    """A terminal as it is, or plain lines of any length."""
    found = Console(stderr=errors, highlight=False, emoji=False, markup=False)
    if not found.is_terminal:
        found.width = ENDLESS
    return found


def agreed(question: str) -> None:
    """Asks; what is declined is left undone."""
    if not click.confirm(question, default=True, err=True):
        raise Declined("declined: nothing was done, and nothing was spent")


def show(*looks: Look, errors: bool = False) -> None:
    """Shows a result; on standard error, where it is beside the result."""
    out = console(errors=errors)
    for look in looks:
        with out.capture() as held:
            out.print(look)
        lines = held.get().splitlines()
        click.echo("\n".join(line.rstrip() for line in lines), err=errors, color=True)


def note(look: Look) -> None:
    """Says something beside the result."""
    show(paragraph(look) if isinstance(look, str) else look, errors=True)


def show_json(value: object) -> None:
    """Shows one object; what JSON does not have, as dates, is text."""
    click.echo(json.dumps(value, default=str, indent=2))


def title(text: str) -> Text:
    """What stands above a part."""
    return Text(text, style="bold")


def fields(pairs: Iterable[tuple[str, Look]]) -> Table:
    """A label and what it stands for, line by line."""
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(min_width=LABEL, max_width=LABEL + GAP, style="dim")
    grid.add_column(max_width=WIDTH - LABEL - 2 * GAP)
    for label, look in pairs:
        grid.add_row(_text(label), _text(look))
    return grid


def columns(heads: Sequence[str], rows: Iterable[Sequence[Look]], *, right: str = "") -> Table:
    """A table; `right` has an r for each column that is aligned so, and any other letter else."""
    found = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for head, side in zip(heads, right.ljust(len(heads), "l"), strict=True):
        found.add_column(_text(head), justify="right" if side == "r" else "left")
    for row in rows:
        found.add_row(*map(_text, row))
    return found


def meter(account: Account) -> Text:
    """What is left of a budget, drawn and told."""
    left = max(0.0, 1 - part_spent(account))
    if account.revoked:
        return Text.assemble(("░" * BLOCKS, "red"), f"  revoked, {words(account.spent)} spent")
    color = "green" if left > PLENTY else "yellow" if left > SOME else "red"
    filled = int(left * BLOCKS)
    drawn = "█" * filled + "░" * (BLOCKS - filled)
    return Text.assemble((drawn, color), f"  {words_left(account)}")


def paragraph(text: str) -> Table:
    """Words that are broken where lines end."""
    grid = Table.grid()
    grid.add_column(max_width=WIDTH)
    grid.add_row(_text(text))
    return grid


def _text(look: Look) -> Look:
    """Never markup, and nothing that a terminal obeys."""
    return Text(plain(look)) if isinstance(look, str) else look
