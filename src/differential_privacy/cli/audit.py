"""`dp audit`: attacks a curator with its own policy, and says how its promises stand.

Rule 1: no private row is read and nothing is spent: what is attacked is a copy that was made up.
"""

from collections.abc import Iterator

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from differential_privacy.audit.examining import attacks_on
from differential_privacy.audit.installation import (
    BAD,
    FINE,
    MISSING,
    Finding,
    environment,
    of_policy,
)
from differential_privacy.audit.rollback import rolled_back
from differential_privacy.cli import options
from differential_privacy.cli.outcomes import NOT_DONE
from differential_privacy.cli.showing import (
    Look,
    columns,
    console,
    fields,
    show,
    show_json,
    title,
)
from differential_privacy.cli.warning import warnings_of
from differential_privacy.cli.wording import meaning, words
from differential_privacy.curator import Policy, read_policy
from differential_privacy.curator.opening import open_engine

__all__ = ["command"]

STYLES = {FINE: "green", MISSING: "dim", BAD: "red"}
SHORT = 60


@click.command("audit", epilog=options.examples("dp audit", "dp audit --as ada --json"))
@click.option("--as", "analyst", metavar="ANALYST", help="Who attacks; else everybody.")
@options.policy
@options.as_json
def command(*, analyst: str | None, policy: str, in_json: bool) -> None:
    """Attack a copy of the tables with made-up rows, as an analyst would, and look at the rest.

    It replays questions of every kind with and without one strange person, with the same noise, and
    reports whatever differs; it averages, and spends a budget up. It verifies the ledger's chain,
    and looks at files, versions and the clock. Where nothing is to be mended its exit code is 0.
    """
    read = read_policy(policy)
    engine = open_engine(read)
    try:
        warned = list(warnings_of(read, engine))
    finally:
        engine.close()
    names = list(read.analysts) if analyst is None else [analyst]
    installed = [*environment(), *of_policy(policy), rolled_back(read)]
    found = {name: list(_attacked(read, name)) for name in names}
    if in_json:
        _show_json(read, installed, warned, found)
    else:
        _show(read, installed, warned, found)
    everything = [*installed, *(one for each in found.values() for one in each)]
    if any(one.state == BAD for one in everything):
        click.get_current_context().exit(NOT_DONE)


def _attacked(policy: Policy, analyst: str) -> Iterator[Finding]:
    """Each attack, while a bar shows which one is at work."""
    with (
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            console=console(errors=True),
            transient=True,
        ) as progress,
        attacks_on(policy, analyst) as attacks,
    ):
        task = progress.add_task(analyst, total=len(attacks))
        for what, tried in attacks:
            progress.update(task, description=f"{analyst}: {what[:SHORT]}")
            yield tried()
            progress.advance(task)


def _show(
    policy: Policy, installed: list[Finding], warned: list[str], found: dict[str, list[Finding]]
) -> None:
    show(title("what is promised"), fields(_promises(policy)), "")
    show(title("how it is installed"), _listed(installed), "")
    for name, attacks in found.items():
        show(title(f"attacked as {name}, on made-up rows"), _listed(_short(attacks)), "")
    show(fields(("look at", one) for one in warned) if warned else "nothing else to look at")


def _promises(policy: Policy) -> Iterator[tuple[str, str]]:
    """What the budgets mean for somebody in the data."""
    for table in policy.private:
        if table.parent is None:
            budget = policy.budget_of(table.name)
            yield table.name, f"{words(budget)}, all analysts together: {meaning(budget)}"
    for analyst in policy.analysts.values():
        yield analyst.name, f"{words(analyst.budget)}: {meaning(analyst.budget)}"


def _listed(findings: list[Finding]) -> Look:
    return columns(
        ("", "", ""),
        ((Text(one.state, style=STYLES[one.state]), one.subject, one.told) for one in findings),
    )


def _short(attacks: list[Finding]) -> list[Finding]:
    """What was found wrong, one by one, and the questions in which nothing was, together."""
    if not attacks:
        return [Finding("nothing", MISSING, "may ask no private table")]
    fine = [one for one in attacks if one.state == FINE and one.subject.startswith("SELECT")]
    told = (
        f"{len(fine)} questions: a strange person who is there or not changes noisy numbers alone"
    )
    return [Finding("replay", FINE, told), *(one for one in attacks if one not in fine)]


def _show_json(
    policy: Policy, installed: list[Finding], warned: list[str], found: dict[str, list[Finding]]
) -> None:
    show_json(
        {
            "promises": dict(_promises(policy)),
            "installation": [_json(one) for one in installed],
            "attacks": {name: [_json(one) for one in each] for name, each in found.items()},
            "warnings": warned,
        }
    )


def _json(finding: Finding) -> dict[str, str]:
    return {"subject": finding.subject, "state": finding.state, "told": finding.told}
