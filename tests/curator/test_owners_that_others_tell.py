"""Who reads a table through foreign keys pays for every table on the way, to the owner's own."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from tests.curator.test_same_data import touched
from tests.curator.wards import paid, spent, written

import differential_privacy as dp
from differential_privacy.curator import accounts, lineage
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError, QuestionError
from differential_privacy.privacy import PureLoss
from differential_privacy.sources import Engine, Table

FAR = """
[tables.labels]
path = "labels.parquet"
person = { key = "item", table = "items", references = "visit" }
bounds = [{ rows = 3 }]
budget = { epsilon = 10, delta = 1e-6 }
[tables.labels.columns]
item = "integer"
color = { type = "text", categories = ["red", "blue"], nullable = false }

[tables.rooms]
path = "rooms.parquet"
person = { key = "person", table = "homes", references = "person" }
bounds = [{ rows = 1 }]
budget = { epsilon = 1 }
partition = "floor"
[tables.rooms.columns]
person = "integer"
floor = { type = "text", categories = ["low", "high"], nullable = false }
size = { type = "integer", range = [0, 9], nullable = false }
"""
MADE = {
    "labels": "SELECT i % 240 AS item, IF(i % 2 = 0, 'red', 'blue') AS color FROM RANGE(90) t(i)",
    "rooms": (
        "SELECT i AS person, IF(i < 30, 'low', 'high') AS floor, 3 AS size FROM RANGE(60) t(i)"
    ),
}
HOMES = {"homes[north]", "homes[south]", "homes[west]"}
ADA = "analyst:ada"
LOW, HIGH = (f"SELECT COUNT(*) FROM rooms WHERE floor = '{floor}'" for floor in ("low", "high"))


def far(folder: Path, **budgets: str) -> Path:
    """The usual tables, and some whose owners are found two keys away, or in a parted table."""
    policy = written(folder, **budgets)
    with duckdb.connect() as connection:
        for name, query in MADE.items():
            connection.execute(f"COPY ({query}) TO '{folder}/{name}.parquet' (FORMAT PARQUET)")
    head, mark, tail = policy.read_text().partition("[tables.wards]")
    policy.write_text(f"{head}{FAR}\n{mark}{tail}")
    return policy


def assert_pays(policy: Path, text: str, tables: set[str]) -> None:
    with dp.Curator(policy) as curator:
        curator.session("ada").sql(text, epsilon="0.1")
        assert paid(curator) == {*tables, ADA}


CHAINS: list[tuple[str, set[str]]] = [
    ("SELECT COUNT(*) FROM visits", {"visits"}),
    ("SELECT COUNT(*) FROM items", {"items", "visits"}),
    ("SELECT COUNT(*) FROM labels", {"labels", "items", "visits"}),
    ("SELECT color, COUNT(*) FROM labels GROUP BY color", {"labels", "items", "visits"}),
    (
        "SELECT COUNT(*) FROM homes WHERE person IN (SELECT person FROM homes)",
        HOMES,
    ),
    (LOW, {"rooms[low]", *HOMES}),
    (
        (
            "SELECT COUNT(*) FROM homes h JOIN rooms r ON h.person = r.person "
            "WHERE h.region = 'north' AND r.floor = 'low'"
        ),
        {"rooms[low]", *HOMES},
    ),
]


@pytest.mark.parametrize(("text", "tables"), CHAINS)
def test_every_table_on_the_way_to_the_owner_pays(
    tmp_path: Path, text: str, tables: set[str]
) -> None:
    assert_pays(far(tmp_path), text, tables)


@pytest.mark.parametrize(("text", "tables"), CHAINS[1:4])
def test_a_way_that_is_forgotten_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, tables: set[str]
) -> None:
    def forgotten(table: Table, _: Mapping[str, Table]) -> list[Table]:
        return [table]

    monkeypatch.setattr(accounts, "chain", forgotten)
    with pytest.raises(AssertionError):
        assert_pays(far(tmp_path), text, tables)


def test_a_table_that_has_nothing_left_is_not_read_through_another(tmp_path: Path) -> None:
    with dp.Curator(far(tmp_path, VISITS="{ epsilon = 1 }")) as curator:
        ada = curator.session("ada")
        ada.sql("SELECT COUNT(*) FROM visits", epsilon=1)
        for text in ("SELECT COUNT(*) FROM items", "SELECT COUNT(*) FROM labels"):
            with pytest.raises(BudgetExceededError, match="table visits"):
                ada.sql(text, epsilon="0.01")


def test_a_price_is_one_that_the_tables_on_the_way_can_pay(tmp_path: Path) -> None:
    """One of them counts in pure epsilons: so must all that is asked through it."""
    with dp.Curator(far(tmp_path, VISITS="{ epsilon = 10 }")) as curator:
        ada = curator.session("ada")
        assert ada.sql("SELECT COUNT(*) AS n FROM labels", epsilon="0.1").loss == PureLoss("0.1")
        assert isinstance(
            ada.plan("SELECT COUNT(*) AS n FROM items", within={"n": 50}).loss, PureLoss
        )
        with pytest.raises(InvalidArgumentError, match="must be 0"):
            ada.plan("SELECT COUNT(*) FROM labels", epsilon="0.1", delta="1e-9")
        assert set(paid(curator)) == {"labels", "items", "visits", ADA}


def test_who_may_ask_of_a_table_may_ask_it_without_the_tables_on_the_way(tmp_path: Path) -> None:
    policy = far(tmp_path)
    text = policy.read_text().replace('tables = ["visits", "wards"]', 'tables = ["items"]')
    policy.write_text(text)
    with dp.Curator(policy) as curator:
        bob = curator.session("bob")
        bob.sql("SELECT COUNT(*) FROM items", epsilon="0.1")
        assert paid(curator) == {"items", "visits", "analyst:bob"}
        with pytest.raises(QuestionError, match="may ask"):
            bob.sql("SELECT COUNT(*) FROM items JOIN visits ON visit = id", epsilon="0.1")


def assert_parts_pay_together_after(policy: Path, old: str = "", new: str = "") -> None:
    """All of the low floor is spent; what is then asked of the high floor pays from both."""
    with dp.Curator(policy) as curator:
        curator.session("ada").sql(LOW, epsilon=1)
        curator.session("ada").sql(HIGH, epsilon="0.5")
    text = policy.read_text()
    assert old in text
    policy.write_text(text.replace(old, new))
    if not old:
        touched(policy.parent / "homes.parquet")
    with dp.Curator(policy) as curator, pytest.raises(BudgetExceededError, match="table rooms"):
        curator.session("ada").sql(HIGH, epsilon="0.25")


@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ("range = [0, 9]", "range = [0, 8]"), ('"person", table', '"size", table')],
)
def test_parts_are_told_apart_only_while_owners_and_their_one_row_stay(
    tmp_path: Path, old: str, new: str
) -> None:
    """A person's row is chosen by all that is declared of it; who has it, by the tables beside."""
    assert_parts_pay_together_after(far(tmp_path), old, new)


