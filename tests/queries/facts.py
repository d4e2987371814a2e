"""A table with a column of every kind, in which every value is a nasty one."""

import datetime as dt
import math
from fractions import Fraction

import pyarrow as pa
from tests.queries.worlds import World

from differential_privacy.sources import Bounds, Column, Table

REALS = [None, math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, 1e308, -1e308, 0.005, -0.005]
REALS += [0.015, 1.005, 49.994999999, 50.01, -5.001, 2.5, -2.5, 1 / 3, 2**53 + 1.0, 12.345, 7.0]
WHOLES = [None, 0, 1, -1, 2**63 - 1, -(2**63), 2**62, -(2**62), 2**31, -(2**31), 2**53 + 1, 3, -3]
WHOLES += [10, -10, 7, -7, 12, 13, -8, 100, 5]
TEXTS = [None, "", " ", "a", "A", "b", "ab%_", "50%", "a_b", "\\", "%", "_", "é", "É", "ß", "😀"]
TEXTS += ["e\u0301", "  padded ", "İ", "\ttab", "line\nbreak", "o'clock"]
NUMBERS = [None, "12", "-7.5", "1e3", "1e999", "nan", "inf", "0x10", "", " 5 ", "1_000", "٣", "--1"]
NUMBERS += ["2024-02-30", "2024-01-31", "2024-01-31 23:59:59", "2024-01-31x", "24:00:00"]
NUMBERS += ["12:30:00", "true", "YES", "9" * 40]
DATES = [None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1), dt.date(1969, 12, 31)]
DATES += [dt.date(2024, 2, 29), dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(1900, 3, 1)]
DATES += [dt.date(2000, 2, 29), dt.date(2024, 12, 29), dt.date(2024, 3, 31)]
MOMENTS = [None, dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)]  # noqa: DTZ001
MOMENTS += [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2024, 2, 29, 12, 30, 1)]  # noqa: DTZ001
MOMENTS += [dt.datetime(2024, 1, 1), dt.datetime(2023, 12, 31, 23, 59, 59)]  # noqa: DTZ001
TIMES = [None, dt.time(0, 0), dt.time(23, 59, 59, 999999), dt.time(12, 30, 1)]
TRUTHS = [None, True, False]
COUNT = 22

COLUMNS = (
    Column("id", "integer", lower=0, upper=COUNT, nullable=False),
    Column("i", "integer", lower=-7, upper=12),
    Column("j", "integer"),
    Column("k", "integer", lower=0, upper=3, nullable=False),
    Column("n", "number", lower=-5, upper=50, step=0.01),
    Column("m", "number"),
    Column("r", "number", lower=-1, upper=2, step=Fraction(1, 3)),
    Column("b", "boolean"),
    Column("y", "boolean", nullable=False),
    Column("t", "text", categories=["a", "b", "ab%_", "😀", ""]),
    Column("v", "text", categories=["A", "a"], nullable=False),
    Column("u", "text"),
    Column("w", "text"),
    Column("d", "date", lower="2023-12-30", upper="2024-03-02"),
    Column("e", "date"),
    Column("s", "timestamp", lower="2023-12-31 22:00:00", upper="2024-01-01 02:00:00"),
    Column("z", "timestamp"),
    Column("c", "time"),
)


def cycled(values: list[object], start: int) -> list[object]:
    """As many values as the table has rows, beginning elsewhere for each column."""
    return [values[(place * 7 + start) % len(values)] for place in range(COUNT)]


FACTS = Table(
    "facts",
    pa.table(
        {
            "id": list(range(COUNT)),
            "i": pa.array(cycled(WHOLES, 0), pa.int64()),
            "j": pa.array(cycled(WHOLES, 5), pa.int64()),
            "k": pa.array(cycled(WHOLES, 9), pa.int64()),
            "n": pa.array(cycled(REALS, 0), pa.float64()),
            "m": pa.array(cycled(REALS, 4), pa.float64()),
            "r": pa.array(cycled(REALS, 8), pa.float64()),
            "b": pa.array(cycled(TRUTHS, 0), pa.bool_()),
            "y": pa.array(cycled(TRUTHS, 1), pa.bool_()),
            "t": pa.array(cycled(TEXTS, 0), pa.string()),
            "v": pa.array(cycled(TEXTS, 3), pa.string()),
            "u": pa.array(cycled(TEXTS, 6), pa.string()),
            "w": pa.array(cycled(NUMBERS, 0), pa.string()),
            "d": pa.array(cycled(DATES, 0), pa.date32()),
            "e": pa.array(cycled(DATES, 5), pa.date32()),
            "s": pa.array(cycled(MOMENTS, 0), pa.timestamp("us")),
            "z": pa.array(cycled(MOMENTS, 3), pa.timestamp("us")),
            "c": pa.array(cycled(TIMES, 0), pa.time64("us")),
            "person": pa.array([place % 5 for place in range(COUNT)], pa.int64()),
        }
    ),
    COLUMNS,
    owner="person",
    bounds=(Bounds(rows=9),),
)

NAMES = {column.name: column for column in COLUMNS}


def world() -> World:
    """The table, behind an engine of its own."""
    return World(FACTS)
