"""`dp init`: writes a policy from what tables are stored as; asks what only the curator knows."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from differential_privacy.cli import options
from differential_privacy.cli.outcomes import Unclear
from differential_privacy.cli.showing import is_terminal, note, show_json
from differential_privacy.curator.drafts import (
    ROW,
    BudgetDraft,
    ColumnDraft,
    TableDraft,
    likely_people,
    policy_text,
    usual_range,
)
from differential_privacy.curator.proposing import gaps_of, private_draft, public_draft
from differential_privacy.exact import positive
from differential_privacy.sources import DuckDB, Engine, Kind, Place, Postgres
from differential_privacy.sources.columns import checked_name

__all__ = ["command"]

NONE = "-"
T = TypeVar("T")


@click.command(
    "init",
    epilog=options.examples(
        "dp init visits.parquet --person patient",
        "dp init visits.csv people.csv --public wards.csv",
        "dp init hospital.duckdb --table visits --person patient",
        "dp init --dsn postgresql://localhost/hospital --table visits",
    ),
)
@click.argument("sources", nargs=-1, metavar="[FILE]...")
@click.option("--person", metavar="COLUMN|row", help="Who is protected.")
@click.option("--public", metavar="FILE", multiple=True, help="A table that anyone may know.")
@click.option("--dsn", help="A Postgres server.")
@click.option("--table", "tables", multiple=True, help="A table of the server or .duckdb file.")
@click.option("--analyst", default="analyst", show_default=True, help="Who may ask.")
@click.option("--force", is_flag=True, help="Replace a policy that is there.")
@options.policy
@options.as_json
def command(
    *,
    sources: tuple[str, ...],
    person: str | None,
    public: tuple[str, ...],
    dsn: str | None,
    tables: tuple[str, ...],
    analyst: str,
    force: bool,
    policy: str,
    in_json: bool,
) -> None:
    """Write a policy for tables: Parquet or CSV files, or tables of a database.

    No private row is read: types are those that are stored, and ranges, categories and the types of
    a CSV file are asked for on a terminal, or left as gaps to fill in.
    """
    places, open_places = _places(sources, tables, dsn), _places(public, (), None)
    if not places:
        raise Unclear("name a file, as visits.parquet, or --dsn and --table")
    file = Path(policy)
    if file.exists() and not force:
        raise Unclear(f"{policy} is there already: --policy names another, --force replaces it")
    checked_name(analyst, "analyst")
    engine = _engine([*places, *open_places], dsn, file)
    try:
        drafts = [private_draft(engine, _name(one), one, person) for one in places]
        if is_terminal():
            drafts = [_asked(one) for one in drafts]
        drafts += [public_draft(engine, _name(one), one) for one in open_places]
    finally:
        engine.close()
    budget = BudgetDraft(_asked_epsilon()) if is_terminal() else BudgetDraft()
    text = policy_text(drafts, file.parent, dsn=dsn, budget=budget, analyst=analyst)
    _write(file, text, force=force)
    gaps = gaps_of(file)
    if in_json:
        show_json({"policy": policy, "tables": [one.name for one in drafts], "gaps": gaps})
        return
    note(f"{policy} is written; no private row was read")
    for gap in gaps:
        note(f"  to fill in: {gap}")
    note(f"next: {'fill in the gaps, then ' if gaps else ''}`dp check`")


def _places(files: Sequence[str], tables: Sequence[str], dsn: str | None) -> list[Place]:
    if dsn is not None:
        if files or not tables:
            raise Unclear("with --dsn name tables by --table, and no files")
        return [Place(None, table) for table in tables]
    places = []
    for file in files:
        if not re.search(r"\.(duckdb|db)$", file):
            places.append(Place(str(Path(file).absolute())))
            continue
        if not tables:
            raise Unclear(f"name the tables of {file}, as --table visits")
        places += [Place(str(Path(file).absolute()), table) for table in tables]
    return places


def _engine(places: Sequence[Place], dsn: str | None, file: Path) -> Engine:
    if dsn is not None:
        return Postgres(dsn, places)
    return DuckDB(places, folder=file.absolute().parent / ".dp")


def _name(place: Place) -> str:
    """What a table is called: as its file, or in its database."""
    stem = (place.table or "").split(".")[-1] or Path(place.path or "").name.split(".")[0]
    plain = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"table_{plain}".strip("_")


def _write(file: Path, text: str, *, force: bool) -> None:
    """A new file, which nobody else has made meanwhile."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
    with os.fdopen(os.open(file, flags, 0o644), "w", encoding="utf-8") as opened:
        opened.write(text)


