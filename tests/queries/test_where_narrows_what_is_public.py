"""What WHERE leaves of ranges, values and groups holds of every row, and is what DuckDB shows.

A row that broke a promise would move an answer further than its noise hides: so the laws run over
random conditions, random expressions and random questions, on the engine itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.queries import growing
from tests.queries.asked_texts import ACCEPTED, listed
from tests.queries.asking import questions
from tests.queries.hospital import RICH, Database, databases
from tests.queries.reading import Facts, facts
from tests.queries.worlds import World, assert_promised, frame_of, opened, rows_of, values_of

from differential_privacy.errors import QuestionError
from differential_privacy.queries import conditions, groups, known, narrowing
from differential_privacy.queries.groups import listed_groups
from differential_privacy.queries.known import narrowed
from differential_privacy.queries.narrowing import Narrowing
from differential_privacy.queries.parsing import parsed_question
from differential_privacy.queries.relations import Frame
from differential_privacy.queries.values import Value, Whole, as_column
from differential_privacy.sources.trees import conjuncts

__all__ = ["facts"]


@st.composite
def wheres(draw: st.DrawFn, deep: int = 2) -> str:
    """Conditions as people write them: of a column and constants, mostly."""
    if deep:
        kind = draw(st.sampled_from(["plain", "plain", "and", "or", "not", "grown"]))
        if kind == "grown":
            return draw(growing.truths(1))
        if kind == "not":
            return f"not ({draw(wheres(deep - 1))})"
        if kind != "plain":
            return f"({draw(wheres(deep - 1))} {kind} {draw(wheres(deep - 1))})"
    column, value = draw(st.sampled_from(COMPARED))
    other = draw(st.sampled_from([value for name, value in COMPARED if name == column]))
    tests = [f"{column} = {value}", f"{column} <> {value}", f"{column} in ({value}, {other})"]
    tests += [f"{value} = {column}", f"{column} is null", f"{column} is not null"]
    if column not in ("t", "u", "v", "b", "y"):
        tests += [f"{column} {sign} {value}" for sign in ("<", "<=", ">", ">=")]
        tests += [f"{column} between {value} and {other}", f"{value} <= {column}"]
    return draw(st.sampled_from(tests))


COMPARED = [
    *(("i", str(value)) for value in (-7, -3, 0, 3, 7, 12, 2.5)),
    *(("j", str(value)) for value in (-10, 0, 100, 2**40)),
    *(("k", str(value)) for value in (0, 1, 3)),
    *(("n", str(value)) for value in (-0.01, 0, 0.005, 1.005, 12.35)),
    *(("m", str(value)) for value in (-1000, 0, 7, 10**6)),
    *(("t", value) for value in ("'a'", "'b'", "''", "'x'")),
    *(("u", value) for value in ("'a'", "'A'", "'%'")),
    *(("v", value) for value in ("'a'", "'A'")),
    *(("b", value) for value in ("true", "false")),
    *(("d", f"date '{day}'") for day in ("2024-01-01", "2024-02-29")),
    *(("e", f"date '{day}'") for day in ("1969-12-31", "2024-01-01", "2024-02-29")),
]


def where(facts: Facts, texts: Sequence[str]) -> Frame:
    """The rows of the facts that meet conditions."""
    trees = [tree for text in texts for tree in conjuncts(facts.value(text).tree)]
    return replace(facts.frame, where=trees)


def read(frame: Frame, text: str, *, held: bool = False) -> Value:
    """An expression over the rows that are left."""
    reading = Narrowing(frame)
    node = parsed_question(f"select {text} from facts").expressions[0]
    return reading.held(node) if held else reading.value(node)


def assert_left(facts: Facts, texts: Sequence[str], text: str) -> Value:
    """The law: what is promised of an expression, each row keeps that DuckDB leaves."""
    frame = where(facts, texts)
    value, held = read(frame, text), read(frame, text, held=True)
    about = f"{text} where {' and '.join(texts)}"
    for (cell,) in facts.world.run(frame.select([("x", as_column(value))])):
        assert_promised(value, cell, about=about)
    # In rows that are not left the tree of what is summed stays within the ends all the same.
    for cell in facts.computed(held).values():
        if isinstance(held.type, Whole) and cell is not None:
            assert held.type.low <= int(cell) <= held.type.high, about
    return value


@given(st.lists(wheres(), min_size=1, max_size=3), growing.expressions(1))
def test_every_row_that_is_left_keeps_what_is_promised(
    facts: Facts, texts: list[str], text: str
) -> None:
    try:
        value = assert_left(facts, texts, text)
    except QuestionError:
        event("refused")
        return
    event("narrower" if value.type != facts.value(text).type else "as it was")


@given(st.lists(wheres(), min_size=1, max_size=2), st.sampled_from([name for name, _ in COMPARED]))
def test_every_column_that_is_left_keeps_what_is_promised(
    facts: Facts, texts: list[str], column: str
) -> None:
    try:
        value = assert_left(facts, texts, column)
    except QuestionError:
        event("refused")
        return
    event("narrower" if value.type != facts.value(column).type else "as it was")


def assert_promised_of(world: World, question: str) -> None:
    """The law for questions: joins, unions, groups and subqueries keep their promises, too."""
    frame = frame_of(world, question)
    start = 0 if frame.owner is None else 1
    values = [narrowed(value, frame.known) for value in values_of(frame)]
    rows = [row[start : start + len(values)] for row in rows_of(world, frame)]
    for row in rows:
        for value, cell in zip(values, row, strict=True):
            assert_promised(value, cell, about=question)
    for places in ([0], [0, len(values) - 1]):
        found = listed_groups(frame, [values[place] for place in places], world)
        if found is not None:
            assert {tuple(row[place] for place in places) for row in rows} <= set(found), question


@given(databases(), st.lists(questions(), min_size=6, max_size=6))
def test_questions_keep_what_is_promised(data: Database, asked: list[str]) -> None:
    with opened(data.world()) as (world,):
        for question in asked:
            try:
                assert_promised_of(world, question)
            except QuestionError:
                event("refused")


@pytest.fixture(scope="module")
def rich() -> Iterator[World]:
    with opened(RICH.world()) as (world,):
        yield world


@pytest.mark.parametrize("question", listed(ACCEPTED))
def test_what_should_be_accepted_keeps_what_is_promised(question: str, rich: World) -> None:
    assert_promised_of(rich, question)


@pytest.mark.parametrize(
    ("texts", "text", "told"),
    [
        (["i between 0 and 5"], "i", "0 to 5"),
        (["i >= 0", "i < 5"], "i", "0 to 4"),
        (["not (i < 0)", "not i > 5"], "i", "0 to 5"),
        (["i > 2.5"], "i", "3 to 12"),
        (["i = 3"], "i", "3 to 3"),
        (["i in (9, 3)"], "i", "3 to 9"),
        (["i < 2 or i = 5"], "i", "-7 to 5"),
        (["i < 2 or k = 1"], "i", "-7 to 12"),
        (["i % 5 = 4"], "i", "4 to 9"),
        (["i < 2 and k = 1 or i = 4"], "i * 2", "-14 to 8"),
        (["i + 1 < 3"], "i + 1", "-6 to 2"),
        (["n between 0.105 and 2"], "n * k", "0 to 6"),
        (["j between 0 and 100"], "j", "0 to 100"),
        (["m >= 0", "m < 5.5"], "m", None),
        (["d >= date '2024-01-01' and d < date '2024-02-01'"], "d", "2024-01-01 to 2024-01-31"),
        (["d >= date '2024-01-01'"], "year(d)", "2024 to 2024"),
        (["e between date '1999-05-01' and date '2001-02-03'"], "year(e)", "1999 to 2001"),
        (["i > 100"], "i", "-7 to 12"),
        (["i = 3 and i = 4"], "i", "-7 to 12"),
    ],
)
def test_a_range_is_as_narrow_as_where_makes_it(
    texts: list[str], text: str, told: str | None, facts: Facts
) -> None:
    value = assert_left(facts, texts, text)
    assert isinstance(value.type, Whole)
    assert told is None or str(value.type) == told
    assert value.type.declared


@pytest.mark.parametrize("texts", [["j > 0"], ["j < 10"], ["j between 0 and 9 or k = 1"]])
def test_a_number_without_two_stated_ends_is_not_summed(texts: list[str], facts: Facts) -> None:
    kind = assert_left(facts, texts, "j").type
    assert isinstance(kind, Whole)
    assert not kind.declared


@pytest.mark.parametrize(
    ("texts", "text", "values"),
    [
        (["t in ('b', 'a')"], "t", ("a", "b")),
        (["t = 'b' or 'a' = t"], "t", ("a", "b")),
        (["t <> 'a'", "t like '%b%'"], "t", ("b", "ab%_")),
        (["not t in ('a', 'b', '')"], "t", ("ab%_", "😀")),
        (["u in ('a', 'x')"], "u", ("a", "x")),
        (["left(u, 1) in ('b', 'a')"], "left(u, 1)", ("a", "b")),
        (["b"], "b", (True,)),
        (["not b"], "b", (False,)),
        (["b = true"], "b", (True,)),
        (["i in (3, 9)"], "i", (3, 9)),
        (["month(d) = 2", "day(d) > 27"], "day(d)", (28, 29, 30, 31)),
        (["d > date '2024-02-28'"], "day(d)", tuple(range(1, 32))),
        (["d > date '2024-01-15'"], "month(d)", tuple(range(1, 13))),
        (["i > 5"], "case when i < 3 then 'low' else 'high' end", ("high",)),
        (["i between 7 and 12"], "bin(i, 10)", (0, 1)),
    ],
)
def test_values_are_those_that_where_leaves(
    texts: list[str], text: str, values: tuple[object, ...], facts: Facts
) -> None:
    value = assert_left(facts, texts, text)
    assert value.values == values


@pytest.mark.parametrize(
    ("texts", "text", "nullable"),
    [
        (["i < 5"], "i", False),
        (["i is not null"], "i", False),
        (["i is null or i < 5"], "i", True),
        (["k = 1"], "i", True),
        (["t <> 'a'"], "t", False),
        (["b"], "b", False),
        (["b is not true"], "b", True),
        (["coalesce(i, 0) > 1"], "i", False),
        (["coalesce(i, 2) > 1"], "i", True),
    ],
)
def test_what_where_compares_is_there(
    texts: list[str], text: str, *, nullable: bool, facts: Facts
) -> None:
    assert assert_left(facts, texts, text).nullable is nullable


def without_outer(frame: Frame) -> list[object]:
    """A planted bug: what joins compare is taken to hold where they found nobody."""
    return [*frame.where, *(one for found in frame.conditions.values() for one in found)]


@pytest.mark.parametrize(
    ("texts", "text", "where_", "name", "wrong"),
    [
        (["i <= 3"], "i", conditions, "_compared", lambda *_: (-7, 2)),
        (["i < 2 or i = 5"], "i", known, "candidates", lambda *_: frozenset({-7, 0})),
        (["b is not true"], "b", known, "possible", lambda *_: False),
        (["i < 5"], "t", narrowing, "met", lambda wide, _: never_null(wide)),
    ],
)
def test_a_promise_too_narrow_is_caught(
    texts: list[str],
    text: str,
    where_: object,
    name: str,
    wrong: Callable[..., object],
    facts: Facts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_left(facts, texts, text)
    monkeypatch.setattr(where_, name, wrong)
    with pytest.raises(AssertionError):
        assert_left(facts, texts, text)


def never_null(value: Value) -> Value:
    return replace(value, type=replace(value.type, nullable=False))


@pytest.mark.parametrize(
    ("question", "where_", "name", "wrong"),
    [
        (
            "select v.ward, floor from visits v left join wards w on v.ward = w.ward and floor = 1",
            Frame,
            "known",
            property(without_outer),
        ),
        (
            "select floor from visits v join wards w on v.ward = w.ward where floor < 9",
            groups,
            "_read",
            lambda rows, *_: [("a", 3)[-len(rows.columns) :]],
        ),
    ],
)
def test_a_question_that_promises_too_much_is_caught(
    question: str,
    where_: object,
    name: str,
    wrong: object,
    rich: World,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_promised_of(rich, question)
    monkeypatch.setattr(where_, name, wrong)
    with pytest.raises(AssertionError):
        assert_promised_of(rich, question)
