"""Files as sources: which files a pattern names, when they changed, and which are copies.

Rule 1: of a file's content only the first line of a text file, which names its columns, is read.
"""

import csv
import gzip
import hashlib
from collections.abc import Iterable, Sequence
from glob import escape, glob
from pathlib import Path

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources.engine import Place

__all__ = [
    "DATABASES",
    "PARQUET",
    "TEXTS",
    "delimiter",
    "files",
    "fingerprint",
    "header",
    "is_pattern",
    "oldest_first",
    "parts",
    "state",
    "suffix",
]

PARQUET, TEXTS, DATABASES = (".parquet",), (".csv", ".tsv"), (".duckdb", ".db")
ENDS = 1 << 20
"""So many octets at each end of a file tell it from others."""

WILD = "*?["


def files(path: str) -> list[str]:
    """The files that a path or a pattern names now."""
    named = glob(path, recursive=True)  # noqa: PTH207 - a pattern with folders
    return sorted(str(Path(found).absolute()) for found in named if Path(found).is_file())


def is_pattern(path: str) -> bool:
    """Whether a path can name several files."""
    return any(mark in path for mark in WILD)


def suffix(path: str) -> str:
    """What a file is, by its name; compressed texts are texts.

    >>> suffix("visits.csv.gz")
    '.csv'
    """
    return next((part for part in reversed(Path(path).suffixes) if part != ".gz"), "")


def parts(place: Place) -> Sequence[tuple[Place, str]]:
    """The files of a place, oldest first, each with its size and time; a database is one."""
    if suffix(place.path or "") in DATABASES:
        return [(place, " ".join(map(state, _database(place.path or ""))))]
    ordered = sorted(
        files(place.path or ""), key=lambda path: (Path(path).stat().st_mtime_ns, path)
    )
    return [(Place(escape(path)), state(path)) for path in ordered]


def oldest_first(found: Iterable[str]) -> list[str]:
    """Files in the order in which they were last changed."""
    return sorted(found, key=lambda path: (Path(path).stat().st_mtime_ns, path))


def fingerprint(found: Sequence[str], table: str | None = None) -> str:
    """What copies of the same files share, whatever they are called."""
    digests = sorted(_digest(Path(path)) for path in found)
    return hashlib.sha256(repr((digests, table)).encode()).hexdigest()


def delimiter(path: str) -> str:
    """What stands between the cells of a text file."""
    return "\t" if suffix(path) == ".tsv" else ","


def header(path: str) -> list[str]:
    """The columns that the first lines of text files name, all the same ones."""
    first: list[str] | None = None
    for file in files(path):
        named = _first_line(file)
        if first is not None and named != first:
            rule = "must be files that all name the same columns in the same order"
            raise InvalidArgumentError("path", path, rule)
        first = named
    if not first or len({name.lower() for name in first}) < len(first):
        raise InvalidArgumentError("path", path, "must begin with a line that names each column")
    return first


def state(path: str) -> str:
    """A file with its size and the time of its last change."""
    now = Path(path).stat()
    return f"{path} {now.st_size} {now.st_mtime_ns}"


def _database(path: str) -> list[str]:
    """A database and what was written to it last, which may lie beside it."""
    return files(path) + files(f"{path}.wal")


def _first_line(file: str) -> list[str]:
    opener = gzip.open if file.endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8-sig", errors="replace", newline="") as text:
        return next(csv.reader(text, delimiter=delimiter(file)), [])


def _digest(path: Path) -> str:
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(ENDS))
        file.seek(max(ENDS, size - ENDS))
        digest.update(file.read())
    return digest.hexdigest()
