"""How much of one person a question sees, and the engine's query that sees to it.

Theorem: after bounding, one person's rows add to all groups together at most `rows` rows, and the
squares of how many they add to each sum to at most `squares`; they are in at most `groups` groups.
So statistics to which a row adds a vector of L1 length l and squared length s move by at most
rows * l in L1 and by squares * s in squared L2, by the triangle inequality within each group.

Rows are bounded once for a table (by rank), or at the end of a question: by ranks of a person's
groups and of their rows in each, or by a weight that all rows of a person share.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from differential_privacy.errors import QuestionError
from differential_privacy.queries.measures import Exact, Percentile, Way
from differential_privacy.queries.questions import Asked
from differential_privacy.queries.values import Text, Type, Whole, as_column
from differential_privacy.sources import (
    OWNER,
    Bounds,
    Kind,
    Scanner,
    group_rank,
    prepared,
    row_rank,
)
from differential_privacy.sources.trees import (
    NULL,
    TRUE,
    Call,
    Derived,
    Literal,
    Name,
    Op,
    Over,
    Select,
    Tree,
    all_of,
    call,
    choose,
    negated,
    when,
)

__all__ = ["WEIGHT", "Bounding", "Reach", "exact_query", "people", "percentile_query"]

WEIGHT = 1024
"""A row of full weight counts as so many."""

INNER, RANKED = "t", "u"
GROUP, ROW, WEIGHED, HASHED = "_group", "_row", "_weight", "_row_hash"


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one person reaches, all groups together; a row counts as `unit`."""

    rows: int
    squares: int
    groups: int | None
    unit: int = 1


@dataclass(frozen=True, slots=True)
class Bounding:
    """One way of bounding a question: by nothing further, by groups and rows in each, by a total.

    `most` is how many rows a person has before it, where that is known; `words` tells analysts.
    Where that rests on several tables, as on keys that lead to one row each, it is not believed:
    with `counted_off` the rows of each person are counted at the end, and no more of them kept.
    """

    words: str
    most: int | None
    bounds: Bounds | None = None
    counted_off: bool = False

    def reach(self, asked: Asked) -> Reach:
        """What this bounding leaves of one person."""
        groups = asked.most_groups
        if self.bounds is None:
            most = _known(self.most)
            return Reach(most, most * most, _least(most, groups))
        if self.bounds.total is not None:
            most = self.bounds.total * WEIGHT
            return Reach(most, most * most, 1 if groups == 1 else None, WEIGHT)
        many = _least(_known(self.bounds.groups), groups)
        rows = _rows_in_group(self.bounds, asked)
        if self.most is not None and not self.counted_off:
            rows = min(rows, self.most)
        trusted = None if self.counted_off else self.most
        total = many * rows if trusted is None else min(many * rows, trusted)
        return Reach(total, min(many * rows * rows, total * rows), many)


Part: TypeAlias = Exact | Percentile


def people() -> Exact:
    """How many people are in a group."""
    return Exact(Way.PEOPLE, TRUE)


def exact_query(
    asked: Asked, bounding: Bounding, exact: Sequence[Exact], scanner: Scanner
) -> Select:
    """Keys, and the exact numbers of each group."""
    rows = _Rows(asked, bounding, [one.tree for one in exact], scanner)
    keys = rows.keys
    counted = [(f"x{place}", rows.exact(one)) for place, one in enumerate(exact)]
    return Select((*keys, *counted), rows.relation, (), rows.kept, tuple(t for _, t in keys))


def percentile_query(
    asked: Asked, bounding: Bounding, percentile: Percentile, scanner: Scanner
) -> Select:
    """Keys, a value, and how many rows of the group have it."""
    rows = _Rows(asked, bounding, [percentile.tree], scanner)
    value = rows.name(percentile.tree)
    there = negated(call(Op.IS_NULL, value))
    kept = there if rows.kept is None else all_of(rows.kept, there)
    columns = (*rows.keys, ("x", value), ("n", rows.exact(Exact(Way.ROWS))))
    group = (*(tree for _, tree in rows.keys), value)
    return Select(columns, rows.relation, (), kept, group)