def test_parts_that_forget_how_they_were_made_are_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_one(table: Table, _: Mapping[str, Table], engine: Engine) -> str:
        return engine.version(table.source)

    monkeypatch.setattr(lineage, "state", of_one)
    for folder, old, new in (("way", "", ""), ("range", "range = [0, 9]", "range = [0, 8]")):
        (tmp_path / folder).mkdir()
        with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
            assert_parts_pay_together_after(far(tmp_path / folder), old, new)


def test_a_copy_that_is_parted_otherwise_pays_as_a_whole(tmp_path: Path) -> None:
    """Parts of the copy have the names of other parts of the same people."""
    policy = far(tmp_path)
    head, mark, tail = policy.read_text().partition("[tables.wards]")
    copy = FAR[FAR.index("[tables.rooms]") :].replace("budget = { epsilon = 1 }\n", "")
    copy = copy.replace("[tables.rooms", "[tables.again").replace(
        '"floor"\n', '"also"\nparent = "rooms"\n'
    )
    copy = copy.replace(
        "size = {",
        'also = { type = "text", categories = ["low", "high"], nullable = false }\nsize = {',
    )
    query = MADE["rooms"].replace("3 AS size", "IF(i % 2 = 0, 'low', 'high') AS also, 3 AS size")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{tmp_path}/rooms.parquet' (FORMAT PARQUET)")
    policy.write_text(f"{head}{copy}\n{mark}{tail}")
    assert_pays(
        policy,
        "SELECT COUNT(*) FROM again WHERE also = 'low'",
        {"again[low]", "again[high]", *HOMES},
    )


def test_the_parts_of_a_body_stay_those_that_were_asked(tmp_path: Path) -> None:
    policy = far(tmp_path)
    dp.Curator(policy).close()
    text = policy.read_text()
    for parts in ('["low"]', '["high", "low"]', '["low", "high", "roof"]'):
        policy.write_text(text.replace('["low", "high"]', parts))
        with pytest.raises(dp.errors.PolicyError, match=r"floor\.categories: must stay"):
            dp.Curator(policy)
    policy.write_text(text)
    with dp.Curator(policy) as curator:
        assert spent(curator) == {}
