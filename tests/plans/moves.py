"""How far exact statistics move when a person's rows go, and what a plan claims of that."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from tests.plans.worlds import read

from differential_privacy.audit import Told, claims
from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries import Exact, Plan, Price, Question, Way
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


def check(plan: Plan, with_: Told, without: Told) -> None:
    """A person moves nothing by more than is claimed, and is in no group that is not listed."""
    for claim in claims(plan, with_, without):
        assert claim.holds, (plan.bounding.words, claim)
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


def _sums(plan: Plan, told: Told) -> dict[tuple[Group, Exact], int]:
    """The exact numbers that add up over people, without the zeros."""
    return {
        (group, exact): value
        for group, row in told.exact.items()
        for exact, value in zip(plan.exact, row, strict=True)
        if exact.way is not Way.DISTINCT and value
    }
