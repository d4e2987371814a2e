"""Expressions over `facts`, read as questions read them, on the engine and in Python."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest
from tests.queries.facts import COLUMNS, world
from tests.queries.worlds import PLAIN, World, assert_promised, frame_of

from differential_privacy.queries.evaluating import evaluated
from differential_privacy.queries.expressions import Expressions
from differential_privacy.queries.parsing import parsed_question
from differential_privacy.queries.relations import Frame
from differential_privacy.queries.scope import FrameScope
from differential_privacy.queries.values import Value, as_column
from differential_privacy.sources import Cell
from differential_privacy.sources.trees import Name

__all__ = ["Facts", "facts"]


@dataclass(frozen=True)
class Facts:
    """The table with every kind of column, opened once: its rows by their number."""

    world: World = field(repr=False)
    frame: Frame = field(repr=False)
    rows: Mapping[int, Mapping[Name, Cell]] = field(repr=False)

    @staticmethod
    def opened() -> "Facts":
        opened = world()
        names = ", ".join(column.name for column in COLUMNS)
        frame = frame_of(opened, f"select {names} from facts", PLAIN)
        trees = [Name(frame.bounds[0].alias, column.name) for column in COLUMNS]
        listed = opened.run(frame.select([(tree.column, tree) for tree in trees]))
        rows = {int(row[0] or 0): dict(zip(trees, row, strict=True)) for row in listed}
        return Facts(opened, frame, rows)

    def value(self, text: str) -> Value:
        """What an expression is."""
        node = parsed_question(f"select {text} from facts").expressions[0]
        return Expressions(FrameScope(self.frame)).value(node)

    def computed(self, value: Value) -> dict[int, Cell]:
        """What the engine says that it is in each row."""
        number = Name(self.frame.bounds[0].alias, "id")
        query = self.frame.select([("id", number), ("x", as_column(value))])
        return {int(row or 0): cell for row, cell in self.world.run(query)}

    def told(self, value: Value) -> dict[int, Cell]:
        """What Python says."""
        return {number: evaluated(value.tree, row) for number, row in self.rows.items()}

    def assert_kept(self, text: str, value: Value | None = None) -> None:
        """The promises of an expression: the same on the engine as here, and as its type says."""
        value = self.value(text) if value is None else value
        computed, told = self.computed(value), self.told(value)
        assert computed.keys() == told.keys()
        for number, cell in computed.items():
            about = f"{text} in row {number}"
            assert type(cell) is type(told[number]), about
            assert cell == told[number], about
            assert_promised(value, cell, about=about)


@pytest.fixture(scope="module")
def facts() -> Iterator[Facts]:
    found = Facts.opened()
    yield found
    found.world.close()
