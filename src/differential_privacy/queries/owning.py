"""Rule 1 of the project, for joins: each row belongs to exactly one person.

Theorem: let private relations be joined where their owners are equal (and the engine compares them,
whatever the question says), and public relations in any way. Then each row that comes out has the
owner of the private rows that it was made of. A row of an outer join that found nobody has the
owner of the private row that was kept; that it found nobody depends on that owner's data alone.

Theorem: one owner has at most as many rows as the product of what each private relation has, those
left out whose row is determined by another's: a parent by its child's foreign key, and a group by
what it is grouped by.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from differential_privacy.errors import QuestionError
from differential_privacy.queries.relations import Bound, Frame, Sources
from differential_privacy.queries.values import OWNER_PLACE, Place
from differential_privacy.sources import Key, Table
from differential_privacy.sources.trees import Call, Name, Op, Tree, all_of, call, names_in

__all__ = ["how_linked", "linked", "own", "owner_names", "place_of"]


def own(frame: Frame, sources: Sources) -> None:
    """Sees that each row has one owner, has the engine compare owners, and counts the rows."""
    private = frame.private
    frame.determined = _determined_public(frame, sources)
    public = [bound for bound in frame.bounds if bound.unit is None]
    several = [bound for bound in public if bound.alias not in frame.determined]
    frame.multiplied = bool(several)
    if not private:
        return
    first = private[0]
    if first.alias in frame.outer:
        rule = "would keep rows that belong to nobody: begin with the private table"
        instead = f"FROM {_named(first)} LEFT JOIN {_named(frame.bounds[0])} ON ..."
        raise QuestionError(f"LEFT JOIN {first.name}", rule, instead=instead)
    for bound in private[1:]:
        _check_pair(first, bound)
    if first.row_owned and several:
        rule = "a person's row could meet several: join on columns that are unique there"
        instead = f"WHERE EXISTS (SELECT 1 FROM {_named(several[0])} WHERE ...)"  # noqa: S608 - only told
        raise QuestionError(f"JOIN {several[0].name}", rule, instead=instead)
    _check_connected(frame, sources)
    for bound in private[1:]:
        place = next(i for i, join in enumerate(frame.joins) if join.relation is bound.relation)
        join = frame.joins[place]
        same = call(Op.EQUAL, first.owner, bound.owner)
        frame.joins[place] = replace(join, on=all_of(same, join.on))
    frame.most = None if frame.multiplied else _most(frame)


def linked(conditions: Iterable[Tree], one: Bound, other: Bound) -> bool:
    """Whether an equality means that rows of two relations belong to one person.

    It does between two columns that name the person, or a row of theirs: an owner, a foreign key,
    or what it references.
    """
    return any(
        one.places.get(mine) is not None and one.places[mine] == other.places.get(theirs)
        for condition in conditions
        for mine, theirs in _sides(condition, one, other)
    )


def place_of(table: Table, name: str, tables: Mapping[str, Table]) -> Place | None:
    """What a column of a table names: the person, or a row that belongs to one person."""
    place = (table.name.lower(), name.lower())
    if isinstance(table.owner, Key) and table.owner.column.lower() == place[1]:
        place = (table.owner.table.lower(), table.owner.references.lower())
    owners = {
        (one.name.lower(), one.owner.lower())
        for one in tables.values()
        if isinstance(one.owner, str)
    }
    if place in owners:
        return OWNER_PLACE
    keys = {
        (one.owner.table.lower(), one.owner.references.lower())
        for one in tables.values()
        if isinstance(one.owner, Key)
    }
    return place if place in keys else None


def how_linked(one: Bound, other: Bound, sources: Sources) -> str | None:
    """The equality that would link two relations, where there is one."""
    for mine, place in _places(one, sources).items():
        for theirs, same in _places(other, sources).items():
            if place == same:
                return f"{one.name}.{mine} = {other.name}.{theirs}"
    return None


def _named(bound: Bound) -> str:
    """As it stands in FROM."""
    if bound.table is None or bound.table.name.lower() == bound.name.lower():
        return bound.name
    return f"{bound.table.name} AS {bound.name}"


def _linked_through(one: Bound, other: Bound, sources: Sources) -> str | None:
    """The equalities that would link two relations by a table between them."""
    for table in sources.tables.values():
        if not table.public and not table.owned_by_row:
            between = Bound(table.name, one.relation, {}, table.unit, None, (), table)
            before, after = (how_linked(side, between, sources) for side in (one, other))
            if before is not None and after is not None:
                return f"{before} AND {after}, after JOIN {table.name}"
    return None


def owner_names(bound: Bound, sources: Sources) -> list[str]:
    """The columns of which each value is in rows of one person only; who they are comes first."""
    places = _places(bound, sources)
    return sorted(places, key=lambda name: places[name] != OWNER_PLACE)


def _places(bound: Bound, sources: Sources) -> dict[str, Place]:
    if bound.table is None:
        named = {name: value.refers for name, value in bound.columns.items()}
    else:
        names = [column.name for column in bound.table.columns]
        named = {name: place_of(bound.table, name, sources.tables) for name in names}
    return {name: place for name, place in named.items() if place is not None}


def _check_pair(first: Bound, bound: Bound) -> None:
    if first.unit != bound.unit:
        rule = f"is about each {bound.unit}, {first.name} about each {first.unit}"
        raise QuestionError(f"JOIN {bound.name}", rule)
    for one in (first, bound):
        if one.row_owned:
            rule = "has a person in each row, who is in no other row: ask of one table at a time"
            raise QuestionError(f"JOIN {one.name}", rule)
    if first.owner_is_text != bound.owner_is_text:
        rule = "tells people apart by texts, the other table by whole numbers"
        raise QuestionError(bound.name if bound.owner_is_text else first.name, rule)


def _check_connected(frame: Frame, sources: Sources) -> None:
    """Pairs of linked relations must make one whole: each person's rows meet only their own."""
    first, *rest = frame.private
    reached = [first]
    for here in reached:
        for other in list(rest):
            known = [*frame.holding(other.alias), *frame.holding(here.alias)]
            if linked(known, here, other):
                reached.append(other)
                rest.remove(other)
    if rest:
        found = [how_linked(one, rest[0], sources) for one in reached]
        found += [_linked_through(one, rest[0], sources) for one in reached]
        rule = "private tables are joined on whose rows they are"
        instead = next((f"ON {one}" for one in found if one is not None), None)
        raise QuestionError(f"JOIN {rest[0].name}", rule, instead=instead)


