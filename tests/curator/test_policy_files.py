"""A policy file reads as it is written, and every mistake is told by file, key and rule."""

from fractions import Fraction
from pathlib import Path

import pytest

from differential_privacy.curator import (
    Analyst,
    Curator,
    EngineChoice,
    LedgerPlace,
    Policy,
    read_policy,
)
from differential_privacy.errors import InvalidArgumentError, PolicyError
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss
from differential_privacy.sources import Bounds, Column, Key, Kind, Place, Table

TEXT = """
[ledger]
path = "private/ledger.db"

[tables.visits]
path = "data/visits.parquet"
person = "patient"
bounds = [{ rows = 10 }, { groups = 3, rows_per_group = 4 }, { total = 6 }]
budget = { epsilon = 3, delta = 1e-6 }
group_by = ["ward", ["ward", "day"]]

[tables.visits.columns]
patient = "integer"
ward = { type = "text", categories = ["a", "b"], nullable = false }
cost = { type = "number", range = [0, 99.5], step = 0.01 }
day = { type = "date", range = [2024-01-01, "2024-12-31"] }
clock = { type = "time", range = [06:00:00, 22:00:00] }
at = { type = "timestamp", range = [2024-01-01T00:00:00, "2024-12-31 23:59:59"] }

[tables.pills]
path = "data/pills.csv"
person = { key = "visit", table = "stays", references = "id" }
bounds = [{ rows = 2 }]
budget = { rho = 0.5, delta = 1e-9 }

[tables.pills.columns]
visit = "integer"
dose = { type = "integer", range = [0, 4] }

[tables.stays]
path = "data/stays.parquet"
person = "patient"
bounds = [{ rows = 1 }]
budget = { epsilon = 0.1 }
partition = "region"

[tables.stays.columns]
id = "integer"
patient = "integer"
region = { type = "text", categories = ["north", "south"], nullable = false }

[tables.copied]
path = "data/copy.parquet"
person = "row"
parent = "visits"

[tables.copied.columns]
ward = "text"

[tables.wards]
path = "data/wards.csv"
public = true
unique = ["ward"]

[tables.wards.columns]
ward = "text"
beds = "integer"

[analysts.ada]
budget = { epsilon = 1, delta = 1e-7 }
tables = ["visits", "wards"]

[analysts.ada.projects]
flu = { epsilon = 0.5 }
"""


def written(folder: Path, text: str = TEXT) -> Path:
    path = folder / "curator.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_reads_as_it_is_written(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path))
    visits, pills, stays = (policy.tables[name] for name in ("visits", "pills", "stays"))
    assert visits.source == Place(str(tmp_path / "data/visits.parquet"))
    assert visits.owner == "patient"
    assert visits.bounds == (Bounds(rows=10), Bounds(groups=3, rows_per_group=4), Bounds(total=6))
    assert visits.keys == (("ward",), ("ward", "day"))
    assert visits.column("cost") == Column("cost", "number", lower=0, upper="99.5", step="0.01")
    assert visits.column("day").points == (19723, 20088)
    assert visits.column("clock").points == (6 * 3600, 22 * 3600)
    assert visits.column("at").kind is Kind.TIMESTAMP
    assert not visits.column("ward").nullable
    assert pills.owner == Key("visit", "stays", "id")
    assert stays.partition == "region"
    assert policy.tables["copied"].owned_by_row
    assert policy.tables["copied"].parent == "visits"
    assert policy.tables["wards"].public
    assert policy.tables["wards"].unique == ("ward",)
    assert policy.budgets == {
        "visits": ApproximateLoss(3, "1e-6"),
        "pills": ConcentratedLoss("0.5", "1e-9"),
        "stays": PureLoss("0.1"),
    }
    assert policy.budget_of("copied") == ApproximateLoss(3, "1e-6")
    assert policy.analysts["ada"].tables == ("visits", "wards")
    assert policy.analysts["ada"].projects == {"flu": PureLoss("0.5")}
    assert policy.ledger.path == tmp_path / "private/ledger.db"
    assert policy.folder == tmp_path / ".dp"


