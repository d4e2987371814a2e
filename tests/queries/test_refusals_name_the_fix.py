"""A refusal names what was written and what would be accepted, says that nothing was spent, and
depends on public facts alone.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.queries.asked_texts import REFUSED, listed
from tests.queries.asking import questions
from tests.queries.hospital import PEOPLE, RICH, Database, databases
from tests.queries.reading import Facts, facts
from tests.queries.worlds import World, frame_of, opened

from differential_privacy.errors import QuestionError
from differential_privacy.queries.parsing import parsed_question

__all__ = ["facts"]

SAID = [
    ("select agee from visits where agee > 1", "agee: is no column here: did you mean age?"),
    ("select * from visits v where v.agee > 1", "v.agee: is no column here: did you mean age?"),
    ("select * from visits where price > 1", "price: is no column here, which has person, ward,"),
    ("select * from visits v where w.age > 1", "w: is no table here, which has v"),
    ("select * from visit", "visit: is no table of this policy, which has: bills, customer,"),
    ("select * from visit", "; try: visits"),
    ("select * from visits v join bills b on v.ward = b.ward", "; try: ON v.person = b.payer"),
    ("select * from lines l join customer on true", "; try: ON l.of_order = orders.orderkey AND"),
    (
        "select * from wards w left join visits v using (ward)",
        "; try: FROM visits AS v LEFT JOIN wards AS w ON ...",
    ),
    (
        "select * from (select ward, avg(cost) from visits v group by ward) as t",
        "AVG(cost): mixes rows of several people inside of a subquery: group by the person",
    ),
    (
        "select * from visits v where exists (select 1 from bills b where b.ward = v.ward)",
        "; try: WHERE v.person = b.payer",
    ),
    ("select * from (select * from visits limit 3) as t", "; try: LIMIT at the very end"),
    ("select * from visits full outer join bills on true", "FULL OUTER JOIN: is not offered"),
    ("select * from visits where ward = 'a' and sum(cost) > 1", "SUM(cost): an aggregate stands"),
    ("select * from visits where avrage(cost) > 1", "AVRAGE(...): is no function"),
    ("select * from visits where cost > 'a'", "cost > 'a': cannot join an integer and a text"),
    ("select * from visits where ward > 'a'", "ward > 'a': is of numbers and moments"),
    ("select * from visits where ward + 1 > 2", "ward + 1: needs numbers, not texts or truths"),
    ("select * from visits where cost", "cost: must be true or false; try: x <> 0"),
    ("select * from visits where round(cost, age) > 1", "ROUND: needs a constant whole number"),
    ("select * from visits where power(cost, 0.5) > 1", "; try: POWER(x, 2)"),
    ("select * from visits where clamp(cost, 9, 0) > 1", "; try: CLAMP(x, 0, 100)"),
    ("select * from visits where cost * 1e18 * 1e18 > 1", "could pass 2^62 steps here: narrow"),
    ("select * from visits where cost in (select amount from bills)", "; try: WHERE"),
    ("select * from visits where cost > (select 1 from bills)", "as a value would read other"),
    ("select * from visits where cost > (select 1 from wards)", "; try: SELECT MAX(x) FROM ..."),
]


@pytest.mark.parametrize(("question", "said"), SAID)
def test_a_refusal_names_the_part_and_the_fix(question: str, said: str) -> None:
    with opened(RICH.world()) as (world,), pytest.raises(QuestionError, match=re.escape(said)):
        frame_of(world, question)


@pytest.mark.parametrize(
    ("refused", "accepted"),
    [
        (
            "select * from visits v join bills b on v.ward = b.ward",
            "select * from visits v join bills b ON v.person = b.payer",
        ),
        (
            "select * from lines join orders on quantity = total",
            "select * from lines join orders ON lines.of_order = orders.orderkey",
        ),
        (
            "select * from lines join customer on true",
            """select * from lines JOIN orders join customer
            ON lines.of_order = orders.orderkey AND customer.custkey = orders.buyer""",
        ),
        (
            "select * from wards w left join visits v using (ward)",
            "select * FROM visits AS v LEFT JOIN wards AS w ON v.ward = w.ward",
        ),
        (
            "select * from survey join zips on income = zip",
            "select * from survey WHERE EXISTS (SELECT 1 FROM zips WHERE income = zip)",
        ),
        (
            "select * from (select ward, count(*) as n from visits group by ward) as t",
            "select * from (select ward, count(*) as n from visits GROUP BY visits.person, ward)",
        ),
        (
            "select * from (select quantity, count(*) as n from lines group by quantity) as t",
            "select * from (select count(*) as n from lines GROUP BY lines.of_order, quantity)",
        ),
        (
            "select * from visits v where cost in (select amount from bills)",
            """select * from visits v
            where cost in (select amount from bills WHERE v.person = bills.payer)""",
        ),
        (
            "select * from (select person from visits union select payer from bills) as t",
            "select * from (select person from visits UNION ALL select payer from bills) as t",
        ),
    ],
)
def test_what_is_proposed_is_accepted(refused: str, accepted: str) -> None:
    with opened(RICH.world()) as (world,):
        with pytest.raises(QuestionError) as found:
            frame_of(world, refused)
        for part in re.split(r"\.\.\.|, after ", found.value.instead or ""):
            assert part.strip() in accepted
        frame_of(world, accepted)


def complaint(world: World, question: str) -> str | None:
    try:
        frame_of(world, question)
    except QuestionError as error:
        return str(error)
    return None


@given(databases(), questions(), st.sampled_from(PEOPLE))
def test_whether_and_how_a_question_is_refused_tells_nothing_of_a_person(
    data: Database, question: str, person: int
) -> None:
    with opened(data.world(), data.without(person).world()) as (world, less):
        told = complaint(world, question)
        assert told == complaint(less, question)
        assert told is None or told.endswith("(nothing was spent)")


@pytest.mark.parametrize("question", listed(REFUSED))
def test_a_refusal_of_ownership_says_that_nothing_was_spent(question: str) -> None:
    with opened(RICH.world()) as (world,):
        said = complaint(world, question)
    assert said is not None
    assert said.endswith("(nothing was spent)")
    assert "r0" not in said
    assert "_owner" not in said


FUNCTIONS = """
now()
mean(i)
log(i)
i + 'a'
i + d
d + i
d + interval 1 month
d + interval '1.5' day
d + interval 9999999999 day
interval 3 day
cast(i as date)
cast(t as interval)
cast(i as int[])
n::decimal(50, 49)
sqrt(t)
power(i, i)
clamp(i, 1)
clamp(d, 1, 2)
bin(i, 0)
width_bucket(i, 9, 0, 3)
width_bucket(i, 1)
substring(t, 0, 1)
left(t, -1)
length(i)
t like v
t like 'a' escape 'ab'
t like 'a!' escape '!'
1e99999
0.0000000000000000000000000000000000000000001
n * 1e-30 * 1e-30
j * j
date_trunc('hour', d)
date_trunc('century', d)
extract(epoch from d)
hour(d)
year(c)
date_diff('day', d, s)
date_diff('fortnight', d, e)
date_diff('day', c, c)
date '2024-13-01'
d > 'yesterday'
c + interval 1 hour
round(i, 99)
coalesce(i, 'a')
greatest(t, u)
i in ('a')
i is 5
case when i then 1 end
case when b then 1 else 'a' end
not i
i and b
count(*)
sum(i) + 1
t.*
(select 1 from facts)
exists (select 1 from facts)
"""


@pytest.mark.parametrize("text", FUNCTIONS.strip().split("\n"))
def test_an_expression_is_refused_with_a_reason(text: str, facts: Facts) -> None:
    with pytest.raises(QuestionError, match=r": .+ \(nothing was spent\)$"):
        facts.value(text)


def test_a_long_question_is_shown_by_its_beginning() -> None:
    with pytest.raises(QuestionError) as found:
        parsed_question(f"select random({', '.join(['x'] * 500)}) from t")
    assert len(str(found.value)) < 300
