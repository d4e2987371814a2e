"""What plain DuckDB says of the same tables, and how an answer compares with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from tests.tpch.cases import TABLES

from differential_privacy.queries import Plan
from differential_privacy.release import Answer

__all__ = ["Cell", "Rows", "Truth", "cells", "unlimited"]

Rows = Mapping[tuple[Any, ...], Mapping[str, float | None]]
"""The numbers of each group, by the names of their columns."""


@dataclass(frozen=True, slots=True)
class Truth:
    """DuckDB over the files themselves."""

    connection: duckdb.DuckDBPyConnection

    @staticmethod
    def over(connection: duckdb.DuckDBPyConnection, folder: Path) -> "Truth":
        for name in TABLES:
            file = folder / f"{name}.parquet"
            connection.execute(f"CREATE VIEW {name} AS FROM '{file}'")
        connection.execute("CREATE MACRO clamp(x, a, b) AS least(greatest(x, a), b)")
        return Truth(connection)

    def value(self, text: str) -> object:
        """The only value of a question."""
        ((value,),) = self.connection.execute(text).fetchall()
        return value

    def rows(self, text: str, plan: Plan) -> Rows:
        """All groups of a question, keyed by what is public in its plan, in their order."""
        found = self.connection.execute(text)
        names = [name.lower() for name, *_ in found.description or ()]
        public = [column.name for column in plan.columns if column.public]
        noisy = [column.name for column in plan.columns if not column.public]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        return {
            tuple(row[name] for name in public): {name: _number(row[name]) for name in noisy}
            for row in rows
        }


@dataclass(frozen=True, slots=True)
class Cell:
    """One noisy number of an answer, and the interval around it."""

    group: tuple[object, ...]
    column: str
    value: float | None
    low: float
    high: float


def cells(answer: Answer) -> list[Cell]:
    """Every noisy number of an answer, row by row."""
    columns, found = answer.columns, []
    public = [column.name for column in answer.plan.columns if column.public]
    for row in range(len(answer.rows)):
        group = tuple(columns[name][row] for name in public)
        for column in answer.plan.columns:
            if not column.public:
                parts = (columns[f"{column.name}{end}"][row] for end in ("", "_low", "_high"))
                found.append(Cell(group, column.name, *parts))
    return found


def unlimited(text: str) -> str:
    """A question without its LIMIT, so that it tells of every group."""
    tree = sqlglot.parse_one(text, dialect="duckdb")
    tree.set("limit", None)
    return tree.sql("duckdb")


def _number(value: Decimal | float | None) -> float | None:
    return None if value is None else float(value)
