"""How much of one person a question sees: each way of bounding, and the rows that it leaves.

Theorem: after bounding, one person's rows add to all groups together at most `rows` rows, and the
squares of how many they add to each sum to at most `squares`; they are in at most `groups` groups.
So statistics to which a row adds a vector of L1 length l and squared length s move by at most
rows * l in L1 and by squares * s in squared L2, by the triangle inequality within each group.
"""

from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from differential_privacy.queries.coding import UNCODED, Coding
from differential_privacy.queries.questions import Asked
from differential_privacy.sources import (
    OWNER,
    Scanner,
    group_rank,
    prepared,
    row_rank,
)
from differential_privacy.sources.numbering import numbering
from differential_privacy.sources.trees import (
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
)

__all__ = ["WEIGHT", "AllRows", "Bounding", "CountedOff", "Ranked", "Reach", "Weighed"]

WEIGHT = 1024
"""A row of full weight counts as so many."""

INNER, RANKED = "t", "u"
GROUP, ROW, WEIGHED, HASHED = "_group", "_row", "_weight", "_row_hash"

Named: TypeAlias = tuple[str, Tree]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far one person reaches, all groups together; a row counts as `unit`."""

    rows: int
    squares: int
    groups: int | None
    unit: int = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """The rows of a question before they are bounded: whose they are, keys, and values, by name."""

    asked: Asked
    scanner: Scanner
    owner: tuple[Named, ...]
    keys: tuple[Named, ...]
    values: tuple[Named, ...]

    @property
    def columns(self) -> tuple[Named, ...]:
        """All of them."""
        return (*self.owner, *self.keys, *self.values)

    def rows(self, more: tuple[Named, ...] = ()) -> Derived:
        """The rows, with more columns where a bound needs them."""
        return Derived(self.asked.frame.select([*self.columns, *more]), INNER)

    @property
    def hashes(self) -> tuple[Named, ...]:
        """Numbers that scatter the rows of a person."""
        order = self.asked.frame.order
        return tuple((f"{HASHED}{place}", tree) for place, tree in enumerate(order))

    @property
    def order(self) -> tuple[Tree, ...]:
        """What rows of a person in one group are chosen by: their numbers, then their values.

        Rows that tie here too are the same to this question, whichever of them is kept.
        """
        first = self.asked.frame.bounds[0]
        alone = first.table if len(self.asked.frame.bounds) == 1 else None
        values = self.values
        if alone is not None and numbering(alone).is_exact:
            values = ()
        return tuple(tree for _, tree in _names((*self.hashes, *values)))


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows that a bound leaves: those of a relation that meet a condition.

    A row counts as `weight`, where rows have weights. `first` is true of one row of each person in
    a group, where such rows are told; `alone` says that no person has a second row. Of some
    keys it holds codes.
    """

    relation: Derived
    condition: Tree | None = None
    weight: Tree | None = None
    first: Tree | None = None
    alone: bool = False
    coding: Coding = UNCODED


class Bounding(Protocol):
    """One way of bounding a question; `words` tells analysts, `loses` whether rows may be lost."""

    @property
    def words(self) -> str:
        """What it does, for people to read."""

    @property
    def at_the_end(self) -> bool:
        """Whether it is a bound for one question, which takes rows away after its filters."""

    def reach(self, asked: Asked) -> Reach:
        """What it leaves of one person."""

    def kept(self, listed: Listed) -> Kept:
        """The rows that it leaves."""


@dataclass(frozen=True, slots=True)
class AllRows:
    """Nothing is bounded further: tables keep so many rows of a person, as joins leave them."""

    words: str
    most: int
    at_the_end = False

    def reach(self, asked: Asked) -> Reach:
        """All of a person's rows may be in one group."""
        groups = asked.most_groups
        return Reach(self.most, self.most**2, _least(self.most, groups))

    def kept(self, listed: Listed) -> Kept:
        """All."""
        return Kept(listed.rows(), alone=self.most == 1)


@dataclass(frozen=True, slots=True)
class CountedOff(AllRows):
    """So many rows of each person, counted at the end.

    That is for a number of rows that rests on several tables, as on keys that lead to one row each:
    it is not believed.
    """

    def kept(self, listed: Listed) -> Kept:
        """The first rows of each person."""
        keys = tuple(tree for _, tree in _names(listed.keys))
        place = _over(Op.ROW_NUMBER, (*listed.order, *keys))
        counted = Select((*_names(listed.columns), (ROW, place)), listed.rows(listed.hashes))
        kept = call(Op.AT_MOST, Name(RANKED, ROW), self.most)
        return Kept(Derived(counted, RANKED), kept)


