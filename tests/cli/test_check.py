"""`dp check`: what is protected, in words; what is wrong; and the data, for the curator alone."""

from pathlib import Path

import duckdb
import pytest
from tests.cli.conftest import POLICY
from tests.cli.running import COUNT, MARKER, dp


def change(folder: Path, old: str, new: str) -> None:
    assert old in POLICY
    (folder / "curator.toml").write_text(POLICY.replace(old, new))


def test_who_is_protected_and_what_it_means_is_told_in_words(clinic: Path) -> None:
    del clinic
    run = dp("check")
    assert run.code == 0
    for told in (
        "each person, as patient tells them apart",
        "5 rows a person",
        "epsilon 3, delta 1e-06, all analysts together",
        "from 50 % to",
        "100,000 people",
        "anyone may know all of it",
        "epsilon 0.5, delta 1e-07",
    ):
        assert told in run.out


def test_owners_behind_foreign_keys_are_told(clinic: Path) -> None:
    lines = (
        '[tables.items]\npath = "visits.csv"\n'
        'person = { key = "note", table = "visits", references = "note" }\n'
        "bounds = [{ rows = 5 }]\nbudget = { epsilon = 3, delta = 1e-6 }\n"
        '[tables.items.columns]\nnote = "text"\n'
    )
    change(clinic, "[analysts.ada]", f"{lines}\n[analysts.ada]")
    run = dp("check")
    assert run.code == 0, run.err
    assert "each person, as visits.patient, by note -> visits.note" in " ".join(run.out.split())


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('age = { type = "integer"', 'agee = { type = "integer"', "agee"),
        ('weight = "number"', 'weight = "date"', "weight"),
        ("visits.parquet", "nosuch.parquet", "nosuch.parquet"),
        ('person = "patient"', 'person = "patiens"', "patiens"),
        ('note = "text"', 'note = "texts"', "note"),
        ("[tables.visits]", "[tabels.visits]", "did you mean tables?"),
    ],
)
def test_what_breaks_a_rule_is_told_with_its_key(
    clinic: Path, old: str, new: str, named: str
) -> None:
    change(clinic, old, new)
    run = dp("check")
    assert run.code == 2
    assert named in run.err
    assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "warned"),
    [
        ("epsilon = 3, delta", "epsilon = 8, delta", "epsilon 8 is much"),
        ("epsilon = 2, delta = 1e-6", "epsilon = 2, delta = 1e-3", "delta 0.001 is much"),
        (", range = [0, 120], nullable = false", "", "CLAMP(x, low, high): age, weight"),
    ],
)
def test_what_is_allowed_but_doubtful_is_warned_of(
    clinic: Path, old: str, new: str, warned: str
) -> None:
    change(clinic, old, new)
    run = dp("check", "--json")
    assert run.code == 0
    assert any(warned in one for one in run.json["warnings"])


def test_a_policy_that_nobody_may_ask_is_warned_of(clinic: Path) -> None:
    (clinic / "curator.toml").write_text(POLICY.partition("[analysts.ada]")[0])
    assert "nobody may ask yet" in dp("check").out


def test_where_policy_and_ledger_differ_it_is_told(clinic: Path) -> None:
    dp("ask", COUNT, "--as", "ada", "--epsilon", "0.1")
    change(clinic, "epsilon = 3, delta", "epsilon = 2.5, delta")
    assert "the policy says epsilon 2.5" in dp("check").out
    dp("revoke", "ada")
    assert "ada: revoked in the ledger" in dp("check").out


def test_copies_under_other_names_are_refused(clinic: Path) -> None:
    (clinic / "copy.parquet").write_bytes((clinic / "visits.parquet").read_bytes())
    copied = POLICY.partition("[tables.wards]")[0].replace("visits", "copy")
    change(clinic, "[analysts.ada]", f"{copied.strip()}\n\n[analysts.ada]")
    run = dp("check")
    assert run.code == 2
    assert "same data" in run.err


def test_without_data_nothing_is_opened_and_nothing_is_read(clinic: Path) -> None:
    run = dp("check")
    assert MARKER not in run.out + run.err
    assert not (clinic / ".dp" / "ledger.db").exists()
    assert "1,200" not in run.out


def test_the_curator_may_look_at_exact_numbers(clinic: Path) -> None:
    del clinic
    run = dp("check", "--data", "--json")
    exact = run.json["tables"]["visits"]["exact"]
    assert exact["rows"] == 1200
    assert exact["people"] == 300
    assert exact["most"] == 4
    assert exact["beyond"] == 0
    ages = next(one for one in exact["columns"] if one["name"] == "age")
    assert ages["lowest"] == sum(i * 7 % 90 == 0 for i in range(1200))
    shown = dp("check", "--data")
    assert "for the curator alone" in shown.out
    assert MARKER not in shown.out


def test_rows_beyond_the_bound_and_of_nobody_are_counted(clinic: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT CASE WHEN i > 8 THEN 'p' END AS patient, 'North' AS ward, i AS age, "
            f"0.5 AS cost, DATE '2024-01-01' AS day, 'n' AS note, 1.5 AS weight "
            f"FROM RANGE(20) AS made(i)) TO '{clinic}/visits.parquet'"
        )
    exact = dp("check", "--data", "--json").json["tables"]["visits"]["exact"]
    assert (exact["rows"], exact["unowned"], exact["people"]) == (20, 9, 1)
    assert (exact["most"], exact["beyond"]) == (11, 6)


def test_gaps_are_listed_together(clinic: Path) -> None:
    change(clinic, "range = [0, 120]", 'range = ["FILL IN", "FILL IN"]')
    run = dp("check")
    assert run.code == 2
    assert "tables.visits.columns.age.range: to be filled in" in run.err
