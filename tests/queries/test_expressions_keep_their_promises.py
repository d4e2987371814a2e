"""An expression is total, in its declared range, NULL only where it may be: on every row.

The engine and `evaluated` agree on each row of a table of nasty values.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import event, given
from tests.queries import growing
from tests.queries.reading import Facts, facts

from differential_privacy.errors import QuestionError
from differential_privacy.queries import arithmetic, choices, comparisons
from differential_privacy.queries.values import Text, Value, Whole
from differential_privacy.sources.duck_spelling import WRITER
from differential_privacy.sources.trees import Op

__all__ = ["facts"]

TRICKY = """
i
j
-j
abs(j)
j % 7
j // -2
j / 10
j * 1
sign(j)
i // k
i % k
i / k
k / i
n / n
n / 0
n / 0.3
i // 0
i % 0
sqrt(i)
sqrt(n)
sqrt(n * n)
power(i, 2)
power(n, 3)
power(i - 3, 8)
round(n)
round(n, 1)
round(r, 2)
round(clamp(j, -9000, 9000), -3)
round(-n, 0)
floor(n / 7)
ceil(-n)
bin(n, 0.3)
bin(r, 0.5)
clamp(n, 0.004, 0.006)
clamp(j, -5, 5)
clamp(i, 100, 200)
clamp(d, '2024-01-05', '2024-01-09')
width_bucket(n, -1, 1, 7)
width_bucket(j, 0, 1000, 10)
least(i, n, k)
greatest(i, null, k)
greatest(i, j)
i in (1, 2.5, null)
n in (0.5, 0.005, 3)
i between n and k
n = 0.005
n < 0.0049
n >= 49.99999
r = 0.333
i is distinct from n
case when b then i when y then n end
case i when 1 then 10 when 3 then 30 else 1000 end
case when i > 3 then 'high' when i is null then t else 'low' end
coalesce(i, k, 7)
coalesce(n, i, 0)
nullif(k, 0)
cast(b as int)
cast(n as int)
cast(n as decimal(9, 1))
cast(i as text)
cast(round(n, -1) as text)
try_cast(w as int)
try_cast(w as double)
try_cast(w as date)
try_cast(w as timestamp)
try_cast(w as time)
try_cast(w as boolean)
try_cast(u as int)
length(u)
length(t)
upper(t)
lower(v)
trim(u)
u || '-' || t
concat(t, v)
left(t, 1)
substring(u, 2, 1)
u like '%\\%'
u ilike 'É%'
u not like '_'
u like 'a!_%' escape '!'
contains(u, '%')
starts_with(t, '')
ends_with(u, '\\')
year(e)
month(e)
quarter(e)
day(e)
dayofweek(e)
isodow(e)
dayofyear(e)
hour(z)
minute(z)
second(z)
hour(c)
second(c)
date_trunc('week', e)
date_trunc('month', e)
date_trunc('quarter', d)
date_trunc('year', z)
date_trunc('hour', s)
date_trunc('minute', z)
date_trunc('day', s)
e + interval 400000 day
e - 800000
z + interval '9999999' week
z - interval 1 second
date_diff('day', d, e)
date_diff('month', d, e)
date_diff('week', s, z)
date_diff('hour', s, z)
d - e
cast(e as timestamp)
cast(z as date)
cast(null as int)
null
starts_with(nullif(nullif('a', 'a'), t), 'b')
upper(case when b then null else t end || t)
case when b then nullif('a', 'a') end || 'b'
not b
b and null
b or null
b is not true
y and b or not y
"""


@pytest.mark.parametrize("text", TRICKY.strip().split("\n"))
def test_what_is_tricky_keeps_its_promises(text: str, facts: Facts) -> None:
    facts.assert_kept(text)


@given(growing.expressions(3))
def test_whatever_is_written_keeps_its_promises(facts: Facts, text: str) -> None:
    try:
        value = facts.value(text)
    except QuestionError as error:
        event(error.rule[:30])
        return
    facts.assert_kept(text, value)


@given(growing.truths(2))
def test_every_row_is_in_one_of_three_parts(facts: Facts, text: str) -> None:
    """A condition, its negation, and where it is NULL: no row is in two, or in none."""
    try:
        told = [facts.told(facts.value(f"{text} is {part}")) for part in ("true", "false", "null")]
    except QuestionError:
        return
    for number in facts.rows:
        assert [part[number] for part in told].count(True) == 1


def test_most_of_what_is_grown_is_accepted(facts: Facts) -> None:
    read: list[bool] = []

    @given(growing.expressions(2))
    def grow(text: str) -> None:
        try:
            facts.value(text)
        except QuestionError:
            read.append(False)
        else:
            read.append(True)

    grow()
    assert sum(read) > 0.8 * len(read)


def narrowed(value: Value) -> Value:
    kind = value.type
    assert isinstance(kind, Whole)
    return replace(value, type=replace(kind, high=max(kind.low, kind.high - 1)))


def never_null(value: Value) -> Value:
    return replace(value, type=replace(value.type, nullable=False))


def without_last(value: Value) -> Value:
    kind = value.type
    assert isinstance(kind, Text)
    assert kind.values is not None
    return replace(value, type=replace(kind, values=kind.values[:-1]))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("i + k", narrowed),
        ("i - k", narrowed),
        ("i * k", narrowed),
        ("i // 2", narrowed),
        ("i % 4", narrowed),
        ("abs(i)", narrowed),
        ("round(n)", narrowed),
        ("power(k, 2)", narrowed),
        ("least(i, k)", narrowed),
        ("coalesce(i, 0)", narrowed),
        ("cast(b as int)", narrowed),
        ("year(d)", narrowed),
        ("date_trunc('month', d)", narrowed),
        ("case when b then i else k end", narrowed),
        ("i + k", never_null),
        ("i // k", never_null),
        ("i = 1", never_null),
        ("case when y then 1 end", never_null),
        ("nullif(k, 0)", never_null),
        ("upper(t)", never_null),
        ("sqrt(i)", never_null),
        ("cast(t as date)", never_null),
        ("b and y", never_null),
        ("upper(v)", without_last),
        ("case when y then 'yes' else 'no' end", without_last),
    ],
)
def test_an_end_one_off_or_a_null_unsaid_is_caught(
    text: str, change: Callable[[Value], Value], facts: Facts
) -> None:
    facts.assert_kept(text)
    with pytest.raises(AssertionError):
        facts.assert_kept(text, change(facts.value(text)))


def assert_caught(facts: Facts, text: str) -> None:
    with pytest.raises(AssertionError):
        facts.assert_kept(text)


def test_a_sum_whose_range_forgets_a_side_is_caught(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = arithmetic.added

    def forgetful(one: Value, other: Value) -> Value:
        return replace(right(one, other), type=one.type)

    monkeypatch.setattr(arithmetic, "added", forgetful)
    assert_caught(facts, "i + k")


def test_a_choice_that_leaves_out_a_branch_is_caught(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = choices.covering
    monkeypatch.setattr(choices, "covering", lambda values: right(values[:1]))
    monkeypatch.setattr(choices, "listed_values", lambda _: None)
    assert_caught(facts, "case when y then 1 else i end")


def test_a_list_of_values_that_leaves_out_a_branch_is_caught(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = choices.listed_values
    monkeypatch.setattr(choices, "listed_values", lambda values: right(values[:1]))
    assert_caught(facts, "case when y then 1 when b then 1000 else 5 end")


def test_a_comparison_that_forgets_null_is_caught(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_null_is_unknown(facts)
    monkeypatch.setattr(comparisons, "_unless_null", lambda _, answer: answer)
    with pytest.raises(AssertionError):
        assert_null_is_unknown(facts)


def assert_null_is_unknown(facts: Facts) -> None:
    unknown = facts.told(facts.value("(i < 1000) is null"))
    assert unknown == facts.told(facts.value("i is null"))


@pytest.mark.parametrize(
    ("op", "spelled", "text"),
    [
        (Op.QUOTIENT, "CAST(FLOOR({} / NULLIF({}, 0)) AS BIGINT)", "i // 2"),
        (Op.REMAINDER, "(({0} % {1} + {1}) % {1})", "i % 3"),
        (Op.LOWER, "LOWER({})", "lower(u)"),
        (Op.LIKE, "({} LIKE {})", "contains(u, '%')"),
        (Op.SAME, "({} = {})", "i is distinct from k"),
        (Op.LENGTH, "STRLEN({})", "length(u)"),
    ],
)
def test_an_engine_that_spells_an_operation_otherwise_is_caught(
    op: Op, spelled: str, text: str, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts.assert_kept(text)
    monkeypatch.setitem(WRITER._spelled, op, spelled)
    assert_caught(facts, text)
