"""Options that several commands share; those of a price are named as `Session.plan` takes them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, TypeVar

import click

from differential_privacy.cli.outcomes import Unclear

__all__ = [
    "JSON",
    "as_json",
    "budget",
    "check_price",
    "examples",
    "policy",
    "price",
    "question",
    "who",
]

Function = TypeVar("Function", bound=Callable[..., Any])
Option = Callable[[Any], Any]

JSON = "--json"
INPUT = "-"


def _together(*options: Option) -> Callable[[Function], Function]:
    """Several options as one decorator, shown in this order."""

    def applied(function: Function) -> Function:
        return reduce(lambda inner, option: option(inner), reversed(options), function)

    return applied


def _read_question(_: click.Context, __: click.Parameter, text: str) -> str:
    if text != INPUT:
        return text
    return sys.stdin.read()


def _read_within(
    _: click.Context, __: click.Parameter, given: Sequence[str]
) -> dict[str, str] | None:
    wishes = {}
    for one in given:
        name, equals, most = one.partition("=")
        if not (name and equals and most):
            rule = f"{one} must be a column and the error it may have, as n=50"
            raise click.BadParameter(rule)
        wishes[name] = most
    return wishes or None


policy = click.option(
    "--policy",
    type=click.Path(dir_okay=False),
    envvar="DP_POLICY",
    default="curator.toml",
    show_default=True,
    show_envvar=True,
    help="The policy file.",
)

as_json = click.option(JSON, "in_json", is_flag=True, help="Write one JSON object, for machines.")

question = click.argument("sql", callback=_read_question)

who = _together(
    click.option(
        "--as",
        "analyst",
        metavar="ANALYST",
        envvar="DP_ANALYST",
        show_envvar=True,
        help="Who asks; may be left out where the policy names one analyst.",
    ),
    click.option("--project", help="Pay from this project's part of the analyst's budget."),
)

price = _together(
    click.option("--epsilon", metavar="NUMBER", help="What the question may cost."),
    click.option("--delta", metavar="NUMBER", help="Else the same part of the budget's delta."),
    click.option("--rho", metavar="NUMBER", help="The cost, where budgets are in rho."),
    click.option(
        "--within",
        metavar="COLUMN=ERROR",
        multiple=True,
        callback=_read_within,
        help="Instead of a cost: the error a column may have.",
    ),
    click.option(
        "--confidence",
        metavar="NUMBER",
        default="0.95",
        show_default=True,
        help="How surely a value is within its error bar.",
    ),
)

budget = _together(
    click.option("--epsilon", metavar="NUMBER", help="The budget's epsilon."),
    click.option("--delta", metavar="NUMBER", help="And its delta."),
    click.option("--rho", metavar="NUMBER", help="The budget's rho, where it is stated so."),
)


def check_price(given: Mapping[str, Any]) -> None:
    """Whether anything was given as a price."""
    if all(given[name] is None for name in ("epsilon", "rho", "within")):
        rule = "what may it cost, or how far off may it be? give --epsilon 0.1, or --within n=50"
        raise Unclear(rule)


def examples(*lines: str) -> str:
    """What stands below the options of a command."""
    return listed("Examples", *lines)


def listed(name: str, *lines: str) -> str:
    """Lines under a name, which help shows as they are."""
    return f"\b\n{name}:\n" + "\n".join(f"  {line}" for line in lines)
