"""The law of the heart fails on each of these mistakes, and holds for the same question without."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.plans.test_one_person_moves_no_more_than_claimed import assert_nobody_moves_more
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Drug, Visit

from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries import (
    Bound,
    Exact,
    FrameScope,
    Way,
    aggregates,
    bounding,
    exactly,
    owning,
    plan,
    reader,
)
from differential_privacy.queries.blocks import Blocks, Moments
from differential_privacy.sources import Bounds, Scanner, normal, scan
from differential_privacy.sources.trees import Derived, Name, Op, Over, Select, call

Patch = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Mistake:
    """What goes wrong, and a question that shows it."""

    name: str
    plant: Patch
    text: str
    bounds: tuple[Bounds, ...]
    data: Data


def wrapped(owner: Any, name: str, change: Callable[..., Any]) -> Patch:
    """Replaces a function by one that is given what the true one gives."""
    true = getattr(owner, name)

    def plant(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(owner, name, lambda *args, **kwargs: change(true(*args, **kwargs), *args))

    return plant


def replaced(owner: Any, name: str, other: Any) -> Patch:
    return lambda patch: patch.setattr(owner, name, other)


def together(*patches: Patch) -> Patch:
    def plant(patch: pytest.MonkeyPatch) -> None:
        for one in patches:
            one(patch)

    return plant


def uncounted(_: Any, listed: bounding.Listed) -> bounding.Kept:
    return bounding.Kept(listed.rows())


def one_row_more(query: Select, alias: str, rows: int) -> Select:
    return replace(query, where=call(Op.AT_MOST, Name(alias, scan.RANK), rows + 1))


def ranked_over_everybody(query: Select, *_: Any) -> Select:
    """A rank among all rows, so that people push each other out."""
    *columns, (name, place) = query.columns
    assert isinstance(place, Over)
    return replace(query, columns=(*columns, (name, replace(place, partition=()))))


def without_the_bound_on(column: str) -> Callable[..., Any]:
    def change(kept: bounding.Kept, *_: Any) -> bounding.Kept:
        bound = call(Op.AT_MOST, Name(kept.relation.alias, column), 2)
        return replace(kept, condition=bound)

    return change


def weights_rounded_up(made: Any, op: Op, *_: Any) -> Any:
    return call(Op.ADD, made, 1) if op is Op.QUOTIENT else made


def only_groups_of_several(query: Select, *_: Any) -> Select:
    """HAVING on exact numbers."""
    names = tuple((name, Name("g", name)) for name, _ in query.columns)
    return Select(names, Derived(query, "g"), where=call(Op.LESS, 1, names[-1][1]))


def as_one_side(union: Bound, *_: Any) -> Bound:
    return replace(union, most=union.most and union.most // 2)


def some_rows(people: tuple[int, ...], rows: int, **values: Any) -> Data:
    visits = (Visit(person, 0, **values) for person in people for _ in range(rows))
    return Data(tuple(row._replace(id=number) for number, row in enumerate(visits)))


def of_wards(*wards: str | None, **values: Any) -> Data:
    return Data(tuple(Visit(1, number, ward=ward, **values) for number, ward in enumerate(wards)))


COUNT = "SELECT COUNT(*) FROM visits"
BY_NOTE = "SELECT note, COUNT(*) FROM visits GROUP BY note"
BY_WARD = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
OTHERS_DRUGS = Data((Visit(1, 0), Visit(3, 1)), (Drug(2, dose=3),))

MISTAKES = [
    Mistake(
        "a row more is kept of each person",
        replaced(scan, "_at_most", one_row_more),
        COUNT,
        (ROWS,),
        some_rows((1, 2), 4),
    ),
    Mistake(
        "rows are ranked among all people's",
        wrapped(Scanner, "ranked", ranked_over_everybody),
        "SELECT ward, SUM(age) FROM visits GROUP BY ward",
        (ROWS,),
        Data(tuple(Visit(p, p, ward="abc"[p % 3], age=p % 6) for p in range(1, 8))),
    ),
    Mistake(
        "no bound on groups",
        wrapped(bounding.Ranked, "kept", without_the_bound_on(bounding.ROW)),
        BY_WARD,
        (GROUPS,),
        of_wards(*"aabbcc"),
    ),
    Mistake(
        "no bound on the rows of a group",
        wrapped(bounding.Ranked, "kept", without_the_bound_on(bounding.GROUP)),
        BY_WARD,
        (GROUPS,),
        of_wards(*"aaaabbbb"),
    ),
    Mistake(
        "weights are rounded up",
        wrapped(bounding, "call", weights_rounded_up),
        COUNT,
        (TOTAL,),
        some_rows((1,), 7),
    ),
    Mistake(
        "a join that multiplies rows is taken for one that does not",
        replaced(Catalog, "unique", lambda *_: True),
        "SELECT COUNT(*) FROM visits v JOIN codes c ON v.ward = c.ward",
        (ROWS, GROUPS),
        some_rows((1,), 2),
    ),
    Mistake(
        "a join is believed to have the rows of one of its tables",
        together(
            replaced(owning, "_most", lambda frame: frame.private[0].most),
            replaced(bounding.CountedOff, "kept", uncounted),
        ),
        "SELECT COUNT(*) FROM visits v JOIN drugs d ON v.person = d.person",
        (ROWS,),
        replace(some_rows((1,), 2), drugs=(Drug(1), Drug(1))),
    ),
    Mistake(
        "other people's rows decide in EXISTS",
        replaced(FrameScope, "_compare_owners", lambda *_: None),
        "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM drugs d WHERE d.dose > 2)",
        (ROWS,),
        OTHERS_DRUGS,
    ),
    Mistake(
        "other people's values decide in IN",
        replaced(FrameScope, "_compare_owners", lambda *_: None),
        "SELECT COUNT(*) FROM visits WHERE age IN (SELECT dose FROM drugs)",
        (ROWS,),
        replace(OTHERS_DRUGS, drugs=(Drug(2, dose=1),)),
    ),
    Mistake(
        "groups are dropped before noise",
        wrapped(plan, "exact_query", only_groups_of_several),
        BY_WARD,
        (ROWS,),
        some_rows((1, 2), 1),
    ),
    Mistake(
        "people are counted once for each of their rows",
        replaced(exactly._Rows, "_people", lambda *_: call(Op.ROWS)),
        "SELECT COUNT(DISTINCT person) FROM visits",
        (ROWS,),
        some_rows((1,), 2),
    ),
    Mistake(
        "NULL counts as a value",
        replaced(aggregates, "_holding", lambda _: Exact(Way.ROWS)),
        "SELECT AVG(day) FROM visits",
        (ROWS,),
        some_rows((1, 2), 2, day=None),
    ),
    Mistake(
        "values beyond the range are not pulled in",
        replaced(normal, "_clamped", lambda _, __, ___, ____, inside: inside),
        "SELECT SUM(age) FROM visits",
        (ROWS,),
        some_rows((1,), 2, age=9),
    ),
    Mistake(
        "a square is taken for its root",
        replaced(Moments, "largest_square", property(lambda one: one.reach)),
        "SELECT VAR_POP(cost) FROM visits",
        (ROWS,),
        some_rows((1,), 2, cost=-2.0),
    ),
    Mistake(
        "a group counts as one row however many rows it may have",
        wrapped(bounding.Ranked, "reach", lambda reach, *_: replace(reach, squares=reach.rows)),
        BY_WARD,
        (GROUPS,),
        of_wards(*"aabb"),
    ),
    Mistake(
        "people in found groups are counted as in one group each",
        wrapped(bounding.Ranked, "reach", lambda reach, *_: replace(reach, groups=1)),
        BY_NOTE,
        (GROUPS,),
        Data(tuple(Visit(1, number, note=note) for number, note in enumerate("xyz"))),
    ),
    Mistake(
        "the lower corner is forgotten in the price",
        wrapped(Blocks, "laplace", lambda told, *_: with_half_of_each_length(told)),
        "SELECT AVG(cost) FROM visits",
        (ROWS,),
        some_rows((1,), 2, cost=-2.0),
    ),
    Mistake(
        "the two sides of UNION ALL are believed to have the rows of one",
        together(
            wrapped(reader, "united", as_one_side),
            replaced(bounding.CountedOff, "kept", uncounted),
        ),
        "SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM drugs)",
        (ROWS,),
        replace(some_rows((1,), 2), drugs=(Drug(1), Drug(1))),
    ),
]


def with_half_of_each_length(told: Blocks) -> Blocks:
    return replace(told, blocks=[replace(one, row_l1=one.row_l1 // 2) for one in told.blocks])


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one.name)
def test_the_law_catches_it_when(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake.plant(monkeypatch)
    with pytest.raises(AssertionError):
        assert_nobody_moves_more(mistake.data, mistake.bounds, mistake.text)


@pytest.mark.parametrize(
    "mistake", [one for one in MISTAKES if "people's" not in one.name], ids=lambda one: one.name
)
def test_the_law_holds_without(mistake: Mistake) -> None:
    assert_nobody_moves_more(mistake.data, mistake.bounds, mistake.text)
