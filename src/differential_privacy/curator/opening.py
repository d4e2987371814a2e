"""Opens what a policy names: its engine, its ledger, and the key that ranks are made with.

Rule 1: what lies in the curator's folder can be read by its owner alone.
"""

import contextlib
import os
from pathlib import Path

from differential_privacy.curator.policy import Policy
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.ledger import Ledger
from differential_privacy.sampling import secure_bits
from differential_privacy.sources import DuckDB, Engine, Postgres, Spark

__all__ = ["open_engine", "open_ledger", "ranking_key"]

KEY_OCTETS = 32
KEY, LEDGER, ANCHOR = "ranks.key", "ledger.db", "ledger.anchor"
PRIVATE = 0o700


def open_engine(policy: Policy) -> Engine:
    """The engine that a policy names, over its sources alone."""
    sources = [table.source for table in policy.tables.values()]
    choice = policy.engine
    if choice.name == "postgres":
        return Postgres(choice.dsn or "", sources)
    if choice.name == "spark":
        return Spark.local(sources, folder=_private(policy.folder))
    return DuckDB(sources, folder=_private(policy.folder))


def open_ledger(policy: Policy) -> Ledger:
    """The ledger that a policy names; a file in the curator's folder, where it names none."""
    place, folder = policy.ledger, _private(policy.folder)
    if place.dsn is not None:
        return Ledger.on_server(place.dsn, anchor=place.anchor or folder / ANCHOR)
    return Ledger.in_file(place.path or folder / LEDGER, anchor=place.anchor)


def ranking_key(folder: Path) -> bytes:
    """The secret that ranks are made with: drawn once, then read back."""
    path = _private(folder) / KEY
    with contextlib.suppress(FileExistsError):
        drawn = secure_bits().octets(KEY_OCTETS).tobytes()
        unfinished = path.with_suffix(f".{os.getpid()}.unfinished")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(drawn)
        try:
            # A link is made only where there is none, so that of two processes one wins.
            os.link(unfinished, path)
        finally:
            unfinished.unlink()
    key = path.read_bytes()
    if len(key) != KEY_OCTETS:
        raise InvalidArgumentError("key", str(path), f"must hold {KEY_OCTETS} octets")
    return key


def _private(folder: Path) -> Path:
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    return folder
