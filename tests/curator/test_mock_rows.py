"""Made-up rows obey the declared schema, are free, and read nothing."""

import datetime as dt
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curator.wards import spent, written

import differential_privacy as dp
from differential_privacy.curator.mock import mocked
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import Bounds, Column, Key, Place, Table

COLUMNS = (
    Column("person", "integer"),
    Column("ward", "text", categories=["a", "b"]),
    Column("note", "text"),
    Column("cost", "number", lower="-0.3", upper=2, step="0.1"),
    Column("wide", "number", lower=-(10**9), upper=10**9, step=1),
    Column("any", "number"),
    Column("age", "integer", lower=3, upper=9),
    Column("urgent", "boolean"),
    Column("day", "date", lower="2024-02-28", upper="2024-03-01"),
    Column("someday", "date"),
    Column("came", "timestamp", lower="2024-01-01 10:00:00", upper="2024-01-01 10:00:09"),
    Column("clock", "time", lower="09:00:00", upper="09:00:02"),
    Column("hour", "time"),
)
TABLE = Table("visits", Place("gone.parquet"), COLUMNS, owner="person", bounds=(Bounds(rows=1),))
TYPES = {
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "text": str,
    "date": dt.date,
    "timestamp": dt.datetime,
    "time": dt.time,
}


@given(st.integers(1, 200))
def test_rows_have_the_declared_types_ranges_and_categories(rows: int) -> None:
    found = mocked(TABLE, rows)
    assert found.names == [column.name for column in COLUMNS]
    assert len(found) == rows
    for column in COLUMNS:
        values = found[column.name]
        assert all(isinstance(value, TYPES[column.kind.value]) for value in values)
        if column.categories is not None:
            assert set(values) <= set(column.categories)
    assert all(-0.3 <= value <= 2 for value in found["cost"])  # type: ignore[operator]
    assert all(round(10 * value, 6).is_integer() for value in found["cost"])  # type: ignore[operator]
    assert set(found["age"]) <= set(range(3, 10))
    assert set(found["day"]) <= {dt.date(2024, 2, 28), dt.date(2024, 2, 29), dt.date(2024, 3, 1)}
    clocks = {dt.time(9, 0, second) for second in range(3)}
    assert set(found["clock"]) <= clocks


def test_every_value_of_a_small_range_is_made_up() -> None:
    found = mocked(TABLE, 2000)
    assert set(found["age"]) == set(range(3, 10))
    assert set(found["ward"]) == {"a", "b"}
    assert set(found["urgent"]) == {True, False}
    people = found["person"]
    assert 350 <= len(set(people)) <= 400


def test_people_of_a_table_with_a_foreign_key_are_made_up_too() -> None:
    table = Table(
        "items",
        Place("gone.parquet"),
        (Column("visit", "text"),),
        owner=Key("visit", "visits", "id"),
        bounds=(Bounds(rows=1),),
    )
    assert len(mocked(table, 10)) == 10


@pytest.mark.parametrize("rows", [0, -1, 1.5, "many", True, 10**8])
def test_a_number_of_rows_that_makes_no_sense_is_refused(rows: object) -> None:
    with pytest.raises(InvalidArgumentError, match="rows"):
        mocked(TABLE, rows)  # type: ignore[arg-type]


def test_mock_rows_are_free_and_read_nothing(tmp_path: Path) -> None:
    with dp.Curator(written(tmp_path)) as curator:
        ada = curator.session("ada")
        object.__setattr__(curator.engine, "run", lambda _: pytest.fail("data were read"))
        for name in ("visits", "homes", "items", "wards"):
            found = ada.mock(name, rows=20)
            table = curator.policy.tables[name]
            assert found.names == [column.name for column in table.columns]
        assert len(ada.mock("visits")) == 1000
        assert spent(curator) == {}
        with pytest.raises(InvalidArgumentError, match="must be one of"):
            ada.mock("nothing")


def test_a_question_can_be_tried_on_mock_rows(tmp_path: Path) -> None:
    """What is made up can be stored and asked under the same policy."""
    policy = written(tmp_path)
    with dp.Curator(policy) as curator:
        rows = curator.session("ada").mock("visits", rows=500).to_arrow()
    pq.write_table(rows, tmp_path / "visits.parquet")
    with dp.Curator(policy) as curator:
        text = "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward"
        answer = curator.session("ada").sql(text, epsilon=1)
        assert [row[0] for row in answer.rows] == ["a", "b"]
