"""What else is sold: a range where none is declared, and the share of rows that is left out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import differential_privacy as dp
from differential_privacy.errors import QuestionError

POLICY = """
[tables.t]
path = "t.csv"
person = "person"
bounds = [{ groups = 2, rows_per_group = 1 }]
budget = { epsilon = 1000000000000 }

[tables.t.columns]
person = "integer"
ward = { type = "text", categories = ["a", "b", "c", "d"], nullable = false }
cost = "number"

[tables.r]
path = "r.csv"
person = "row"
budget = { epsilon = 1000000000000 }

[tables.r.columns]
x = "integer"

[analysts.ada]
budget = { epsilon = 1000000000000 }
"""
SURE = 10**9


@pytest.fixture
def session(tmp_path: Path) -> Iterator[dp.Session]:
    # Each of 50 people has one row in each of four wards: half of all rows is left out.
    rows = [f"{n},{ward},{n * 2}" for n in range(50) for ward in "abcd"]
    (tmp_path / "t.csv").write_text("person,ward,cost\n" + "\n".join(rows) + "\n")
    (tmp_path / "r.csv").write_text("x\n1\n2\n")
    (tmp_path / "curator.toml").write_text(POLICY)
    with dp.Curator(tmp_path / "curator.toml") as curator:
        yield curator.session("ada")


def test_the_share_of_rows_that_bounds_leave_out_is_told(session: dp.Session) -> None:
    answer = session.lost("SELECT ward, COUNT(*) FROM t GROUP BY ward", epsilon=SURE)
    assert answer.columns["lost"] == [pytest.approx(0.5)]
    assert answer.columns["lost_low"][0] <= 0.5 <= answer.columns["lost_high"][0]


def test_without_groups_as_many_rows_are_left_as_in_all_groups(session: dp.Session) -> None:
    answer = session.lost("SELECT COUNT(*) FROM t", epsilon=SURE)
    assert answer.columns["lost"] == [pytest.approx(0.5)]


def test_where_each_row_is_a_person_nothing_is_lost(session: dp.Session) -> None:
    with pytest.raises(QuestionError, match="each row is a person"):
        session.lost("SELECT COUNT(*) FROM r", epsilon=1)


def test_what_is_lost_is_paid_for(session: dp.Session) -> None:
    session.lost("SELECT COUNT(*) FROM t", epsilon=0.25)
    assert session.account.spent == dp.PureLoss(0.25)


def test_a_range_is_powers_of_two_around_the_values(session: dp.Session) -> None:
    found = session.range("t", "cost", epsilon=SURE)
    # The costs are 0 to 98, and MIN is the lowest that more than one person can have.
    assert 0 <= found.lower <= 2
    assert found.upper == 128


def test_a_range_below_zero_has_its_ends_in_order(session: dp.Session) -> None:
    found = session.range("t", "cost - 50", epsilon=SURE)
    assert (found.lower, found.upper) == (-64, 64)


def test_a_bought_range_makes_a_sum_possible(session: dp.Session) -> None:
    with pytest.raises(QuestionError, match="no stated range"):
        session.plan("SELECT SUM(cost) FROM t", epsilon=1)
    held = session.range("t", "cost", epsilon=SURE).clamp("cost")
    question = f"SELECT SUM({held}) FROM t"
    assert session.plan(question, epsilon=1).expected()
