"""Without noise to speak of, an answer is what plain SQL says of the same rows."""

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
from tests.plans.worlds import read
from tests.release.asking import SURE, asked
from tests.release.stays import hospital, plain

from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import QuestionError
from differential_privacy.queries import Price
from differential_privacy.release import Answer

FOUND = Price(Fraction(500), None, Fraction(1, 10))
"""Groups of some people are surely shown at this price."""

Row = tuple[object, ...]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with hospital(tmp_path_factory.mktemp("hospital")) as one:
        yield one


@pytest.fixture(scope="module")
def truth() -> Iterator[duckdb.DuckDBPyConnection]:
    with plain() as connection:
        yield connection


def same(one: object, other: object) -> bool:
    """Equal, or equal numbers but for what floats lose.

    Where plain SQL says NULL because no row is there, noise cannot: a sum is near zero then, and a
    mean is anywhere in its range.
    """
    if other is None:
        return one is None or isinstance(one, int | float)
    if isinstance(other, Decimal):
        other = float(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
    return one == other


def assert_same_rows(found: Sequence[Row], expected: Sequence[Row]) -> None:
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert all(map(same, row, other)), (row, other)


def keyed(answer: Answer, rows: Sequence[Row]) -> dict[Row, Row]:
    """Rows by the keys of their groups."""
    keys = [place for place, column in enumerate(answer.plan.columns) if column.public]
    return {tuple(row[place] for place in keys): row for row in rows}


def assert_same_groups(answer: Answer, expected: Sequence[Row]) -> None:
    """The same rows in any order; groups without rows come on top where the keys are public."""
    found, there = keyed(answer, answer.rows), keyed(answer, expected)
    assert there.keys() <= found.keys()
    for key, row in there.items():
        assert all(map(same, found[key], row)), (found[key], row)
    assert len(found) == len(answer.rows)
    if answer.plan.asked.groups is None:
        assert found.keys() == there.keys()


AGGREGATES = [
    "COUNT(*), COUNT(cost), COUNT(note), COUNT(DISTINCT person), COUNT(DISTINCT note)",
    "COUNT(DISTINCT cost), COUNT(DISTINCT day), COUNT(DISTINCT urgent), COUNT(DISTINCT age % 2)",
    "SUM(cost), SUM(age), AVG(cost), AVG(age), SUM(cost * age), AVG(-cost), SUM(age - 7), SUM(3)",
    (
        "COUNT(*) FILTER (WHERE cost > 2), SUM(cost) FILTER (WHERE urgent), "
        "AVG(age) FILTER (WHERE note LIKE '%1'), COUNT(DISTINCT person) FILTER (WHERE age = 3)"
    ),
    (
        "SUM(CASE WHEN age > 2 THEN cost ELSE 0 END), COUNT(CASE WHEN urgent THEN 1 END), "
        "AVG(CASE WHEN ward = 'a' THEN cost WHEN ward = 'b' THEN age END)"
    ),
    "SUM(ABS(cost)), SUM(LEAST(age, 3)), AVG(COALESCE(cost, 0)), SUM(age % 4), SUM(age // 2)",
    "SUM(CASE WHEN cost IS NULL THEN 1 ELSE 0 END), AVG(CAST(cost AS INTEGER)), SUM(ROUND(cost))",
    "AVG(EXTRACT(hour FROM came)), SUM(DATE_DIFF('day', DATE '2024-02-26', day)), AVG(YEAR(day))",
    "100.0 * SUM(CASE WHEN cost > 2 THEN 1 ELSE 0 END) / COUNT(*), SUM(cost) / SUM(age)",
    "SUM(cost) - SUM(age), 2 * COUNT(*) + 1, -COUNT(*), ABS(SUM(cost) - 1000), AVG(cost) * 2 - 1",
    "ROUND(AVG(cost), 2), FLOOR(SUM(cost)), CEIL(AVG(age)), SQRT(COUNT(*)), AVG(cost) + AVG(age)",
    "COALESCE(SUM(cost) / NULLIF(COUNT(*) - COUNT(*), 0), -1), GREATEST(COUNT(*), COUNT(cost))",
    (
        "CASE WHEN COUNT(*) > 50 THEN 'many' ELSE 'few' END, COUNT(*) > 50 AND COUNT(cost) < 200, "
        "COUNT(*) BETWEEN 30 AND 70, NOT COUNT(*) IN (1, 2)"
    ),
]


@pytest.mark.parametrize("key", ["", "ward", "age, urgent"])
@pytest.mark.parametrize("aggregates", AGGREGATES)
def test_aggregates_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, aggregates: str, key: str
) -> None:
    text = f"SELECT {key + ', ' * bool(key)}{aggregates} FROM stays"
    text += f" WHERE age > 0 GROUP BY {key}" * bool(key)
    answer = asked(catalog, text)
    assert_same_groups(answer, truth.execute(text).fetchall())


