"""What an engine stores becomes the same whole number, text or truth on each, or NULL: no error."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pytest
from tests.sources.engines import ENGINES, Machines

from differential_privacy.sources import Cell, Column, Engine, Ranks, Scanner, Table
from differential_privacy.sources.kinds import DAY_SECONDS, EPOCH, MIDNIGHT

MOST = (1 << 50) - 1
WIDEST = 1 << 62


@dataclass(frozen=True, slots=True)
class Case:
    """A type as each engine calls it, and values of it as they are written there."""

    types: dict[str, str]
    literals: tuple[str | None, ...]
    own: dict[str, tuple[str, ...]]

    def of(self, kind: str) -> tuple[str, list[str | None]]:
        """The type, and all values that this engine can hold."""
        return self.types[kind], [*self.literals, *self.own.get(kind, ())]


def case(literals: Sequence[str | None], *types: str, **own: tuple[str, ...]) -> Case:
    duck, postgres, spark = types if len(types) > 1 else types * 3
    return Case({"duckdb": duck, "postgres": postgres, "spark": spark}, tuple(literals), own)


DOUBLE = case(
    [
        *("NaN", "Infinity", "-Infinity", "0.0", "-0.0", "5e-324", "-5e-324", "2.2e-308"),
        *("1.7976931348623157e308", "-1.7976931348623157e308", "0.005", "0.015", "1.005", "-0.005"),
        *(
            "0.5",
            "1.5",
            "2.5",
            "-0.5",
            "-2.5",
            "10",
            "10.004999",
            "10.005",
            "-10.1",
            "1e15",
            "1e20",
        ),
        *("1125899906842623.5", "0.16666666666666666", "0.16666666666666669", None),
    ],
    "DOUBLE",
    "double precision",
    "DOUBLE",
)
SINGLE = case(
    ["NaN", "Infinity", "-Infinity", "0.1", "3.4e38", "1e-45", "-0.0", None],
    "FLOAT",
    "real",
    "FLOAT",
)
WIDE = case(
    [
        *("0.005", "-0.005", "0.000000001", "123456789012345678.123456789", "1e28", "-1e28"),
        *("99999999999999999999999999999.999999999", "9007199254740993.000000001", "10", None),
        *("0.010000001", "0.035", "1125899906842623.499999999", "4611686018427387905"),
    ],
    "DECIMAL(38,9)",
    "numeric(38,9)",
    "DECIMAL(38,9)",
)
ENDLESS = case(
    ["1.50", "NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "-1e-400", "0.00", None],
    "DOUBLE",
    "numeric",
    "DOUBLE",
)
WHOLE = case(
    ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "4611686018427387905", None],
    "BIGINT",
)
TEXT = case(
    [
        *("", " ", "12", " -12.5 ", "+.5", "5.", "1e3", "1e99", "1e-99", "nan", "inf", "1e400"),
        *("9" * 18, "9" * 19, "9" * 31, "0x10", "1_000", "1f", "True", "YES", "f", "0", "no", "nö"),
        *("2024-01-31", "2024-02-30", "2024-01-31T10:00:00", "2024-01-31 25:00:00", "0099-01-01"),
        *(
            "2024-1-3",
            "10:00:00",
            "10:00:60",
            "24:00:00",
            "10:00",
            "\U0001f926\u200d",
            "a\tb",
            None,
        ),
    ],
    "VARCHAR",
    "text",
    "STRING",
)
TRUTH = case(["true", "false", None], "BOOLEAN")
DATE = case(
    ["0001-01-01", "9999-12-31", "1969-12-31", "1970-01-01", "2024-02-29", None],
    "DATE",
    duckdb=("infinity", "-infinity", "44-03-15 (BC)", "287000-01-01", "5881580-07-10"),
    postgres=("infinity", "-infinity", "0044-03-15 BC", "287000-01-01", "5874897-12-31"),
    spark=("-0044-03-15", "+287000-01-01", "-5877641-06-23"),
)
MOMENT = case(
    [
        *("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1969-12-31 23:59:59.5", None),
        *("1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2024-02-29 12:00:00.000001"),
    ],
    "TIMESTAMP",
    duckdb=("infinity", "-infinity", "44-03-15 (BC) 00:00:00", "287000-01-01 00:00:00"),
    postgres=("infinity", "-infinity", "0044-03-15 00:00:00 BC", "287000-01-01 00:00:00"),
    spark=("-0044-03-15 00:00:00", "+287000-01-01 00:00:00"),
)
ZONED = replace(
    MOMENT,
    types={"duckdb": "TIMESTAMPTZ", "postgres": "timestamptz", "spark": "TIMESTAMP"},
    literals=("2024-01-31 23:00:00-05:00", "1969-12-31 23:59:59.5+00:00", None),
)
CLOCK = case(
    ["00:00:00", "23:59:59.999999", "12:30:01.5", None],
    "TIME",
    duckdb=("24:00:00",),
    postgres=("24:00:00",),
)


def read_by(
    engine: Engine, source: object, column: Column, texts: Sequence[str | None]
) -> list[Cell]:
    """What a column becomes, value by value."""
    rows = Table("kept", source, (Column("id", "integer"), column))
    scanner = Scanner({"kept": rows}, engine, Ranks(b"key"))
    found = dict(engine.run(scanner.scan(rows, ["id", "x"])))
    return [found[place] for place in range(len(texts))]


def on_grid(real: float | None, column: Column) -> int | None:
    """The nearest point, as floats compute it."""
    low, high = (min(max(end, -MOST), MOST) for end in column.reach)
    if real is None or not math.isfinite(real):
        return None if column.nullable else low
    if real < float(low * column.step):
        return low
    if real > float(high * column.step):
        return high
    return math.floor(real * column.step.denominator / column.step.numerator + 0.5)


NUMBERS = [
    Column("x", "number", lower=-10, upper=10, step="0.01"),
    Column("x", "number", lower=-10, upper=10, step="0.01", nullable=False),
    Column("x", "number", lower=0, upper=10, step="1/3"),
    Column("x", "number", lower=-1000, upper=1000, step=7),
    Column("x", "number"),
    Column("x", "integer", lower=-5, upper=5),
    Column("x", "integer"),
]


def real_of(text: str | None) -> float | None:
    return None if text is None else float(text)


def huge_is_the_end(text: str | None) -> float | None:
    """A number too long for floats lies beyond every range, and is no infinity."""
    if text is None or Decimal(text).is_nan() or Decimal(text).is_infinite():
        return None
    return float(max(min(Decimal(text), Decimal("1e300")), Decimal("-1e300")))


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(
    ("stored", "real"), [(DOUBLE, real_of), (WIDE, real_of)], ids=["double", "wide"]
)
def test_numbers_are_the_nearest_points_of_their_grid(
    machines: Machines, kind: str, stored: Case, real: Callable[[str | None], float | None]
) -> None:
    type_, texts = stored.of(kind)
    with machines.typed(kind, type_, texts) as (engine, source):
        for column in NUMBERS:
            expected = [on_grid(real(text), column) for text in texts]
            assert read_by(engine, source, column, texts) == expected


@pytest.mark.parametrize("kind", ENGINES)
def test_short_floats_are_read_as_the_long_ones_that_they_are(
    machines: Machines, kind: str
) -> None:
    type_, texts = SINGLE.of(kind)
    short = [None if text is None else float(np.float32(text)) for text in texts]
    with machines.typed(kind, type_, texts) as (engine, source):
        for column in NUMBERS:
            expected = [on_grid(real, column) for real in short]
            assert read_by(engine, source, column, texts) == expected


def test_numbers_that_only_postgres_holds_are_beyond_every_range(machines: Machines) -> None:
    type_, texts = ENDLESS.of("postgres")
    with machines.typed("postgres", type_, texts) as (engine, source):
        for column in NUMBERS:
            expected = [on_grid(huge_is_the_end(text), column) for text in texts]
            assert read_by(engine, source, column, texts) == expected


@pytest.mark.parametrize("kind", ENGINES)
def test_whole_numbers_are_themselves(machines: Machines, kind: str) -> None:
    type_, texts = WHOLE.of(kind)
    numbers = [None if text is None else int(text) for text in texts]
    held = [n if n is None else min(max(n, -WIDEST), WIDEST) for n in numbers]
    near = [n if n is None else min(max(n, -5), 5) for n in numbers]
    truths = [{0: False, 1: True}.get(n) if n is not None else None for n in numbers]
    with machines.typed(kind, type_, texts) as (engine, source):
        assert read_by(engine, source, Column("x", "integer"), texts) == held
        assert read_by(engine, source, NUMBERS[5], texts) == near
        assert read_by(engine, source, Column("x", "boolean"), texts) == truths
        assert read_by(engine, source, Column("x", "text"), texts) == texts
        for column in NUMBERS[:5]:
            expected = [on_grid(None if n is None else float(n), column) for n in numbers]
            assert read_by(engine, source, column, texts) == expected


@pytest.mark.parametrize("kind", ENGINES)
def test_texts_are_what_they_read_as(machines: Machines, kind: str) -> None:
    type_, texts = TEXT.of(kind)
    words = ["" if text is None else text for text in texts]
    truths = {"True": True, "YES": True, "f": False, "0": False, "no": False}
    wholes = {"12": 12, " -12.5 ": -12, "+.5": 1, "5.": 5, "1e3": 1000, "0": 0}
    wholes |= {"9" * 18: int("9" * 18), "9" * 19: WIDEST, "1e99": WIDEST, "1e-99": 0}
    wholes |= {"1e400": None, "9" * 31: None}
    days = {"2024-01-31": 19753, "2024-01-31T10:00:00": 19753, "2024-01-31 25:00:00": 19753}
    ten = 10 * 3600
    moments = {"2024-01-31": 19753 * DAY_SECONDS, "2024-01-31T10:00:00": 19753 * DAY_SECONDS + ten}
    with machines.typed(kind, type_, texts) as (engine, source):
        for column, known in (
            (Column("x", "boolean"), truths),
            (Column("x", "integer"), wholes),
            (Column("x", "date"), days),
            (Column("x", "timestamp"), moments),
            (Column("x", "time"), {"10:00:00": ten}),
            (Column("x", "text", categories=["YES", "12"]), {"YES": "YES", "12": "12"}),
        ):
            expected = [known.get(word) for word in words]
            assert read_by(engine, source, column, texts) == expected
        assert read_by(engine, source, Column("x", "text"), texts) == texts
        certain = Column("x", "text", categories=["YES", "12"], nullable=False)
        expected = [word if word == "12" else "YES" for word in words]
        assert read_by(engine, source, certain, texts) == expected


@pytest.mark.parametrize("kind", ENGINES)
def test_truths_are_themselves(machines: Machines, kind: str) -> None:
    type_, texts = TRUTH.of(kind)
    with machines.typed(kind, type_, texts) as (engine, source):
        assert read_by(engine, source, Column("x", "boolean"), texts) == [True, False, None]
        certain = Column("x", "boolean", nullable=False)
        assert read_by(engine, source, certain, texts) == [True, False, False]
        assert read_by(engine, source, Column("x", "text"), texts) == ["true", "false", None]


def day_of(text: str | None) -> int | None:
    try:
        return None if text is None else (dt.date.fromisoformat(text) - EPOCH).days
    except ValueError:
        return None


def second_of(text: str | None) -> int | None:
    try:
        found = None if text is None else dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    if found is None:
        return None
    if found.tzinfo is not None:
        found = found.astimezone(dt.UTC).replace(tzinfo=None)
    return (found - MIDNIGHT) // dt.timedelta(seconds=1)


@pytest.mark.parametrize("kind", ENGINES)
def test_dates_are_days_and_those_of_no_calendar_are_null(machines: Machines, kind: str) -> None:
    type_, texts = DATE.of(kind)
    days = [day_of(text) for text in texts]
    with machines.typed(kind, type_, texts) as (engine, source):
        assert read_by(engine, source, Column("x", "date"), texts) == days
        midnights = [None if day is None else day * DAY_SECONDS for day in days]
        assert read_by(engine, source, Column("x", "timestamp"), texts) == midnights
        year = Column("x", "date", lower="2000-01-01", upper="2024-12-31", nullable=False)
        low, high = year.points or (0, 0)
        within = [low if day is None else min(max(day, low), high) for day in days]
        assert read_by(engine, source, year, texts) == within


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("stored", [MOMENT, ZONED], ids=["plain", "zoned"])
def test_timestamps_are_seconds_rounded_down(machines: Machines, kind: str, stored: Case) -> None:
    type_, texts = stored.of(kind)
    seconds = [second_of(text) for text in texts]
    with machines.typed(kind, type_, texts) as (engine, source):
        assert read_by(engine, source, Column("x", "timestamp"), texts) == seconds
        days = [None if second is None else second // DAY_SECONDS for second in seconds]
        assert read_by(engine, source, Column("x", "date"), texts) == days


@pytest.mark.parametrize("kind", ENGINES)
def test_times_are_seconds_and_the_day_ends_with_the_last(machines: Machines, kind: str) -> None:
    type_, texts = CLOCK.of(kind)
    with machines.typed(kind, type_, texts) as (engine, source):
        found = read_by(engine, source, Column("x", "time"), texts)
    assert found == [0, 86399, 45001, None, 86399][: len(texts)]
