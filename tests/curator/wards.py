"""A curator over a few small files, for tests of budgets, accounts and prices."""

from pathlib import Path

import duckdb

import differential_privacy as dp
from differential_privacy.privacy import ApproximateLoss, PureLoss, Spendable

PEOPLE = 60

MADE = {
    "visits": f"""
      SELECT i % {PEOPLE} AS person, i AS id, CASE i % 3 WHEN 0 THEN 'a' ELSE 'b' END AS ward,
        'note ' || i % 4 AS note, i % 9 + 0.5 AS cost, i % 6 AS age
      FROM RANGE(240) AS t(i)""",
    "homes": f"""
      SELECT i AS person, CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END AS region,
        i % 5 AS rooms
      FROM RANGE({PEOPLE}) AS t(i)""",
    "items": "SELECT i % 240 AS visit, i % 7 AS price FROM RANGE(300) AS t(i)",
    "wards": "SELECT * FROM (VALUES ('a', 3), ('b', 5)) AS w(ward, beds)",
}

POLICY = """
[tables.visits]
path = "visits.parquet"
person = "person"
bounds = [{ rows = 4 }, { groups = 2, rows_per_group = 3 }, { total = 5 }]
budget = VISITS
[tables.visits.columns]
person = "integer"
id = "integer"
ward = { type = "text", categories = ["a", "b"], nullable = false }
note = "text"
cost = { type = "number", range = [0, 10], step = 0.5 }
age = { type = "integer", range = [0, 5], nullable = false }

[tables.homes]
path = "homes.parquet"
person = "person"
bounds = [{ rows = 1 }]
budget = HOMES
partition = "region"
[tables.homes.columns]
person = "integer"
region = { type = "text", categories = ["north", "south", "west"], nullable = false }
rooms = { type = "integer", range = [0, 4], nullable = false }

[tables.items]
path = "items.parquet"
person = { key = "visit", table = "visits", references = "id" }
bounds = [{ rows = 3 }]
budget = ITEMS
[tables.items.columns]
visit = "integer"
price = { type = "integer", range = [0, 6] }

[tables.wards]
path = "wards.parquet"
public = true
unique = ["ward"]
[tables.wards.columns]
ward = "text"
beds = "integer"

[analysts.ada]
budget = ADA
[analysts.ada.projects]
flu = PROJECT
[analysts.bob]
budget = BOB
tables = ["visits", "wards"]
"""
BUDGETS = {
    "VISITS": "{ epsilon = 10, delta = 1e-6 }",
    "HOMES": "{ epsilon = 10, delta = 1e-6 }",
    "ITEMS": "{ epsilon = 10, delta = 1e-6 }",
    "ADA": "{ epsilon = 5, delta = 1e-7 }",
    "PROJECT": "{ epsilon = 1 }",
    "BOB": "{ epsilon = 5, delta = 1e-7 }",
}


def written(folder: Path, **budgets: str) -> Path:
    """The files and their policy; a budget that is not given is large."""
    with duckdb.connect() as connection:
        for name, query in MADE.items():
            path = folder / f"{name}.parquet"
            if not path.exists():
                connection.execute(f"COPY ({query}) TO '{path}' (FORMAT PARQUET)")
    text = POLICY
    for name, budget in {**BUDGETS, **budgets}.items():
        text = text.replace(f"= {name}\n", f"= {budget}\n")
    policy = folder / "curator.toml"
    policy.write_text(text)
    return policy


def spent(curator: dp.Curator) -> dict[str, Spendable]:
    """What was spent of every account that anything was spent of."""
    nothing = (PureLoss(0), ApproximateLoss(0, 0), dp.ConcentratedLoss(0))
    return {
        account.name: account.spent
        for account in curator.ledger.statement().accounts
        if account.spent not in nothing
    }


def paid(curator: dp.Curator) -> set[str]:
    """The accounts that paid for anything: of tables and their parts by the table's name."""
    names = {
        account: f"{table.name}{account[len(body) :]}"
        for table in curator.policy.private
        for body in curator.accounts.bodies[table.name]
        for account in curator.accounts.of_table(table)
    }
    return {names.get(account, account) for account in spent(curator)}
