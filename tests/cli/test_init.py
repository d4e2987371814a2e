"""`dp init`: a policy of what is public, gaps for the rest, and nothing of any private row."""

from dataclasses import replace
from pathlib import Path

import duckdb
import psycopg
import pytest
from tests.cli.conftest import ROWS
from tests.cli.running import MARKER, dp, in_terminal

from differential_privacy.curator import read_policy
from differential_privacy.curator.drafts import TableDraft
from differential_privacy.curator.proposing import gaps_of, public_draft
from differential_privacy.errors import PolicyError
from differential_privacy.sources import Engine, Kind, Place

FILLED = {
    'categories = ["FILL IN"]': 'categories = ["North", "South"]',
    '"date", range = ["FILL IN", "FILL IN"]': '"date", range = ["2024-01-01", "2024-12-31"]',
    'range = ["FILL IN", "FILL IN"]': "range = [0, 1000]",
    'person = "FILL IN: a column, or row"': 'person = "patient"',
}


@pytest.fixture
def bare(clinic: Path) -> Path:
    (clinic / "curator.toml").unlink()
    return clinic


def text_of(folder: Path) -> str:
    return (folder / "curator.toml").read_text()


def fill(folder: Path) -> None:
    text = text_of(folder)
    for gap, filled in FILLED.items():
        text = text.replace(gap, filled)
    (folder / "curator.toml").write_text(text)


def test_a_parquet_file_gives_types_and_gaps_and_can_be_asked_once_they_are_filled(
    bare: Path,
) -> None:
    run = dp("init", "visits.parquet", "--person", "patient", "--public", "wards.csv")
    assert run.code == 0
    assert "to fill in: tables.visits.columns.age.range" in run.err
    with pytest.raises(PolicyError, match="FILL IN"):
        read_policy(bare / "curator.toml")
    asked = dp("plan", "SELECT COUNT(*) FROM visits", "--epsilon", "1")
    assert asked.code == 2
    fill(bare)
    assert gaps_of(bare / "curator.toml") == []
    assert dp("check").code == 0
    assert dp("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.5").code == 0


def written_for(folder: Path, first_row: str) -> str:
    head = (folder / "visits.csv").read_text().splitlines()[0]
    (folder / "visits.csv").write_text(f"{head}\n{first_row}\n")
    assert dp("init", "visits.csv", "--person", "patient", "--force").code == 0
    return text_of(folder)


ROW = "p,North,1,2.5,2024-01-01,n,3.5"
OTHER = "17,x,old,much,never,4,heavy"


def test_what_is_written_is_the_same_whatever_the_rows_are(bare: Path) -> None:
    assert written_for(bare, ROW) == written_for(bare, OTHER)


