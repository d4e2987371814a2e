"""TPC-H at scale 1, customers being the people: each question beside DuckDB's own, without privacy.

The questions and the policy are those of tests/tpch; tables are made by tpchgen-cli.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from string import Template

import duckdb

import differential_privacy as dp
from clock import race, seconds
from differential_privacy.errors import QuestionError
from line import Line, ours_at_most
from measure import Measure

__all__ = ["measures"]

HERE = Path(__file__).parents[1] / "tests" / "tpch"
FOLDER = Path("/tmp/differential_privacy_bench/tpch")  # noqa: S108 - a cache that may go
TABLES = ("region", "nation", "part", "supplier", "partsupp", "customer", "orders", "lineitem")
ENDLESS = "{ epsilon = 1e12, delta = 0.1 }"
MOST_REFUSED = 7
DELTA = 1e-6
ROUNDS = 3


def measures() -> Iterator[Measure]:
    yield Measure("TPC-H at scale 1", queries)


def queries(name: str) -> Iterator[Line]:
    """Of each query the CPU of the engine beside DuckDB's, and the error of its worst column."""
    with dp.Curator(curator()) as opened, duckdb.connect() as plain:
        for table in TABLES:
            plain.execute(f"CREATE VIEW {table} AS FROM '{FOLDER / table}.parquet'")
        plain.execute("CREATE MACRO clamp(x, a, b) AS least(greatest(x, a), b)")
        yield Line(f"{name}: preparing", "s CPU", seconds(opened.prepare))
        session, refused = opened.session("ada"), 0
        for number in range(1, 23):
            try:
                for kind, text in asked(number, plain).items():
                    yield from beside(f"{name}: query {number}{kind}", text, session, plain)
            except QuestionError:
                refused += 1
        yield Line(f"{name}: refused", "of 22", refused, bar=ours_at_most(MOST_REFUSED))


def asked(number: int, plain: duckdb.DuckDBPyConnection) -> Mapping[str, str]:
    """Our text, or else the original, and what caps each customer's part, where there is such.

    They are without LIMIT, which would show those groups alone that noise makes largest.
    """
    file, first = f"q{number:02}.sql", None
    before = HERE / "ours" / file.replace(".sql", "_first.sql")
    if before.exists():
        ((first,),) = plain.execute(before.read_text()).fetchall()
    ours = HERE / "ours" / file
    paths = {
        "": ours if ours.exists() else HERE / "original" / file,
        ", capped": HERE / "capped" / file,
    }
    return {
        kind: Template(path.read_text()).substitute(first=first).partition("\nlimit ")[0]
        for kind, path in paths.items()
        if path.exists()
    }


def beside(
    name: str, text: str, session: dp.Session, plain: duckdb.DuckDBPyConnection
) -> Iterator[Line]:
    """One question in its engine and in plain DuckDB; its answer at epsilon 1 and the truth."""
    plan = session.plan(text, epsilon=1, delta=DELTA)
    engine = session.catalog.scanner.engine
    times = race(
        {
            "ours": lambda: seconds(lambda: engine.run(plan.queries[0])),
            "plain": lambda: seconds(lambda: plain.execute(text).fetchall()),
        },
        rounds=ROUNDS,
    )
    yield Line(f"{name}: in the engine", "s CPU", times["ours"], times["plain"], "DuckDB")
    found = plain.execute(text)
    names = [column.lower() for column, *_ in found.description or ()]
    off = errors(session.buy(plan), names, found.fetchall())
    column = max(off, key=off.__getitem__)
    yield Line(f"{name}: error at epsilon 1, {column}", "of the truth", off[column])


def errors(
    answer: dp.Answer, names: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> dict[str, float]:
    """How far off the middle group of each column is, as a part of what it should be."""
    told, off = answer.columns, {}
    public = [column.name for column in answer.plan.columns if column.public]
    places = {key: at for at, key in enumerate(zip(*(told[one] for one in public), strict=True))}
    for column in answer.plan.columns:
        if column.public:
            continue
        shares = []
        for row in rows:
            exact = dict(zip(names, row, strict=True))
            place = places.get(tuple(exact[one] for one in public)) if public else 0
            truth = float(str(exact[column.name]))
            if place is not None and truth:
                shares.append(abs(told[column.name][place] - truth) / abs(truth))
        off[column.name] = median(shares)
    return off


def curator() -> Path:
    """The policy over the tables, which are made unless they are there; a new ledger each time."""
    if not (FOLDER / "lineitem.parquet").exists():
        tool = Path(sys.executable).with_name("tpchgen-cli")
        subprocess.run([tool, "parquet", "--quiet", "-s", "1", "-o", FOLDER], check=True)
    shutil.rmtree(FOLDER / ".dp", ignore_errors=True)
    text = (HERE / "curator.toml").read_text()
    path = FOLDER / "curator.toml"
    path.write_text(text.replace("{ epsilon = 10, delta = 1e-5 }", ENDLESS))
    return path
