"""A policy as far as it is known: as text, with gaps where only the curator knows.

Rule 1: a range or a category is the curator's word or a gap; a table with a gap cannot be asked.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from differential_privacy.curator.reading import GAP
from differential_privacy.privacy import ApproximateLoss, belief
from differential_privacy.sources import Column, Kind, Place

__all__ = [
    "ROW",
    "BudgetDraft",
    "ColumnDraft",
    "TableDraft",
    "likely_people",
    "names_something",
    "policy_text",
    "quoted",
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
            return f"{{ type = {quoted(f'{GAP}: one of {others}')} }}"
        kind = quoted(self.kind.value)
        if self.wants_range:
            gap = quoted(GAP)
            return f"{{ type = {kind}, range = [{gap}, {gap}] }}"
        if self.ends is not None:
            ends = ", ".join(self._end(end) for end in self.ends)
            return f"{{ type = {kind}, range = [{ends}] }}"
        if self.wants_categories:
            return f"{{ type = {kind}, categories = [{quoted(GAP)}] }}"
        if self.categories is not None:
            listed = ", ".join(map(quoted, self.categories))
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
        return end if self.kind in (Kind.INTEGER, Kind.NUMBER) else quoted(end)


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
            yield f"path = {quoted(shown.as_posix())}"
        if self.place.table is not None:
            yield f"table = {quoted(self.place.table)}"

    def _public(self) -> Iterator[str]:
        yield "public = true  # anyone may know all of it"
        if self.unique is not None:
            yield f"unique = [{quoted(self.unique)}]  # once in each row, so joins add no rows"

    def _private(self, budget: BudgetDraft) -> Iterator[str]:
        yield '# Who is protected: the column that names the person, or "row" if each row is one.'
        yield f"person = {quoted(self.person or f'{GAP}: a column, or {ROW}')}"
        if self.person != ROW:
            yield "# So many rows of one person count; which ones is drawn by lot, once."
            yield f"bounds = [{{ rows = {self.rows} }}]"
        yield "# What all analysts together may spend. Of somebody's being in the data"
        yield f"# {budget.meaning}."
        yield f"budget = {budget.facts}"


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
            f'[engine]\nname = "postgres"\ndsn = {quoted(dsn)}'
        )
    parts += [table.text(home, budget) for table in tables]
    parts.append(f"[analysts.{analyst}]\nbudget = {budget.facts}")
    return "\n\n".join(parts) + "\n"


def likely_people(columns: Sequence[str]) -> list[str]:
    """Columns, those first whose names sound as if they named people.

    >>> from differential_privacy.curator.drafts import likely_people
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

    >>> from differential_privacy.curator.drafts import usual_range
    >>> usual_range("patient_age"), usual_range("wage")
    (('0', '120'), None)
    """
    words = re.split(r"[^a-z]+", name.lower())
    return next((ends for word, ends in USUAL_RANGES.items() if word in words), None)


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
