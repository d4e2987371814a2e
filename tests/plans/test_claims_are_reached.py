"""No claim is larger than it must be: some person reaches it."""

import pytest
from tests.plans.moves import told_each
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Drug, Item, Visit, opened

from differential_privacy.audit import Claim, claims
from differential_privacy.sources import Bounds

ME = 1
HIGH, LOW = Visit(ME, 0, cost=8.0, age=5), Visit(ME, 0, cost=-2.0, age=0)


def owned(*visits: Visit) -> Data:
    """These visits, each with items of its own, and drugs beside them."""
    numbered = tuple(visit._replace(id=number) for number, visit in enumerate(visits))
    drugs = tuple(Drug(ME, "p", dose=4) for _ in range(6))
    items = tuple(Item(visit.id, price=2.0) for visit in numbered for _ in range(3))
    return Data(numbered, drugs, items)


def spread(visit: Visit, rows: int, *wards: str | None) -> list[Visit]:
    """So many such visits to each ward."""
    return [visit._replace(ward=ward, note=str(ward)) for ward in wards for _ in range(rows)]


def noted(visits: list[Visit]) -> list[Visit]:
    """The same, each with a note of its own."""
    return [visit._replace(note=f"note {place}") for place, visit in enumerate(visits)]


HEAVY = [
    owned(*spread(HIGH, 6, "c")),
    owned(*spread(LOW, 6, "c")),
    owned(*noted(spread(HIGH, 6, "a"))),
    owned(*spread(HIGH, 6, "a", "b", "c")),
    owned(*spread(LOW, 6, "a", "b", "c")),
    owned(*spread(HIGH, 1, "a", "b", "c", None)),
    owned(HIGH),
]
"""People who take all that they can get, in one way or another."""


def farthest(bounds: Bounds, text: str) -> list[Claim]:
    """Every claim of every plan, each with the most that any of these people moved it."""
    with opened(Data(), *HEAVY, bounds=(bounds,)) as (nobody, *people):
        empty = told_each(nobody, text)
        found = [
            [
                claim
                for (plan, told), (_, nothing) in zip(told_each(one, text), empty, strict=True)
                for claim in claims(plan, told, nothing)
            ]
            for one in people
        ]
    return [max(same, key=lambda one: one.moved) for same in zip(*found, strict=True)]


def assert_reached(bounds: Bounds, text: str) -> None:
    found = farthest(bounds, text)
    assert found
    for claim in found:
        assert claim.moved == claim.claimed, claim


@pytest.mark.parametrize("bounds", [ROWS, GROUPS, TOTAL], ids=str)
@pytest.mark.parametrize("key", ["", "ward"])
@pytest.mark.parametrize(
    "asked",
    [
        "SUM(cost), COUNT(cost), MEDIAN(cost), AVG(CASE WHEN age = 5 THEN cost END)",
        "COUNT(*), AVG(age), SUM(age * 2), STDDEV(age + 1), MAX(day)",
        "VAR_POP(cost), COUNT(*) FILTER (WHERE age = 5), SUM(age) FILTER (WHERE cost > 0)",
    ],
)
def test_a_person_reaches_every_claim(asked: str, key: str, bounds: Bounds) -> None:
    assert_reached(bounds, f"SELECT {asked} FROM visits" + f" GROUP BY {key}" * bool(key))


@pytest.mark.parametrize("bounds", [ROWS, GROUPS], ids=str)
@pytest.mark.parametrize("key", ["ward", "note"])
def test_a_person_reaches_every_claim_about_people_and_found_groups(
    key: str, bounds: Bounds
) -> None:
    assert_reached(bounds, f"SELECT COUNT(DISTINCT person), COUNT(*) FROM visits GROUP BY {key}")


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        (ROWS, "SELECT COUNT(DISTINCT note) FROM visits"),
        (ROWS, "SELECT COUNT(*), SUM(d.dose) FROM visits v JOIN drugs d ON v.person = d.person"),
        (ROWS, "SELECT COUNT(*), SUM(price) FROM items JOIN visits ON items.visit = visits.id"),
        (
            ROWS,
            (
                "SELECT SUM(c) FROM (SELECT person, cost AS c FROM visits WHERE cost = 8 "
                "UNION ALL SELECT person, dose + 4 FROM drugs)"
            ),
        ),
        (GROUPS, "SELECT code, COUNT(*) FROM visits v JOIN codes c ON v.ward = c.ward GROUP BY 1"),
        (TOTAL, "SELECT code, COUNT(*) FROM visits v JOIN codes c ON v.ward = c.ward GROUP BY 1"),
        (ROWS, "SELECT AVG(n) FROM (SELECT person, MAX(age) AS n FROM visits GROUP BY person)"),
    ],
)
def test_a_person_reaches_every_claim_through_joins_and_subqueries(
    bounds: Bounds, text: str
) -> None:
    assert_reached(bounds, text)
