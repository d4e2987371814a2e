"""Random small databases: people with visits and bills, customers with orders with lines, wards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
from hypothesis import strategies as st
from tests.queries.worlds import World

from differential_privacy.sources import Bounds, Column, Key, Table

PEOPLE = (1, 2, 3)
WARDS = ("a", "b", "c")
Rows = list[tuple[object, ...]]


def columns(**kinds: Column) -> tuple[Column, ...]:
    return tuple(kinds.values())


def whole(name: str, upper: int = 9) -> Column:
    return Column(name, "integer", lower=0, upper=upper)


def ward() -> Column:
    return Column("ward", "text", categories=list(WARDS))


TABLES = {
    "visits": Table(
        "visits",
        None,
        (whole("person"), ward(), whole("cost"), whole("age")),
        owner="person",
        bounds=(Bounds(rows=2), Bounds(groups=2, rows_per_group=1)),
    ),
    # The payer's column holds no more than 2, so that two people look alike in it.
    "bills": Table(
        "bills",
        None,
        (whole("payer", 2), whole("amount"), ward()),
        owner="payer",
        bounds=(Bounds(rows=3),),
    ),
    "customer": Table(
        "customer",
        None,
        (whole("custkey"), whole("grade")),
        owner="custkey",
        bounds=(Bounds(rows=1),),
    ),
    "orders": Table(
        "orders",
        None,
        (whole("orderkey", 99), whole("buyer"), whole("total")),
        owner=Key("buyer", "customer", "custkey"),
        bounds=(Bounds(rows=2),),
    ),
    "lines": Table(
        "lines",
        None,
        (whole("of_order", 99), whole("quantity")),
        owner=Key("of_order", "orders", "orderkey"),
        bounds=(Bounds(rows=3),),
    ),
    "survey": Table("survey", None, (whole("income"), ward())),
    "wards": Table("wards", None, (ward(), whole("floor")), public=True, unique=("ward",)),
    "zips": Table("zips", None, (whole("level"), whole("zip")), public=True),
}


@dataclass(frozen=True)
class Database:
    """The rows of every table."""

    rows: Mapping[str, Rows]

    def order_owners(self) -> dict[object, object]:
        return {key: buyer for key, buyer, _ in self.rows["orders"]}

    def without(self, person: int) -> "Database":
        """The same without all rows of one person."""
        owners = self.order_owners()
        gone: Mapping[str, Callable[[tuple[object, ...]], object]] = {
            "visits": lambda row: row[0],
            "bills": lambda row: row[0],
            "customer": lambda row: row[0],
            "orders": lambda row: row[1],
            "lines": lambda row: owners.get(row[0]),
        }
        kept = {
            name: [row for row in rows if name not in gone or gone[name](row) != person]
            for name, rows in self.rows.items()
        }
        return Database(kept)

    def without_answer(self, place: int) -> "Database":
        """The same without one row of the survey, who is a person."""
        survey = self.rows["survey"]
        return Database({**self.rows, "survey": [*survey[:place], *survey[place + 1 :]]})

    def world(self, question: str = " ".join(TABLES)) -> World:
        """All tables, with the rows of those that a question can read."""
        read = {"customer", "orders"} | {name for name in TABLES if name in question}
        return World(*(self._table(name) if name in read else TABLES[name] for name in TABLES))

    def _table(self, name: str) -> Table:
        table = TABLES[name]
        listed = list(zip(*self.rows[name], strict=True)) or [()] * len(table.columns)
        kinds = {"text": pa.string(), "integer": pa.int64()}
        arrays = {
            column.name: pa.array(values, kinds[column.kind.value])
            for column, values in zip(table.columns, listed, strict=True)
        }
        return replace(table, source=pa.table(arrays))


def some(*kinds: st.SearchStrategy[object], most: int = 7) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(*kinds), min_size=most // 3, max_size=most)


people = st.sampled_from([*PEOPLE, None])
small = st.one_of(st.integers(0, 4), st.none())
wards = st.sampled_from([*WARDS, None, "elsewhere"])
keys = st.integers(10, 15)


def databases() -> st.SearchStrategy[Database]:
    rows = st.fixed_dictionaries(
        {
            "visits": some(people, wards, small, small),
            "bills": some(people, small, wards),
            "customer": st.lists(
                st.tuples(st.sampled_from(PEOPLE), small), min_size=1, unique_by=lambda row: row[0]
            ),
            "orders": st.lists(
                st.tuples(keys, people, small),
                min_size=1,
                max_size=6,
                unique_by=lambda row: row[0],
            ),
            "lines": some(keys, small, most=9),
            "survey": some(small, wards, most=4),
            "wards": st.lists(
                st.tuples(st.sampled_from(WARDS), small), unique_by=lambda row: row[0]
            ),
            "zips": some(small, small, most=4),
        }
    )
    return rows.map(Database)


RICH = Database(
    {
        "visits": [
            (1, "a", 1, 2),
            (1, "b", 4, 2),
            (2, "a", 3, None),
            (3, "c", 0, 1),
            (3, None, 4, 1),
        ],
        "bills": [(1, 2, "a"), (1, 4, "b"), (2, 0, None), (3, 3, "c"), (3, 1, "a")],
        "customer": [(1, 1), (2, 2), (3, 3)],
        "orders": [(10, 1, 2), (11, 1, 4), (12, 2, 1), (13, 3, 3)],
        "lines": [(10, 1), (10, 2), (11, 3), (12, 2), (13, 4), (13, 1)],
        "survey": [(1, "a"), (2, "b"), (2, "b"), (None, "c")],
        "wards": [("a", 1), ("b", 2), ("c", None)],
        "zips": [(1, 1), (1, 2), (2, 4), (2, 4)],
    }
)
