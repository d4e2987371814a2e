"""`dp prepare`: ranks rows once; no answer changes by it."""

from pathlib import Path

from tests.cli.conftest import POLICY
from tests.cli.running import BY_WARD, MARKER, dp, in_terminal


def test_tables_are_prepared_and_questions_read_what_was_kept(clinic: Path) -> None:
    del clinic
    price = ("--as", "ada", "--epsilon", "0.5")
    assert "READ_PARQUET" in dp("plan", BY_WARD, *price, "--sql").out
    run = dp("prepare")
    assert run.code == 0
    assert "visits" in run.out
    assert "wards" not in run.out
    assert MARKER not in run.out + run.err
    assert "READ_PARQUET" not in dp("plan", BY_WARD, *price, "--sql").out


def test_an_answer_that_was_paid_stays_free_once_its_table_is_prepared(clinic: Path) -> None:
    del clinic
    price = ("--as", "ada", "--epsilon", "0.5", "--json")
    first = dp("ask", BY_WARD, *price).json
    assert dp("prepare", "visits", "--json").json == {"prepared": ["visits"]}
    again = dp("ask", BY_WARD, *price).json
    assert again["repeated"] is True
    assert again["columns"] == first["columns"]


def test_a_table_that_has_nothing_to_rank_is_refused_by_name(clinic: Path) -> None:
    del clinic
    for name in ("wards", "nosuch"):
        run = dp("prepare", name)
        assert run.code == 2
        assert "visits" in run.err


def test_where_rows_are_people_there_is_nothing_to_prepare(clinic: Path) -> None:
    rows = POLICY.replace('person = "patient"\nbounds = [{ rows = 5 }]', 'person = "row"')
    (clinic / "curator.toml").write_text(rows)
    run = dp("prepare")
    assert run.code == 0
    assert "nothing to prepare" in run.err


def test_a_terminal_sees_progress(clinic: Path) -> None:
    assert "ranking visits" in in_terminal(clinic, "prepare")
