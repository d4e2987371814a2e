"""Attacks of the notes on what is public, and on what noise is made from, each by its number."""

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.harmless import HARMLESS
from tests.hostile.movements import assert_moves_no_more_than_claimed
from tests.hostile.refused import REFUSED
from tests.hostile.rows import PEOPLE, RARE, crowd
from tests.hostile.worlds import Pair, World, made, simple

from differential_privacy.curator.proposing import private_draft
from differential_privacy.errors import PolicyError, QuestionError
from differential_privacy.queries import planning
from differential_privacy.release import Answer

HUGE = (1 << 61) - 1


def test_20_the_number_of_rows_is_not_public(pair: Pair) -> None:
    """Neither prices nor deltas, errors nor choices of noise depend on how many there are."""
    for idea in ("rare keys", "many rows in one group", "many percentiles"):
        plans = [world.session().plan(HARMLESS[idea], epsilon=1) for world in pair]
        one, other = (repr((plan.priced, plan.losses, plan.why, plan.expected())) for plan in plans)
        assert one == other
        assert str(4 * PEOPLE) not in one


@pytest.mark.parametrize(
    "idea", ["a sum without a range", "a maximum without a range", "a range from data"]
)
def test_21_no_range_is_learned_from_the_data(pair: Pair, idea: str) -> None:
    with pytest.raises(QuestionError):
        pair[1].session().plan(REFUSED[idea], epsilon=1)


def test_21_groups_that_are_not_declared_cost_a_delta(tmp_path: Path) -> None:
    world = made(tmp_path / "world", simple("{ epsilon = 9 }"), people=crowd(20))
    with pytest.raises(QuestionError, match="delta"):
        world.session().plan("SELECT code, COUNT(*) FROM people GROUP BY code", epsilon=1)


def test_21_a_proposed_policy_holds_no_value_of_the_data(pair: Pair) -> None:
    tables = pair[1].curator.policy.tables
    told = "".join(
        repr(private_draft(pair[1].curator.engine, name, tables[name].source, None))
        for name in ("visits", "drugs", "staff")
    )
    assert "ward" in told
    for value in (RARE, "surgeon", "x0", "note 1", "1e+300", "999", "3000"):
        assert value not in told


@pytest.mark.parametrize(
    "bounds",
    [
        "",
        "bounds = []",
        "bounds = [{}]",
        "bounds = [{ rows = 0 }]",
        "bounds = [{ rows = -1 }]",
        "bounds = [{ rows = inf }]",
        "bounds = [{ rows = nan }]",
        "bounds = [{ rows = 1e99 }]",
        "bounds = [{ rows = true }]",
        "bounds = [{ groups = 2 }]",
    ],
)
def test_22_a_missing_bound_is_no_bound_of_zero(tmp_path: Path, bounds: str) -> None:
    policy = simple().replace("bounds = [{ rows = 2 }]", bounds)
    with pytest.raises(PolicyError, match=r"bounds|rows|groups"):
        made(tmp_path / "world", policy, people=crowd(5))


def test_22_every_number_has_noise(pair: Pair) -> None:
    for text in HARMLESS.values():
        plan = pair[0].session().plan(text, epsilon=1)
        assert plan.priced.noises or plan.priced.quantiles or plan.priced.finding
        assert all(noise.variance.low > 0 for _, noise in plan.priced.noises)
        assert all(choice.rate > 0 for _, choice in plan.priced.quantiles)


def test_23_a_product_of_sensitivities_stays_a_whole_number(pair: Pair) -> None:
    widest = f"SELECT SUM(CLAMP(size, -{HUGE}, {HUGE})) FROM visits"
    plan = pair[0].session().plan(widest, epsilon="1e-9")
    for block, noise in plan.priced.noises:
        assert isinstance(block.row_l1, int)
        assert block.row_l1 >= HUGE
        assert isinstance(noise.variance.low, Fraction)
        assert noise.scale >= HUGE
    assert_moves_no_more_than_claimed(pair, widest)
    beyond = "SELECT SUM(CLAMP(size, -1e300, 1e300)) FROM visits"
    with pytest.raises(QuestionError):
        pair[0].session().plan(beyond, epsilon=1)


def test_35_nothing_about_the_data_is_free(pair: Pair) -> None:
    """Rows, schema, NULLs, sketches: what costs nothing is the same in both worlds."""
    free: list[Callable[[World], object]] = [
        lambda world: world.session().catalog.tables["visits"].columns,
        lambda world: repr(world.session().plan("SELECT COUNT(*) FROM visits", epsilon=1)),
        lambda world: [str(one) for one in world.session().plan("SELECT AVG(cost) FROM visits",
                                                                epsilon=1).expected()],
        lambda world: world.session().mock("visits", rows=5).names,
    ]  # fmt: skip
    for told in free:
        assert told(pair[0]) == told(pair[1])
    for idea in ("explains", "describes", "summarizes", "asks the catalog", "shows"):
        with pytest.raises(QuestionError):
            pair[1].session().plan(REFUSED[idea], epsilon=1)


def test_36_what_is_told_follows_from_the_noisy_numbers_alone(pair: Pair) -> None:
    """The same noisy numbers give the same answer in both worlds: the data are not looked at."""
    for idea in ("infinities", "zero over zero", "HAVING of one person", "rare keys"):
        answers = [world.session().sql(HARMLESS[idea], epsilon=431) for world in pair]
        plan = answers[1].plan
        told = Answer(plan, answers[0].noisy, answers[0].receipt, answers[0].confidence)
        assert told.columns.to_dict() == answers[0].columns.to_dict()
        assert repr(plan.priced) == repr(answers[0].plan.priced)


def test_36_noise_that_follows_the_data_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    price, counted = (
        planning.priced,
        pair[1].session().plan("SELECT COUNT(*) FROM visits", epsilon=1),
    )

    def scaled(asked: Any, reach: Any, paid: Any) -> Any:
        ((rows,),) = pair[1].curator.engine.run(counted.queries[0])
        return price(asked, dataclasses.replace(reach, rows=reach.rows + int(rows or 0)), paid)

    text = HARMLESS["many rows in one group"]
    honest = pair[1].session().plan(text, epsilon=1)
    monkeypatch.setattr(planning, "priced", scaled)
    with pytest.raises(AssertionError):
        assert repr(pair[1].session().plan(text, epsilon=1).priced) == repr(honest.priced)
