"""How far one person moves what a plan reads, beside how far the plan says.

Rule 1: what is read here is private and never noisy: only worlds that were made up belong here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from differential_privacy.queries import Block, Plan, people
from differential_privacy.sources import Cell

__all__ = ["Claim", "Told", "claims", "lengths"]

Group: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What the queries of a plan tell: numbers of groups, and rows by value of percentiles."""

    exact: Mapping[Group, list[int]]
    values: tuple[Mapping[Group, int], ...]

    @staticmethod
    def of(plan: Plan) -> "Told":
        """Runs what the door runs."""
        run, width = plan.scanner.engine.run, len(plan.asked.keys)
        exact, *values = (run(query) for query in plan.queries)
        end = width + len(plan.exact)
        return Told(
            {row[:width]: [int(one or 0) for one in row[width:end]] for row in exact},
            tuple({row[:-1]: int(row[-1] or 0) for row in rows} for rows in values),
        )

    def statistics(self, plan: Plan, block: Block) -> dict[Group, list[int]]:
        """What noise is added to, for each group."""
        places = {exact: place for place, exact in enumerate(plan.exact)}
        return {
            group: [
                sum(times * row[places[exact]] for exact, times in one.terms)
                for one in block.statistics
            ]
            for group, row in self.exact.items()
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """What a plan says of one person, and how far that person moved it."""

    part: str
    claimed: int
    moved: int

    @property
    def holds(self) -> bool:
        """Whether the person moved no more than is claimed."""
        return self.moved <= self.claimed


def claims(plan: Plan, one: Told, other: Told) -> list[Claim]:
    """Every claim of a plan about a person, beside what two bodies of data show."""
    reach, found = plan.reach, []
    for block in plan.priced.blocks.blocks:
        l1, squared = lengths(one.statistics(plan, block), other.statistics(plan, block))
        rows, squares = reach.rows, reach.squares
        if block.by_person:
            rows = squares = reach.groups or 0
        found.append(Claim(f"L1 of {block.named}", rows * block.row_l1, l1))
        found.append(Claim(f"L2 of {block.named}", squares * block.row_squared, squared))
    for mine, others in zip(one.values, other.values, strict=True):
        found += _rank_claims(plan, mine, others)
    if plan.priced.finding is not None:
        found += _finding_claims(plan, one, other)
    return found


def lengths(one: Mapping[Group, list[int]], other: Mapping[Group, list[int]]) -> tuple[int, int]:
    """How far apart two are over all groups: in L1, and in squared L2."""
    moved = [
        a - b
        for group in one.keys() | other.keys()
        for a, b in _pairs(one.get(group), other.get(group))
    ]
    return sum(map(abs, moved)), sum(move * move for move in moved)


def _pairs(one: Sequence[int] | None, other: Sequence[int] | None) -> Iterator[tuple[int, int]]:
    zeros = [0] * len(one or other or ())
    return zip(one or zeros, other or zeros, strict=True)


def _rank_claims(plan: Plan, one: Mapping[Group, int], other: Mapping[Group, int]) -> list[Claim]:
    """Rows of each value, and all rows of each group."""
    width, by_group = len(plan.asked.keys), dict[Group, int]()
    for key in one.keys() | other.keys():
        moved = abs(one.get(key, 0) - other.get(key, 0))
        by_group[key[:width]] = by_group.get(key[:width], 0) + moved
    rows, squares = sum(by_group.values()), sum(moved**2 for moved in by_group.values())
    return [
        Claim("rows of a percentile", plan.reach.rows, rows),
        Claim("squares of a percentile", plan.reach.squares, squares),
    ]


def _finding_claims(plan: Plan, one: Told, other: Told) -> list[Claim]:
    """In how many groups the number of people changed, and that it did by one in each."""
    place = plan.exact.index(people())
    mine, others = (
        {group: [row[place]] for group, row in told.exact.items()} for told in (one, other)
    )
    l1, squared = lengths(mine, others)
    return [Claim("groups", plan.reach.groups or 0, l1), Claim("people of a group", l1, squared)]
