"""A table of which no bound takes anything away, so that plain SQL tells what answers come to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from differential_privacy.curator.catalog import Catalog
from differential_privacy.sources import Bounds, Column, DuckDB, Place, Ranks, Scanner, Table

ROWS = 240

MADE = f"""
CREATE TABLE stays AS
SELECT
  i % 120 AS person,
  CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'a' WHEN 2 THEN 'a' WHEN 3 THEN 'b' ELSE 'c' END AS ward,
  CASE WHEN i % 5 = 0 THEN NULL ELSE 'note ' || (i % 3) END AS note,
  CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 7 % 21) / 2.0 - 2 END AS cost,
  i * 5 % 6 AS age,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN TRUE ELSE FALSE END AS urgent,
  CASE WHEN i % 13 = 0 THEN NULL ELSE DATE '2024-02-27' + CAST(i * 3 % 5 AS INTEGER) END AS day,
  TIMESTAMP '2024-02-27 22:00:00' + INTERVAL (i * 1801) SECOND AS came,
  TIME '06:00:00' + INTERVAL (i % 9 * 600) SECOND AS clock
FROM RANGE({ROWS}) AS t(i);
CREATE TABLE wards AS
SELECT * FROM (VALUES ('a', 'north', 3), ('b', 'south', -2), ('z', 'south', 9))
  AS w(ward, region, beds);
CREATE TABLE pills AS
SELECT i % 60 AS person, CASE WHEN i % 2 = 0 THEN 'p' ELSE 'q' END AS pill, i % 4 AS dose
FROM RANGE(90) AS t(i);
"""

BOUNDS = (Bounds(rows=3), Bounds(groups=3, rows_per_group=3), Bounds(total=4))

COLUMNS = (
    Column("person", "integer"),
    Column("ward", "text", categories=["a", "b", "c", "d"]),
    Column("note", "text"),
    Column("cost", "number", lower=-2, upper=8, step="0.5"),
    Column("age", "integer", lower=0, upper=5, nullable=False),
    Column("urgent", "boolean"),
    Column("day", "date", lower="2024-02-26", upper="2024-03-05"),
    Column("came", "timestamp", lower="2024-02-27", upper="2024-03-04", nullable=False),
    Column("clock", "time"),
)


@contextmanager
def plain() -> Iterator[duckdb.DuckDBPyConnection]:
    """The tables as anybody would ask them who may see everything."""
    with duckdb.connect() as connection:
        connection.execute(MADE)
        yield connection


@contextmanager
def hospital(folder: Path) -> Iterator[Catalog]:
    """The same tables as a curator opens them."""
    names = ("stays", "pills", "wards")
    places = {name: Place(str(folder / f"{name}.parquet")) for name in names}
    with plain() as connection:
        for name, place in places.items():
            connection.execute(f"COPY {name} TO '{place.path}' (FORMAT PARQUET)")
    pills = (
        Column("person", "integer"),
        Column("pill", "text", categories=["p", "q"], nullable=False),
        Column("dose", "integer", lower=0, upper=3, nullable=False),
    )
    wards = (Column("ward", "text"), Column("region", "text"), Column("beds", "integer"))
    tables = {
        "stays": Table("stays", places["stays"], COLUMNS, owner="person", bounds=BOUNDS),
        "pills": Table("pills", places["pills"], pills, owner="person", bounds=BOUNDS),
        "wards": Table("wards", places["wards"], wards, public=True, unique=("ward",)),
    }
    engine = DuckDB(places.values(), folder=folder / ".dp")
    try:
        yield Catalog(Scanner(tables, engine, Ranks(bytes(32))))
    finally:
        engine.close()
