"""A question has no more groups than its WHERE and public tables leave, and no wider ranges."""

from collections.abc import Iterator

import pytest
from tests.queries.hospital import RICH, Database
from tests.queries.worlds import World, frame_of, opened, rows_of

from differential_privacy.queries.parsing import parsed_question
from differential_privacy.queries.questions import Asked, read_question
from differential_privacy.queries.relations import Mode

ROWS = Mode(rows=True)


@pytest.fixture(scope="module")
def rich() -> Iterator[World]:
    with opened(RICH.world()) as (world,):
        yield world


def asked(world: World, question: str) -> Asked:
    return read_question(parsed_question(question), world, ROWS)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("from visits where ward in ('a', 'b') group by ward", [("a",), ("b",)]),
        ("from visits where age between 2 and 3 group by age", [(2,), (3,)]),
        (
            "from visits where ward = 'a' and age = 2 or age = 1 and ward = 'b' group by age, ward",
            [(1, "b"), (2, "a")],
        ),
        # A subquery hands on what is known of its columns, also of what it has not shown.
        ("from (select ward w from visits where ward <> 'a') group by w", [("b",), ("c",)]),
        (
            "from (select age // 4 as q from visits where age between 5 and 9) group by q",
            [(1,), (2,)],
        ),
        (
            """from (select ward w, age a from visits
            where ward = 'a' and age = 2 or age = 1 and ward = 'b') group by w, a""",
            [("a", 2), ("b", 1)],
        ),
        (
            "from (select person, max(age) m from visits where age < 2 group by 1) group by m",
            [(0,), (1,)],
        ),
        (
            """from (select person, count(*) n from visits group by person having count(*) > 1)
            group by n""",
            [(2,)],
        ),
        (
            """from (select ward from visits where ward = 'a'
            union all select ward from bills where ward = 'b') group by ward""",
            [("a",), ("b",)],
        ),
        # What public tables hold together, and what WHERE leaves of it.
        (
            "from visits v join wards w using (ward) group by w.ward, floor order by 1",
            [("a", 1), ("b", 2), ("c", None)],
        ),
        ("from visits v join wards w using (ward) where floor > 1 group by w.ward", [("b",)]),
        (
            "from visits v join wards w using (ward) join zips z on z.zip = floor group by w.ward",
            [("a",), ("b",)],
        ),
        (
            """from visits v join wards w using (ward) join bills b on b.payer = v.person
            where w.ward = 'a' and b.ward = 'b' group by w.ward, b.ward, floor""",
            [("a", "b", 1)],
        ),
        (
            """from (select w.ward, floor from visits v join wards w using (ward) where floor < 9)
            group by ward, floor""",
            [("a", 1), ("b", 2)],
        ),
        (
            """from (select person, w.ward as ward, floor, count(*) as n
            from visits v join wards w using (ward) group by 1, 2, 3) group by floor, ward""",
            [(1, "a"), (2, "b"), (None, "c")],
        ),
        # What equals a public column has its values, and no others.
        ("from visits join wards using (ward) where floor > 1 group by ward", [("b",)]),
        ("from visits v join wards w using (ward) group by v.ward", [("a",), ("b",), ("c",)]),
        (
            "from visits v join zips z on z.zip = v.cost where v.cost > 1 group by v.cost, z.level",
            [(2, 1), (4, 2)],
        ),
        ("from visits v join wards w on w.floor = v.cost + 1 group by v.cost + 1", [(1,), (2,)]),
        (
            """from (select distinct person, ward, floor from visits join wards using (ward))
            group by ward, floor""",
            [("a", 1), ("b", 2), ("c", None)],
        ),
        # A row of a LEFT JOIN may meet none, so nothing of it is narrowed.
        (
            "from visits v left join wards w on v.ward = w.ward and floor = 1 group by floor",
            [*((floor,) for floor in range(10)), (None,)],
        ),
        (
            "from visits v left join wards w on v.ward = w.ward where floor = 1 group by floor",
            [(1,)],
        ),
    ],
)
def test_groups_are_those_that_where_and_public_tables_leave(
    question: str, found: list[tuple[object, ...]], rich: World
) -> None:
    assert list(asked(rich, f"select count(*) {question}").groups or ()) == found


def test_a_narrower_range_needs_less_noise(rich: World) -> None:
    wide, narrow = (
        asked(rich, f"select sum(cost) from visits where {condition}").needs.moments.values()
        for condition in ("age < 5", "cost between 2 and 3")
    )
    assert [(one.low, one.high) for one in wide] == [(0, 9)]
    assert [(one.low, one.high) for one in narrow] == [(2, 3)]


def test_what_filter_keeps_is_as_narrow_as_what_where_leaves(rich: World) -> None:
    (one,) = asked(
        rich, "select sum(cost) filter (where cost between 2 and 3) from visits"
    ).needs.moments.values()
    assert (one.low, one.high) == (2, 3)


def test_a_person_has_no_more_groups_than_where_leaves() -> None:
    wards = Database({**RICH.rows, "visits": [(1, ward, 1, 1) for ward in ("a", "b", "c", None)]})
    question = "select * from (select distinct person, ward from visits where ward <> 'c') as t"
    with opened(wards.world()) as (world,):
        frame = frame_of(world, question)
        assert frame.most == len(rows_of(world, frame)) == 2


def test_a_count_beside_a_narrower_sum_is_told_with_it(rich: World) -> None:
    needs = asked(rich, "select sum(cost), count(cost) from visits where cost > 5 or age > 1").needs
    assert list(needs.counts) == [one.count for one in needs.moments.values()]
    needs = asked(rich, "select sum(cost), count(cost) from visits where cost > 5").needs
    assert list(needs.counts) == [one.count for one in needs.moments.values()]
