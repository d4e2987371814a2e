"""A small clinic whose private cells carry a marker."""

from pathlib import Path

import duckdb
import pytest
from tests.cli.running import MARKER

POLICY = """
[tables.visits]
path = "visits.parquet"
person = "patient"
bounds = [{ rows = 5 }]
budget = { epsilon = 3, delta = 1e-6 }

[tables.visits.columns]
patient = "text"
ward = { type = "text", categories = ["North", "South"], nullable = false }
age = { type = "integer", range = [0, 120], nullable = false }
cost = { type = "number", range = [0, 1000], step = 0.01, nullable = false }
day = { type = "date", range = ["2024-01-01", "2024-12-31"] }
note = "text"
weight = "number"

[tables.wards]
path = "wards.csv"
public = true
unique = ["ward"]

[tables.wards.columns]
ward = "text"
beds = "integer"

[analysts.ada]
budget = { epsilon = 2, delta = 1e-6 }
projects = { trial = { epsilon = 0.5, delta = 1e-7 } }

[analysts.bob]
budget = { epsilon = 1, delta = 1e-6 }
tables = ["wards"]
"""

ROWS = f"""
SELECT
    '{MARKER}-' || i % 300 AS patient,
    CASE WHEN i % 3 = 0 THEN 'South' ELSE 'North' END AS ward,
    CAST(i * 7 % 90 AS INTEGER) AS age,
    i * 13 % 1000 + 0.25 AS cost,
    DATE '2024-01-01' + CAST(i % 366 AS INTEGER) AS day,
    '{MARKER} of ' || i AS note,
    i % 90 + 0.5 AS weight
FROM RANGE(1200) AS made(i)
"""


def make_clinic(folder: Path) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{folder}/visits.parquet'")
        connection.execute(f"COPY ({ROWS}) TO '{folder}/visits.csv'")
        connection.execute(f"ATTACH '{folder}/clinic.duckdb' AS clinic")
        connection.execute(f"CREATE TABLE clinic.visits AS {ROWS}")
    (folder / "wards.csv").write_text("ward,beds\nNorth,10\nSouth,20\n")
    (folder / "curator.toml").write_text(POLICY)
    return folder


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the clinic, in which commands are run."""
    monkeypatch.chdir(tmp_path)
    for name in ("DP_POLICY", "DP_ANALYST"):
        monkeypatch.delenv(name, raising=False)
    return make_clinic(tmp_path)
