"""A table as rows that questions can use: whose each is, and its columns as the schema says.

Rule 1: a row without an owner is nobody's to bound, so no question sees it.
Rule 2: a prepared table holds what the scan of the table itself would give: the same rows.
Rule 3: which rows a person keeps is a function of that person's rows and the key alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources.columns import Column
from differential_privacy.sources.engine import Engine
from differential_privacy.sources.kinds import Kind, Physical
from differential_privacy.sources.normal import Reading, identity, normal
from differential_privacy.sources.numbering import numbering
from differential_privacy.sources.ranks import Grouping, Keyed, Ranks, owner_residue
from differential_privacy.sources.tables import Key, Table, owner_table
from differential_privacy.sources.trees import (
    Call,
    Derived,
    Join,
    Name,
    Op,
    Over,
    Query,
    Select,
    Stored,
    Tree,
    call,
    negated,
)

__all__ = [
    "HASH",
    "INNER",
    "OWNER",
    "RANK",
    "Scanner",
    "group_rank",
    "is_owned",
    "row_order",
    "row_rank",
]

OWNER, HASH, RANK = "_owner", "_hash", "_rank"
REFERENCE = "_reference"
RAW, PARENT, INNER = "raw", "parent", "t"


def group_rank(key: int) -> str:
    """The column of a prepared table that ranks a person's groups by `table.keys[key]`."""
    return f"_group_rank_{key}"


def row_rank(key: int) -> str:
    """The column of a prepared table that ranks a person's rows in each such group."""
    return f"_row_rank_{key}"


def is_owned(table: Table) -> bool:
    """Whether rows have owners who may have several."""
    return not table.public and not table.owned_by_row


@dataclass(frozen=True, slots=True)
class Scanner:
    """Reads the tables of one engine as rows with owners, columns and hashes."""

    tables: Mapping[str, Table]
    engine: Engine
    ranks: Ranks

    def scan(
        self,
        table: Table,
        columns: Iterable[str],
        *,
        hashed: bool = False,
        rows: int | None = None,
        prepared: Stored | None = None,
    ) -> Select:
        """The rows of a table with the columns asked for; `rows` of each person at the most."""
        bounded = rows is not None and is_owned(table)
        owner = [OWNER] if is_owned(table) else []
        wanted = [*owner, *columns, *([HASH] if hashed else [])]
        if prepared is not None:
            kept = Select(_named(wanted, prepared.alias), prepared)
            return _at_most(kept, prepared.alias, rows) if bounded else kept
        if not bounded:
            return self.rows(table, wanted)
        ranked = self.ranked(table, wanted)
        return _at_most(Select(_named(wanted, INNER), Derived(ranked, INNER)), INNER, rows)

    def ranked(self, table: Table, names: Iterable[str]) -> Select:
        """The rows of a table, each with its place among its owner's."""
        inner = self.rows(table, [OWNER, *(column.name for column in table.columns), HASH])
        order = row_order(table)
        place = Over(Call(Op.ROW_NUMBER, ()), (Name(INNER, OWNER),), order)
        return Select((*_named(names, INNER), (RANK, place)), Derived(inner, INNER))

    def grouped(
        self,
        rows: Query,
        names: Iterable[str],
        keys: Sequence[Sequence[Keyed]],
        *,
        owner_is_text: bool,
    ) -> tuple[Select, list[tuple[Tree, ...]]]:
        """The same rows, and for each list of keys what a person's groups by them are ordered by.

        That is a number of theirs, and where it may tie the keys. Prepared or not, the rank of a
        group is the dense rank among its owner's in this order.
        """
        owner = owner_residue(Name(INNER, OWNER), text=owner_is_text)
        found = [
            Grouping.by(one, self.ranks, owner, alias=INNER, place=place)
            for place, one in enumerate(keys)
        ]
        named = _named(names, INNER)
        forms = chain(*(one.forms for one in found))
        numbers = chain(*(one.numbers for one in found))
        joins = tuple(chain(*(one.joins for one in found)))
        formed = Select((*named, *forms), Derived(rows, INNER), joins)
        numbered = Select((*named, *numbers), Derived(formed, INNER))
        return numbered, [one.order for one in found]

    def owner_is_text(self, table: Table) -> bool:
        """Whether the owners of a table are told apart by texts, or else by whole numbers."""
        last = owner_table(table, self.tables)
        if last.owner is None:
            return False
        return _physical(self.engine.describe(last.source), str(last.owner)) is not Physical.WHOLE

    def rows(self, table: Table, names: Sequence[str]) -> Select:
        """The rows of the raw table: read, settled and hashed in layers, one above the other."""
        found = self.engine.describe(table.source)
        source = self.engine.stored(table.source, RAW)
        below = self._owned(table, found, source) if is_owned(table) else Select((), source)
        owner = [name for name, _ in below.columns]
        wanted = [column.name for column in table.columns] if HASH in names else names
        columns = [table.column(name) for name in wanted if name not in (OWNER, HASH)]
        readings = {
            column.name: normal(column, _physical(found, column.name), _raw(column.name, found))
            for column in columns
        }
        read = tuple((name, reading.read) for name, reading in readings.items())
        inner = Derived(replace(below, columns=(*below.columns, *read)), INNER)
        settled = dict(_named(owner, INNER)) | _settled(readings)
        if HASH not in names:
            return Select(tuple((name, settled[name]) for name in names), inner)
        rows = Derived(Select(tuple(settled.items()), inner), INNER)
        text = bool(owner) and self.owner_is_text(table)
        owners = [owner_residue(Name(INNER, OWNER), text=text)] if owner else []
        numbered = numbering(table).numbered(rows, settled, HASH, self.ranks, owners)
        return Select(_named(names, INNER), Derived(numbered, INNER))

    def _owned(self, table: Table, found: Mapping[str, Physical], source: Stored) -> Select:
        """The rows that have an owner, and who that is."""
        if isinstance(table.owner, Key):
            return self._through(table.owner, found, source)
        owner = _identity(str(table.owner), found)
        return Select(((OWNER, owner),), source, where=negated(call(Op.IS_NULL, owner)))

    def _through(self, key: Key, found: Mapping[str, Physical], source: Stored) -> Select:
        parent = self.tables[key.table]
        there = self.engine.describe(parent.source)
        if _told_as(key.column, found) is not _told_as(key.references, there):
            rule = f"must be stored as {parent.name}.{key.references} is, which it refers to"
            raise InvalidArgumentError("owner", key.column, rule)
        inner = self._owned(parent, there, self.engine.stored(parent.source, RAW))
        told = (REFERENCE, _identity(key.references, there))
        join = Join(
            Derived(replace(inner, columns=(*inner.columns, told)), PARENT),
            call(Op.EQUAL, _identity(key.column, found), Name(PARENT, REFERENCE)),
        )
        return Select(((OWNER, Name(PARENT, OWNER)),), source, (join,))


