"""What a curator declares checks itself, prints itself, and bounds what is stored."""

import datetime as dt
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sources import Bounds, Column, Key, Kind, Place, Table, owner_table, root
from differential_privacy.sources.kinds import day, instant, second, written

AGE = Column("age", "integer", lower=0, upper=120)
ONE = (Bounds(rows=1),)
steps = st.one_of(
    st.integers(0, 12).map(lambda digits: Fraction(1, 10**digits)),
    st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000),
)


def nearest(real: float, step: Fraction) -> int:
    """The index of a value as engines compute it."""
    return math.floor(real * float(step.denominator) / float(step.numerator) + 0.5)


@given(step=steps.filter(lambda step: step > 0), data=st.data())
def test_a_value_within_the_ends_gets_no_index_beyond_theirs(step: Fraction, data: Any) -> None:
    most = (1 << 50) - 1
    low, high = sorted(data.draw(st.tuples(*[st.integers(-most, most)] * 2)))
    column = Column("x", "number", lower=low * step, upper=high * step, step=step)
    assert column.points == (low, high)
    ends = float(low * step), float(high * step)
    assert [nearest(end, step) for end in ends] == [low, high]
    inside = data.draw(st.floats(*ends))
    assert low <= nearest(inside, step) <= high
    beside = [math.nextafter(end, sum(ends) / 2) for end in ends]
    assert all(low <= nearest(one, step) <= high for one in beside if ends[0] <= one <= ends[1])


COLUMNS = [
    Column("a", "number", lower="0.005", upper=5000, step=0.01),
    Column("a", "number", lower=-1, upper=1, step="1/3", nullable=False),
    Column("a", "number"),
    Column("a", "integer", lower=-5, upper=7),
    Column("a", "integer"),
    Column("a", "text", categories=["x", "it's"]),
    Column("a", "text"),
    Column("a", "boolean", nullable=False),
    Column("a", "date", lower="2024-01-01", upper=dt.date(2024, 12, 31)),
    Column("a", "timestamp", lower="2024-01-01", upper="2024-12-31 23:59:59"),
    Column("a", "time", lower="08:00:00", upper="20:00:00"),
    Column("a", Kind.TIME),
]


@pytest.mark.parametrize("column", COLUMNS, ids=repr)
def test_a_column_prints_as_what_makes_it(column: Column) -> None:
    again = eval(repr(column), {"Column": Column, "Fraction": Fraction})  # noqa: S307 - our own
    assert (again.points, again.reach, again.categories) == (
        *(column.points, column.reach),
        column.categories,
    )
    assert repr(again) == repr(column)


WRONG: Sequence[tuple[dict[str, Any], str]] = [
    ({"name": "_a"}, "must be at most 60 letters"),
    ({"name": "1a"}, "must be at most 60 letters"),
    ({"name": "a" * 61}, "must be at most 60 letters"),
    ({"name": "été"}, "must be at most 60 letters"),
    ({"name": 'a"; DROP'}, "must be at most 60 letters"),
    ({"kind": "float"}, "must be one of boolean, integer"),
    ({"lower": 0}, "must be given together"),
    ({"lower": 2, "upper": 1}, "must not be below lower"),
    ({"lower": "nan", "upper": 1}, "must be a finite number"),
    ({"lower": dt.date(2024, 1, 1), "upper": 1}, "must be a number"),
    ({"kind": "integer", "lower": 0.5, "upper": 1}, "must be a whole number"),
    ({"kind": "text", "lower": 0, "upper": 1}, "a text column has no range"),
    ({"kind": "date", "lower": 0, "upper": 1}, "must be a date"),
    ({"kind": "date", "lower": "2024-02-30", "upper": "2024-03-01"}, "must be a date"),
    ({"kind": "timestamp", "lower": "later", "upper": "x"}, "must be a timestamp"),
    ({"kind": "time", "lower": "25:00:00", "upper": "x"}, "must be a time of day"),
    ({"categories": ["a"]}, "only a text column has them"),
    ({"kind": "text", "categories": []}, "must be a list of texts"),
    ({"kind": "text", "categories": ["a", "a"]}, "must be texts, each once"),
    ({"kind": "text", "categories": [1]}, "must be texts, each once"),
    ({"kind": "text", "categories": ["a\0"]}, "without a NUL"),
    ({"kind": "text", "categories": ["\ud800"]}, "that UTF-8 can hold"),
    ({"nullable": 1}, "must be True or False"),
    ({"nullable": False}, "may be false only with a range"),
    ({"kind": "integer", "step": 2}, "only a number has one"),
    ({"step": 0}, "must be positive"),
    ({"step": Fraction(1, (1 << 60) + 1)}, "that floats hold"),
    ({"step": Fraction(10) ** 200}, "that floats hold"),
    ({"lower": 0, "upper": 1, "step": Fraction(1, 1 << 51)}, "fewer than 2\\*\\*50 points"),
    ({"lower": "0.1", "upper": "0.2", "step": 1}, "must leave a multiple"),
    ({"kind": "integer", "lower": 0, "upper": 1 << 50}, "fewer than 2\\*\\*50 points"),
]


