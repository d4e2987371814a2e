"""Rule 1: without a person, exactly that person's rows are gone, and no other row has changed.

The law is held to random questions over random small databases, whatever is accepted of them; and
one person has at most as many rows as the frame says.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queries.asked_texts import ACCEPTED, REFUSED, listed
from tests.queries.asking import questions
from tests.queries.hospital import PEOPLE, RICH, Database, databases
from tests.queries.worlds import (
    BOUNDED,
    HASHED,
    PLAIN,
    World,
    assert_promised,
    frame_of,
    opened,
    rows_of,
    values_of,
)

from differential_privacy.errors import QuestionError
from differential_privacy.queries import owning, reader, subqueries, unions
from differential_privacy.queries.grouping import Groups
from differential_privacy.queries.relations import Bound, Frame, Mode
from differential_privacy.queries.scope import FrameScope
from differential_privacy.queries.values import Value
from differential_privacy.sources import OWNER
from differential_privacy.sources.trees import TRUE, Op, call

MODES = [PLAIN, BOUNDED, HASHED]


def assert_owned(world: World, less: World, question: str, person: int, mode: Mode) -> Frame:
    """The law, for one person taken away."""
    frame = frame_of(world, question, mode)
    rows, rest = rows_of(world, frame), rows_of(less, frame_of(less, question, mode))
    if frame.owner is None:
        return frame
    assert Counter(rest) == Counter(row for row in rows if row[0] != person), question
    if frame.most is not None:
        assert max(Counter(row[0] for row in rows).values(), default=0) <= frame.most, question
    values = values_of(frame)
    told: dict[object, object] = {}
    for row in rows:
        for value, cell in zip(values, row[1:], strict=False):
            assert_promised(value, cell, about=question)
        if mode.hashed:
            # What rows are chosen by is a number, and tells a person's different rows apart.
            chosen_by = row[1 + len(values) :]
            assert None not in chosen_by, question
            assert told.setdefault((row[0], chosen_by), row) == row, question
    return frame


def assert_owned_by_row(data: Database, question: str) -> None:
    """The law where each row is a person: each row of the frame goes with one row of the table."""
    with opened(data.world()) as (world,):
        frame = frame_of(world, question)
        rows = Counter(rows_of(world, frame))
    assert frame.most == 1
    gone: Counter[object] = Counter()
    for place in range(len(data.rows["survey"])):
        with opened(data.without_answer(place).world()) as (less,):
            rest = Counter(rows_of(less, frame_of(less, question)))
        assert not rest - rows, question
        assert (rows - rest).total() <= 1, question
        gone += rows - rest
    assert gone == rows, question


@given(
    databases(),
    st.lists(questions(), min_size=6, max_size=6),
    st.sampled_from(PEOPLE),
    st.sampled_from(MODES),
)
def test_without_a_person_exactly_their_rows_are_gone(
    data: Database, asked: list[str], person: int, mode: Mode
) -> None:
    with opened(data.world(), data.without(person).world()) as (world, less):
        for question in asked:
            try:
                frame = assert_owned(world, less, question, person, mode)
            except QuestionError:
                continue
            if frame.row_owned:
                assert_owned_by_row(data, question)


@pytest.mark.parametrize("mode", MODES, ids=["plain", "bounded", "hashed"])
@settings(max_examples=3)
@given(databases(), st.sampled_from(PEOPLE))
def test_what_should_be_accepted_is_and_keeps_the_law(
    mode: Mode, data: Database, person: int
) -> None:
    with opened(data.world(), data.without(person).world()) as (world, less):
        for question in listed(ACCEPTED):
            frame = assert_owned(world, less, question, person, mode)
            if frame.row_owned:
                assert_owned_by_row(data, question)


@pytest.mark.parametrize("question", listed(REFUSED))
def test_what_breaks_ownership_is_refused(question: str) -> None:
    with opened(RICH.world()) as (world,), pytest.raises(QuestionError, match="nothing was spent"):
        frame_of(world, question)


@pytest.mark.parametrize(
    ("question", "most"),
    [
        ("select * from visits", 2),
        ("select * from visits v join wards w on v.ward = w.ward", 2),
        ("select * from visits v join zips z on v.cost = z.zip", None),
        ("select * from visits v join bills b on v.person = b.payer", 6),
        ("select * from visits v left join bills b on v.person = b.payer", 6),
        ("select * from lines join orders on of_order = orderkey", 3),
        ("select * from lines, orders, customer where of_order = orderkey and buyer = custkey", 3),
        (
            """select * from lines, orders
            where of_order = orderkey and total > 0 or of_order = orderkey and quantity > 0""",
            3,
        ),
        ("select * from lines l join lines m on l.of_order = m.of_order", 9),
        ("select * from (select person, count(*) as n from visits group by person) as t", 1),
        ("select * from (select distinct person, ward from visits) as t", 2),
        ("select * from (select * from visits union all select * from visits) as t", 4),
        ("select * from survey", 1),
    ],
)
def test_one_person_has_so_many_rows_at_the_most_and_may_have_them(
    question: str, most: int | None
) -> None:
    crowded = Database(
        {
            **RICH.rows,
            "visits": [(1, "a", 1, 1), (1, "b", 2, 2), (1, "c", 3, 3)],
            "bills": [(1, 1, "a"), (1, 2, "b"), (1, 3, "c"), (1, 4, "a")],
            "lines": [(10, quantity) for quantity in range(6)],
            "orders": [(10, 1, 1)],
            "customer": [(1, 1)],
        }
    )
    with opened(crowded.world()) as (world,):
        frame = frame_of(world, question, BOUNDED)
        rows = rows_of(world, frame)
    assert frame.most == most
    if most is not None and not frame.row_owned:
        assert max(Counter(row[0] for row in rows).values()) == most


@pytest.mark.parametrize(
    ("question", "most"),
    [
        (
            """select * from orders o
            join (select of_order, sum(quantity) as q from lines group by of_order) as l
            on l.of_order = o.orderkey""",
            2,
        ),
        (
            """select * from customer c join orders o on c.custkey = o.buyer
            join (select of_order, count(*) as n from lines group by of_order) as l
            on l.of_order = o.orderkey""",
            2,
        ),
        (
            """select * from (select of_order, count(*) as n from lines group by of_order) as k
            join (select of_order, max(quantity) as m from lines group by of_order) as l
            on k.of_order = l.of_order""",
            3,
        ),
        (
            """select * from visits v
            join (select person, ward, count(*) as n from visits group by person, ward) as w
            on w.person = v.person and w.ward = v.ward""",
            2,
        ),
        (
            """select * from visits v
            join (select person, ward, count(*) as n from visits group by person, ward) as w
            on w.person = v.person""",
            4,
        ),
        (
            """select * from visits v
            join (select floor, count(*) as n from wards group by floor) as w
            on w.floor = v.cost""",
            2,
        ),
        (
            """select * from visits v
            join (select floor + 1 as f, count(*) as n from wards group by floor) as w
            on w.f = v.cost""",
            None,
        ),
        (
            """select * from visits v
            join (select ward, floor, count(*) as n from wards group by ward, floor) as w
            on w.floor = v.cost""",
            None,
        ),
        ("select * from visits v cross join (select max(floor) as top from wards) as w", 2),
    ],
)
def test_a_group_is_one_row_for_what_it_is_grouped_by(question: str, most: int | None) -> None:
    spread = Database(
        {
            **RICH.rows,
            "visits": [(1, "a", 1, 1), (1, "b", 1, 2)],
            "lines": [(10, 1), (11, 2), (12, 3)],
            "orders": [(10, 1, 1), (11, 1, 2), (12, 1, 3)],
            "customer": [(1, 1)],
        }
    )
    with opened(spread.world()) as (world,):
        frame = frame_of(world, question, BOUNDED)
        rows = rows_of(world, frame)
    assert frame.most == most
    if most is not None:
        assert max(Counter(row[0] for row in rows).values()) == most


def unchecked(*_: object, **__: object) -> None:
    """A check that lets everything through."""


def assert_caught(question: str, mode: Mode = PLAIN) -> None:
    """Some person's rows show what a planted bug did."""
    with opened(RICH.world(), *(RICH.without(person).world() for person in PEOPLE)) as worlds:
        world, *others = worlds
        with pytest.raises(AssertionError):
            assert_all_owned(world, others, question, mode)


