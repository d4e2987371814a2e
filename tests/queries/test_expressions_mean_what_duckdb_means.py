"""An analyst's expression is what DuckDB says that it is, where DuckDB says anything at all.

DuckDB reads the text itself here, over a copy of `facts` in its own types. Where it raises, we have
NULL; quotients and roots are told to their step; case is that of ASCII.
"""

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
from sqlglot import expressions as sql
from tests.queries.facts import COLUMNS
from tests.queries.reading import Facts, facts

from differential_privacy.queries import operators
from differential_privacy.queries.comparisons import negation
from differential_privacy.queries.values import Truth, Type, Value, Whole
from differential_privacy.sources import Cell, Column, Kind
from differential_privacy.sources.trees import Op, call, when

__all__ = ["facts"]

TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DECIMAL(18, 2)",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.TEXT: "VARCHAR",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIME: "TIME",
}
COPIED = [column for column in COLUMNS if column.name not in ("m", "r")]
EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps here have no zone

SAME = """
i + k
i - n
i * n
i // 2
j % 7
-i
+i
- n
abs(i)
@i
sign(n)
power(i, 2)
i ** 3
i ^ 2
pow(i, 2)
round(n)
round(n, 1)
round(i, -1)
round(-2.5)
round(2.5)
floor(n)
ceil(n)
ceiling(n)
floor(n / 2)
cast(n as int)
n::int
n::bigint
n::decimal(9, 1)
n::decimal(9)
n::decimal
i::text
i::varchar
b::int
least(i, k)
greatest(i, n, 3)
i between 1 and n
i not between 1 and 3
i in (1, 2, null)
i not in (1, 2)
i not in (1, null)
n in (0.5, 2.5)
n = 2.5
n == 2.5
n < 2.505
n >= 2.505
2.505 > n
i = 2.5
i <> 2.5
i != 3
mod(i, 3)
t = 'a'
t in ('a', 'b')
t <> u
t like 'a%'
u like '%\\%'
u like '_'
u ~~ 'a%'
u not like 'a%'
u ilike 'A%'
u like 'a!_b' escape '!'
contains(u, '%')
starts_with(u, 'a')
u ^@ 'a'
ends_with(u, 'b')
upper(t)
ucase(v)
lower(v)
lcase(v)
trim(u)
length(u)
len(u)
char_length(u)
left(u, 2)
substring(u, 2, 3)
substring(u from 2 for 3)
substr(u, 2)
concat(u, t)
concat(u, null, 'x')
u || t
u || 'x'
d + 3
d - 3
d - e
d - date '2024-01-01'
d + interval 3 day
d + interval '3 days'
d + interval 2 week
interval 1 day + d
date_add(d, interval 2 day)
s + interval 5 hour
z - interval 3 second
e > '2000-01-01'
d = '2024-01-01'
d between '2024-01-01' and '2024-02-01'
s > '2024-01-01'
s >= timestamp '2024-01-01 00:00:00'
year(e)
quarter(e)
month(e)
day(e)
dayofmonth(e)
dayofweek(e)
isodow(e)
dayofyear(e)
extract(year from e)
extract('dow' from e)
extract(isodow from e)
extract(doy from e)
date_part('year', e)
datepart('month', e)
hour(z)
minute(z)
hour(c)
second(c)
date_trunc('day', z)
date_trunc('week', e)
date_trunc('month', e)
date_trunc('quarter', e)
date_trunc('year', z)
date_trunc('hour', z)
date_trunc('minute', z)
date_diff('day', d, e)
date_diff('week', d, e)
date_diff('month', d, e)
date_diff('quarter', d, e)
date_diff('year', d, e)
datediff('day', s, z)
date_diff('second', s, z)
date_diff('hour', s, z)
date_diff('minute', s, z)
date_diff('week', s, z)
date_diff('month', s, z)
date_diff('hour', d, e)
cast(z as date)
cast(d as timestamp)
coalesce(i, k)
coalesce(i, n, 0)
ifnull(t, 'none')
nullif(i, 0)
nullif(t, 'a')
if(b, i, k)
case when b then i end
case when b then i else n end
case when b and not y then 1 when y then null else 2 end
case i when 1 then 'one' when 0 then 'zero' else 'many' end
case when i > 3 then d else '2024-01-01' end
b and y
b or y
not b
b is null
b isnull
b notnull
b is true
b is not true
b is false
b is not false
b is unknown
i is not null
i is distinct from k
t is not distinct from u
b = true
b <> y
null
null and b
null or b
i = null
1e3
.5
1_000
'a' || 'b'
(i + 1) * (k - 1)
i > 3 and n < 5 or b
1 - 2 - 3
2 * 3 % 4
7 // 2 * 2
-7 // 2
-7 % 3
date '2024-01-31' + interval 1 month
date '2024-03-31' - interval 1 month
timestamp '2024-01-31 10:00:00' + interval 1 year
date '1998-12-01' - interval '90' day
cast('2024-01-01' as date)
cast('5' as int) + i
"i" + "K"
I + K
"""

