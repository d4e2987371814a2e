"""`dp demo`: all of it at work on a made-up hospital, with the truth beside the answers.

Rule 1: only here is the truth shown: nobody is in these data.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from differential_privacy.cli import options
from differential_privacy.cli.answers import error_bar, noisy_text, side_of
from differential_privacy.cli.demonstration import (
    GROUPED,
    LAST,
    PRICE,
    QUESTIONS,
    TIMES,
    Attack,
    Result,
    answered,
    attack,
    refusals,
    spent_out,
)
from differential_privacy.cli.hospital import Hospital
from differential_privacy.cli.opening import account_names, paying
from differential_privacy.cli.prices import Bill
from differential_privacy.cli.showing import (
    Look,
    columns,
    console,
    fields,
    meter,
    paragraph,
    show,
    show_json,
    title,
)
from differential_privacy.cli.wording import words
from differential_privacy.curator import Curator, Session
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.ledger import Account

__all__ = ["command"]

USUAL = Fraction(95, 100)
ON = 'dp ask "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --as zoe --epsilon 0.01'


@click.command(
    "demo", epilog=options.examples("dp demo", "dp demo --folder hospital", "dp demo --json")
)
@click.option("--folder", type=click.Path(file_okay=False), help="Keep the hospital here.")
@options.as_json
def command(*, folder: str | None, in_json: bool) -> None:
    """See all of it at work on a made-up hospital: a million visits of a hundred thousand patients.

    The hospital is gone afterwards, unless a folder is named: there its data, policy and ledger
    stay, to be asked on.
    """
    start = time.monotonic()
    with _place(folder) as place:
        hospital = Hospital(place)
        if hospital.policy.exists():
            rule = "holds a policy already: name another folder, or ask on in this one"
            raise InvalidArgumentError("--folder", folder, rule)
        with console(errors=True).status("making a million visits, and ranking them"):
            hospital.make()
            with Curator(hospital.policy) as curator:
                curator.prepare()
        with Curator(hospital.policy) as curator:
            if in_json:
                show_json(_report(hospital, curator))
                return
            _show(hospital, curator)
    show(paragraph(f"All of it took {time.monotonic() - start:.0f} seconds."))
    if folder is not None:
        show(paragraph(f"To ask on: cd {folder}, then {ON}"))


@contextmanager
def _place(folder: str | None) -> Iterator[Path]:
    if folder is not None:
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def _show(hospital: Hospital, curator: Curator) -> None:
    ada, eve = curator.session("ada"), curator.session("eve")
    _part("A hospital: 1,000,000 visits of 100,000 patients. Ada may ask.")
    _balance(ada)
    _part("What a question would cost, and how far off its answer would be: free")
    first = GROUPED
    plan = ada.plan(first.text, epsilon=first.epsilon)
    names = account_names(ada.accounts)
    show(fields([("question", first.text)]), *Bill(plan, paying(ada, plan), names, USUAL).shown())
    held = []
    for number, asked in enumerate(QUESTIONS, 1):
        result = answered(ada, asked, hospital)
        held += result.held
        _part(f"{number}. {asked.about}")
        show(fields([("question", asked.text), *_price(result)]), "", _beside(result))
    show("", paragraph(f"{sum(held)} of {len(held)} error bars hold the truth: 95 % are promised."))
    _balance(ada)
    _part("The first question again: the same answer, and free")
    result = answered(ada, QUESTIONS[0], hospital)
    show(fields([("question", QUESTIONS[0].text), *_price(result)]), "", _beside(result))
    _part("Questions that would show people")
    for text, reason in refusals(ada):
        show(fields([("question", text), ("refused", Text(reason, style="yellow"))]), "")
    _part("Eve asks again and again, to average the noise away")
    show(fields(_attacked(attack(eve, hospital))))
    _balance(eve)
    _part(f"Ada asks on, at epsilon {LAST} each, until her budget refuses")
    for text, after in spent_out(ada):
        show(fields([("question", text), _spent(after)]))
    show("")


def _part(text: str) -> None:
    show("", title(text))


def _balance(session: Session) -> None:
    show(fields([(session.analyst.name, meter(session.account))]))


def _price(result: Result) -> Iterator[tuple[str, Look]]:
    if result.answer.repeated:
        yield "paid", "nothing: it was answered before"
    elif result.asked.within:
        wished = ", ".join(f"{name} ±{error}" for name, error in result.asked.within)
        yield "paid", f"{words(result.answer.loss)}, found for {wished}"
    else:
        yield "paid", words(result.answer.loss)


def _beside(result: Result) -> Table:
    """The answer, with the truth in the last columns."""
    answer = result.answer
    heads: list[str] = []
    cells: list[Sequence[Look]] = []
    sides = ""
    for place, column in enumerate(answer.plan.columns):
        values = answer.columns[column.name]
        if column.public:
            heads.append(column.name)
            cells.append([str(value) for value in values])
            sides += side_of(values)
            continue
        ends = (answer.columns[f"{column.name}_{end}"] for end in ("low", "high"))
        told = list(zip(values, *ends, strict=True))
        heads += [column.name, "", "truth"]
        cells.append([noisy_text(*one) for one in told])
        cells.append([Text(error_bar(*one), style="dim") for one in told])
        exact = [
            noisy_text(float(str(row[place])), low, high)
            for row, (_, low, high) in zip(result.truth, told, strict=True)
        ]
        cells.append([Text(one, style="cyan") for one in exact])
        sides += "rlr"
    return columns(heads, zip(*cells, strict=True), right=sides)


def _attacked(found: Attack) -> Iterator[tuple[str, Look]]:
    same = "all the same, and paid once" if found.same else "not all the same"
    yield f"{TIMES} times", f"the same question at epsilon {PRICE}: {same}"
    yield "reworded", "the same answer, free" if found.reworded else "another answer"
    yield "other prices", f"{found.bought} answers, each of them paid, then: {found.refusal}"
    mean = f"their mean is {found.averaged:.1f}, and the truth {found.truth}"
    once = f"one answer for all of her budget is within ±{found.bound:.0f}"
    yield "averaged", f"{mean}; {once}: averaging gains nothing"


def _spent(after: Account | str) -> tuple[str, Look]:
    if isinstance(after, str):
        return "refused", Text(after, style="red")
    return "ada", meter(after)


def _report(hospital: Hospital, curator: Curator) -> dict[str, object]:
    ada, eve = curator.session("ada"), curator.session("eve")
    results = [answered(ada, asked, hospital) for asked in QUESTIONS]
    return {
        "questions": [
            {
                "about": one.asked.about,
                "question": one.asked.text,
                "answer": one.answer.to_dict(),
                "truth": one.truth,
                "held": one.held,
            }
            for one in results
        ],
        "repeated": answered(ada, QUESTIONS[0], hospital).answer.repeated,
        "refused": dict(refusals(ada)),
        "attack": asdict(attack(eve, hospital)),
        "spent": [
            {"question": text, "told": words(one.spent) if isinstance(one, Account) else one}
            for text, one in spent_out(ada)
        ],
    }
