"""An answer: noisy values with their error bars, what they cost, and how they were made."""

import datetime as dt
import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from differential_privacy.exact import float_log, normal_quantile
from differential_privacy.ledger import Receipt
from differential_privacy.privacy import Spendable
from differential_privacy.queries import OutputColumn, Plan
from differential_privacy.release.cells import Cells
from differential_privacy.release.explaining import explained, theorems
from differential_privacy.release.frames import Columns
from differential_privacy.release.noisy import Noisy
from differential_privacy.release.plotting import plotted
from differential_privacy.release.sample import sampling_error
from differential_privacy.release.values import Column, evaluated, told
from differential_privacy.sources import Kind
from differential_privacy.sources.kinds import EPOCH, MIDNIGHT

__all__ = ["Answer"]

SHOWN_ROWS = 40


@dataclass(frozen=True)
class Answer:
    """A table of noisy values; each column that is not public has `_low`, `_high` and `_sd` beside.

    The interval holds the value without noise with `confidence`; it is about the noise alone. Where
    rows can be seen as a sample of more people, `_sampling` is what that adds at this confidence.
    An average or a variance of no rows is some value of its range, as noise hides that there are
    none; its interval is then the range, or nearly. Percentiles have none: how far values are apart
    is private, and a choice among them does not tell it.
    `repeated` says that the same question had been answered before, so that nothing was paid now.
    """

    plan: Plan = field(repr=False)
    noisy: Noisy = field(repr=False)
    receipt: Receipt
    confidence: Fraction = Fraction(95, 100)
    repeated: bool = False

    @property
    def loss(self) -> Spendable:
        """What was paid for it."""
        return self.plan.loss

    @property
    def theorems(self) -> tuple[str, ...]:
        """What its guarantee rests on, with references."""
        return theorems(self.plan)

    @property
    def how(self) -> str:
        """How it was made, in words."""
        return explained(self.plan)

    @cached_property
    def columns(self) -> Columns:
        """All columns: values, ends of intervals, deviations of the noise."""
        found: dict[str, list[object]] = {}
        for column, cell in self._told:
            values = evaluated(cell, column.kind)
            found[column.name] = [_python(value, column) for value in values]
            if not column.public:
                for end, part in (("low", cell.low), ("high", cell.high), ("sd", cell.deviation)):
                    found[f"{column.name}_{end}"] = [_number(value) for value in part.tolist()]
                sample = sampling_error(self._numbers, column.output, self._deviations)
                if sample is not None:
                    found[f"{column.name}_sampling"] = [_number(one) for one in sample.tolist()]
        order = self._order
        return Columns({name: [values[row] for row in order] for name, values in found.items()})

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The rows of values alone, without their intervals."""
        names = [column.name for column in self.plan.columns]
        return list(zip(*(self.columns[name] for name in names), strict=True))

    @property
    def value(self) -> object:
        """The only value of an answer that has one row and one column."""
        ((value,),) = self.rows
        return value

    def to_arrow(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `pyarrow.Table` of values, intervals and deviations."""
        return self.columns.to_arrow()

    def to_pandas(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `pandas.DataFrame` of values, intervals and deviations."""
        return self.columns.to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `polars.DataFrame` of values, intervals and deviations."""
        return self.columns.to_polars()

    def to_dict(self) -> dict[str, object]:
        """All of it as what JSON has."""
        return {
            "columns": self.columns.to_dict(),
            "confidence": float(self.confidence),
            "loss": repr(self.loss),
            "receipt": self.receipt.id,
            "repeated": self.repeated,
            "how": self.how,
            "theorems": list(self.theorems),
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), default=_written, indent=2)

    def plot(self) -> Any:  # noqa: ANN401 - an extra has it
        """A picture: values with their intervals, as an Altair chart."""
        return plotted(self.columns, self.plan.columns)

    def __str__(self) -> str:
        lines = _aligned([self._heads, *self._cells])
        rest = len(self.rows) - SHOWN_ROWS
        more = [f"... and {rest} more rows"] if rest > 0 else []
        return "\n".join([*lines, *more, self._paid])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{html.escape(head)}</th>" for head in self._heads)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._cells
        )
        return f"<table><tr>{heads}</tr>{rows}</table><p>{html.escape(self._paid)}</p>"

    @property
    def _heads(self) -> list[str]:
        return [column.name for column in self.plan.columns]

    @property
    def _cells(self) -> list[list[str]]:
        """Values with the half of their intervals, as people read them."""
        many = min(len(self.rows), SHOWN_ROWS)
        columns = [self._written(column)[:many] for column in self.plan.columns]
        return [list(row) for row in zip(*columns, strict=True)]

    def _written(self, column: OutputColumn) -> list[str]:
        values = self.columns[column.name]
        if column.public:
            return [_written(value) for value in values]
        ends = zip(
            self.columns[f"{column.name}_low"], self.columns[f"{column.name}_high"], strict=True
        )
        return [
            f"{_digits(value, low, high)} {_bar(low, high)}".strip()
            for value, (low, high) in zip(values, ends, strict=True)
        ]

    @property
    def _paid(self) -> str:
        bars = f"error bars: {float(self.confidence * 100):g} %, of the noise"
        if self.repeated:
            return f"{bars}; asked before, so nothing was paid (receipt {self.receipt.id})"
        return f"{bars}; paid {self.loss} (receipt {self.receipt.id})"

    @cached_property
    def _numbers(self) -> Cells:
        return Cells(self.plan, self.noisy)

    @property
    def _deviations(self) -> float:
        """Standard deviations of a normal that hold the confidence on both sides."""
        return -normal_quantile(float_log((1 - self.confidence) / 2))

    @cached_property
    def _told(self) -> list[tuple[OutputColumn, Column]]:
        cells = self._numbers
        return [
            (column, told(cells, column.output, self.confidence)) for column in self.plan.columns
        ]

    @cached_property
    def _order(self) -> list[int]:
        """Which rows are shown, and in which order: HAVING, ORDER BY, LIMIT on noisy values."""
        cells, asked = self._numbers, self.plan.asked
        rows = list(range(cells.size))
        if asked.having is not None:
            kept = told(cells, asked.having, self.confidence).value.tolist()
            rows = [row for row in rows if kept[row] is True]
        for sorting in reversed(asked.order):
            values = told(cells, sorting.output, self.confidence).value.tolist()
            there = [row for row in rows if not _missing(values[row])]
            missing = [row for row in rows if _missing(values[row])]
            there.sort(key=lambda row: values[row], reverse=sorting.descending)
            rows = [*missing, *there] if sorting.nulls_first else [*there, *missing]
        return rows if asked.limit is None else rows[: asked.limit]


