"""Postgres: tables and views of a server, read in place.

Rule 1: the session that reads cannot write, has no powers but to read tables, and finds functions
of Postgres itself alone; only what was prepared is written, to a schema of its own.
Rule 2: whether a table changed is never taken from statistics, which lag behind the data.
"""

# ruff: noqa: S608 - every name and text in a statement is quoted by the writer

import contextlib
import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from typing import Any

from differential_privacy.errors import InvalidArgumentError, MissingExtraError
from differential_privacy.sources.columns import checked_name
from differential_privacy.sources.engine import Cell, Place
from differential_privacy.sources.kinds import Physical
from differential_privacy.sources.postgres_spelling import PHYSICAL, WRITER
from differential_privacy.sources.silence import silenced
from differential_privacy.sources.trees import Query, Stored

__all__ = ["Postgres"]

SCHEMA = "dp_prepared"
OLDEST = 140000
READ_ALL = "pg_read_all_data"
TOO_MIGHTY = ("pg_read_server_files", "pg_write_server_files", "pg_execute_server_program")
SETTINGS = {
    "search_path": "pg_catalog",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "standard_conforming_strings": "on",
    "jit": "off",
}
TABLE, MATERIALIZED = "r", "m"
HOLDING = """
WITH RECURSIVE reached(relation) AS (
  SELECT CAST({} AS REGCLASS)::oid
  UNION
  SELECT CASE WHEN n.way = 'view' THEN d.refobjid ELSE i.inhparent END
  FROM reached AS r
  CROSS JOIN (VALUES ('view'), ('part')) AS n(way)
  LEFT JOIN pg_rewrite AS w ON n.way = 'view' AND w.ev_class = r.relation
  LEFT JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.relation
  LEFT JOIN pg_inherits AS i ON n.way = 'part' AND i.inhrelid = r.relation
  WHERE CASE WHEN n.way = 'view' THEN d.refobjid ELSE i.inhparent END IS NOT NULL
)
SELECT n.nspname::text, c.relname::text
FROM reached AS r
JOIN pg_class AS c ON c.oid = r.relation
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind NOT IN ('v', 'm')
  AND NOT EXISTS (SELECT 1 FROM pg_inherits AS i WHERE i.inhrelid = r.relation)
"""
"""The tables that a relation shows: through views, and up from parts to what they are parts of."""


