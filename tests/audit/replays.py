"""Questions of the test suite, replayed with and without one person."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from tests.plans.worlds import PUBLIC, Data, declared, tables_of, written

from differential_privacy.audit import Replay, World, replay, world
from differential_privacy.curator import Analyst, Policy
from differential_privacy.privacy import ApproximateLoss
from differential_privacy.sources import Bounds

PRICE = Fraction(1)
BUDGET = ApproximateLoss(10**6, Fraction(1, 10))


@contextmanager
def worlds(bounds: Sequence[Bounds], *hospitals: Data) -> Iterator[list[World]]:
    """A world for each body of data, all of one policy."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        public = {name: written(folder, name, rows) for name, rows in PUBLIC.items()}
        places = [
            {name: written(folder, f"{number}_{name}", rows) for name, rows in tables_of(data)}
            for number, data in enumerate(hospitals)
        ]
        tables = declared({**places[0], **public}, bounds)
        budgets = {name: BUDGET for name, table in tables.items() if not table.public}
        policy = Policy(tables, budgets, {"ada": Analyst("ada", BUDGET)})
        opened = [world(policy, one, analyst="ada") for one in places]
        found = [one.__enter__() for one in opened]
        try:
            yield found
        finally:
            for one in opened:
                one.__exit__(None, None, None)


def replayed(text: str, bounds: Sequence[Bounds], data: Data, person: int) -> Replay:
    """One question, with and without one person."""
    with worlds(bounds, data, data.without(person)) as (one, other):
        return replay(lambda session: session.sql(text, epsilon=PRICE, delta="1e-9"), one, other)