def test_a_draft_that_reads_private_rows_is_caught(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reading(engine: Engine, name: str, place: Place, person: str | None) -> TableDraft:
        return replace(public_draft(engine, name, place), public=False, person=person)

    monkeypatch.setattr("differential_privacy.cli.init.private_draft", reading)
    assert written_for(bare, ROW) != written_for(bare, OTHER)


def test_types_of_a_text_file_are_never_guessed(bare: Path) -> None:
    run = dp("init", "visits.csv", "--person", "patient", "--json")
    assert run.code == 0
    assert run.json["tables"] == ["visits"]
    gaps = run.json["gaps"]
    assert [gap.split(".")[3] for gap in gaps] == ["ward", "age", "cost", "day", "note", "weight"]
    assert 'patient = "text"' in text_of(bare)


def test_a_public_file_may_be_read(bare: Path) -> None:
    (bare / "days.csv").write_text(
        "day,holiday,share,name\n2024-01-01,true,0.5,a\n2024-01-02,false,1,b\n"
    )
    dp("init", "visits.parquet", "--person", "row", "--public", "days.csv")
    fill(bare)
    days = read_policy(bare / "curator.toml").tables["days"]
    kinds = [column.kind for column in days.columns]
    assert kinds == [Kind.DATE, Kind.BOOLEAN, Kind.NUMBER, Kind.TEXT]
    assert days.public
    assert days.unique == ("day",)


def test_who_is_protected_is_a_gap_where_nobody_says_it(bare: Path) -> None:
    dp("init", "visits.parquet")
    assert gaps_of(bare / "curator.toml")[0] == "tables.visits.person"


def test_rows_that_are_people_need_no_bound(bare: Path) -> None:
    dp("init", "visits.parquet", "--person", "row")
    fill(bare)
    table = read_policy(bare / "curator.toml").tables["visits"]
    assert table.owned_by_row
    assert table.bounds == ()


def test_a_table_of_a_database_file(bare: Path) -> None:
    assert dp("init", "clinic.duckdb").code == 2
    assert dp("init", "clinic.duckdb", "--table", "visits", "--person", "patient").code == 0
    fill(bare)
    assert dp("check").code == 0


def test_a_table_of_a_postgres_server(bare: Path, postgres_dsn: str) -> None:
    rows = ROWS.replace("RANGE(1200) AS made(i)", "GENERATE_SERIES(0, 1199) AS made(i)")
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE visits AS {rows}")
    run = dp("init", "--dsn", postgres_dsn, "--table", "visits", "--person", "patient")
    assert run.code == 0, run.err
    assert 'name = "postgres"' in text_of(bare)
    assert MARKER not in text_of(bare)
    assert 'age = { type = "integer"' in text_of(bare)


def test_a_policy_that_is_there_is_kept(clinic: Path) -> None:
    before = text_of(clinic)
    run = dp("init", "visits.parquet")
    assert run.code == 2
    assert "--force" in run.err
    assert text_of(clinic) == before
    assert dp("init", "visits.parquet", "--force").code == 0
    assert text_of(clinic) != before


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("nosuch.parquet",), "nosuch.parquet"),
        (("visits.xlsx",), ".parquet"),
        (("visits.parquet", "--person", "patiens"), "patient"),
        (("visits.parquet", "--analyst", "no name"), "analyst"),
        (("visits.parquet", "--dsn", "postgresql://x"), "--table"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_no_file(
    bare: Path, args: tuple[str, ...], named: str
) -> None:
    (bare / "visits.xlsx").write_text("")
    run = dp("init", *args)
    assert run.code == 2
    assert named in run.err
    assert not (bare / "curator.toml").exists()


def test_columns_that_no_question_could_name_are_left_out(bare: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 1 AS \"full name\", [1] AS listed, 2 AS plain) TO '{bare}/odd.parquet'"
        )
    dp("init", "odd.parquet", "--person", "row")
    text = text_of(bare)
    assert '# left out: "full name": its name must be' in text
    assert '# left out: "listed": ' in text
    assert 'plain = { type = "integer"' in text


def test_on_a_terminal_it_asks_for_what_only_the_curator_knows(bare: Path) -> None:
    answers = (
        ("names the person:", "1"),
        ("may count for [10]:", "3"),
        ("ward: its values, with commas between:", "North, South"),
        ("age: lowest and highest, by its name 0 120:", "120 0"),
        ("age: lowest and highest, by its name 0 120:", "0 120"),
        ("cost: lowest and highest:", "0 1000"),
        ("day: lowest and highest:", "2024-01-01 2024-12-31"),
        ("note: its values, with commas between:", "-"),
        ("weight: lowest and highest:", ""),
        ("may spend [1]:", "0.5"),
    )
    shown = in_terminal(bare, "init", "visits.parquet", answers=answers)
    assert "must not be below lower" in shown
    assert "to fill in: tables.visits.columns.weight.range" in shown
    text = text_of(bare)
    assert 'person = "patient"' in text
    assert "bounds = [{ rows = 3 }]" in text
    assert 'ward = { type = "text", categories = ["North", "South"] }' in text
    assert 'age = { type = "integer", range = [0, 120] }' in text
    assert 'note = "text"' in text
    assert "epsilon = 0.5" in text
    assert MARKER not in shown + text
