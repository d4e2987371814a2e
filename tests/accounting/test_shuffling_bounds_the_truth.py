"""Law: shuffled messages are told apart no better than claimed, whatever the others said."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.oracle import Anything, exactly, mp, real

from differential_privacy.accounting import shuffled, shuffling
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import ApproximateLoss, PureLoss

ODDS = st.sampled_from([Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(20)])
DELTAS = st.sampled_from(["0.5", "0.2", "0.1", "0.05", "0.01", "1e-3", "1e-6"])


def log_of(odds: Fraction) -> Fraction:
    return Fraction(int(exactly(mp.log(real(odds))) * 10**14) + 1, 10**14)


def ones(chances: list[Fraction]) -> list[Fraction]:
    """How many of so many independent answers are yes: all that a shuffle leaves."""
    law = [Fraction(1)]
    for chance in chances:
        stay, rise = (
            [x * (1 - chance) for x in law] + [Fraction(0)],
            [Fraction(0), *(x * chance for x in law)],
        )
        law = [a + b for a, b in zip(stay, rise, strict=True)]
    return law


def true_delta(odds: Fraction, people: int, epsilon: Fraction) -> Anything:
    truth, lie = odds / (1 + odds), 1 / (1 + odds)
    factor = mp.exp(real(epsilon))
    worst = mp.mpf(0)
    for yes in range(people):
        others = [truth] * yes + [lie] * (people - 1 - yes)
        mine, theirs = ones([truth, *others]), ones([lie, *others])
        for a, b in ((mine, theirs), (theirs, mine)):
            stick = mp.fsum(
                max(mp.mpf(0), real(p) - factor * real(q)) for p, q in zip(a, b, strict=True)
            )
            worst = max(worst, stick)
    return worst


def clones_delta(odds: Fraction, people: int, epsilon: Fraction) -> Anything:
    """The pair of the theorem, outcome by outcome."""
    truth, share = odds / (1 + odds), 1 / odds
    mine: dict = {}
    theirs: dict = {}
    for clones, chance in enumerate(ones([share] * (people - 1))):
        for hits, part in enumerate(ones([Fraction(1, 2)] * clones)):
            for extra, weight in ((1, truth), (0, 1 - truth)):
                one = (hits + extra, clones - hits + 1 - extra)
                mine[one] = mine.get(one, Fraction(0)) + chance * part * weight
                other = one[::-1]
                theirs[other] = theirs.get(other, Fraction(0)) + chance * part * weight
    factor = mp.exp(real(epsilon))
    return mp.fsum(
        max(mp.mpf(0), real(p) - factor * real(theirs.get(o, Fraction(0)))) for o, p in mine.items()
    )


def covers(told: ApproximateLoss, odds: Fraction, people: int) -> bool:
    return exactly(true_delta(odds, people, told.epsilon)) <= told.delta + Fraction(1, 10**40)


@given(ODDS, st.integers(1, 6), DELTAS)
def test_shuffled_randomized_responses_are_covered(odds: Fraction, people: int, delta: str) -> None:
    told = shuffled(PureLoss(log_of(odds)), people=people, delta=delta)
    assert told.delta == Fraction(delta)
    assert told.epsilon <= log_of(odds)
    assert covers(told, odds, people)


@settings(max_examples=40)
@given(ODDS, st.integers(2, 12), DELTAS)
def test_the_pair_of_the_theorem_is_covered_and_reached(
    odds: Fraction, people: int, delta: str
) -> None:
    told = shuffled(PureLoss(log_of(odds)), people=people, delta=delta)
    assert exactly(clones_delta(odds, people, told.epsilon)) <= told.delta * (
        1 + Fraction(1, 10**30)
    ) or (told.epsilon == log_of(odds))
    less = told.epsilon * (1 - Fraction(1, 10**6))
    if told.epsilon > Fraction(1, 10**6):
        assert exactly(clones_delta(odds, people, less)) >= told.delta * (1 - Fraction(1, 10**6))


def test_more_people_hide_better_and_one_hides_nobody() -> None:
    told = [
        shuffled(PureLoss(1), people=n, delta="1e-6").epsilon
        for n in (1, 10, 100, 1000, 10**4, 10**6)
    ]
    assert told[0] == 1
    assert all(a >= b for a, b in itertools.pairwise(told))
    assert told[-1] < Fraction(1, 100)


@pytest.mark.parametrize("epsilon", ["0", "1e-17", "1e-9", "1e-8", "30", "499", "501", "1e6"])
@pytest.mark.parametrize("people", [1, 2, 1000])
def test_any_epsilon_is_answered(epsilon: str, people: int) -> None:
    told = shuffled(PureLoss(epsilon), people=people, delta="1e-6")
    assert 0 <= told.epsilon <= Fraction(epsilon)


@pytest.mark.parametrize("delta", ["1e-100", "1e-290", "1e-310", "1e-400"])
def test_any_delta_is_answered(delta: str) -> None:
    assert 0 <= shuffled(PureLoss(1), people=100, delta=delta).epsilon <= 1


def test_bad_arguments_are_refused_by_name() -> None:
    for bad in (0, 1, -1, float("nan"), None):
        with pytest.raises(InvalidArgumentError, match="delta = "):
            shuffled(PureLoss(1), people=3, delta=bad)
    for bad in (0, -1, 1.5, None, True):
        with pytest.raises(InvalidArgumentError, match="people = "):
            shuffled(PureLoss(1), people=bad, delta=0.1)


def test_planted_clones_of_everyone_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = shuffling._Clones
    monkeypatch.setattr(shuffling, "_Clones", lambda epsilon, others: original(epsilon / 8, others))
    found = [
        covers(shuffled(PureLoss(log_of(odds)), people=n, delta=delta), odds, n)
        for odds in (Fraction(3), Fraction(20))
        for n in (3, 6)
        for delta in ("0.1", "0.01")
    ]
    assert not all(found)
