"""Names: tables and columns in any case, WITH and its shadows, USING, aliases, places."""

from collections.abc import Iterator

import pytest
from tests.queries.hospital import RICH, Database
from tests.queries.worlds import HASHED, World, frame_of, rows_of, values_of

from differential_privacy.errors import QuestionError
from differential_privacy.queries.parsing import parsed_question, written_sql
from differential_privacy.queries.subqueries import column_names, group_nodes
from differential_privacy.queries.values import Whole
from differential_privacy.sources import OWNER
from differential_privacy.sources.trees import Name


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    opened = RICH.world()
    yield opened
    opened.close()


def rows(world: World, question: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in rows_of(world, frame_of(world, question))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select * from VISITS", "select * from visits"),
        ('select * from "Visits" as "V" where v.COST > 1', "select * from visits where cost > 1"),
        ("from visits", "select * from visits"),
        (
            "select * from visits join wards using (ward)",
            "select * from visits v join wards w on v.ward = w.ward",
        ),
        (
            "with v as (select person, cost from visits) select * from v",
            "select * from (select person, cost from visits) as v",
        ),
        (
            "with v(a, b) as (select person, cost from visits) select * from v where b > 1",
            "select * from (select person, cost from visits where cost > 1) as v",
        ),
        (
            "select * from visits as v(a, b, c, d) where c > 1",
            "select * from visits where cost > 1",
        ),
        # A name of WITH hides a table, and not from its own text.
        (
            "with visits as (select person from visits where cost > 1) select * from visits",
            "select * from (select person from visits where cost > 1) as v",
        ),
        # A query keeps the names that it was written with, whatever is named so where it is used.
        (
            """with a as (select person from visits), b as (select * from a)
            select * from (with a as (select custkey from customer) select * from b) as c""",
            "select * from (select person from visits) as c",
        ),
        # An inner name hides an outer one.
        (
            """with a as (select custkey from customer)
            select * from (with a as (select person from visits) select * from a) as c""",
            "select * from (select person from visits) as c",
        ),
        (
            "select * from (select person, count(*) as n from visits group by 1) as t",
            "select * from (select person, count(*) as n from visits group by person) as t",
        ),
        (
            "select * from (select person as p, count(*) as n from visits group by P) as t",
            "select * from (select v.person as p, count(*) as n from visits v group by person) t",
        ),
        (
            "select * from (select person, ward, count(*) as n from visits group by all) as t",
            "select * from (select person, ward, count(*) as n from visits group by 1, 2) as t",
        ),
        (
            "select * from (select distinct person, ward from visits) as t",
            "select * from (select person, ward from visits group by person, ward) as t",
        ),
        # Case matters in texts alone.
        (
            """select * from (select person, count(case when ward = 'a' then 1 end) as x,
            count(CASE WHEN ward = 'A' THEN 1 END) as y from visits group by person) as t""",
            """select * from (select person, count(case when ward = 'a' then 1 end) as x, 0 as y
            from visits group by person) as t""",
        ),
        (
            "select * from visits v where exists (select 1 from bills v where v.payer = person)",
            "select * from visits w where exists (select 1 from bills v where v.payer = w.person)",
        ),
        (
            "select t.* from (select person from visits) as t",
            "select * from (select person from visits) as t",
        ),
    ],
)
def test_two_ways_to_write_the_same(one: str, other: str, world: World) -> None:
    assert rows(world, one) == rows(world, other)
    assert rows(world, one)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("select * from visits v, visits v", "stands twice in FROM"),
        ("select * from visits, VISITS", "stands twice in FROM"),
        ("with a as (from visits), A as (from bills) select * from a", "stands twice in WITH"),
        ("select * from visits v join bills b on v.person = b.payer where ward = 'a'", "several"),
        ("select * from visits v where visits.cost > 1", "is no table here"),
        ("select * from visits v where v.price > 1", "is no column here"),
        ("select * from visits where nothing.cost > 1", "is no table here"),
        ("with a as (select * from b), b as (select * from visits) select * from a", "no table of"),
        ("select * from (select person as p from visits) as t where person = 1", "is no column"),
        ("select * from visits as v(a, b)", "each of its 4 columns once"),
        ("select * from visits as v(a, a, b, c)", "each of its 4 columns once"),
        ("select * from visits join bills using (cost)", "one column of each side"),
        (
            "select * from visits v where exists (select 1 from bills v where v.cost = 1)",
            "no column",
        ),
        ("select * from (select person, cost, count(*) from visits group by 1) as t", "GROUP BY"),
        ("select * from (select person, count(*) from visits group by 3) as t", "the place of"),
        ("select * from (select person, count(*) from visits group by 2) as t", "an aggregate"),
        ("select * from (select person, _place_1, count(*) from visits group by 1) t", "no column"),
        ("select * from (select person, count(count(*)) from visits group by 1) as t", "aggregate"),
    ],
)
def test_a_name_that_means_nothing_or_two_things_is_refused(
    question: str, said: str, world: World
) -> None:
    with pytest.raises(QuestionError, match=said):
        frame_of(world, question)


@pytest.mark.parametrize("name", ["_owner", "_hash", "_rank", "c0", "k1", "a2", "t", 'x"; --'])
@pytest.mark.parametrize(
    "subquery",
    [
        "select 5 as {0}, person from visits",
        "select person, 5 as {0}, count(*) as n from visits group by person",
        "select person, 5 as {0} from visits union all select payer, 5 as {0} from bills",
    ],
)
def test_no_name_is_taken_for_an_owners_or_a_hashs(name: str, subquery: str, world: World) -> None:
    """What an analyst names a column stays with us: the engine knows it by its place."""
    quoted = '"' + name.replace('"', '""') + '"'
    frame = frame_of(world, f"select * from ({subquery.format(quoted)}) as t", HASHED)
    value = frame.bounds[0].columns[name]
    assert isinstance(value.type, Whole)
    assert (value.type.low, value.type.high) == (5, 5)
    told = world.run(frame.select([(OWNER, frame.bounds[0].owner), ("x", value.tree)]))
    assert {cell for _, cell in told} == {5}
    assert {person for person, _ in told} <= {1, 2, 3}
    assert value.tree == Name(
        frame.bounds[0].alias, f"c{list(frame.bounds[0].columns).index(name)}"
    )


def test_columns_are_called_as_they_are_written_and_each_once() -> None:
    root = parsed_question(
        "select x, X, avg(cost), count(*), sum(t.y) filter (where z), 1 + 1 from t"
    )
    assert column_names(root.expressions) == ["x", "X_", "avg_cost", "count", "sum_y", "column_6"]


def test_group_by_takes_the_column_that_a_name_or_place_stands_for() -> None:
    root = parsed_question("select ward as w, cost // 10 as c, count(*) from t group by W, 2, age")
    assert [written_sql(node) for node in group_nodes(root, root.expressions)] == [
        "ward",
        "cost // 10",
        "age",
    ]


def test_names_of_the_world_are_told_as_the_policy_writes_them(world: World) -> None:
    names = [set(bound.columns) for bound in frame_of(world, "select * from visits").bounds]
    assert names == [{"person", "ward", "cost", "age"}]
    assert len(values_of(frame_of(world, "select cost from visits"))) == 1


def test_an_empty_table_is_a_table() -> None:
    empty = Database({name: [] for name in RICH.rows})
    opened = empty.world()
    assert rows(opened, "select * from visits join wards using (ward)") == []
    opened.close()
