"""Aggregates of one person's rows, or of public rows: a subquery with GROUP BY or DISTINCT.

Rule 1: a group holds rows of one person, whom the engine groups by whatever the question says.

Theorem: so each group has one owner, and what is computed of it depends on that owner's rows alone.
One person has at most as many groups as rows, and as there are combinations of the keys' values; a
key that names the person is taken once for each.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries import arithmetic
from differential_privacy.queries.aggregating import aggregate_nodes, group_nodes
from differential_privacy.queries.conditions import placed
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.groups import listed_groups
from differential_privacy.queries.narrowing import Narrowing
from differential_privacy.queries.owning import owner_names
from differential_privacy.queries.parsing import written_sql
from differential_privacy.queries.relations import Frame, Sources
from differential_privacy.queries.scope import FrameScope
from differential_privacy.queries.values import (
    Text,
    Truth,
    Type,
    Value,
    Whole,
    as_column,
    exact_number,
)
from differential_privacy.sources import OWNER, Kind, Scanner
from differential_privacy.sources.columns import WIDEST
from differential_privacy.sources.ranks import OTHER_PRIME, PRIME, owner_residue, residue_of
from differential_privacy.sources.trees import (
    TRUE,
    Call,
    Case,
    Derived,
    Literal,
    Name,
    OneOf,
    Op,
    Select,
    Tree,
    call,
    choose,
    conjuncts,
    when,
)

__all__ = ["Groups"]

MOST_ROWS = 1 << 40
"""More rows than one person has."""

LIKELY_ROWS = 1 << 20
"""The mean of so many rows is never cut, where nobody says how many a person has."""

INNER = "t"
MILLION = 10**6


class Groups:
    """The groups of a SELECT: what is asked of each is read first, then the rows are taken."""

    def __init__(
        self, frame: Frame, node: sql.Expr, columns: Sequence[sql.Expr], sources: Sources
    ) -> None:
        self._frame, self._sources = frame, sources
        self._rows = Narrowing(frame)
        self._groups = Expressions(FrameScope(frame), aggregate=self._aggregate)
        nodes = group_nodes(node, columns)
        self._keys = [self._rows.value(one) for one in nodes]
        having = node.args.get("having")
        asked = [*columns, *([] if having is None else [having.this])]
        self._check_owned(asked, sources)
        self._trees: dict[Tree, tuple[str, Tree]] = {}
        self._by: list[Tree] = []
        if frame.owner is not None:
            self._trees[frame.owner] = (OWNER, frame.owner)
            self._by.append(frame.owner)
        for key in self._keys:
            self._place_key(key)
        self._grouped = bool(self._by)
        self._having = TRUE if having is None else self._condition(having.this)

    @property
    def owner(self) -> Tree | None:
        """Whose a group is."""
        return None if self._frame.owner is None else Name(INNER, OWNER)

    @property
    def by(self) -> list[Tree]:
        """Trees that no two groups of a person agree on."""
        keys = [key for key in self._keys if not key.owner and not key.constant]
        return [self._placed(key.tree) for key in keys]

    @property
    def known(self) -> list[Tree]:
        """What is true of each group: what is of its rows, and HAVING."""
        keys = {key.tree: self._placed(key.tree) for key in self._keys if not key.constant}
        return [*(placed(one, keys) for one in self._frame.known), *conjuncts(self._having)]

    @property
    def most(self) -> int | None:
        """How many groups one person can have."""
        if self.owner is None:
            return None
        keys = {key.tree: key for key in self._keys if not key.owner and not key.constant}
        groups = listed_groups(self._frame, list(keys.values()), self._sources)
        most = self._frame.most
        if groups is None:
            return most
        return len(groups) if most is None else min(len(groups), most)

    def value(self, node: sql.Expr) -> Value:
        """A column of the groups: keys, aggregates, and what is computed from them."""
        value = self._groups.value(node)
        return replace(value, tree=self._placed(value.tree))

    def near(self, node: sql.Expr) -> Value:
        """The same, as it is in these groups: what is computed of aggregates is so already."""
        return self.value(node) if aggregate_nodes(node) else self._rows.value(node)

    def hash(self, scanner: Scanner) -> Tree:
        """Tells the groups of one person apart."""
        keys = [key for key in self._keys if not key.constant]
        highs, lows = (
            [residue_of(self._placed(key.tree), _kind(key.type), prime=prime) for key in keys]
            for prime in (PRIME, OTHER_PRIME)
        )
        if self.owner is not None:
            owner = owner_residue(self.owner, text=self._frame.owner_is_text)
            highs.append(owner)
            lows.append(owner)
        return scanner.ranks.of_row(highs, lows)

    def select(self, columns: Sequence[tuple[str, Tree]]) -> Select:
        """Columns of these groups, in the names that `value` gave."""
        inner = self._frame.select(list(self._trees.values()), self._by)
        where = None if self._having == TRUE else self._having
        return Select(tuple(columns), Derived(inner, INNER), where=where)

    def _check_owned(self, asked: Sequence[sql.Expr], sources: Sources) -> None:
        frame = self._frame
        if frame.unit is None or any(key.refers is not None for key in self._keys):
            return
        aggregates = [written_sql(found) for one in asked for found in aggregate_nodes(one)]
        written = next(iter(aggregates), "DISTINCT or GROUP BY")
        if frame.row_owned:
            rule = "mixes rows of several people, for each row is one: ask this at the very end"
            raise QuestionError(written, rule)
        first = frame.private[0]
        names = owner_names(first, sources)
        instead = f"GROUP BY {first.name}.{names[0]}, ..." if names else None
        rule = "mixes rows of several people inside of a subquery: group by the person as well"
        raise QuestionError(written, rule, instead=instead)

    def _place_key(self, key: Value) -> None:
        if key.constant or key.tree in self._trees:
            return
        name = f"k{len(self._trees)}"
        if key.owner:
            # It is the same in all rows of a person, so any of them tells it.
            self._trees[key.tree] = (name, call(Op.LOWEST, key.tree))
        else:
            self._trees[key.tree] = (name, key.tree)
            self._by.append(key.tree)

    def _stored(self, aggregate: Tree) -> Tree:
        """The name of an aggregate, computed once however often it is asked for."""
        name, _ = self._trees.setdefault(aggregate, (f"a{len(self._trees)}", aggregate))
        return Name(INNER, name)

    def _condition(self, node: sql.Expr) -> Tree:
        return self._placed(self._groups.condition(node).tree)

    def _placed(self, tree: Tree) -> Tree:
        """A tree over rows as one over groups: each key stands in it as a whole."""
        known = self._trees.get(tree)
        if known is not None:
            return Name(INNER, known[0])
        match tree:
            case Name(relation, _) if relation != INNER:
                raise QuestionError(
                    self._written(tree), "must be in GROUP BY, or inside of an aggregate"
                )
            case Call(op, args):
                return Call(op, tuple(map(self._placed, args)))
            case Case(branches, otherwise):
                placed = tuple((self._placed(test), self._placed(then)) for test, then in branches)
                return Case(placed, self._placed(otherwise))
            case OneOf(this, values):
                return OneOf(self._placed(this), values)
            case _:
                return tree

    def _written(self, tree: Tree) -> str:
        """What the analyst calls a column."""
        return next(
            name
            for bound in self._frame.bounds
            for name, value in bound.columns.items()
            if value.tree == tree
        )

    def _aggregate(self, node: sql.Expr) -> Value:
        """One aggregate of each group; `kept` are the rows that FILTER leaves."""
        kept: Tree = TRUE
        written = written_sql(node)
        if isinstance(node, sql.Filter):
            kept = self._rows.condition(node.expression.this).tree
            node = node.this
        inner = node.this
        if isinstance(node, sql.Count):
            return self._count(inner, kept, written)
        value = None if inner is None else self._rows.within(kept).held(inner)
        kind = None if value is None else value.type
        offered = isinstance(node, sql.Sum | sql.Avg | sql.Min | sql.Max)
        if value is None or not isinstance(kind, Whole) or not offered:
            rule = (
                "is not offered of one person's rows: COUNT, SUM, AVG, MIN and MAX of numbers are"
            )
            instead = "MAX(CASE WHEN x THEN 1 ELSE 0 END)" if isinstance(kind, Truth) else None
            raise QuestionError(written, rule, instead=instead)
        sure = self._grouped and kept == TRUE
        value = Value(_kept(as_column(value), kept), kind, listed=value.listed)
        kind = replace(kind, nullable=kind.nullable or not sure)
        if isinstance(node, sql.Min | sql.Max):
            op = Op.LOWEST if isinstance(node, sql.Min) else Op.HIGHEST
            return Value(self._stored(call(op, value.tree)), kind, listed=value.listed)
        if not kind.is_number:
            rule = "is not offered of dates in a subquery: MIN and MAX are"
            raise QuestionError(written, rule)
        return self._mean(value, kind) if isinstance(node, sql.Avg) else self._sum(value, kind)

    def _count(self, inner: sql.Expr | None, kept: Tree, written: str) -> Value:
        rows = inner is None or isinstance(inner, sql.Star)
        if rows:
            tree = call(Op.ROWS) if kept == TRUE else call(Op.COUNT, when(kept, Literal(1)))
        elif isinstance(inner, sql.Distinct):
            if len(inner.expressions) != 1:
                raise QuestionError(written, "DISTINCT is for COUNT of one expression")
            value = self._rows.value(inner.expressions[0])
            tree = call(Op.DISTINCT, _kept(value.tree, kept))
        else:
            tree = call(Op.COUNT, _kept(self._rows.within(kept).held(inner).tree, kept))
        low = 1 if rows and kept == TRUE and self._grouped else 0
        most, known = self._most_rows
        kind = Whole(Kind.INTEGER, Fraction(1), low, most, known, nullable=False)
        return Value(_held(self._stored(tree), low, most), kind)

    def _sum(self, value: Value, kind: Whole, farthest: int = WIDEST) -> Value:
        most, known = self._most_rows
        low, high = most * min(kind.low, 0), most * max(kind.high, 0)
        if not known:
            low, high = max(-farthest, low), min(farthest, high)
        total = _held(self._stored(call(Op.SUM, value.tree)), low, high)
        declared = kind.declared and known
        return Value(total, replace(kind, low=low, high=high, declared=declared))

    def _mean(self, value: Value, kind: Whole) -> Value:
        """The sum over the count, to the nearest millionth, within the range of what it is of."""
        most, known = self._most_rows
        farthest = WIDEST // 4 // (kind.step * MILLION).numerator
        if farthest < (most if known else LIKELY_ROWS) * max(-kind.low, kind.high):
            rule = "needs a narrower range"
            raise QuestionError("AVG", rule, instead="AVG(CLAMP(x, 0, 100))")
        total = self._sum(value, kind, farthest)
        count = call(Op.COUNT, value.tree)
        counted = Whole(Kind.INTEGER, Fraction(1), 0, most, known, nullable=False)
        rows = Value(_held(self._stored(count), 0, most), counted)
        mean = arithmetic.divided(total, rows)
        ends = (exact_number(end * kind.step) for end in (kind.low, kind.high))
        found = arithmetic.clamped(mean, *ends)
        told = replace(arithmetic.number_type(found, "AVG"), declared=kind.declared)
        return replace(found, type=replace(told, nullable=kind.nullable))

    @property
    def _most_rows(self) -> tuple[int, bool]:
        """How many rows a group has at most, and whether that is known."""
        most = self._frame.most
        return (MOST_ROWS, False) if most is None else (max(most, 1), True)


def _kept(tree: Tree, kept: Tree) -> Tree:
    return tree if kept == TRUE else when(kept, tree)


def _held(tree: Tree, low: int, high: int) -> Tree:
    """A sum or count of any length, between two ends, in 64 bits."""
    ends = ((call(Op.LESS, tree, low), Literal(low)), (call(Op.LESS, high, tree), Literal(high)))
    return choose(ends, call(Op.WHOLE, tree))


def _kind(kind: Type) -> Kind:
    if isinstance(kind, Whole):
        return kind.kind
    return Kind.TEXT if isinstance(kind, Text) else Kind.BOOLEAN