def assert_all_owned(world: World, others: list[World], question: str, mode: Mode) -> None:
    for person, less in zip(PEOPLE, others, strict=True):
        assert_owned(world, less, question, person, mode)


def first_alone(right: Callable[[Frame], int | None]) -> Callable[[Frame], int | None]:
    def count(frame: Frame) -> int | None:
        alone = Frame(frame.bounds[:1])
        return right(alone)

    return count


def test_a_join_without_the_owners_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owning, "call", lambda *_: TRUE)
    monkeypatch.setattr(owning, "_check_connected", unchecked)
    assert_caught("select * from visits v join bills b on v.ward = b.ward")


def test_a_left_join_that_begins_in_public_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Frame, "outer", property(lambda _: set(), unchecked), raising=False)
    assert_caught("select * from wards w left join visits v on v.ward = w.ward")


def test_a_condition_on_other_peoples_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FrameScope, "_compare_owners", unchecked)
    assert_caught("select * from visits v where not exists (select 1 from bills where amount > 3)")


def test_a_group_of_several_people_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Groups._place_key

    def by_keys_alone(self: Groups, key: Value) -> None:
        owner = self._frame.owner
        assert owner is not None
        self._trees[owner] = (OWNER, call(Op.LOWEST, owner))
        self._by = [tree for tree in self._by if tree != owner]
        right(self, key)

    monkeypatch.setattr(Groups, "_check_owned", unchecked)
    monkeypatch.setattr(Groups, "_place_key", by_keys_alone)
    assert_caught("select * from (select ward, count(*) as n from visits group by ward) as t")