def test_decimals_are_what_they_are_written_as(tmp_path: Path) -> None:
    policy = read_policy(written(tmp_path))
    assert policy.tables["visits"].column("cost").step == Fraction(1, 100)
    assert policy.budgets["stays"].epsilon_at(0) == Fraction(1, 10)


def test_paths_are_from_where_the_policy_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    written(tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    policy = read_policy("home/curator.toml")
    assert policy.tables["visits"].source == Place(str(tmp_path / "home/data/visits.parquet"))
    absolute = TEXT.replace("data/visits.parquet", "/elsewhere/visits.parquet")
    policy = read_policy(written(tmp_path / "home", absolute))
    assert policy.tables["visits"].source == Place("/elsewhere/visits.parquet")


PERSON = 'person = "patient"\nbounds = [{ rows = 10 }'
BUDGET = "{ epsilon = 3, delta = 1e-6 }"
COST = '{ type = "number", range = [0, 99.5], step = 0.01 }'
VISITS, COLUMN = "tables.visits", "tables.visits.columns.cost"

MISTAKES = [
    # What nobody asked for.
    ("[ledger]", "[leger]", "leger", "did you mean ledger"),
    ("group_by =", "group =", f"{VISITS}.group", "did you mean group_by"),
    ("group_by =", "zzz =", f"{VISITS}.zzz", "only path, table, person"),
    ("step = 0.01", "steps = 0.01", f"{COLUMN}.steps", "did you mean step"),
    ("{ total = 6 }", "{ totals = 6 }", f"{VISITS}.bounds[2].totals", "did you mean total"),
    ("[analysts.ada.projects]", "[analysts.ada.project]", "analysts.ada.project", "did you mean"),
    ('path = "private/ledger.db"', 'place = "here"', "ledger.place", "is no key"),
    # What was left to fill in.
    ('"patient"\nbounds', '"FILL IN: a column"\nbounds', f"{VISITS}.person", "fill it in"),
    ("range = [0, 99.5]", 'range = [0, "FILL IN"]', f"{COLUMN}.range[1]", "fill it in"),
    # Whose the rows are.
    (PERSON, "bounds = [{ rows = 10 }", f"{VISITS}.person", "must say who is protected"),
    ('"patient"\nbounds', "7\nbounds", f"{VISITS}.person", "must be a column"),
    ("references =", "refers =", "tables.pills.person", "must be a column"),
    ('references = "id"', "references = 7", "tables.pills.person", "must be texts"),
    ('table = "stays"', 'table = "nothing"', "tables.pills.person.table", "private table"),
    ('table = "stays"', 'table = "wards"', "tables.pills.person.table", "private table"),
    ('table = "stays"', 'table = "pills"', "tables.pills.person.table", "circle"),
    ('table = "stays"', 'table = "copied"', "tables.pills.person.table", "names its people"),
    (
        "bounds = [{ rows = 2 }]",
        'unit = "bed"\nbounds = [{ rows = 2 }]',
        "tables.pills.unit",
        "person",
    ),
    ("bounds = [{ rows = 2 }]", "", "tables.pills.bounds", "must have bounds"),
    (
        'person = "row"',
        'person = "row"\nbounds = [{ rows = 3 }]',
        "tables.copied.bounds",
        "left out",
    ),
    # Bounds.
    ("bounds = [{ rows = 2 }]", "bounds = { rows = 2 }", "tables.pills.bounds", "must be a list"),
    ("bounds = [{ rows = 2 }]", "bounds = [2]", "tables.pills.bounds[0]", "must be as { rows"),
    ("{ rows = 10 }", "{ rows = 0 }", f"{VISITS}.bounds[0].rows", "at least 1"),
    ("{ rows = 10 }", "{ rows = 1.5 }", f"{VISITS}.bounds[0].rows", "whole"),
    ("{ rows = 10 }", "{ rows = true }", f"{VISITS}.bounds[0].rows", "whole|number"),
    ("{ rows = 10 }", '{ rows = "ten" }', f"{VISITS}.bounds[0].rows", "whole|number"),
    ("{ rows = 10 }", "{ rows = 9999999999 }", f"{VISITS}.bounds[0].rows", "below"),
    ("{ rows = 10 }", "{ rows = 10, total = 2 }", f"{VISITS}.bounds[0].bounds", "one of"),
    (", rows_per_group = 4", "", f"{VISITS}.bounds[1].bounds", "together"),
    # Budgets.
    (BUDGET, "{ epsilon = -3 }", f"{VISITS}.budget.epsilon", "negative|least 0|positive"),
    (BUDGET, "{ epsilon = nan }", f"{VISITS}.budget.epsilon", "finite|number"),
    (BUDGET, "{ epsilon = inf }", f"{VISITS}.budget.epsilon", "finite|number"),
    (BUDGET, "{ epsilon = true }", f"{VISITS}.budget.epsilon", "number"),
    (BUDGET, "{ epsilon = 3, delta = 2 }", f"{VISITS}.budget.delta", "1"),
    (BUDGET, "{ epsilon = 3, rho = 1 }", f"{VISITS}.budget", "must be { epsilon"),
    (BUDGET, "{ delta = 1e-6 }", f"{VISITS}.budget", "must be { epsilon"),
    (BUDGET, "3", f"{VISITS}.budget", "must be { epsilon"),
    (f"budget = {BUDGET}", "", f"{VISITS}.budget", "must be given"),
    ("budget = { epsilon = 1, delta = 1e-7 }", "", "analysts.ada.budget", "must be given"),
    ("flu = { epsilon = 0.5 }", "flu = 0.5", "analysts.ada.projects.flu", "must be { epsilon"),
    ("public = true", "public = true\nbudget = { epsilon = 1 }", "tables.wards.budget", "public"),
    (
        'parent = "visits"',
        'parent = "visits"\nbudget = { epsilon = 1 }',
        "tables.copied.budget",
        "parent",
    ),
    # Columns.
    (COST, '"money"', f"{COLUMN}.type", "one of"),
    (COST, "7", COLUMN, "must be a type"),
    (COST, "{ range = [0, 1] }", COLUMN, "must be a type"),
    (COST, "{ type = 7 }", f"{COLUMN}.type", "one of"),
    ("range = [0, 99.5]", "range = [0]", f"{COLUMN}.range", "two values"),
    ("range = [0, 99.5]", "range = 99", f"{COLUMN}.range", "two values"),
    ("range = [0, 99.5]", "range = [9, 1]", f"{COLUMN}.range", "below"),
    ("range = [0, 99.5]", 'range = ["a", "b"]', f"{COLUMN}.range", "number"),
    ("range = [0, 99.5]", "range = [0, 2024-01-01]", f"{COLUMN}.range", "number"),
    ("range = [0, 99.5]", "range = [0, inf]", f"{COLUMN}.range", "finite|number"),
    ("step = 0.01", "step = 0", f"{COLUMN}.step", "positive"),
    ("step = 0.01", "step = 1e-40", f"{COLUMN}.step", "points|digits|step"),
    ("step = 0.01", 'nullable = "yes"', f"{COLUMN}.nullable", "true or false|True or False|bool"),
    ("step = 0.01", 'categories = ["a"]', f"{COLUMN}.categories", "only a text"),
    ('["a", "b"], nullable', '["a", "a"], nullable', f"{VISITS}.columns.ward.categories", "once"),
    ('["a", "b"], nullable', "[], nullable", f"{VISITS}.columns.ward.categories", "list"),
    ('["a", "b"], nullable', "[1], nullable", f"{VISITS}.columns.ward.categories", "texts"),
    ('"2024-12-31"]', '"2024-13-31"]', f"{VISITS}.columns.day.range", "date"),
    (
        'patient = "integer"\nward',
        'patient = { type = "integer", nullable = false }\nward',
        f"{VISITS}.columns.patient.nullable",
        "range or categories",
    ),
    (
        '[tables.wards.columns]\nward = "text"\nbeds = "integer"',
        "",
        "tables.wards.columns",
        "must be given",
    ),
    ('beds = "integer"', 'Ward = "integer"', "tables.wards.columns", "once"),
    (
        'beds = "integer"',
        '"no of beds" = "integer"',
        "tables.wards.columns.no of beds.column",
        "letters",
    ),
    # Tables.
    ("public = true", 'public = "false"', "tables.wards.public", "true or false"),
    ("public = true", "public = 0", "tables.wards.public", "true or false"),
    ("public = true", 'public = true\nperson = "ward"', "tables.wards.public", "no owner"),
    ('unique = ["ward"]', 'unique = ["street"]', "tables.wards.column", "must be a column"),
    ('unique = ["ward"]', 'unique = "ward"', "tables.wards.unique", "list"),
    ('unique = ["ward"]', "unique = [7]", "tables.wards.unique", "texts"),
    ('group_by = ["ward", ', 'group_by = ["street", ', f"{VISITS}.column", "must be a column"),
    ('group_by = ["ward", ', "group_by = [7, ", f"{VISITS}.group_by[0]", "texts"),
    (
        'group_by = ["ward", ',
        'unique = ["ward"]\ngroup_by = ["ward", ',
        f"{VISITS}.unique",
        "public",
    ),
    ('parent = "visits"', 'parent = "nothing"', "tables.copied.parent", "private table"),
    ('parent = "visits"', 'parent = "copied"', "tables.copied.parent", "circle"),
    ('parent = "visits"', "parent = 7", "tables.copied.parent", "text"),
    ('partition = "region"', 'partition = "patient"', "tables.stays.partition", "categories"),
    ('partition = "region"', 'partition = "nothing"', "tables.stays.column", "must be a column"),
    (
        "bounds = [{ rows = 1 }]",
        "bounds = [{ rows = 2 }]",
        "tables.stays.partition",
        "one row a person",
    ),
    ('path = "data/visits.parquet"', "", f"{VISITS}.path", "must be given"),
    ('path = "data/visits.parquet"', "path = 7", f"{VISITS}.path", "text"),
    ('path = "data/visits.parquet"', 'path = ["a", "b"]', f"{VISITS}.path", "text"),
    ("[tables.wards]", '[tables."my wards"]', "tables.my wards.table", "letters"),
    ("[tables.visits]", "[[tables.visits]]", VISITS, "section"),
    # People and places.
    ('tables = ["visits", "wards"]', 'tables = ["visit"]', "analysts.ada.tables", "of this policy"),
    ('tables = ["visits", "wards"]', 'tables = "visits"', "analysts.ada.tables", "list"),
    (
        'tables = ["visits", "wards"]',
        "tables = [[7]]",
        "analysts.ada.tables",
        "texts",
    ),
    ("[ledger]", '[engine]\nname = "oracle"\n[ledger]', "engine.engine", "one of duckdb"),
    ("[ledger]", '[engine]\nname = "postgres"\n[ledger]', "engine.dsn", "must be given"),
    ("[ledger]", '[engine]\nname = "postgres"\ndsn = 7\n[ledger]', "engine.dsn", "text"),
    ("[ledger]", '[ledger]\ndsn = "host=here"', "ledger", "not at both"),
    ('path = "private/ledger.db"', "path = 7", "ledger.path", "text"),
    ('path = "private/ledger.db"', "dsn = 7", "ledger.dsn", "text"),
    ('[ledger]\npath = "private/ledger.db"', "ledger = 7", "ledger", "section"),
]


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"), MISTAKES, ids=[f"{key}: {new}" for _, new, key, _ in MISTAKES]
)
def test_a_mistake_is_told_by_file_key_and_rule(
    tmp_path: Path, old: str, new: str, key: str, rule: str
) -> None:
    assert old in TEXT
    path = written(tmp_path, TEXT.replace(old, new, 1))
    with pytest.raises(PolicyError, match=rule) as caught:
        read_policy(path)
    assert caught.value.file == str(path)
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{path}: {key}: ")


