"""Copies with a strange person and without; what an analyst tries on them; planted mistakes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from differential_privacy.audit.battery import battery
from differential_privacy.audit.copies import copied
from differential_privacy.audit.examining import attacks_on
from differential_privacy.audit.installation import BAD, FINE, Finding
from differential_privacy.curator import Policy, read_policy
from differential_privacy.ledger import Ledger
from differential_privacy.mechanisms import Geometric
from differential_privacy.queries import bounding
from differential_privacy.release import Door
from differential_privacy.sources import DuckDB, Physical

POLICY = """
[tables.customers]
path = "customers.parquet"
person = "name"
bounds = [{ rows = 2 }]
budget = { epsilon = 3 }
[tables.customers.columns]
name = "text"
segment = { type = "text", categories = ["a", "b"] }
[tables.orders]
path = "orders.parquet"
person = { key = "buyer", table = "customers", references = "name" }
bounds = [{ rows = 4 }, { groups = 2, rows_per_group = 2 }]
budget = { epsilon = 3, delta = 1e-6 }
[tables.orders.columns]
buyer = "text"
total = { type = "number", range = [0, 1000], step = 0.01 }
day = { type = "date", range = ["2024-01-01", "2024-12-31"] }
paid = "boolean"
note = "text"
at = "timestamp"
[tables.votes]
path = "votes.csv"
person = "row"
budget = { rho = 0.5 }
[tables.votes.columns]
party = { type = "text", categories = ["x", "y"] }
age = { type = "integer", range = [18, 120] }
[analysts.ada]
budget = { epsilon = 2 }
[analysts.bob]
budget = { rho = 0.5, delta = 1e-7 }
tables = ["votes"]
"""


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    (tmp_path / "curator.toml").write_text(POLICY)
    (tmp_path / "votes.csv").write_text("party,age\nx,20\n")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT 'ann' AS name, 'a' AS segment) TO '{tmp_path}/customers.parquet'"
        )
        connection.execute(
            "COPY (SELECT 'ann' AS buyer, 1.5 AS total, DATE '2024-02-01' AS day, TRUE AS paid, "
            f"'n' AS note, NOW()::TIMESTAMP AS at) TO '{tmp_path}/orders.parquet'"
        )
    return read_policy(tmp_path / "curator.toml")


def tried(policy: Policy, analyst: str) -> list[Finding]:
    with attacks_on(policy, analyst) as attacks:
        return [attack() for _, attack in attacks]


@pytest.mark.parametrize("analyst", ["ada", "bob"])
def test_a_curator_that_keeps_its_promises_withstands_all(policy: Policy, analyst: str) -> None:
    found = tried(policy, analyst)
    assert [one for one in found if one.state != FINE] == []
    assert len(found) == len(battery(policy, analyst)) + 3
    assert any("at most 100%" in one.told for one in found)


def test_copies_differ_by_the_strange_person_alone(policy: Policy, tmp_path: Path) -> None:
    places = [table.source for table in policy.private]
    engine = DuckDB(places, folder=tmp_path)
    stored = {table.name: engine.describe(table.source) for table in policy.private}
    engine.close()
    with_, without = copied(policy, stored, tmp_path, rows=50)
    for name, strange in (("customers", 40), ("orders", 40), ("votes", 1)):
        left, right = (
            duckdb.sql(f"SELECT COUNT(*) FROM '{place.path}'").fetchall()[0][0]
            for place in (with_[name], without[name])
        )
        assert (left, right) == (50 + strange, 50)
        gone = f"SELECT * FROM '{without[name].path}' EXCEPT ALL SELECT * FROM '{with_[name].path}'"
        assert duckdb.sql(gone).fetchall() == []
    owners = f"SELECT DISTINCT name FROM '{with_['customers'].path}'"
    buyers = f"SELECT DISTINCT buyer FROM '{with_['orders'].path}'"
    assert set(duckdb.sql(buyers).fetchall()) <= set(duckdb.sql(owners).fetchall())
    kinds = {kind for table in stored.values() for kind in table.values()}
    assert {Physical.TEXT, Physical.DATE, Physical.TIMESTAMP, Physical.BOOLEAN} <= kinds


MISTAKES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "a bound that is not enforced": lambda patch: patch.setattr(
        bounding.Ranked, "kept", lambda _, listed: bounding.Kept(listed.rows())
    ),
    "rows that are not counted off": lambda patch: patch.setattr(
        "differential_privacy.sources.scan._at_most", lambda query, *_: query
    ),
    "a reach of half": lambda patch: patch.setattr(
        bounding.AllRows, "reach", halved(bounding.AllRows.reach)
    ),
    "a spend that is forgotten": lambda patch: patch.setattr(
        Ledger, "spend", forgotten(Ledger.spend)
    ),
    "a third of the noise": lambda patch: patch.setattr(
        Geometric, "release", quieter(Geometric.release)
    ),
    "answers that are not kept": lambda patch: patch.setattr(Ledger, "answer", lambda *_: None),
    "noise that is drawn for rows": lambda patch: patch.setattr(
        Door, "_noisy", noise_for_rows(Door._noisy)
    ),
}


def halved(reach: Any) -> Any:
    def half(self: Any, asked: Any) -> Any:
        found = reach(self, asked)
        return replace(found, rows=found.rows // 2, squares=found.squares // 4)

    return half


def quieter(release: Any) -> Any:
    def third(self: Any, exact: Any, **bits: Any) -> Any:
        return release(Geometric(self.scale / 3), exact, **bits)

    return third


def forgotten(spend: Any) -> Any:
    def half(self: Any, accounts: Any, certificates: Any, **said: Any) -> Any:
        return spend(self, accounts[:-1], certificates, **said)

    return half


def noise_for_rows(noisy: Any) -> Any:
    def drawn(door: Door, plan: Any) -> Any:
        for _ in door.engine.run(plan.queries[0]):
            door.bits.octets(1)
        (count, *_), *_ = door.engine.run(plan.queries[0])[:1] or [(0,)]
        door.bits.octets(int(count or 0) if isinstance(count, int) else 0)
        return noisy(door, plan)

    return drawn


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(
    mistake: str, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    MISTAKES[mistake](monkeypatch)
    assert any(one.state == BAD for one in tried(policy, "ada"))
