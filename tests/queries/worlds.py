"""Small worlds of tables: rows in memory, DuckDB over them, and what is public of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from differential_privacy.queries.parsing import parsed_question
from differential_privacy.queries.reader import Reader, columns_named
from differential_privacy.queries.relations import Frame, Mode
from differential_privacy.queries.values import Text, Type, Value, Whole, column_type
from differential_privacy.sources import OWNER, Cell, DuckDB, Ranks, Scanner, Table
from differential_privacy.sources.trees import Derived, Name, Select, Stored, Tree

PLAIN = Mode(rows=False)
BOUNDED = Mode(rows=True)
HASHED = Mode(rows=False, hashed=True)

Row = tuple[Cell, ...]


@dataclass
class World:
    """The `Sources` of a test: tables in memory behind one engine."""

    tables: Mapping[str, Table] = field(repr=False)
    scanner: Scanner = field(init=False, repr=False)

    def __init__(self, *tables: Table) -> None:
        self.tables = {table.name: table for table in tables}
        engine = DuckDB([table.source for table in tables if table.source is not None])
        self.scanner = Scanner(self.tables, engine, Ranks(b"secret"))

    def prepared(self, table: Table, alias: str) -> Stored | None:
        del table, alias
        return None

    def public_type(self, table: Table, column: str) -> Type:
        kind = column_type(table.column(column))
        values = [value for (value,) in self._scanned(table, [column]) if value is not None]
        if isinstance(kind, Whole) and not kind.declared and values:
            low, high = min(map(int, values)), max(map(int, values))
            return replace(kind, low=low, high=high, declared=True)
        if isinstance(kind, Text) and kind.values is None:
            return replace(kind, values=tuple(sorted({str(value) for value in values})))
        return kind

    def unique(self, table: Table, columns: frozenset[str]) -> bool:
        if not table.unique or not {name.lower() for name in table.unique} <= columns:
            return False
        rows = [row for row in self._scanned(table, table.unique) if None not in row]
        return len(set(rows)) == len(rows)

    def public_rows(self, query: Select, read: Iterable[str]) -> list[Row]:
        assert all(self.tables[name].public for name in read)
        return self.run(query)

    def run(self, query: Select) -> list[Row]:
        """What the engine answers, sorted."""
        return sorted(self.scanner.engine.run(query), key=repr)

    def close(self) -> None:
        self.scanner.engine.close()

    def _scanned(self, table: Table, names: Sequence[str]) -> list[Row]:
        listed = [table.column(name).name for name in names]
        scan = Derived(self.scanner.scan(table, listed), "s")
        return self.run(Select(tuple((name, Name("s", name)) for name in listed), scan))


@contextmanager
def opened(*worlds: World) -> Iterator[tuple[World, ...]]:
    """Worlds that are closed in the end."""
    try:
        yield worlds
    finally:
        for world in worlds:
            world.close()


def frame_of(world: World, text: str, mode: Mode = PLAIN) -> Frame:
    """The rows of a question's FROM, JOIN and WHERE."""
    root = parsed_question(text)
    return Reader(world, mode, columns_named(root)).frame(root, {})


def values_of(frame: Frame) -> list[Value]:
    """Every column of a frame."""
    return [value for bound in frame.bounds for value in bound.columns.values()]


def rows_of(world: World, frame: Frame) -> list[Row]:
    """Each row of a frame: its owner, every column, and what it is chosen by."""
    owner = [] if frame.owner is None else [(OWNER, frame.owner)]
    trees: list[Tree] = [*(value.tree for value in values_of(frame)), *frame.order]
    return world.run(frame.select([*owner, *((f"x{n}", tree) for n, tree in enumerate(trees))]))


def assert_promised(value: Value, cell: Cell, *, about: str) -> None:
    """A cell is what the type of its expression promised of every row."""
    if cell is None:
        assert value.nullable, f"{about}: NULL was not promised"
        return
    kind = value.type
    if isinstance(kind, Whole):
        assert type(cell) is int, about
        assert kind.low <= cell <= kind.high, f"{about}: {cell} is not in {kind.low}..{kind.high}"
    else:
        assert type(cell) is (str if isinstance(kind, Text) else bool), about
    if value.values is not None:
        assert cell in value.values, f"{about}: {cell!r} is not listed"
