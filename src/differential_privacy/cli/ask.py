"""`dp ask`: buys the answer of a question."""

from typing import Any

import click

from differential_privacy.cli import options
from differential_privacy.cli.answers import answer_table
from differential_privacy.cli.opening import account_names, opened_session, paying
from differential_privacy.cli.outcomes import Overspent
from differential_privacy.cli.prices import Bill
from differential_privacy.cli.showing import (
    Look,
    agreed,
    fields,
    is_terminal,
    meter,
    note,
    show,
    show_json,
)
from differential_privacy.cli.wording import told_refusal, words
from differential_privacy.errors import BudgetExceededError
from differential_privacy.exact import open_probability
from differential_privacy.ledger import as_json

__all__ = ["command"]


@click.command(
    "ask",
    epilog=options.examples(
        'dp ask "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward" --epsilon 0.1',
        'dp ask "SELECT COUNT(*) AS n FROM visits" --as ada --within n=50 --yes',
        "dp ask - --epsilon 0.1 --json < question.sql > answer.json",
    ),
)
@options.question
@options.who
@options.price
@click.option("--yes", is_flag=True, help="Do not ask whether to pay.")
@options.policy
@options.as_json
def command(
    *,
    sql: str,
    analyst: str | None,
    project: str | None,
    yes: bool,
    policy: str,
    in_json: bool,
    **price: Any,  # noqa: ANN401 - what `Session.plan` takes
) -> None:
    """Buy the answer of SQL: its price is shown, then paid, then the answer.

    The same question at the same price has the same answer, free. SQL may be `-` for standard
    input.
    """
    options.check_price(price)
    with opened_session(policy, analyst, project) as (_, session):
        plan = session.plan(sql, **price)
        names = account_names(session.accounts)
        bill = Bill(
            plan, paying(session, plan), names, open_probability(price["confidence"], "confidence")
        )
        if is_terminal() and not yes and not session.owns(plan):
            note(bill.summary())
            agreed("Pay for it?")
        try:
            answer = session.buy(plan, confidence=price["confidence"])
        except BudgetExceededError as error:
            raise Overspent(told_refusal(error, names)) from None
        accounts = paying(session, plan)
        if in_json:
            left = {names.get(one.name, one.name): as_json([one.left]) for one in accounts}
            show_json({**answer.to_dict(), "cost": as_json(plan.losses), "left": left})
            return
        show(answer_table(answer))
        paid = "nothing: it was answered before" if answer.repeated else words(answer.loss)
        about = f"{float(answer.confidence) * 100:g} %, of the noise"
        note("")
        lines: list[tuple[str, Look]] = [
            ("error bars", about),
            ("paid", paid),
            ("receipt", answer.receipt.id),
        ]
        lines += [(names.get(one.name, one.name), meter(one)) for one in accounts]
        show(fields(lines), errors=True)
