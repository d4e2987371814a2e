"""The engines of the contract: how the same rows come to lie in each of them."""

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from differential_privacy.sources import DuckDB, Engine, Place, Postgres, Spark

KINDS = [
    "duckdb parquet",
    "duckdb csv",
    "duckdb arrow",
    "duckdb pandas",
    "duckdb polars",
    "duckdb database",
    "postgres",
    "spark parquet",
    "spark csv",
]
ENGINES = ["duckdb", "postgres", "spark"]
POSTGRES_TYPES = {
    pa.int64(): "bigint",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.bool_(): "boolean",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.time64("us"): "time",
    pa.decimal128(12, 2): "numeric(12,2)",
}
NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Machines:
    """What engines run on: a folder, a server, a session."""

    folder: Path
    dsn: str
    spark: Any
    schema: str = field(default_factory=lambda: f"own{next(NUMBERS)}")

    @contextmanager
    def bare(self, kind: str) -> Iterator[Engine]:
        """An engine without sources."""
        engine = self._engine(kind, [])
        try:
            yield engine
        finally:
            engine.close()

    @contextmanager
    def holding(self, kind: str, rows: pa.Table) -> Iterator[tuple[Engine, object]]:
        """An engine of a kind, and the source in which it finds these rows."""
        with self.many(kind, rows) as (engine, sources):
            yield engine, sources[0]

    @contextmanager
    def many(self, kind: str, *tables: pa.Table) -> Iterator[tuple[Engine, list[object]]]:
        """An engine over several tables of rows."""
        sources = [LOADERS[kind](self, rows) for rows in tables]
        engine = self._engine(kind, sources)
        try:
            yield engine, sources
        finally:
            engine.close()

    @contextmanager
    def typed(
        self, kind: str, type_: str, literals: Sequence[str | None]
    ) -> Iterator[tuple[Engine, object]]:
        """An engine whose source has a column `x` of a type, cast from texts, and their places."""
        texts = ["NULL" if text is None else f"'{text}'" for text in literals]
        rows = ", ".join(f"({place}, {text})" for place, text in enumerate(texts))
        made = f"SELECT id, CAST(x AS {type_}) AS x FROM (VALUES {rows}) AS t(id, x)"
        source = STORES[kind](self, made)
        engine = self._engine(kind, [source])
        try:
            yield engine, source
        finally:
            engine.close()

    def _engine(self, kind: str, sources: Sequence[object]) -> Engine:
        own = self.folder / "own"
        if kind == "postgres":
            return Postgres(self.dsn, sources, schema=self.schema)
        if kind.startswith("spark"):
            return Spark(self.spark, sources, folder=own)
        return DuckDB(sources, folder=own)

    def file(self, suffix: str) -> Path:
        """A file that is not there yet."""
        return self.folder / f"rows{next(NUMBERS)}{suffix}"


def in_parquet(machines: Machines, rows: pa.Table) -> Place:
    path = machines.file(".parquet")
    pq.write_table(rows, path)
    return Place(str(path))


def in_csv(machines: Machines, rows: pa.Table) -> Place:
    path = machines.file(".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return Place(str(path))


def in_database(machines: Machines, rows: pa.Table) -> Place:
    path = machines.file(".duckdb")
    with duckdb.connect(path) as connection:
        connection.register("given", rows)
        connection.execute("CREATE TABLE kept AS SELECT * FROM given")
    return Place(str(path), "kept")


def in_postgres(machines: Machines, rows: pa.Table) -> Place:
    name = f"rows{next(NUMBERS)}"
    columns = [f'"{field.name}" {POSTGRES_TYPES[field.type]}' for field in rows.schema]
    marks = ", ".join(["%s"] * len(columns))
    with psycopg.connect(machines.dsn) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        lines = list(zip(*(column.to_pylist() for column in rows.columns), strict=True))
        cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", lines)
    return Place(table=name)


LOADERS: dict[str, Callable[[Machines, pa.Table], object]] = {
    "duckdb parquet": in_parquet,
    "duckdb csv": in_csv,
    "duckdb arrow": lambda _, rows: rows,
    "duckdb pandas": lambda _, rows: rows.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb polars": lambda _, rows: pl.from_arrow(rows),
    "duckdb database": in_database,
    "postgres": in_postgres,
    "spark parquet": in_parquet,
    "spark csv": in_csv,
}


def kept_by_duckdb(machines: Machines, made: str) -> Place:
    path = machines.file(".duckdb")
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE kept AS {made}")
    return Place(str(path), "kept")


def kept_by_postgres(machines: Machines, made: str) -> Place:
    name = f"kept{next(NUMBERS)}"
    with psycopg.connect(machines.dsn) as connection:
        connection.execute(f"CREATE TABLE {name} AS {made}")
    return Place(table=name)


def kept_by_spark(machines: Machines, made: str) -> Place:
    path = machines.file(".parquet")
    machines.spark.sql(made).write.parquet(str(path))
    return Place(str(path))


STORES: dict[str, Callable[[Machines, str], Place]] = {
    "duckdb": kept_by_duckdb,
    "postgres": kept_by_postgres,
    "spark": kept_by_spark,
}
