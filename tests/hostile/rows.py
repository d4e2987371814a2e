"""The rows of two neighboring bodies of data: forty ordinary people, and one more of every evil.

Rule 1: the extreme person has a rare key, values that no policy foresees, and more rows than any
bound.
"""

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

PEOPLE, EXTREME = 40, 10**15
RARE = "rarest-of-all"


def ordinary() -> dict[str, list[Any]]:
    """The visits of forty people, in many of whose columns there is nothing now and then."""
    rows = range(PEOPLE * 4)
    first = dt.datetime(2024, 1, 1)  # noqa: DTZ001 - timestamps here have no zone
    return {
        "patient": [1 + row % PEOPLE for row in rows],
        "ward": ["abc"[row % 3] for row in rows],
        "code": [f"x{row % 4}" for row in rows],
        "note": [None if row % 7 == 0 else f"note {row % 5}" for row in rows],
        "cost": [None if row % 11 == 0 else float(row * 7 % 1000) for row in rows],
        "age": [20 + row % PEOPLE for row in rows],
        "size": [row % 9 for row in rows],
        "day": [(first + dt.timedelta(days=row)).date() for row in rows],
        "at": [first + dt.timedelta(hours=row) for row in rows],
        "urgent": [None if row % 5 == 0 else row % 2 == 0 for row in rows],
    }


def extreme() -> dict[str, list[Any]]:
    """One more person: rows beyond every bound, and what could break an expression in each."""
    huge, longest = 2**63 - 1, "a" * 300_000
    cost = [float("nan"), float("inf"), float("-inf"), 1e308, -1e308, -0.0, 5e-324, 0.0, None, 1e19]
    ages = [huge, -huge - 1, 0, -1, None, 121, huge, 1, 2, 2**53 + 1]
    days = [dt.date.max, dt.date.min, None, dt.date(1970, 1, 1), dt.date(2024, 2, 29)]
    texts = [
        RARE,
        "",
        None,
        "%_\\'\";--",
        "\x01\u202e\U0001f600",
        "0",
        "1e999",
        "NaN",
        longest,
        "é",
    ]
    many = 6
    return {
        "patient": [EXTREME] * 10 * many,
        "ward": ["zz", None, "A", "a ", "\u0430", "a", "", "b", "c", "rare"] * many,
        "code": [*texts, *[RARE] * 10] * (many // 2),
        "note": [*texts[1:], RARE] * many,
        "cost": cost * many,
        "age": ages * many,
        "size": [huge, -huge - 1, 0, None, 1, -1, huge, 3, 7, -huge] * many,
        "day": days * 2 * many,
        "at": [None if day is None else dt.datetime.combine(day, dt.time.max) for day in days]
        * 2
        * many,
        "urgent": [None, True, False, True, None] * 2 * many,
    }


TYPES = pa.schema(
    [
        ("patient", pa.int64()),
        *((name, pa.string()) for name in ("ward", "code", "note")),
        ("cost", pa.float64()),
        ("age", pa.int64()),
        ("size", pa.int64()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us")),
        ("urgent", pa.bool_()),
    ]
)


def write(folder: Path, kind: str, *, with_extreme: bool) -> None:
    """The files of one world."""
    visits = ordinary()
    drugs = {
        "patient": [1 + row % PEOPLE for row in range(2 * PEOPLE)],
        "drug": [f"d{row % 3}" for row in range(2 * PEOPLE)],
        "dose": [float(row % 50) for row in range(2 * PEOPLE)],
    }
    staff: dict[str, list[Any]] = {"post": ["nurse"] * 20, "salary": [3000.0] * 20}
    if with_extreme:
        more = extreme()
        visits = {name: values + more[name] for name, values in visits.items()}
        drugs = {
            "patient": drugs["patient"] + [EXTREME] * 30,
            "drug": drugs["drug"] + [RARE] * 30,
            "dose": drugs["dose"] + [float("inf")] * 30,
        }
        staff = {"post": [*staff["post"], "surgeon"], "salary": [*staff["salary"], 1e300]}
    pq.write_table(pa.table(drugs), folder / "drugs.parquet")
    pq.write_table(pa.table(staff), folder / "staff.parquet")
    (folder / "wards.csv").write_text("ward,region,beds\na,north,10\nb,south,20\nc,south,30\n")
    table = pa.table(visits, schema=TYPES)
    if kind == "parquet":
        pq.write_table(table, folder / "visits.parquet")
        return
    with duckdb.connect() as engine:
        engine.register("visits", table)
        engine.execute(f"COPY visits TO '{folder / 'visits.csv'}' (HEADER)")


def crowd(people: int) -> dict[str, list[Any]]:
    """So many people with one row each."""
    return {
        "patient": list(range(people)),
        "x": [person % 101 for person in range(people)],
        "code": ["even" if person % 2 == 0 else "odd" for person in range(people)],
    }
