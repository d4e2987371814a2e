"""Whatever is typed, no cell of a private row is shown by a command that did not pay for it."""

from pathlib import Path

import pytest
from tests.cli.running import BY_WARD, COUNT, MARKER, dp

PRICE = ("--as", "ada", "--epsilon", "0.5")

QUESTIONS = (
    "SELECT * FROM visits",
    "SELECT note FROM visits LIMIT 1",
    "SELECT DISTINCT patient FROM visits",
    "SELECT MAX(note) FROM visits",
    "SELECT MIN(patient), COUNT(*) FROM visits",
    "SELECT COUNT(*) AS n, note FROM visits GROUP BY note",
    "SELECT note, COUNT(*) AS n FROM visits GROUP BY note HAVING COUNT(*) > -100 ORDER BY note",
    "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient",
    "SELECT COUNT(*) AS n FROM visits WHERE CAST(note AS INTEGER) = 1",
    "SELECT SUM(CAST(note AS INTEGER)) AS n FROM visits",
    "SELECT COUNT(*) FROM visits; SELECT note FROM visits",
    "SELECT COUNT(*) FROM 'visits.parquet'",
    "SELECT COUNT(*) FROM read_csv('visits.csv')",
    "SELECT error(note) FROM visits",
    "SELECT COUNT(*) FROM visits AS note(patient)",
    "WITH t AS (SELECT note FROM visits) SELECT note FROM t",
    "SELECT (SELECT MAX(note) FROM visits) AS x, COUNT(*) AS n FROM visits",
    "COPY visits TO 'out.csv'",
    "DESCRIBE visits",
    "EXPLAIN ANALYZE SELECT note FROM visits",
)

COMMANDS = (
    ("check",),
    ("check", "--json"),
    ("doctor",),
    ("prepare",),
    ("plan", BY_WARD, *PRICE, "--sql"),
    ("ask", BY_WARD, *PRICE),
    ("ask", BY_WARD, *PRICE, "--json"),
    ("ask", COUNT, "--as", "ada", "--epsilon", "100"),
    ("ledger",),
    ("ledger", "--export", "csv"),
    ("init", "visits.parquet", "--person", "patient", "--policy", "other.toml"),
    ("init", "visits.csv", "--policy", "third.toml"),
    ("init", "visits.parquet", "--person", "nosuch", "--policy", "fourth.toml"),
    ("revoke", "ada"),
)


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("command", ["plan", "ask"])
def test_questions_show_no_private_cell(clinic: Path, command: str, text: str) -> None:
    run = dp(command, text, *PRICE)
    assert MARKER not in run.out + run.err
    assert run.code in (0, 2, 3)
    assert run.err.count("\n") <= 1 or run.code == 0
    assert not (clinic / "out.csv").exists()


@pytest.mark.parametrize("args", COMMANDS, ids=" ".join)
def test_commands_show_no_private_cell(clinic: Path, args: tuple[str, ...]) -> None:
    run = dp(*args)
    assert MARKER not in run.out + run.err
    assert "fault" not in run.err
    for name in ("other.toml", "third.toml"):
        if (clinic / name).exists():
            assert MARKER not in (clinic / name).read_text()


def test_a_command_that_showed_a_cell_would_be_caught(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del clinic

    def telling(*_: object) -> None:
        raise ValueError(f"cannot cast {MARKER}-7")

    monkeypatch.setattr("differential_privacy.cli.ask.paying", telling)
    run = dp("ask", COUNT, *PRICE)
    assert run.code == 8
    assert MARKER not in run.err
    monkeypatch.setattr("differential_privacy.cli.entry._place", str)
    assert MARKER in dp("ask", COUNT, *PRICE).err
