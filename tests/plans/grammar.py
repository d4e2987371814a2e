"""Small tables and the questions that are asked of them, drawn by Hypothesis."""

import datetime as dt
from dataclasses import dataclass

from hypothesis import strategies as st
from tests.plans.worlds import Data, Drug, Item, Visit

from differential_privacy.sources import Bounds

PEOPLE = st.sampled_from([1, 1, 1, 2, 2, 3, None])
COSTS = st.sampled_from([-2.0, 0.0, 0.25, 1.5, 8.0, 1e300, float("nan"), float("-inf"), None])
AGES = st.sampled_from([0, 1, 3, 5, 5, -7, 2**62, None])
WARDS = st.sampled_from(["a", "a", "b", "c", "no such ward", None])
NOTES = st.sampled_from(["x", "y", "xyz", "", None])
TRUTHS = st.sampled_from([True, False, None])
DAYS = st.sampled_from([dt.date(2024, 1, day) for day in (1, 2, 3)] + [dt.date(1066, 10, 14), None])


@st.composite
def hospitals(draw: st.DrawFn) -> Data:
    """Tables of few people, who have from none to many rows."""
    visits = draw(
        st.lists(
            st.tuples(PEOPLE, WARDS, NOTES, COSTS, AGES, TRUTHS, DAYS), min_size=1, max_size=14
        )
    )
    # Policies promise that an id is there once; no guarantee may hang on it.
    numbers = [draw(st.sampled_from([place, place, 0])) for place in range(len(visits))]
    drugs = draw(
        st.lists(
            st.tuples(PEOPLE, st.sampled_from("pq"), st.sampled_from([-1, 0, 4, None])), max_size=6
        )
    )
    items = draw(
        st.lists(
            st.tuples(st.sampled_from([*numbers, None]), st.sampled_from([0.0, 0.6, 2.0, None])),
            max_size=8,
        )
    )
    rows = zip(numbers, visits, strict=True)
    return Data(
        tuple(Visit(row[0], number, *row[1:]) for number, row in rows),
        tuple(Drug(*row) for row in drugs),
        tuple(Item(*row) for row in items),
    )


@st.composite
def policies(draw: st.DrawFn) -> tuple[Bounds, ...]:
    """The ways in which a policy lets questions be bounded."""
    few = st.integers(1, 3)
    rows, groups, each, total = (draw(few) for _ in range(4))
    every = (
        Bounds(rows=rows),
        Bounds(groups=groups, rows_per_group=each),
        Bounds(total=total),
    )
    return tuple(draw(st.lists(st.sampled_from(every), min_size=1, unique=True)))


@dataclass(frozen=True)
class Source:
    """What can stand in FROM, and what can be said of its rows."""

    text: str
    numbers: tuple[str, ...]
    keys: tuple[str, ...]
    conditions: tuple[str, ...]
    person: str = "person"
    moments: tuple[str, ...] = ()


