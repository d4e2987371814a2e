"""Which rows of a person count is a function of these rows and the key, and the one declared."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.plans.grammar import hospitals, policies, questions
from tests.plans.moves import plans, told_each
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Visit, opened, read

from differential_privacy.audit import Told
from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import QuestionError
from differential_privacy.queries import Plan, bounding, evaluating
from differential_privacy.queries.bounding import WEIGHT
from differential_privacy.queries.evaluating import evaluated
from differential_privacy.sources import (
    HASH,
    OWNER,
    Bounds,
    Kind,
    numbering,
    prepare,
    ranks,
    scan,
)
from differential_privacy.sources.ranks import owner_residue, residue_of
from differential_privacy.sources.ranks import scattered as scattered_number
from differential_privacy.sources.trees import Literal, Op

KEYS = (("ward",), ("note",), ("ward", "urgent"), ("day",))

FEWER = settings(max_examples=max(1, settings().max_examples // 2))
"""Each of these examples opens engines or prepares tables of its own."""

Row = dict[str, Any]


def assert_order_does_not_matter(
    data: Data, shuffled: Data, bounds: tuple[Bounds, ...], text: str
) -> None:
    with opened(data, shuffled, bounds=bounds) as catalogs:
        one, other = ([told for _, told in told_each(each, text)] for each in catalogs)
    assert one == other


@FEWER
@given(hospitals(), policies(), questions(), st.data())
def test_the_order_of_rows_does_not_matter(
    data: Data, bounds: tuple[Bounds, ...], text: str, draw: st.DataObject
) -> None:
    shuffled = Data(
        tuple(draw.draw(st.permutations(data.visits))),
        tuple(draw.draw(st.permutations(data.drugs))),
        tuple(draw.draw(st.permutations(data.items))),
    )
    try:
        assert_order_does_not_matter(data, shuffled, bounds, text)
    except QuestionError:
        reject()


VISITS = tuple(Visit(1, number, note=f"note {number}", age=number % 6) for number in range(40))
BY_NOTE = "SELECT note, COUNT(*) FROM visits GROUP BY note"


@pytest.mark.parametrize("bounds", [ROWS, GROUPS], ids=str)
def test_an_order_that_the_engine_happens_to_have_is_caught(
    bounds: Bounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, turned = Data(VISITS), Data(VISITS[::-1])
    assert_order_does_not_matter(data, turned, (bounds,), BY_NOTE)
    monkeypatch.setattr(scan, "row_order", lambda _: ())
    monkeypatch.setattr(ranks, "scattered", lambda _: Literal(0))
    monkeypatch.setattr(numbering, "_number", lambda *_: Literal(0))
    monkeypatch.setattr(bounding.Listed, "order", ())
    with pytest.raises(AssertionError):
        assert_order_does_not_matter(data, turned, (bounds,), BY_NOTE.replace("note", "age"))


@FEWER
@given(hospitals(), policies(), questions())
def test_prepared_tables_give_the_same_numbers(
    data: Data, bounds: tuple[Bounds, ...], text: str
) -> None:
    with opened(data, bounds=bounds, keys=KEYS) as (catalog,):
        try:
            before = told_each(catalog, text)
        except QuestionError:
            reject()
        for name in ("visits", "drugs", "items"):
            prepare(catalog.scanner, catalog.tables[name])
        after = told_each(catalog, text)
    for (plan, told), (ready, same) in zip(before, after, strict=True):
        assert told == same
        assert plan.key == ready.key
        assert plan.queries != ready.queries


@pytest.mark.parametrize("keys", [("ward",), ("note",), ("ward", "urgent"), ("urgent", "day"), ()])
@pytest.mark.parametrize("bounds", [ROWS, GROUPS, Bounds(groups=3, rows_per_group=1)], ids=str)
def test_prepared_ranks_are_used_and_are_those_that_a_question_computes(
    keys: tuple[str, ...], bounds: Bounds
) -> None:
    """A window over all rows is what makes bounding slow; a prepared table has its ranks."""
    text = f"SELECT COUNT(*), SUM(age), {', '.join(keys) or 1} FROM visits"
    text += f" GROUP BY {', '.join(keys)}" * bool(keys)
    wards, truths = ("a", "b", "c", None), (True, False, None)
    rows = tuple(
        Visit(1 + n % 3, n, ward=wards[n % 4], urgent=truths[n % 5 % 3], note=f"{n % 7}", age=n % 6)
        for n in range(60)
    )
    with opened(Data(rows), bounds=(bounds,), keys=KEYS) as (catalog,):
        before = told_each(catalog, text)
        prepare(catalog.scanner, catalog.tables["visits"])
        after = told_each(catalog, text)
        written = [sql for plan, _ in after for sql in plan.sql]
    assert [told for _, told in before] == [told for _, told in after]
    if bounds is ROWS or keys in KEYS:
        assert not any("OVER (" in sql for sql in written)


def listed(catalog: Catalog) -> list[Row]:
    """All visits that have an owner, as questions see them, with their owner and their number."""
    table = catalog.tables["visits"]
    names = [column.name for column in table.columns]
    rows = catalog.scanner.engine.run(catalog.scanner.scan(table, names, hashed=True))
    return [dict(zip((OWNER, *names, HASH), row, strict=True)) for row in rows]


def last_null(values: Iterable[Any]) -> tuple[tuple[bool, Any], ...]:
    """Orders NULL before all else."""
    return tuple((value is not None, value if value is not None else 0) for value in values)


def in_order(row: Row) -> tuple[Any, ...]:
    return row[HASH], last_null(value for name, value in row.items() if name != HASH)


def kept_once(rows: Sequence[Row], most: int) -> list[Row]:
    return [row for mine in by(rows, lambda row: row[OWNER]) for row in mine[:most]]


def by(rows: Sequence[Row], key: Callable[[Row], Any]) -> list[list[Row]]:
    """Rows in their order, in lists of those that share a key."""
    ordered = sorted(sorted(rows, key=in_order), key=key)
    return [list(group) for _, group in groupby(ordered, key)]


def kept_in_groups(
    catalog: Catalog, rows: Sequence[Row], bounds: Bounds, column: str, kind: Kind
) -> list[Row]:
    def place(row: Row) -> tuple[Any, ...]:
        owner, key = (
            owner_residue(Literal(row[OWNER]), text=False),
            residue_of(Literal(row[column]), kind),
        )
        number = scattered_number(catalog.scanner.ranks.group_form([owner, key]))
        return evaluated(number, {}), last_null([row[column]])

    with patch.dict(evaluating.OPERATIONS, {Op.HASHED: scattered}):
        return [
            row
            for mine in by(rows, lambda row: row[OWNER])
            for group in by(mine, place)[: bounds.groups]
            for row in group[: bounds.rows_per_group]
        ]


def summed(rows: Sequence[tuple[Row, int]], column: str) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for row, weight in rows:
        total = found.setdefault((row[column],), [0, 0])
        total[0] += weight
        total[1] += weight * row["age"]
    return found


def scattered(text: str) -> int:
    """As `Op.HASHED` says: the first 60 bits of the MD5."""
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:15], 16)


def told_of(catalog: Catalog, text: str) -> tuple[Plan, Told]:
    plan = plans(read(catalog, text))[0]
    return plan, Told.of(plan)


@FEWER
@given(hospitals(), st.sampled_from([("ward", Kind.TEXT), ("note", Kind.TEXT), ("day", Kind.DATE)]))
def test_bounds_keep_what_they_are_declared_to_keep(data: Data, key: tuple[str, Kind]) -> None:
    """An oracle in plain Python, with the same numbers for rows and groups."""
    column, kind = key
    few = Bounds(groups=2, rows_per_group=1)
    text = f"SELECT {column}, COUNT(*), SUM(age) FROM visits WHERE age > 0 GROUP BY {column}"
    for bounds in (ROWS, few, TOTAL):
        if bounds is TOTAL and column == "note":
            continue
        with opened(data, bounds=(bounds,)) as (catalog,):
            plan, told = told_of(catalog, text)
            rows = listed(catalog)
            old = [row for row in rows if row["age"] > 0]
            if bounds is ROWS:
                kept = [(row, 1) for row in kept_once(rows, 2) if row["age"] > 0]
            elif bounds is few:
                kept = [(row, 1) for row in kept_in_groups(catalog, old, few, column, kind)]
            else:
                kept = [
                    (row, min(WEIGHT, WEIGHT * 3 // len(mine)))
                    for mine in by(old, lambda row: row[OWNER])
                    for row in mine
                ]
        exact = {group: row[: len(plan.asked.needs.exact)] for group, row in told.exact.items()}
        assert exact == summed(kept, column)
