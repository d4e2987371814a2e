"""Tables behind one small port: what the curator says of them, and the engines they live in."""

from differential_privacy.sources.columns import Column
from differential_privacy.sources.duck import DuckDB
from differential_privacy.sources.engine import Cell, Engine, Place
from differential_privacy.sources.kinds import Kind, Physical
from differential_privacy.sources.postgres import Postgres
from differential_privacy.sources.preparing import prepare, prepared
from differential_privacy.sources.ranks import Keyed, Ranks
from differential_privacy.sources.scan import (
    HASH,
    OWNER,
    RANK,
    Scanner,
    group_rank,
    row_rank,
)
from differential_privacy.sources.spark import Spark
from differential_privacy.sources.tables import Bounds, Key, Owner, Table, owner_table, root

__all__ = [
    "HASH",
    "OWNER",
    "RANK",
    "Bounds",
    "Cell",
    "Column",
    "DuckDB",
    "Engine",
    "Key",
    "Keyed",
    "Kind",
    "Owner",
    "Physical",
    "Place",
    "Postgres",
    "Ranks",
    "Scanner",
    "Spark",
    "Table",
    "group_rank",
    "owner_table",
    "prepare",
    "prepared",
    "root",
    "row_rank",
]
