"""`dp attack`: the attacks that anonymizing does not survive, without us and with us.

Rule 1: only made-up data are attacked here, so that everything found may be shown.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.text import Text

from differential_privacy.audit.attacks import ATTACKS, Outcome, Report
from differential_privacy.cli import options
from differential_privacy.cli.outcomes import Unclear
from differential_privacy.cli.showing import (
    Look,
    columns,
    console,
    fields,
    note,
    paragraph,
    show,
    show_json,
    title,
)
from differential_privacy.cli.wording import words

__all__ = ["command"]

BLOCKS = 24
SUFFIX = ".html"


def _page(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    if given is not None and Path(given).suffix != SUFFIX:
        rule = f"{given} must end in {SUFFIX}"
        raise click.BadParameter(rule)
    return given


@click.command(
    "attack",
    epilog=options.examples(
        "dp attack",
        "dp attack reconstruction",
        "dp attack linkage --seed 7 --save linkage.html",
    ),
)
@click.argument("name", required=False, type=click.Choice(list(ATTACKS)))
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Which data are made up; our noise is fresh each time.",
)
@click.option(
    "--save",
    metavar="PLOT.html",
    type=click.Path(dir_okay=False),
    callback=_page,
    help="Draw it into this page.",
)
@options.as_json
def command(*, name: str | None, seed: int, save: str | None, in_json: bool) -> None:
    """Attack made-up people: how often an attacker is right without us, and with us.

    Without a NAME the attacks are listed. With us a real curator answers, and refuses when its
    budget is spent.
    """
    if name is None:
        _list(save, in_json=in_json)
        return
    with console(errors=True).status(f"attacking: {ATTACKS[name].about}"):
        report = ATTACKS[name].run(seed=seed)
    if in_json:
        show_json(report.as_json())
    else:
        _show(report)
    if save is not None:
        report.plot().save(save)
        note(f"drawn in {save}")


def _list(save: str | None, *, in_json: bool) -> None:
    if save is not None:
        rule = "name an attack to draw it: dp attack reconstruction --save plot.html"
        raise Unclear(rule)
    told = {name: attack.about for name, attack in ATTACKS.items()}
    if in_json:
        show_json(told)
        return
    show(columns(["attack", "what it does"], told.items()))
    show("", paragraph("Run one by its name, as: dp attack reconstruction"))


def _show(report: Report) -> None:
    show(title(report.name), paragraph(f"The attacker tries to {report.tried}."), "")
    show(fields([("without us", report.without), ("with us", f"{words(report.loss)} in all")]))
    for outcome in report.outcomes:
        show("", title(outcome.about), fields(_bars(outcome)))
    show("", fields(_listed("found", report.told)))
    show("", fields(_listed("published", report.sources)))


def _listed(label: str, lines: Sequence[str]) -> Iterator[tuple[str, Look]]:
    for number, line in enumerate(lines):
        yield "" if number else label, line


def _bars(outcome: Outcome) -> Iterator[tuple[str, Look]]:
    for label, share, color in (
        ("without us", outcome.without, "red"),
        ("with us", outcome.with_us, "green"),
    ):
        yield label, Text.assemble((_bar(share.value), color), f"  {share}")
    yield "guessing", Text.assemble((_bar(outcome.guessing), "dim"), _percent(outcome.guessing))
    if outcome.most is not None:
        bound = f"{_percent(outcome.most)} on average"
        yield "we allow", Text.assemble((_bar(outcome.most), "cyan"), bound)


def _bar(share: float) -> str:
    filled = round(share * BLOCKS)
    return "█" * filled + "░" * (BLOCKS - filled)


def _percent(share: float) -> str:
    return f"  {100 * share:.3g} %"
