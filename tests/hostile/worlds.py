"""Curators over small bodies of data: two neighboring worlds, and worlds of their own.

Rule 1: neighbors have one policy and one ranking key, and their data differ by one person.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.hostile.rows import crowd, write

import differential_privacy as dp
from differential_privacy.curator import Analyst, Policy, Session
from differential_privacy.privacy import ApproximateLoss
from differential_privacy.sources import Bounds, Column, Table

KEY = bytes(range(32))

POLICY = """
[tables.visits]
path = "visits.{kind}"
person = "patient"
bounds = [{{ rows = 10 }}, {{ groups = 3, rows_per_group = 4 }}, {{ total = 6 }}]
budget = {{ epsilon = 1e12, delta = 1e-3 }}
[tables.visits.columns]
patient = "integer"
ward = {{ type = "text", categories = ["a", "b", "c"] }}
code = "text"
note = "text"
cost = {{ type = "number", range = [0, 1000], step = 0.01 }}
age = {{ type = "integer", range = [0, 120], nullable = false }}
size = "integer"
day = {{ type = "date", range = ["2024-01-01", "2024-12-31"] }}
at = "timestamp"
urgent = "boolean"
[tables.drugs]
path = "drugs.parquet"
person = "patient"
bounds = [{{ rows = 5 }}, {{ groups = 2, rows_per_group = 2 }}]
budget = {{ epsilon = 1e12, delta = 1e-3 }}
[tables.drugs.columns]
patient = "integer"
drug = "text"
dose = {{ type = "number", range = [0, 50] }}
[tables.staff]
path = "staff.parquet"
person = "row"
budget = {{ epsilon = 1e12, delta = 1e-3 }}
[tables.staff.columns]
post = {{ type = "text", categories = ["nurse", "surgeon"] }}
salary = {{ type = "number", range = [0, 10000] }}
[tables.diagnoses]
path = "drugs.parquet"
person = "patient"
parent = "drugs"
bounds = [{{ rows = 5 }}]
[tables.diagnoses.columns]
patient = "integer"
drug = "text"
[tables.wards]
path = "wards.csv"
public = true
unique = ["ward"]
[tables.wards.columns]
ward = "text"
region = "text"
beds = "integer"
[analysts.ada]
budget = {{ epsilon = 1e12, delta = 1e-3 }}
tables = ["visits", "drugs", "staff"]
[analysts.poor]
budget = {{ epsilon = 1 }}
"""


@dataclass(frozen=True, slots=True)
class World:
    """A curator over one of the two bodies of data."""

    curator: dp.Curator
    folder: Path

    def session(self, analyst: str = "ada") -> Session:
        """The analyst at work."""
        return self.curator.session(analyst)


Pair = tuple[World, World]


def opened(folder: Path, kind: str = "parquet", *, with_extreme: bool) -> World:
    """A world, its files written and its curator open."""
    folder.mkdir(parents=True)
    write(folder, kind, with_extreme=with_extreme)
    (folder / "curator.toml").write_text(POLICY.format(kind=kind))
    return World(dp.Curator(folder / "curator.toml"), folder)


@contextmanager
def neighbors(folder: Path, kind: str = "parquet") -> Iterator[Pair]:
    """Both worlds: the second has one more person."""
    pair = tuple(opened(folder / str(more), kind, with_extreme=more) for more in (False, True))
    try:
        yield pair  # type: ignore[misc]
    finally:
        for world in pair:
            world.curator.close()


def made(folder: Path, policy: str, **tables: dict[str, list[Any]] | pa.Table) -> World:
    """A small world of its own: a policy and its Parquet files."""
    folder.mkdir(parents=True)
    for name, columns in tables.items():
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        pq.write_table(table, folder / f"{name}.parquet")
    (folder / "curator.toml").write_text(policy)
    return World(dp.Curator(folder / "curator.toml"), folder)


def simple(budget: str = "{ epsilon = 1e9, delta = 1e-3 }", rows: int = 2) -> str:
    """A policy of one table, `people`, of patients and an x from 0 to 100."""
    return f"""
[tables.people]
path = "people.parquet"
person = "patient"
bounds = [{{ rows = {rows} }}]
budget = {budget}
columns = {{ patient = "integer", x = {{ type = "integer", range = [0, 100] }}, code = "text" }}
[analysts.ada]
budget = {budget}
[analysts.bob]
budget = {budget}
"""


COUNT = "SELECT COUNT(*) AS n FROM people"


def small(folder: Path, budget: str = "{ epsilon = 1 }", people: int = 100) -> World:
    return made(folder / "world", simple(budget), people=crowd(people))


def reopened(world: World) -> World:
    """The same policy in what could be another process."""
    world.curator.close()
    return World(dp.Curator(world.folder / "curator.toml"), world.folder)


def spent(world: World) -> list[Fraction]:
    """What is spent of each account with an epsilon, the analysts' and the tables'."""
    accounts = world.curator.ledger.statement().accounts
    return [getattr(account.spent, "epsilon", Fraction(0)) for account in accounts]


def of_frame(frame: Any, folder: Path, *, budget: int = 10**6) -> Policy:
    """A policy of people in a frame."""
    columns = (
        Column("patient", "integer"),
        Column("x", "integer", lower=0, upper=100),
        Column("code", "text"),
    )
    people = Table("people", frame, columns, owner="patient", bounds=(Bounds(rows=2),))
    loss = ApproximateLoss(budget, "1e-3")
    analysts = {name: Analyst(name, loss) for name in ("ada", "bob")}
    return Policy({"people": people}, {"people": loss}, analysts, folder=folder)
