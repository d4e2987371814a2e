"""Tables behind one small port: what the curator says of them, and the engines they live in."""

from differential_privacy.sources.engine import Batch, Cell, Engine
from differential_privacy.sources.schema import (
    Bounds,
    Column,
    Key,
    Kind,
    Owner,
    Table,
    day,
    instant,
    second,
)

__all__ = [
    "Batch",
    "Bounds",
    "Cell",
    "Column",
    "Engine",
    "Key",
    "Kind",
    "Owner",
    "Table",
    "day",
    "instant",
    "second",
]
