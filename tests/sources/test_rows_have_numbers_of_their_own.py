"""Where rows fit, no two of a person that differ share a number; where not, that is said."""

from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

from differential_privacy.sources import (
    HASH,
    OWNER,
    Bounds,
    Column,
    DuckDB,
    Place,
    Ranks,
    Scanner,
    Table,
)
from differential_privacy.sources import numbering as module
from differential_privacy.sources.numbering import Hashed, Shuffled, numbering
from differential_privacy.sources.ranks import PRIME

WARD = Column("ward", "text", categories=["a", "b", "c"])
URGENT = Column("urgent", "boolean")
AGE = Column("age", "integer", lower=-20, upper=20)
DAY = Column("day", "date", lower="1969-12-30", upper="1970-01-02")
WIDE = Column("wide", "integer", lower=0, upper=PRIME - 2)


def table(*columns: Column, source: object = None) -> Table:
    person = Column("person", "integer")
    return Table("visits", source, (person, *columns), owner="person", bounds=(Bounds(rows=1),))


@pytest.mark.parametrize(
    ("columns", "exact"),
    [
        ((), True),
        ((WARD, URGENT, AGE, DAY), True),
        ((WIDE, WARD, URGENT, AGE, DAY), True),
        ((WIDE, Column("other", "integer", lower=0, upper=PRIME - 2)), True),
        ((WIDE, Column("other", "integer", lower=0, upper=PRIME - 2), URGENT), False),
        ((WIDE, Column("other", "integer", lower=0, upper=PRIME)), False),
        ((Column("note", "text"),), False),
        ((Column("any", "integer"),), False),
        ((Column("at", "timestamp"),), False),
        ((Column("long", "text", categories=["x" * (1 << 17), "y"]),), False),
    ],
    ids=str,
)
def test_rows_are_shuffled_where_they_fit(columns: tuple[Column, ...], *, exact: bool) -> None:
    made = numbering(table(*columns))
    assert made.is_exact == exact
    assert isinstance(made, Shuffled if exact else Hashed)


VALUES = (
    ("a", "b", "c", None),
    (True, False, None),
    (*range(-20, 21), None),
    ("1969-12-30", "1970-01-02", None),
)


def numbers(folder: Path) -> list[tuple[Any, ...]]:
    """The owner and the number of all rows that there can be, of two people."""
    path = folder / "visits.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t (person BIGINT, ward TEXT, urgent BOOLEAN, age BIGINT, day DATE)"
        )
        rows = list(product((1, 2), *VALUES))
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute(f"COPY t TO '{path}'")
    place = Place(str(path))
    made = table(WARD, URGENT, AGE, DAY, source=place)
    engine = DuckDB([place], folder=folder)
    scanner = Scanner({"visits": made}, engine, Ranks(b"a key"))
    try:
        found = engine.run(scanner.scan(made, [], hashed=True))
        assert scanner.scan(made, [], hashed=True).columns[-1][0] == HASH != OWNER
    finally:
        engine.close()
    assert len(found) == len(rows)
    return [tuple(row) for row in found]


def test_no_two_rows_of_a_person_share_a_number(tmp_path: Path) -> None:
    found = numbers(tmp_path)
    assert len(set(found)) == len(found)
    assert all(0 <= number < 1 << 62 for _, number in found)


@pytest.mark.parametrize("person", [1, 2])
def test_people_order_equal_rows_each_in_a_way_of_their_own(person: int, tmp_path: Path) -> None:
    """The first tenth of one person's rows is no more the other's than chance has it."""
    found = sorted(numbers(tmp_path))
    assert {owner for owner, _ in found} == {1, 2}
    mine = [number for owner, number in found if owner == person]
    assert len(mine) == len(found) // 2
    assert sum(number < 1 << 61 for number in mine) == pytest.approx(len(mine) / 2, abs=130)
    # Were numbers of the row alone, the other would have the same ones.
    assert not {number for owner, number in found if owner != person} & set(mine)


def test_digits_that_forget_null_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = module._size
    monkeypatch.setattr(module, "_size", lambda column: (true(column) or 1) - (column == WARD))
    found = numbers(tmp_path)
    assert len(set(found)) < len(found)
