"""What `dp init` writes: a policy of what is public, with gaps where only the curator knows.

Rule 1: of a private table only names and stored types are seen, never a row.
Rule 2: a range or a category is the curator's word or a gap; a table with a gap cannot be asked.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from differential_privacy.curator.reading import GAP
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import ApproximateLoss, belief
from differential_privacy.sources import Column, Engine, Kind, Physical, Place
from differential_privacy.sources.columns import checked_name
from differential_privacy.sources.trees import Name, Op, Select, call

__all__ = [
    "ROW",
    "BudgetDraft",
    "ColumnDraft",
    "TableDraft",
    "gaps_of",
    "likely_people",
    "names_something",
    "policy_text",
    "private_draft",
    "public_draft",
    "usual_range",
]

ROW = "row"
USUAL_ROWS = 10

OPENING = f"""\
# The policy: who is protected, what is public, and how much may be spent by whom.
# Where it says "{GAP}", fill in what is public, as a form or a code book has it: never what the
# data hold. Or take out a range or categories: then SUM and AVG need a CLAMP in the question, and
# groups need a delta. `dp check` tells what is missing.
# Say `nullable = false` of a column in which each row has a value: groups then have no NULL.
# All sections and keys: docs/curator.md."""

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
RANGED = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP)

PEOPLE = "patient|person|customer|client|user|member|employee|student|citizen|subject|owner|account"
PERSON_NAME = re.compile(rf"(^|_)({PEOPLE})", re.IGNORECASE)
IDENTITY_NAME = re.compile(
    r"(^|_)(id|key|uuid|ssn|nr|no|number|email|phone|name)$|Id$", re.IGNORECASE
)

USUAL_RANGES = {
    "age": ("0", "120"),
    "percent": ("0", "100"),
    "month": ("1", "12"),
    "weekday": ("0", "7"),
    "hour": ("0", "23"),
    "minute": ("0", "59"),
    "latitude": ("-90", "90"),
    "longitude": ("-180", "180"),
}


@dataclass(frozen=True, slots=True)
class ColumnDraft:
    """A column as far as it is known; where `kind` is not, the curator says it.

    `ends` and `categories` are the curator's word. What has neither is left as a gap, unless it is
    `free`: told by its kind alone, as what names people is.
    """

    name: str
    kind: Kind | None
    ends: tuple[str, str] | None = None
    categories: tuple[str, ...] | None = None
    free: bool = False

    @property
    def wants_range(self) -> bool:
        """Whether its values have a lowest and a highest that are to be told."""
        return not self.free and self.kind in RANGED and self.ends is None

    @property
    def wants_categories(self) -> bool:
        """Whether its values are to be listed."""
        return not self.free and self.kind is Kind.TEXT and self.categories is None

    @property
    def facts(self) -> str:
        """What the policy says of it."""
        if self.kind is None:
            others = ", ".join(kind.value for kind in Kind)
            return f"{{ type = {_quoted(f'{GAP}: one of {others}')} }}"
        kind = _quoted(self.kind.value)
        if self.wants_range:
            gap = _quoted(GAP)
            return f"{{ type = {kind}, range = [{gap}, {gap}] }}"
        if self.ends is not None:
            ends = ", ".join(self._end(end) for end in self.ends)
            return f"{{ type = {kind}, range = [{ends}] }}"
        if self.wants_categories:
            return f"{{ type = {kind}, categories = [{_quoted(GAP)}] }}"
        if self.categories is not None:
            listed = ", ".join(map(_quoted, self.categories))
            return f"{{ type = {kind}, categories = [{listed}] }}"
        return kind

    @property
    def comment(self) -> str:
        """What helps to fill it in."""
        usual = usual_range(self.name)
        if self.wants_range and usual is not None:
            return f"  # by its name perhaps [{usual[0]}, {usual[1]}]"
        return ""

    def checked(self) -> "ColumnDraft":
        """Itself, if a policy may say so."""
        if self.kind is not None:
            lower, upper = self.ends or (None, None)
            categories = None if self.categories is None else list(self.categories)
            Column(self.name, self.kind, lower=lower, upper=upper, categories=categories)
        return self

    def _end(self, end: str) -> str:
        return end if self.kind in (Kind.INTEGER, Kind.NUMBER) else _quoted(end)


@dataclass(frozen=True, slots=True)
class BudgetDraft:
    """What may be spent, as the policy writes it."""

    epsilon: str = "1"
    delta: str = "1e-6"

    @property
    def facts(self) -> str:
        """What the policy says of it."""
        return f"{{ epsilon = {self.epsilon}, delta = {self.delta} }}"

    @property
    def meaning(self) -> str:
        """What others can come to believe."""
        loss = ApproximateLoss(self.epsilon, self.delta)
        return str(belief(loss, prior="0.5", chance=4 * loss.delta))


