"""Rows of a person that share a number: whom these are kept for must not depend on other people.

A row's number is made of residues, so whole numbers that are a prime apart share one, and texts of
one MD5 do. What then tells the rows apart must be these rows themselves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.plans.moves import check, told_each
from tests.plans.worlds import RANKING_KEY

from differential_privacy.curator.catalog import Catalog
from differential_privacy.sources import (
    Bounds,
    Column,
    DuckDB,
    Place,
    Ranks,
    Scanner,
    Table,
    prepare,
)
from differential_privacy.sources.ranks import PRIME

ONE = "TEXTCOLLBYfGiJUETHQ4hAcKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak"
OTHER = ONE.replace("4hA", "4hE")
"""Marc Stevens, 2024: two texts of one MD5."""

PEOPLE, ROWS, MORE = 1000, 10, 300
SCHEMA = pa.schema([("person", pa.int64()), ("cost", pa.float64()), ("note", pa.string())])
COLUMNS = (Column("person", "integer"), Column("cost", "number"), Column("note", "text"))
COSTS, NOTES = (0.0, PRIME / 10**6), (ONE, OTHER)

Row = tuple[int, float, str]

QUESTIONS = {
    "costs": "SELECT SUM(CASE WHEN cost > 1 THEN 1 ELSE 0 END) FROM visits",
    "people of costs": "SELECT COUNT(DISTINCT CASE WHEN cost > 1 THEN person END) FROM visits",
    "joined costs": (
        "SELECT SUM(CASE WHEN a.cost > 1 THEN 1 ELSE 0 END) "
        "FROM visits AS a JOIN visits AS b ON a.person = b.person"
    ),
    "notes": "SELECT SUM(CASE WHEN note LIKE '%4hA%' THEN 1 ELSE 0 END) FROM visits",
}


def crowd(question: str) -> list[Row]:
    """Everybody has rows that tie, in orders that differ."""
    notes = "notes" in question
    return [
        (person, 5.0 if notes else COSTS[side], NOTES[side] if notes else "x")
        for row in range(ROWS)
        for person in range(PEOPLE)
        for side in ((row * 7 + person) % 2,)
    ]


@contextmanager
def opened(folder: Path, *bodies: list[Row], prepared: bool) -> Iterator[list[Catalog]]:
    places = []
    for number, rows in enumerate(bodies):
        path = folder / f"{number}.parquet"
        pq.write_table(
            pa.table([list(one) for one in zip(*rows, strict=True)], schema=SCHEMA), path
        )
        places.append(Place(str(path)))
    engine = DuckDB(places, folder=folder / ".dp")
    bounds = (Bounds(rows=1), Bounds(groups=1, rows_per_group=1))
    try:
        catalogs = []
        for place in places:
            table = Table("visits", place, COLUMNS, owner="person", bounds=bounds)
            scanner = Scanner({"visits": table}, engine, Ranks(RANKING_KEY))
            if prepared:
                prepare(scanner, table)
            catalogs.append(Catalog(scanner))
        yield catalogs
    finally:
        engine.close()


@pytest.mark.parametrize("prepared", [False, True], ids=["as stored", "prepared"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_person_decides_for_nobody_else_which_of_their_tied_rows_are_kept(
    name: str, tmp_path: Path, *, prepared: bool
) -> None:
    others = crowd(name)
    mine: list[Row] = [(PEOPLE, *others[0][1:])] * MORE
    with opened(tmp_path, [*others, *mine], others, prepared=prepared) as (whole, without):
        after = told_each(without, QUESTIONS[name])
        for (plan, with_), (_, left) in zip(told_each(whole, QUESTIONS[name]), after, strict=True):
            check(plan, with_, left)


@pytest.mark.parametrize("prepared", [False, True], ids=["as stored", "prepared"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_order_of_rows_decides_nothing_among_tied_rows(
    name: str, tmp_path: Path, *, prepared: bool
) -> None:
    rows = crowd(name)
    with opened(tmp_path, rows, rows[::-1], prepared=prepared) as (one, other):
        first, second = (told_each(each, QUESTIONS[name]) for each in (one, other))
        assert [told for _, told in first] == [told for _, told in second]
