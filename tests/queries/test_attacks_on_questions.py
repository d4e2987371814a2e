"""What hostile analysts try, by the numbers of the attack list: each is refused, or harmless."""

from collections.abc import Iterator

import pyarrow as pa
import pytest
from tests.queries.asked_texts import listed
from tests.queries.hospital import RICH
from tests.queries.reading import Facts, facts
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
from differential_privacy.queries import grouping, reader, subqueries, unions
from differential_privacy.queries.relations import Mode
from differential_privacy.queries.values import Text
from differential_privacy.sources import Bounds, Column, Table
from differential_privacy.sources.writing import Writer

__all__ = ["facts"]


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    opened_ = RICH.world()
    yield opened_
    opened_.close()


def refused(world: World, question: str, mode: Mode = PLAIN) -> bool:
    try:
        frame_of(world, question, mode)
    except QuestionError:
        return True
    return False


# 7. NaN, infinities, -0.0 and what no column can hold.


def test_no_float_and_nothing_else_strange_comes_out_of_any_column(facts: Facts) -> None:
    for row in facts.rows.values():
        assert {type(cell) for cell in row.values()} <= {int, str, bool, type(None)}


@pytest.mark.parametrize(
    "text", ["n = n", "n - n = 0", "n <> n", "n is null", "m > m", "-n + n = 0"]
)
def test_what_is_not_equal_to_itself_cannot_be_told_from_null(text: str, facts: Facts) -> None:
    facts.assert_kept(text)
    column = "m" if "m" in text else "n"
    for number, told in facts.told(facts.value(text)).items():
        known = facts.told(facts.value(f"{column} is not null"))[number]
        assert (told is not None) == (known or "is null" in text)


# 9. Errors that depend on a row.


@pytest.mark.parametrize(
    "bomb",
    [
        "1 / (i - 3)",
        "1 // (i - 3)",
        "1 % (i - 3)",
        "sqrt(i - 3)",
        "cast(u as int)",
        "cast(u as date)",
        "cast(w as timestamp)",
        "date_trunc('month', e + interval 9999999 day)",
        "extract(year from e - 9999999)",
        "substring(u, 1, 1000000000)",
        "u like '%\\'",
        "u like '[a-z'",
        "width_bucket(n, 0, 1, 1000)",
        "j // -1",
        "abs(j) * sign(j)",
    ],
)
def test_a_row_cannot_make_an_expression_fail(bomb: str, facts: Facts) -> None:
    facts.assert_kept(bomb)
    facts.assert_kept(f"case when i = 3 then {bomb} end")
    facts.assert_kept(f"case when i <> 3 then {bomb} end")


# 3, 9. Whole numbers that pass what an engine holds: an error that a row decides about.

OVERFLOWS = """
select x * 2000000000 as y from (select 2000000000 as x, cost from visits) as t
select case when cost > 2 then x else 0 end * 2000000000 as y
  from (select 2 as x, cost from visits) as t
select case when cost > 2 then x else y end * 2000000000 as z
  from (select 7 // 2 as x, 0 as y, cost from visits) as t
select x * 2000000000 as y from (select person, min(2000000000) as x from visits group by person)
select x * 2000000000 as y from (select person, 2000000000 as x from visits group by person, x)
select x * 2000000000 as y
  from (select person, 2 as x from visits union all select payer, 2000000000 from bills) as t
select abs(x) * 2000000000 as y from (select -2000000000 as x from visits) as t
"""


@pytest.mark.parametrize("subquery", listed(OVERFLOWS))
def test_a_constant_has_64_bits_wherever_it_stands(subquery: str, world: World) -> None:
    frame = frame_of(world, f"select * from ({subquery}) as q")
    values = values_of(frame)
    rows = rows_of(world, frame)
    assert rows
    for row in rows:
        for value, cell in zip(values, row[1:], strict=True):
            assert_promised(value, cell, about=subquery)