def test_a_file_that_is_no_policy_is_told(tmp_path: Path) -> None:
    path = tmp_path / "curator.toml"
    with pytest.raises(PolicyError, match="dp init"):
        read_policy(path)
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy(tmp_path)
    for octets in (b"[tables", b"\xff\xfe", b"a = 1\na = 2"):
        path.write_bytes(octets)
        with pytest.raises(PolicyError, match="is no") as caught:
            read_policy(path)
        assert caught.value.file == str(path)
    path.write_text("")
    with pytest.raises(PolicyError, match="one table at least") as caught:
        read_policy(path)
    assert caught.value.key == "tables"


def built(home: Path = Path("/nowhere"), **changes: object) -> Policy:
    """A small policy made in Python."""
    person, place = Column("person", "integer"), Place(str(home / "v.parquet"))
    visits = Table("visits", place, (person,), owner="person", bounds=(Bounds(rows=1),))
    parts: dict[str, object] = {
        "tables": {"visits": visits},
        "budgets": {"visits": PureLoss(1)},
        "analysts": {"ada": Analyst("ada", PureLoss(1))},
    }
    return Policy(**{**parts, **changes})  # type: ignore[arg-type]


def test_a_policy_built_in_python_is_that_of_a_file(tmp_path: Path) -> None:
    text = """
[tables.visits]
path = "v.parquet"
person = "person"
bounds = [{ rows = 1 }]
budget = { epsilon = 1 }
[tables.visits.columns]
person = "integer"
[analysts.ada]
budget = { epsilon = 1 }
"""
    path = written(tmp_path, text)
    assert read_policy(path) == built(folder=tmp_path / ".dp", file=str(path), home=tmp_path)


