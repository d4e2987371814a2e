"""What the curator says in public of a table: its columns, whose its rows are, and bounds.

Rule 1: everything here is public; nothing of it was read from private rows.
Rule 2: each private row has one owner, by a column, by a foreign key, or by being one itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import integer
from differential_privacy.sources.columns import Column, checked_name

__all__ = ["Bounds", "Key", "Owner", "Table", "owner_table", "root"]


@dataclass(frozen=True, slots=True)
class Key:
    """A foreign key: each row has at most one row of `table`, the one whose `references` equals."""

    column: str
    table: str
    references: str


Owner: TypeAlias = str | Key | None
"""Whose a row is: of whom a column names, of the owner of the row that a key leads to, its own."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of one person a question may see: one of three ways.

    `rows` keeps so many rows of each person, chosen once for the table by a keyed rank, before any
    filter. `groups` with `rows_per_group` are for one question, after its filters: so many groups
    of each person, and so many rows in each, chosen by keyed ranks; a question without groups sees
    as many rows of a person as they have together. `total` is for one question
    too: a person with more rows than this has each of them count in proportion, for so many in all.

    >>> print(Bounds(groups=10, rows_per_group=3))
    10 groups a person, 3 rows in each
    """

    rows: int | None = None
    groups: int | None = None
    rows_per_group: int | None = None
    total: int | None = None

    def __post_init__(self) -> None:
        for name in ("rows", "groups", "rows_per_group", "total"):
            value = getattr(self, name)
            if value is not None and integer(value, name, least=1) >= 1 << 31:
                raise InvalidArgumentError(name, value, "must be below 2**31")
        pair = (self.groups is not None, self.rows_per_group is not None)
        if pair[0] != pair[1]:
            raise InvalidArgumentError(
                "bounds", self, "groups and rows_per_group must be given together"
            )
        if (self.rows is not None) + pair[0] + (self.total is not None) != 1:
            rule = "must be one of: rows; groups with rows_per_group; total"
            raise InvalidArgumentError("bounds", self, rule)

    def __str__(self) -> str:
        if self.rows is not None:
            return f"{self.rows} rows a person, chosen once"
        if self.total is not None:
            return f"rows that count for {self.total} a person in all"
        return f"{self.groups} groups a person, {self.rows_per_group} rows in each"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the curator declares it; a public one has no owners and needs no bounds.

    `source` is where its engine finds it: a file, a table's name, or a data frame. `unit` names
    the kind of people who own its rows: tables are joined on people of one kind. The `unique`
    columns of a public table hold each combination of values once, so that a join on all of them
    adds no rows. `keys` are columns, or lists of them, that questions group by most: `dp prepare`
    ranks each person's groups by them. `parent` names the table that this one is a copy or a part
    of: they share what may be spent. `partition` is a column whose categories part the people: what
    is asked of one part does not count for another.
    """

    name: str
    source: object = field(repr=False)
    columns: tuple[Column, ...]
    owner: Owner = None
    unit: str = "person"
    bounds: tuple[Bounds, ...] = ()
    public: bool = False
    unique: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    parent: str | None = None
    partition: str | None = None

    def __post_init__(self) -> None:
        checked_name(self.name, "table")
        checked_name(self.unit, "unit")
        names = [column.name.lower() for column in self.columns]
        if not names or len(set(names)) < len(names):
            raise InvalidArgumentError("columns", self.name, "must be given, each name once")
        if self.public and (self.owner is not None or self.bounds or self.parent):
            rule = "a public table has no owner, no bounds and no parent"
            raise InvalidArgumentError("public", self.name, rule)
        if self.unique and not self.public:
            raise InvalidArgumentError("unique", self.unique, "is for public tables")
        for name in (*self.unique, *(name for key in self.keys for name in key)):
            self.column(name)
        if not self.public and self.owner is not None and not self.bounds:
            rule = "must have bounds: how much of one person a question may see"
            raise InvalidArgumentError("bounds", self.name, rule)
        if self.owned_by_row and self.bounds not in ((), (Bounds(rows=1),)):
            rule = "must be left out where the row is the person: each has one row"
            raise InvalidArgumentError("bounds", self.name, rule)
        if self.partition is not None:
            self._check_partition(self.partition)

    @property
    def owned_by_row(self) -> bool:
        """Whether each row is a person of its own."""
        return not self.public and self.owner is None

    @property
    def rows(self) -> int | None:
        """So many rows of each person, where a bound keeps them once for the table."""
        if self.owned_by_row:
            return 1
        return next((bound.rows for bound in self.bounds if bound.rows is not None), None)

    def column(self, name: str) -> Column:
        """The column of a name, in whatever case it is written."""
        for column in self.columns:
            if column.name.lower() == name.lower():
                return column
        rule = f"must be a column of {self.name}: {', '.join(c.name for c in self.columns)}"
        raise InvalidArgumentError("column", name, rule)

    def _check_partition(self, name: str) -> None:
        column = self.column(name)
        if column.categories is None or column.nullable:
            rule = "must be a column with categories that is not nullable"
            raise InvalidArgumentError("partition", name, rule)
        if self.rows != 1 or any(bound.rows != 1 for bound in self.bounds):
            rule = "needs one row a person, chosen once (bounds rows = 1): else people are in many"
            raise InvalidArgumentError("partition", name, rule)


def owner_table(table: Table, tables: Mapping[str, Table]) -> Table:
    """The table whose column or row names the owner, at the end of the foreign keys."""
    while isinstance(table.owner, Key):
        table = tables[table.owner.table]
    return table


def root(table: Table, tables: Mapping[str, Table]) -> str:
    """The table that this one is a copy of, or of whose copy, and so on."""
    while table.parent is not None:
        table = tables[table.parent]
    return table.name
