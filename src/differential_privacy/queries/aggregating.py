"""Where aggregates stand in a SELECT, what it groups by, and what its columns are called."""

from collections.abc import Sequence

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.expressions import AGGREGATES

__all__ = ["aggregate_nodes", "bare", "column_names", "group_nodes"]

QUANTILES = (sql.Quantile, sql.ApproxQuantile, sql.PercentileCont, sql.PercentileDisc)


def aggregate_nodes(node: sql.Expr) -> list[sql.Expr]:
    """The aggregates in an expression, not those inside of others or of subqueries."""
    if isinstance(node, AGGREGATES):
        return [node]
    if isinstance(node, sql.Select | sql.Union | sql.Subquery):
        return []
    return [found for part in node.iter_expressions() for found in aggregate_nodes(part)]


def column_names(expressions: Sequence[sql.Expr]) -> list[str]:
    """The names that a SELECT gives to its columns, each once.

    >>> column_names(parsed_question("select x, x, avg(cost), 1 + 1 as two from t").expressions)
    ['x', 'x_', 'avg_cost', 'two']
    >>> column_names(parsed_question("select quantile_cont(cost, 0.9) from t").expressions)
    ['quantile_cost']
    """
    names: list[str] = []
    for place, node in enumerate(expressions, start=1):
        name = node.alias or _made_up(node) or f"column_{place}"
        while name.lower() in (known.lower() for known in names):
            name += "_"
        names.append(name)
    return names


def group_nodes(node: sql.Expr, expressions: Sequence[sql.Expr]) -> list[sql.Expr]:
    """The expressions of GROUP BY, or of DISTINCT; numbers and names stand for columns."""
    group = node.args.get("group")
    columns = [bare(one) for one in expressions]
    if node.args.get("distinct") is not None:
        if group is not None or any(aggregate_nodes(one) for one in columns):
            raise QuestionError("DISTINCT", "stands alone: use GROUP BY with aggregates")
        return columns
    if group is None:
        return []
    if group.args.get("all"):
        return [one for one in columns if not aggregate_nodes(one)]
    found = [_meant(one, expressions) for one in group.expressions]
    if any(aggregate_nodes(one) for one in found):
        raise QuestionError("GROUP BY", "cannot hold an aggregate: use a subquery")
    return found


def bare(node: sql.Expr) -> sql.Expr:
    """An expression without the name that it is given."""
    inner: sql.Expr = node.this if isinstance(node, sql.Alias) else node
    return inner


def _meant(node: sql.Expr, expressions: Sequence[sql.Expr]) -> sql.Expr:
    """The column that a place or a name of SELECT stands for."""
    if isinstance(node, sql.Literal) and not node.is_string:
        text = str(node.this)
        place = int(text) if text.isdecimal() else 0
        if not 1 <= place <= len(expressions):
            raise QuestionError(f"GROUP BY {text}", "must be the place of a column")
        return bare(expressions[place - 1])
    if isinstance(node, sql.Column) and not node.args.get("table"):
        for one in expressions:
            if isinstance(one, sql.Alias) and one.alias.lower() == node.name.lower():
                return bare(one)
    return node


def _made_up(node: sql.Expr) -> str:
    """A column's own name, and avg_cost for AVG(cost)."""
    if isinstance(node, sql.Column):
        return node.name
    if not isinstance(node, AGGREGATES):
        return ""
    inner = node.this if isinstance(node, sql.Filter | sql.WithinGroup) else node
    key = "quantile" if isinstance(inner, QUANTILES) else inner.key
    columns = [column.name for column in node.find_all(sql.Column)]
    return "_".join([key, *columns[:1]])