@pytest.mark.parametrize(
    ("changes", "argument"),
    [
        ({"tables": {}}, "tables"),
        ({"budgets": {}}, "tables.visits.budget"),
        ({"budgets": {"visits": 1}}, "tables.visits.budget"),
        ({"budgets": {"visits": 0.5}}, "tables.visits.budget"),
    ],
)
def test_a_policy_built_in_python_meets_the_same_rules(
    changes: dict[str, object], argument: str
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        built(**changes)
    assert caught.value.argument == argument


def test_a_place_shows_no_password() -> None:
    for place in (EngineChoice("postgres", "password=secret"), LedgerPlace(dsn="password=secret")):
        assert "secret" not in repr(place)
    assert "secret" not in repr(built(ledger=LedgerPlace(dsn="password=secret")))


STORED = """
[tables.visits]
path = "visits.csv"
person = "person"
bounds = [{ rows = 1 }]
budget = { epsilon = 1 }
[tables.visits.columns]
person = "integer"
ward = "text"
"""


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        ("visits.csv", "gone.csv", "tables", "must be a file that is there"),
        ("visits.csv", "visits.txt", "tables", "must end in one of"),
        ('person = "person"', 'person = "nobody"', "tables.visits", "nobody.*is not in the source"),
        ('ward = "text"', 'street = "text"', "tables.visits", "street.*is not in the source"),
        ('ward = "text"', 'ward = "text"\nbed = "integer"', "tables.visits", "bed.*is not in"),
    ],
)
def test_what_the_data_lack_is_told_to_the_curator_when_a_policy_is_opened(
    tmp_path: Path, old: str, new: str, key: str, rule: str
) -> None:
    """Else an analyst would be told, with the names of columns that nobody declared."""
    (tmp_path / "visits.csv").write_text("person,ward,secret\n1,a,x\n")
    Curator(written(tmp_path, STORED)).close()
    path = written(tmp_path, STORED.replace(old, new, 1))
    with pytest.raises(PolicyError, match=rule) as caught:
        Curator(path)
    assert caught.value.file == str(path)
    assert caught.value.key == key
