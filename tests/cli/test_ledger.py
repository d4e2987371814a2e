"""`dp ledger`, `dp grant`, `dp revoke`: what was spent, what may be, and that it checks out."""

import csv
import io
import json
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest
from tests.cli.running import BY_WARD, COUNT, MARKER, dp, in_terminal

ADA = ("--as", "ada", "--epsilon", "0.5")


@pytest.fixture
def used(clinic: Path) -> Path:
    assert dp("ask", COUNT, *ADA).code == 0
    assert dp("ask", BY_WARD, *ADA).code == 0
    return clinic


def test_the_ledger_shows_accounts_and_entries_by_name(used: Path) -> None:
    del used
    run = dp("ledger")
    assert run.code == 0
    for told in ("visits", "epsilon 2 of 3", "ada", "epsilon 1 of 2", "ada:trial", "opened bob"):
        assert told in run.out
    assert "SELECT COUNT(*) AS n FROM visits" in run.out
    assert "data:" not in run.out
    assert max(map(len, run.out.splitlines())) <= 90


def test_one_account_alone(used: Path) -> None:
    del used
    told = dp("ledger", "--account", "bob", "--json").json
    assert [one["account"] for one in told["accounts"]] == ["bob"]
    assert {entry["kind"] for entry in told["entries"]} == {"open"}
    mistaken = dp("ledger", "--account", "adaa")
    assert mistaken.code == 2
    assert "visits, ada" in mistaken.err


def test_the_ledger_for_machines_is_exact(used: Path) -> None:
    del used
    told = dp("ledger", "--json").json
    by_name = {one["account"]: one for one in told["accounts"]}
    assert by_name["ada"]["left"]["approximate"] == {"epsilon": "1", "delta": "1e-06"}
    assert by_name["ada:trial"]["parent"] == "analyst:ada"
    numbers = [entry["sequence"] for entry in told["entries"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_ledger_that_nobody_used_is_told_as_such(clinic: Path) -> None:
    del clinic
    assert "nothing yet" in dp("ledger").err


def test_the_ledger_needs_no_data(used: Path) -> None:
    (used / "visits.parquet").unlink()
    run = dp("ledger")
    assert run.code == 0
    assert "epsilon 1 of 2" in run.out
    assert dp("ledger", "--verify").code == 0


def test_the_export_can_be_verified_by_hand(used: Path) -> None:
    del used
    lines = dp("ledger", "--export", "json").out.splitlines()
    assert len(lines) > 8
    for line in lines:
        told = json.loads(line)
        previous, found = told.pop("previous"), told.pop("hash")
        text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert sha256(f"{previous}\n{text}".encode()).hexdigest() == found


def test_the_export_is_a_table_too(used: Path) -> None:
    del used
    rows = list(csv.DictReader(io.StringIO(dp("ledger", "--export", "csv").out)))
    kinds = [row["kind"] for row in rows]
    assert [kinds.count(kind) for kind in ("open", "spend", "answer")] == [4, 2, 2]


def test_verification_tells_what_was_checked(used: Path) -> None:
    del used
    assert "entries and 2 answers" in dp("ledger", "--verify").out
    told = dp("ledger", "--verify", "--json").json
    assert told["entries"] == len(dp("ledger", "--export", "json").out.splitlines())
    assert told["answers"] == 2
    assert len(told["head"]["hash"]) == 64


def test_an_entry_that_was_changed_is_found(used: Path) -> None:
    with sqlite3.connect(used / ".dp" / "ledger.db") as connection:
        connection.execute("UPDATE entries SET text = replace(text, '0.5', '0.1')")
    connection.close()
    for args in (("--verify",), (), ("--export", "json")):
        run = dp("ledger", *args)
        assert run.code == 5
        assert run.out == ""
        assert "does not check out" in run.err


def test_an_analyst_cannot_write_to_the_terminal_of_whoever_reads_the_ledger(clinic: Path) -> None:
    del clinic
    text = "SELECT COUNT(*) AS n FROM visits WHERE note = '\x1b]0;owned\x07'"
    dp("ask", text, *ADA)
    for shown in (dp("ledger").out, dp("ledger", "--json").out):
        assert "\x1b" not in shown
        assert "\x07" not in shown


def test_a_grant_is_kept_and_asked_from(used: Path) -> None:
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "1.5").code == 4
    run = dp("grant", "ada", "--epsilon", "5/2", "--delta", "1e-6")
    assert run.code == 0
    assert "epsilon 1.5 of 2.5" in run.out
    assert "curator.toml" in run.err
    say(used, "epsilon = 2.5, delta")
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "1.5").code == 0


