"""`dp plan`: what a question would cost, and how far off its answer would be."""

from typing import Any

import click

from differential_privacy.cli import options
from differential_privacy.cli.opening import account_names, opened_session, paying
from differential_privacy.cli.prices import Bill
from differential_privacy.cli.showing import show, show_json
from differential_privacy.exact import open_probability

__all__ = ["command"]


@click.command(
    "plan",
    epilog=options.examples(
        'dp plan "SELECT COUNT(*) AS n FROM visits" --as ada --epsilon 0.1',
        'dp plan "SELECT ward, AVG(cost) FROM visits GROUP BY 1" --epsilon 1/4 --sql',
        'dp plan "SELECT COUNT(*) AS n FROM visits" --within n=50',
        "dp plan - --epsilon 0.1 < question.sql",
    ),
)
@options.question
@options.who
@options.price
@click.option("--sql", "in_sql", is_flag=True, help="Show what the engine would run, too.")
@options.policy
@options.as_json
def command(
    *,
    sql: str,
    analyst: str | None,
    project: str | None,
    in_sql: bool,
    policy: str,
    in_json: bool,
    **price: Any,  # noqa: ANN401 - what `Session.plan` takes
) -> None:
    """Tell what SQL would cost, and how far off its answer would be.

    It is free, and reads no private data. SQL may be `-` for standard input.
    """
    options.check_price(price)
    with opened_session(policy, analyst, project) as (_, session):
        plan = session.plan(sql, **price)
        names = account_names(session.accounts)
        bill = Bill(
            plan, paying(session, plan), names, open_probability(price["confidence"], "confidence")
        )
        if in_json:
            show_json({**bill.to_dict(), **({"sql": plan.sql} if in_sql else {})})
            return
        show(*bill.shown())
        if in_sql:
            show("", *plan.sql)
