"""Expressions over the rows that WHERE leaves: trees for any row at all, types for these alone.

Rule 1: a tree is made as if nothing was known of a row, so that it fails on none, in whichever
order an engine computes and filters; what is summed is held to narrower ends by its own tree.

Theorem: what conditions leave of each column is true of every row that comes out, and so is what
interval arithmetic makes of it.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.known import met, narrowed
from differential_privacy.queries.relations import Frame
from differential_privacy.queries.scope import FrameScope
from differential_privacy.queries.values import Value, Whole
from differential_privacy.sources.trees import Literal, Op, Tree, call, choose, conjuncts

__all__ = ["Narrowing"]


class Narrowing:
    """Reads expressions over a frame whose conditions are all known."""

    def __init__(self, frame: Frame, also: Sequence[Tree] = ()) -> None:
        self._frame = frame
        self._known = [*frame.known, *also]
        self._wide = Expressions(FrameScope(frame))
        self._near = Expressions(_Near(frame, self._known))

    def within(self, condition: Tree) -> "Narrowing":
        """The same over those rows in which a condition is true as well."""
        also = conjuncts(condition)
        return Narrowing(self._frame, also) if also else self

    def condition(self, node: sql.Expr | None) -> Value:
        """An expression that is true or false."""
        return self._wide.condition(node)

    def value(self, node: sql.Expr | None) -> Value:
        """An expression, with the type that it has in these rows."""
        return self._near_to(self._wide.value(node), node)

    def held(self, node: sql.Expr | None) -> Value:
        """The same, held to its ends in any row."""
        wide = self._wide.value(node)
        near = self._near_to(wide, node)
        one, two = wide.type, near.type
        if not isinstance(one, Whole) or not isinstance(two, Whole):
            return near
        ends = []
        if two.low > one.low:
            ends.append((call(Op.LESS, wide.tree, two.low), Literal(two.low)))
        if two.high < one.high:
            ends.append((call(Op.LESS, two.high, wide.tree), Literal(two.high)))
        return replace(near, tree=choose(tuple(ends), wide.tree))

    def _near_to(self, wide: Value, node: sql.Expr | None) -> Value:
        if not self._known:
            return wide
        try:
            near = met(wide, self._near.value(node))
        except QuestionError:
            # What can be read of any row is read of these, if with a wider type.
            near = wide
        return narrowed(near, self._known)


class _Near:
    """A frame's columns with the types that they have in its rows."""

    def __init__(self, frame: Frame, known: Sequence[Tree]) -> None:
        self._scope, self._known = FrameScope(frame), known
        self._found: dict[Tree, Value] = {}

    def column(self, name: str, table: str | None) -> Value:
        value = self._scope.column(name, table)
        if value.tree not in self._found:
            self._found[value.tree] = narrowed(value, self._known)
        return self._found[value.tree]

    def exists(self, query: sql.Expr) -> Value:
        return self._scope.exists(query)

    def among(self, value: Value, query: sql.Expr) -> Value:
        return self._scope.among(value, query)

    def scalar(self, query: sql.Expr) -> Value:
        return self._scope.scalar(query)
