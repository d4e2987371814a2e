"""Questions built in Python: each step gives a larger question, and the plan is that of the SQL.

Rule 1: what is built passes the same gate as what is typed.
"""

from dataclasses import dataclass, replace
from typing import Protocol, TypedDict, Unpack

from differential_privacy.curator.wishes import Within
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, rational
from differential_privacy.queries import Plan, parsed_condition
from differential_privacy.release import Answer

__all__ = ["Query"]


class Offer(TypedDict, total=False):
    """A price, as `Session.sql` takes it."""

    epsilon: Number | None
    delta: Number | None
    rho: Number | None
    within: Within | None
    confidence: Number


class Asking(Protocol):
    """Who plans and buys."""

    def plan(self, text: str, **price: Unpack[Offer]) -> Plan:
        """What it would cost."""

    def sql(self, text: str, **price: Unpack[Offer]) -> Answer:
        """Its answer."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question about one table, or about joined ones; ask it with `.answer(epsilon=...)`.

    Expressions are written as in SQL: `where("age >= 65")`, `mean("cost")`.
    """

    source: str
    asking: Asking
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    ordered: tuple[str, ...] = ()
    most: int | None = None

    def join(self, table: str, *, on: str) -> "Query":
        """With another table's rows beside."""
        return replace(self, source=f"{self.source} JOIN {table} ON {on}")

    def where(self, condition: str) -> "Query":
        """Only rows that meet a condition, and all those before."""
        return replace(self, conditions=(*self.conditions, _alone(condition)))

    def group_by(self, *keys: str) -> "Query":
        """For each value of these expressions."""
        return replace(self, keys=(*self.keys, *map(_alone, keys)))

    def count(self, expression: str = "*", *, name: str = "n") -> "Query":
        """How many rows, or how many in which an expression is not NULL."""
        return self._with(f"COUNT({_alone(expression)})", name)

    def count_distinct(self, expression: str, *, name: str | None = None) -> "Query":
        """How many different values, or people."""
        return self._with(
            f"COUNT(DISTINCT {_alone(expression)})", name or f"distinct_{_named(expression)}"
        )

    def sum(self, expression: str, *, name: str | None = None) -> "Query":
        """The sum."""
        return self._with(f"SUM({_alone(expression)})", name or f"sum_{_named(expression)}")

    def mean(self, expression: str, *, name: str | None = None) -> "Query":
        """The mean."""
        return self._with(f"AVG({_alone(expression)})", name or f"mean_{_named(expression)}")

    def variance(self, expression: str, *, name: str | None = None) -> "Query":
        """The variance of the rows."""
        return self._with(
            f"VAR_POP({_alone(expression)})", name or f"variance_{_named(expression)}"
        )

    def deviation(self, expression: str, *, name: str | None = None) -> "Query":
        """The standard deviation of the rows."""
        return self._with(
            f"STDDEV_POP({_alone(expression)})", name or f"deviation_{_named(expression)}"
        )

    def median(self, expression: str, *, name: str | None = None) -> "Query":
        """The median."""
        return self._with(f"MEDIAN({_alone(expression)})", name or f"median_{_named(expression)}")

    def quantile(self, expression: str, share: Number, *, name: str | None = None) -> "Query":
        """The value that a share of the rows is below."""
        part = rational(share, "share")
        text = f"QUANTILE_CONT({_alone(expression)}, {float(part)!r})"
        return self._with(text, name or f"quantile_{_named(expression)}")

    def having(self, condition: str) -> "Query":
        """Only groups whose noisy values meet a condition."""
        return replace(self, kept=(*self.kept, _alone(condition)))

    def order_by(self, *expressions: str) -> "Query":
        """In the order of noisy values or keys."""
        return replace(self, ordered=(*self.ordered, *expressions))

    def limit(self, rows: int) -> "Query":
        """The first rows."""
        return replace(self, most=rows)

    @property
    def sql(self) -> str:
        """The same question in SQL."""
        if not self.columns and not self.keys:
            rule = "must be asked for something: .count(), .mean(...), .sum(...)"
            raise InvalidArgumentError("query", self.source, rule)
        parts = [f"SELECT {', '.join((*self.keys, *self.columns))}", f"FROM {self.source}"]
        if self.conditions:
            parts.append("WHERE " + " AND ".join(f"({one})" for one in self.conditions))
        if self.keys:
            parts.append(f"GROUP BY {', '.join(self.keys)}")
        if self.kept:
            parts.append("HAVING " + " AND ".join(f"({one})" for one in self.kept))
        if self.ordered:
            parts.append(f"ORDER BY {', '.join(self.ordered)}")
        if self.most is not None:
            parts.append(f"LIMIT {self.most}")
        return " ".join(parts)

    def plan(self, **price: Unpack[Offer]) -> Plan:
        """What it would cost: free, and reads no data."""
        return self.asking.plan(self.sql, **price)

    def answer(self, **price: Unpack[Offer]) -> Answer:
        """Buys the answer, at `epsilon=`, `rho=` or `within=`."""
        return self.asking.sql(self.sql, **price)

    def _with(self, column: str, name: str) -> "Query":
        return replace(self, columns=(*self.columns, f"{column} AS {name}"))


def _alone(expression: str) -> str:
    """An expression that stands on its own: nothing in it closes what is written around it."""
    return parsed_condition(expression).sql(dialect="duckdb", comments=False)


def _named(expression: str) -> str:
    """A name made of the letters of an expression."""
    letters = "".join(one if one.isalnum() and one.isascii() else "_" for one in expression)
    return letters.strip("_").lower() or "value"
