"""A number that the curator lowers in the policy holds from the next opening on, everywhere."""

from pathlib import Path
from typing import Any

import pytest
from tests.curator.wards import written

import differential_privacy as dp
from differential_privacy.errors import BudgetExceededError, PolicyError
from differential_privacy.ledger import Entry, Ledger
from differential_privacy.privacy import ApproximateLoss, PureLoss

COUNT = "SELECT COUNT(*) FROM visits"
PART = "SELECT COUNT(*) FROM homes WHERE region = 'north'"


def lowered(curator: dp.Curator) -> list[Entry]:
    return [one for one in curator.ledger.statement().entries if one.kind == "lower"]


def ask(curator: dp.Curator, epsilon: str, text: str = COUNT, project: str | None = None) -> bool:
    """Whether there was an answer; nothing but a budget may be against it."""
    try:
        curator.session("ada", project=project).sql(text, epsilon=epsilon)
    except BudgetExceededError:
        return False
    return True


def assert_holds(folder: Path, name: str, text: str, project: str | None) -> None:
    """Of 1 half is spent; then the file says 0.75, and then 0.25."""
    with dp.Curator(written(folder, **{name: "{ epsilon = 1 }"})) as curator:
        assert ask(curator, "0.5", text, project)
    with dp.Curator(written(folder, **{name: "{ epsilon = 0.75 }"})) as curator:
        assert not ask(curator, "0.3", text, project)
        assert ask(curator, "0.2", text, project)
    with dp.Curator(written(folder, **{name: "{ epsilon = 0.25 }"})) as curator:
        assert not ask(curator, "0.01", text, project)
        assert ask(curator, "0.5", text, project), "what was answered stays free"


CASES = [
    ("VISITS", COUNT, None),
    ("HOMES", PART, None),
    ("ADA", COUNT, None),
    ("PROJECT", COUNT, "flu"),
]


@pytest.mark.parametrize(("name", "text", "project"), CASES)
def test_a_lowered_budget_holds_for_what_is_left_of_it(
    tmp_path: Path, name: str, text: str, project: str | None
) -> None:
    assert_holds(tmp_path, name, text, project)


def test_a_budget_that_only_the_file_lowers_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgotten(*_: Any, **__: Any) -> None:
        pass

    monkeypatch.setattr(Ledger, "lower", forgotten)
    with pytest.raises(AssertionError):
        assert_holds(tmp_path, *CASES[0])


def test_it_is_recorded_once_with_who_and_why(tmp_path: Path) -> None:
    dp.Curator(written(tmp_path)).close()
    policy = written(tmp_path, VISITS="{ epsilon = 2, delta = 1e-6 }")
    for _ in range(3):
        with dp.Curator(policy) as curator:
            (entry,) = lowered(curator)
            assert entry.body["budget"] == {"approximate": {"epsilon": "2", "delta": "1e-06"}}
            assert entry.body["who"] == "the policy"
            assert entry.body["why"] == "tables.visits.budget says so"
            curator.ledger.verify()


def test_a_policy_that_is_refused_lowers_nothing(tmp_path: Path) -> None:
    dp.Curator(written(tmp_path, BOB="{ epsilon = 1 }")).close()
    for wrong in ("{ epsilon = 2 }", "{ rho = 1 }"):
        with pytest.raises(PolicyError):
            dp.Curator(written(tmp_path, VISITS="{ epsilon = 2, delta = 1e-6 }", BOB=wrong))
    with dp.Curator(written(tmp_path, BOB="{ epsilon = 1 }")) as curator:
        assert lowered(curator) == []


def test_a_curator_that_was_open_before_is_bound_too(tmp_path: Path) -> None:
    with dp.Curator(written(tmp_path, VISITS="{ epsilon = 2 }")) as old:
        assert ask(old, "0.5")
        with dp.Curator(written(tmp_path, VISITS="{ epsilon = 1 }")) as new:
            assert not ask(old, "0.6")
            assert ask(old, "0.25")
            assert ask(new, "0.25", "SELECT SUM(age) FROM visits")
            assert not ask(old, "0.01")
            assert new.session("ada").account.spent == ApproximateLoss(1, 0)


def test_raising_it_again_takes_a_grant(tmp_path: Path) -> None:
    dp.Curator(written(tmp_path, VISITS="{ epsilon = 2 }")).close()
    dp.Curator(written(tmp_path, VISITS="{ epsilon = 1 }")).close()
    policy = written(tmp_path, VISITS="{ epsilon = 2 }")
    with pytest.raises(PolicyError, match="`dp grant` records a larger one"):
        dp.Curator(policy)
    with dp.Curator(written(tmp_path, VISITS="{ epsilon = 1 }")) as curator:
        (account,) = curator.accounts.of_table(curator.policy.tables["visits"])
        curator.ledger.grant(account, PureLoss(2))
    with dp.Curator(written(tmp_path, VISITS="{ epsilon = 2 }")) as curator:
        assert ask(curator, "1.5")


def test_a_delta_that_nobody_states_is_a_part_of_the_lowered_one(tmp_path: Path) -> None:
    dp.Curator(written(tmp_path)).close()
    text = "SELECT note, COUNT(*) FROM visits GROUP BY note"
    with dp.Curator(written(tmp_path, ADA="{ epsilon = 5, delta = 1e-9 }")) as curator:
        loss = curator.session("ada").plan(text, epsilon=1).loss
        assert loss == ApproximateLoss(1, "2e-10")
