"""A picture of an answer: values with their intervals, in the order of the answer."""

from collections.abc import Sequence
from typing import Any

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.queries import OutputColumn
from differential_privacy.release.frames import Columns, extra

__all__ = ["plotted"]

WIDTH = 480


def plotted(columns: Columns, shown: Sequence[OutputColumn]) -> Any:  # noqa: ANN401 - an extra
    """One chart for each noisy column, above each other: bars of groups, lines of their intervals.

    Where there are no groups, each value is a point of its own.
    """
    altair = extra("altair", "plots", "plot()")
    noisy = [column.name for column in shown if not column.public]
    if not noisy or not len(columns):
        raise InvalidArgumentError("answer", "empty", "must have a row and a noisy column to plot")
    keys = [column.name for column in shown if column.public]
    rows = zip(*(columns[key] for key in keys), strict=True)
    groups = [" · ".join("NULL" if one is None else str(one) for one in row) for row in rows]
    charts = [_chart(altair, columns, name, groups or [name]) for name in noisy]
    return altair.vconcat(*charts)


def _chart(altair: Any, columns: Columns, name: str, groups: Sequence[str]) -> Any:  # noqa: ANN401 - an extra
    parts = (columns[name], columns[f"{name}_low"], columns[f"{name}_high"])
    rows = [
        {"group": group, "value": value, "low": low, "high": high}
        for group, value, low, high in zip(groups, *parts, strict=True)
    ]
    base = altair.Chart(altair.InlineData(values=rows)).encode(
        y=altair.Y("group:N", sort=list(groups), title=None)
    )
    bars = base.mark_bar(opacity=0.5).encode(x=altair.X("value:Q", title=name))
    lines = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return (bars + lines).properties(width=WIDTH)
