"""DuckDB, embedded: over Parquet, CSV, Arrow, data frames and .duckdb files.

Rule 1: once opened, it reaches its own sources and its own folder, and nothing else.
Rule 2: no type, delimiter or header of a text file is guessed from private rows.
Rule 3: a file is read whatever its rows hold: octets that are no text become question marks in
Parquet, and drop their line in CSV, as lines of more than two million octets do. Where rows end in
a text file is for its writer to say: one that does not double its quotes (RFC 4180) lets a cell
take in the lines after it, so such a file must be written anew before it holds anybody's rows.
"""

# ruff: noqa: S608 - every name and text in a statement is quoted by the writer

import hashlib
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from glob import escape
from pathlib import Path

import duckdb

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import files
from differential_privacy.sources.duck_spelling import WRITER, parquet, physical, texts
from differential_privacy.sources.engine import Cell, Place
from differential_privacy.sources.frames import copied
from differential_privacy.sources.kinds import Physical
from differential_privacy.sources.silence import silenced
from differential_privacy.sources.trees import Query, Stored

__all__ = ["DuckDB"]

KNOWN = (*files.PARQUET, *files.TEXTS, *files.DATABASES)
ROWS = "rows"
MAIN = "main"
TABLE_COLUMNS = ("database_name", "LOWER(schema_name)", "LOWER(table_name)")
CURATED = Path(".dp")
PREPARED, SPILL = "prepared", "spill"
THREAD_MEMORY = 400
"""Megabytes for each thread; what needs more goes through the engine's own folder."""

SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "TimeZone": "'UTC'",
    # Nothing hangs on the order of rows, and keeping it takes time and memory.
    "preserve_insertion_order": "false",
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
        self._lock = threading.RLock()
        self._places: set[Place] = set()
        self._allowed: frozenset[str] = frozenset()
        self._databases: dict[str, str] = {}
        self._frames: dict[int, tuple[object, str]] = {}
        self._contents: dict[int, str] = {}
        self._types: dict[object, dict[str, Physical]] = {}
        for source in sources:
            if isinstance(source, Place):
                self._places.add(_checked(source))
            else:
                self._frames[id(source)] = (source, WRITER.name(f"frame {len(self._frames)}"))
        self._process = os.getpid()
        self._connection = self._connected()
        self._tables = {p: self._found(p) for p in self._places if p.table is not None}

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
        with _silenced():
            self._open_to(files.files(path))
            return Stored(parquet(path) if kind in files.PARQUET else texts(path), alias)

    def identity(self, source: object) -> str:
        """The file and the table in it; a frame is only what it holds."""
        if not isinstance(source, Place):
            return f"frame {self._content(source)}"
        return f"file {Path(self._path_of(source)).resolve()} {self._tables.get(source, '')}"

    def version(self, source: object) -> str:
        """Sizes and times of files; what a frame held when it was given."""
        self._check_process()
        if not isinstance(source, Place):
            return self._content(source)
        versions = "\n".join(version for _, version in self.parts(source))
        return hashlib.sha256(versions.encode()).hexdigest()

    def parts(self, source: object) -> Sequence[tuple[object, str]]:
        """The files of a pattern; a frame is one."""
        if not isinstance(source, Place):
            return [(source, self._content(source))]
        self._path_of(source)
        with _silenced():
            found = files.parts(source)
        self._places.update(part for part, _ in found)
        return found

    def fingerprint(self, source: object) -> str | None:
        """The sizes and the ends of files; what a frame holds."""
        if not isinstance(source, Place):
            return self._content(source)
        path = self._path_of(source)
        with _silenced():
            return files.fingerprint(files.files(path), self._tables.get(source))

    def written(self, query: Query) -> str:
        """DuckDB's SQL."""
        return WRITER.shown(query)

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
        with _silenced():
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
        with self._lock, _silenced():
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

    def _check_process(self) -> None:
        """A child would wait for threads that a fork left behind; it is told before it pays."""
        if os.getpid() != self._process:
            rule = "must open a curator of its own: engines do not survive a fork"
            raise InvalidArgumentError("process", os.getpid(), rule)

    def _path_of(self, place: Place) -> str:
        if place not in self._places or place.path is None:
            raise InvalidArgumentError("source", str(place), "must be one that the engine opened")
        return place.path

    def _attached(self, path: Path, name: str) -> str:
        with self._lock, _silenced():
            if name not in self._databases:
                self._attach(self._connection, path, name)
            return self._databases[name]

    def _attach(self, connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> None:
        alias = WRITER.name(f"db {name}")
        with connection.cursor() as cursor:
            cursor.execute(f"ATTACH {WRITER.text(str(path))} AS {alias} (READ_ONLY)")
        self._databases[name] = alias

    def _table(self, place: Place, path: str) -> str:
        """A table of a database, its texts without the collation that they may be declared with."""
        table = f"{self._databases[path]}.{self._tables[place]}"
        found = self._rows(f"DESCRIBE SELECT * FROM {table}")
        texts = [WRITER.name(str(name)) for name, kind, *_ in found if kind == "VARCHAR"]
        bare = ", ".join(f"DECODE(ENCODE({name})) AS {name}" for name in texts)
        return f"(SELECT * REPLACE ({bare}) FROM {table})" if texts else table

    def _found(self, place: Place) -> str:
        """A table as its database writes it, whatever case and schema it was asked for in."""
        schema, _, name = str(place.table).rpartition(".")
        wanted = (f"db {place.path}", schema.lower() or MAIN, name.lower())
        same = " AND ".join(
            f"{column} = {WRITER.text(value)}"
            for column, value in zip(TABLE_COLUMNS, wanted, strict=True)
        )
        found = self._rows(f"SELECT schema_name, table_name FROM DUCKDB_TABLES() WHERE {same}")
        if not found:
            rule = "must be a table of the database, and no view: that would show another's rows"
            raise InvalidArgumentError("table", place.table, rule)
        return ".".join(WRITER.name(str(part)) for part in found[0])

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

    def _open_to(self, found: Iterable[str]) -> None:
        """Lets in files that a pattern names by now: a locked engine cannot, so another is made."""
        with self._lock:
            if not self._allowed.issuperset(found):
                self._databases.clear()
                self._connection = self._connected()

    def _connected(self) -> duckdb.DuckDBPyConnection:
        """An engine that holds all frames and databases, and can reach nothing but the sources."""
        connection = duckdb.connect()
        paths = [place.path for place in self._places if place.path is not None]
        self._allowed = frozenset(file for path in paths for file in files.files(path))
        with _silenced():
            for name, value in SETTINGS.items():
                connection.execute(f"SET {name} = {value}")
            ((threads,),) = connection.execute("SELECT CURRENT_SETTING('threads')").fetchall()
            connection.execute(f"SET memory_limit = '{THREAD_MEMORY * threads}MB'")
            for path in paths:
                if files.suffix(path) in files.DATABASES and path not in self._databases:
                    self._attach(connection, Path(path).absolute(), path)
            for frame, table in self._frames.values():
                copied(connection, frame, table)
            own = [self._folder / PREPARED, self._folder / SPILL]
            for name, reached in (
                # A file is asked for by the pattern that names it alone.
                ("allowed_paths", sorted({*self._allowed, *map(escape, self._allowed)})),
                ("allowed_directories", [f"{folder}/" for folder in own]),
            ):
                listed = ", ".join(map(WRITER.text, reached))
                connection.execute(f"SET {name} = [{listed}]")
            connection.execute(f"SET temp_directory = {WRITER.text(str(self._folder / SPILL))}")
            # From here on nothing else of the machine can be reached, or allowed again.
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
        return connection

    def _rows(self, text: str) -> Sequence[tuple[Cell, ...]]:
        with _silenced(), self._connection.cursor() as cursor:
            return cursor.execute(text).fetchall()


def _silenced() -> AbstractContextManager[None]:
    return silenced(duckdb.Error)


def _checked(place: Place) -> Place:
    """A place whose file is there, and is one that is known."""
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
    if kind in files.DATABASES and files.is_pattern(path):
        raise InvalidArgumentError("path", path, "must be one database, not a pattern")
    return place
