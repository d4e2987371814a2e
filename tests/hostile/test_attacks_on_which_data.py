"""Attacks of the notes on what data it is: names, copies, parts. Each by the number of its note."""

import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hostile.rows import crowd
from tests.hostile.worlds import COUNT, made, of_frame, reopened, simple, small

import differential_privacy as dp
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError, PolicyError

TWO = """
[tables.one]
path = "{one}"
{table_one}
person = "patient"
bounds = [{{ rows = 1 }}]
budget = {{ epsilon = 1 }}
columns = {{ patient = "integer" }}
[tables.two]
path = "{two}"
{table_two}
person = "patient"
bounds = [{{ rows = 1 }}]
budget = {{ epsilon = 1 }}
columns = {{ patient = "integer" }}
[analysts.ada]
budget = {{ epsilon = 9 }}
"""


def spent_twice(folder: Path, one: str, two: str, tables: tuple[str, str] = ("", "")) -> bool:
    """Whether two tables of a policy over the same data can spend two budgets."""
    written = TWO.format(
        one=one,
        two=two,
        table_one=tables[0] and f'table = "{tables[0]}"',
        table_two=tables[1] and f'table = "{tables[1]}"',
    )
    (folder / "curator.toml").write_text(written)
    try:
        with dp.Curator(folder / "curator.toml") as curator:
            for table in ("one", "two"):
                curator.session("ada").sql(f"SELECT COUNT(*) FROM {table}", epsilon=1)
    except (PolicyError, BudgetExceededError, InvalidArgumentError):
        return False
    return True


def written_as(folder: Path, form: str) -> str:
    """The same rows in another form."""
    if form == "copy":
        shutil.copy(folder / "a.parquet", folder / "b.parquet")
    if form == "linked":
        (folder / "b.parquet").symlink_to(folder / "a.parquet")
    if form == "pattern":
        return "*.parquet"
    if form == "pattern of more":
        pq.write_table(pa.table(crowd(5)), folder / "c.parquet")
        return "*.parquet"
    return "b.parquet"


@pytest.mark.parametrize("form", ["copy", "linked", "pattern", "pattern of more"])
def test_32_the_same_rows_in_two_files_have_one_budget(tmp_path: Path, form: str) -> None:
    pq.write_table(pa.table(crowd(60)), tmp_path / "a.parquet")
    assert not spent_twice(tmp_path, "a.parquet", written_as(tmp_path, form))


@pytest.mark.parametrize("name", ["VISITS", "main.visits", "main.Visits"])
def test_32_the_same_table_under_two_names_has_one_budget(tmp_path: Path, name: str) -> None:
    with duckdb.connect(str(tmp_path / "d.duckdb")) as engine:
        engine.execute("CREATE TABLE visits AS SELECT range AS patient FROM range(50)")
    assert not spent_twice(tmp_path, "d.duckdb", "d.duckdb", ("visits", name))


def test_32_other_data_have_a_budget_of_their_own(tmp_path: Path) -> None:
    """So that a refusal here is about the data, and no refusal of everything."""
    pq.write_table(pa.table(crowd(60)), tmp_path / "a.parquet")
    pq.write_table(pa.table(crowd(70)), tmp_path / "b.parquet")
    assert spent_twice(tmp_path, "a.parquet", "b.parquet")


@pytest.mark.parametrize("change", ["table renamed", "file renamed", "folder moved", "file copied"])
def test_32_a_new_name_brings_no_new_budget(tmp_path: Path, change: str) -> None:
    world = small(tmp_path)
    world.session().sql(COUNT, epsilon=1)
    world.curator.close()
    folder = world.folder
    policy = (folder / "curator.toml").read_text()
    text = f"{COUNT} WHERE x > 1"
    if change == "table renamed":
        (folder / "curator.toml").write_text(policy.replace("tables.people", "tables.persons"))
        text = text.replace("people", "persons")
    elif change == "folder moved":
        folder = folder.rename(tmp_path / "moved")
    else:
        move = shutil.move if change == "file renamed" else shutil.copy
        move(folder / "people.parquet", folder / "again.parquet")
        (folder / "curator.toml").write_text(policy.replace("people.parquet", "again.parquet"))
    with (
        pytest.raises((BudgetExceededError, PolicyError)),
        dp.Curator(folder / "curator.toml") as curator,
    ):
        curator.session("bob").sql(text, epsilon=1)


