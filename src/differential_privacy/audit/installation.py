"""How an installation is: versions, engines, and the ledger, folder and disk of a policy.

Rule 1: no private row is read, and what is found names files, versions and public facts alone.
"""

import os
import platform
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from differential_privacy.curator import Policy, read_policy
from differential_privacy.curator.opening import ledger_file, open_engine, open_ledger
from differential_privacy.errors import DifferentialPrivacyError

__all__ = ["BAD", "FINE", "MISSING", "Finding", "environment", "of_policy"]

NEEDED = ("differential_privacy", "click", "cryptography", "duckdb", "numpy", "rich", "sqlglot")
EXTRAS = {
    "arrow": ("pyarrow", "answers and sources as Arrow tables"),
    "pandas": ("pandas", "answers and sources as pandas frames"),
    "plots": ("altair", "pictures of answers"),
    "polars": ("polars", "answers and sources as polars frames"),
    "postgres": ("psycopg", "tables and ledgers on a Postgres server"),
    "spark": ("pyspark", "tables beyond one machine"),
}
LITTLE = 1 << 30
OTHERS = 0o077
SKEW = timedelta(minutes=5)
FINE, MISSING, BAD = "ok", "-", "mend"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it is, and what to do where it is to be mended."""

    subject: str
    state: str
    told: str


def environment() -> Iterator[Finding]:
    """Python, what is needed, and the extras."""
    yield Finding("python", FINE, f"{platform.python_version()} on {platform.system()}")
    for name in NEEDED:
        yield Finding(name, FINE, version(name))
    for extra, (module, what) in EXTRAS.items():
        try:
            yield Finding(extra, FINE, f"{module} {version(module)}")
        except PackageNotFoundError:
            install = f"pip install 'differential_privacy[{extra}]'"
            yield Finding(extra, MISSING, f"for {what}: {install}")


def of_policy(file: str) -> Iterator[Finding]:
    """A policy, its data, its folder and its ledger."""
    if not Path(file).exists():
        yield Finding(
            "policy", MISSING, f"no {file} here: `dp init` writes one, --policy names one"
        )
        return
    try:
        policy = read_policy(file)
    except DifferentialPrivacyError as error:
        yield Finding("policy", BAD, str(error))
        return
    yield Finding("policy", FINE, file)
    yield from _tried("data", lambda: _engine_told(policy))
    yield from _folder(policy)
    yield from _tried("ledger", lambda: _ledger_told(policy))


def _tried(subject: str, look: Callable[[], str]) -> Iterator[Finding]:
    try:
        yield Finding(subject, FINE, look())
    except DifferentialPrivacyError as error:
        yield Finding(subject, BAD, str(error))


def _engine_told(policy: Policy) -> str:
    engine = open_engine(policy)
    try:
        found = [engine.version(table.source) for table in policy.tables.values()]
    finally:
        engine.close()
    return f"{len(found)} tables are there, in {engine.name}"


def _folder(policy: Policy) -> Iterator[Finding]:
    yield from _private(policy.folder, "folder")
    file = ledger_file(policy)
    if file is not None:
        yield from _private(file, "ledger file")
    free = shutil.disk_usage(_there(policy.folder)).free
    told = f"{free / (1 << 30):.1f} GiB free"
    if free < LITTLE:
        yield Finding("disk", BAD, f"{told}: make room, a full disk stops every answer")
    else:
        yield Finding("disk", FINE, told)


def _private(path: Path, subject: str) -> Iterator[Finding]:
    """Whether others of this machine are kept out."""
    if not path.exists():
        yield Finding(subject, MISSING, f"{path} is made when it is first used")
        return
    state = path.stat()
    mode = stat.S_IMODE(state.st_mode)
    if mode & OTHERS:
        yield Finding(
            subject, BAD, f"others can reach it: chmod {'700' if path.is_dir() else '600'} {path}"
        )
    elif not os.access(path, os.W_OK):
        yield Finding(subject, BAD, f"{path} cannot be written by you")
    else:
        yield Finding(subject, FINE, f"{path}, mode {mode:o}")


def _ledger_told(policy: Policy) -> str:
    file = ledger_file(policy)
    if file is not None and not file.exists():
        return "none yet: it is made by the first question"
    ledger = open_ledger(policy)
    try:
        checked = ledger.verify()
        entries = ledger.statement().entries
    finally:
        ledger.close()
    told = f"the chain of {checked.entries} entries is whole"
    now = datetime.now(UTC)
    if entries and datetime.fromisoformat(entries[-1].time) > now + SKEW:
        return f"{told}; its last entry is later than this clock, which may be wrong: no harm"
    return told


def _there(path: Path) -> Path:
    """The nearest folder above that is there."""
    return next(one for one in (path, *path.absolute().parents) if one.exists())
