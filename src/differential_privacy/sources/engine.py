"""The port of an engine: all that questions need of DuckDB, Postgres or Spark.

Rule 1: an engine gets trees that we built, never text of an analyst.
Rule 2: what comes back are whole numbers, truths, texts and NULL: no float leaves a source.
Rule 3: an engine's own words never reach an analyst: what it raises becomes a `SourceError`.
Rule 4: an engine reads the sources that it was opened with, and what it keeps, and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources.kinds import Physical
from differential_privacy.sources.trees import Query, Stored

__all__ = ["Cell", "Engine", "Place"]

Cell: TypeAlias = int | str | bool | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is: a file, or a table of a database, which is a file or the engine's own."""

    path: str | None = None
    table: str | None = None

    def __post_init__(self) -> None:
        if self.path is None and self.table is None:
            raise InvalidArgumentError("path", None, "must be given, or table")

    def __str__(self) -> str:
        return " ".join(part for part in (self.path, self.table) if part is not None)


class Engine(Protocol):
    """Somewhere that tables live and queries run."""

    @property
    def name(self) -> str:
        """What the engine is called."""

    def describe(self, source: object) -> Mapping[str, Physical]:
        """The columns that are there and what they are stored as: no rows are read."""

    def stored(self, source: object, alias: str) -> Stored:
        """How queries of this engine find a source."""

    def identity(self, source: object) -> str:
        """What a source is, whatever it is called: a file, or a table of a server."""

    def version(self, source: object) -> str:
        """A text that changes whenever the data may have: cheap, and free of rows."""

    def parts(self, source: object) -> Sequence[tuple[object, str]]:
        """What a source grows by, oldest first: sources of their own, each with its version."""

    def fingerprint(self, source: object) -> str | None:
        """A text that copies and re-imports of the same data share, where one is had cheaply."""

    def written(self, query: Query) -> str:
        """What this engine reads for a query, as people may see it: without secret constants."""

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query's answer, in any order."""

    def prepared(self, name: str, alias: str) -> Stored | None:
        """What was kept under a name, if it is there."""

    def keep(self, name: str, query: Query) -> None:
        """Keeps the answer of a query under a name, all of it or nothing."""

    def drop(self, name: str) -> None:
        """Forgets what was kept under a name."""

    def kept(self) -> Sequence[str]:
        """The names under which something is kept."""

    def close(self) -> None:
        """Gives back what the engine holds."""
