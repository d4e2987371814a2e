"""Attacks of the notes on prices and on noise, each by the number of its note."""

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.harmless import HARMLESS
from tests.hostile.rows import crowd
from tests.hostile.views import sql, views
from tests.hostile.worlds import Pair, made, simple, small

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.mechanisms import Geometric

# 24: prices.

NO_PRICES = [
    "nan",
    "inf",
    "-inf",
    0,
    -1,
    float("nan"),
    float("inf"),
    -0.0,
    "1e99999999",
    "9" * 9999,
]
NO_PRICES += [True, "", "one", "1/0", None, b"1", 1j, [1], "0x1p-3", "1_000"]


@pytest.mark.parametrize("price", NO_PRICES, ids=lambda price: repr(price)[:12])
@pytest.mark.parametrize("argument", ["epsilon", "delta", "confidence", "within"])
def test_24_what_is_no_price_is_refused_at_the_door(pair: Pair, argument: str, price: Any) -> None:
    """Refused by a name that was given, before anything is read or paid."""
    if argument == "delta" and (price is None or (price == 0 and price is not True)):
        return  # A delta may be left out, or be zero.
    wanted: dict[str, Any] = {"epsilon": 1, argument: price}
    if argument == "within":
        wanted = {"within": {"n": price}}
    before = pair[0].curator.ledger.statement()
    with pytest.raises(InvalidArgumentError, match=argument):
        pair[0].session().sql("SELECT COUNT(*) AS n FROM visits", **wanted)
    assert pair[0].curator.ledger.statement() == before


@pytest.mark.parametrize("price", ["1e-320", "1e-1000", "1e1000", "1/" + "9" * 900])
def test_24_a_price_beyond_all_use_is_answered_or_refused_by_its_name(
    pair: Pair, price: str
) -> None:
    ask = sql("SELECT COUNT(*) AS n, AVG(cost) AS m FROM visits", epsilon=price)
    one, other = views(pair, ask)
    assert one == other
    if one.error is not None:
        assert one.error[0] in ("InvalidArgumentError", "BudgetExceededError")
        assert "epsilon" in one.error[1]
        assert one.paid == ()


@pytest.mark.parametrize("wish", [5, "n", [5], {5: 5}, {"m": 5}, {"n": {}}])
def test_24_a_wish_that_is_none_is_refused(pair: Pair, wish: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="within"):
        pair[0].session().sql("SELECT COUNT(*) AS n FROM visits", within=wish)


def test_24_a_confidence_that_noise_cannot_have_is_refused_before_payment(pair: Pair) -> None:
    before = pair[0].curator.ledger.statement()
    sure = 1 - Fraction(1, 10**300)
    with pytest.raises(InvalidArgumentError, match="confidence"):
        pair[0].session().sql("SELECT AVG(cost) AS n FROM visits", epsilon=1, confidence=sure)
    assert pair[0].curator.ledger.statement() == before


# 25, 27: noise.


def test_25_no_noise_is_used_twice(tmp_path: Path) -> None:
    """Neither for two columns, nor two prices, nor two curators with one key and one data."""
    text = "SELECT x, COUNT(*) AS n, SUM(x) AS s FROM people GROUP BY x"
    drawn = []
    for place in range(2):
        world = made(tmp_path / str(place), simple(), people=crowd(1))
        for price in ("0.001", "0.0011"):
            statistics = world.session().sql(text, epsilon=price).noisy.statistics
            drawn += [tuple(values) for values in statistics]
    # A hundred draws of scales above a thousand are never alike by chance.
    assert len(set(drawn)) == len(drawn) >= 8


def test_25_noise_that_is_used_twice_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Geometric, "release", lambda _, exact, **__: exact)
    with pytest.raises(AssertionError):
        test_25_no_noise_is_used_twice(tmp_path)


def test_25_a_fork_draws_noise_of_its_own(tmp_path: Path) -> None:
    world = small(tmp_path, "{ epsilon = 1e9 }")
    noise = Geometric(10**6)
    noise.release([0])
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, repr([int(value) for value in noise.release([0] * 8)]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    mine = repr([int(value) for value in noise.release([0] * 8)])
    assert os.read(reader, 4096).decode() != mine
    world.curator.close()


@pytest.mark.parametrize("idea", ["rare keys", "many percentiles", "a slow CASE", "rare pairs"])
def test_27_the_engine_is_asked_as_often_and_as_much_in_both_worlds(pair: Pair, idea: str) -> None:
    """The time of a query is the engine's; how many there are, and their text, is ours."""
    one, other = views(pair, sql(HARMLESS[idea]))
    assert one.runs == other.runs
    assert len(one.runs) >= 1