@pytest.mark.parametrize("key", ["", "ward"])
@pytest.mark.parametrize(
    ("aggregate", "epsilon"),
    [
        ("VAR_POP(cost)", 10_000),
        ("VAR_SAMP(cost)", 10_000),
        ("STDDEV_SAMP(cost)", 10_000),
        ("VARIANCE(age)", 2_000),
        ("STDDEV_POP(age)", 2_000),
        ("STDDEV(age)", 2_000),
    ],
)
def test_variances_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, aggregate: str, epsilon: int, key: str
) -> None:
    """At prices at which noise is zero but for a chance below e^-25."""
    text = f"SELECT {key + ', ' * bool(key)}{aggregate} FROM stays" + f" GROUP BY {key}" * bool(key)
    answer = asked(catalog, text, Price(Fraction(epsilon)))
    assert_same_groups(answer, truth.execute(text).fetchall())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT urgent, COUNT(*) FROM stays GROUP BY urgent",
        "SELECT day, COUNT(*), SUM(cost) FROM stays GROUP BY day",
        "SELECT cost, COUNT(*) FROM stays GROUP BY cost",
        "SELECT age, urgent, ward, COUNT(*), AVG(cost) FROM stays GROUP BY 2, 1, 3",
        "SELECT age % 2 AS odd, COUNT(*) FROM stays GROUP BY odd",
        "SELECT age + 9007199254740993 AS large, COUNT(*) FROM stays GROUP BY large",
        "SELECT age / 10 AS tenth, COUNT(*) FROM stays GROUP BY tenth ORDER BY tenth + 1",
        "SELECT cost > 2 AND urgent, COUNT(*) FROM stays GROUP BY cost > 2 AND urgent",
        (
            "SELECT CASE WHEN age > 3 THEN 'old' WHEN age > 1 THEN 'grown' ELSE 'young' END AS g, "
            "COUNT(*), AVG(cost) FROM stays GROUP BY g"
        ),
        "SELECT UPPER(ward), LENGTH(ward) + 1, COUNT(*) FROM stays GROUP BY 1, 2",
        "SELECT CAST(DATE_TRUNC('month', day) AS DATE), COUNT(*) FROM stays GROUP BY 1",
        "SELECT CAST(came AS DATE) AS d, COUNT(*), SUM(age) FROM stays GROUP BY d",
        "SELECT EXTRACT(hour FROM came) AS h, COUNT(*) FROM stays GROUP BY ALL",
        "SELECT FLOOR(cost / 2) * 2, COUNT(*) FROM stays GROUP BY FLOOR(cost / 2) * 2",
        "SELECT COALESCE(ward, 'nowhere'), COUNT(*) FROM stays GROUP BY COALESCE(ward, 'nowhere')",
        "SELECT ward IS NULL, COUNT(*) FROM stays GROUP BY 1",
        "SELECT s.ward, COUNT(*) FROM stays s GROUP BY ward",
        "SELECT ward, COUNT(*) FROM stays s GROUP BY s.ward",
        (
            "SELECT region, SUM(beds), COUNT(*) FROM stays JOIN wards ON stays.ward = wards.ward "
            "GROUP BY region"
        ),
        (
            "SELECT region, COUNT(*), COUNT(beds) FROM stays s LEFT JOIN wards w "
            "ON s.ward = w.ward GROUP BY region"
        ),
        (
            "SELECT pill, SUM(dose), COUNT(*) FROM stays s JOIN pills p ON s.person = p.person "
            "WHERE s.age = 2 GROUP BY pill"
        ),
        (
            "SELECT ward, AVG(n) FROM (SELECT person, ward, COUNT(*) AS n FROM stays "
            "GROUP BY person, ward) GROUP BY ward"
        ),
        (
            "WITH mine AS (SELECT person, MAX(age) AS oldest, SUM(cost) AS c FROM stays "
            "GROUP BY person) SELECT oldest, COUNT(*), AVG(c) FROM mine GROUP BY oldest"
        ),
        (
            "SELECT pill, COUNT(*) FROM (SELECT person, pill FROM pills UNION ALL "
            "SELECT person, ward FROM stays WHERE age = 1) GROUP BY pill"
        ),
    ],
)
def test_groups_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, text: str
) -> None:
    assert_same_groups(asked(catalog, text), truth.execute(text).fetchall())


