"""A real curator over made-up rows: engine, policy and ledger, in a folder that is gone after."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import duckdb
from numpy.typing import NDArray

from differential_privacy.curator import Analyst, Curator, Policy, Session
from differential_privacy.privacy import Spendable
from differential_privacy.sources import Place, Table

__all__ = ["Rows", "guarded", "numbers"]

Rows: TypeAlias = Mapping[str, NDArray[Any]]

ATTACKER = "mallory"
"""Who asks, as an analyst with all of the budget."""


@contextmanager
def guarded(budget: Spendable, *tables: tuple[Table, Rows]) -> Iterator[Session]:
    """Lets an attacker ask about tables, each declared with its rows beside, at most this much."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        placed = {}
        with duckdb.connect() as connection:
            for number, (table, rows) in enumerate(tables):
                path = folder / f"{table.name}.parquet"
                quoted = str(path).replace("'", "''")
                connection.register(f"rows_{number}", dict(rows))
                connection.execute(f"COPY (FROM rows_{number}) TO '{quoted}'")
                placed[table.name] = replace(table, source=Place(str(path)))
        policy = Policy(
            tables=placed,
            budgets={name: budget for name, table in placed.items() if not table.public},
            analysts={ATTACKER: Analyst(ATTACKER, budget)},
            folder=folder / ".dp",
        )
        with Curator(policy) as curator:
            yield curator.session(ATTACKER)


def numbers(session: Session, text: str, **price: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401
    """The rows of an answer, bought by the attacker."""
    return list(session.sql(text, **price).rows)
