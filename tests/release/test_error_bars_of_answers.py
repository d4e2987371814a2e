"""Intervals hold the answer without noise as often as they say, and hardly more often.

A coverage is checked on 10,000 answers; a right one is called wrong with chance 1e-9 at most.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tests.plans.moves import plans
from tests.plans.worlds import read
from tests.release.stays import hospital

from differential_privacy.audit import Told
from differential_privacy.curator.catalog import Catalog
from differential_privacy.ledger import Receipt
from differential_privacy.mechanisms import Blend
from differential_privacy.queries import Exact, Make, Plan, Price, Way
from differential_privacy.release import Answer, Noisy, values
from differential_privacy.release.values import Column

ANSWERS = 10_000
FALSE_ALARM = 1e-9
RECEIPT = Receipt("none", 0, "none")
GROUP = ("a",)

LAPLACE, GAUSSIAN = Price(Fraction(1, 2)), Price(None, Fraction(1, 20))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with hospital(tmp_path_factory.mktemp("hospital")) as one:
        yield one


def exact_numbers(plan: Plan, times: int) -> dict[Exact, int]:
    """What the engine says of one group, as of so many times its rows."""
    row = Told.of(plan).exact[GROUP]
    return {exact: value * times for exact, value in zip(plan.exact, row, strict=True)}


def answer(
    plan: Plan, exact: Mapping[Exact, int], *, noisy: int, confidence: str = "0.95"
) -> Answer:
    """So many answers about one group, as if each were a group; one without noise for none."""
    statistics = []
    for block, noise in plan.priced.noises:
        for one in block.statistics:
            value = plan.reach.unit * sum(times * exact[part] for part, times in one.terms)
            drawn = noise.release(np.full(noisy, value, dtype=np.int64)) if noisy else [value]
            statistics.append(tuple(int(each) for each in drawn))
    released = Noisy((GROUP,) * max(noisy, 1), tuple(statistics), ())
    return Answer(plan, released, RECEIPT, Fraction(confidence))


def covered(plan: Plan, times: int, confidence: str = "0.95") -> dict[str, int]:
    """In how many of the answers the interval of each column holds what noise was added to."""
    exact = unweighted(plan, times)
    truth = answer(plan, exact, noisy=0).columns
    drawn = answer(plan, exact, noisy=ANSWERS, confidence=confidence).columns
    found = {}
    for column in plan.columns:
        if not column.public:
            (value,) = truth[column.name]
            ends = zip(drawn[f"{column.name}_low"], drawn[f"{column.name}_high"], strict=True)
            found[column.name] = sum(holds(low, value, high) for low, high in ends)
    return found


def unweighted(plan: Plan, times: int) -> dict[Exact, int]:
    """The exact numbers in rows: where these are weighed, a full one counts as one."""
    return {exact: value // plan.reach.unit for exact, value in exact_numbers(plan, times).items()}


def holds(low: object, value: object, high: object) -> bool:
    """Whether an end that is missing, as it is infinite, or a value, is within the ends."""
    assert isinstance(value, int | float)
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    slack = 1e-9 * max(1.0, abs(value))
    return least - slack <= value <= most + slack  # type: ignore[operator]


def assert_covers(hits: int, confidence: str) -> None:
    assert binom.cdf(hits, ANSWERS, float(confidence)) > FALSE_ALARM, hits / ANSWERS


PLAIN = ["COUNT(*)", "COUNT(cost)", "SUM(cost)", "AVG(cost)", "AVG(age)", "SUM(age - 7)"]
MADE = [
    "VAR_POP(cost)",
    "STDDEV(age)",
    "100 * SUM(CASE WHEN cost > 2 THEN 1 ELSE 0 END) / COUNT(*)",
    "SUM(cost) / SUM(age)",
    "AVG(cost) - AVG(age)",
    "SUM(cost) - 2 * COUNT(*) + 5",
    "AVG(cost) * COUNT(*)",
    "ABS(SUM(age) - 60)",
    "SQRT(COUNT(*)) + ROUND(AVG(cost), 1)",
    "GREATEST(COUNT(*), COUNT(cost), SUM(age))",
    "CASE WHEN COUNT(*) > 60 THEN SUM(age) ELSE SUM(cost) END",
    "COALESCE(AVG(cost), 0) / NULLIF(AVG(age), 0)",
    "COALESCE(VAR_SAMP(cost), 0)",
]


def both(catalog: Catalog, aggregates: str) -> list[Plan]:
    """The plans of either noise, and with weights."""
    question = read(catalog, f"SELECT ward, {aggregates} FROM stays GROUP BY ward")
    return [*plans(question, LAPLACE)[::2], *plans(question, GAUSSIAN)[1::3]]


@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("aggregate", PLAIN)
def test_counts_sums_and_means_are_covered_and_hardly_more(
    catalog: Catalog, aggregate: str, times: int
) -> None:
    for plan in both(catalog, aggregate):
        ((_, hits),) = covered(plan, times).items()
        assert_covers(hits, "0.95")
        if times > 1:
            assert hits <= 0.99 * ANSWERS, hits / ANSWERS


@pytest.mark.parametrize("aggregate", MADE)
def test_what_is_computed_is_covered(catalog: Catalog, aggregate: str) -> None:
    for plan in both(catalog, aggregate)[:2]:
        for times in (1, 100):
            ((_, hits),) = covered(plan, times).items()
            assert_covers(hits, "0.95")


def test_the_largest_of_equal_numbers_is_covered(catalog: Catalog) -> None:
    """The lower end holds only where that of each of them does."""
    asked = "GREATEST(COUNT(*), COUNT(cost), COUNT(note), COUNT(urgent), COUNT(day)) AS most"
    for plan in both(catalog, asked)[:2]:
        assert len(plan.exact) == 5
        drawn = answer(plan, dict.fromkeys(plan.exact, 1000), noisy=ANSWERS).columns
        ends = zip(drawn["most_low"], drawn["most_high"], strict=True)
        assert_covers(sum(holds(low, 1000, high) for low, high in ends), "0.95")


def test_what_is_null_by_noise_alone_is_covered(catalog: Catalog) -> None:
    """Of four rows noise often leaves one or none, and with these there is no sample variance."""
    rows = Exact(Way.ROWS)
    for plan in both(catalog, "COALESCE(VAR_SAMP(age), -1) AS v")[:2]:
        known = unweighted(plan, 1)
        few = {exact: 4 * value // known[rows] for exact, value in known.items()}
        (truth,) = answer(plan, few, noisy=0).columns["v"]
        drawn = answer(plan, few, noisy=ANSWERS).columns
        assert truth != -1
        assert drawn["v"].count(-1.0) > ANSWERS / 10
        ends = zip(drawn["v_low"], drawn["v_high"], strict=True)
        assert_covers(sum(holds(low, truth, high) for low, high in ends), "0.95")


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(10), Fraction(10**6)])
def test_an_average_where_nobody_seems_to_be_has_its_whole_range(
    catalog: Catalog, epsilon: Fraction
) -> None:
    parts = ", ".join(f"{one}(cost) AS {one}" for one in ("AVG", "VAR_POP", "STDDEV_POP"))
    (plan, *_) = plans(read(catalog, f"SELECT {parts} FROM stays"), Price(epsilon))
    told = answer(plan, dict.fromkeys(plan.exact, 0), noisy=0).columns
    for name, low, high in (("AVG", -2, 8), ("VAR_POP", 0, 25), ("STDDEV_POP", 0, 5)):
        assert told[f"{name}_low"] == [low]
        assert told[f"{name}_high"] == [high]
        (value,) = told[name]
        assert isinstance(value, float)
        assert low <= value <= high


def test_a_sample_variance_of_no_rows_is_null_and_says_no_more_where_that_is_sure(
    catalog: Catalog,
) -> None:
    question = read(catalog, "SELECT VAR_SAMP(cost) AS v FROM stays")
    (unsure, *_), (sure, *_) = (plans(question, Price(Fraction(e))) for e in (1, 10**6))
    for plan, ends in ((unsure, (0, 50)), (sure, (None, None))):
        told = answer(plan, dict.fromkeys(plan.exact, 0), noisy=0).columns
        assert told["v"] == [None]
        assert ([ends[0]], [ends[1]]) == (told["v_low"], told["v_high"])


def test_nothing_times_what_has_no_end_is_nothing() -> None:
    none, any_number = np.zeros(1), np.array([math.inf])
    nothing = Column(none, none, none, none)
    anything = Column(np.ones(1), -any_number, any_number, any_number)
    product = values._computed(Make.MULTIPLY, [nothing, anything])
    assert (product.low[0], product.high[0]) == (0, 0)


@pytest.mark.parametrize("confidence", ["0.5", "0.999"])
def test_several_columns_are_covered_each_at_the_confidence_asked(
    catalog: Catalog, confidence: str
) -> None:
    for plan in both(catalog, "COUNT(*) AS n, AVG(age) AS a, AVG(age * 2) AS b, SUM(cost) AS s")[
        :3
    ]:
        for hits in covered(plan, 100, confidence).values():
            assert_covers(hits, confidence)
            if confidence == "0.5":
                assert hits <= 0.65 * ANSWERS, hits / ANSWERS


@pytest.mark.parametrize("aggregate", ["COUNT(*)", "SUM(cost)", "AVG(cost)"])
def test_an_interval_for_less_noise_is_caught(
    catalog: Catalog, aggregate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three quarters of the error that must be told."""
    true, ratio = Blend.error, values.ratio_interval
    monkeypatch.setattr(Blend, "error", lambda blend, confidence: 0.75 * true(blend, confidence))
    monkeypatch.setattr(
        values,
        "ratio_interval",
        lambda top, bottom, **given: ratio(top, bottom, **{**given, "confidence": Fraction(9, 10)}),
    )
    for plan in both(catalog, aggregate):
        ((_, hits),) = covered(plan, 100).items()
        with pytest.raises(AssertionError):
            assert_covers(hits, "0.95")


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_the_expected_error_of_counts_and_sums_is_that_of_the_answer(
    catalog: Catalog, confidence: str
) -> None:
    for plan in both(catalog, "COUNT(*) AS n, SUM(cost) AS s, 3 * COUNT(cost) - 2 AS m"):
        told = answer(plan, unweighted(plan, 1), noisy=0, confidence=confidence).columns
        for expected in plan.expected(Fraction(confidence)):
            name = expected.column
            (low,), (high,) = told[f"{name}_low"], told[f"{name}_high"]
            assert isinstance(low, float)
            assert isinstance(high, float)
            assert math.isclose(expected.error, (high - low) / 2, rel_tol=1e-9)


