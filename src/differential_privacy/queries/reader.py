"""Reads the relations of a question: tables, joins, subqueries, unions.

Rule 1: every private table is read through its scan, so that each row carries its owner.
Rule 2: a name means what it meant where it was written, so that no query can contain itself.
"""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from itertools import count

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.comparisons import compared
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.owning import own, place_of
from differential_privacy.queries.relations import Bound, Frame, Mode, Sources, places_of
from differential_privacy.queries.scope import FrameScope, Named
from differential_privacy.queries.subqueries import subquery
from differential_privacy.queries.unions import united
from differential_privacy.queries.values import Value, column_type
from differential_privacy.sources import HASH, Table
from differential_privacy.sources.trees import Derived, Join, Name, Op, Tree, all_of, conjuncts

__all__ = ["Reader", "columns_named"]

MOST_RELATIONS = 64
"""So many tables and subqueries are read for one question, each as often as it is named."""


class Reader:
    """Reads the relations of one question, in one mode; `wanted` are the columns that it names."""

    def __init__(self, sources: Sources, mode: Mode, wanted: frozenset[str]) -> None:
        self.sources = sources
        self.mode = mode
        self._wanted = wanted
        self._aliases = count()

    def frame(
        self, node: sql.Expr, named: Mapping[str, Named], outside: FrameScope | None = None
    ) -> Frame:
        """FROM, JOIN and WHERE of a SELECT."""
        named = _with_named(node, named)
        start = node.args.get("from_")
        if start is None:
            raise QuestionError("SELECT", "needs FROM: a question is asked of a table")
        frame = Frame([self._relation(start.this, named)])
        scope = FrameScope(frame, reader=self, named=named, outside=outside)
        for join in node.args.get("joins") or ():
            self._join(join, frame, scope, named)
        where = node.args.get("where")
        if where is not None:
            frame.where += _every(where.this, scope)
        own(frame, self.sources)
        return frame

    def query(self, node: sql.Expr, name: str, named: Mapping[str, Named]) -> Bound:
        """A subquery in the place of a table."""
        while isinstance(node, sql.Subquery):
            node = node.this
        if not isinstance(node, sql.Select | sql.Union):
            raise QuestionError(f"({node})", "is no subquery: write SELECT, or no parentheses")
        for part, name_of in (("order", "ORDER BY"), ("limit", "LIMIT")):
            if node.args.get(part) is not None:
                rule = "inside of a subquery depends on other people's rows"
                raise QuestionError(name_of, rule, instead=f"{name_of} at the very end")
        if not isinstance(node, sql.Union):
            return subquery(self, node, name, named)
        named = _with_named(node, named)
        if node.args.get("distinct"):
            rule = "drops a row because another person has the same"
            raise QuestionError("UNION", rule, instead="UNION ALL")
        if node.args.get("by_name"):
            raise QuestionError("UNION ALL BY NAME", "is not offered: list the columns in order")
        one, other = (self.query(part, name, named) for part in (node.this, node.expression))
        return united(one, other, name=name, alias=self.alias(), mode=self.mode)

    def alias(self) -> str:
        """A name that no other relation of the question has."""
        number = next(self._aliases)
        if number >= MOST_RELATIONS:
            rule = f"reads more than {MOST_RELATIONS} tables and subqueries: ask for less at once"
            raise QuestionError("the question", rule)
        return f"r{number}"

    def _relation(self, node: sql.Expr, named: Mapping[str, Named]) -> Bound:
        if isinstance(node, sql.Subquery):
            bound = self.query(node.this, node.alias_or_name, named)
            return _renamed(bound if bound.name else replace(bound, name=bound.alias), node)
        if not isinstance(node, sql.Table) or not isinstance(node.this, sql.Identifier):
            raise QuestionError(str(node), "is no table: tables are named as the policy names them")
        known = named.get(node.name.lower())
        if known is None:
            return _renamed(self._table(node.name, node.alias_or_name), node)
        # A shared query is read where it is used, with the names that it was written with.
        bound = self.query(known.node.this, node.alias_or_name, known.named)
        return _renamed(_renamed(bound, known.node), node)

    def _table(self, written: str, name: str) -> Bound:
        tables = {key.lower(): table for key, table in self.sources.tables.items()}
        table = tables.get(written.lower())
        if table is None:
            close = get_close_matches(written.lower(), tables, n=1)
            names = ", ".join(sorted(one.name for one in tables.values()))
            rule = f"is no table of this policy, which has: {names}"
            instead = tables[close[0]].name if close else None
            raise QuestionError(written, rule, instead=instead)
        alias = self.alias()
        columns = {
            column.name.lower(): self._column(table, column.name, alias)
            for column in table.columns
            if column.name.lower() in self._wanted or "*" in self._wanted
        }
        rows = table.rows if self.mode.rows else None
        hashed = self.mode.hashed and not table.owned_by_row
        named = [table.column(column).name for column in columns]
        stored = self.sources.prepared(table, "t")
        scan = self.sources.scanner.scan(table, named, hashed=hashed, rows=rows, prepared=stored)
        return Bound(
            name,
            Derived(scan, alias, f"scan({table.name!r}, {named}, {hashed}, {rows})"),
            columns,
            None if table.public else table.unit,
            1 if table.owned_by_row else rows,
            (Name(alias, HASH),) if hashed else (),
            table,
            table.owned_by_row,
            self.sources.scanner.owner_is_text(table),
            frozenset() if table.public else frozenset({table.name}),
            places_of(columns),
        )

    def _column(self, table: Table, name: str, alias: str) -> Value:
        tree = Name(alias, name)
        if table.public:
            return Value(tree, self.sources.public_type(table, name))
        place = None if table.owned_by_row else place_of(table, name, self.sources.tables)
        return Value(tree, column_type(table.column(name)), place)

    def _join(
        self, node: sql.Expr, frame: Frame, scope: FrameScope, named: Mapping[str, Named]
    ) -> None:
        side, kind = (str(node.args.get(part) or "").upper() for part in ("side", "kind"))
        if side not in ("", "LEFT") or kind not in ("", "INNER", "CROSS", "OUTER"):
            rule = "is not offered: use JOIN, LEFT JOIN, or EXISTS in WHERE"
            raise QuestionError(" ".join(filter(None, (side, kind, "JOIN"))), rule)
        bound = self._relation(node.this, named)
        if any(one.name.lower() == bound.name.lower() for one in frame.bounds):
            raise QuestionError(bound.name, "stands twice in FROM: give one of them another name")
        frame.bounds.append(bound)
        on = node.args.get("on")
        conditions = [] if on is None else _every(on, scope)
        for identifier in node.args.get("using") or ():
            conditions.append(_using(identifier.name, bound, frame))
        frame.conditions[bound.alias] = conditions
        frame.joins.append(Join(bound.relation, all_of(*conditions), side == "LEFT"))
        if side == "LEFT":
            # Only what comes after its own condition meets a row that may not be there.
            columns = {key: value.optional() for key, value in bound.columns.items()}
            frame.bounds[-1] = replace(bound, columns=columns)
            frame.outer.add(bound.alias)


