"""All that an attacker sees of a question, taken down so that two worlds can be compared.

Rule 1: what is seen is compared whole, but for the numbers that noise was added to.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

from tests.hostile.worlds import Pair, World

from differential_privacy.curator import Session
from differential_privacy.ledger import Statement

EXACT = 500
"""An epsilon so large that noise is next to none, so that what is compared is exact."""

PRIVATE = ("/visits.", "/drugs.", "/staff.", "/people.", '"db ')
"""What stands in a query that reads private rows."""

Ask = Callable[[Session], Any]


@dataclass(frozen=True, slots=True)
class View:
    """All that an attacker sees of a question, but for noisy numbers."""

    error: tuple[str, str] | None
    plan: tuple[object, ...]
    answer: tuple[object, ...]
    runs: tuple[str, ...]
    entries: tuple[object, ...]
    paid: tuple[str, ...]


PRICES = (EXACT + Fraction(more, 1000) for more in count())
"""No two attacks have one price, so that none is answered from what another paid for."""


def sql(text: str, **price: Any) -> Ask:
    """To ask a question in SQL, at a price at which noise is next to none, or at another."""
    wanted = price or {"epsilon": next(PRICES)}
    return lambda session: session.sql(text, **wanted)


def view(world: World, ask: Ask, *, analyst: str = "ada") -> View:
    """Asks, and takes down everything that the attacker learns."""
    session, engine, ledger = world.session(analyst), world.curator.engine, world.curator.ledger
    runs: list[str] = []
    before = ledger.statement()
    run = type(engine).run

    def counted(query: Any) -> Any:
        text = engine.written(query)
        # What public tables hold is read once and remembered: that tells nothing.
        if [file for file in PRIVATE if file in text]:
            runs.append(text)
        return run(engine, query)  # type: ignore[arg-type]

    engine.run = counted  # type: ignore[method-assign]
    error, plan, answer = None, (), ()
    try:
        found = ask(session)
        plan, answer = _plan(found.plan), _answer(found)
    except Exception as raised:  # noqa: BLE001 - an attacker sees whatever is raised
        error = type(raised).__name__, str(raised)
    finally:
        del engine.run
    after = ledger.statement()
    paid = tuple(
        one.name for one, other in zip(before.accounts, after.accounts, strict=True) if one != other
    )
    entries = _entries(after, len(before.entries))
    return _nowhere(View(error, plan, answer, tuple(runs), entries, paid), world.folder)


def views(pair: Pair, ask: Ask, *, analyst: str = "ada") -> tuple[View, View]:
    """What the attacker sees of each world."""
    return view(pair[0], ask, analyst=analyst), view(pair[1], ask, analyst=analyst)


def _plan(plan: Any) -> tuple[object, ...]:
    expected = [str(one) for one in plan.expected()]
    columns = [(one.name, one.kind, one.public, one.step) for one in plan.columns]
    noise = repr((plan.priced.noises, plan.priced.quantiles, plan.priced.finding))
    reach = repr((plan.bounding, plan.reach, sorted(plan.tables)))
    return (columns, repr(plan.losses), plan.why, expected, plan.sql, noise, reach)


def _answer(answer: Any) -> tuple[object, ...]:
    noisy = answer.noisy
    shape = [len(values) for values in (*noisy.statistics, *noisy.chosen)]
    public = {
        one.name: sorted(map(repr, answer.columns[one.name]))
        for one in answer.plan.columns
        if one.public
    }
    # What HAVING and LIMIT keep follows from noisy numbers, so the groups before them are compared.
    told = public if answer.plan.asked.having is None and answer.plan.asked.limit is None else None
    return (answer.columns.names, noisy.groups, shape, told, answer.how, answer.theorems)


def _entries(statement: Statement, before: int) -> tuple[object, ...]:
    """What the ledger notes, but for what it draws itself: ids, hashes, times."""
    drawn = {"id", "spend", "key", "digest"}
    return tuple(
        (entry.kind, repr({key: entry.body[key] for key in sorted(entry.body) if key not in drawn}))
        for entry in statement.entries[before:]
    )


def _nowhere(seen: Any, folder: Path) -> Any:
    """The same without the folder of its world, and the accounts that are named after it."""

    def bare(part: Any) -> Any:
        if isinstance(part, str):
            return re.sub(r"data:[0-9a-f]+", "data:", part.replace(str(folder), ""))
        if isinstance(part, tuple | list):
            return tuple(bare(one) for one in part)
        if isinstance(part, dict):
            return {key: bare(value) for key, value in part.items()}
        return part

    return View(*(bare(getattr(seen, field.name)) for field in fields(View)))
