"""Every operation is the same on every engine, for every value, and never an error."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sources.engines import ENGINES, Machines
from tests.sources.oracle import meant
from tests.sources.planted import Mistaken

from differential_privacy.sources import Engine
from differential_privacy.sources.trees import Call, Literal, Name, Op, Rows, Select

WIDEST = 1 << 62
HALF = WIDEST // 2
ONE_PLACE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

big = st.one_of(st.none(), st.integers(-HALF, HALF), st.sampled_from([-HALF, -1, 0, 1, HALF]))
small = st.one_of(st.none(), st.integers(-(1 << 30), 1 << 30), st.integers(-2, 2))
wide = st.one_of(st.none(), st.sampled_from([-WIDEST, WIDEST]), st.integers(-WIDEST, WIDEST))
days = st.one_of(
    st.none(),
    st.integers(-719_162, 2_932_896),
    st.sampled_from([-719_163, -719_162, 2_932_896, 2_932_897, WIDEST, -WIDEST, 0, -1, 11_016]),
)
years = st.one_of(st.none(), st.integers(-1, 10_001), st.just(WIDEST))
months = st.one_of(st.none(), st.integers(-1, 14), st.just(-WIDEST))
letters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.one_of(
    st.none(),
    st.text(letters, max_size=12),
    st.sampled_from(["", " ", "a%b", "A_b", "\\", "\\%", "ab\n", "it's", '"', "Éé", "ß", "${x}"]),
    st.sampled_from(["\U0001f926\U0001f3fc\u200d\u2642\ufe0f", "a\r\nb\u2028c\u0085d", "--", "/*"]),
    st.text("aAbB%_\\ ", max_size=8),
)
near_numbers = st.one_of(
    st.text("0123456789+-.eE ", max_size=14),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.sampled_from(
        ["nan", "inf", "Infinity", "1e400", "0x10", "1_0", "1f", "5\n", "\u0661", "-0"]
    ),
    st.sampled_from(["9" * 30, "9" * 31, "1e99", "1e-99", "." * 2, "0." + "0" * 29 + "1", "1d"]),
)
near_moments = st.one_of(
    st.dates().map(str),
    st.datetimes().map(str),
    st.times().map(str),
    st.text("0123456789-: T.", max_size=14),
    st.sampled_from(["2023-02-29", "2024-02-29", "1900-02-29", "0099-01-01", "2024-13-01"]),
    st.sampled_from(["2024-01-31T", "2024-01-31 x\ny", "2024-01-31\n", "2024-01-31Z", "24:00:00"]),
    st.sampled_from(["12:30:00.", "12:30:00.5", "12:30:60", "12:30:00\n", "infinity", "now"]),
)
written_numbers = st.one_of(st.none(), texts, near_numbers)
written_moments = st.one_of(st.none(), texts, near_moments)
patterns = st.one_of(
    st.text("aAbB_%", max_size=8),
    st.lists(st.sampled_from(["a", "%", "_", r"\%", r"\_", r"\\", "\n", "é", "'"])).map("".join),
)
Line = tuple[Any, ...]
COLUMNS = ("a", "b", "s", "t", "w", "day", "year", "month", "x", "y", "number", "moment")
lines = st.tuples(
    *(big, big, small, small, wide, days, years, months),
    *(texts, texts, written_numbers, written_moments),
)
FULL: Line = (1, 2, 3, 4, 5, 6, 2024, 2, "x", "y", "1", "2024-01-31")
"""A line without NULL, so that every column has its type."""

T = "t"


def of(column: str) -> Name:
    return Name(T, column)


def calls(pattern: str, start: int, count: int) -> list[Call]:
    """Each operation over one row, on columns whose values it is defined for."""
    a, b, s, t, w, day = map(of, ("a", "b", "s", "t", "w", "day"))
    x, y, number, moment = map(of, ("x", "y", "number", "moment"))
    above, same = Call(Op.LESS, (s, t)), Call(Op.EQUAL, (x, y))
    listed = [
        *(Call(op, (a, b)) for op in (Op.ADD, Op.SUBTRACT)),
        *(Call(op, (w, s)) for op in (Op.QUOTIENT, Op.REMAINDER)),
        *(Call(op, (w, Literal(-7))) for op in (Op.QUOTIENT, Op.REMAINDER)),
        *(Call(op, (s, t)) for op in (Op.MULTIPLY, Op.LESS, Op.AT_MOST, Op.SAME)),
        *(Call(op, (w, a)) for op in (Op.LESS, Op.EQUAL, Op.DIFFERENT)),
        *(Call(op, (x, y)) for op in (Op.EQUAL, Op.DIFFERENT, Op.SAME, Op.JOINED)),
        *(Call(op, (above, same)) for op in (Op.AND, Op.OR, Op.SAME)),
        *(Call(op, (above,)) for op in (Op.NOT, Op.IS_NULL, Op.TEXT)),
        *(Call(op, (w,)) for op in (Op.IS_NULL, Op.TEXT, Op.ROOT, Op.STORED, Op.WHOLE, Op.REAL)),
        *(Call(op, (x,)) for op in (Op.LENGTH, Op.LOWER, Op.UPPER, Op.TRIMMED, Op.HASHED, Op.TEXT)),
        *(Call(op, (day,)) for op in (Op.YEAR, Op.MONTH, Op.DAY)),
        Call(Op.FIRST_OF_MONTH, (of("year"), of("month"))),
        Call(Op.LIKE, (x, Literal(pattern))),
        Call(Op.PART, (x, Literal(start), Literal(count))),
        Call(Op.WHOLE_OF_TEXT, (number,)),
        Call(Op.REAL_OF_TEXT, (number,)),
        Call(Op.DAYS_OF_TEXT, (moment,)),
        Call(Op.SECOND_OF_TEXT, (moment,)),
    ]
    real = Call(Op.REAL_OF_TEXT, (number,))
    scaled = Call(Op.OVER, (Call(Op.TIMES, (real, Literal(100.0))), Literal(3.0)))
    return [
        *listed,
        Call(Op.FLOOR, (real,)),
        Call(Op.FLOOR, (Call(Op.PLUS, (scaled, Literal(0.5))),)),
    ]


def expected(tree: Any, line: Line) -> Any:
    if isinstance(tree, Literal):
        return tree.value
    if isinstance(tree, Name):
        return line[COLUMNS.index(tree.column)]
    known = {Op.STORED: lambda a: a, Op.REAL: lambda a: None if a is None else float(a)}
    args = [expected(arg, line) for arg in tree.args]
    return known[tree.op](*args) if tree.op in known else meant(tree.op, *args)


def answered(engine: Engine, lines: Sequence[Line], trees: Sequence[Any]) -> list[Line]:
    """What an engine makes of trees, line by line."""
    numbered = tuple((place, *line) for place, line in enumerate(lines))
    columns = [("place", of("place")), *((f"c{i}", tree) for i, tree in enumerate(trees))]
    rows = Rows(("place", *COLUMNS), numbered, T)
    return [line for _, *line in sorted(engine.run(Select(tuple(columns), rows)))]


@pytest.mark.parametrize("kind", ENGINES)
@ONE_PLACE
@given(
    lines=st.lists(lines, min_size=1, max_size=12),
    pattern=patterns,
    start=st.integers(1, 15),
    count=st.integers(0, 15),
)
def test_every_operation_is_what_it_says(
    machines: Machines, kind: str, lines: list[Line], pattern: str, start: int, count: int
) -> None:
    trees, lines = calls(pattern, start, count), [FULL, *lines]
    with machines.bare(kind) as engine:
        found = answered(engine, lines, trees)
    for line, answers in zip(lines, found, strict=True):
        for tree, answer in zip(trees, answers, strict=True):
            assert (tree, line, answer) == (tree, line, expected(tree, line))


def agrees(engine: Engine, lines: Sequence[Line], pattern: str) -> bool:
    trees = calls(pattern, 1, 2)
    found = answered(engine, lines, trees)
    return found == [[expected(tree, line) for tree in trees] for line in lines]


@pytest.mark.parametrize(
    ("op", "planted"),
    [
        (Op.QUOTIENT, "CAST(FLOOR({} / {}) AS BIGINT)"),
        (Op.UPPER, "UPPER({})"),
        (Op.LENGTH, "STRLEN({})"),
        (Op.LIKE, "({} LIKE {})"),
        (Op.SAME, "({} = {})"),
        (Op.HASHED, "CAST('0x' || SUBSTRING(MD5({}), 2, 15) AS BIGINT)"),
        (Op.TRIMMED, "TRIM({}, ' \n')"),
        (Op.DAYS_OF_TEXT, "(TRY_CAST({} AS DATE) - DATE '1970-01-01')"),
        (Op.REAL_OF_TEXT, "TRY_CAST({} AS DOUBLE)"),
        (Op.YEAR, "CAST(FLOOR(1970 + {} / 365.25) AS BIGINT)"),
    ],
)
def test_an_operation_that_means_something_else_is_caught(
    machines: Machines, op: Op, planted: str
) -> None:
    lines = [
        FULL,
        (-7, 2, -7, 2, -7, -1, 0, 13, "\u00e9a", None, "nan", "44-03-15"),
        (1, 2, None, None, 5, 730, 1, 1, "a%", "a%", "1e3", "2024-02-30"),
        (1, 2, 3, 4, 5, -719_162, 1, 1, "a\n", "a%", "x", "x"),
    ]
    with machines.bare("duckdb") as engine:
        assert agrees(engine, lines, "a\\%")
    wrong = Mistaken(op, planted, folder=machines.folder)
    assert not agrees(wrong, lines, "a\\%")
    wrong.close()