@pytest.mark.parametrize(
    "text",
    [
        "SELECT note, COUNT(*) FROM stays GROUP BY note",
        "SELECT note, ward, COUNT(DISTINCT person), COUNT(*) FROM stays GROUP BY note, ward",
        "SELECT UPPER(note) AS n, urgent, COUNT(*) FROM stays WHERE age > 1 GROUP BY n, urgent",
        "SELECT clock, COUNT(*) FROM stays GROUP BY clock",
        "SELECT person % 3, COUNT(*) FROM stays GROUP BY 1",
    ],
)
def test_groups_that_are_found_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, text: str
) -> None:
    answer = asked(catalog, text, FOUND)
    assert answer.plan.asked.groups is None
    assert_same_groups(answer, truth.execute(text).fetchall())


@pytest.mark.parametrize(
    "condition",
    [
        "day = DATE '2024-02-29'",
        "day >= '2024-02-28' AND day < DATE '2024-03-01' + INTERVAL '1' DAY",
        "came BETWEEN TIMESTAMP '2024-02-28 00:00:00' AND '2024-02-28 12:00:00'",
        "clock < TIME '06:30:00'",
        "EXTRACT(dow FROM came) IN (0, 6) OR MONTH(day) = 3",
        "ward IN ('a', 'z') AND note NOT LIKE '%2'",
        "ward <> 'a' OR ward IS NULL",
        "NOT urgent",
        "urgent IS NOT TRUE",
        "cost IS NOT DISTINCT FROM 1.5",
        "cost BETWEEN -1 AND 1.75 AND age <> 3",
        "age > 0 AND cost / age > 0.4",
        "person IN (SELECT person FROM pills WHERE dose > 1)",
        "EXISTS (SELECT 1 FROM pills p WHERE p.person = stays.person AND p.pill = 'q')",
        "NOT EXISTS (SELECT 1 FROM pills p WHERE p.person = stays.person)",
        "ward IN (SELECT ward FROM wards WHERE beds > 0)",
        "LENGTH(note) > 5 AND SUBSTRING(note, 6, 1) = '1'",
        "cost > 1e12 OR cost < -1e12",
        "TRUE",
        "NULL",
    ],
)
def test_conditions_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, condition: str
) -> None:
    text = (
        f"SELECT ward, COUNT(*), SUM(age), COUNT(cost) FROM stays WHERE {condition} GROUP BY ward"
    )
    assert_same_groups(asked(catalog, text), truth.execute(text).fetchall())


@pytest.mark.parametrize(
    "rest",
    [
        "HAVING COUNT(*) > 40",
        "HAVING AVG(cost) > 2.9 OR ward IS NULL",
        "ORDER BY ward",
        "ORDER BY ward DESC",
        "ORDER BY ward NULLS FIRST",
        "ORDER BY COUNT(*) DESC, ward",
        "ORDER BY 2 DESC",
        "ORDER BY SUM(cost) / COUNT(*), 1",
        "ORDER BY -n",
        "HAVING n > 10 ORDER BY n LIMIT 2",
        "ORDER BY ward LIMIT 0",
        "ORDER BY ward IS NULL, ward DESC LIMIT 100",
    ],
)
def test_having_order_and_limit_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, rest: str
) -> None:
    """Of groups that have rows: an empty one comes on top of those of plain SQL."""
    text = f"SELECT ward, COUNT(*) AS n, SUM(cost) FROM stays GROUP BY ward {rest}"
    found = [row for row in asked(catalog, text).rows if row[1]]
    if "LIMIT 2" in rest:
        assert len(found) == 2
    expected = truth.execute(text).fetchall()
    if "ORDER" in rest:
        assert_same_rows(found, expected)
    else:
        assert_same_rows(sorted(found, key=str), sorted(expected, key=str))


