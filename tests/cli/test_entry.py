"""The command itself: help, exit codes, errors in one line, completion."""

# ruff: noqa: S603 - programs of our own

import json
import os
import resource
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import pytest
from tests.cli.running import COUNT, dp

from differential_privacy import errors
from differential_privacy.cli.entry import COMMANDS
from differential_privacy.cli.outcomes import FAULT, OUTCOMES, outcome_of

DP = str(Path(sys.executable).parent / "dp")
WIDTH = 80


def test_help_tells_commands_exit_codes_and_completion() -> None:
    run = dp("--help")
    assert run.code == 0
    assert all(name in run.out and told in run.out for name, told in COMMANDS.items())
    assert all(told in run.out for told in OUTCOMES.values())
    assert "_DP_COMPLETE=bash_source" in run.out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_examples_and_fits_a_terminal(name: str) -> None:
    run = dp(name, "--help")
    assert run.code == 0
    assert f"  dp {name}" in run.out.partition("Examples:")[2]
    assert max(map(len, run.out.splitlines())) <= WIDTH
    assert "--json" in run.out


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_help_name_only_options_that_there_are(name: str) -> None:
    command = import_module(f"differential_privacy.cli.{name}").command
    known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    lines = str(command.epilog).partition("Examples:")[2].splitlines()
    used = {word for line in lines for word in line.split() if word.startswith("--")}
    assert used <= known


def test_help_costs_less_than_a_third_of_a_second() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([DP, "--help"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.3


def test_the_version_is_told() -> None:
    assert dp("--version").out.startswith("dp 0.")


def test_without_a_command_help_is_shown() -> None:
    run = dp()
    assert run.code == 2
    assert "Commands:" in run.err


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["aks"], "did you mean ask?"),
        (["frobnicate"], "only init, check"),
        (["ask", COUNT, "--epsilo", "1"], "--epsilon"),
        (["ask"], "SQL"),
        (["ask", COUNT], "--epsilon 0.1, or --within"),
        (["plan", COUNT, "--within", "fifty"], "as n=50"),
        (["ledger", "--export", "xml"], "csv"),
        (["init"], "name a file"),
    ],
)
def test_a_slip_of_the_keyboard_is_told_in_one_line(
    clinic: Path, args: list[str], named: str
) -> None:
    del clinic
    run = dp(*args)
    assert run.code == 2
    assert run.out == ""
    assert len(run.err.splitlines()) == 1
    assert named in run.err


@pytest.mark.parametrize("kind", errors.__all__)
def test_every_error_of_ours_has_an_exit_code(kind: str) -> None:
    code = outcome_of(getattr(errors, kind))
    assert code in OUTCOMES
    assert (code == FAULT) == (kind == "DifferentialPrivacyError")


def test_every_exit_code_but_success_is_some_error() -> None:
    found = {outcome_of(getattr(errors, kind)) for kind in errors.__all__}
    assert found | {0, 1} == set(OUTCOMES)


def test_errors_are_objects_for_machines(clinic: Path) -> None:
    del clinic
    run = dp("ask", "SELECT * FROM visits", "--as", "ada", "--epsilon", "1", "--json")
    assert run.out == ""
    told = json.loads(run.err)
    assert told["code"] == run.code == 3
    assert told["meaning"] == OUTCOMES[3]


def test_what_nobody_foresaw_is_told_by_its_place_alone(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clinic

    def broken(*_: object) -> None:
        raise KeyError("private value")

    monkeypatch.setattr("differential_privacy.cli.check.read_policy", broken)
    run = dp("check")
    assert run.code == FAULT
    assert "private value" not in run.err
    assert "KeyError at " in run.err
    assert len(run.err.splitlines()) == 1


def test_no_error_shows_a_traceback_and_an_interruption_is_told(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clinic

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("differential_privacy.cli.check.read_policy", interrupted)
    run = dp("check")
    assert run.code == 1
    assert "stopped" in run.err


def test_a_policy_that_cannot_be_read_is_told(clinic: Path) -> None:
    (clinic / "curator.toml").unlink()
    (clinic / "curator.toml").mkdir()
    assert dp("check").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_written_for_every_shell(shell: str) -> None:
    environment = {**os.environ, "_DP_COMPLETE": f"{shell}_source"}
    found = subprocess.run([DP], env=environment, capture_output=True, text=True, check=False)
    assert "dp" in found.stdout


def test_commands_and_options_are_completed() -> None:
    def completed(words: str) -> str:
        environment = {
            **os.environ,
            "_DP_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        }
        return subprocess.run(
            [DP], env=environment, capture_output=True, text=True, check=False
        ).stdout

    assert "plain,plan" in completed("dp pl")
    assert "plain,--epsilon" in completed("dp ask --eps")
    assert completed("dp nosuch --eps").strip() == ""


def test_whoever_stops_reading_stops_the_command_quietly(clinic: Path) -> None:
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "1").code == 0
    line = f"{DP} ledger --export json | head -c 1"
    found = subprocess.run(["bash", "-c", line], cwd=clinic, capture_output=True, check=False)  # noqa: S607
    assert found.stdout == b"{"
    assert b"Traceback" not in found.stderr


def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = clinic / "curator.toml"
    engine = '[engine]\nname = "postgres"\ndsn = "postgresql://nowhere"\n'
    file.write_text(
        engine + file.read_text().replace('path = "visits.parquet"', 'table = "visits"')
    )

    def missing(_: str) -> None:
        raise ImportError

    monkeypatch.setattr("differential_privacy.sources.postgres.import_module", missing)
    run = dp("plan", COUNT, "--as", "ada", "--epsilon", "1")
    assert run.code == 7
    assert "pip install 'differential_privacy[postgres]'" in run.err


def test_every_command_is_one() -> None:
    for name in COMMANDS:
        assert isinstance(import_module(f"differential_privacy.cli.{name}").command, click.Command)
