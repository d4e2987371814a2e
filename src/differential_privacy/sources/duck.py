"""DuckDB, embedded: over Parquet, CSV, Arrow, data frames and .duckdb files.

Rule 1: once opened, it reaches its own sources and its own folder, and nothing else.
Rule 2: no type, delimiter or header of a text file is guessed from private rows.
Rule 3: a file is read whatever its rows hold: octets that are no text become question marks in
Parquet, and drop their line in CSV, as lines of more than two million octets do.
"""

# ruff: noqa: S608 - every name and text in a statement is quoted by the writer

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from pathlib import Path

import duckdb

from differential_privacy.errors import InvalidArgumentError, SourceError
from differential_privacy.sources import files
from differential_privacy.sources.duck_spelling import WRITER, physical
from differential_privacy.sources.engine import Cell, Place
from differential_privacy.sources.kinds import Physical
from differential_privacy.sources.trees import Query, Stored

__all__ = ["DuckDB"]

KNOWN = (*files.PARQUET, *files.TEXTS, *files.DATABASES)
ROWS = "rows"
CURATED = Path(".dp")
PREPARED = "prepared"
THREAD_MEMORY = 400
"""Megabytes for each thread; what needs more goes through the engine's own folder."""

SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "TimeZone": "'UTC'",
    # The optimizer would rewrite a bound on ranks into something many times slower.
    "disabled_optimizers": "'top_n_window_elimination'",
}