@dataclass(frozen=True, slots=True)
class Ranked:
    """So many groups of each person, and so many rows in each.

    `most` is how many rows a person has before that, where it is known.
    """

    words: str
    groups: int
    rows_per_group: int
    most: int | None = None
    at_the_end = True

    def reach(self, asked: Asked) -> Reach:
        """Each group has at most its rows."""
        many = _least(self.groups, asked.most_groups)
        rows = _least(self._in_each(asked), self.most)
        total = _least(many * rows, self.most)
        return Reach(total, min(many * rows * rows, total * rows), many)

    def kept(self, listed: Listed) -> Kept:
        """Those whose ranks, of their group and in it, are low."""
        conditions = [call(Op.AT_MOST, Name(RANKED, ROW), self._in_each(listed.asked))]
        if listed.asked.keys:
            conditions.append(call(Op.AT_MOST, Name(RANKED, GROUP), self.groups))
        # Each person's first row in a group stands for the person.
        first = call(Op.EQUAL, Name(RANKED, ROW), 1)
        ready, coding = _prepared_ranks(listed), UNCODED
        if ready is None:
            coding = Coding.of(listed.asked.keys, [name for name, _ in listed.keys], INNER)
            ready = _ranks(listed, coding)
        return Kept(Derived(ready, RANKED), all_of(*conditions), first=first, coding=coding)

    def _in_each(self, asked: Asked) -> int:
        """Where there are no groups, as many rows as in all of them."""
        return self.rows_per_group if asked.keys else self.rows_per_group * self.groups


@dataclass(frozen=True, slots=True)
class Weighed:
    """All rows of a person share one weight, at most `total` full ones together."""

    words: str
    total: int
    at_the_end = True

    def reach(self, asked: Asked) -> Reach:
        """All may be in one group."""
        most = self.total * WEIGHT
        return Reach(most, most**2, 1 if asked.most_groups == 1 else None, WEIGHT)

    def kept(self, listed: Listed) -> Kept:
        """All rows, with their weights."""
        many = Over(Call(Op.ROWS, ()), (Name(INNER, OWNER),))
        counted = Derived(Select((*_names(listed.columns), (ROW, many)), listed.rows()), RANKED)
        share = call(Op.QUOTIENT, WEIGHT * self.total, Name(RANKED, ROW))
        full = call(Op.AT_MOST, Name(RANKED, ROW), self.total)
        weight = choose(((full, Literal(WEIGHT)),), share)
        names = _names(listed.columns, RANKED)
        weighed = Derived(Select((*names, (WEIGHED, weight)), counted), INNER)
        return Kept(weighed, weight=Name(INNER, WEIGHED))


def _ranks(listed: Listed, coding: Coding) -> Select:
    """Ranks of a person's groups and rows, from one order of their rows."""
    names = [name for name, _ in (*listed.columns, *listed.hashes)]
    numbered, (order,) = listed.scanner.grouped(
        coding.code(listed.rows(listed.hashes), names),
        names,
        [coding.coded],
        owner_is_text=listed.asked.frame.owner_is_text,
    )
    row, first = _over(Op.ROW_NUMBER, (*order, *listed.order)), _over(Op.PLACE, order)
    place = call(Op.ADD, call(Op.SUBTRACT, row, first), 1)
    ranks = ((ROW, place), (GROUP, _over(Op.DENSE_RANK, order)))
    return Select((*_names(listed.columns), *ranks), Derived(numbered, INNER))


def _prepared_ranks(listed: Listed) -> Select | None:
    """The same as they were prepared, where a question takes all rows of one table."""
    frame, keys = listed.asked.frame, listed.asked.keys
    bound, table = frame.bounds[0], frame.bounds[0].table
    if len(frame.bounds) > 1 or frame.where or table is None:
        return None
    columns = tuple(key.tree.column for key in keys if isinstance(key.tree, Name))
    stored = prepared(listed.scanner, table, INNER)
    if columns not in table.keys or len(columns) < len(keys) or stored is None:
        return None
    place = table.keys.index(columns)
    names = [(name, Name(INNER, table.column(name).name)) for name in bound.columns]
    ranks = ((ROW, row_rank(place)), (GROUP, group_rank(place)))
    ranked = [(name, Name(INNER, rank)) for name, rank in ranks]
    scan = Select(((OWNER, Name(INNER, OWNER)), *names, *ranked), stored)
    outer = [*listed.columns, *((name, Name(bound.alias, name)) for name, _ in ranks)]
    return replace(frame.select(outer), source=Derived(scan, bound.alias))


def _over(op: Op, order: tuple[Tree, ...]) -> Tree:
    return Over(Call(op, ()), (Name(INNER, OWNER),), order)


def _names(columns: tuple[Named, ...], alias: str = INNER) -> tuple[Named, ...]:
    return tuple((name, Name(alias, name)) for name, _ in columns)


def _least(one: int, other: int | None) -> int:
    return one if other is None else min(one, other)
