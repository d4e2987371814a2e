"""The tables of a policy as questions see them: what is prepared, and what public tables hold.

Rule 1: only public tables are read here, and of private ones only what they are stored as.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.queries import Text, Type, Whole, column_type
from differential_privacy.sources import Cell, Scanner, Table, prepared
from differential_privacy.sources.trees import Derived, Name, Op, Select, Stored, call

__all__ = ["Catalog"]

MOST_VALUES = 10_000
"""A public column of more different values is known by its range alone."""

MOST_QUERIES = 100
"""Of so many questions is remembered what they read of public tables."""

SCAN = "t"


@dataclass(frozen=True, slots=True)
class Catalog:
    """What questions may know of the tables; what was read of public ones is remembered."""

    scanner: Scanner
    _types: dict[tuple[str, str, str], Type] = field(default_factory=dict, repr=False)
    _rows: dict[tuple[str, str], Sequence[tuple[Cell, ...]]] = field(
        default_factory=dict, repr=False
    )
    _unique: set[tuple[str, str]] = field(default_factory=set, repr=False)

    @property
    def tables(self) -> Mapping[str, Table]:
        """By name."""
        return self.scanner.tables

    def prepared(self, table: Table, alias: str) -> Stored | None:
        """The table as it was prepared, where that is up to date."""
        return None if table.public else prepared(self.scanner, table, alias)

    def public_type(self, table: Table, column: str) -> Type:
        """The type of a public table's column, with the values that the table holds."""
        key = (table.name, column, self.scanner.engine.version(table.source))
        if key not in self._types:
            self._types[key] = self._read(table, column)
        return self._types[key]

    def unique(self, table: Table, columns: frozenset[str]) -> bool:
        """Whether a public table holds each combination of values of these columns once."""
        declared = {name.lower() for name in table.unique}
        if not declared or not declared <= columns:
            return False
        key = (table.name, self.scanner.engine.version(table.source))
        if key not in self._unique:
            if not self._holds_once(table):
                rule = "must hold each combination of these values once, and does not"
                raise InvalidArgumentError(f"tables.{table.name}.unique", table.unique, rule)
            self._unique.add(key)
        return True

    def public_rows(self, query: Select, read: Iterable[str]) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query that reads these public tables and no others."""
        key = (repr(query), self.public_versions(read))
        if key not in self._rows:
            if len(self._rows) >= MOST_QUERIES:
                self._rows.clear()
            self._rows[key] = self.scanner.engine.run(query)
        return self._rows[key]

    def public_versions(self, read: Iterable[str]) -> str:
        """The versions of the public tables among these: what a plan was made with."""
        public = [self.tables[name] for name in sorted(read) if self.tables[name].public]
        return " ".join(self.scanner.engine.version(table.source) for table in public)

    def _read(self, table: Table, column: str) -> Type:
        name = Name(SCAN, table.column(column).name)
        rows = Derived(self.scanner.scan(table, [name.column]), SCAN)
        run = self.scanner.engine.run
        counts = (("rows", call(Op.ROWS)), ("there", call(Op.COUNT, name)))
        ((count, there),) = run(Select(counts, rows))
        known = replace(column_type(table.column(column)), nullable=count != there)
        if isinstance(known, Whole) and there:
            ends = (("low", call(Op.LOWEST, name)), ("high", call(Op.HIGHEST, name)))
            ((low, high),) = run(Select(ends, rows))
            return replace(known, low=int(low or 0), high=int(high or 0), declared=True)
        if isinstance(known, Text) and known.values is None:
            listed = run(Select((("value", name),), rows, distinct=True))
            values = sorted(str(value) for (value,) in listed if value is not None)
            if len(values) <= MOST_VALUES:
                return replace(known, values=tuple(values))
        return known

    def _holds_once(self, table: Table) -> bool:
        names = [table.column(name).name for name in table.unique]
        scan = self.scanner.scan(table, names)
        counted = Select(
            (("rows", call(Op.ROWS)),),
            Derived(scan, SCAN),
            group=tuple(Name(SCAN, name) for name in names),
        )
        most = Select((("most", call(Op.HIGHEST, Name(SCAN, "rows"))),), Derived(counted, SCAN))
        ((found,),) = self.scanner.engine.run(most)
        return found is None or int(found) <= 1
