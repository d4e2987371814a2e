"""`dp prepare`: ranks rows once, so that questions find them bounded."""

import time

import click
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from differential_privacy.cli import options
from differential_privacy.cli.showing import console, fields, note, show, show_json
from differential_privacy.curator import Curator

__all__ = ["command"]


@click.command("prepare", epilog=options.examples("dp prepare", "dp prepare visits"))
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@options.policy
@options.as_json
def command(
    *,
    tables: tuple[str, ...],
    policy: str,
    in_json: bool,
) -> None:
    """Rank the rows of tables within their people once, so that questions are fast.

    It is free, and changes no answer. Do it again when rows were added: what is there is kept.
    """
    with Curator(policy) as curator:
        named = [one.name for one in curator.policy.private if not one.owned_by_row]
        taken: dict[str, float] = {}
        with Progress(
            SpinnerColumn(),
            TextColumn("ranking {task.description}"),
            TimeElapsedColumn(),
            console=console(errors=True),
            transient=True,
        ) as progress:
            for name in tables or named:
                task = progress.add_task(name, total=None)
                start = time.monotonic()
                curator.prepare([name])
                taken[name] = time.monotonic() - start
                progress.remove_task(task)
        if in_json:
            show_json({"prepared": list(taken)})
        elif taken:
            show(fields((name, f"ready, in {took:.1f} s") for name, took in taken.items()))
        else:
            note("nothing to prepare: each row is a person of its own")
