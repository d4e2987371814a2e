"""Relations while a question is read: rows of which each belongs to one person, or to nobody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from differential_privacy.queries.values import Place, Type, Value
from differential_privacy.sources import OWNER, Cell, Scanner, Table
from differential_privacy.sources.trees import (
    TRUE,
    Call,
    Join,
    Literal,
    Name,
    Op,
    Relation,
    Select,
    Stored,
    Tree,
    all_of,
    call,
    conjuncts,
    when,
)

__all__ = ["Bound", "Frame", "Mode", "Sources", "combined_hash", "places_of"]

HASHES = 1 << 60


class Sources(Protocol):
    """The tables that a question may name, and what is public of them beyond the schema."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """By name."""

    @property
    def scanner(self) -> Scanner:
        """Reads them."""

    def prepared(self, table: Table, alias: str) -> Stored | None:
        """The table as it was prepared, where that is up to date."""

    def public_type(self, table: Table, column: str) -> Type:
        """The type of a public table's column, its range read from the table."""

    def public_rows(self, query: Select, read: Iterable[str]) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query that reads these public tables and no others."""

    def public_versions(self, read: Iterable[str]) -> str:
        """The versions of the public tables among these."""

    def unique(self, table: Table, columns: frozenset[str]) -> bool:
        """Whether a public table, as it is scanned, holds each combination of these values once.

        Columns are in lower case; a combination with NULL may be there more than once.
        """


@dataclass(frozen=True, slots=True)
class Mode:
    """How one reading of a question bounds people: by each table's rows, or at its end.

    `hashed` asks for what rows within a group are chosen by.
    """

    rows: bool
    hashed: bool = False


@dataclass(frozen=True, slots=True)
class Bound:
    """A relation with a name: its columns, and whose its rows are.

    `unit` is the kind of people who own the rows, None for public rows. `most` is how many rows one
    person has at most, None where that is not known. `order` tells the rows of a person apart.
    `places` holds, of columns of the engine, where rows that agree on them belong to one person.
    `known` is true of each row, beyond what types say. `unique` are columns of the engine that no
    two rows of a person, or no two public rows, agree on; None where that is not known.
    """

    name: str
    relation: Relation
    columns: Mapping[str, Value]
    unit: str | None
    most: int | None
    order: tuple[Tree, ...]
    table: Table | None = None
    row_owned: bool = False
    owner_is_text: bool = False
    tables: frozenset[str] = frozenset()
    places: Mapping[str, Place] = field(default_factory=dict)
    known: tuple[Tree, ...] = ()
    unique: frozenset[str] | None = None

    @property
    def alias(self) -> str:
        """What the engine knows it as."""
        return self.relation.alias

    @property
    def owner(self) -> Tree:
        """Whose a row is."""
        return Name(self.alias, OWNER)


@dataclass(slots=True)
class Frame:
    """The rows of FROM, JOIN and WHERE, while they are put together.

    `conditions` holds what each join compares, by alias; what inner joins and WHERE compare holds
    for every row. `multiplied` is set where a row may meet several public rows.
    """

    bounds: list[Bound] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)
    where: list[Tree] = field(default_factory=list)
    conditions: dict[str, list[Tree]] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)
    merged: dict[str, Value] = field(default_factory=dict)
    determined: set[str] = field(default_factory=set)
    multiplied: bool = False
    most: int | None = None

    @property
    def private(self) -> list[Bound]:
        """The relations that people own."""
        return [bound for bound in self.bounds if bound.unit is not None]

    @property
    def unit(self) -> str | None:
        """The kind of people who own the rows."""
        return self.private[0].unit if self.private else None

    @property
    def row_owned(self) -> bool:
        """Whether each row is a person of its own."""
        return bool(self.private) and self.private[0].row_owned

    @property
    def owner(self) -> Tree | None:
        """Whose a row is; None where each is a person of its own, or where all is public."""
        return None if not self.private or self.row_owned else self.private[0].owner

    @property
    def owner_is_text(self) -> bool:
        """Whether people are told apart by texts, or else by whole numbers."""
        return any(bound.owner_is_text for bound in self.private)

    @property
    def order(self) -> tuple[Tree, ...]:
        """What tells the rows of a person apart."""
        return tuple(
            when(call(Op.IS_NULL, tree), Literal(0), tree) if bound.alias in self.outer else tree
            for bound in self.bounds
            if bound.unit is not None or bound.alias not in self.determined or not self.private
            for tree in bound.order
        )

    @property
    def tables(self) -> frozenset[str]:
        """The private tables whose rows these are."""
        return frozenset[str]().union(*(bound.tables for bound in self.bounds))

    @property
    def known(self) -> list[Tree]:
        """What is true of each row."""
        found = list(self.where)
        for bound in self.bounds:
            if bound.alias not in self.outer:
                found += [*self.conditions.get(bound.alias, ()), *bound.known]
        return found

    def holding(self, alias: str) -> list[Tree]:
        """The comparisons that hold for each row in which a relation stands."""
        if alias in self.outer:
            return _known(self.conditions.get(alias, []))
        inner = [
            condition
            for other, conditions in self.conditions.items()
            if other not in self.outer
            for condition in conditions
        ]
        return _known([*self.where, *inner])

    def select(self, columns: Sequence[tuple[str, Tree]], group: Sequence[Tree] = ()) -> Select:
        """Columns of these rows."""
        where = all_of(*self.where)
        return Select(
            tuple(columns),
            self.bounds[0].relation,
            tuple(self.joins),
            None if where == TRUE else where,
            tuple(group),
        )


def _known(conditions: Sequence[Tree]) -> list[Tree]:
    """Conditions, and what each side of an OR among them needs: that holds whichever is true."""
    found: list[Tree] = []
    for condition in conditions:
        found.append(condition)
        if isinstance(condition, Call) and condition.op is Op.OR:
            one, other = (_known(conjuncts(side)) for side in condition.args)
            found += [part for part in one if part in other]
    return found


def places_of(columns: Mapping[str, Value]) -> dict[str, Place]:
    """Where rows that agree on a column of the engine belong to one person."""
    return {
        value.tree.column: value.refers
        for value in columns.values()
        if value.refers is not None and isinstance(value.tree, Name)
    }


def combined_hash(order: Sequence[Tree], start: int = 0) -> Tree:
    """One number for a row that is made of several.

    What it is made of is below 2^62, so nothing on the way passes 2^62.
    """
    total: Tree = Literal(start)
    for tree in order:
        part = call(Op.REMAINDER, tree, HASHES)
        total = call(Op.ADD, call(Op.MULTIPLY, total, 3), part)
        total = call(Op.REMAINDER, total, HASHES)
    return total
