"""The table of docs/tpch.md, made of the plans of all queries."""

from collections.abc import Iterator
from fractions import Fraction
from statistics import median

from tests.tpch.cases import CASES, Case
from tests.tpch.truth import Rows, Truth, unlimited

import differential_privacy as dp
from differential_privacy.errors import QuestionError
from differential_privacy.queries import Expected, Plan

__all__ = ["table"]

HEADS = ["query", "answered", "groups", "error at epsilon 1", "with each customer's part capped"]
DELTA = Fraction(1, 10**6)


def table(session: dp.Session, truth: Truth) -> str:
    """A row for each query: what was changed, how many groups, and how far off its columns are."""
    rows = [HEADS, ["--"] * len(HEADS), *(_cells(case, session, truth) for case in CASES)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(case: Case, session: dp.Session, truth: Truth) -> list[str]:
    refusal = _refusal(session, case.original)
    if not case.answered:
        return [str(case.number), f"no. {refusal}", "", "", ""]
    before, first = [], None
    if case.first is not None:
        plan = session.plan(case.first, epsilon=1)
        before = [f"first {told}" for told in _errors(plan, {})]
        first = truth.value(case.first)
    shown = {}
    for kind, text in case.asked(first):
        plan = session.plan(text, epsilon=1, delta=DELTA)
        shown[kind] = plan, ", ".join([*before, *_errors(plan, truth.rows(unlimited(text), plan))])
    plan, errors = shown["ours"]
    listed = plan.asked.groups
    groups = "found, for a delta" if listed is None else f"{len(listed):,}"
    answered = f"{case.changed}. {refusal}" if case.changed else "as it is"
    return [str(case.number), answered, groups, errors, shown.get("capped", (None, ""))[1]]


def _refusal(session: dp.Session, text: str) -> str:
    """What the original is refused with."""
    try:
        session.plan(text, epsilon=1)
    except QuestionError as error:
        return f"*As it is: {error.asked}: {error.rule}*"
    return ""


def _errors(plan: Plan, rows: Rows) -> Iterator[str]:
    for one in plan.expected():
        yield f"`{one.column}` ±{_written(one.error)}{_part(one, rows)}"


def _part(one: Expected, rows: Rows) -> str:
    """The error beside the middle one of the group's numbers; of a mean there is none."""
    if one.unit or not rows:
        return " in 1,000 rows" if "rows" in one.unit else ""
    part = one.error / median(abs(row[one.column] or 0.0) for row in rows.values())
    return " (more than itself)" if part > 1 else f" ({_written(100 * part)} %)"


def _written(number: float) -> str:
    """Two digits, as people read them."""
    for size, name in ((1e9, " G"), (1e6, " M")):
        if number >= size:
            return f"{number / size:.3g}{name}"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
