"""The rows of a question are those that DuckDB selects for the same text, from rows with owners.

So names, joins, unions, groups, subqueries and NULL mean here what they mean in SQL.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.queries.asked_texts import ACCEPTED, listed
from tests.queries.asking import questions
from tests.queries.hospital import RICH, TABLES, WARDS, Database, databases
from tests.queries.worlds import World, frame_of, opened, rows_of, values_of

from differential_privacy.errors import QuestionError
from differential_privacy.queries import grouping, scope
from differential_privacy.queries.relations import Frame
from differential_privacy.queries.values import Whole
from differential_privacy.sources import Cell, Kind

GROUPED = """
select * from (select person, count(*), count(cost), count(distinct ward) from visits group by 1) t
select * from (select person, sum(cost), min(age), max(cost) - min(cost) from visits group by 1) t
select * from (select person, avg(cost), avg(age) + 1 from visits group by person) as t
select * from (select person, avg(cost / 3), sum(cost / 4) as s from visits group by person) as t
select * from (select person, count(*) filter (where cost > 2) as n from visits group by 1) as t
select * from (select person, sum(cost) filter (where age is null) from visits group by 1) as t
select * from (select person, ward, count(*) from visits group by all having count(*) < 2) as t
select * from (select person, sum(cost) > 3 as rich from visits group by person) as t
select * from (select person, coalesce(max(age), 0) as age from visits group by person) as t
select * from (select person, case when count(*) > 1 then 'many' else 'few' end as n from visits
  group by 1)
select * from (select person + 1 as p, cost // 2 as c, count(*) from visits
  group by person, cost // 2)
select * from (select person, cost // 2 * 2 + 1 as c from visits group by person, cost // 2) as t
select * from (select person, 'x' as kind, 1 as one from visits group by person, kind, 3) as t
select * from (select max(floor) as top, count(*) as n, sum(floor) as s from wards) as t
select * from (select max(floor) as top, count(*) as n, avg(floor) from wards where floor > 9) as t
select * from (select floor, count(*) as n from wards group by floor) as t
select * from (select person, max(n) from
  (select person, ward, count(*) n from visits group by 1, 2) group by person) as t
select * from (select person, cost from visits union all select payer, null from bills) as t
select * from (select person, ward from visits union all select payer, 'none' from bills) as t
select * from (select person, cost / 3 as c from visits union all select payer, amount from bills) t
select * from visits where cost not in (select zip from zips)
select * from visits where cost in (select floor from wards)
select * from visits where not (age in (select floor from wards where floor > 5))
select * from visits v where cost in (select amount from bills b where b.payer = v.person)
select * from visits v where cost not in (select amount from bills b where b.payer = v.person)
select * from visits v where
  (cost in (select b.amount from bills b where b.payer = v.person)) is null
"""


def owned(data: Database) -> Database:
    """The rows that have owners, as questions see them."""
    customers = {key for key, _ in data.rows["customer"]}
    orders = [row for row in data.rows["orders"] if row[1] in customers]
    keys = {row[0] for row in orders}
    rows = {
        **data.rows,
        "visits": [row for row in data.rows["visits"] if row[0] is not None],
        "bills": [row for row in data.rows["bills"] if row[0] is not None],
        "orders": orders,
        "lines": [row for row in data.rows["lines"] if row[0] in keys],
    }
    return Database(
        {name: [tuple(map(seen, row)) for row in found] for name, found in rows.items()}
    )


def seen(cell: object) -> object:
    return None if isinstance(cell, str) and cell not in WARDS else cell


def whose_payers_are_few(data: Database) -> bool:
    return all(row[0] in (1, 2, None) for row in data.rows["bills"])


@contextmanager
def copied(data: Database) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same rows in tables that DuckDB alone looks after."""
    connection = duckdb.connect()
    for name, table in TABLES.items():
        texts = {Kind.TEXT: "VARCHAR", Kind.INTEGER: "BIGINT"}
        kinds = ", ".join(f"{column.name} {texts[column.kind]}" for column in table.columns)
        connection.execute(f"CREATE TABLE {name}({kinds})")
        marks = ", ".join("?" * len(table.columns))
        for row in data.rows[name]:
            connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)
    yield connection
    connection.close()


def ours(world: World, frame: Frame) -> Counter[tuple[object, ...]]:
    """Each row's columns, as people write them."""
    values, start = values_of(frame), 0 if frame.owner is None else 1
    steps = [value.type.step if isinstance(value.type, Whole) else None for value in values]
    rows = (row[start : start + len(values)] for row in rows_of(world, frame))
    return Counter(tuple(map(told, row, steps)) for row in rows)


def told(cell: Cell, step: Fraction | None) -> object:
    return cell if cell is None or step is None else near(int(cell) * step)


def theirs(copy: duckdb.DuckDBPyConnection, question: str) -> Counter[tuple[object, ...]]:
    rows = copy.execute(question).fetchall()
    return Counter(tuple(map(plain, row)) for row in rows)


def plain(cell: object) -> object:
    number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return near(Fraction(cell)) if number else cell  # type: ignore[arg-type]


def near(number: Fraction) -> Fraction:
    """To five digits: a quotient is to the nearest millionth, and so are sums of few of them."""
    return Fraction(round(number * 10**5), 10**5)


def assert_same(world: World, copy: duckdb.DuckDBPyConnection, question: str) -> None:
    assert ours(world, frame_of(world, question)) == theirs(copy, question), question


@given(
    databases().map(owned).filter(whose_payers_are_few),
    st.lists(questions(), min_size=6, max_size=6),
)
def test_whatever_is_accepted_has_the_rows_that_duckdb_selects(
    data: Database, asked: list[str]
) -> None:
    with opened(data.world()) as (world,), copied(data) as copy:
        for question in asked:
            try:
                frame = frame_of(world, question)
            except QuestionError:
                event("refused")
                continue
            event("accepted")
            assert ours(world, frame) == theirs(copy, question), question


PEOPLE_OF_TWO = Database({**RICH.rows, "bills": [row for row in RICH.rows["bills"] if row[0] != 3]})


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[World, duckdb.DuckDBPyConnection]]:
    data = owned(PEOPLE_OF_TWO)
    with opened(data.world()) as (world,), copied(data) as copy:
        yield world, copy