def test_distinct_keys_are_groups(catalog: Catalog) -> None:
    answer = asked(catalog, "SELECT DISTINCT note FROM stays ORDER BY note", FOUND)
    assert answer.rows == [("note 0",), ("note 1",), ("note 2",), (None,)]


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 3)])
@pytest.mark.parametrize("value", ["cost", "age", "day", "came", "clock", "cost * age"])
def test_percentiles_have_their_rank(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, value: str, share: Fraction
) -> None:
    text = f"SELECT ward, QUANTILE_CONT({value}, {share}) FROM stays GROUP BY ward"
    for name, found in asked(catalog, text).rows:
        mine = f"ward IS NOT DISTINCT FROM {quoted(name)} AND {value} IS NOT NULL"
        rows = truth.execute(f"SELECT {value} FROM stays WHERE {mine}").fetchall()
        values = [stepped(one) for (one,) in rows]
        assert sum(one < stepped(found) for one in values) <= share * len(values)
        assert sum(one <= stepped(found) for one in values) >= share * len(values)


@pytest.mark.parametrize("text", ["0.99999", "0.12345678901234567", "1e-9", "1/3"])
def test_a_share_is_what_was_written(catalog: Catalog, text: str) -> None:
    plan = read(catalog, f"SELECT QUANTILE(cost, {text}) FROM stays").plan(SURE)
    ((percentile, choice),) = plan.priced.quantiles
    assert percentile.share == choice.quantile == Fraction(text)


def test_a_share_of_more_digits_than_any_float_has_is_refused(catalog: Catalog) -> None:
    with pytest.raises(QuestionError, match="at most 18 decimals"):
        read(catalog, "SELECT QUANTILE(cost, 0.0000000000000000001) FROM stays")


def quoted(name: object) -> str:
    return "NULL" if name is None else f"'{name}'"


def stepped(value: object) -> float:
    """A value as a number; moments to half a minute, as percentiles of them are not exact."""
    if isinstance(value, dt.datetime):
        return (value - dt.datetime(1970, 1, 1)).total_seconds() // 30  # noqa: DTZ001
    if isinstance(value, dt.date):
        return value.toordinal()
    if isinstance(value, dt.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) // 30
    assert isinstance(value, int | float | Decimal)
    return float(value)


@pytest.mark.parametrize("value", ["cost", "age", "day"])
def test_extremes_are_those_of_plain_sql(
    catalog: Catalog, truth: duckdb.DuckDBPyConnection, value: str
) -> None:
    text = f"SELECT MIN({value}), MAX({value}) FROM stays"
    assert_same_rows(asked(catalog, text).rows, truth.execute(text).fetchall())


def test_means_of_moments_are_moments(catalog: Catalog, truth: duckdb.DuckDBPyConnection) -> None:
    ((day, at),) = asked(catalog, "SELECT AVG(day), AVG(came) FROM stays").rows
    ((exact_day, exact_at),) = truth.execute(
        "SELECT AVG(EPOCH(day)) / 86400, AVG(EPOCH(came)) FROM stays"
    ).fetchall()
    assert day == dt.date(1970, 1, 1) + dt.timedelta(days=round(exact_day))
    assert at == dt.datetime(1970, 1, 1) + dt.timedelta(seconds=round(exact_at))  # noqa: DTZ001


def test_an_empty_table_has_every_public_group_and_no_other(catalog: Catalog) -> None:
    counted = asked(catalog, "SELECT ward, COUNT(*) FROM stays WHERE age > 90 GROUP BY ward")
    assert counted.rows == [(ward, 0) for ward in ("a", "b", "c", "d", None)]
    found = asked(catalog, "SELECT note, COUNT(*) FROM stays WHERE age > 90 GROUP BY note", FOUND)
    assert found.rows == []
    assert found.columns.names[:2] == ["note", "*"] or len(found.columns.names) == 5


def test_whole_numbers_are_written_whole(catalog: Catalog) -> None:
    ((count, total, mean, day),) = asked(
        catalog, "SELECT COUNT(*), SUM(age), AVG(age), MAX(day) FROM stays"
    ).rows
    assert [type(value) for value in (count, total, mean, day)] == [int, int, float, dt.date]
