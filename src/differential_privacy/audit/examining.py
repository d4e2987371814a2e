"""A running curator, attacked with its own policy on a copy of its tables that was made up.

Rule 1: no private row is read, and nothing is spent: the copies and their ledgers end with this.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from differential_privacy.audit.battery import battery
from differential_privacy.audit.copies import copied
from differential_privacy.audit.epsilon import epsilon
from differential_privacy.audit.installation import BAD, FINE, Finding
from differential_privacy.audit.replay import Ask, Replay, replay
from differential_privacy.audit.worlds import World, world
from differential_privacy.curator import Policy
from differential_privacy.curator.opening import open_engine
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError
from differential_privacy.exact import sqrt
from differential_privacy.privacy import ConcentratedLoss, Spendable

__all__ = ["Attack", "attacks_on"]

ROWS = 300
REPEATS = 20
DRAWS = 200_000
SELDOM = Fraction(1, 10**6)
LEAST = Fraction(1, 1000)
"""A budget of which no such part is left is spent up."""

SLIGHTLY_LESS = Fraction(999, 1000)

Attack = tuple[str, Callable[[], Finding]]
"""What is tried, and trying it."""


@contextmanager
def attacks_on(policy: Policy, analyst: str) -> Iterator[list[Attack]]:
    """What an analyst with this policy's budget tries, on copies of its tables; one by one."""
    if analyst not in policy.analysts:
        rule = f"must be one of the policy's: {', '.join(policy.analysts) or 'none yet'}"
        raise InvalidArgumentError("analyst", analyst, rule)
    engine = open_engine(policy)
    try:
        stored = {table.name: engine.describe(table.source) for table in policy.private}
    finally:
        engine.close()
    texts = battery(policy, analyst)
    if not texts:
        yield []
        return
    share = Fraction(1, 2 * len(texts))
    with TemporaryDirectory() as folder:
        sides = copied(policy, stored, Path(folder), rows=ROWS)
        with (
            world(policy, sides[0], analyst=analyst) as one,
            world(policy, sides[1], analyst=analyst) as other,
        ):
            yield [
                *((text, _asking(text, share, one, other)) for text in texts),
                ("the same question again and again", lambda: _averaged(texts[0], share, one)),
                ("the noise of a count", lambda: _noise(texts[0], one)),
                ("more than the budget", lambda: _overspent(texts[0], one)),
            ]


def _asking(text: str, share: Fraction, one: World, other: World) -> Callable[[], Finding]:
    return lambda: _replayed(text, replay(_ask(text, share), one, other))


def _ask(text: str, share: Fraction) -> Ask:
    """A question at a part of the analyst's whole budget."""
    return lambda session: session.sql(text, epsilon=_epsilon(session.account.budget) * share)


def _epsilon(budget: Spendable) -> Fraction:
    """What a budget is in epsilon: a rho of epsilon^2 / 2 pays for one pure epsilon."""
    if isinstance(budget, ConcentratedLoss):
        return sqrt(2 * budget.rho).low
    return Fraction(getattr(budget, "epsilon", 0))


def _replayed(text: str, found: Replay) -> Finding:
    return Finding(text, FINE if found.holds else BAD, str(found))


def _averaged(text: str, share: Fraction, world: World) -> Finding:
    """Whether asking again gives fresh noise to average."""
    before = world.session.account.spent
    answers = {repr(_ask(text, share)(world.session).noisy) for _ in range(REPEATS)}
    free = world.session.account.spent == before
    told = f"asked {REPEATS} times, it gave {len(answers)} answer, {'free' if free else 'paid'}"
    return Finding("averaging", FINE if len(answers) == 1 and free else BAD, told)


def _noise(text: str, world: World) -> Finding:
    """Whether draws of the noise of a count tell more of a person than its price says."""
    plan = world.session.plan(text, epsilon=_epsilon(world.session.account.budget) / 3)
    block, noise = plan.priced.noises[0]
    moved = plan.reach.rows * block.row_l1
    told = epsilon(
        lambda exact, size: noise.release(np.full(size, exact)),
        0,
        moved,
        samples=DRAWS,
        delta=max(plan.loss.delta, SELDOM),
        claimed=plan.loss,
    )
    paid = float(plan.loss.epsilon_at(told.delta))
    words = f"{DRAWS:,} draws tell an epsilon of {told.epsilon:.3g} at least, {paid:.3g} is paid"
    return Finding("noise", BAD if told.refuted else FINE, words)


def _overspent(text: str, world: World) -> Finding:
    """Whether a budget that is asked for again and again gives more than it is."""
    bought, part = 0, Fraction(1, 3)
    while part > LEAST:
        before = world.session.account.spent
        try:
            _ask(text, part)(world.session)
        except BudgetExceededError:
            part /= 2
            continue
        if world.session.account.spent == before:
            return Finding("budget", BAD, "a new answer was not paid for")
        # A price that was not asked before, so that it is a new answer.
        bought, part = bought + 1, part * SLIGHTLY_LESS
    account = world.session.account
    kept = account.spent.within(account.budget)
    share = _epsilon(account.spent) / _epsilon(account.budget)
    told = f"{bought} more answers, then refused with {float(share):.1%} of the epsilon spent"
    return Finding("budget", FINE if kept else BAD, told)
