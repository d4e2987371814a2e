"""The query benchmark: count, sum and mean by 1,000 categories, of 10 million rows.

Epsilon 1, delta 1e-7, at most 10 categories a person and 3 rows in each, amounts from 0 to 1,000.
"""

import json
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from pathlib import Path

import duckdb

import differential_privacy as dp
from clock import race, seconds
from differential_privacy.accounting import analytic_sigma
from events import CATEGORIES, HIGHEST, events
from line import Bar, Line, ours_at_most, ratio_at_most
from measure import Measure

__all__ = ["measures"]

ROWS = 10**7
FOLDER = Path("/tmp/differential_privacy_bench")  # noqa: S108 - a cache that may go
QUESTION = "SELECT category, COUNT(*) AS n, SUM(amount) AS total, AVG(amount) AS mean FROM events"
KNOWN = f"{QUESTION} GROUP BY category"
EPSILON, DELTA, GROUPS, EACH = 1, 1e-7, 10, 3
BEST_FOUND = 723
LARGEST_DEVIATION = 65
ROUNDS = 5

POLICY = f"""
[tables.events]
path = "events.parquet"
person = "user_id"
bounds = [{{ groups = {GROUPS}, rows_per_group = {EACH} }}]
group_by = ["category"]
budget = {{ epsilon = 1000000, delta = 0.1 }}

[tables.events.columns]
user_id = "integer"
category = {{ type = "text", categories = {json.dumps(CATEGORIES)}, nullable = false }}
amount = {{ type = "number", range = [0, {HIGHEST:g}], step = 0.01, nullable = false }}
day = {{ type = "date", range = ["2024-01-01", "2024-12-31"] }}

[analysts.ada]
budget = {{ epsilon = 1000000, delta = 0.1 }}
"""
LISTED = f"categories = {json.dumps(CATEGORIES)}, nullable = false"
UNKNOWN = POLICY.replace(LISTED, "nullable = true")
"""The same policy where nobody says which categories there are."""


def measures(peers: Path) -> Iterator[Measure]:
    yield Measure("the same question without privacy and prepared", prepared)
    yield Measure("the same question without privacy and unprepared", unprepared)
    yield Measure("the whole job, process and all, beside OpenDP on Polars", job, peers)
    yield Measure("planning", planning)
    yield Measure("a charged tiny question, end to end", tiny)
    yield Measure("import and opening a curator", opening)
    yield Measure("errors beside a hand-tuned optimum", errors)
    yield Measure("groups found where keys are unknown", found)


def curator(name: str, *, policy: str = POLICY) -> dp.Curator:
    """A curator over the events, with a ledger of its own."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "events.parquet").symlink_to(events(ROWS, FOLDER / "events.parquet"))
    (folder / "curator.toml").write_text(policy)
    return dp.Curator(folder / "curator.toml")


BARE = """
import duckdb
duckdb.connect().execute({text!r}).fetchall()
"""

OPEN = """
import differential_privacy as dp
curator = dp.Curator({path!r})
"""

ASK = f"""{OPEN}
curator.session("ada").sql({KNOWN!r}, epsilon={{epsilon!r}}, delta={DELTA}).columns
"""

PRICES = count(1)


def asked(session: dp.Session, text: str = KNOWN) -> dp.Answer:
    """An answer that was not given before: each price is a little other than all before it."""
    delta = DELTA if session.account.budget.delta else None
    answer = session.sql(text, epsilon=_price(), delta=delta)
    answer.columns  # noqa: B018 - values and error bars are part of what is waited for
    return answer


PLAIN = "SELECT category, COUNT(*), SUM(amount), AVG(amount) FROM {rows} GROUP BY 1"

BOUNDED = f"""(
    SELECT category, amount FROM (
        SELECT category, amount, DENSE_RANK() OVER one AS category_rank,
            ROW_NUMBER() OVER one - RANK() OVER one + 1 AS row_rank
        FROM {{rows}} WINDOW one AS (PARTITION BY user_id ORDER BY HASH(user_id, category)))
    WHERE category_rank <= {GROUPS} AND row_rank <= {EACH})"""
"""The least that bounds at all, in plain SQL: rows within a category as they come."""


def stored() -> str:
    return f"'{events(ROWS, FOLDER / 'events.parquet')}'"


def plain(rows: str) -> Callable[[], object]:
    """What DuckDB does without privacy."""
    connection = duckdb.connect()
    return lambda: connection.execute(PLAIN.format(rows=rows)).fetchall()


def prepared(name: str) -> Iterator[Line]:
    """CPU of the question, ledger and noise included, beside the engine's own GROUP BY."""
    with curator("prepared") as opened:
        start = time.process_time()
        opened.prepare()
        yield Line("preparing 10 million rows, once", "s CPU", time.process_time() - start)
        yield from _beside(name, opened.session("ada"), ratio_at_most(1.5))


