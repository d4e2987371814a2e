"""An answer is given again for the same data under the same declaration, and for nothing else."""

import os
from pathlib import Path

import duckdb
import pytest
from tests.curator.wards import written

import differential_privacy as dp
from differential_privacy.errors import QuestionError

COUNTED = "SELECT COUNT(*) FROM visits WHERE cost > 5"
PRICES = "SELECT COUNT(*) FROM items WHERE price > 2"
BEDS = "SELECT beds, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY beds"


def repeated(policy: Path, text: str) -> bool:
    with dp.Curator(policy) as curator:
        return curator.session("ada").sql(text, epsilon="0.1").repeated


def touched(path: Path) -> None:
    """Written anew, as far as anybody can see from outside."""
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 10**9))


@pytest.mark.parametrize("text", [COUNTED, PRICES, BEDS])
def test_a_question_is_repeated_after_the_curator_was_closed(tmp_path: Path, text: str) -> None:
    policy = written(tmp_path)
    assert not repeated(policy, text)
    assert repeated(policy, text)


@pytest.mark.parametrize(
    ("text", "file", "again"),
    [
        (COUNTED, "visits", False),
        (COUNTED, "items", True),
        (COUNTED, "wards", True),
        (PRICES, "items", False),
        # Whose the items are is told by the visits.
        (PRICES, "visits", False),
        (BEDS, "wards", False),
    ],
)
def test_only_data_that_a_question_reads_make_it_a_new_one(
    *, tmp_path: Path, text: str, file: str, again: bool
) -> None:
    policy = written(tmp_path)
    repeated(policy, text)
    touched(tmp_path / f"{file}.parquet")
    assert repeated(policy, text) is again


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ("range = [0, 10], step = 0.5", "range = [0, 4], step = 0.5", False),
        ("range = [0, 10], step = 0.5", "range = [0, 10], step = 0.25", False),
        (
            'path = "visits.parquet"\nperson = "person"',
            'path = "visits.parquet"\nperson = "id"',
            False,
        ),
        ("range = [0, 4], nullable", "range = [0, 5], nullable", True),
        ("[analysts.bob]", "[analysts.carl]\nbudget = { epsilon = 1 }\n[analysts.bob]", True),
    ],
)
def test_a_table_that_is_declared_otherwise_makes_a_new_question(
    *, tmp_path: Path, old: str, new: str, again: bool
) -> None:
    """A range that was wrong is not wrong for ever, because somebody asked before it was mended."""
    policy = written(tmp_path)
    repeated(policy, COUNTED)
    text = policy.read_text()
    assert old in text
    policy.write_text(text.replace(old, new, 1))
    assert repeated(policy, COUNTED) is again


def test_preparing_a_table_asks_nothing_anew(tmp_path: Path) -> None:
    policy = written(tmp_path)
    repeated(policy, COUNTED)
    with dp.Curator(policy) as curator:
        curator.prepare()
        assert curator.session("ada").sql(COUNTED, epsilon="0.1").repeated


def test_a_plan_is_of_the_public_tables_that_it_was_made_with(tmp_path: Path) -> None:
    """A public range that grew since would let one person count for more than was planned."""
    with dp.Curator(written(tmp_path)) as curator:
        ada = curator.session("ada")
        text = BEDS.replace("beds, COUNT(*)", "SUM(beds * cost)").replace("GROUP BY beds", "")
        plan = ada.plan(text, epsilon="0.1")
        with duckdb.connect() as connection:
            rows = "SELECT * FROM (VALUES ('a', 3), ('b', 5000)) AS w(ward, beds)"
            connection.execute(f"COPY ({rows}) TO '{tmp_path}/wards.parquet' (FORMAT PARQUET)")
        with pytest.raises(QuestionError, match="plan it again"):
            ada.buy(plan)
        (newer,) = ada.plan(text, epsilon="0.1").expected()
        assert newer.error > 500 * plan.expected()[0].error
