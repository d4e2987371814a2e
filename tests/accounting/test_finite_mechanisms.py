"""Law: the loss of a table is the one that a search over all events finds, as rationals."""

from fractions import Fraction
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import Anything, bounds, laws, mp, product, real

from differential_privacy.accounting import (
    FiniteMechanism,
    finite,
    hockey_stick,
    least_factor,
)
from differential_privacy.errors import InvalidArgumentError

DELTAS = st.one_of(st.just(Fraction(0)), st.fractions(0, Fraction(9, 10), max_denominator=40))
TABLES = st.tuples(st.integers(2, 3), st.integers(2, 4)).flatmap(
    lambda size: st.lists(laws(size[1], least=0), min_size=size[0], max_size=size[0])
)


def events(law: dict) -> Anything:
    return chain.from_iterable(combinations(law, size) for size in range(1, len(law) + 1))


def chance(law: dict, event: Anything) -> Fraction:
    return sum((law[o] for o in event), Fraction(0))


def brute_factor(rows: list[dict], delta: Fraction) -> Fraction | None:
    """The least factor with P(S) <= factor Q(S) + delta for every pair and every event."""
    best = Fraction(0)
    for i, mine in enumerate(rows):
        for j, theirs in enumerate(rows):
            for event in events(mine) if i != j else ():
                p, q = chance(mine, event), chance(theirs, event)
                if p > delta and q == 0:
                    return None
                if p > delta:
                    best = max(best, (p - delta) / q)
    return best


def brute_delta(rows: list[dict], factor: Fraction) -> Fraction:
    return max(
        max(Fraction(0), chance(mine, event) - factor * chance(theirs, event))
        for i, mine in enumerate(rows)
        for j, theirs in enumerate(rows)
        if i != j
        for event in events(mine)
    )


@given(TABLES, DELTAS)
def test_the_factor_is_the_least_over_all_events_and_the_worst_event_needs_it(
    rows: list[dict], delta: Fraction
) -> None:
    mechanism = FiniteMechanism(dict(enumerate(rows)))
    truth, worst = brute_factor(rows, delta), mechanism.worst(delta=delta)
    assert worst.factor == truth
    one, other = worst.inputs
    p, q = chance(rows[one], worst.event), chance(rows[other], worst.event)
    if truth is None:
        assert p > delta
        assert q == 0
        with pytest.raises(InvalidArgumentError, match="delta = "):
            mechanism.loss(delta=delta)
    else:
        assert p == truth * q + delta
        epsilon = mp.log(real(truth)) if truth > 1 else mp.mpf(0)
        assert bounds(mechanism.loss(delta=delta).epsilon, epsilon)
        assert mechanism.loss(delta=delta).delta == delta


@given(TABLES, st.fractions(0, 20, max_denominator=20))
def test_delta_is_the_largest_over_all_events(rows: list[dict], factor: Fraction) -> None:
    assert FiniteMechanism(dict(enumerate(rows))).delta_at(factor=factor) == brute_delta(
        rows, factor
    )
    stick = hockey_stick(rows[0], rows[1], factor=factor)
    assert stick == brute_pair(rows[0], rows[1], factor)


def brute_pair(mine: dict, theirs: dict, factor: Fraction) -> Fraction:
    return max(
        max(Fraction(0), chance(mine, event) - factor * chance(theirs, event))
        for event in events(mine)
    )


@given(TABLES, DELTAS)
def test_factor_and_delta_are_inverse(rows: list[dict], delta: Fraction) -> None:
    mechanism = FiniteMechanism(dict(enumerate(rows)))
    factor = mechanism.worst(delta=delta).factor
    if factor:
        assert mechanism.delta_at(factor=factor) <= delta
        assert mechanism.delta_at(factor=factor * Fraction(999, 1000)) > delta or factor == 0


@given(TABLES)
def test_only_neighbors_count_both_ways_round(rows: list[dict]) -> None:
    mechanism = FiniteMechanism(dict(enumerate(rows)), neighbors=[(0, 1)])
    assert mechanism.worst().factor == brute_factor(rows[:2], Fraction(0))
    reverse = FiniteMechanism(dict(enumerate(rows)), neighbors=[(1, 0)])
    assert reverse.worst().factor == mechanism.worst().factor


@given(laws(4), laws(4), st.lists(st.integers(0, 1), min_size=4, max_size=4), DELTAS)
def test_postprocessing_is_free(mine: dict, theirs: dict, to: list[int], delta: Fraction) -> None:
    def mapped(law: dict) -> dict:
        return {y: sum((p for o, p in law.items() if to[o] == y), Fraction(0)) for y in (0, 1)}

    before = FiniteMechanism({0: mine, 1: theirs}).worst(delta=delta).factor
    after = FiniteMechanism({0: mapped(mine), 1: mapped(theirs)}).worst(delta=delta).factor
    assert after <= before


