"""`dp demo`: a hospital of nobody, its questions, an attack that fails, a budget that ends."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Run, dp

from differential_privacy.cli.demonstration import QUESTIONS
from differential_privacy.cli.hospital import Hospital

WIDTH = 80


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    """A hospital of a fiftieth of the size, which needs a fiftieth of the time."""
    with pytest.MonkeyPatch.context() as patch:
        sizes = Hospital.make.__kwdefaults__
        assert sizes is not None
        patch.setitem(sizes, "visits", 20_000)
        patch.setitem(sizes, "patients", 2_000)
        yield


@pytest.fixture(scope="module")
def shown(small: None) -> Run:
    del small
    return dp("demo")


@pytest.fixture(scope="module")
def told(small: None) -> Any:
    del small
    return dp("demo", "--json").json


def test_it_answers_a_dozen_questions_of_all_kinds(told: Any) -> None:
    assert len(told["questions"]) >= 12
    texts = " ".join(one["question"] for one in told["questions"])
    for word in ("COUNT(*)", "SUM", "AVG", "MEDIAN", "JOIN", "HAVING", "ORDER BY", "FROM (SELECT"):
        assert word in texts


def test_error_bars_hold_the_truth_about_as_often_as_they_promise(told: Any) -> None:
    held = [one for question in told["questions"] for one in question["held"]]
    assert len(held) > 40
    # Of fifty that hold with chance 0.95 each, fewer than 33 do with chance 1e-10.
    assert sum(held) >= 0.66 * len(held)


def test_asking_again_gains_nothing(told: Any) -> None:
    assert told["repeated"] is True
    attack = told["attack"]
    assert attack["same"]
    assert attack["reworded"]
    assert 2 <= attack["bought"] <= 10
    assert "this needs epsilon" in attack["refusal"]


def test_people_are_not_shown_and_the_budget_ends(told: Any) -> None:
    assert len(told["refused"]) >= 4
    assert all("nothing was spent" in reason for reason in told["refused"].values())
    assert "ada: this needs epsilon" in told["spent"][-1]["told"]


def test_what_it_shows_fits_a_terminal_and_has_the_truth_beside(shown: Run) -> None:
    assert shown.code == 0
    assert all(asked.about in shown.out for asked in QUESTIONS)
    assert max(map(len, shown.out.splitlines())) <= WIDTH
    assert shown.out.count("truth") > len(QUESTIONS)
    assert "averaging gains nothing" in shown.out


def test_a_folder_keeps_the_hospital_to_be_asked_on(small: None, tmp_path: Path) -> None:
    del small
    folder = tmp_path / "hospital"
    run = dp("demo", "--folder", folder)
    assert run.code == 0
    assert "To ask on" in run.out
    policy = ("--policy", folder / "curator.toml")
    asked = dp(
        "ask", "SELECT COUNT(*) AS n FROM visits", "--as", "zoe", "--epsilon", "0.01", *policy
    )
    assert asked.code == 0
    assert dp("ledger", "--verify", *policy).code == 0
    assert dp("demo", "--folder", folder).code == 2


def test_the_hospital_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    made = [Hospital(tmp_path / name) for name in ("one", "two")]
    for hospital in made:
        hospital.make(visits=5000, patients=500)
    question = "SELECT COUNT(*), SUM(patient), SUM(nights), MIN(day), SUM(cost) FROM visits"
    assert made[0].truth(question) == made[1].truth(question)