NEAR = """
n::double
n::real
i / 3
n / 7
n / -0.7
i / (k + 1)
n / (k * k + 1)
sqrt(k)
sqrt(abs(n))
sqrt(n * n)
"""


def decoded(kind: Type, cell: Cell) -> object:
    """What people call a cell."""
    if cell is None or not isinstance(kind, Whole):
        return cell
    return moment(kind.kind, int(cell) * kind.step)


def moment(kind: Kind, number: Fraction) -> object:
    if kind is Kind.DATE:
        return EPOCH + dt.timedelta(days=int(number))
    if kind is Kind.TIMESTAMP:
        return EPOCH + dt.timedelta(seconds=int(number))
    if kind is Kind.TIME:
        return (EPOCH + dt.timedelta(seconds=int(number))).time()
    return number


def plain(value: object) -> object:
    """What DuckDB tells, as we tell it: numbers exactly, dates as their midnights."""
    if isinstance(value, float | Decimal):
        return Fraction(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return dt.datetime.combine(value, dt.time())
    return value


def stored(column: Column, cell: Cell) -> object:
    if cell is None or column.kind in (Kind.BOOLEAN, Kind.TEXT, Kind.INTEGER):
        return cell
    if column.kind is Kind.NUMBER:
        return Decimal(int(cell)) / 100
    return moment(column.kind, Fraction(int(cell)))


@pytest.fixture(scope="module")
def copy(facts: Facts) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    kinds = ", ".join(f"{column.name} {TYPES[column.kind]}" for column in COPIED)
    connection.execute(f"CREATE TABLE facts({kinds})")
    for row in facts.rows.values():
        named = {name.column: cell for name, cell in row.items()}
        values = [stored(column, named[column.name]) for column in COPIED]
        connection.execute(f"INSERT INTO facts VALUES ({', '.join('?' * len(values))})", values)
    yield connection
    connection.close()


def both(
    text: str, facts: Facts, copy: duckdb.DuckDBPyConnection
) -> Iterator[tuple[object, object]]:
    value = facts.value(text)
    theirs = dict(copy.execute(f"SELECT id, ({text}) FROM facts").fetchall())
    for number, cell in facts.told(value).items():
        yield decoded(value.type, cell), plain(theirs[number])


def assert_same(text: str, facts: Facts, copy: duckdb.DuckDBPyConnection) -> None:
    for ours, theirs in both(text, facts, copy):
        assert ours == theirs, text


@pytest.mark.parametrize("text", SAME.strip().split("\n"))
def test_it_is_the_same(text: str, facts: Facts, copy: duckdb.DuckDBPyConnection) -> None:
    assert_same(text, facts, copy)


@pytest.mark.parametrize("text", NEAR.strip().split("\n"))
def test_quotients_and_roots_are_within_their_step(
    text: str, facts: Facts, copy: duckdb.DuckDBPyConnection
) -> None:
    kind = facts.value(text).type
    assert isinstance(kind, Whole)
    for ours, theirs in both(text, facts, copy):
        assert (ours is None) == (theirs is None)
        if isinstance(ours, Fraction) and isinstance(theirs, Fraction):
            assert abs(ours - theirs) <= kind.step + Fraction(1, 10**9), text


@pytest.mark.parametrize("text", ["i // k", "i % k", "k / i", "i / 0", "sqrt(-1 - k)", "n % 0"])
def test_what_would_fail_is_null(text: str, facts: Facts) -> None:
    told = facts.told(facts.value(text.replace("n %", "floor(n) %")))
    assert None in told.values()


@pytest.mark.parametrize("text", ["i / 0", "i // 0", "floor(n) % 0"])
def test_what_fails_in_each_row_is_null_in_each(text: str, facts: Facts) -> None:
    assert set(facts.told(facts.value(text)).values()) == {None}


def test_case_is_that_of_ascii_letters(facts: Facts) -> None:
    assert facts.value("upper('éa')").tree == facts.value("'éA'").tree


def test_not_that_takes_null_for_false_is_caught(
    facts: Facts, copy: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def two_valued(reading: operators.Reading, node: sql.Expr) -> Value:
        value = reading.condition(node.this)
        known = when(call(Op.IS_NULL, value.tree), call(Op.EQUAL, 1, 0), value.tree)
        return negation(Value(known, Truth(nullable=False)))

    assert_same("not b", facts, copy)
    monkeypatch.setitem(operators.OPERATORS, sql.Not, two_valued)
    monkeypatch.setattr("differential_privacy.queries.expressions.READERS", operators.OPERATORS)
    with pytest.raises(AssertionError):
        assert_same("not b", facts, copy)


def test_rounding_halves_up_below_zero_is_caught(
    facts: Facts, copy: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("differential_privacy.queries.rounding.HALF", Fraction(3, 8))
    with pytest.raises(AssertionError):
        assert_same("round(n)", facts, copy)