def _asked(draft: TableDraft) -> TableDraft:
    """What only the curator knows of a table, asked one by one."""
    note(f"\n{draft.name}: press Enter to leave a gap, {NONE} for none")
    person = draft.person or _asked_person(draft)
    rows = draft.rows
    if person not in (None, ROW):
        rows = click.prompt(
            "Rows that one person may count for", default=rows, type=click.IntRange(1), err=True
        )
    columns = [
        replace(one, kind=one.kind or Kind.TEXT, free=True) if one.name == person else one
        for one in draft.columns
    ]
    return replace(draft, person=person, rows=rows, columns=tuple(map(_asked_column, columns)))


def _asked_person(draft: TableDraft) -> str | None:
    listed = likely_people([one.name for one in draft.columns])
    for place, name in enumerate(listed, 1):
        note(f"  {place}  {name}")
    note(f"  {ROW}  each row is a person of its own")

    def read(given: str) -> str | None:
        if not given or given == ROW:
            return given or None
        if given.isdigit() and 1 <= int(given) <= len(listed):
            return listed[int(given) - 1]
        if given in listed:
            return given
        raise click.UsageError(f"{given} is no column, no number of one, and not {ROW}")

    return _prompt("Who is protected? The column that names the person", read)


def _asked_column(draft: ColumnDraft) -> ColumnDraft:
    if draft.kind is None:
        kinds = "/".join(kind.value for kind in Kind)

        def read_kind(given: str) -> ColumnDraft:
            return replace(draft, kind=_kind(given)) if given else draft

        draft = _prompt(f"{draft.name}: type ({kinds})", _trying(read_kind))
    if draft.wants_range:
        usual = " ".join(usual_range(draft.name) or ())
        asked = f"{draft.name}: lowest and highest" + (f", by its name {usual}" if usual else "")
        return _prompt(asked, _trying(lambda given: _ranged(draft, given)))
    if draft.wants_categories:
        asked = f"{draft.name}: its values, with commas between"
        return _prompt(asked, _trying(lambda given: _listed(draft, given)))
    return draft


def _kind(given: str) -> Kind:
    kinds = {kind.value: kind for kind in Kind}
    if given not in kinds:
        raise click.UsageError(f"{given} is no type; one of {', '.join(kinds)}")
    return kinds[given]


def _ranged(draft: ColumnDraft, given: str) -> ColumnDraft:
    if given in ("", NONE):
        return replace(draft, free=given == NONE)
    first, _, last = given.replace(",", " ").strip("[] ").partition(" ")
    return replace(draft, ends=(first, last.strip())).checked()


def _listed(draft: ColumnDraft, given: str) -> ColumnDraft:
    if given in ("", NONE):
        return replace(draft, free=given == NONE)
    values = tuple(value.strip() for value in given.split(",") if value.strip())
    return replace(draft, categories=values).checked()


def _asked_epsilon() -> str:
    def read(given: str) -> str:
        positive(given or "1", "epsilon")
        return given or "1"

    return _prompt("Epsilon that all analysts together may spend [1]", _trying(read))


def _trying(read: Callable[[str], T]) -> Callable[[str], T]:
    def tried(given: str) -> T:
        try:
            return read(given)
        except ValueError as error:
            raise click.UsageError(str(error)) from None

    return tried


def _prompt(text: str, read: Callable[[str], T]) -> T:
    """Asks until what is said can be read; nothing said is read as an empty text."""
    found: T = click.prompt(
        text,
        default="",
        show_default=False,
        err=True,
        value_proc=lambda given: read(given.strip()),
    )
    return found
