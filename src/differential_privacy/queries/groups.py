"""Every group of a question, where what it is grouped by is public.

Rule 1: groups follow from declared values, constants of the question and rows of public tables.

Theorem: each row of a question takes the columns of public tables from public rows that meet all
conditions on these columns, and on what equals them; so it is in no group whose public part those
tables do not hold.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product

from differential_privacy.queries.conditions import placed
from differential_privacy.queries.evaluating import varies
from differential_privacy.queries.known import together
from differential_privacy.queries.relations import Bound, Frame, Sources
from differential_privacy.queries.values import Value
from differential_privacy.sources.engine import Cell
from differential_privacy.sources.trees import (
    NULL,
    TRUE,
    Call,
    Derived,
    Join,
    Name,
    Op,
    Select,
    Tree,
    all_of,
    call,
    names_in,
)

__all__ = ["Part", "listed_groups", "public_parts"]

MOST_GROUPS = 100_000
"""More groups than this are not listed: they are found in the data, for a delta."""

COUNTED = "d"

Group = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Values that some of the keys, by their places, can have together."""

    places: tuple[int, ...]
    rows: Sequence[Group]


def listed_groups(
    frame: Frame, keys: Sequence[Value], sources: Sources
) -> tuple[Group, ...] | None:
    """Every group, where the values of all keys are public and not too many."""
    parts = list(public_parts(frame, keys, sources))
    told = {place for part in parts for place in part.places}
    for place, key in enumerate(keys):
        if place in told:
            continue
        if key.values is None:
            return None
        values = [*key.values, None] if key.nullable else list(key.values)
        parts.append(Part((place,), [(value,) for value in values]))
    if math.prod(len(part.rows) for part in parts) > MOST_GROUPS:
        return None
    parts.sort(key=lambda part: part.places)
    places = list(chain.from_iterable(part.places for part in parts))
    order = sorted(range(len(places)), key=places.__getitem__)
    rows = (tuple(chain.from_iterable(row)) for row in product(*(part.rows for part in parts)))
    # Most often the parts stand in order already, and there may be many groups.
    in_order = order == list(range(len(order)))
    groups = list(rows) if in_order else [tuple(row[at] for at in order) for row in rows]
    return tuple(together([key.tree for key in keys], groups, frame.known))


def public_parts(frame: Frame, keys: Sequence[Value], sources: Sources) -> Iterator[Part]:
    """What public tables say of the keys that are theirs, or equal to what is theirs."""
    told: set[int] = set()
    for linked in _linked(frame):
        aliases = {bound.alias for bound in linked}
        equal = _equal_to_theirs(frame, aliases)
        trees = [placed(key.tree, equal) for key in keys]
        known = dict.fromkeys(placed(one, equal) for one in frame.known)
        held = [one for one in known if _is_of(one, aliases)]
        places = [at for at, tree in enumerate(trees) if _is_of(tree, aliases) and at not in told]
        if not places or (len(places) == 1 and not held):
            continue
        columns = tuple((f"k{place}", trees[place]) for place in places)
        first, *others = _scans(linked, sources)
        joins = tuple(Join(other, TRUE) for other in others)
        rows = Select(columns, first, joins, all_of(*held), distinct=True)
        found = _ordered(_read(rows, linked, sources), [keys[place] for place in places])
        if found:
            told |= set(places)
            yield Part(tuple(places), found)


def _equal_to_theirs(frame: Frame, aliases: set[str]) -> dict[Tree, Tree]:
    """Columns of the relations, by what WHERE and joins say that they equal elsewhere."""
    return {
        other: name
        for condition in frame.known
        for one, two in _equal(condition)
        for name, other in ((one, two), (two, one))
        if isinstance(name, Name) and name.relation in aliases
        if varies(other) and not _is_of(other, aliases)
    }


def _ordered(rows: Sequence[Group], keys: Sequence[Value]) -> list[Group]:
    """The rows that keys can have, in the order of the values of these, with NULL at the end."""
    orders: list[dict[Cell, int]] = []
    for place, key in enumerate(keys):
        seen = sorted({row[place] for row in rows}, key=lambda cell: [(cell is None, cell)])
        listed = seen if key.values is None else [*key.values, None]
        kept = [cell for cell in listed if cell is not None or key.nullable]
        orders.append({cell: at for at, cell in enumerate(kept)})
    ranks = [[order.get(c, -1) for c, order in zip(row, orders, strict=True)] for row in rows]
    there = [(places, row) for places, row in zip(ranks, rows, strict=True) if min(places) >= 0]
    return [row for _, row in sorted(there)]


def _scans(linked: Sequence[Bound], sources: Sources) -> list[Derived]:
    """The rows of public tables, without what rows of people are chosen by."""
    return [
        Derived(sources.scanner.scan(table, _stored(bound)), bound.alias)
        for bound in linked
        if (table := bound.table) is not None
    ]


def _stored(bound: Bound) -> list[str]:
    """The columns of a table that a question names, as the table calls them."""
    trees = (value.tree for value in bound.columns.values())
    return [tree.column for tree in trees if isinstance(tree, Name)]


def _read(rows: Select, linked: Sequence[Bound], sources: Sources) -> list[Group]:
    """The rows of a public query, if they are not too many."""
    read = [bound.table.name for bound in linked if bound.table is not None]
    count = Select((("rows", call(Op.ROWS)),), Derived(rows, COUNTED))
    ((many,),) = sources.public_rows(count, read)
    if int(many or 0) > MOST_GROUPS:
        return []
    return list(sources.public_rows(rows, read))


def _linked(frame: Frame) -> list[list[Bound]]:
    """The public tables whose rows are in every row, in parts that equalities link."""
    waiting = [
        bound
        for bound in frame.bounds
        if bound.unit is None and bound.table is not None and bound.alias not in frame.outer
    ]
    pairs = [
        {one.relation, other.relation}
        for condition in frame.known
        for one, other in _equal(condition)
        if isinstance(one, Name) and isinstance(other, Name)
    ]
    parts: list[list[Bound]] = []
    while waiting:
        part = [waiting.pop(0)]
        for here in part:
            near = [one for one in waiting if {here.alias, one.alias} in pairs]
            part += near
            waiting = [one for one in waiting if one not in near]
        parts.append(part)
    return parts


def _equal(condition: Tree) -> Iterator[tuple[Tree, Tree]]:
    match condition:
        case Call(Op.EQUAL, (one, other)):
            yield one, other


def _is_of(tree: Tree, aliases: set[str]) -> bool:
    """Whether a tree depends on columns of these relations, and on nothing else."""
    names = list(names_in(tree))
    alone = not varies(placed(tree, dict.fromkeys(names, NULL)))
    return bool(names) and alone and all(name.relation in aliases for name in names)
