"""A made-up hospital: a million visits of a hundred thousand patients, and its policy.

Rule 1: nobody is in it: each value is a hash of its row's number, the same whenever it is made.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb

__all__ = ["POLICY", "Hospital"]

BINNED = "age // 20 * 20"
"""What DuckDB has no word for."""

VISITS, PATIENTS = 1_000_000, 100_000

# One visit in ten is of a patient in ten, and one in five thousand has a rare diagnosis.
MADE = """
COPY (
    WITH drawn AS (
        SELECT
            i,
            CAST(CASE WHEN HASH(i, 0) % 10 = 0 THEN HASH(i, 1) % ({patients} // 10)
                 ELSE HASH(i, 1) % {patients} END AS INTEGER) AS patient,
            CAST(HASH(i, 2) % 20 AS INTEGER) AS place,
            CAST(HASH(i, 3) % 730 AS INTEGER) AS since,
            CAST(HASH(i, 4) % 100 AS INTEGER) AS luck,
            CAST(HASH(i, 5) % 1000 AS INTEGER) AS illness
        FROM RANGE({visits}) AS made(i)
    ),
    known AS (
        SELECT
            *,
            CAST((HASH(patient, 6) % 60 + HASH(patient, 7) % 41) AS INTEGER) AS age,
            ['Emergency', 'Emergency', 'Emergency', 'Emergency', 'Emergency', 'Emergency',
             'Surgery', 'Surgery', 'Surgery', 'Surgery', 'Cardiology', 'Cardiology', 'Cardiology',
             'Oncology', 'Oncology', 'Neurology', 'Neurology', 'Maternity', 'Maternity',
             'Pediatrics'][place + 1] AS ward,
            CASE WHEN luck < 50 THEN 0
                 WHEN luck < 85 THEN 1 + luck % 4
                 ELSE 5 + CAST(HASH(i, 8) % 26 AS INTEGER) END AS nights
        FROM drawn
    )
    SELECT
        patient,
        age,
        ward,
        DATE '2024-01-01' + since AS day,
        nights,
        CAST(8000 + nights * 52000 + CAST(HASH(i, 9) % 60000 AS INTEGER) AS DECIMAL(12, 2)) / 100
            AS cost,
        ward = 'Emergency' OR luck % 7 = 0 AS emergency,
        CASE WHEN HASH(i, 10) % 5000 = 0
             THEN 'R' || LPAD(CAST(HASH(i, 11) % 900 AS VARCHAR), 3, '0')
             ELSE 'D' || LPAD(CAST(illness * illness // 25000 AS VARCHAR), 2, '0') END AS diagnosis
    FROM known
) TO '{folder}/visits.parquet' (FORMAT parquet)
"""

WARDS = """\
ward,building,beds
Emergency,Main,40
Surgery,Main,60
Cardiology,North,30
Oncology,North,35
Neurology,North,25
Maternity,South,30
Pediatrics,South,20
"""

POLICY = """\
# The policy of a made-up hospital: who is protected, what is public, who may spend how much.

[tables.visits]
path = "visits.parquet"
person = "patient"             # each patient is protected, with all their visits
bounds = [{ rows = 40 }]       # so many visits of a patient count; which ones is drawn by lot, once
budget = { epsilon = 3, delta = 1e-6 }  # what all analysts together may spend
group_by = ["ward"]            # `dp prepare` ranks patients' wards, too

[tables.visits.columns]
patient = "integer"
age = { type = "integer", range = [0, 120], nullable = false }
ward = { type = "text", nullable = false, categories = ["Emergency", "Surgery", "Cardiology", \
"Oncology", "Neurology", "Maternity", "Pediatrics"] }
day = { type = "date", range = ["2024-01-01", "2025-12-31"], nullable = false }
nights = { type = "integer", range = [0, 30], nullable = false }
cost = { type = "number", range = [0, 20000], step = 0.01, nullable = false }
emergency = { type = "boolean", nullable = false }
diagnosis = "text"             # codes that nobody has listed: groups of them need a delta

[tables.wards]
path = "wards.csv"
public = true                  # anyone may know all of it
unique = ["ward"]              # so that a join with it adds no rows

[tables.wards.columns]
ward = "text"
building = "text"
beds = "integer"

[analysts.ada]
budget = { epsilon = 2, delta = 1e-6 }

[analysts.eve]
budget = { epsilon = 0.5, delta = 1e-7 }

[analysts.zoe]                 # the demo leaves hers to you
budget = { epsilon = 0.5, delta = 1e-6 }
"""


@dataclass(frozen=True, slots=True)
class Hospital:
    """A folder with the hospital's tables and policy."""

    folder: Path

    @property
    def policy(self) -> Path:
        """Its policy."""
        return self.folder / "curator.toml"

    def make(self, *, visits: int = VISITS, patients: int = PATIENTS) -> None:
        """Writes all of it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        folder = str(self.folder).replace("'", "''")
        with duckdb.connect() as connection:
            connection.execute(MADE.format(visits=visits, patients=patients, folder=folder))
        (self.folder / "wards.csv").write_text(WARDS, encoding="utf-8")
        self.policy.write_text(POLICY, encoding="utf-8")

    def truth(self, question: str) -> list[tuple[object, ...]]:
        """What a question comes to without any privacy: only of data that are nobody's."""
        with duckdb.connect() as connection:
            for name, file in (("visits", "visits.parquet"), ("wards", "wards.csv")):
                path = str(self.folder / file).replace("'", "''")
                connection.execute(f"CREATE VIEW {name} AS FROM '{path}'")
            return connection.execute(question.replace("BIN(age, 20)", BINNED)).fetchall()
