"""Engines with a fault each, that the tests must see."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from differential_privacy.sources import Cell, DuckDB
from differential_privacy.sources.duck_spelling import WRITER
from differential_privacy.sources.trees import Op, Query
from differential_privacy.sources.writing import Writer


class UnfencedDuckDB(DuckDB):
    """Reaches whatever the process can."""

    def _connected(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect()


class Mistaken(DuckDB):
    """Spells one operation as another."""

    def __init__(self, op: Op, spelled: str, *, folder: Path) -> None:
        super().__init__([], folder=folder)
        self._writer = Writer({**WRITER._spelled, op: spelled}, real="DOUBLE")

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        return self._rows(self._writer.query(query))
