"""Subqueries in the place of a table: columns computed row by row, or of each person's groups.

Rule 1: what an analyst names a column stays here: engines know it by its place, so that no name
can be taken for an owner's, a hash's or a rank's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from sqlglot import expressions as sql

from differential_privacy.queries.aggregating import (
    aggregate_nodes,
    bare,
    column_names,
    group_nodes,
)
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.grouping import Groups
from differential_privacy.queries.relations import (
    Bound,
    Frame,
    Mode,
    Sources,
    combined_hash,
    places_of,
)
from differential_privacy.queries.scope import FrameReader, FrameScope, Named
from differential_privacy.queries.values import Value, as_column
from differential_privacy.sources import HASH, OWNER, Scanner
from differential_privacy.sources.trees import NULL, Derived, Name, Select, Tree

__all__ = ["SubqueryReader", "aggregate_nodes", "column_names", "group_nodes", "subquery"]


class SubqueryReader(FrameReader, Protocol):
    """Reads frames and hands out names."""

    sources: Sources
    mode: Mode

    def alias(self) -> str:
        """A name that no other relation of the question has."""


class _Rows:
    """The rows of a SELECT, one by one, read as `Groups` are."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._scope = Expressions(FrameScope(frame))
        self.owner = frame.owner
        self.most = frame.most

    def value(self, node: sql.Expr) -> Value:
        return self._scope.value(node)

    def hash(self, scanner: Scanner) -> Tree:  # noqa: ARG002 - rows have their hashes already
        order = self._frame.order
        return order[0] if len(order) == 1 else combined_hash(order)

    def select(self, columns: Sequence[tuple[str, Tree]]) -> Select:
        return self._frame.select(columns)


def subquery(
    reader: SubqueryReader, node: sql.Expr, name: str, named: Mapping[str, Named]
) -> Bound:
    """A SELECT that stands in FROM."""
    frame = reader.frame(node, named)
    listed = _without_stars(node.expressions, frame)
    asks = any(node.args.get(part) is not None for part in ("group", "having", "distinct"))
    grouped = asks or any(aggregate_nodes(one) for one in listed)
    rows = Groups(frame, node, listed, reader.sources) if grouped else _Rows(frame)
    alias = reader.alias()
    pairs: list[tuple[str, Tree]] = [] if rows.owner is None else [(OWNER, rows.owner)]
    columns: dict[str, Value] = {}
    for place, (key, one) in enumerate(zip(column_names(listed), listed, strict=True)):
        value = rows.value(bare(one))
        # NULL stays as it is written, for it has the type of what it is joined with.
        if value.tree != NULL:
            pairs.append((f"c{place}", as_column(value)))
            value = replace(value, tree=Name(alias, f"c{place}"))
        columns[key.lower()] = value
    hashed = reader.mode.hashed and not frame.row_owned
    if hashed:
        pairs.append((HASH, rows.hash(reader.sources.scanner)))
    return Bound(
        name,
        Derived(rows.select(pairs), alias),
        columns,
        frame.unit,
        rows.most,
        (Name(alias, HASH),) if hashed else (),
        row_owned=frame.row_owned,
        owner_is_text=frame.owner_is_text,
        tables=frame.tables,
        places=places_of(columns),
    )


def _without_stars(expressions: Sequence[sql.Expr], frame: Frame) -> list[sql.Expr]:
    """The columns of a SELECT, with those that a star stands for."""
    listed: list[sql.Expr] = []
    for one in expressions:
        star = isinstance(one, sql.Star)
        if not star and not (isinstance(one, sql.Column) and isinstance(one.this, sql.Star)):
            listed.append(one)
            continue
        table = None if star else one.text("table").lower()
        merged: set[str] = set()
        for bound in frame.bounds:
            if table in (None, bound.name.lower()):
                keys = [key for key in bound.columns if key not in merged]
                listed += [sql.column(key, table=bound.name) for key in keys]
                if star:
                    merged |= frame.merged.keys() & bound.columns.keys()
    return listed
