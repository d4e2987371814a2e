"""How far one person moves the exact numbers that noise is added to, and how far a plan says."""

from fractions import Fraction
from typing import Any

from tests.hostile.worlds import Pair, World

from differential_privacy.queries import Plan, people

Exacts = dict[tuple[Any, ...], list[int]]


def assert_moves_no_more_than_claimed(pair: Pair, text: str, *, delta: str = "1e-9") -> None:
    """Every statistic, count of people and rank moves by at most what noise was made for."""
    plans = [world.session().plan(text, epsilon=1, delta=delta) for world in pair]
    plan, reach = plans[0], plans[0].reach
    assert repr(plan.priced) == repr(plans[1].priced)
    one, other = (exact(world, each) for world, each in zip(pair, plans, strict=True))
    for block, _ in plan.priced.noises:
        moved = [
            statistic(plan, block_part, one.get(group))
            - statistic(plan, block_part, other.get(group))
            for block_part in block.statistics
            for group in one.keys() | other.keys()
        ]
        rows = reach.groups if block.by_person else reach.rows
        squares = reach.groups if block.by_person else reach.squares
        assert rows is not None
        assert sum(map(abs, moved)) <= rows * block.row_l1
        assert sum(each * each for each in moved) <= squares * block.row_squared
    if plan.priced.finding is not None:
        place = plan.exact.index(people())
        found = [{group: row[place] for group, row in each.items()} for each in (one, other)]
        groups = found[0].keys() | found[1].keys()
        moved = [found[0].get(group, 0) - found[1].get(group, 0) for group in groups]
        assert sum(map(abs, moved)) <= reach.groups
    for place in range(len(plan.priced.quantiles)):
        rows_of = [
            sum(int(row[-1] or 0) for row in world.curator.engine.run(each.queries[1 + place]))
            for world, each in zip(pair, plans, strict=True)
        ]
        assert abs(rows_of[0] - rows_of[1]) <= reach.rows


def exact(world: World, plan: Plan) -> Exacts:
    """The exact numbers of each group, as the engine gives them."""
    width = len(plan.asked.keys)
    rows = world.curator.engine.run(plan.queries[0])
    return {row[:width]: [int(cell or 0) for cell in row[width:]] for row in rows}


def statistic(plan: Plan, wanted: Any, row: list[int] | None) -> int:
    """One statistic of a group; of a group that is not there it is zero."""
    if row is None:
        return 0
    return sum(times * row[plan.exact.index(each)] for each, times in wanted.terms)


def noise_free(world: World, text: str, **price: Any) -> Any:
    """The rows of an answer whose noise is next to none."""
    return world.session().sql(text, **(price or {"epsilon": Fraction(500)})).rows


def statistics(world: World, text: str, **price: Any) -> list[int]:
    """The exact whole numbers of a question without groups, as the engine gives them."""
    plan = world.session().plan(text, **(price or {"epsilon": 1}))
    (row,) = exact(world, plan).values()
    return row