# A column of USING stands once in the star of DuckDB, and in both tables of a frame.
STARRED = [one for one in [*listed(ACCEPTED), *listed(GROUPED)] if "using" not in one]


@pytest.mark.parametrize("question", STARRED)
def test_what_should_be_accepted_has_the_rows_that_duckdb_selects(
    question: str, pair: tuple[World, duckdb.DuckDBPyConnection]
) -> None:
    assert_same(*pair, question)


@pytest.mark.parametrize(
    ("question", "where", "name", "wrong"),
    [
        (
            "select * from visits where cost not in (select floor from wards)",
            scope,
            "when",
            lambda condition, *_: condition,
        ),
        (
            "select * from (select person, avg(cost) from visits group by person) as t",
            grouping.Groups,
            "_mean",
            lambda self, value, kind: self._sum(value, kind),
        ),
        (
            "select * from (select person, count(*) filter (where age > 2) from visits group by 1)",
            grouping,
            "when",
            lambda _, then: then,
        ),
    ],
)
def test_a_subquery_that_means_something_else_is_caught(
    question: str,
    where: object,
    name: str,
    wrong: Callable[..., object],
    pair: tuple[World, duckdb.DuckDBPyConnection],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_same(*pair, question)
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises(AssertionError):
        assert_same(*pair, question)


def test_the_copy_holds_what_questions_see() -> None:
    empty: Mapping[str, list[tuple[object, ...]]] = {name: [] for name in TABLES}
    data = owned(Database({**empty, "visits": [(None, "a", 1, 1), (1, "elsewhere", 2, 2)]}))
    assert data.rows["visits"] == [(1, None, 2, 2)]
