"""Attacks of the notes on whose rows they are and how many, each by the number of its note."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom
from tests.hostile.harmless import HARMLESS
from tests.hostile.movements import assert_moves_no_more_than_claimed, noise_free, statistics
from tests.hostile.refused import REFUSED
from tests.hostile.rows import crowd
from tests.hostile.worlds import Pair, World, made, simple

from differential_privacy.errors import QuestionError
from differential_privacy.sources import scan

FALSE_ALARM = 1e-9


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> World:
    return made(tmp_path_factory.mktemp("people") / "world", simple(), people=crowd(100))


@pytest.mark.parametrize("idea", ["raises on a target", "sleeps on a target", "formats", "draws"])
def test_12_no_function_is_called_that_does_anything(pair: Pair, idea: str) -> None:
    with pytest.raises(QuestionError):
        pair[0].session().plan(REFUSED[idea], epsilon=1)


@pytest.mark.parametrize("idea", ["ranks", "sums up", "picks the first", "drops doubles"])
def test_13_no_function_of_a_row_looks_at_other_rows(pair: Pair, idea: str) -> None:
    with pytest.raises(QuestionError):
        pair[0].session().plan(REFUSED[idea], epsilon=1)


def test_14_a_column_that_is_defined_anew_brings_its_own_range(people: World) -> None:
    def scale(text: str) -> Fraction:
        return max(noise.scale for _, noise in people.session().plan(text, epsilon=1).priced.noises)

    plain = scale("SELECT SUM(x) FROM people")
    anew = scale("SELECT SUM(x) FROM (SELECT x * 1000 AS x FROM people) AS t")
    assert anew == 1000 * plain
    twice = scale("SELECT SUM(x) FROM (SELECT patient, x FROM people UNION ALL SELECT patient, x "
                  "FROM people) AS t")  # fmt: skip
    assert twice == 2 * plain


def test_14_a_person_who_is_renamed_is_the_same_person_or_nobody(pair: Pair) -> None:
    renamed = "SELECT COUNT(*) FROM (SELECT patient AS code, age FROM visits) AS v JOIN drugs AS d "
    assert_moves_no_more_than_claimed(pair, renamed + "ON v.code = d.patient")
    with pytest.raises(QuestionError):
        pair[0].session().plan(REFUSED["people renamed"], epsilon=1)


def test_15_public_groups_are_all_shown_and_found_ones_are_sorted(pair: Pair) -> None:
    wards = noise_free(pair[0], "SELECT ward, COUNT(*) FROM visits WHERE FALSE GROUP BY ward")
    assert [ward for ward, _ in wards] == ["a", "b", "c", None]
    codes = noise_free(pair[1], "SELECT code, COUNT(*) FROM visits GROUP BY code", epsilon=400)
    assert [code for code, _ in codes] == ["x0", "x1", "x2", "x3"]


def test_15_a_group_of_nobody_is_no_error(pair: Pair) -> None:
    text = "SELECT code, COUNT(*), SUM(age), MEDIAN(age) FROM visits WHERE FALSE GROUP BY code"
    for price in ({"epsilon": 1}, {"epsilon": 90}):
        assert noise_free(pair[1], text, **price) == []


@pytest.mark.parametrize("price", [{"epsilon": "1/10"}, {"epsilon": 1}, {"epsilon": 20}])
def test_16_a_group_of_one_person_is_shown_as_seldom_as_delta_says(
    pair: Pair, price: dict[str, Any]
) -> None:
    delta, trials = Fraction(1, 1000), 200_000
    plan = pair[0].session().plan(HARMLESS["rare keys"], delta=delta, **price)
    assert plan.priced.finding is not None
    assert plan.reach.groups is not None
    shown = sum(map(bool, plan.priced.finding.release([1] * trials)))
    most = float(delta) / plan.reach.groups
    assert binom.sf(shown - 1, trials, most) > FALSE_ALARM
    # Twice as often would be told.
    assert binom.sf(int(2 * most * trials) - 1, trials, most) < 1e-6 or most * trials < 40


@pytest.mark.parametrize(
    "idea", ["many rows, joined", "many rows, twice", "many rows by a public table"]
)
def test_18_a_join_multiplies_rows_no_further_than_its_bound(pair: Pair, idea: str) -> None:
    assert_moves_no_more_than_claimed(pair, HARMLESS[idea])


KEYED = """
[tables.customers]
path = "customers.parquet"
person = "id"
bounds = [{ rows = 1 }]
budget = { epsilon = 1e9, delta = 1e-3 }
columns = { id = "integer" }
[tables.orders]
path = "orders.parquet"
person = { key = "customer", table = "customers", references = "id" }
bounds = [{ rows = 3 }]
budget = { epsilon = 1e9, delta = 1e-3 }
columns = { number = "integer", customer = "integer" }
[tables.lines]
path = "lines.parquet"
person = { key = "number", table = "orders", references = "number" }
bounds = [{ rows = 4 }]
budget = { epsilon = 1e9, delta = 1e-3 }
columns = { number = "integer", quantity = { type = "integer", range = [0, 10] } }
[analysts.ada]
budget = { epsilon = 1e9, delta = 1e-3 }
"""
JOINS = [
    "SELECT COUNT(*) FROM lines",
    "SELECT COUNT(*), SUM(quantity) FROM lines AS l JOIN orders AS o ON l.number = o.number",
    (
        "SELECT COUNT(*) FROM lines AS l JOIN orders AS o ON l.number = o.number "
        "JOIN customers AS c ON o.customer = c.id"
    ),
]


@pytest.mark.parametrize("text", JOINS)
def test_18_a_foreign_key_that_names_several_rows_multiplies_none(
    tmp_path: Path, text: str
) -> None:
    """Nothing in a file sees to it that keys are unique; here one person breaks them."""
    customers, orders = {"id": [1, 2]}, {"number": [10, 20], "customer": [1, 2]}
    lines = {"number": [10, 10, 20], "quantity": [1, 2, 3]}
    more = (
        {"id": [*customers["id"], 3]},
        {"number": [*orders["number"], *[30] * 50], "customer": [*orders["customer"], *[3] * 50]},
        {"number": [*lines["number"], *[30] * 20], "quantity": [*lines["quantity"], *[9] * 20]},
    )
    worlds = (
        made(tmp_path / "one", KEYED, customers=customers, orders=orders, lines=lines),
        made(tmp_path / "other", KEYED, customers=more[0], orders=more[1], lines=more[2]),
    )
    assert_moves_no_more_than_claimed(worlds, text)


def test_19_which_rows_are_kept_depends_on_their_person_alone(tmp_path: Path) -> None:
    """Person 7's sum is the same beside nobody, beside others, and in another order of rows."""
    mine = {"patient": [7] * 30, "x": list(range(30)), "code": [f"c{x}" for x in range(30)]}
    rows = crowd(50)
    others = {
        name: [value for value, person in zip(values, rows["patient"], strict=True) if person != 7]
        for name, values in rows.items()
    }
    together = {name: others[name] + mine[name] for name in mine}
    bodies = [mine, together, {name: values[::-1] for name, values in together.items()}]
    text = "SELECT SUM(x), COUNT(*) FROM people WHERE patient = 7"
    kept = [
        statistics(made(tmp_path / str(place), simple(), people=body), text)
        for place, body in enumerate(bodies)
    ]
    assert kept[0] == kept[1] == kept[2]
    assert sum(kept[0]) > 0


def test_19_rows_of_the_engines_order_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "row_order", lambda _: ())
    with pytest.raises(AssertionError):
        test_19_which_rows_are_kept_depends_on_their_person_alone(tmp_path)
