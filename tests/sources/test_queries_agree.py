"""Queries of every shape give the same exact integers on every engine."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import psycopg
import pytest
from tests.sources.engines import ENGINES, Machines, in_postgres
from tests.sources.test_files import ROWS

from differential_privacy.errors import SourceError
from differential_privacy.sources import Cell, Engine, Postgres
from differential_privacy.sources.trees import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Derived,
    Exists,
    Join,
    Literal,
    Name,
    OneOf,
    Op,
    Over,
    Query,
    Rows,
    Select,
    Shared,
    Tree,
    Union,
    all_of,
    any_of,
    call,
    choose,
    negated,
    when,
)

WIDEST = 1 << 62
PEOPLE = Rows(
    ("who", "ward", "cost"),
    (
        ("ann", None, WIDEST),
        ("ann", "a", WIDEST),
        ("bob", "a", None),
        ("bob", "", -WIDEST),
        ("cem", "b", WIDEST),
        (None, "b", WIDEST),
    ),
    "p",
)
WARDS = Rows(("ward", "beds"), (("a", None), ("b", 2), ("c", 3)), "w")
WHO, WARD, COST = Name("p", "who"), Name("p", "ward"), Name("p", "cost")
PLACE, BEDS = Name("w", "ward"), Name("w", "beds")
TOTALS = (
    ("rows", call(Op.ROWS)),
    ("count", call(Op.COUNT, COST)),
    ("wards", call(Op.DISTINCT, WARD)),
    ("sum", call(Op.SUM, COST)),
    ("low", call(Op.LOWEST, COST)),
    ("high", call(Op.HIGHEST, COST)),
)
Cells = tuple[Cell, ...]


def over(op: Op, *order: Tree) -> Tree:
    return Over(Call(op, ()), (), order)


def answer(engine: Engine, query: Query) -> list[Cells]:
    return sorted(engine.run(query), key=repr)


CASES: dict[str, tuple[Query, list[Cells]]] = {
    "sums pass 64 bits": (
        Select(TOTALS, PEOPLE),
        [(6, 5, 3, 3 * WIDEST, -WIDEST, WIDEST)],
    ),
    "no rows have no sum": (
        Select(TOTALS, PEOPLE, where=FALSE),
        [(0, 0, 0, None, None, None)],
    ),
    "NULL is a group": (
        Select((("ward", WARD), ("n", call(Op.ROWS))), PEOPLE, group=(WARD,)),
        [("", 1), ("a", 2), ("b", 2), (None, 1)],
    ),
    "a constant is one group": (
        Select(
            (("n", call(Op.ROWS)),),
            PEOPLE,
            group=(Literal(2), Literal("a"), TRUE, WHO),
        ),
        [(1,), (1,), (2,), (2,)],
    ),
    "a sum is held in 64 bits or is NULL": (
        Select(
            (
                ("ward", WARD),
                ("sum", call(Op.WHOLE, call(Op.SUM, COST))),
                ("count", call(Op.WHOLE, call(Op.COUNT, COST))),
            ),
            PEOPLE,
            group=(WARD,),
        ),
        [("", -WIDEST, 1), ("a", WIDEST, 1), ("b", None, 2), (None, WIDEST, 1)],
    ),
    "rows that meet none stay in an outer join": (
        Select(
            (("who", WHO), ("beds", BEDS)),
            PEOPLE,
            (Join(WARDS, call(Op.EQUAL, WARD, PLACE), outer=True),),
        ),
        [("ann", None), ("ann", None), ("bob", None), ("bob", None), ("cem", 2), (None, 2)],
    ),
    "rows meet those that they equal": (
        Select(
            (("ward", PLACE), ("n", call(Op.ROWS))),
            PEOPLE,
            (Join(WARDS, call(Op.EQUAL, WARD, PLACE)),),
            group=(PLACE,),
        ),
        [("a", 2), ("b", 2)],
    ),
    "rows are kept for which others are there, or are not": (
        Select(
            (("ward", PLACE),),
            WARDS,
            where=any_of(
                negated(
                    Exists(
                        Select((("one", Literal(1)),), PEOPLE, where=call(Op.EQUAL, WARD, PLACE))
                    )
                ),
                Exists(
                    Select(
                        (("one", Literal(1)),),
                        PEOPLE,
                        where=all_of(
                            call(Op.EQUAL, WARD, PLACE), call(Op.IS_NULL, COST), call(Op.LESS, 0, 1)
                        ),
                    )
                ),
            ),
        ),
        [("a",), ("c",)],
    ),
    "a shared query is read more than once": (
        Select(
            (("one", Name("x", "who")), ("other", Name("y", "who"))),
            Shared("people", "x"),
            (
                Join(
                    Shared("people", "y"),
                    call(Op.LESS, Name("x", "place"), Name("y", "place")),
                ),
            ),
            shared=(
                (
                    "people",
                    Select(
                        (("who", WHO), ("place", over(Op.ROW_NUMBER, WHO))),
                        PEOPLE,
                        where=OneOf(WARD, ("a", "b")),
                    ),
                ),
            ),
        ),
        [
            ("ann", "bob"),
            ("ann", "cem"),
            ("bob", "cem"),
            (None, "ann"),
            (None, "bob"),
            (None, "cem"),
        ],
    ),
    "all rows of all parts": (
        Select(
            (("n", call(Op.ROWS)), ("s", call(Op.SUM, Name("u", "x")))),
            Derived(
                Union(
                    (
                        Select((("x", BEDS),), WARDS),
                        Select((("x", Literal(7)),), WARDS),
                    )
                ),
                "u",
            ),
        ),
        [(6, 26)],
    ),
    "different rows": (
        Select((("who", WHO),), PEOPLE, distinct=True),
        [("ann",), ("bob",), ("cem",), (None,)],
    ),
    "NULL comes first": (
        Select(
            (
                ("who", WHO),
                ("row", over(Op.ROW_NUMBER, WARD, COST, WHO)),
                ("place", over(Op.PLACE, WARD)),
                ("rank", over(Op.DENSE_RANK, WARD)),
            ),
            PEOPLE,
        ),
        [
            ("ann", 1, 1, 1),
            ("ann", 4, 3, 3),
            ("bob", 2, 2, 2),
            ("bob", 3, 3, 3),
            ("cem", 6, 5, 4),
            (None, 5, 5, 4),
        ],
    ),
    "totals of equal rows": (
        Select(
            (
                ("ward", WARD),
                ("n", Over(call(Op.ROWS), (), (WARD,), peers=True)),  # type: ignore[arg-type]
            ),
            PEOPLE,
        ),
        [("", 1), ("a", 2), ("a", 2), ("b", 2), ("b", 2), (None, 1)],
    ),
    "constants have 64 bits": (
        Select(
            (
                (
                    "x",
                    call(
                        Op.MULTIPLY,
                        choose(((call(Op.EQUAL, WARD, "a"), Literal(3)),), Literal(2)),
                        2147483647,
                    ),
                ),
                ("y", call(Op.MULTIPLY, when(call(Op.IS_NULL, COST), Literal(5)), 2147483647)),
                ("z", call(Op.MULTIPLY, call(Op.LENGTH, WARD), 4294967296)),
            ),
            PEOPLE,
            where=call(Op.EQUAL, WHO, "bob"),
        ),
        [(4294967294, None, 0), (6442450941, 10737418235, 4294967296)],
    ),
    "what is written out has 64 bits": (
        Select(
            (("x", call(Op.MULTIPLY, BEDS, 2147483647)), ("null", call(Op.IS_NULL, BEDS))), WARDS
        ),
        [(4294967294, False), (6442450941, False), (None, True)],
    ),
    "NULL decides nothing": (
        Select(
            (
                ("and", Call(Op.AND, (call(Op.LESS, BEDS, 0), TRUE))),
                ("or", Call(Op.OR, (call(Op.LESS, BEDS, 9), TRUE))),
                ("in", OneOf(BEDS, (2, 3))),
                ("same", call(Op.SAME, BEDS, NULL)),
            ),
            WARDS,
        ),
        [(False, True, True, False), (False, True, True, False), (None, True, None, True)],
    ),
}


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_a_query_is_answered_alike(machines: Machines, kind: str, case: str) -> None:
    query, rows = CASES[case]
    with machines.bare(kind) as engine:
        assert answer(engine, query) == rows


@pytest.mark.parametrize("kind", ENGINES)
def test_a_pattern_that_fits_in_many_ways_is_matched_once(machines: Machines, kind: str) -> None:
    text = Name("t", "x")
    rows = Rows(("x",), (("a" * 3000,), ("a" * 3000 + "b",), ("a" * 20,)), "t")
    patterns = ["%a" * 30 + "%b", "%_a" * 20 + "%", "a%" * 25, "%" * 50 + "b", "%aa%aa_%b"]
    trees = tuple((f"p{i}", call(Op.LIKE, text, pattern)) for i, pattern in enumerate(patterns))
    with machines.bare(kind) as engine:
        found = answer(engine, Select(trees, rows))
    assert sorted(found) == sorted(
        [
            (False, True, True, False, False),
            (True, True, True, True, True),
            (False, False, False, False, False),
        ]
    )


@pytest.mark.parametrize("kind", ENGINES)
def test_many_threads_ask_one_engine(machines: Machines, kind: str) -> None:
    with machines.bare(kind) as engine, ThreadPoolExecutor(8) as pool:
        query, rows = CASES["NULL is a group"]
        assert all(found == rows for found in pool.map(lambda _: answer(engine, query), range(24)))


def test_a_session_that_broke_is_opened_again(machines: Machines) -> None:
    place = in_postgres(machines, ROWS)
    engine = Postgres(machines.dsn, [place])
    count = Select((("n", call(Op.ROWS)),), engine.stored(place, "t"))
    before = engine.version(place)
    with psycopg.connect(machines.dsn, autocommit=True) as connection:
        ours = "pid <> PG_BACKEND_PID() AND datname = CURRENT_DATABASE()"
        connection.execute(f"SELECT PG_TERMINATE_BACKEND(pid) FROM pg_stat_activity WHERE {ours}")
    with pytest.raises(SourceError):
        engine.run(count)
    assert engine.run(count) == [(2,)]
    assert engine.version(place) == before
    engine.close()


@pytest.mark.parametrize("kind", ENGINES)
def test_what_is_shown_of_a_query_can_be_read(machines: Machines, kind: str) -> None:
    with machines.bare(kind) as engine:
        lines = engine.written(CASES["a shared query is read more than once"][0]).split("\n")
    assert lines[0].startswith("WITH ")
    assert all(len(one) - len(one.lstrip()) in (0, 2, 4, 6) for one in lines)
    assert not any(one == other == "" for one, other in pairwise(lines))
