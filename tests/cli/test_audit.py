"""`dp audit`: a curator that keeps its promises is well, and one that does not is found."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import COUNT, MARKER, dp

from differential_privacy.release import Door


def test_a_curator_that_keeps_its_promises_is_well(clinic: Path) -> None:
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    before = dp("ledger", "--json").out
    run = dp("audit", "--as", "ada")
    assert run.code == 0
    assert "a strange person who is there or not changes noisy numbers alone" in run.out
    assert "a belief that somebody is in it can grow" in run.out
    assert "asked 20 times, it gave 1 answer, free" in run.out
    assert "then refused with 9" in run.out
    assert "draws tell an epsilon of" in run.out
    assert "a copy without its last entry is refused" in run.out
    assert MARKER not in run.out + run.err
    # Nothing of the curator's own was spent, and no copy is left behind.
    assert dp("ledger", "--json").out == before
    assert [path.name for path in clinic.glob("*with*")] == []


def test_an_analyst_without_private_tables_has_nothing_to_attack(clinic: Path) -> None:
    del clinic
    run = dp("audit", "--as", "bob")
    assert run.code == 0
    assert "may ask no private table" in run.out


def test_what_is_wrong_is_told_and_is_an_exit_code(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clinic
    true = Door._groups

    def groups(door: Door, plan: Any, exact: Mapping[Any, Any]) -> list[Any]:
        return [group for group in true(door, plan, exact) if group in exact]

    monkeypatch.setattr(Door, "_groups", groups)
    monkeypatch.setattr("differential_privacy.audit.copies.ROWS_OF_ONE", 1)
    run = dp("audit", "--as", "ada", "--json")
    found = json.loads(run.out)
    wrong = [one for one in found["attacks"]["ada"] if one["state"] == "mend"]
    assert run.code == 1
    assert any("groups differs" in one["told"] for one in wrong)


def test_nobody_attacks_who_is_not_in_the_policy(clinic: Path) -> None:
    del clinic
    run = dp("audit", "--as", "eve")
    assert run.code != 0
    assert "must be one of the policy's: ada, bob" in run.err


def test_a_ledger_that_forgets_without_notice_is_found(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where nothing holds how far it had come: here nothing is cut, so nothing is noticed."""
    del clinic
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    monkeypatch.setattr("differential_privacy.audit.rollback.CUT", "SELECT 1")
    run = dp("audit", "--as", "bob", "--json")
    states = {one["subject"]: one["state"] for one in json.loads(run.out)["installation"]}
    assert states["rollback"] == "mend"
    assert run.code == 1
