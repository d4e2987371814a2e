"""What names and subqueries mean where an expression stands.

Rule 1: a subquery in a condition reads public rows, or rows of the person whose row is judged.
Rule 2: a subquery as a value reads public tables alone: it is a constant, part of the question.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Protocol

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.aggregating import aggregate_nodes, bare, column_names
from differential_privacy.queries.comparisons import compared
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.owning import how_linked, linked
from differential_privacy.queries.relations import Bound, Frame, Sources
from differential_privacy.queries.values import Truth, Value, as_column, folded
from differential_privacy.sources.trees import (
    FALSE,
    NULL,
    TRUE,
    Exists,
    Literal,
    Op,
    Select,
    Tree,
    any_of,
    call,
    when,
)

__all__ = ["FrameReader", "FrameScope", "Named"]


@dataclass(frozen=True, slots=True)
class Named:
    """A query that WITH names, and what names meant where it was written."""

    node: sql.Expr
    named: Mapping[str, "Named"]


class FrameReader(Protocol):
    """Reads the frame of a subquery."""

    sources: Sources

    def frame(
        self, node: sql.Expr, named: Mapping[str, Named], outside: "FrameScope | None" = None
    ) -> Frame:
        """FROM, JOIN and WHERE of a SELECT."""

    def query(self, node: sql.Expr, name: str, named: Mapping[str, Named]) -> Bound:
        """A subquery in the place of a table."""


class FrameScope:
    """Names of a frame's columns; a subquery's scope also sees the frame around it."""

    def __init__(
        self,
        frame: Frame,
        *,
        reader: FrameReader | None = None,
        named: Mapping[str, Named] | None = None,
        outside: "FrameScope | None" = None,
    ) -> None:
        self._frame = frame
        self._reader = reader
        self._named = named or {}
        self._outside = outside

    def column(self, name: str, table: str | None) -> Value:
        """The column of a name, here or outside."""
        key = name.lower()
        if table is None and key in self._frame.merged:
            return self._frame.merged[key]
        bounds = [
            bound
            for bound in self._frame.bounds
            if table is None or bound.name.lower() == table.lower()
        ]
        found = [bound.columns[key] for bound in bounds if key in bound.columns]
        if len(found) > 1:
            names = " or ".join(f"{bound.name}.{name}" for bound in bounds if key in bound.columns)
            raise QuestionError(name, "is a column of several tables", instead=names)
        if found:
            return found[0]
        if self._outside is not None and (table is None or not bounds):
            return self._outside.column(name, table)
        if table is not None and not bounds:
            raise QuestionError(table, f"is no table here{_nearest(table, self._tables())}")
        known = [column for bound in bounds for column in _columns(bound)]
        shown = f"{table}.{name}" if table else name
        raise QuestionError(shown, f"is no column here{_nearest(name, known)}")

    def exists(self, query: sql.Expr) -> Value:
        """EXISTS: whether a subquery has a row that goes with this one."""
        frame, _ = self._subframe(query, "EXISTS")
        if frame.unit is not None:
            self._compare_owners(frame)
        return Value(_any_row(frame), Truth(nullable=False))

    def among(self, value: Value, query: sql.Expr) -> Value:
        """IN: whether a subquery has a row with this value; unknown where NULL leaves it open."""
        frame, columns = self._subframe(query, "IN")
        if len(columns) != 1:
            raise QuestionError("IN (SELECT ...)", "needs one column")
        there = Expressions(FrameScope(frame, outside=self)).value(bare(columns[0]))
        same, before = compared(Op.EQUAL, value, there), list(frame.where)
        frame.where = [*before, same.tree]
        if frame.unit is not None:
            self._compare_owners(frame)
        found = _any_row(frame)
        if not same.nullable:
            return Value(found, Truth(nullable=False))
        unknown = any_of(call(Op.IS_NULL, value.tree), call(Op.IS_NULL, there.tree))
        frame.where = [*frame.where[:-1], unknown]
        return Value(when(found, TRUE, when(_any_row(frame), NULL, FALSE)), Truth())

    def scalar(self, query: sql.Expr) -> Value:
        """A subquery as a value: it is read here and now, for everybody may know what it reads."""
        instead = "ask it first, and write the number that you get here"
        if self._reader is None:
            rule = "stands as a value in WHERE and ON only"
            raise QuestionError("(SELECT ...)", rule, instead=instead)
        sources = self._reader.sources
        read = _tables_read(query, self._named, sources)
        if not all(sources.tables[name].public for name in read):
            rule = "a subquery as a value would read other people's rows"
            raise QuestionError("(SELECT ...)", rule, instead=instead)
        bound = self._reader.query(query, "(SELECT ...)", self._named)
        count = Select((("rows", call(Op.ROWS)),), bound.relation)
        ((many,),) = sources.public_rows(count, read)
        if len(bound.columns) != 1 or int(many or 0) > 1:
            rule = "as a value needs one column and one row at the most"
            raise QuestionError("(SELECT ...)", rule, instead="SELECT MAX(x) FROM ...")
        (value,) = bound.columns.values()
        found = sources.public_rows(Select((("x", as_column(value)),), bound.relation), read)
        return folded(replace(value, tree=Literal(found[0][0] if found else None)))

    def _subframe(self, query: sql.Expr, what: str) -> tuple[Frame, list[sql.Expr]]:
        """The rows of a subquery, and its columns; that they are distinct makes no difference."""
        if self._reader is None:
            raise QuestionError(f"{what} (SELECT ...)", "stands in WHERE and ON only")
        if not isinstance(query, sql.Select):
            raise QuestionError(f"{what} (...)", "needs one SELECT")
        for part, name in (("order", "ORDER BY"), ("limit", "LIMIT")):
            if query.args.get(part) is not None:
                raise QuestionError(name, f"is not offered in {what} (SELECT ...)")
        columns = list(query.expressions)
        grouped = any(query.args.get(part) is not None for part in ("group", "having"))
        if grouped or any(aggregate_nodes(one) for one in columns):
            # Groups are made first, in a place where nothing outside is seen.
            table = sql.Subquery(this=query.copy())
            columns = [sql.column(name) for name in column_names(columns)]
            query = sql.Select(expressions=[sql.Star()], from_=sql.From(this=table))
        return self._reader.frame(query, self._named, self), columns

    def _compare_owners(self, inner: Frame) -> None:
        """Rows of other people must not decide about this one."""
        mine = self._frame
        rule = "rows of other people would decide: compare whose rows they are"
        if mine.unit != inner.unit or mine.owner is None or inner.owner is None:
            raise QuestionError("a subquery in a condition", rule)
        pairs = [(one, other) for one in mine.private for other in inner.private]
        same = mine.owner_is_text == inner.owner_is_text
        if not same or not any(linked(inner.where, one, other) for one, other in pairs):
            sources = None if self._reader is None else self._reader.sources
            found = [how_linked(*pair, sources) for pair in pairs if sources is not None]
            equality = next((one for one in found if one is not None), None)
            instead = None if equality is None else f"WHERE {equality}"
            raise QuestionError("a subquery in a condition", rule, instead=instead)
        inner.where.insert(0, call(Op.EQUAL, inner.owner, mine.owner))

    def _tables(self) -> list[str]:
        return [bound.name for bound in self._frame.bounds]


def _tables_read(node: sql.Expr, named: Mapping[str, Named], sources: Sources) -> set[str]:
    """The tables that a query reads, by itself and by what WITH names."""
    known = {name.lower(): name for name in sources.tables}
    found: set[str] = set()
    for table in node.find_all(sql.Table):
        name = table.name.lower()
        if name in named:
            found |= _tables_read(named[name].node, named[name].named, sources)
        elif name in known:
            found.add(known[name])
    return found


def _any_row(frame: Frame) -> Tree:
    return Exists(frame.select([("one", Literal(1))]))


def _columns(bound: Bound) -> list[str]:
    """All that may be named, also what the question does not name."""
    if bound.table is None:
        return list(bound.columns)
    return [column.name for column in bound.table.columns]


def _nearest(name: str, known: list[str]) -> str:
    lowered = {one.lower(): one for one in known}
    close = get_close_matches(name.lower(), lowered, n=1)
    if close:
        return f": did you mean {lowered[close[0]]}?"
    return f", which has {', '.join(known)}" if known else ""
