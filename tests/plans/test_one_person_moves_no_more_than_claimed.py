"""The heart: how far one person moves what noise is added to is what the noise was made for."""

from collections.abc import Callable

import pytest
from hypothesis import given, reject, settings
from tests.plans.grammar import hospitals, policies, questions
from tests.plans.moves import check_removals, plans, share_lost
from tests.plans.worlds import BOUNDS, Data, Item, Visit, opened

from differential_privacy.errors import QuestionError
from differential_privacy.queries import Plan, Question
from differential_privacy.sources import Bounds


def assert_nobody_moves_more(
    data: Data,
    bounds: tuple[Bounds, ...],
    text: str,
    planned: Callable[[Question], list[Plan]] = plans,
) -> None:
    neighbors = [data.without(person) for person in data.people]
    with opened(data, *neighbors, bounds=bounds) as (whole, *others):
        check_removals(whole, others, text, planned)


@given(hospitals(), policies(), questions())
def test_without_one_person_statistics_move_by_no_more_than_claimed(
    data: Data, bounds: tuple[Bounds, ...], text: str
) -> None:
    try:
        assert_nobody_moves_more(data, bounds, text)
    except QuestionError:
        reject()


@settings(max_examples=max(1, settings().max_examples // 2))
@given(hospitals(), policies(), questions())
def test_without_one_person_the_share_lost_moves_by_no_more_than_claimed(
    data: Data, bounds: tuple[Bounds, ...], text: str
) -> None:
    try:
        assert_nobody_moves_more(data, bounds, text, share_lost)
    except QuestionError:
        reject()


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_a_key_that_names_rows_of_several_people_leads_to_each_ones_own(bounds: Bounds) -> None:
    """An item of two visits is of both people, and each has it beside their own visit alone."""
    visits = tuple(Visit(person, 7, ward=ward) for person, ward in ((1, "a"), (2, "b"), (3, "b")))
    text = "SELECT v.ward, COUNT(*) FROM items i JOIN visits v ON i.visit = v.id GROUP BY v.ward"
    assert_nobody_moves_more(Data(visits, items=(Item(7), Item(7))), (bounds,), text)