def test_the_smaller_of_policy_and_grant_holds(used: Path) -> None:
    assert dp("grant", "ada", "--epsilon", "5/2", "--delta", "1e-6").code == 0
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "1.5").code == 4
    say(used, "epsilon = 1.25, delta")
    run = dp("ask", COUNT, "--as", "ada", "--epsilon", "0.5")
    assert run.code == 0, "what was answered stays free"
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "0.26").code == 4
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "0.25").code == 0
    (account,) = dp("ledger", "--account", "ada", "--json").json["accounts"]
    assert account["budget"]["approximate"]["epsilon"] == "1.25"
    say(used, "epsilon = 2, delta")
    run = dp("ask", BY_WARD, *ADA)
    assert run.code == 2
    assert "dp grant" in run.err


def say(folder: Path, budget: str) -> None:
    """Changes what the policy says of ada's budget."""
    file = folder / "curator.toml"
    head, mark, tail = file.read_text().partition("[analysts.ada]\nbudget = { ")
    assert mark
    file.write_text(f"{head}{mark}{budget}{tail[tail.index(', delta') + len(', delta') :]}")


def test_a_policy_that_says_more_than_was_granted_names_the_command_that_mends_it(
    used: Path,
) -> None:
    file = used / "curator.toml"
    file.write_text(file.read_text().replace("epsilon = 3, delta", "epsilon = 4, delta"))
    run = dp("ask", COUNT, *ADA)
    assert run.code == 2
    assert "dp grant" in run.err
    assert dp("grant", "visits", "--epsilon", "4", "--delta", "1e-6").code == 0
    assert dp("ask", COUNT, *ADA).code == 0


def test_a_revoked_account_pays_for_nothing_until_a_grant(used: Path) -> None:
    del used
    run = dp("revoke", "ada", "--json")
    assert run.json == {"account": "ada", "revoked": True}
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "0.01").code == 4
    assert dp("ask", COUNT, *ADA).code == 0, "what was answered stays free"
    assert dp("grant", "ada", "--epsilon", "2", "--delta", "1e-6").code == 0
    assert dp("ask", COUNT, "--as", "ada", "--epsilon", "0.01").code == 0


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("grant", "adaa", "--epsilon", "1"), "visits, ada"),
        (("grant", "ada"), "--epsilon"),
        (("grant", "ada", "--epsilon", "1", "--rho", "1"), "--rho"),
        (("grant", "ada", "--rho", "9"), "measure that ada"),
        (("grant", "ada", "--epsilon", "1", "--delta", "1e-6"), "must not be below"),
        (("grant", "ada", "--epsilon", "-3"), "epsilon"),
        (("revoke", "adaa"), "visits, ada"),
    ],
)
def test_a_mistaken_grant_changes_nothing(used: Path, args: tuple[str, ...], named: str) -> None:
    del used
    before = dp("ledger", "--export", "json").out
    run = dp(*args)
    assert run.code == 2
    assert named in run.err
    assert len(run.err.splitlines()) == 1
    assert dp("ledger", "--export", "json").out == before


def test_accounts_that_were_never_opened_are_the_policy_s_to_change(clinic: Path) -> None:
    del clinic
    for args in (("grant", "ada", "--epsilon", "9", "--delta", "1e-6"), ("revoke", "ada")):
        run = dp(*args)
        assert run.code == 2
        assert "curator.toml" in run.err


def test_a_terminal_is_asked_before_a_grant_and_a_revocation(used: Path) -> None:
    grant = ("grant", "ada", "--epsilon", "5", "--delta", "1e-6")
    assert "nothing was done" in in_terminal(used, *grant, answers=(("Grant it?", "n"),))
    assert "can grow" in in_terminal(used, *grant, answers=(("Grant it?", "y"),))
    assert "epsilon 4 of 5" in dp("ledger").out
    revoked = in_terminal(used, "revoke", "ada", answers=(("from ada?", "y"),))
    assert "revoked" in revoked


def test_nothing_of_a_row_is_in_the_ledger(used: Path) -> None:
    del used
    for args in ((), ("--json",), ("--export", "json"), ("--export", "csv")):
        assert MARKER not in dp("ledger", *args).out