class DuckDB:
    """Files, frames and databases behind one embedded engine.

    `sources` are all that it will ever read; `folder` is its own, for prepared tables.
    """

    name = "duckdb"

    def __init__(self, sources: Iterable[object], *, folder: Path = CURATED) -> None:
        self._folder = folder.absolute()
        self._connection = duckdb.connect()
        self._attaching = threading.Lock()
        self._places: set[Place] = set()
        self._databases: dict[str, str] = {}
        self._frames: dict[int, tuple[object, str]] = {}
        self._contents: dict[int, str] = {}
        self._types: dict[object, dict[str, Physical]] = {}
        for name, value in SETTINGS.items():
            self._set(name, value)
        ((threads,),) = self._rows("SELECT CURRENT_SETTING('threads')")
        self._set("memory_limit", f"'{THREAD_MEMORY * int(threads or 1)}MB'")
        self._set("temp_directory", WRITER.text(str(self._folder / "spill")))
        for source in sources:
            if isinstance(source, Place):
                self._open(source)
            else:
                self._take(source)
        self._fence()

    def describe(self, source: object) -> Mapping[str, Physical]:
        """The columns of a source: a file's footer or first line, a table's declaration."""
        key = (source, self.version(source)) if isinstance(source, Place) else id(source)
        if key not in self._types:
            found = self._rows(f"DESCRIBE SELECT * FROM {self.stored(source, 't').text}")
            self._types[key] = {str(name): physical(str(kind)) for name, kind, *_ in found}
        return self._types[key]

    def stored(self, source: object, alias: str) -> Stored:
        """A file by its reader, a table by its name."""
        if not isinstance(source, Place):
            return Stored(self._frame(source), alias)
        path = self._path_of(source)
        kind = files.suffix(path)
        if kind in files.DATABASES:
            return Stored(self._table(source, path), alias)
        with _private_errors():
            return Stored(_parquet(path) if kind in files.PARQUET else _csv(path), alias)

    def identity(self, source: object) -> str:
        """The file and the table in it; a frame is only what it holds."""
        if not isinstance(source, Place):
            return f"frame {self._content(source)}"
        return f"file {Path(self._path_of(source)).resolve()} {source.table or ''}"

    def version(self, source: object) -> str:
        """Sizes and times of files; what a frame held when it was given."""
        if not isinstance(source, Place):
            return self._content(source)
        versions = "\n".join(version for _, version in self.parts(source))
        return hashlib.sha256(versions.encode()).hexdigest()

    def parts(self, source: object) -> Sequence[tuple[object, str]]:
        """The files of a pattern; a frame is one."""
        if not isinstance(source, Place):
            return [(source, self._content(source))]
        self._path_of(source)
        with _private_errors():
            found = files.parts(source)
        # Files that came later are within the folder that the pattern names.
        self._places.update(part for part, _ in found)
        return found

    def fingerprint(self, source: object) -> str | None:
        """The sizes and the ends of files; what a frame holds."""
        if not isinstance(source, Place):
            return self._content(source)
        path = self._path_of(source)
        with _private_errors():
            return files.fingerprint(files.files(path), source.table)

    def written(self, query: Query) -> str:
        """DuckDB's SQL."""
        return WRITER.query(query)

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        """The rows of an answer, in a cursor of its own."""
        return self._rows(WRITER.query(query))

    def prepared(self, name: str, alias: str) -> Stored | None:
        """A table in a file of its own, which nobody writes to once it is there."""
        path = self._kept_at(name)
        if name not in self._databases and not path.exists():
            return None
        return Stored(f"{self._attached(path, name)}.{WRITER.name(ROWS)}", alias)

    def keep(self, name: str, query: Query) -> None:
        """Writes beside its place, and moves it there when it is whole."""
        path = self._kept_at(name)
        unfinished = path.with_suffix(f".{os.getpid()}.unfinished")
        at = WRITER.name(f"unfinished {name}")
        with _private_errors():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            unfinished.unlink(missing_ok=True)
            try:
                self._rows(f"ATTACH {WRITER.text(str(unfinished))} AS {at}")
                try:
                    self._rows(f"CREATE TABLE {at}.{WRITER.name(ROWS)} AS {WRITER.query(query)}")
                finally:
                    self._rows(f"DETACH {at}")
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)

    def drop(self, name: str) -> None:
        """Detaches and deletes."""
        with self._attaching, _private_errors():
            alias = self._databases.pop(name, None)
            if alias is not None:
                self._rows(f"DETACH {alias}")
            self._kept_at(name).unlink(missing_ok=True)

    def kept(self) -> Sequence[str]:
        """The files of the folder."""
        return sorted(path.stem for path in (self._folder / PREPARED).glob("*.duckdb"))

    def close(self) -> None:
        """Closes the engine."""
        self._connection.close()

    def _kept_at(self, name: str) -> Path:
        return self._folder / PREPARED / f"{name}.duckdb"

    def _path_of(self, place: Place) -> str:
        if place not in self._places or place.path is None:
            raise InvalidArgumentError("source", str(place), "must be one that the engine opened")
        return place.path

    def _open(self, place: Place) -> None:
        """Attaches a database for reading, and sees that a file is there."""
        path = place.path
        if path is None:
            raise InvalidArgumentError("path", None, "must be given: DuckDB reads files")
        kind = files.suffix(path)
        if kind not in KNOWN:
            raise InvalidArgumentError("path", path, f"must end in one of {', '.join(KNOWN)}")
        if not files.files(path):
            raise InvalidArgumentError("path", path, "must be a file that is there")
        if (kind in files.DATABASES) != (place.table is not None):
            rule = "must be given for a database, and for nothing else"
            raise InvalidArgumentError("table", place.table, rule)
        if kind in files.DATABASES:
            if files.folder(path) is not None:
                raise InvalidArgumentError("path", path, "must be one database, not a pattern")
            self._attached(Path(path).absolute(), path)
        self._places.add(place)

    def _attached(self, path: Path, name: str) -> str:
        with self._attaching:
            if name not in self._databases:
                alias = WRITER.name(f"db {name}")
                self._rows(f"ATTACH {WRITER.text(str(path))} AS {alias} (READ_ONLY)")
                self._databases[name] = alias
            return self._databases[name]

    def _table(self, place: Place, path: str) -> str:
        """A table of a database, its texts without the collation that they may be declared with."""
        parts = str(place.table).split(".")
        table = ".".join((self._databases[path], *(WRITER.name(part) for part in parts)))
        found = self._rows(f"DESCRIBE SELECT * FROM {table}")
        texts = [WRITER.name(str(name)) for name, kind, *_ in found if kind == "VARCHAR"]
        bare = ", ".join(f"DECODE(ENCODE({name})) AS {name}" for name in texts)
        return f"(SELECT * REPLACE ({bare}) FROM {table})" if texts else table

    def _take(self, frame: object) -> None:
        """Copies a frame, so that what is asked later is what was declared."""
        if id(frame) in self._frames:
            return
        table = WRITER.name(f"frame {len(self._frames)}")
        try:
            self._connection.register("given", frame)
        except duckdb.Error:
            rule = "must be a file, or a pandas, polars or Arrow table"
            raise InvalidArgumentError("source", type(frame).__name__, rule) from None
        with _private_errors():
            self._connection.execute(f"CREATE TABLE {table} AS SELECT * FROM given").fetchall()
        self._connection.unregister("given")
        # The frame itself is held too, so that no other is ever taken for it.
        self._frames[id(frame)] = (frame, table)

    def _frame(self, frame: object) -> str:
        if id(frame) not in self._frames:
            rule = "must be one that the engine opened"
            raise InvalidArgumentError("source", type(frame).__name__, rule)
        return self._frames[id(frame)][1]

    def _content(self, frame: object) -> str:
        """A fingerprint of the rows of a frame, in whatever order."""
        table = self._frame(frame)
        if id(frame) not in self._contents:
            number = "CAST('0x' || SUBSTRING(MD5(CAST(t AS VARCHAR)), 1, 15) AS BIGINT)"
            rows = self._rows(f"SELECT COUNT(*), SUM({number}) FROM {table} AS t")
            kinds = self._rows(f"DESCRIBE {table}")
            digest = hashlib.sha256(repr((rows, kinds)).encode())
            self._contents[id(frame)] = digest.hexdigest()
        return self._contents[id(frame)]

    def _fence(self) -> None:
        """From here on nothing else of the machine can be reached, or allowed again."""
        paths = [place.path for place in self._places if place.path is not None]
        found = sorted({file for path in paths for file in files.files(path)})
        folders = {files.folder(path) for path in paths} - {None}
        own = [f"{at}/" for at in sorted({str(self._folder), *map(str, folders)})]
        self._set("allowed_paths", f"[{', '.join(map(WRITER.text, found))}]")
        self._set("allowed_directories", f"[{', '.join(map(WRITER.text, own))}]")
        self._set("enable_external_access", "false")
        self._set("lock_configuration", "true")

    def _set(self, name: str, value: str) -> None:
        self._connection.execute(f"SET {name} = {value}")

    def _rows(self, text: str) -> Sequence[tuple[Cell, ...]]:
        with _private_errors(), self._connection.cursor() as cursor:
            return cursor.execute(text).fetchall()


@contextlib.contextmanager
def _private_errors() -> Iterator[None]:
    try:
        yield
    except (duckdb.Error, OSError, OverflowError, MemoryError, UnicodeError):
        raise SourceError from None


def _parquet(path: str) -> str:
    """A reader that takes the columns of all files together, by name, and each at its widest."""
    return (
        f"READ_PARQUET({_listed(path)}, union_by_name = true, "
        "hive_types_autocast = false, utf8_validation = 'replace')"
    )


def _csv(path: str) -> str:
    """A reader that takes every cell as text: the schema says what it is."""
    columns = ", ".join(f"{WRITER.text(name)}: 'VARCHAR'" for name in files.header(path))
    between = WRITER.text(files.delimiter(path))
    # Read by one thread: several fail where a cell has several lines.
    return (
        f"READ_CSV({_listed(path)}, auto_detect = false, header = true, delim = {between}, "
        f"quote = '\"', escape = '\"', nullstr = '', columns = {{{columns}}}, "
        "ignore_errors = true, null_padding = true, strict_mode = false, parallel = false)"
    )


def _listed(path: str) -> str:
    """The files that a pattern names now, each by itself."""
    return f"[{', '.join(WRITER.text(escape(file)) for file in files.files(path))}]"
