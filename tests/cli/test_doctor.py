"""`dp doctor`: says how things are, and what to do where they are not well."""

import json
from pathlib import Path

import pytest
from tests.cli.running import COUNT, MARKER, dp


def state(run_out: str, subject: str) -> str:
    return next(one["state"] for one in json.loads(run_out) if one["subject"] == subject)


def test_a_machine_without_a_policy_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DP_POLICY", raising=False)
    run = dp("doctor")
    assert run.code == 0
    assert "duckdb" in run.out
    assert "`dp init` writes one" in run.out


def test_a_policy_that_was_used_is_well(clinic: Path) -> None:
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    dp("prepare")
    run = dp("doctor", "--json")
    assert run.code == 0
    for subject in ("policy", "data", "folder", "ledger file", "disk", "ledger"):
        assert state(run.out, subject) == "ok", subject
    assert MARKER not in run.out
    assert (clinic / ".dp" / "ledger.db").exists()


def test_what_others_could_reach_is_to_be_mended(clinic: Path) -> None:
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    (clinic / ".dp" / "ledger.db").chmod(0o644)
    (clinic / ".dp").chmod(0o755)
    run = dp("doctor")
    assert run.code == 1
    assert f"chmod 600 {clinic}/.dp/ledger.db" in run.out
    assert f"chmod 700 {clinic}/.dp" in run.out


def test_a_damaged_ledger_or_source_is_found(clinic: Path) -> None:
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    (clinic / ".dp" / "ledger.db").write_bytes(b"torn")
    (clinic / "visits.parquet").unlink()
    run = dp("doctor", "--json")
    assert run.code == 1
    for subject in ("ledger", "data"):
        assert state(run.out, subject) == "mend"


def test_a_policy_with_a_mistake_is_found(clinic: Path) -> None:
    (clinic / "curator.toml").write_text("nonsense")
    run = dp("doctor")
    assert run.code == 1
    assert "is no TOML" in run.out


def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clinic
    extras = {"spark": ("nosuch_package", "tables beyond one machine")}
    monkeypatch.setattr("differential_privacy.audit.installation.EXTRAS", extras)
    run = dp("doctor")
    assert run.code == 0
    assert "pip install 'differential_privacy[spark]'" in run.out
