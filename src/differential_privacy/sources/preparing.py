"""Preparing: rows are read, settled and ranked within their owner once, and kept by their engine.

Rule 1: what is kept stands under a name made of what was declared, of the key and of the data's
versions, so that nothing else is ever taken for it.
Rule 2: prepared from what was kept before and what was added since, or anew: the same rows.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from differential_privacy.errors import SourceError
from differential_privacy.sources.columns import Column
from differential_privacy.sources.ranks import Keyed
from differential_privacy.sources.scan import (
    HASH,
    INNER,
    OWNER,
    RANK,
    Scanner,
    group_rank,
    is_owned,
    row_order,
    row_rank,
)
from differential_privacy.sources.tables import Key, Table
from differential_privacy.sources.trees import (
    Call,
    Derived,
    Exists,
    Literal,
    Name,
    Op,
    Over,
    Query,
    Select,
    Shared,
    Stored,
    Tree,
    Union,
    call,
    negated,
)

__all__ = ["prepare", "prepared"]

LAYOUT = 3
"""Another number for each way in which rows were ever kept."""

ATTEMPTS = 3
NEW, OLD = "new", "old"
READABLE, SHORT = 20, 8


def prepare(scanner: Scanner, table: Table) -> str:
    """Keeps the rows of a table with their ranks, and forgets what was kept of it before.

    A prepared table holds what a scan with all columns gives. Where rows have owners it also holds
    their hash, their place among all rows of the owner, and for each of `table.keys` the place of
    their group among the owner's groups and their own place in that group.
    """
    engine, beginning = scanner.engine, _beginning(scanner, table)
    for _ in range(ATTEMPTS):
        *earlier, name = _names(scanner, table)
        if name not in engine.kept():
            engine.keep(name, _query(scanner, table, earlier))
        if name == _names(scanner, table)[-1]:
            for other in engine.kept():
                if other.startswith(beginning) and other != name:
                    engine.drop(other)
            return name
        # The data changed while it was read, so what was kept is not what its name says.
        engine.drop(name)
    raise SourceError


def prepared(scanner: Scanner, table: Table, alias: str) -> Stored | None:
    """The table as it was prepared, where that was done since it last changed."""
    return scanner.engine.prepared(_names(scanner, table)[-1], alias)


def _beginning(scanner: Scanner, table: Table) -> str:
    """What the names of everything that was ever kept of a table begin with."""
    identity = scanner.engine.identity(table.source)
    digest = hashlib.sha256(identity.encode()).hexdigest()[:SHORT]
    return f"{table.name.lower()[:READABLE]}_{digest}_"


def _names(scanner: Scanner, table: Table) -> list[str]:
    """The names of the table as it grew: after its first part, after its second, up to now."""
    versions = [version for _, version in scanner.engine.parts(table.source)]
    declared, *grown = accumulate([_declared(scanner, table), *versions], _digest)
    beginning = _beginning(scanner, table)
    return [beginning + scanner.ranks.mark(one) for one in grown or [declared]]


def _digest(before: str, added: str) -> str:
    return hashlib.sha256(f"{before}\n{added}".encode()).hexdigest()


def _declared(scanner: Scanner, table: Table) -> str:
    """All that the rows depend on beside the parts of the table itself."""
    engine = scanner.engine
    facts: list[object] = [LAYOUT, table.columns, table.public, table.keys]
    facts += [table.owner, dict(engine.describe(table.source))]
    while isinstance(table.owner, Key):
        table = scanner.tables[table.owner.table]
        facts += [table.owner, engine.identity(table.source), engine.version(table.source)]
        facts.append(dict(engine.describe(table.source)))
    return repr(facts)


def _query(scanner: Scanner, table: Table, earlier: Sequence[str]) -> Query:
    """The rows to keep: from the latest that was kept earlier, where there is one, or anew."""
    names = [column.name for column in table.columns]
    if is_owned(table):
        names = [OWNER, *names, HASH]
    parts = [part for part, _ in scanner.engine.parts(table.source)]
    found = scanner.engine.describe(table.source)
    for count in range(len(earlier), 0, -1):
        old = scanner.engine.prepared(earlier[count - 1], OLD)
        added = parts[count:]
        # Files whose columns are stored as others are read as all of them are together.
        if old is not None and all(scanner.engine.describe(part) == found for part in added):
            new = tuple(scanner.rows(replace(table, source=part), names) for part in added)
            return _grown(scanner, table, old, Union(new), names)
    rows = scanner.rows(table, names)
    return _ranked(scanner, table, rows) if is_owned(table) else rows


def _grown(scanner: Scanner, table: Table, old: Stored, new: Union, names: Sequence[str]) -> Query:
    """What was kept of people who have no new rows; and all rows of the others, ranked again."""
    if not is_owned(table):
        return Union((Select(_named(names, OLD), old), *new.parts))
    fresh = Shared(NEW, NEW)
    same = call(Op.EQUAL, Name(NEW, OWNER), Name(OLD, OWNER))
    changed = Exists(Select((("one", Literal(1)),), fresh, where=same))
    again = Union(
        (
            Select(_named(names, OLD), old, where=changed),
            Select(_named(names, NEW), fresh),
        )
    )
    ranked = _ranked(scanner, table, again)
    kept = [name for name, _ in ranked.columns]
    rest = Select(_named(kept, OLD), old, where=negated(changed))
    whole = Derived(Union((rest, ranked)), INNER)
    return Select(_named(kept, INNER), whole, shared=((NEW, new),))


def _ranked(scanner: Scanner, table: Table, rows: Query) -> Select:
    """Rows with their places among their owner's, and in groups by each of the table's keys."""
    names = [OWNER, *(column.name for column in table.columns), HASH]
    keys = [[_keyed(table.column(name)) for name in key] for key in table.keys]
    text = scanner.owner_is_text(table)
    numbered, orders = scanner.grouped(rows, names, keys, owner_is_text=text)
    ranks: list[tuple[str, Tree]] = [(RANK, _over(Op.ROW_NUMBER, row_order(table)))]
    for place, order in enumerate(orders):
        ranks.append((group_rank(place), _over(Op.DENSE_RANK, order)))
        # The place in the group, from places among all rows of the owner: one sort for both.
        row, first = _over(Op.ROW_NUMBER, (*order, *row_order(table))), _over(Op.PLACE, order)
        ranks.append((row_rank(place), call(Op.ADD, call(Op.SUBTRACT, row, first), 1)))
    return Select((*_named(names, INNER), *ranks), Derived(numbered, INNER))


def _keyed(column: Column) -> Keyed:
    return Keyed(Name(INNER, column.name), column.kind, column.reach, column.categories)


def _over(op: Op, order: tuple[Tree, ...]) -> Tree:
    return Over(Call(op, ()), (Name(INNER, OWNER),), order)


def _named(names: Sequence[str], alias: str) -> tuple[tuple[str, Tree], ...]:
    return tuple((name, Name(alias, name)) for name in names)