@pytest.mark.parametrize(("wrong", "rule"), WRONG, ids=[str(wrong) for wrong, _ in WRONG])
def test_a_column_that_breaks_a_rule_is_refused_by_name(wrong: dict[str, Any], rule: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rule):
        Column(**({"name": "a", "kind": "number"} | wrong))


def test_a_range_without_a_step_is_cut_into_a_million_points_or_more() -> None:
    for lower, upper in ((0, 1), (0, 999), (-5, 5), ("0.1", "0.3"), (0, 10**9)):
        low, high = Column("a", "number", lower=lower, upper=upper).points or (0, 0)
        assert 10**6 <= high - low <= 10**7


PEOPLE = Table("people", Place("people.parquet"), (AGE,), owner="id", bounds=ONE)
VISITS = Table("visits", Place("v"), (AGE,), owner=Key("who", "people", "id"), bounds=ONE)
TABLES = {"people": PEOPLE, "visits": VISITS}
BAD_TABLES: Sequence[tuple[dict[str, Any], str]] = [
    ({"name": "my table"}, "must be at most 60 letters"),
    ({"unit": ""}, "must be at most 60 letters"),
    ({"columns": ()}, "each name once"),
    ({"columns": (AGE, Column("AGE", "text"))}, "each name once"),
    ({"public": True}, "has no owner, no bounds and no parent"),
    ({"unique": ("age",)}, "is for public tables"),
    ({"keys": (("ward",),)}, "must be a column of t: age"),
    ({"bounds": ()}, "must have bounds"),
    ({"owner": None, "bounds": (Bounds(rows=2),)}, "must be left out"),
    ({"partition": "age"}, "with categories that is not nullable"),
]


@pytest.mark.parametrize(("wrong", "rule"), BAD_TABLES, ids=[str(wrong) for wrong, _ in BAD_TABLES])
def test_a_table_that_breaks_a_rule_is_refused_by_name(wrong: dict[str, Any], rule: str) -> None:
    known = {"name": "t", "source": Place("t"), "columns": (AGE,), "owner": "id", "bounds": ONE}
    with pytest.raises(InvalidArgumentError, match=rule):
        Table(**(known | wrong))


def test_a_partition_needs_one_row_a_person() -> None:
    part = Column("part", "text", categories=["a", "b"], nullable=False)
    Table("t", Place("t"), (part,), owner="id", bounds=ONE, partition="part")
    for bounds in ((Bounds(rows=2),), (Bounds(total=1),), (*ONE, Bounds(total=2))):
        with pytest.raises(InvalidArgumentError, match="needs one row a person"):
            Table("t", Place("t"), (part,), owner="id", bounds=bounds, partition="part")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"rows": 0},
        {"rows": 1.5},
        {"rows": 1 << 31},
        {"groups": 1},
        {"rows_per_group": 1},
        {"rows": 1, "total": 1},
        {"rows": True},
    ],
    ids=str,
)
def test_bounds_are_one_of_three_ways(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match="must be"):
        Bounds(**wrong)


def test_owners_and_roots_are_at_the_end_of_the_chain() -> None:
    copy = Table("copy", Place("c"), (AGE,), owner="id", bounds=ONE, parent="people")
    again = Table("again", Place("d"), (AGE,), owner="id", bounds=ONE, parent="copy")
    assert owner_table(VISITS, TABLES) is PEOPLE
    assert root(again, {**TABLES, "copy": copy, "again": again}) == "people"
    assert VISITS.rows == 1
    assert VISITS.column("AGE") is AGE


def test_a_table_does_not_print_its_rows() -> None:
    rows = {"secret": ["a private value"]}
    assert "private" not in repr(Table("t", rows, (AGE,)))


@given(moment=st.datetimes())
def test_moments_are_written_as_they_are_read(moment: dt.datetime) -> None:
    whole = moment.replace(microsecond=0)
    for kind, reader, text in (
        (Kind.DATE, day, whole.date().isoformat()),
        (Kind.TIMESTAMP, instant, whole.isoformat(sep=" ")),
        (Kind.TIME, second, whole.time().isoformat()),
    ):
        assert written(kind, reader(text, "lower")) == text


def test_a_place_is_a_file_or_a_table() -> None:
    with pytest.raises(InvalidArgumentError, match="must be given, or table"):
        Place()
    assert str(Place("a.duckdb", "visits")) == "a.duckdb visits"
