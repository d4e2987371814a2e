"""Opens what a policy names: its engine and its ledger.

Rule 1: what lies in the curator's folder can be read by its owner alone.
"""

from pathlib import Path

from differential_privacy.curator.policy import Policy
from differential_privacy.errors import InvalidArgumentError, PolicyError
from differential_privacy.ledger import Ledger
from differential_privacy.sources import DuckDB, Engine, Postgres, Scanner, Spark

__all__ = ["check_stored", "ledger_file", "open_engine", "open_ledger"]

LEDGER, ANCHOR = "ledger.db", "ledger.anchor"
PRIVATE = 0o700


def open_engine(policy: Policy) -> Engine:
    """The engine that a policy names, over its sources alone."""
    sources = [table.source for table in policy.tables.values()]
    choice = policy.engine
    try:
        if choice.name == "postgres":
            return Postgres(choice.dsn or "", sources)
        if choice.name == "spark":
            return Spark.local(sources, folder=_private(policy.folder))
        return DuckDB(sources, folder=_private(policy.folder))
    except InvalidArgumentError as error:
        raise PolicyError(policy.file, "tables", str(error)) from None


def check_stored(policy: Policy, scanner: Scanner) -> None:
    """Sees that each table has its columns, stored as what they are declared to be."""
    for table in policy.tables.values():
        try:
            scanner.scan(table, [column.name for column in table.columns])
        except InvalidArgumentError as error:
            raise PolicyError(policy.file, f"tables.{table.name}", str(error)) from None


def open_ledger(policy: Policy) -> Ledger:
    """The ledger that a policy names; a file in the curator's folder, where it names none."""
    place, folder = policy.ledger, _private(policy.folder)
    if place.dsn is not None:
        return Ledger.on_server(place.dsn, anchor=place.anchor or folder / ANCHOR)
    return Ledger.in_file(place.path or folder / LEDGER, anchor=place.anchor)


def ledger_file(policy: Policy) -> Path | None:
    """Where the ledger of a policy is, if it is a file."""
    place = policy.ledger
    return None if place.dsn is not None else place.path or policy.folder / LEDGER


def _private(folder: Path) -> Path:
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    return folder
