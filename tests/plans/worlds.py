"""Small hospitals in files: tables as rows, opened by a real engine, with whole people left out."""

import datetime as dt
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries import Question, parsed_question
from differential_privacy.sources import (
    Bounds,
    Column,
    DuckDB,
    Key,
    Place,
    Ranks,
    Scanner,
    Table,
)

RANKING_KEY = bytes(range(32))

ROWS, GROUPS, TOTAL = Bounds(rows=2), Bounds(groups=2, rows_per_group=2), Bounds(total=3)
BOUNDS = (ROWS, GROUPS, TOTAL)


class Visit(NamedTuple):
    """One row of the first private table; `id` is what items refer to."""

    person: int | None
    id: int
    ward: str | None = "a"
    note: str | None = "x"
    cost: float | None = 1.0
    age: int | None = 1
    urgent: bool | None = True
    day: dt.date | None = dt.date(2024, 1, 1)


class Drug(NamedTuple):
    """One row of the second private table, of the same people."""

    person: int | None
    drug: str | None = "p"
    dose: int | None = 1


class Item(NamedTuple):
    """One row of the third, whose owner is that of its visit, or each of its visits."""

    visit: int | None
    price: float | None = 1.0


SCHEMAS = {
    "visits": pa.schema(
        [
            ("person", pa.int64()),
            ("id", pa.int64()),
            ("ward", pa.string()),
            ("note", pa.string()),
            ("cost", pa.float64()),
            ("age", pa.int64()),
            ("urgent", pa.bool_()),
            ("day", pa.date32()),
        ]
    ),
    "drugs": pa.schema([("person", pa.int64()), ("drug", pa.string()), ("dose", pa.int64())]),
    "items": pa.schema([("visit", pa.int64()), ("price", pa.float64())]),
    "wards": pa.schema([("ward", pa.string()), ("region", pa.string()), ("weight", pa.int64())]),
    "codes": pa.schema([("ward", pa.string()), ("code", pa.string())]),
}
WARDS = [("a", "north", 3), ("b", "south", -2)]
CODES = [("a", "one"), ("a", "two"), ("b", "two"), ("c", "one")]

COLUMNS = {
    "visits": (
        Column("person", "integer"),
        Column("id", "integer"),
        Column("ward", "text", categories=["a", "b", "c"]),
        Column("note", "text"),
        Column("cost", "number", lower=-2, upper=8, step="0.5"),
        Column("age", "integer", lower=0, upper=5, nullable=False),
        Column("urgent", "boolean"),
        Column("day", "date", lower="2024-01-01", upper="2024-01-03"),
    ),
    "drugs": (
        Column("person", "integer"),
        Column("drug", "text", categories=["p", "q"], nullable=False),
        Column("dose", "integer", lower=-1, upper=4),
    ),
    "items": (
        Column("visit", "integer"),
        Column("price", "number", lower=0, upper=2, step="0.25", nullable=False),
    ),
    "wards": (Column("ward", "text"), Column("region", "text"), Column("weight", "integer")),
    "codes": (Column("ward", "text"), Column("code", "text")),
}


@dataclass(frozen=True)
class Data:
    """What the private tables hold."""

    visits: tuple[Visit, ...] = ()
    drugs: tuple[Drug, ...] = ()
    items: tuple[Item, ...] = ()

    @property
    def people(self) -> list[int]:
        """Everybody who owns a row."""
        owners = {row.person for row in (*self.visits, *self.drugs)}
        return sorted(owner for owner in owners if owner is not None)

    def without(self, person: int) -> "Data":
        """The neighbor in which this person never came: with no row, nor what hung on it alone."""
        visits = tuple(row for row in self.visits if row.person != person)
        left = {row.id for row in visits}
        gone = {row.id for row in self.visits} - left
        return Data(
            visits,
            tuple(row for row in self.drugs if row.person != person),
            tuple(row for row in self.items if row.visit not in gone),
        )


@contextmanager
def opened(
    *hospitals: Data, bounds: Sequence[Bounds] = BOUNDS, keys: tuple[tuple[str, ...], ...] = ()
) -> Iterator[list[Catalog]]:
    """One catalog for each body of data, all under one policy and one engine."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        public = {name: written(folder, name, rows) for name, rows in PUBLIC.items()}
        places = [
            {name: written(folder, f"{number}_{name}", rows) for name, rows in tables_of(data)}
            for number, data in enumerate(hospitals)
        ]
        sources = [*public.values(), *(place for one in places for place in one.values())]
        engine = DuckDB(sources, folder=folder / ".dp")
        try:
            yield [
                Catalog(
                    Scanner(declared({**one, **public}, bounds, keys), engine, Ranks(RANKING_KEY))
                )
                for one in places
            ]
        finally:
            engine.close()


def declared(
    places: dict[str, Place], bounds: Sequence[Bounds], keys: tuple[tuple[str, ...], ...] = ()
) -> dict[str, Table]:
    """What the policy says of these tables."""
    owners = {"visits": "person", "drugs": "person", "items": Key("visit", "visits", "id")}
    private = {
        name: Table(
            name,
            places[name],
            COLUMNS[name],
            owner=owner,
            bounds=tuple(bounds),
            keys=keys if name == "visits" else (),
        )
        for name, owner in owners.items()
    }
    return {
        **private,
        "wards": Table("wards", places["wards"], COLUMNS["wards"], public=True, unique=("ward",)),
        "codes": Table("codes", places["codes"], COLUMNS["codes"], public=True),
    }


def read(catalog: Catalog, text: str) -> Question:
    """A question, in every way in which it can be bounded."""
    return Question.read(parsed_question(text), catalog, text)


PUBLIC = {"wards": WARDS, "codes": CODES}


def tables_of(data: Data) -> list[tuple[str, Sequence[tuple[object, ...]]]]:
    return [("visits", data.visits), ("drugs", data.drugs), ("items", data.items)]


def written(folder: Path, name: str, rows: Sequence[tuple[object, ...]]) -> Place:
    schema = SCHEMAS[name.rpartition("_")[2]]
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(list(one), field.type) for one, field in zip(columns, schema, strict=True)]
    path = folder / f"{name}.parquet"
    pq.write_table(pa.table(arrays, schema=schema), path)
    return Place(str(path))