def columns_named(root: sql.Expr) -> frozenset[str]:
    """The columns that a question may read: all whose name stands in it; `*` for every one."""
    names = {node.name.lower() for node in root.find_all(sql.Column)}
    for join in root.find_all(sql.Join):
        names |= {identifier.name.lower() for identifier in join.args.get("using") or ()}
    stars = [node for node in root.find_all(sql.Star) if not isinstance(node.parent, sql.Count)]
    renamed = [node for node in root.find_all(sql.TableAlias) if node.args.get("columns")]
    return frozenset({*names, "*"} if stars or renamed else names)


def _with_named(node: sql.Expr, named: Mapping[str, Named]) -> Mapping[str, Named]:
    """What names mean inside of a query: each that WITH gives sees those before it."""
    shared = node.args.get("with_")
    if shared is None:
        return named
    given: set[str] = set()
    for query in shared.expressions:
        name = query.alias.lower()
        if name in given:
            raise QuestionError(query.alias, "stands twice in WITH: give one of them another name")
        given.add(name)
        named = {**named, name: Named(query, named)}
    return named


def _renamed(bound: Bound, node: sql.Expr) -> Bound:
    """With the column names that an alias lists."""
    alias = node.args.get("alias")
    columns = [] if alias is None else alias.args.get("columns") or []
    if not columns:
        return bound
    listed = [one.name.lower() for one in columns]
    if len(listed) != len(bound.columns) or len(set(listed)) < len(listed):
        rule = f"must name each of its {len(bound.columns)} columns once"
        raise QuestionError(str(alias), rule)
    return replace(bound, columns=dict(zip(listed, bound.columns.values(), strict=True)))


def _every(node: sql.Expr, scope: FrameScope) -> list[Tree]:
    """The conditions that an AND joins, each of them, also where one can never be true."""
    if isinstance(node, sql.Paren):
        return _every(node.this, scope)
    if isinstance(node, sql.And):
        return [*_every(node.this, scope), *_every(node.expression, scope)]
    return conjuncts(Expressions(scope).condition(node).tree)


def _using(name: str, bound: Bound, frame: Frame) -> Tree:
    key = name.lower()
    there = bound.columns.get(key)
    here = [one.columns[key] for one in frame.bounds[:-1] if key in one.columns]
    mine = frame.merged.get(key) or (here[0] if len(here) == 1 else None)
    if there is None or mine is None:
        raise QuestionError(f"USING ({name})", "must name one column of each side")
    frame.merged[key] = mine
    return compared(Op.EQUAL, mine, there).tree
