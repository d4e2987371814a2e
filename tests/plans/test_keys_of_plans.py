"""A plan's key is that of its question: the same for every way of saying it, and for no other."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from tests.plans.moves import plans
from tests.plans.worlds import Data, opened, read

from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import QuestionError
from differential_privacy.queries import Price

PRICE = Price(Fraction(1), None, Fraction(1, 10**6))


@pytest.fixture(scope="module")
def catalog() -> Iterator[Catalog]:
    with opened(Data()) as (one,):
        yield one


def keys(catalog: Catalog, text: str, price: Price = PRICE) -> list[str]:
    """The keys of a question, one for each way of answering it."""
    return [plan.key for plan in plans(read(catalog, text), price)]


BY_WARD = "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE age > 2 GROUP BY ward"


@pytest.mark.parametrize(
    "same",
    [
        "select WARD,count( * ),avg(Cost)\nfrom VISITS where age>2 group by ward -- how many?",
        "SELECT ward AS w, COUNT(*) AS n, AVG(cost) AS m FROM visits WHERE age > 2 GROUP BY 1",
        "SELECT w.ward, COUNT(*), AVG(w.cost) FROM visits AS w WHERE w.age > 2 GROUP BY w.ward",
        "SELECT AVG(cost) / 2 + 1, ward, 3 * COUNT(*) FROM visits WHERE age > 2 GROUP BY ward",
        BY_WARD + " HAVING COUNT(*) > 100",
        BY_WARD + " ORDER BY AVG(cost) DESC, ward LIMIT 3",
        (
            "SELECT ward, COUNT(*) n, AVG(cost) FROM visits WHERE age > 2 AND TRUE GROUP BY ward "
            "ORDER BY n"
        ),
        "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE 2 < age GROUP BY ALL",
        "FROM visits SELECT ward, COUNT(*), AVG(cost) WHERE age > 2 GROUP BY ward;",
    ],
)
def test_one_question_said_otherwise_has_the_same_key(catalog: Catalog, same: str) -> None:
    assert keys(catalog, same) == keys(catalog, BY_WARD)


OTHERS = [
    "SELECT ward, COUNT(*) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE age > 3 GROUP BY ward",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE age >= 2 GROUP BY ward",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits WHERE NOT age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), AVG(cost) FROM visits GROUP BY ward",
    "SELECT urgent, COUNT(*), AVG(cost) FROM visits WHERE age > 2 GROUP BY urgent",
    "SELECT note, COUNT(*), AVG(cost) FROM visits WHERE age > 2 GROUP BY note",
    "SELECT COUNT(*), AVG(cost) FROM visits WHERE age > 2",
    "SELECT ward, COUNT(*), AVG(CLAMP(cost, 0, 3)) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), AVG(cost + 1) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), SUM(cost) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), MEDIAN(cost) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), MAX(cost) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(*), VAR_POP(cost) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, AVG(cost) FILTER (WHERE urgent) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT person), AVG(cost) FROM visits WHERE age > 2 GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT note), AVG(cost) FROM visits WHERE age > 2 GROUP BY ward",
    (
        "SELECT v.ward, COUNT(*), AVG(cost) FROM visits v JOIN wards w ON v.ward = w.ward "
        "WHERE age > 2 GROUP BY v.ward"
    ),
    "SELECT drug, COUNT(*), AVG(dose) FROM drugs WHERE dose > 2 GROUP BY drug",
    (
        "SELECT drug, COUNT(*), AVG(dose) FROM drugs WHERE dose > 2 AND "
        "EXISTS (SELECT 1 FROM visits v WHERE v.person = drugs.person) GROUP BY drug"
    ),
]


def test_other_questions_have_other_keys(catalog: Catalog) -> None:
    found = [key for text in (BY_WARD, *OTHERS) for key in keys(catalog, text)]
    assert len(found) == len(set(found)) > 4 * len(OTHERS)


@pytest.mark.parametrize("text", [BY_WARD, BY_WARD.replace("ward", "note")])
def test_another_price_is_another_question(catalog: Catalog, text: str) -> None:
    one, tiny = Fraction(1), Fraction(1, 10**6)
    prices = [
        PRICE,
        Price(one * 2, None, tiny),
        Price(one, None, 2 * tiny),
        Price(None, one, tiny),
        Price(None, 2 * one, tiny),
    ]
    found = [keys(catalog, text, price) for price in prices]
    every = [key for some in found for key in some]
    if "note" in text:
        assert len(every) == len(set(every))
    # Laplace noise for public groups costs no delta, so which delta was allowed does not matter.
    assert all(set(one) != set(other) for one in found for other in found if one is not other)


@pytest.mark.parametrize("key", ["ward", "urgent"])
def test_the_share_lost_by_one_grouping_is_not_that_of_another(catalog: Catalog, key: str) -> None:
    """Which rows are kept depends on the groups, though they are not in the answer."""
    lost = read(catalog, BY_WARD).lost(PRICE)
    other = read(catalog, BY_WARD.replace("ward", "note")).lost(PRICE)
    assert lost.key != other.key
    again = read(catalog, BY_WARD.lower().replace("count(*)", "count(*) as n")).lost(PRICE)
    assert lost.key == again.key
    assert lost.key not in keys(catalog, f"SELECT {key}, COUNT(*) FROM visits GROUP BY {key}")


def test_a_question_that_is_refused_has_no_plan(catalog: Catalog) -> None:
    with pytest.raises(QuestionError):
        keys(catalog, "SELECT note FROM visits")
