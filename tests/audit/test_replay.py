"""Whatever is asked, a person changes nothing but numbers, and these no more than claimed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.audit.replays import replayed, worlds
from tests.plans.grammar import hospitals, policies, questions
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Visit

from differential_privacy.audit import Claim, Replay, replay
from differential_privacy.curator import Session
from differential_privacy.errors import SourceError
from differential_privacy.mechanisms import Geometric
from differential_privacy.queries import Plan, bounding
from differential_privacy.release import Answer, Door
from differential_privacy.release.noisy import Noisy
from differential_privacy.sources import Bounds, Cell

FEWER = settings(max_examples=max(1, settings().max_examples // 4))
"""Each example opens two engines and two ledgers."""


@FEWER
@given(hospitals(), policies(), questions(), st.data())
def test_a_person_changes_numbers_alone(
    data: Data, bounds: tuple[Bounds, ...], text: str, draw: st.DataObject
) -> None:
    person = draw.draw(st.sampled_from(data.people or [1]))
    assert replayed(text, bounds, data, person).holds


STRANGE = Data(
    (
        *(Visit(1, number, ward="abc"[number % 3], age=number % 6) for number in range(6)),
        *(Visit(2, number, ward=None, note="", cost=float("nan"), age=None) for number in range(9)),
        Visit(2, 9, ward="none", note="x" * 70_000, cost=float("-inf"), age=-(2**62), day=None),
    )
)
BY_WARD = "SELECT ward, COUNT(*), SUM(cost), AVG(age) FROM visits GROUP BY ward"


@pytest.mark.parametrize("bounds", [ROWS, GROUPS, TOTAL], ids=str)
def test_a_strange_person_is_seen_in_nothing(bounds: Bounds) -> None:
    found = replayed(BY_WARD, (bounds,), STRANGE, 2)
    assert found.holds
    assert "nothing differs" in str(found)
    assert any(claim.moved for claim in found.claims)


def test_an_order_that_matters_is_refused_alike_in_both_worlds() -> None:
    found = replayed("SELECT cost FROM visits", (ROWS,), STRANGE, 2)
    assert found == Replay({}, ())


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Callable[[Any], None]:
    true = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, lambda *a, **k: change(true(*a, **k), *a))


def rows_there(plan: Plan) -> int:
    """How many rows an answer is made of; with the strange person there are twice as many."""
    return sum(int(row[len(plan.asked.keys)] or 0) for row in run(plan))


def run(plan: Plan) -> Sequence[tuple[Cell, ...]]:
    return plan.scanner.engine.run(plan.queries[0])


def failing_on_few_rows(noisy: Noisy, _: Door, plan: Plan) -> Noisy:
    if rows_there(plan) < FEW:
        raise SourceError
    return noisy


def with_noise_for_each_row(noisy: Noisy, door: Door, plan: Plan) -> Noisy:
    Geometric(1).release([0] * 1000 * rows_there(plan), bits=door.bits)
    return noisy


def looking_again_at_many(noisy: Noisy, _: Door, plan: Plan) -> Noisy:
    if rows_there(plan) >= FEW:
        run(plan)
    return noisy


def groups_that_are_there(groups: Sequence[object], *more: Any) -> list[object]:
    return [group for group in groups if group in more[-1]]


FEW = 3
MISTAKES = {
    "an error where there are few rows": wrapped(Door, "_noisy", failing_on_few_rows),
    "groups of the data": wrapped(Door, "_groups", groups_that_are_there),
    "noise for each row": wrapped(Door, "_noisy", with_noise_for_each_row),
    "one query more for many rows": wrapped(Door, "_noisy", looking_again_at_many),
    "a reach that is half of what it is": wrapped(
        bounding.AllRows, "reach", lambda reach, *_: replace(reach, rows=reach.rows // 2)
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_seen(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert replayed(BY_WARD, (ROWS,), STRANGE, 2).holds
    MISTAKES[mistake](monkeypatch)
    found = replayed(BY_WARD, (ROWS,), STRANGE, 2)
    assert not found.holds
    assert "differs" in str(found) or "claimed" in str(found)


def test_what_was_asked_before_is_seen_alike_again() -> None:
    def ask(session: Session) -> Answer:
        return session.sql("SELECT COUNT(*) FROM visits", epsilon=1)

    with worlds((ROWS,), STRANGE, STRANGE.without(2)) as (one, other):
        assert replay(ask, one, other).holds
        assert replay(ask, one, other).holds


def test_a_price_that_one_world_paid_before_is_seen() -> None:
    with worlds((ROWS,), STRANGE, STRANGE.without(2)) as (one, other):
        one.session.sql("SELECT SUM(age) FROM visits", epsilon=1)
        found = replay(lambda session: session.sql(BY_WARD, epsilon=1), one, other)
    assert "price" in found.differences


def test_an_error_in_other_words_is_seen() -> None:
    words = iter(["3 rows", "4 rows"])

    def fails(_: Session) -> Answer:
        raise ValueError(next(words))

    with worlds((ROWS,), STRANGE, STRANGE.without(2)) as (one, other):
        found = replay(fails, one, other)
    assert found.differences == {"error": ("ValueError: 3 rows", "ValueError: 4 rows")}


def test_a_claim_that_is_passed_is_said() -> None:
    found = Replay({}, (Claim("rows", 2, 3), Claim("squares", 4, 4)))
    assert not found.holds
    assert str(found) == "rows moved by 3, claimed 2"