def _python(value: object, column: OutputColumn) -> object:
    """A value as Python's own type for its kind."""
    if value is None or not isinstance(value, int | float) or isinstance(value, bool):
        return value
    if column.kind is Kind.DATE:
        return EPOCH + dt.timedelta(days=round(value))
    if column.kind is Kind.TIMESTAMP:
        return MIDNIGHT + dt.timedelta(seconds=round(value))
    if column.kind is Kind.TIME:
        return (MIDNIGHT + dt.timedelta(seconds=round(value))).time()
    if column.kind is Kind.INTEGER and float(value).is_integer():
        return int(value)
    return value


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _written(value: object) -> str:
    if value is None:
        return "NULL"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _half(low: object, high: object) -> float | None:
    if isinstance(low, float) and isinstance(high, float):
        return (high - low) / 2
    return None


def _digits(value: object, low: object, high: object) -> str:
    """A value to the digit that its interval can tell."""
    half = _half(low, high)
    if not isinstance(value, float) or half is None or half <= 0:
        return _written(value)
    places = max(0, 1 - math.floor(math.log10(half)))
    return f"{value:.{min(places, 12)}f}"


def _bar(low: object, high: object) -> str:
    half = _half(low, high)
    return "" if half is None else f"±{half:.2g}" if half < 10 else f"±{half:.0f}"  # noqa: PLR2004


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