VISITS = Source(
    "visits",
    numbers=(
        *("cost", "age", "cost * age", "age - 3", "-cost", "ABS(cost)", "CLAMP(cost, 0, 3)"),
        *("COALESCE(cost, 2)", "CASE WHEN age > 2 THEN cost ELSE 0 END", "LENGTH(ward)"),
        *("DATE_DIFF('day', DATE '2024-01-02', day)", "ROUND(cost / 3, 2)", "5", "age % 2"),
    ),
    keys=(
        *("ward", "urgent", "note", "day", "age", "BIN(cost, 4)", "UPPER(note)", "cost"),
        *("CASE WHEN age > 2 THEN 'old' ELSE 'young' END", "DATE_TRUNC('month', day)"),
    ),
    conditions=(
        *("cost > 1", "age >= 2", "ward = 'a'", "ward IN ('a', 'b')", "urgent", "NOT urgent"),
        *("note LIKE 'x%'", "cost IS NULL", "ward <> 'a' OR age = 5", "day < DATE '2024-01-03'"),
        "person IN (SELECT person FROM drugs WHERE dose > 0)",
        "EXISTS (SELECT 1 FROM drugs d WHERE d.person = visits.person AND d.drug = 'p')",
        "NOT EXISTS (SELECT 1 FROM visits w WHERE w.person = visits.person AND w.age = 5)",
    ),
    moments=("day",),
)
JOINED = ("v.cost", "w.weight", "v.cost * w.weight", "v.age")
SOURCES = (
    VISITS,
    Source(
        "visits v JOIN wards w ON v.ward = w.ward",
        numbers=JOINED,
        keys=("w.region", "w.weight", "v.note"),
        conditions=("v.cost > w.weight", "w.region = 'north'", "v.urgent"),
        person="v.person",
    ),
    Source(
        "visits v LEFT JOIN wards w ON v.ward = w.ward AND v.age > 1",
        numbers=JOINED,
        keys=("w.region", "v.urgent"),
        conditions=("w.region IS NULL", "v.age < 5"),
        person="v.person",
    ),
    Source(
        "visits v JOIN codes c ON v.ward = c.ward",
        numbers=("v.cost", "v.age"),
        keys=("c.code", "v.note", "v.ward"),
        conditions=("c.code <> 'two'", "v.cost > 0"),
        person="v.person",
    ),
    Source(
        "visits v JOIN drugs d ON v.person = d.person",
        numbers=("v.cost * d.dose", "d.dose", "v.cost"),
        keys=("d.drug", "v.ward", "v.note"),
        conditions=("d.dose > 0", "v.urgent"),
        person="d.person",
    ),
    Source(
        "drugs d LEFT JOIN visits v ON v.person = d.person AND v.ward = d.drug",
        numbers=("d.dose", "v.cost"),
        keys=("d.drug", "v.ward"),
        conditions=("v.ward IS NULL", "d.dose < 4"),
        person="d.person",
    ),
    Source(
        "items JOIN visits ON items.visit = visits.id",
        numbers=("items.price", "visits.cost * items.price"),
        keys=("visits.ward", "visits.note"),
        conditions=("visits.urgent", "items.price > 0"),
        person="visits.person",
    ),
    Source(
        "(SELECT person, SUM(cost) AS c, COUNT(*) AS k, AVG(age) AS a "
        "FROM visits WHERE age > 0 GROUP BY person HAVING COUNT(*) > 1)",
        numbers=("CLAMP(c, -3, 9)", "a", "CLAMP(k, 0, 4)"),
        keys=("a", "c > 2", "CLAMP(k, 0, 4)"),
        conditions=("k > 2", "c > 0"),
    ),
    Source(
        "(SELECT person, ward, note, MIN(cost) AS c, COUNT(DISTINCT day) AS k "
        "FROM visits GROUP BY person, ward, note)",
        numbers=("c", "CLAMP(k, 0, 3)"),
        keys=("ward", "note", "k = 1"),
        conditions=("c > 0", "ward IS NOT NULL"),
    ),
    Source(
        "(SELECT person, ward AS g, cost AS c FROM visits WHERE urgent "
        "UNION ALL SELECT person, drug, dose FROM drugs)",
        numbers=("c", "c + 1"),
        keys=("g", "c > 1"),
        conditions=("c > 0", "g = 'a'"),
    ),
)


@st.composite
def questions(draw: st.DrawFn) -> str:
    """A question of one source: aggregates, filters and groups of all kinds."""
    source = draw(st.sampled_from((VISITS, *SOURCES)))
    keys = draw(st.lists(st.sampled_from(source.keys), max_size=2, unique=True))
    asked = draw(st.lists(aggregates(source), min_size=1, max_size=3))
    where = draw(st.lists(st.sampled_from(source.conditions), max_size=2, unique=True))
    parts = [f"SELECT {', '.join([*keys, *asked])} FROM {source.text}"]
    if where:
        parts.append("WHERE " + " AND ".join(f"({one})" for one in where))
    if keys:
        parts.append("GROUP BY " + ", ".join(keys))
    if draw(st.booleans()):
        parts.append(f"HAVING {draw(aggregates(source))} > 0")
    return " ".join(parts)


@st.composite
def aggregates(draw: st.DrawFn, source: Source) -> str:
    """One aggregate, at times with a filter."""
    number = st.sampled_from(source.numbers)
    plain = draw(
        st.one_of(
            st.just("COUNT(*)"),
            number.map("COUNT({})".format),
            number.map("SUM({})".format),
            number.map("AVG({})".format),
            st.tuples(st.sampled_from(["VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV"]), number).map(
                lambda pair: f"{pair[0]}({pair[1]})"
            ),
            st.sampled_from((*source.numbers, *source.moments)).map("MEDIAN({})".format),
            st.tuples(st.sampled_from(["MIN", "MAX"]), number).map(
                lambda pair: f"{pair[0]}({pair[1]})"
            ),
            number.map("QUANTILE_CONT({}, 0.9)".format),
            st.just(f"COUNT(DISTINCT {source.person})"),
            st.sampled_from(source.keys).map("COUNT(DISTINCT {})".format),
            st.tuples(number, number).map(lambda pair: "SUM({}) / SUM({})".format(*pair)),
        )
    )
    if "/" in plain or draw(st.integers(0, 3)):
        return plain
    return f"{plain} FILTER (WHERE {draw(st.sampled_from(source.conditions[:4]))})"