def unprepared(name: str) -> Iterator[Line]:
    with curator("unprepared") as opened:
        yield from _beside(name, opened.session("ada"))


def _beside(name: str, session: dp.Session, bar: Bar | None = None) -> Iterator[Line]:
    exact, bounded = plain(stored()), plain(BOUNDED.format(rows=stored()))
    asked(session)
    query = session.plan(KNOWN, epsilon=EPSILON, delta=DELTA).queries[0]
    engine = session.catalog.scanner.engine
    times = race(
        {
            "question": lambda: seconds(lambda: asked(session)),
            "engine": lambda: seconds(lambda: engine.run(query)),
            "plain": lambda: seconds(exact),
            "bounded": lambda: seconds(bounded),
        },
        rounds=ROUNDS,
    )
    yield Line(f"{name}: in the engine", "s CPU", times["engine"], times["plain"], "DuckDB", bar)
    yield Line(f"{name}: whole", "s CPU", times["question"], times["plain"], "DuckDB")
    least = "bounds in plain SQL"
    yield Line(f"{name}: in the engine", "s CPU", times["engine"], times["bounded"], least)


def job(name: str, peers: Path) -> Iterator[Line]:
    """A process that opens the curator, asks and shows, beside one that does it with OpenDP."""
    path = events(ROWS, FOLDER / "events.parquet")
    bare = _process(BARE, text=PLAIN.format(rows=stored()))
    with curator("job") as opened:
        opened.prepare()
    ours = _asking(FOLDER / "job")
    theirs = _child([str(peers), str(Path(__file__).with_name("peer_opendp_query.py")), str(path)])
    cpu = (ours["cpu"], theirs["cpu"], "OpenDP (Polars)", ratio_at_most(1 / 20))
    yield Line(f"{name}: CPU, prepared", "s CPU", *cpu)
    bar = ours_at_most(1000)
    yield Line(f"{name}: memory, prepared", "MB", ours["mb"], theirs["mb"], "OpenDP (Polars)", bar)
    with curator("job_unprepared"):
        pass
    ours = _asking(FOLDER / "job_unprepared")
    yield Line(f"{name}: CPU, unprepared", "s CPU", ours["cpu"], theirs["cpu"], "OpenDP (Polars)")
    cpu = (ours["cpu"], bare["cpu"], "DuckDB without privacy", ratio_at_most(15))
    yield Line(f"{name}: CPU, unprepared", "s CPU", *cpu)
    yield Line(f"{name}: memory, unprepared", "MB", ours["mb"], theirs["mb"], "OpenDP", bar)


def _asking(folder: Path) -> dict[str, float]:
    """The best of several processes that ask, each at a price that was not paid before."""
    names = {"path": str(folder / "curator.toml")}
    commands = [ASK.format(**names, epsilon=str(_price())) for _ in range(ROUNDS)]
    found = [_child([sys.executable, "-c", command]) for command in commands]
    return min(found, key=lambda one: one["cpu"])


def _process(program: str, **names: str) -> dict[str, float]:
    """The best of several runs."""
    command = [sys.executable, "-c", program.format(**names)]
    return min((_child(command) for _ in range(ROUNDS)), key=lambda one: one["cpu"])


def _child(command: list[str]) -> dict[str, float]:
    """The CPU time and the peak of memory of a process and its own."""
    told = f"""
import json, resource, subprocess, sys
subprocess.run({command!r}, check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({{"cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1000}}))
"""
    done = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def planning(name: str) -> Iterator[Line]:
    with curator("planning") as opened:
        session = opened.session("ada")
        for text, what in ((KNOWN, "known keys"), (KNOWN.replace("category", "day"), "by day")):
            session.plan(text, epsilon=1, delta=DELTA)
            best = min(_wall(lambda: _fresh_plan(session, text)) for _ in range(9))  # noqa: B023
            yield Line(f"{name}: {what}", "ms", 1000 * best, bar=ours_at_most(20))
    with curator("planning_unknown", policy=UNKNOWN) as opened:
        session = opened.session("ada")
        session.plan(KNOWN, epsilon=1, delta=DELTA)
        best = min(_wall(lambda: _fresh_plan(session, KNOWN)) for _ in range(9))
        yield Line(f"{name}: unknown keys", "ms", 1000 * best, bar=ours_at_most(20))


def _fresh_plan(session: dp.Session, text: str) -> None:
    plan = session.plan(text, epsilon=_price(), delta=DELTA)
    plan.expected()
    if not plan.key:
        message = "a plan has a key"
        raise RuntimeError(message)