def test_a_product_that_forgets_a_table_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owning, "_most", first_alone(owning._most))
    assert_caught("select * from bills b join visits v on v.person = b.payer", BOUNDED)


def test_groups_that_are_told_apart_by_nothing_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subqueries, "_unique", lambda *_: frozenset())
    assert_caught(
        """select * from visits v join (select distinct person, ward from visits) as w
        on w.person = v.person""",
        BOUNDED,
    )


def test_relations_that_determine_each_other_and_count_for_nothing_are_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = owning._determined
    monkeypatch.setattr(
        owning, "_determined", lambda frame, bound, _: right(frame, bound, frame.private)
    )
    assert_caught(
        """select * from (select of_order, count(*) as n from lines group by of_order) as k
        join (select of_order, max(quantity) as m from lines group by of_order) as l
        on k.of_order = l.of_order""",
        BOUNDED,
    )


def test_a_union_that_counts_one_side_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = unions.united

    def one_sided(one: Bound, other: Bound, **rest: object) -> Bound:
        return replace(right(one, other, **rest), most=one.most)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "united", one_sided)
    assert_caught(
        "select * from (select * from visits union all select * from visits) as t", BOUNDED
    )


def test_a_number_of_groups_that_forgets_null_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    question = "select * from (select distinct person, ward from visits) as t"
    wards = Database({**RICH.rows, "visits": [(1, ward, 1, 1) for ward in ("a", "b", "c", None)]})
    with opened(wards.world(), wards.without(1).world()) as (world, less):
        frame = assert_owned(world, less, question, 1, PLAIN)
        assert frame.most == 4
        monkeypatch.setattr(Groups, "most", property(lambda _: 3))
        with pytest.raises(AssertionError):
            assert_owned(world, less, question, 1, PLAIN)