@pytest.mark.parametrize("aggregate", ["AVG(cost)", "AVG(age)", "AVG(age * cost)", "AVG(age + 90)"])
def test_the_expected_error_of_means_is_that_in_a_group_of_a_thousand(
    catalog: Catalog, aggregate: str
) -> None:
    """In the middle of the range; elsewhere it is hardly larger."""
    for plan in both(catalog, f"{aggregate} AS m"):
        (moments,) = plan.asked.needs.moments.values()
        exact = {moments.count: 1000, moments.total: 500 * (moments.low + moments.high)}
        told = answer(plan, exact, noisy=0).columns
        (expected,) = plan.expected()
        (low,), (high,) = told["m_low"], told["m_high"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert math.isclose(expected.error, (high - low) / 2, rel_tol=0.05)


@pytest.mark.parametrize("aggregate", ["COUNT(*)", "SUM(cost)", "2 * SUM(age) - COUNT(*)"])
def test_the_deviation_told_is_that_of_the_noise(catalog: Catalog, aggregate: str) -> None:
    for plan in both(catalog, f"{aggregate} AS m"):
        drawn = answer(plan, unweighted(plan, 1), noisy=ANSWERS).columns
        told, values_ = drawn["m_sd"][0], np.array(drawn["m"], dtype=np.float64)
        # The fourth moment of Laplace noise is six squared variances.
        assert isinstance(told, float)
        assert abs(values_.var() / told**2 - 1) < 7 * math.sqrt(5 / ANSWERS)


def test_weights_are_taken_back(catalog: Catalog) -> None:
    """Where rows are weighed, answers and their errors are in rows."""
    (plan,) = [
        one
        for one in plans(
            read(catalog, "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"), LAPLACE
        )
        if one.reach.unit > 1
    ]
    exact = unweighted(plan, 1)
    assert answer(plan, exact, noisy=0).columns["n"] == [exact[Exact(Way.ROWS)]]
    assert plan.expected()[0].error < 60
