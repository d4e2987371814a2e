"""Spark: tables beyond one machine, in Parquet, CSV or a catalog.

Rule 1: rows stay with Spark: only answers of queries, which are aggregates, come to this process.
Rule 2: nothing is read whose place was not given when the engine was opened.
"""

# ruff: noqa: S608 - every name and text in a statement is quoted by the writer

import hashlib
import logging
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from glob import escape, glob
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from differential_privacy.errors import InvalidArgumentError, MissingExtraError
from differential_privacy.sources import files
from differential_privacy.sources.engine import Cell, Place
from differential_privacy.sources.kinds import Physical
from differential_privacy.sources.silence import silenced
from differential_privacy.sources.spark_spelling import WRITER, physical
from differential_privacy.sources.trees import Query, Stored

__all__ = ["Spark"]

CURATED = Path(".dp")
PREPARED = "prepared"
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
}
LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}
"""What Spark on one machine does with less of than a cluster."""

MOST_CELLS = 1 << 22
"""A line of a text file with more cells than that is one that Spark gives up on."""

LOGGER = "SQLQueryContextLogger"


class Spark:
    """Files and catalog tables behind a Spark session; `folder` is for prepared tables.

    The session's own log is its owner's to keep: it can hold values of rows.
    """

    name = "spark"

    def __init__(
        self, session: object, sources: Iterable[object], *, folder: Path = CURATED
    ) -> None:
        self._errors = _errors()
        self._session: Any = session.newSession()  # type: ignore[attr-defined]
        self._folder = folder.absolute()
        self._views: set[str] = set()
        # It would write down what went wrong, values and all.
        logging.getLogger(LOGGER).disabled = True
        for name, value in SETTINGS.items():
            self._session.conf.set(name, value)
        self._places = {self._checked(source) for source in sources}

    @classmethod
    def local(cls, sources: Iterable[object], *, folder: Path = CURATED) -> Self:
        """Spark within this machine, on all its cores."""
        sql = _driver("pyspark.sql")
        builder = sql.SparkSession.builder.master("local[*]")
        builder = builder.config("spark.sql.warehouse.dir", str(folder.absolute() / "warehouse"))
        for name, value in LOCAL.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return cls(session, sources, folder=folder)

    def describe(self, source: object) -> Mapping[str, Physical]:
        """The columns of a file or a table, as Spark reads them."""
        with self._silenced():
            found = self._session.table(self.stored(source, "t").text).schema.fields
            return {field.name: physical(field.dataType.simpleString()) for field in found}

    def stored(self, source: object, alias: str) -> Stored:
        """A view over files as they are now; a table by its name."""
        place = self._known(source)
        if place.path is None:
            return Stored(_table(place), alias)
        view = f"source_{_digest(repr(place), self.version(place))}"
        if view not in self._views:
            with self._silenced():
                self._opened(place.path).createOrReplaceTempView(view)
            self._views.add(view)
        return Stored(WRITER.name(view), alias)

    def identity(self, source: object) -> str:
        """The path at which rows are, or where they have none, the table's name in the catalog."""
        place = self._known(source)
        if place.path is not None:
            return f"spark file {_resolved(place.path)}"
        with self._silenced():
            found = self._session.catalog.getTable(_table(place))
            facts = self._session.sql(f"DESCRIBE TABLE EXTENDED {_table(place)}").collect()
        location = next((value for name, value, _ in facts if name == "Location"), None)
        if location is not None:
            return f"spark file {_resolved(location)}"
        return f"spark table {found.catalog} {found.namespace} {found.name}".lower()

    def version(self, source: object) -> str:
        """Sizes and times of files; of a table that has none, a number made of all its rows."""
        place = self._known(source)
        with self._silenced():
            states = [state for _, state in self._states(place)]
            if not states:
                number = "SUM(CAST(XXHASH64(*) AS DECIMAL(38, 0)))"
                rows = self._session.sql(f"SELECT COUNT(*), {number} FROM {_table(place)}")
                states = [repr(rows.collect())]
        return _digest(*states)

    def parts(self, source: object) -> Sequence[tuple[object, str]]:
        """The files of a path; a table is one."""
        place = self._known(source)
        if place.path is None:
            return [(place, self.version(place))]
        with self._silenced():
            found = [(Place(escape(path)), state) for path, state in self._states(place)]
        self._places.update(part for part, _ in found)
        return found

    def fingerprint(self, source: object) -> str | None:
        """The sizes and the ends of files of this machine."""
        place = self._known(source)
        if place.path is None or _remote(place.path):
            return None
        with self._silenced():
            return files.fingerprint(_local(place.path))

    def written(self, query: Query) -> str:
        """Spark's SQL."""
        return WRITER.shown(query)

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        """The rows of an answer."""
        with self._silenced():
            found = self._session.sql(WRITER.query(query)).collect()
        return [tuple(int(c) if isinstance(c, Decimal) else c for c in row) for row in found]

    def prepared(self, name: str, alias: str) -> Stored | None:
        """Parquet in the engine's folder, which nobody writes to once it is there."""
        path = self._kept_at(name)
        if not path.exists():
            return None
        if name not in self._views:
            with self._silenced():
                self._session.read.parquet(escape(str(path))).createOrReplaceTempView(name)
            self._views.add(name)
        return Stored(WRITER.name(name), alias)

    def keep(self, name: str, query: Query) -> None:
        """Writes beside its place, and moves it there when it is whole."""
        path = self._kept_at(name)
        unfinished = path.with_suffix(".unfinished")
        with self._silenced():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            rows = self._session.sql(WRITER.query(query))
            rows.write.mode("overwrite").parquet(str(unfinished))
            unfinished.rename(path)

    def drop(self, name: str) -> None:
        """Forgets the view and deletes the files."""
        with self._silenced():
            self._session.catalog.dropTempView(name)
            self._views.discard(name)
            shutil.rmtree(self._kept_at(name), ignore_errors=True)

    def kept(self) -> Sequence[str]:
        """What lies in the folder."""
        return sorted(path.stem for path in (self._folder / PREPARED).glob("*.parquet"))

    def close(self) -> None:
        """Forgets the views; the session is its owner's to stop."""
        with self._silenced():
            for view in self._views:
                self._session.catalog.dropTempView(view)
        self._views.clear()

    def _kept_at(self, name: str) -> Path:
        return self._folder / PREPARED / f"{name}.parquet"

    def _known(self, source: object) -> Place:
        if not isinstance(source, Place) or source not in self._places:
            raise InvalidArgumentError("source", str(source), "must be one that the engine opened")
        return source

    def _checked(self, source: object) -> Place:
        if not isinstance(source, Place) or (source.path is None) == (source.table is None):
            rule = "must be a path, or a table of the catalog"
            raise InvalidArgumentError("source", str(source), rule)
        with self._silenced():
            there = self._is_table(source) if source.path is None else bool(self._states(source))
        if not there:
            rule = "must be there, and no view: that would show another's rows"
            raise InvalidArgumentError("source", str(source), rule)
        return source

    def _is_table(self, place: Place) -> bool:
        catalog, name = self._session.catalog, _table(place)
        kinds = ("VIEW", "TEMPORARY")
        return catalog.tableExists(name) and catalog.getTable(name).tableType not in kinds

    def _opened(self, path: str) -> Any:  # noqa: ANN401 - Spark is an extra
        reader = self._session.read
        if files.suffix(path) not in files.TEXTS:
            return reader.option("mergeSchema", "true").parquet(path)
        reader = reader.options(header=True, sep=files.delimiter(path), multiLine=True, escape='"')
        reader = reader.option("maxColumns", MOST_CELLS)
        # Every cell is taken as text, of the columns that each first line must name alike.
        names = reader.csv(path).columns
        schema = ", ".join(f"{WRITER.name(name)} STRING" for name in names)
        cells = reader.schema(schema).option("enforceSchema", "false").csv(path)
        listed = [f"NULLIF({WRITER.name(name)}, '') AS {WRITER.name(name)}" for name in names]
        return cells.selectExpr(*listed)

    def _states(self, place: Place) -> list[tuple[str, str]]:
        """The files that a place is made of, oldest first, each with its size and time."""
        if place.path is not None and not _remote(place.path):
            return [(path, files.state(path)) for path in files.oldest_first(_local(place.path))]
        paths = [place.path]
        if place.path is None:
            self._session.catalog.refreshTable(_table(place))
            paths = list(self._session.table(_table(place)).inputFiles())
        if not paths:
            return []
        reader = self._session.read.format("binaryFile").option("recursiveFileLookup", "true")
        found = reader.load(paths).selectExpr("UNIX_MICROS(modificationTime)", "path", "length")
        return [(path, f"{path} {size} {time}") for time, path, size in sorted(found.collect())]

    def _silenced(self) -> AbstractContextManager[None]:
        return silenced(*self._errors)


def _driver(module: str) -> Any:  # noqa: ANN401 - Spark is an extra
    try:
        with warnings.catch_warnings():
            # It warns of versions of other packages that are not used here.
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError:
        raise MissingExtraError("Spark", "spark") from None


def _errors() -> tuple[type[Exception], ...]:
    return _driver("pyspark.errors").PySparkException, _driver("py4j.protocol").Py4JError


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _table(place: Place) -> str:
    return ".".join(WRITER.name(part) for part in str(place.table).split("."))


def _resolved(path: str) -> str:
    """One name for a path of this machine, however it is written."""
    local = path.removeprefix("file://").removeprefix("file:")
    return path if _remote(local) else str(Path(local).resolve())


def _remote(path: str) -> bool:
    return "://" in path


def _local(path: str) -> list[str]:
    """The files that a path, a folder or a pattern names on this machine."""
    named = [Path(found) for found in glob(path, recursive=True)]  # noqa: PTH207 - a pattern
    inside = [file for one in named for file in ([one] if one.is_file() else one.rglob("*"))]
    return [str(file.absolute()) for file in inside if file.is_file() and file.name[0] not in "._"]
