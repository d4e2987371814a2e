"""Whatever a table holds, answers have the same shape: no value decides whether something fails."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from tests.plans.worlds import COLUMNS, RANKING_KEY
from tests.release.asking import asked

from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries import Price
from differential_privacy.release import Answer
from differential_privacy.sources import Bounds, DuckDB, Place, Ranks, Scanner, Table

BOUNDS = (Bounds(rows=2), Bounds(groups=2, rows_per_group=2), Bounds(total=3))
PRICE = Price(1, None, 1e-6)  # type: ignore[arg-type]

ORDINARY = {
    "person": ("BIGINT", ["1", "2"]),
    "id": ("BIGINT", ["1", "2"]),
    "ward": ("VARCHAR", ["'a'", "'b'"]),
    "note": ("VARCHAR", ["'x'", "'y'"]),
    "cost": ("DOUBLE", ["1.5", "2"]),
    "age": ("BIGINT", ["1", "5"]),
    "urgent": ("BOOLEAN", ["TRUE", "FALSE"]),
    "day": ("DATE", ["DATE '2024-01-01'", "DATE '2024-01-03'"]),
}

STRANGE = [
    ("cost", "DOUBLE", ["'NaN'", "'inf'", "'-inf'", "1e308", "-1e308", "-0.0", "5e-324", "NULL"]),
    ("cost", "FLOAT", ["'NaN'", "'inf'", "3.4e38", "1e-45", "NULL"]),
    ("cost", "VARCHAR", ["'1.5'", "'one'", "''", "'1e999'", "'NaN'", "'0x10'", "'1,5'", "NULL"]),
    ("cost", "VARCHAR", ["REPEAT('9', 5000)", "CHR(0) || '1'", "'١٢'", "' 1'", "'+1'", "'1e-999'"]),
    ("cost", "DECIMAL(38, 10)", ["9999999999999999999999999999.0", "-1", "NULL"]),
    ("cost", "DECIMAL(38, 0)", ["99999999999999999999999999999999999999", "-1", "NULL"]),
    ("age", "BIGINT", ["9223372036854775807", "-9223372036854775808", "0", "NULL"]),
    ("age", "UBIGINT", ["18446744073709551615", "0", "NULL"]),
    ("age", "DECIMAL(38, 0)", ["-99999999999999999999999999999999999999", "2", "NULL"]),
    ("age", "DOUBLE", ["'NaN'", "'-inf'", "1e300", "2.5", "NULL"]),
    ("age", "VARCHAR", ["'99999999999999999999999'", "'two'", "'-0'", "NULL"]),
    ("person", "BIGINT", ["9223372036854775807", "-9223372036854775808", "0", "NULL"]),
    ("person", "VARCHAR", ["''", "'1'", "'ä'", "REPEAT('x', 10000)", "CHR(0)", "NULL"]),
    ("person", "DECIMAL(38, 0)", ["99999999999999999999999999999999999999", "1", "NULL"]),
    ("person", "UBIGINT", ["18446744073709551615", "1", "NULL"]),
    (
        "ward",
        "VARCHAR",
        ["'A'", "'a '", "''", "'é'", "'a' || CHR(0)", "REPEAT('a', 100000)", "NULL"],
    ),
    ("ward", "BIGINT", ["1", "-1", "NULL"]),
    ("note", "VARCHAR", ["''", "CHR(0)", "'%'", "'\\'", "REPEAT('x', 100000)", "'ß'", "NULL"]),
    ("urgent", "VARCHAR", ["'yes'", "'perhaps'", "''", "NULL"]),
    ("urgent", "BIGINT", ["0", "1", "2", "-1", "NULL"]),
    ("day", "DATE", ["'infinity'", "'-infinity'", "'290000-01-01'", "'4000-01-01 (BC)'", "NULL"]),
    (
        "day",
        "TIMESTAMP",
        ["'infinity'", "'294000-01-01 00:00:00'", "'1969-12-31 23:59:59'", "NULL"],
    ),
    (
        "day",
        "VARCHAR",
        ["'2024-02-30'", "'2024-01-02'", "'yesterday'", "'0000-00-00'", "''", "NULL"],
    ),
]

QUESTIONS = [
    (
        "SELECT ward, COUNT(*), COUNT(cost), SUM(cost), AVG(cost), STDDEV(cost), MEDIAN(cost), "
        "MIN(cost), MAX(cost) FROM visits GROUP BY ward"
    ),
    (
        "SELECT urgent, SUM(age), AVG(age), VAR_POP(age), MAX(age), COUNT(DISTINCT person), "
        "AVG(day), MIN(day), COUNT(DISTINCT note), COUNT(DISTINCT cost) FROM visits GROUP BY urgent"
    ),
    (
        "SELECT day, SUM(cost * age), AVG(cost / age), SUM(ABS(cost - age)), SUM(age % 2), "
        "SUM(CLAMP(LENGTH(note), 0, 50)) FILTER (WHERE note LIKE '%x%') / COUNT(*) FROM visits "
        "WHERE cost > -1 OR cost IS NULL OR note <> UPPER(note) GROUP BY day"
    ),
    (
        "SELECT age, COUNT(*), SUM(CLAMP(id, 0, 9)), "
        "SUM(DATE_DIFF('day', DATE '2024-01-01', day)), AVG(YEAR(day)), "
        "SUM(CAST(cost AS INTEGER)), SUM(ROUND(cost, 1)) FROM visits GROUP BY age"
    ),
    (
        "SELECT COUNT(*), AVG(c), MAX(k) FROM (SELECT person, SUM(cost) AS c, "
        "COUNT(DISTINCT day) AS k, AVG(age) AS a FROM visits GROUP BY person) WHERE c > a"
    ),
    "SELECT note, DATE_TRUNC('month', day), COUNT(*), SUM(age) FROM visits GROUP BY 1, 2",
]
"""Without what may refuse by its range: what is asked here can be asked of any data."""


@contextmanager
def stored(folder: Path, *tables: str) -> Iterator[list[Catalog]]:
    """Catalogs of visits that a query of DuckDB makes."""
    places = []
    with duckdb.connect() as connection:
        for number, query in enumerate(tables):
            places.append(Place(str(folder / f"{number}.parquet")))
            connection.execute(f"COPY ({query}) TO '{places[-1].path}' (FORMAT PARQUET)")
    engine = DuckDB(places, folder=folder / ".dp")
    try:
        yield [
            Catalog(Scanner({"visits": visits(place)}, engine, Ranks(RANKING_KEY)))
            for place in places
        ]
    finally:
        engine.close()


def visits(place: Place) -> Table:
    return Table("visits", place, COLUMNS["visits"], owner="person", bounds=BOUNDS)


def query(column: str | None = None, kind: str = "", values: Sequence[str] = ()) -> str:
    """Rows of which one column holds these values in turn, and the rest is ordinary."""
    selects = []
    for row in range(max(len(values), 2)):
        parts = []
        for name, (usual, ordinary) in ORDINARY.items():
            strange = name == column
            value = values[row % len(values)] if strange else ordinary[row % 2]
            parts.append(f"CAST({value} AS {kind if strange else usual}) AS {name}")
        selects.append("SELECT " + ", ".join(parts))
    return " UNION ALL ".join(selects)


def assert_same_shape(answers: Sequence[Answer]) -> None:
    """As many columns, and rows where groups are public, of numbers that are none or finite."""
    first = answers[0]
    for answer in answers:
        assert answer.columns.names == first.columns.names
        if answer.plan.asked.groups is not None:
            assert len(answer.rows) == len(first.rows)
            keys = [place for place, one in enumerate(answer.plan.columns) if one.public]
            assert [[row[at] for at in keys] for row in answer.rows] == [
                [row[at] for at in keys] for row in first.rows
            ]
        for row in answer.rows:
            assert all(not isinstance(value, float) or math.isfinite(value) for value in row)
        assert str(answer)
        assert answer.to_json()


@pytest.mark.parametrize(
    ("column", "kind", "values"), STRANGE, ids=lambda one: one if isinstance(one, str) else ""
)
def test_strange_values_change_no_shape(
    column: str, kind: str, values: Sequence[str], tmp_path: Path
) -> None:
    """Next to the same table without its first row."""
    with stored(
        tmp_path, *(query(column, kind, some) for some in (values, values[1:]))
    ) as catalogs:
        for text in QUESTIONS:
            if column in text:
                assert_same_shape([asked(catalog, text, PRICE) for catalog in catalogs])


def test_tables_of_nothing_have_answers_like_any_other(tmp_path: Path) -> None:
    nulls = "SELECT " + ", ".join(
        f"CAST(NULL AS {kind}) AS {name}" for name, (kind, _) in ORDINARY.items()
    )
    mine = nulls.replace("CAST(NULL AS BIGINT) AS person", "CAST(1 AS BIGINT) AS person")
    tables = (query(), nulls, nulls + " LIMIT 0", mine, f"{mine} UNION ALL {mine}")
    with stored(tmp_path, *tables) as catalogs:
        for text in QUESTIONS:
            assert_same_shape([asked(catalog, text, PRICE) for catalog in catalogs])
