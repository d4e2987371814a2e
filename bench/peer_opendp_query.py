"""The job of the query benchmark, done by OpenDP on Polars: run in the peers' environment.

Counts and sums by category at epsilon 1, of at most 10 categories a person and 3 rows in each. In
this release `truncate_num_groups` keeps one group fewer than asked for, so it is asked for 11.
"""

import json
import sys
import time

import opendp.prelude as dp
import polars as pl

CATEGORIES = [f"cat_{number:04d}" for number in range(1000)]
MOST_ROWS = 20_000_000


def main(path: str) -> None:
    dp.enable_features("contrib")
    start = time.process_time()
    context = dp.Context.compositor(
        data=pl.scan_parquet(path),
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user_id")),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=0.0),
        split_evenly_over=1,
        margins=[
            dp.polars.Margin(max_length=MOST_ROWS),
            dp.polars.Margin(by=["category"], max_length=MOST_ROWS // 100, max_groups=1000),
        ],
    )
    query = (
        context.query()
        .truncate_per_group(3, by=["category"])
        .truncate_num_groups(11, by=["category"], keep="first")
        .group_by("category")
        .agg(dp.len(), pl.col("amount").dp.sum((0.0, 1000.0)))
        .with_keys(pl.LazyFrame({"category": CATEGORIES}))
    )
    rows = query.release().collect().height
    print(json.dumps({"rows": rows, "seconds": time.process_time() - start}))


if __name__ == "__main__":
    main(sys.argv[1])
