"""An answer is a table with its errors, its loss and its reasons, in whatever form it is read."""

import json
from collections.abc import Iterator
from fractions import Fraction

import pytest
from tests.plans.worlds import read
from tests.release.asking import asked, bought, purse, purse_in_rho
from tests.release.stays import hospital

from differential_privacy.curator.catalog import Catalog
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss
from differential_privacy.queries import Price
from differential_privacy.release import Answer

PRICE = Price(Fraction(1), None, Fraction(1, 10**6))
BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m, MAX(day) AS last FROM stays GROUP BY ward"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with hospital(tmp_path_factory.mktemp("hospital")) as one:
        yield one


@pytest.fixture(scope="module")
def answer(catalog: Catalog) -> Answer:
    return asked(catalog, BY_WARD, PRICE)


def test_every_noisy_column_has_its_interval_and_deviation_beside_it(answer: Answer) -> None:
    assert answer.columns.names == [
        *("ward", "n", "n_low", "n_high", "n_sd", "m", "m_low", "m_high", "m_sd"),
        *("last", "last_low", "last_high", "last_sd"),
    ]
    for value, low, high, deviation in zip(
        *(answer.columns[f"n{part}"] for part in ("", "_low", "_high", "_sd")), strict=True
    ):
        assert isinstance(value, int)
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low < value < high
        assert isinstance(deviation, float)
        assert deviation > 0


def test_a_table_of_another_library_holds_the_same(answer: Answer) -> None:
    columns = answer.columns.to_dict()
    arrow, pandas, polars = answer.to_arrow(), answer.to_pandas(), answer.to_polars()
    assert arrow.column_names == list(pandas.columns) == polars.columns == list(columns)
    assert arrow.to_pydict() == columns
    assert polars.to_dict(as_series=False) == columns
    assert pandas["n"].tolist() == columns["n"]
    assert len(pandas) == len(answer.rows) == 5


def test_json_reads_back(answer: Answer) -> None:
    told = json.loads(answer.to_json())
    assert told["columns"]["n"] == answer.columns["n"]
    assert told["columns"]["last"] == [str(day) for day in answer.columns["last"]]
    assert told["loss"] == repr(answer.loss)
    assert told["receipt"] == answer.receipt.id
    assert told["confidence"] == 0.95
    assert told["repeated"] is False
    assert told["theorems"] == list(answer.theorems)


def test_text_shows_groups_errors_and_price(answer: Answer) -> None:
    lines = str(answer).splitlines()
    assert lines[0].split() == ["ward", "n", "m", "last"]
    assert [line.split()[0] for line in lines[1:6]] == ["a", "b", "c", "d", "NULL"]
    assert all("±" in line for line in lines[1:6])
    assert lines[-1] == (
        f"error bars: 95 %, of the noise; paid {answer.loss} (receipt {answer.receipt.id})"
    )
    assert repr(answer) == str(answer)


def test_long_answers_are_cut_where_they_are_shown(catalog: Catalog) -> None:
    long = asked(catalog, "SELECT cost, age, COUNT(*) FROM stays GROUP BY 1, 2", PRICE)
    assert len(long.rows) == 22 * 6
    assert "... and 92 more rows" in str(long)


def test_html_escapes_what_it_shows(catalog: Catalog) -> None:
    text = """SELECT '<b>' || ward AS "n<m", COUNT(*) AS "a&b" FROM stays GROUP BY 1"""
    shown = asked(catalog, text, PRICE)._repr_html_()
    assert "n&lt;m" in shown
    assert "a&amp;b" in shown
    assert "&lt;b&gt;a" in shown
    assert "<b>" not in shown


def test_the_only_value_of_an_answer(catalog: Catalog, answer: Answer) -> None:
    assert isinstance(asked(catalog, "SELECT COUNT(*) FROM stays", PRICE).value, int)
    with pytest.raises(ValueError, match="unpack"):
        _ = answer.value


def test_names_never_hide_another_column(catalog: Catalog) -> None:
    text = "SELECT SUM(age) AS n_low, COUNT(*) AS n, AVG(age) AS N, MAX(age) AS n_low_ FROM stays"
    shown = asked(catalog, text, Price(Fraction(10**9)))
    names = shown.columns.names
    assert len(names) == len({name.lower() for name in names}) == 16
    assert [round(value) for value in shown.rows[0]] == [600, 240, 2, 5]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("price", "loss", "words"),
    [
        (Price(Fraction(1)), PureLoss(1), "Laplace"),
        (Price(None, Fraction(1)), ConcentratedLoss(1), "Gaussian"),
    ],
)
def test_an_answer_says_how_it_was_made_and_why_that_is_safe(
    catalog: Catalog, price: Price, loss: object, words: str
) -> None:
    plan = read(catalog, BY_WARD).plan(price)
    told = bought(catalog, plan, purse() if words == "Laplace" else purse_in_rho())
    assert told.loss == loss
    assert f"n: {words} noise of standard deviation" in told.how
    assert "bounded: " in told.how
    assert any(words in theorem for theorem in told.theorems)
    assert all("[" in theorem and theorem.endswith("]") for theorem in told.theorems)


def test_found_groups_are_explained(catalog: Catalog) -> None:
    told = asked(catalog, "SELECT note, COUNT(*) FROM stays GROUP BY note", PRICE)
    assert told.loss == ApproximateLoss(1, "1e-6")
    assert "groups are shown where about" in told.how
    assert any("keeping groups" in theorem for theorem in told.theorems)
    assert any("groups of fewer than about" in risk for risk in told.plan.risks)


def test_a_picture_shows_each_noisy_column(answer: Answer, catalog: Catalog) -> None:
    charts = answer.plot().to_dict()["vconcat"]
    assert len(charts) == 3
    with pytest.raises(InvalidArgumentError, match="noisy column"):
        asked(catalog, "SELECT DISTINCT note FROM stays", PRICE).plot()