def _most(frame: Frame) -> int | None:
    """The product over the private relations whose row no other determines.

    Of those that determine each other the one of the fewest rows counts.
    """
    total, found = 1, list[Bound]()
    waiting = sorted(frame.private, key=lambda one: math.inf if one.most is None else one.most)
    while waiting:
        free = [one for one in waiting if not _determined(frame, one, [*found, *waiting])]
        led = [one for one in waiting if _determined(frame, one, found)]
        bound = next(iter([*led, *free, *waiting]))
        if not led:
            if bound.most is None:
                return None
            total *= max(bound.most, 1)
        found.append(bound)
        waiting = [one for one in waiting if one is not bound]
    return total


def _determined(frame: Frame, bound: Bound, among: Sequence[Bound]) -> bool:
    """Whether other rows meet one row of a relation at the most: a parent, or a group."""
    known = frame.holding(bound.alias)
    others = [one for one in among if one is not bound]
    columns = _compared_with(known, bound.alias, {one.alias for one in others})
    group = bool(others) and bound.unique is not None and bound.unique <= columns
    return group or any(_leads_to(known, child, bound) for child in others)


def _determined_public(frame: Frame, sources: Sources) -> set[str]:
    """The public relations of which each other row meets one row at most, found step by step."""
    found = {bound.alias for bound in frame.private}
    waiting = [bound for bound in frame.bounds if bound.unit is None]
    if not found and waiting:
        found.add(waiting.pop(0).alias)
    progress = True
    while progress:
        progress = False
        for bound in list(waiting):
            columns = _compared_with(frame.holding(bound.alias), bound.alias, found)
            if _meets_one(bound, columns, sources):
                found.add(bound.alias)
                waiting.remove(bound)
                progress = True
    return found


def _meets_one(bound: Bound, columns: frozenset[str], sources: Sources) -> bool:
    """Whether one row at most has given values in these columns."""
    if bound.unique is not None and bound.unique <= columns:
        return True
    return bound.table is not None and bool(columns) and sources.unique(bound.table, columns)


def _compared_with(conditions: Sequence[Tree], alias: str, others: set[str]) -> frozenset[str]:
    """The columns of a relation that equal something of the others."""
    columns = set()
    for condition in conditions:
        for mine, theirs in _equal(condition):
            if isinstance(mine, Name) and mine.relation == alias:
                relations = {name.relation for name in names_in(theirs)}
                if relations <= others:
                    columns.add(mine.column.lower())
    return frozenset(columns)


def _leads_to(conditions: Iterable[Tree], child: Bound, parent: Bound) -> bool:
    """Whether an equality follows a foreign key from a child's row to its one parent."""
    key = child.table.owner if child.table is not None else None
    if not isinstance(key, Key) or parent.table is None:
        return False
    if parent.table.name.lower() != key.table.lower():
        return False
    wanted = (key.column.lower(), key.references.lower())
    return any(
        (mine.lower(), theirs.lower()) == wanted
        for condition in conditions
        for mine, theirs in _sides(condition, child, parent)
    )


def _sides(condition: Tree, one: Bound, other: Bound) -> list[tuple[str, str]]:
    """The column of one relation and of another that an equality compares."""
    return [
        (mine.column, theirs.column)
        for mine, theirs in _equal(condition)
        if isinstance(mine, Name)
        and isinstance(theirs, Name)
        and mine.relation == one.alias
        and theirs.relation == other.alias
    ]


def _equal(condition: Tree) -> list[tuple[Tree, Tree]]:
    """The two sides of an equality, either first."""
    if isinstance(condition, Call) and condition.op is Op.EQUAL:
        one, other = condition.args
        return [(one, other), (other, one)]
    return []