def test_a_constant_that_an_engine_gives_32_bits_is_caught(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (subqueries, unions, grouping):
        monkeypatch.setattr(module, "as_column", lambda value: value.tree)
    monkeypatch.setattr(Writer, "_column", Writer.tree)
    frame = frame_of(world, f"select * from ({listed(OVERFLOWS)[0]}) as q")
    with pytest.raises(Exception, match="could not be read"):
        rows_of(world, frame)


@pytest.mark.parametrize("text", ["j + j", "j * 2", "j * j", "n * 1e17", "power(j, 2)", "j - -j"])
def test_what_could_pass_2_to_the_62_is_refused(text: str, facts: Facts) -> None:
    with pytest.raises(QuestionError, match="narrow what goes into it"):
        facts.value(text)


def test_a_sum_of_the_widest_numbers_is_held_between_its_ends() -> None:
    column = pa.array([2**63 - 1] * 9 + [-(2**63)] * 20, pa.int64())
    rows = pa.table({"person": [1] * 9 + [2] * 20, "x": column})
    columns = (Column("person", "integer"), Column("x", "integer"))
    table = Table("wide", rows, columns, owner="person", bounds=(Bounds(rows=4),))
    question = "select * from (select person, sum(x) as s, count(*) as n from wide group by 1) as t"
    with opened(World(table)) as (world,):
        frame = frame_of(world, question, PLAIN)
        told = rows_of(world, frame)
        assert [row[2] for row in told] == [2**62, -(2**62)]
        for row in told:
            for value, cell in zip(values_of(frame), row[1:], strict=True):
                assert_promised(value, cell, about=question)
        assert refused(world, question, BOUNDED)


# 10. Texts, trees and queries that grow without limit.


def doubling(times: int, first: str, next_: str) -> str:
    """A chain of shared queries, each of which names the one before twice."""
    queries = [f"q0 as ({first})"]
    queries += [f"q{n} as ({next_.format(n - 1)})" for n in range(1, times)]
    return f"with {', '.join(queries)} select * from q{times - 1}"


@pytest.mark.parametrize(
    "question",
    [
        doubling(
            60, "select person from visits", "select * from q{0} union all select * from q{0}"
        ),
        doubling(
            60,
            "select person from visits",
            "select a.person from q{0} a join q{0} b using (person)",
        ),
        doubling(70, "select person from visits", "select person from q{0}"),
        "select * from visits where " + "abs(" * 15 + "cost" + ")" * 15 + " > 1",
        "select * from visits where " + "sqrt(" * 15 + "cost" + ")" * 15 + " > 1",
        "select * from visits where " + "1 / (" * 15 + "cost" + ")" * 15 + " > 1",
        "select * from visits where least(" + ", ".join(["cost"] * 12) + ") > 1",
    ],
    ids=lambda text: text[:40],
)
def test_what_grows_without_limit_is_refused(question: str, world: World) -> None:
    assert refused(world, question)


def test_a_text_joined_with_itself_again_and_again_is_refused(world: World) -> None:
    first = "select ward || ward as w, person from visits"
    assert not refused(world, doubling(4, first, "select w || w as w, person from q{0}"))
    assert refused(world, doubling(5, first, "select w || w as w, person from q{0}"))


def test_many_constants_are_no_growth(world: World) -> None:
    many = ", ".join(map(str, range(2_500)))
    assert not refused(world, f"select * from visits where cost in ({many})")


def test_a_limit_on_relations_is_what_stops_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = doubling(
        8, "select person from visits", "select * from q{0} union all select * from q{0}"
    )
    assert refused(world, chain)
    monkeypatch.setattr(reader, "MOST_RELATIONS", 10_000)
    assert not refused(world, chain)


# 12, 13. Functions with effects, and functions that look at other rows: see `refused_texts`.


# 14. Renaming the person, or giving the name to something else.


STILL_THE_PERSON = """
select * from (select person as who from visits) v join bills b on who = payer
select * from (select (person) as who from visits) v join bills b on v.who = b.payer
select * from (select p, count(*) n from (select person p from visits) v group by p) as t
"""

NO_LONGER_THE_PERSON = """
select * from (select cost as person from visits) v join bills b on person = payer
select * from (select 1 as person from visits) v join bills b on person = payer
select * from (select person + 1 as person from visits) v join bills b on person = payer
select * from (select -(-person) as p from visits) v join bills b on p = payer
select * from (select coalesce(person, 1) as p from visits) v join bills b on p = payer
select * from (select max(person) as p from visits group by person) v join bills on p = payer
select * from (select cost as p, count(*) as n from visits group by p) as t
select * from (select person // 2 as person, count(*) as n from visits group by 1) as t
select * from (select ward as person, count(*) as n from visits group by person) as t
"""


@pytest.mark.parametrize("question", listed(STILL_THE_PERSON))
def test_a_person_by_another_name_is_the_person(question: str, world: World) -> None:
    assert not refused(world, question)


@pytest.mark.parametrize("question", listed(NO_LONGER_THE_PERSON))
def test_what_is_only_named_so_is_no_person(question: str, world: World) -> None:
    assert refused(world, question)


# 18. Rows that multiply: see `test_every_row_has_one_owner`.


# Names that are ours, or look like others'.


@pytest.mark.parametrize("name", ["_owner", "_hash", "_rank", "_row", "rowid", "raw", "r0._owner"])
@pytest.mark.parametrize("mode", [PLAIN, BOUNDED, HASHED], ids=["plain", "bounded", "hashed"])
def test_what_is_ours_has_no_name(name: str, mode: Mode, world: World) -> None:
    assert refused(world, f"select * from visits where {name} = 1", mode)


@pytest.mark.parametrize("name", ["v\u0131sits", "vi\u200bsits", "\u0475isits", "visits\u0301"])
def test_a_table_that_looks_like_another_is_not_it(name: str, world: World) -> None:
    assert refused(world, f'select * from "{name}"')


# Private texts stay in the engine.


def test_no_value_of_a_private_column_is_listed_but_as_declared(facts: Facts) -> None:
    kind = facts.value("u || t").type
    assert isinstance(kind, Text)
    assert kind.values is None
    assert facts.value("upper(t)").values == ("A", "B", "AB%_", "😀", "")
