"""The table of the query benchmark: events of people in a thousand categories, with a fixed seed.

About one person to ten rows, their activity skewed; categories as in Zipf's law; an amount from 0
to 1,000 whose mean depends on the category; a day of a year.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

__all__ = ["CATEGORIES", "HIGHEST", "events"]

CATEGORIES = [f"cat_{number:04d}" for number in range(1000)]
HIGHEST = 1000.0
SEED = 20240607
FIRST_DAY = 19723


def events(rows: int, path: Path) -> Path:
    """Writes the table, unless it is there."""
    if path.exists():
        return path
    # What is measured is made up here; nothing of it protects anybody.
    generator = np.random.default_rng(SEED)  # noqa: TID251
    people = _picked(generator.lognormal(0.0, 1.0, rows // 10), generator.random(rows))
    categories = _picked(1 / (np.arange(1000) + 20.0), generator.random(rows))
    means = 50 + 400 * generator.random(1000)
    amounts = np.clip(generator.gamma(2.0, means[categories] / 2), 0, HIGHEST).round(2)
    days = FIRST_DAY + generator.integers(0, 366, rows)
    names = pa.DictionaryArray.from_arrays(pa.array(categories.astype(np.int32)), CATEGORIES)
    table = pa.table(
        {
            "user_id": people,
            "category": names.cast(pa.string()),
            "amount": amounts,
            "day": pa.array(days.astype(np.int32)).cast(pa.date32()),
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, row_group_size=1_000_000)
    return path


def _picked(weights: NDArray[np.float64], drawn: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices, each as often as its weight."""
    reached = np.cumsum(weights)
    return np.searchsorted(reached / reached[-1], drawn).astype(np.int64)


if __name__ == "__main__":
    print(events(int(sys.argv[1]), Path(sys.argv[2])))
