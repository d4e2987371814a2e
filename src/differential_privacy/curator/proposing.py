"""What `dp init` proposes for a table, from what it is stored as, and which gaps are left.

Rule 1: of a private table only names and stored types are seen, never a row.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from differential_privacy.curator.drafts import (
    ROW,
    ColumnDraft,
    TableDraft,
    likely_people,
    names_something,
    quoted,
)
from differential_privacy.curator.reading import GAP
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import Engine, Kind, Physical, Place
from differential_privacy.sources.columns import checked_name
from differential_privacy.sources.trees import Name, Op, Select, call

__all__ = ["gaps_of", "private_draft", "public_draft"]

KINDS = {
    Physical.BOOLEAN: Kind.BOOLEAN,
    Physical.WHOLE: Kind.INTEGER,
    Physical.WIDE: Kind.NUMBER,
    Physical.REAL: Kind.NUMBER,
    Physical.TEXT: Kind.TEXT,
    Physical.DATE: Kind.DATE,
    Physical.TIMESTAMP: Kind.TIMESTAMP,
    Physical.TIME: Kind.TIME,
}
FORMS = (
    (Kind.INTEGER, re.compile(r"[+-]?\d{1,18}")),
    (Kind.NUMBER, re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)),
    (Kind.DATE, re.compile(r"\d{4}-\d\d-\d\d")),
    (Kind.TIMESTAMP, re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")),
    (Kind.BOOLEAN, re.compile(r"true|false", re.IGNORECASE)),
)


def private_draft(engine: Engine, name: str, place: Place, person: str | None) -> TableDraft:
    """What a table is stored as; of a text file, whose cells may be anything, not even that."""
    found = engine.describe(place)
    named = None if person is None or person == ROW else _column_named(person, found)
    typed = not _is_text_file(place)
    drafts, left_out = [], []
    for column, physical in found.items():
        reason = _why_left_out(column, physical)
        if reason is not None:
            left_out.append(f"{quoted(column)}: {reason}")
        elif column == named or names_something(column):
            drafts.append(ColumnDraft(column, KINDS[physical], free=True))
        else:
            drafts.append(ColumnDraft(column, KINDS[physical] if typed else None))
    return TableDraft(name, place, tuple(drafts), tuple(left_out), person=named or (person and ROW))


def public_draft(engine: Engine, name: str, place: Place) -> TableDraft:
    """A public table, which may be read: of a text file, its cells tell what they are."""
    found = engine.describe(place)
    kept = [column for column, one in found.items() if _why_left_out(column, one) is None]
    left_out = tuple(
        f"{quoted(column)}: {_why_left_out(column, one)}"
        for column, one in found.items()
        if column not in kept
    )
    values = {column: _values(engine, place, column) for column in kept}
    drafts = [
        ColumnDraft(
            column,
            _told_kind(values[column]) if _is_text_file(place) else KINDS[found[column]],
            free=True,
        )
        for column in kept
    ]
    rows = _row_count(engine, place)
    unique = next((one for one in kept if rows and len(values[one]) == rows), None)
    return TableDraft(name, place, tuple(drafts), left_out, public=True, unique=unique)


def gaps_of(path: str | Path) -> list[str]:
    """The keys of a policy file that the curator is still to fill in; none where it is no TOML."""
    try:
        parts = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return list(dict.fromkeys(_gaps(parts, "")))


def _gaps(part: object, key: str) -> Iterator[str]:
    if isinstance(part, Mapping):
        for name, inner in part.items():
            yield from _gaps(inner, f"{key}.{name}".strip("."))
    elif isinstance(part, list):
        for inner in part:
            yield from _gaps(inner, key)
    elif isinstance(part, str) and GAP in part:
        yield key


def _why_left_out(column: str, physical: Physical) -> str | None:
    try:
        checked_name(column, "column")
    except InvalidArgumentError as error:
        return f"its name {error.rule}"
    return None if physical in KINDS else "what it holds is neither number, text, truth nor time"


def _column_named(name: str, found: Mapping[str, Physical]) -> str:
    for column in found:
        if column.lower() == name.lower():
            return column
    rule = f"must be a column, or {ROW}: {', '.join(likely_people(list(found)))}"
    raise InvalidArgumentError("--person", name, rule)


def _is_text_file(place: Place) -> bool:
    return place.path is not None and bool(re.search(r"\.(csv|tsv)(\.gz)?$", place.path))


def _values(engine: Engine, place: Place, column: str) -> list[str]:
    """The different values of a public column, as text."""
    name = call(Op.TEXT, Name("t", column))
    query = Select((("value", name),), engine.stored(place, "t"), distinct=True)
    return [str(value) for (value,) in engine.run(query) if value is not None]


def _row_count(engine: Engine, place: Place) -> int:
    ((rows,),) = engine.run(Select((("rows", call(Op.ROWS)),), engine.stored(place, "t")))
    return int(rows or 0)


def _told_kind(values: Sequence[str]) -> Kind:
    """What all of these texts are."""
    for kind, form in FORMS:
        if values and all(form.fullmatch(value) for value in values):
            return kind
    return Kind.TEXT