def test_32_a_frame_that_is_loaded_again_has_no_new_budget(tmp_path: Path) -> None:
    """With one row more than before, and in another order."""
    with dp.Curator(of_frame(pd.DataFrame(crowd(60)), tmp_path, budget=1)) as curator:
        curator.session("ada").sql(COUNT, epsilon=1)
    again = pd.DataFrame({name: values[::-1] for name, values in crowd(61).items()})
    with dp.Curator(of_frame(again, tmp_path, budget=1)) as curator:
        session = curator.session("bob")
        with pytest.raises(BudgetExceededError):
            session.sql(COUNT, epsilon="1/2")


def test_32_a_person_who_moves_between_parts_spends_in_one_of_them(tmp_path: Path) -> None:
    """Parts of the people are told apart as long as nobody moved."""
    policy = (
        simple("{ epsilon = 1 }", rows=1)
        .replace('code = "text"', PART)
        .replace('person = "patient"', 'person = "patient"\npartition = "code"')
    )
    here = {"patient": [1, 2], "x": [1, 2], "code": ["n", "s"]}
    world = made(tmp_path / "world", policy, people=here)
    world.session().sql(f"{COUNT} WHERE code = 'n'", epsilon=1)
    world.session("bob").sql(f"{COUNT} WHERE code = 's'", epsilon=1)
    pq.write_table(
        pa.table({"patient": [1, 2], "x": [1, 2], "code": ["e", "s"]}),
        world.folder / "people.parquet",
    )
    with pytest.raises(BudgetExceededError):
        reopened(world).session("bob").sql(f"{COUNT} WHERE code = 'e'", epsilon="1/2")


PART = 'code = { type = "text", categories = ["n", "s", "e"], nullable = false }'

SHIFTS = [
    "WHERE code = 'n' OR x > 3",
    "WHERE NOT code <> 'n'",
    "WHERE COALESCE(code = 'n', TRUE)",
    "WHERE CASE WHEN code = 'n' THEN TRUE ELSE x > 3 END",
    "WHERE 'n' = 'n'",
]


@pytest.mark.parametrize("where", SHIFTS)
def test_34_filters_that_only_look_disjoint_are_charged_as_everybody(
    tmp_path: Path, where: str
) -> None:
    policy = (
        simple("{ epsilon = 1 }", rows=1)
        .replace('code = "text"', PART)
        .replace('person = "patient"', 'person = "patient"\npartition = "code"')
    )
    body = {"patient": [1, 2, 3], "x": [1, 2, 3], "code": ["n", "s", "e"]}
    world = made(tmp_path / "world", policy, people=body)
    world.session().sql(f"{COUNT} WHERE code = 's'", epsilon=1)
    with pytest.raises(BudgetExceededError):
        world.session("bob").sql(f"{COUNT} {where}", epsilon="1/2")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM (SELECT x, 'n' AS code FROM people) AS t WHERE code = 'n'",
        (
            "WITH p AS (SELECT * FROM people) SELECT COUNT(*) FROM p AS a JOIN p AS b "
            "ON a.patient = b.patient WHERE a.code = 'n'"
        ),
        (
            "SELECT COUNT(*) FROM people AS a WHERE a.code = 'n' AND EXISTS (SELECT 1 FROM people "
            "AS b WHERE b.patient = a.patient AND b.code = 's')"
        ),
        (
            "SELECT COUNT(*) FROM (SELECT * FROM people UNION ALL SELECT * FROM people) AS t "
            "WHERE code = 'n'"
        ),
        "SELECT COUNT(*) FILTER (WHERE code = 'n') FROM people",
    ],
)
def test_34_a_part_that_is_named_in_disguise_pays_for_all(tmp_path: Path, text: str) -> None:
    policy = (
        simple("{ epsilon = 1 }", rows=1)
        .replace('code = "text"', PART)
        .replace('person = "patient"', 'person = "patient"\npartition = "code"')
    )
    body = {"patient": [1, 2, 3], "x": [1, 2, 3], "code": ["n", "s", "e"]}
    world = made(tmp_path / "world", policy, people=body)
    plan = world.session().plan(text, epsilon="1/2")
    assert len(world.curator.accounts.paying(plan, world.session().analyst, None).tables) == 3
