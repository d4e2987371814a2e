"""From the analyst's expressions to values: what each listed node means for one row.

Rule 1: an expression over a row is total: no value of any column makes it fail.
Rule 2: three-valued logic, as in SQL: what is not known is NULL.
Rule 3: what is computed stays short when it is written out, however deeply it is nested.
"""

from collections.abc import Callable
from typing import Protocol

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.functions import FUNCTIONS
from differential_privacy.queries.operators import OPERATORS, constant_text, whole_constant
from differential_privacy.queries.parsing import written_sql
from differential_privacy.queries.values import Truth, Value, folded
from differential_privacy.sources.trees import Call, Case, Exists, OneOf, Op, Tree

__all__ = ["AGGREGATES", "Expressions", "Scope", "condition", "constant_text", "whole_constant"]

AGGREGATES = (
    sql.Count,
    sql.Sum,
    sql.Avg,
    sql.Min,
    sql.Max,
    sql.Median,
    sql.Quantile,
    sql.ApproxQuantile,
    sql.PercentileCont,
    sql.PercentileDisc,
    sql.WithinGroup,
    sql.VariancePop,
    sql.Variance,
    sql.Stddev,
    sql.StddevPop,
    sql.StddevSamp,
    sql.Filter,
)

READERS = {**OPERATORS, **FUNCTIONS}

LARGEST = 5_000
"""So many nodes has an expression at the most, each counted as often as it is written."""

ONCE = (
    *(Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.QUOTIENT, Op.REMAINDER, Op.EQUAL, Op.DIFFERENT),
    *(Op.LESS, Op.AT_MOST, Op.SAME, Op.IS_NULL, Op.NOT, Op.AND, Op.OR, Op.WHOLE, Op.TEXT),
    *(Op.LIKE, Op.LENGTH, Op.PART, Op.JOINED, Op.LOWER, Op.UPPER, Op.TRIMMED),
)
"""Operations that engines spell with their arguments written once."""

MOST_TIMES = 3
"""Every other operation is spelled with its arguments written so many times at the most."""


class Scope(Protocol):
    """What names mean where an expression stands."""

    def column(self, name: str, table: str | None) -> Value:
        """The column of a name."""

    def exists(self, query: sql.Expr) -> Value:
        """Whether a subquery has rows that go with the row."""

    def among(self, value: Value, query: sql.Expr) -> Value:
        """Whether a value is in a subquery's only column."""

    def scalar(self, query: sql.Expr) -> Value:
        """A subquery as a value."""


class Expressions:
    """Reads the expressions of one scope; `aggregate` reads aggregates, where they may stand."""

    def __init__(
        self, scope: Scope, *, aggregate: Callable[[sql.Expr], Value] | None = None
    ) -> None:
        self._scope = scope
        self._aggregate = aggregate
        self._sizes: dict[int, tuple[Tree, int]] = {}

    def condition(self, node: sql.Expr | None) -> Value:
        """An expression that is true or false."""
        value = self.value(node)
        return value if node is None else condition(value, written_sql(node))

    def value(self, node: sql.Expr | None) -> Value:
        """An expression of any type."""
        if node is None:
            raise QuestionError("an expression", "has a part that is missing")
        value = folded(self._read(node))
        if self._size(value.tree) > LARGEST:
            rule = "is too long when it is written out: compute a part of it in a subquery"
            raise QuestionError(
                written_sql(node), rule, instead="FROM (SELECT x / y AS z FROM ...)"
            )
        return value

    def _read(self, node: sql.Expr) -> Value:
        if isinstance(node, AGGREGATES) and self._aggregate is not None:
            return self._aggregate(node)
        if isinstance(node, sql.Column):
            return self._column(node)
        if isinstance(node, sql.Subquery):
            return self._scope.scalar(node.this)
        if isinstance(node, sql.Exists):
            return self._scope.exists(node.this)
        query = node.args.get("query")
        if isinstance(node, sql.In) and query is not None:
            return self._scope.among(self.value(node.this), query.this)
        function = READERS.get(type(node))
        if function is None:
            raise _refused(node)
        return function(self, node)

    def _column(self, node: sql.Column) -> Value:
        if isinstance(node.this, sql.Star):
            raise QuestionError("*", "stands for columns only in COUNT(*) and in subqueries")
        return self._scope.column(node.name, node.text("table") or None)

    def _size(self, tree: Tree) -> int:
        """How long a tree is when it is written out; what was measured once is known."""
        known = self._sizes.get(id(tree))
        if known is not None:
            return known[1]
        match tree:
            case Call(op, args):
                times = 1 if op in ONCE else MOST_TIMES
                size = 1 + times * sum(map(self._size, args))
            case Case(branches, otherwise):
                parts = [part for branch in branches for part in branch]
                size = 1 + sum(map(self._size, (*parts, otherwise)))
            case OneOf(this, _):
                size = 1 + self._size(this)
            case Exists(query):
                where = () if query.where is None else (query.where,)
                size = 1 + sum(map(self._size, (*where, *(join.on for join in query.joins))))
            case _:
                size = 1
        # The tree is kept beside its size, so that no other ever has its identity.
        self._sizes[id(tree)] = tree, size
        return size


def condition(value: Value, written: str) -> Value:
    """A value that is true or false, or an error that says what it is."""
    if isinstance(value.type, Truth):
        return value
    raise QuestionError(written, "must be true or false", instead="x <> 0")


def _refused(node: sql.Expr) -> QuestionError:
    if isinstance(node, AGGREGATES):
        rule = "an aggregate stands in SELECT, HAVING or ORDER BY, not inside of another expression"
        return QuestionError(written_sql(node), rule)
    if isinstance(node, sql.Interval):
        rule = "is added to a date or taken from it, and nothing else"
        return QuestionError(written_sql(node), rule, instead="x + INTERVAL '3' DAY")
    return QuestionError(written_sql(node), "cannot stand here")