def row_order(table: Table) -> tuple[Tree, ...]:
    """What a person's rows are ordered by: their numbers, and all that they hold if these may tie.

    Rows that tie here too are equal, so that it does not matter which of them is kept. Texts stand
    for themselves by a digest each: long ones would be carried through a sort of all rows.
    """
    ties = () if numbering(table).is_exact else (_told_by(column) for column in table.columns)
    return (Name(INNER, HASH), *ties)


def _told_by(column: Column) -> Tree:
    name = Name(INNER, column.name)
    listed = column.kind is not Kind.TEXT or column.categories is not None
    return name if listed else call(Op.DIGEST, name)


def _settled(readings: Mapping[str, Reading]) -> dict[str, Tree]:
    return {name: reading.settled(Name(INNER, name)) for name, reading in readings.items()}


def _raw(name: str, found: Mapping[str, Physical]) -> Tree:
    return Name(RAW, _stored_name(name, found))


def _identity(name: str, found: Mapping[str, Physical]) -> Tree:
    return identity(name, _physical(found, name), _raw(name, found))


def _told_as(name: str, found: Mapping[str, Physical]) -> Kind:
    """What values that tell rows apart are compared as."""
    return Kind.INTEGER if _physical(found, name) is Physical.WHOLE else Kind.TEXT


def _physical(found: Mapping[str, Physical], name: str) -> Physical:
    return found[_stored_name(name, found)]


def _stored_name(name: str, found: Mapping[str, Physical]) -> str:
    """A column's name as the source writes it."""
    same = [column for column in found if column.lower() == name.lower()]
    for column in [name] if name in same else same:
        return column
    known = ", ".join(found)
    raise InvalidArgumentError("column", name, f"is not in the source, which has: {known}")


def _named(names: Iterable[str], alias: str) -> tuple[tuple[str, Tree], ...]:
    return tuple((name, Name(alias, name)) for name in names)


def _at_most(query: Select, alias: str, rows: int | None) -> Select:
    return replace(query, where=call(Op.AT_MOST, Name(alias, RANK), rows or 0))