USUAL_BUDGET = BudgetDraft()


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table as far as it is known; `person` is a column, "row", or None for a gap."""

    name: str
    place: Place
    columns: tuple[ColumnDraft, ...]
    left_out: tuple[str, ...] = ()
    public: bool = False
    unique: str | None = None
    person: str | None = None
    rows: int = USUAL_ROWS

    def text(self, home: Path, budget: BudgetDraft) -> str:
        """Its sections of a policy that lies in `home`."""
        lines = [f"[tables.{self.name}]", *self._where(home)]
        lines += self._public() if self.public else self._private(budget)
        lines += ["", f"[tables.{self.name}.columns]"]
        lines += [f"{one.name} = {one.facts}{one.comment}" for one in self.columns]
        lines += [f"# left out: {one}" for one in self.left_out]
        return "\n".join(lines)

    def _where(self, home: Path) -> Iterator[str]:
        if self.place.path is not None:
            path = Path(self.place.path).absolute()
            inside = path.is_relative_to(home.absolute())
            shown = path.relative_to(home.absolute()) if inside else path
            yield f"path = {_quoted(shown.as_posix())}"
        if self.place.table is not None:
            yield f"table = {_quoted(self.place.table)}"

    def _public(self) -> Iterator[str]:
        yield "public = true  # anyone may know all of it"
        if self.unique is not None:
            yield f"unique = [{_quoted(self.unique)}]  # once in each row, so joins add no rows"

    def _private(self, budget: BudgetDraft) -> Iterator[str]:
        yield '# Who is protected: the column that names the person, or "row" if each row is one.'
        yield f"person = {_quoted(self.person or f'{GAP}: a column, or {ROW}')}"
        if self.person != ROW:
            yield "# So many rows of one person count; which ones is drawn by lot, once."
            yield f"bounds = [{{ rows = {self.rows} }}]"
        yield "# What all analysts together may spend. Of somebody's being in the data"
        yield f"# {budget.meaning}."
        yield f"budget = {budget.facts}"


def private_draft(engine: Engine, name: str, place: Place, person: str | None) -> TableDraft:
    """What a table is stored as; of a text file, whose cells may be anything, not even that."""
    found = engine.describe(place)
    named = None if person is None or person == ROW else _column_named(person, found)
    typed = not _is_text_file(place)
    drafts, left_out = [], []
    for column, physical in found.items():
        reason = _why_left_out(column, physical)
        if reason is not None:
            left_out.append(f"{_quoted(column)}: {reason}")
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
        f"{_quoted(column)}: {_why_left_out(column, one)}"
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


def policy_text(
    tables: Sequence[TableDraft],
    home: Path,
    *,
    dsn: str | None = None,
    budget: BudgetDraft = USUAL_BUDGET,
    analyst: str = "analyst",
) -> str:
    """A policy with comments, for a curator to review and complete."""
    parts = [OPENING]
    if dsn is not None:
        parts.append(
            "# A password is best left to ~/.pgpass.\n"
            f'[engine]\nname = "postgres"\ndsn = {_quoted(dsn)}'
        )
    parts += [table.text(home, budget) for table in tables]
    parts.append(f"[analysts.{analyst}]\nbudget = {budget.facts}")
    return "\n\n".join(parts) + "\n"


def likely_people(columns: Sequence[str]) -> list[str]:
    """Columns, those first whose names sound as if they named people.

    >>> from differential_privacy.curator.proposing import likely_people
    >>> likely_people(["age", "visit_id", "patient", "patient_id"])
    ['patient_id', 'patient', 'visit_id', 'age']
    """

    def unlikeliness(column: str) -> int:
        person, identity = PERSON_NAME.search(column), names_something(column)
        return 3 - (2 if person else 0) - (1 if identity else 0)

    return sorted(columns, key=unlikeliness)


def names_something(column: str) -> bool:
    """Whether a column sounds as if it named rows or people, so that nobody sums it up."""
    return bool(IDENTITY_NAME.search(column))


def usual_range(name: str) -> tuple[str, str] | None:
    """The range that a column of this name usually has, wherever it is.

    >>> from differential_privacy.curator.proposing import usual_range
    >>> usual_range("patient_age"), usual_range("wage")
    (('0', '120'), None)
    """
    words = re.split(r"[^a-z]+", name.lower())
    return next((ends for word, ends in USUAL_RANGES.items() if word in words), None)


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


FORMS = (
    (Kind.INTEGER, re.compile(r"[+-]?\d{1,18}")),
    (Kind.NUMBER, re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)),
    (Kind.DATE, re.compile(r"\d{4}-\d\d-\d\d")),
    (Kind.TIMESTAMP, re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")),
    (Kind.BOOLEAN, re.compile(r"true|false", re.IGNORECASE)),
)


def _quoted(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