def test_equal_laws_are_perfectly_private() -> None:
    half = {"a": "1/2", "b": "1/2"}
    mechanism = FiniteMechanism({0: half, 1: half})
    assert mechanism.worst().factor == 1
    assert mechanism.loss().epsilon == 0
    assert mechanism.delta_at(factor=1) == 0


def test_lemma_2_24_of_the_notes_is_false_for_a_positive_delta() -> None:
    # Each of two independent answers tells all with chance 1/10: at delta 1/10 each has factor 1,
    # but both together tell all with chance 19/100, so at delta 1/10 or 1/5 - 1/1000 sums fail.
    tenth = Fraction(1, 10)
    mine = {"told": tenth, "same": 1 - tenth}
    theirs = {"same": 1 - tenth, "other": tenth}
    assert least_factor(mine, theirs, delta=tenth)[0] == 1
    both = product(mine, mine), product(theirs, theirs)
    assert least_factor(*both, delta=tenth)[0] is None
    assert hockey_stick(*both, factor=Fraction(1)) == Fraction(19, 100)
    # Also with finite divergences: the sum of logarithms is neither above nor equal.
    p = {0: Fraction(3, 4), 1: Fraction(1, 4)}
    q = {0: Fraction(1, 4), 1: Fraction(3, 4)}
    delta = Fraction(1, 4)
    single = least_factor(p, q, delta=delta)[0]
    pair = least_factor(product(p, p), product(q, q), delta=delta)[0]
    assert (single, pair) == (2, 5)
    assert pair > single**2


@given(
    st.integers(2, 4).flatmap(lambda n: st.tuples(laws(n), laws(n))),
    st.integers(2, 3).flatmap(lambda n: st.tuples(laws(n), laws(n))),
)
def test_lemma_2_24_holds_at_delta_zero(one: tuple, two: tuple) -> None:
    first, second = least_factor(*one)[0], least_factor(*two)[0]
    assert least_factor(product(one[0], two[0]), product(one[1], two[1]))[0] == first * second


@pytest.mark.parametrize(
    "table",
    [
        {0: {"a": 0.5, "b": 0.4}},
        {0: {"a": 1.5, "b": -0.5}},
        {0: {"a": float("nan")}},
        {0: {"a": 1}, 1: {"a": True}},
        {0: {}},
        {0: {"a": None}},
    ],
)
def test_tables_that_are_no_laws_are_refused_by_name(table: dict) -> None:
    with pytest.raises(InvalidArgumentError, match=r"(table|probability) = "):
        FiniteMechanism(table)


def test_strange_neighbors_deltas_and_factors_are_refused_by_name() -> None:
    half = {"a": "1/2", "b": "1/2"}
    with pytest.raises(InvalidArgumentError, match="neighbors = "):
        FiniteMechanism({0: half}, neighbors=[(0, 7)])
    mechanism = FiniteMechanism({0: half, 1: half})
    for bad in (-1, 1, float("nan"), None):
        with pytest.raises(InvalidArgumentError, match="delta = "):
            mechanism.worst(delta=bad)
    with pytest.raises(InvalidArgumentError, match="factor = "):
        mechanism.delta_at(factor=-1)


def test_planted_one_direction_only_is_found() -> None:
    rows = [{0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(9, 10), 1: Fraction(1, 10)}]
    one_way = least_factor(rows[1], rows[0])[0]
    assert one_way != brute_factor(rows, Fraction(0))


def test_planted_single_outputs_for_events_are_found() -> None:
    rows = [
        {o: Fraction(1, 4) for o in range(4)},
        {0: Fraction(1, 8), 1: Fraction(1, 8), 2: Fraction(3, 8), 3: Fraction(3, 8)},
    ]
    singles = max((p - Fraction(1, 4)) / rows[1][o] for o, p in rows[0].items())
    assert singles != brute_factor(rows, Fraction(1, 4))


def test_planted_a_dropped_impossible_output_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = least_factor

    def forgetful(one: dict, other: dict, *, delta: Fraction = Fraction(0)) -> tuple:
        return original({o: p for o, p in one.items() if other.get(o)}, other, delta=delta)

    monkeypatch.setattr(finite, "least_factor", forgetful)
    rows = [{0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(1), 1: Fraction(0)}]
    assert FiniteMechanism(dict(enumerate(rows))).worst().factor != brute_factor(rows, Fraction(0))