class _Rows:
    """The rows of a question, bounded: a relation, a condition, and names for their values."""

    def __init__(
        self, asked: Asked, bounding: Bounding, trees: Sequence[Tree], scanner: Scanner
    ) -> None:
        self._asked, self._frame = asked, asked.frame
        self._scanner = scanner
        self._weighed = bounding.bounds is not None and bounding.bounds.total is not None
        self._one_row = bounding.bounds is None and bounding.most == 1 and not bounding.counted_off
        self._ranked = False
        values = [tree for tree in dict.fromkeys(trees) if not isinstance(tree, Literal)]
        self._names = {tree: f"v{place}" for place, tree in enumerate(values)}
        keys = [(f"k{place}", as_column(key)) for place, key in enumerate(asked.keys)]
        listed = [*keys, *((name, tree) for tree, name in self._names.items())]
        if self._frame.owner is not None:
            listed.insert(0, (OWNER, self._frame.owner))
        bounds = bounding.bounds
        self.kept: Tree | None = None
        if bounds is None and bounding.counted_off:
            relation = self._counted_off(listed, _known(bounding.most))
        elif bounds is None:
            relation = Derived(self._frame.select(listed), INNER)
        elif bounds.total is not None:
            relation = self._weights(listed, bounds.total)
        else:
            relation = self._ranks(listed, bounds)
        self.relation = relation
        self.keys = tuple((name, Name(relation.alias, name)) for name, _ in keys)

    def name(self, tree: Tree) -> Tree:
        """What stands for a row's value out here."""
        return tree if isinstance(tree, Literal) else Name(self.relation.alias, self._names[tree])

    def exact(self, exact: Exact) -> Tree:
        """An exact number, as an aggregate over the rows."""
        value = self.name(exact.tree)
        if exact.way is Way.PEOPLE:
            return self._people(value)
        if exact.way is Way.DISTINCT:
            return call(Op.DISTINCT, value)
        if self._weighed:
            return self._weighted(exact.way, value)
        if exact.way is Way.ROWS:
            return call(Op.ROWS)
        return call(Op.COUNT if exact.way is Way.COUNT else Op.SUM, value)

    def _people(self, condition: Tree) -> Tree:
        if self._frame.owner is None or self._one_row:
            return call(Op.ROWS) if condition == TRUE else call(Op.COUNT, condition)
        if self._ranked and condition == TRUE:
            # Each person's first row in a group stands for the person.
            first = call(Op.EQUAL, Name(self.relation.alias, ROW), 1)
            return call(Op.COUNT, when(first, Literal(1)))
        owner: Tree = Name(self.relation.alias, OWNER)
        return call(Op.DISTINCT, owner if condition == TRUE else when(condition, owner))

    def _weighted(self, way: Way, value: Tree) -> Tree:
        weight: Tree = Name(self.relation.alias, WEIGHED)
        if way is Way.ROWS:
            return call(Op.SUM, weight)
        if way is Way.COUNT:
            return call(Op.SUM, when(call(Op.IS_NULL, value), NULL, weight))
        return call(Op.SUM, call(Op.MULTIPLY, value, weight))

    def _weights(self, listed: list[tuple[str, Tree]], total: int) -> Derived:
        """All rows of a person share one weight, at most `total` full ones together."""
        inner = Derived(self._frame.select(listed), INNER)
        count = Over(Call(Op.ROWS, ()), (Name(INNER, OWNER),))
        named = [(name, Name(INNER, name)) for name, _ in listed]
        counted = Derived(Select((*named, (ROW, count)), inner), RANKED)
        many = Name(RANKED, ROW)
        share = call(Op.QUOTIENT, WEIGHT * total, many)
        weight = choose(((call(Op.AT_MOST, many, total), Literal(WEIGHT)),), share)
        outer = [(name, Name(RANKED, name)) for name, _ in listed]
        return Derived(Select((*outer, (WEIGHED, weight)), counted), INNER)

    def _ranks(self, listed: list[tuple[str, Tree]], bounds: Bounds) -> Derived:
        """So many groups of each person, and so many rows in each."""
        self._ranked = True
        kept = [call(Op.AT_MOST, Name(RANKED, ROW), _rows_in_group(bounds, self._asked))]
        if self._asked.keys:
            kept.append(call(Op.AT_MOST, Name(RANKED, GROUP), _known(bounds.groups)))
        self.kept = all_of(*kept)
        return Derived(self._prepared(listed) or self._ranked_now(listed), RANKED)

    def _counted_off(self, listed: list[tuple[str, Tree]], most: int) -> Derived:
        """So many rows of each person, whatever keys promise."""
        inner = Derived(self._frame.select([*listed, *self._row_order()]), INNER)
        named = [(name, Name(INNER, name)) for name, _ in listed]
        order = tuple(Name(INNER, name) for name, _ in self._row_order())
        self.kept = call(Op.AT_MOST, Name(RANKED, ROW), most)
        return Derived(Select((*named, (ROW, _over(Op.ROW_NUMBER, order))), inner), RANKED)

    def _ranked_now(self, listed: list[tuple[str, Tree]]) -> Select:
        """Ranks of a person's groups and rows, from one order of their rows."""
        inner = Derived(self._frame.select([*listed, *self._row_order()]), INNER)
        named = [(name, Name(INNER, name)) for name, _ in listed]
        order = self._group_order(named)
        rows = tuple(Name(INNER, name) for name, _ in self._row_order())
        row, first = _over(Op.ROW_NUMBER, (*order, *rows)), _over(Op.PLACE, order)
        place = call(Op.ADD, call(Op.SUBTRACT, row, first), 1)
        return Select((*named, (ROW, place), (GROUP, _over(Op.DENSE_RANK, order))), inner)

    def _prepared(self, listed: list[tuple[str, Tree]]) -> Select | None:
        """The same ranks as they were prepared, where a question takes all rows of one table."""
        frame = self._frame
        bound, table = frame.bounds[0], frame.bounds[0].table
        if len(frame.bounds) > 1 or frame.where or table is None:
            return None
        columns = tuple(tree.column for tree in self._key_trees if isinstance(tree, Name))
        stored = prepared(self._scanner, table, INNER)
        if columns not in table.keys or len(columns) < len(self._key_trees) or stored is None:
            return None
        place = table.keys.index(columns)
        names = [table.column(name).name for name in bound.columns]
        ranks = ((ROW, row_rank(place)), (GROUP, group_rank(place)))
        scan = Select(
            (
                *((name, Name(INNER, name)) for name in (OWNER, *names)),
                *((name, Name(INNER, rank)) for name, rank in ranks),
            ),
            stored,
        )
        outer = [*listed, *((name, Name(bound.alias, name)) for name, _ in ranks)]
        return replace(frame.select(outer), source=Derived(scan, bound.alias))

    @property
    def _key_trees(self) -> list[Tree]:
        return [key.tree for key in self._asked.keys]

    def _row_order(self) -> list[tuple[str, Tree]]:
        """What rows of a person are chosen by."""
        return [(f"{HASHED}{place}", tree) for place, tree in enumerate(self._frame.order)]

    def _group_order(self, named: Sequence[tuple[str, Tree]]) -> tuple[Tree, ...]:
        """What groups of a person are chosen by."""
        columns = [tree for name, tree in named if name.startswith("k")]
        keys = [
            (tree, _kind(key.type)) for tree, key in zip(columns, self._asked.keys, strict=True)
        ]
        text = any(bound.owner_is_text for bound in self._frame.private)
        return self._scanner.group_order(Name(INNER, OWNER), keys, owner_is_text=text)


def _over(op: Op, order: tuple[Tree, ...]) -> Tree:
    return Over(Call(op, ()), (Name(INNER, OWNER),), order)


def _kind(kind: Type) -> Kind:
    if isinstance(kind, Whole):
        return kind.kind
    return Kind.TEXT if isinstance(kind, Text) else Kind.BOOLEAN


def _rows_in_group(bounds: Bounds, asked: Asked) -> int:
    """So many rows of a person in a group; where there are no groups, as many as in all of them."""
    rows = _known(bounds.rows_per_group)
    return rows if asked.keys else rows * _known(bounds.groups)


def _known(number: int | None) -> int:
    if number is None:
        rule = "has no bound on one person's rows here"
        raise QuestionError("this question", rule)
    return number


def _least(one: int, other: int | None) -> int:
    return one if other is None else min(one, other)
