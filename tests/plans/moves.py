"""How far exact statistics move when a person's rows go, and what a plan claims of that."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.plans.worlds import read

from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries import Exact, Plan, Price, Question, Way, people
from differential_privacy.queries.measures import Block
from differential_privacy.queries.pricing import priced
from differential_privacy.sources import Cell

Group = tuple[Cell, ...]

PRICE = Price(Fraction(1), None, Fraction(1, 10**6))


def plans(question: Question, price: Price = PRICE) -> list[Plan]:
    """A question in every way of bounding it, and with every noise."""
    return [
        Plan(asked, bounding, one, question.sources.scanner, question.text)
        for asked, bounding in question.ways
        for one in priced(asked, bounding.reach(asked), price)
    ]


def share_lost(question: Question, price: Price = PRICE) -> list[Plan]:
    """The question of how many of its rows its bound leaves out."""
    return [question.lost(price)]


@dataclass(frozen=True)
class Told:
    """The exact numbers of every group, and how many rows have which value."""

    exact: dict[Group, list[int]]
    values: tuple[dict[Group, int], ...]

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
        """What noise is added to."""
        places = {exact: place for place, exact in enumerate(plan.exact)}
        return {
            group: [
                sum(times * row[places[exact]] for exact, times in one.terms)
                for one in block.statistics
            ]
            for group, row in self.exact.items()
        }


def told_each(
    catalog: Catalog, text: str, planned: Callable[[Question], list[Plan]] = plans
) -> list[tuple[Plan, Told]]:
    """Every plan of a question with what its queries say; plans that run the same run once."""
    ran: dict[tuple[object, ...], Told] = {}
    found = []
    for plan in planned(read(catalog, text)):
        if plan.queries not in ran:
            ran[plan.queries] = Told.of(plan)
        found.append((plan, ran[plan.queries]))
    return found


@dataclass(frozen=True)
class Claim:
    """What one part of a plan says of one person, and how far that person moved it."""

    part: str
    claimed: int
    moved: int


def claims(plan: Plan, with_: Told, without: Told) -> list[Claim]:
    """Every claim of a plan about a person, beside what these two bodies of data show."""
    reach, found = plan.reach, []
    for block in plan.priced.blocks.blocks:
        l1, squared = lengths(with_.statistics(plan, block), without.statistics(plan, block))
        rows, squares = reach.rows, reach.squares
        if block.by_person:
            rows = squares = _known(reach.groups)
        found.append(Claim(f"L1 of {named(block)}", rows * block.row_l1, l1))
        found.append(Claim(f"L2 of {named(block)}", squares * block.row_squared, squared))
    for one, other in zip(with_.values, without.values, strict=True):
        found += _rank_claims(plan, one, other)
    if plan.priced.finding is not None:
        moved = _people_moved(plan, with_, without)
        found.append(Claim("groups", _known(reach.groups), moved))
    return found


def check(plan: Plan, with_: Told, without: Told) -> None:
    """A person moves nothing by more than is claimed, and is in no group that is not listed."""
    for claim in claims(plan, with_, without):
        assert claim.moved <= claim.claimed, (plan.bounding.words, claim)
    if plan.asked.groups is not None:
        assert with_.exact.keys() <= {*plan.asked.groups}


def check_removals(
    whole: Catalog,
    neighbors: Sequence[Catalog],
    text: str,
    planned: Callable[[Question], list[Plan]] = plans,
) -> None:
    """The law for one question: each neighbor has lost another person, and all people together.

    What can be added up over people is: nobody's rows decide about another's.
    """
    before = told_each(whole, text, planned)
    after = [told_each(one, text, planned) for one in neighbors]
    for place, (plan, told) in enumerate(before):
        for one, other in (others[place] for others in after):
            # A plan is made of public facts, so it cannot know which data it is for.
            assert one.priced == plan.priced
            assert one.reach == plan.reach
            check(plan, told, other)
        check_sums(plan, told, [others[place][1] for others in after])


def check_sums(plan: Plan, whole: Told, without: Sequence[Told]) -> None:
    """What each person takes away when they leave adds up to all that there is."""
    sums, left = _sums(plan, whole), [_sums(plan, told) for told in without]
    for part in set(sums).union(*left):
        there = sums.get(part, 0)
        assert sum(there - one.get(part, 0) for one in left) == there, part


def lengths(one: dict[Group, list[int]], other: dict[Group, list[int]]) -> tuple[int, int]:
    """How far apart two are over all groups: in L1, and in squared L2."""
    moved = [
        a - b
        for group in one.keys() | other.keys()
        for a, b in _pairs(one.get(group), other.get(group))
    ]
    return sum(map(abs, moved)), sum(move * move for move in moved)


def named(block: Block) -> str:
    """The ways in which the rows of a block are told."""
    return " and ".join(
        "+".join(exact.way.name.lower() for exact, _ in one.terms) for one in block.statistics
    )


def _pairs(one: Sequence[int] | None, other: Sequence[int] | None) -> Iterator[tuple[int, int]]:
    zeros = [0] * len(one or other or ())
    return zip(one or zeros, other or zeros, strict=True)


def _rank_claims(plan: Plan, one: dict[Group, int], other: dict[Group, int]) -> Iterator[Claim]:
    """Rows of each value, and all rows of each group."""
    width, by_group = len(plan.asked.keys), dict[Group, int]()
    for key in one.keys() | other.keys():
        moved = abs(one.get(key, 0) - other.get(key, 0))
        by_group[key[:width]] = by_group.get(key[:width], 0) + moved
    yield Claim("rows of a percentile", plan.reach.rows, sum(by_group.values()))
    squares = sum(rows * rows for rows in by_group.values())
    yield Claim("squares of a percentile", plan.reach.squares, squares)


def _people_moved(plan: Plan, with_: Told, without: Told) -> int:
    """In how many groups the number of people changed: by one each, or it counts no people."""
    place = plan.exact.index(people())
    one, other = (
        {group: [row[place]] for group, row in told.exact.items()} for told in (with_, without)
    )
    l1, squared = lengths(one, other)
    assert l1 == squared
    return l1


def _known(groups: int | None) -> int:
    assert groups is not None
    return groups


def _sums(plan: Plan, told: Told) -> dict[tuple[Group, Exact], int]:
    """The exact numbers that add up over people, without the zeros."""
    return {
        (group, exact): value
        for group, row in told.exact.items()
        for exact, value in zip(plan.exact, row, strict=True)
        if exact.way is not Way.DISTINCT and value
    }