def tiny(name: str) -> Iterator[Line]:
    """A count over few rows: what is left is planning, two durable commits and noise."""
    folder = FOLDER / "tiny"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("x\n" + "1\n" * 100)
    (folder / "curator.toml").write_text(
        '[tables.t]\npath = "t.csv"\nperson = "row"\nbudget = { epsilon = 1000000 }\n'
        '[tables.t.columns]\nx = { type = "integer", range = [0, 10] }\n'
        "[analysts.ada]\nbudget = { epsilon = 1000000 }\n"
    )
    with dp.Curator(folder / "curator.toml") as opened:
        session = opened.session("ada")
        asked(session, "SELECT COUNT(*) AS n FROM t")
        best = min(_wall(lambda: asked(session, "SELECT COUNT(*) AS n FROM t")) for _ in range(30))
    yield Line(name, "ms", 1000 * best, bar=ours_at_most(30))


def opening(name: str) -> Iterator[Line]:
    with curator("opening"):
        pass
    path = str(FOLDER / "opening" / "curator.toml")
    best = _process(OPEN, path=path)["cpu"]
    yield Line(name, "s CPU", best, bar=ours_at_most(0.6))


def errors(name: str) -> Iterator[Line]:
    """Mean absolute errors over all categories, beside what a person who tunes by hand gets."""
    with curator("errors") as opened:
        session = opened.session("ada")
        plan = session.plan(KNOWN, epsilon=EPSILON, delta=DELTA)
        rows = opened.engine.run(plan.queries[0])
        names = [one.way.name for one in plan.exact]
        answers = [asked(session) for _ in range(3)]
    n, total = 1 + names.index("ROWS"), 1 + names.index("SUM")
    exact = {row[0]: (row[n], row[total] / 100) for row in rows}
    seen = dict.fromkeys(("n", "total", "mean"), 0.0)
    for answer in answers:
        for place, category in enumerate(answer.columns["category"]):
            many, amount = exact[category]
            truths = {"n": many, "total": amount, "mean": amount / many}
            for column, truth in truths.items():
                off = abs(answer.columns[column][place] - truth)
                seen[column] += off / len(exact) / len(answers)
    for column, best in by_hand(list(exact.values())).items():
        what = f"{name}: {column}"
        yield Line(what, "mean |error|", seen[column], best, "by hand", ratio_at_most(1))
    deviation = answers[0].columns["n_sd"][0]
    bar = ours_at_most(LARGEST_DEVIATION)
    yield Line("deviation of a count's noise", "rows", deviation, 85, "Tumult", bar)
    left = sum(many for many, _ in exact.values()) / ROWS
    yield Line("rows that the bounds leave", "share", left)


def by_hand(exact: list[tuple[int, float]]) -> dict[str, float]:
    """The least mean error that Laplace or Gaussian noise has when the price is split by hand.

    Laplace: half of epsilon for the count, half for the sum around the middle. Gaussian: the least
    deviation for (epsilon, delta) in reals, shared in equal parts of its square.
    """
    half = HIGHEST / 2
    scale = 2 * GROUPS * EACH / EPSILON
    lengths = math.sqrt(GROUPS) * EACH
    deviation = float(analytic_sigma(epsilon=EPSILON, delta=DELTA)) * lengths * math.sqrt(2)
    # The mean of |x| is the scale of a Laplace, 3/2 scales of a sum of two, sqrt(2/pi) deviations.
    gauss = math.sqrt(2 / math.pi)
    mean_laplace = mean_gauss = 0.0
    for many, amount in exact:
        lean = abs(amount / many / half - 1)
        spread = half * deviation * math.hypot(1, lean) / many
        mean_gauss += gauss * spread / len(exact)
        mean_laplace += _two_laplaces(half * scale, half * scale * lean) / many / len(exact)
    return {
        "n": min(scale, gauss * deviation),
        "total": min(1.5 * half * scale, gauss * half * deviation * math.sqrt(2)),
        "mean": min(mean_laplace, mean_gauss),
    }


def _two_laplaces(a: float, b: float) -> float:
    """The mean of |x + y| of two independent Laplaces of scales a and b."""
    return (a * a + a * b + b * b) / (a + b)


def found(name: str) -> Iterator[Line]:
    """How many of the 1,000 categories are shown where nobody says in public which there are."""
    with curator("found", policy=UNKNOWN) as opened:
        answer = asked(opened.session("ada"))
        shown = len(answer.columns)
    missing = Bar("groups missing", len(CATEGORIES) - BEST_FOUND, lambda ours, _: 1000 - ours)
    yield Line(name, "groups", shown, BEST_FOUND, "Qrlew", missing)


def _price() -> Fraction:
    """About epsilon 1, and never the same twice, so that no answer was given before."""
    return EPSILON + Fraction(next(PRICES), 10**6)


def _wall(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