class Postgres:
    """Tables of one server; what is prepared is kept in a schema of its own.

    Tables are named as `schema.table`, or without a schema where it is `public`.
    """

    name = "postgres"

    def __init__(self, dsn: str, sources: Iterable[object], *, schema: str = SCHEMA) -> None:
        self._driver = _driver()
        self._dsn = dsn
        self._schema = checked_name(schema, "schema")
        self._lock = threading.Lock()
        self._versions: dict[Place, tuple[str, str]] = {}
        self._reader = self._reading()
        with contextlib.ExitStack() as unless_checked:
            unless_checked.callback(self._reader.close)
            self._places = {self._checked(source) for source in sources}
            unless_checked.pop_all()

    def describe(self, source: object) -> Mapping[str, Physical]:
        """The columns of a table; domains are what they are made of, enumerations are texts."""
        found = self._described(f"SELECT * FROM {_table(self._known(source))} LIMIT 0")
        words = {
            oid for (oid,) in self._rows("SELECT oid::bigint FROM pg_type WHERE typtype = 'e'")
        }
        return {
            name: Physical.TEXT if oid in words else PHYSICAL.get(kind, Physical.OTHER)
            for name, oid, kind in found
        }

    def stored(self, source: object, alias: str) -> Stored:
        """A table by its name."""
        return Stored(_table(self._known(source)), alias)

    def identity(self, source: object) -> str:
        """The server as it was made, the database, and the table that holds the rows."""
        place = self._known(source)
        ((server, database),) = self._rows(
            "SELECT (SELECT system_identifier FROM pg_control_system()), CURRENT_DATABASE()"
        )
        return f"postgres {server} {database} {self._held_by(place)}"

    def version(self, source: object) -> str:
        """A number made of the place and the writer of each row that is there.

        Theorem: a row that is added, changed or restored is new in its place or in who wrote it,
        and one that is gone is missing, so the set changes whenever the rows do.

        That reads the heads of all rows, a few million in a tenth of a second, but only where
        somebody wrote since: two equal snapshots of the server see equal rows. Rows of a view or
        of another server have no heads, so they are read whole, each time.
        """
        place = self._known(source)
        ((snapshot, kind, parts),) = self._rows(
            "SELECT CAST(PG_CURRENT_SNAPSHOT() AS TEXT), CAST(relkind AS TEXT), relhassubclass "
            f"FROM pg_class WHERE oid = CAST({WRITER.text(_table(place))} AS REGCLASS)"
        )
        headed = kind in (TABLE, MATERIALIZED) and not parts
        before, version = self._versions.get(place, ("", ""))
        if headed and before == snapshot:
            return version
        row = "ROW(t.ctid, t.xmin)" if headed else "ROW(CAST(t AS TEXT))"
        number = f"HASH_RECORD_EXTENDED({row}, 0)"
        rows = self._rows(f"SELECT COUNT(*), SUM({number}) FROM {_table(place)} AS t")
        version = hashlib.sha256(repr(rows).encode()).hexdigest()
        self._versions[place] = (str(snapshot), version)
        return version

    def parts(self, source: object) -> Sequence[tuple[object, str]]:
        """The table itself: what was added to it cannot be told from the rest."""
        return [(source, self.version(source))]

    def fingerprint(self, source: object) -> str | None:
        """None: two tables are told to be copies only by reading both."""
        self._known(source)
        return None

    def written(self, query: Query) -> str:
        """Postgres's SQL."""
        return WRITER.shown(query)

    def run(self, query: Query) -> Sequence[tuple[Cell, ...]]:
        """The rows of an answer."""
        return self._rows(WRITER.query(query))

    def prepared(self, name: str, alias: str) -> Stored | None:
        """A table of the schema for what is prepared."""
        return Stored(self._kept_at(name), alias) if name in self.kept() else None

    def keep(self, name: str, query: Query) -> None:
        """Makes the table in one transaction."""
        self._write(
            f"CREATE SCHEMA IF NOT EXISTS {WRITER.name(self._schema)}",
            f"CREATE TABLE {self._kept_at(name)} AS {WRITER.query(query)}",
        )

    def drop(self, name: str) -> None:
        """Drops the table."""
        self._write(f"DROP TABLE IF EXISTS {self._kept_at(name)}")

    def kept(self) -> Sequence[str]:
        """The tables of the schema."""
        found = self._rows(
            "SELECT CAST(c.relname AS TEXT) FROM pg_class AS c JOIN pg_namespace AS n "
            f"ON n.oid = c.relnamespace WHERE n.nspname = {WRITER.text(self._schema)} "
            "AND c.relkind = 'r'"
        )
        return sorted(str(name) for (name,) in found)

    def close(self) -> None:
        """Ends the session."""
        self._reader.close()

    def _kept_at(self, name: str) -> str:
        return f"{WRITER.name(self._schema)}.{WRITER.name(name)}"

    def _known(self, source: object) -> Place:
        if not isinstance(source, Place) or source not in self._places:
            raise InvalidArgumentError("source", str(source), "must be one that the engine opened")
        return source

    def _checked(self, source: object) -> Place:
        if not isinstance(source, Place) or source.table is None or source.path is not None:
            rule = "must be a table of the server, and no file"
            raise InvalidArgumentError("source", str(source), rule)
        name = WRITER.text(_table(source))
        ((found,),) = self._rows(f"SELECT TO_REGCLASS({name}) IS NOT NULL")
        if not found:
            raise InvalidArgumentError("table", source.table, "must be a table that is there")
        self._held_by(source)
        return source

    def _held_by(self, place: Place) -> str:
        """The table whose rows a view shows, or a part of a table holds."""
        name = WRITER.text(_table(place))
        found = self._rows(HOLDING.format(name))
        if len(found) != 1:
            rule = "must show one table: declare those that it shows, and join them in questions"
            raise InvalidArgumentError("table", place.table, rule)
        return ".".join(WRITER.name(str(part)) for part in found[0])

    def _reading(self) -> Any:  # noqa: ANN401 - the driver is an extra
        """A session that can read tables, and nothing else."""
        session = self._session()
        with contextlib.ExitStack() as unless_checked, silenced(self._driver.Error):
            unless_checked.callback(session.close)
            facts = "CURRENT_SETTING('server_version_num')::int, CURRENT_SETTING('server_encoding')"
            version, encoding = session.execute(f"SELECT {facts}").fetchone()
            if version < OLDEST or encoding != "UTF8":
                rule = "must be a server of version 14 or newer whose encoding is UTF8"
                raise InvalidArgumentError("dsn", f"a server {version} in {encoding}", rule)
            mighty = "SELECT rolsuper FROM pg_roles WHERE rolname = CURRENT_USER"
            if session.execute(mighty).fetchone()[0]:
                # Of all that a superuser can do, this leaves reading tables.
                session.execute(f"SET ROLE {READ_ALL}")
            member = "SELECT PG_HAS_ROLE(CURRENT_USER, %s, 'MEMBER')"
            if any(session.execute(member, [role]).fetchone()[0] for role in TOO_MIGHTY):
                rule = f"must not name a role that is one of {', '.join(TOO_MIGHTY)}"
                raise InvalidArgumentError("dsn", "...", rule)
            session.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
            unless_checked.pop_all()
        return session

    def _session(self) -> Any:  # noqa: ANN401 - the driver is an extra
        with silenced(self._driver.Error):
            session = self._driver.connect(self._dsn, autocommit=True, client_encoding="UTF8")
            for name, value in SETTINGS.items():
                session.execute("SELECT SET_CONFIG(%s, %s, FALSE)", [name, value])
            return session

    def _described(self, text: str) -> list[tuple[str, int, str]]:
        types = self._driver.adapters.types
        with self._cursor(text) as cursor:
            columns = [(column.name, column.type_code) for column in cursor.description]
        known = {oid: types.get(oid) for _, oid in columns}
        # A type is also found by the number of its arrays.
        names = {oid: one.name for oid, one in known.items() if one is not None and one.oid == oid}
        return [(name, oid, names.get(oid, "")) for name, oid in columns]

    def _rows(self, text: str) -> Sequence[tuple[Cell, ...]]:
        with self._cursor(text) as cursor:
            found = cursor.fetchall()
        return [tuple(int(c) if isinstance(c, Decimal) else c for c in row) for row in found]

    def _write(self, *texts: str) -> None:
        with silenced(self._driver.Error), self._session() as session, session.transaction():
            for text in texts:
                session.execute(text)

    @contextlib.contextmanager
    def _cursor(self, text: str) -> Iterator[Any]:
        with self._lock, silenced(self._driver.Error):
            if self._reader.closed:
                self._reader, self._versions = self._reading(), {}
            with self._reader.cursor() as cursor:
                yield cursor.execute(text)


def _driver() -> Any:  # noqa: ANN401 - the driver is an extra
    try:
        return import_module("psycopg")
    except ImportError:
        raise MissingExtraError("Postgres", "postgres") from None


def _table(place: Place) -> str:
    *schema, name = str(place.table).split(".")
    return ".".join(WRITER.name(part) for part in (*(schema or ["public"]), name))
