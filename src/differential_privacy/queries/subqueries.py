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
from differential_privacy.queries.conditions import placed
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.grouping import Groups
from differential_privacy.queries.groups import public_parts
from differential_privacy.queries.known import promised_rows, promises
from differential_privacy.queries.narrowing import Narrowing
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
from differential_privacy.sources.trees import NULL, Derived, Name, Select, Tree, names_in

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
        self._narrowing = Narrowing(frame)
        self.owner = frame.owner
        self.most = frame.most
        self.known = frame.known

    @property
    def by(self) -> list[Tree] | None:
        """Trees that no two rows of a person agree on, where that is known."""
        first, *others = self._frame.bounds
        if others or first.unique is None:
            return None
        return [Name(first.alias, name) for name in first.unique]

    def value(self, node: sql.Expr) -> Value:
        return self._scope.value(node)

    def near(self, node: sql.Expr) -> Value:
        return self._narrowing.value(node)

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
    names: dict[Tree, Name] = {}
    near: list[tuple[Name, Value]] = []
    for place, (key, one) in enumerate(zip(column_names(listed), listed, strict=True)):
        value = rows.value(bare(one))
        # NULL stays as it is written, for it has the type of what it is joined with.
        if value.tree != NULL:
            pairs.append((f"c{place}", as_column(value)))
            column = Name(alias, f"c{place}")
            near.append((column, rows.near(bare(one))))
            if not value.constant:
                names[value.tree] = column
            value = replace(value, tree=column)
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
        known=(*_told(frame, near, columns, reader.sources), *_renamed(rows.known, names, alias)),
        unique=_unique(rows.by, names),
    )


def _told(
    frame: Frame,
    near: Sequence[tuple[Name, Value]],
    columns: Mapping[str, Value],
    sources: Sources,
) -> list[Tree]:
    """What is true of columns in these rows: of each by itself, and of those of public tables."""
    wide = {value.tree: value for value in columns.values()}
    found = [one for column, value in near for one in promises(value, wide[column])]
    for part in public_parts(frame, [value for _, value in near], sources):
        found += promised_rows([near[place][0] for place in part.places], part.rows)
    return found


def _renamed(known: Sequence[Tree], names: Mapping[Tree, Tree], alias: str) -> list[Tree]:
    """What is true of each row and can be said of its columns."""
    said = [(one, placed(one, names)) for one in known]
    return [
        after
        for before, after in said
        if after != before and all(name.relation == alias for name in names_in(after))
    ]


def _unique(by: Sequence[Tree] | None, names: Mapping[Tree, Name]) -> frozenset[str] | None:
    """The columns that no two rows agree on, where all of what that takes is among them."""
    if by is None or not all(tree in names for tree in by):
        return None
    return frozenset(names[tree].column for tree in by)


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
