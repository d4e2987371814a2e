"""An answer as a table: each noisy value with its error bar, told and drawn."""

import math
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from differential_privacy.cli.showing import Look, columns
from differential_privacy.release import Answer

__all__ = ["answer_table", "error_bar", "noisy_text", "side_of"]

DRAWN = 24
FINE = 10
"""An error bar below this is told to two digits, above in whole numbers."""

Number = int | float
Told = tuple[Number | None, Number | None, Number | None]


def answer_table(answer: Answer) -> Table:
    """The rows of an answer; where one column is noisy, its error bars are drawn beside."""
    heads: list[str] = []
    cells: list[Sequence[Look]] = []
    sides = ""
    for column in answer.plan.columns:
        values = answer.columns[column.name]
        heads.append(column.name)
        if column.public:
            cells.append([_public(value) for value in values])
            sides += side_of(values)
            continue
        told = _told(answer, column.name)
        heads.append("")
        cells.append([noisy_text(*one) for one in told])
        cells.append([Text(error_bar(*one), style="dim") for one in told])
        sides += "rl"
    noisy = [column.name for column in answer.plan.columns if not column.public]
    if len(noisy) == 1 and len(answer.rows) > 1:
        heads.append("")
        cells.append(_drawn(_told(answer, noisy[0])))
        sides += "l"
    return columns(heads, zip(*cells, strict=True), right=sides)


def noisy_text(value: object, low: object, high: object) -> str:
    """A value to the digit that its interval can tell.

    >>> from differential_privacy.cli.answers import noisy_text
    >>> noisy_text(12345.678, 12300.0, 12400.0), noisy_text(3, 1.0, 5.0), noisy_text(None, None, 1)
    ('12,346', '3', 'NULL')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _public(value)
    half = _half(value, low, high)
    if isinstance(value, int):
        return f"{value:,}"
    if half is None or half <= 0:
        return f"{value:,.6g}"
    return f"{value:,.{min(12, max(0, 1 - math.floor(math.log10(half))))}f}"


def error_bar(value: object, low: object, high: object) -> str:
    """How far the interval reaches from its value.

    >>> from differential_privacy.cli.answers import error_bar
    >>> error_bar(12345.678, 12300.0, 12400.0), error_bar(0.5, 0.25, 0.75)
    ('±54', '±0.25')
    """
    half = _half(value, low, high)
    if half is None:
        return ""
    return f"±{half:.2g}" if half < FINE else f"±{half:,.0f}"


def side_of(values: Sequence[object]) -> str:
    """Numbers stand to the right, anything else to the left."""
    return "r" if all(isinstance(value, int | float | None) for value in values) else "l"


def _told(answer: Answer, name: str) -> list[tuple[object, object, object]]:
    found = (answer.columns[one] for one in (name, f"{name}_low", f"{name}_high"))
    return list(zip(*found, strict=True))


def _half(value: object, low: object, high: object) -> float | None:
    if not all(isinstance(one, int | float) for one in (value, low, high)):
        return None
    middle, least, most = (float(str(one)) for one in (value, low, high))
    return max(middle - least, most - middle)


def _public(value: object) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _drawn(told: Sequence[tuple[object, object, object]]) -> list[Look]:
    """Intervals on one scale, from the least end to the greatest."""
    ends = [float(end) for one in told for end in one if isinstance(end, int | float)]
    least, most = min(ends, default=0.0), max(ends, default=0.0)
    width = (most - least) or 1.0

    def place(end: object) -> int:
        return round((float(str(end)) - least) / width * (DRAWN - 1))

    drawn: list[Look] = []
    for value, low, high in told:
        if _half(value, low, high) is None:
            drawn.append("")
            continue
        first, middle, last = place(low), place(value), place(high)
        bar = [" "] * first + ["─"] * (last - first + 1)
        bar[first], bar[last] = "├", "┤"
        bar[min(max(middle, first), last)] = "●"
        drawn.append(Text("".join(bar), style="cyan"))
    return drawn
