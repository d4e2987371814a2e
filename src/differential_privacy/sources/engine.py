"""The port of an engine: all that questions need of DuckDB, Postgres or Spark.

Rule 1: an engine gets trees that we built, never text of an analyst.
Rule 2: what comes back are whole numbers, truths, texts and NULL: no float leaves a source.
Rule 3: an engine's own words never reach an analyst: what it raises is a `SourceError`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, TypeAlias

from sqlglot import expressions as sql

from differential_privacy.sources.schema import Kind, Table

__all__ = ["Batch", "Cell", "Engine"]

Cell: TypeAlias = int | str | bool | None
Batch: TypeAlias = dict[str, list[Cell]]
"""The columns of an answer by name, of one length."""


class Engine(Protocol):
    """Somewhere that tables live and queries run."""

    @property
    def dialect(self) -> str:
        """What sqlglot calls this engine's SQL."""

    def describe(self, source: str) -> Mapping[str, Kind]:
        """The columns that are there, and what the engine takes them for: no rows are read."""

    def version(self, table: Table) -> str:
        """A text that changes whenever the table's data may have: cheap, and free of rows."""

    def raw(self, table: Table) -> sql.Expression:
        """What to select the table's own columns from, as the engine finds them."""

    def run(self, query: sql.Expression) -> Batch:
        """The answer of a tree that we built."""

    def prepared(self, table: Table) -> sql.Expression | None:
        """What to select prepared rows from, when they are up to date; see `rows`."""

    def prepare(self, table: Table, *, key: bytes, at: Path | None = None) -> int:
        """Ranks the rows that are new since the last time; says how many there are."""
