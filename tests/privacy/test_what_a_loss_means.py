"""Law: no mechanism of a loss moves a belief, a test or an expectation past its bound."""

from fractions import Fraction
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import Anything, exactly, laws, mp, real

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import (
    ApproximateLoss,
    Belief,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    TradeOff,
    advantage,
    belief,
    expected_utility,
    meaning,
    posterior,
)

PRIORS = st.fractions(0, 1, max_denominator=200)
PAIRS = st.integers(2, 5).flatmap(lambda n: st.tuples(laws(n), laws(n)))
LOOSE_PAIRS = st.integers(2, 4).flatmap(
    lambda n: st.tuples(laws(n, least=0, most=8), laws(n, least=0, most=8))
)
ROUNDING = Fraction(1, 10**9)


def factor(mine: dict, theirs: dict) -> Fraction:
    """The e^epsilon of two laws that are nowhere zero, both ways round."""
    return max(max(p / theirs[o], theirs[o] / p) for o, p in mine.items())


def loss_of(odds: Fraction) -> PureLoss:
    """The least twelve-digit epsilon whose power of e is not below the odds."""
    epsilon = exactly(mp.log(real(odds)))
    return PureLoss(Fraction(int(epsilon * 10**14) + 1, 10**14))


def response(odds: Fraction) -> tuple[dict, dict]:
    truth = odds / (1 + odds)
    return {0: truth, 1: 1 - truth}, {0: 1 - truth, 1: truth}


def events(outputs: Anything) -> Anything:
    outputs = list(outputs)
    return chain.from_iterable(combinations(outputs, size) for size in range(len(outputs) + 1))


def beliefs(mine: dict, theirs: dict, prior: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Each output's belief by Bayes' rule, with the output's chance under both laws together."""
    found = []
    for output, one in mine.items():
        chance = prior * one + (1 - prior) * theirs[output]
        if chance:
            found.append((prior * one / chance, max(one, theirs[output])))
    return found


def inside(told: Belief, mine: dict, theirs: dict, prior: Fraction) -> bool:
    return all(told.least <= after <= told.most for after, _ in beliefs(mine, theirs, prior))


@given(PAIRS, PRIORS)
def test_no_answer_moves_a_belief_past_the_bounds(pair: tuple, prior: Fraction) -> None:
    told = belief(loss_of(factor(*pair)), prior=prior)
    assert inside(told, *pair, prior)
    assert told.loose_least <= told.least <= prior <= told.most <= told.loose_most <= 1


@given(st.fractions(1, 50, max_denominator=20), PRIORS)
def test_randomized_response_moves_a_belief_to_both_bounds(odds: Fraction, prior: Fraction) -> None:
    told = belief(loss_of(odds), prior=prior)
    after = [x for x, _ in beliefs(*response(odds), prior)]
    assert max(after) <= told.most <= max(after) * (1 + ROUNDING) + ROUNDING
    assert min(after) >= told.least >= min(after) * (1 - ROUNDING) - ROUNDING


@given(PRIORS, st.fractions(0, 1, max_denominator=50), st.fractions(0, 1, max_denominator=50))
def test_the_posterior_is_bayes_rule(prior: Fraction, yes: Fraction, no: Fraction) -> None:
    total = prior * yes + (1 - prior) * no
    if total == 0:
        with pytest.raises(InvalidArgumentError, match="likelihood = "):
            posterior(prior, likelihood=yes, otherwise=no)
    else:
        assert posterior(prior, likelihood=yes, otherwise=no) * total == prior * yes


@given(LOOSE_PAIRS, st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_beliefs_stay_in_the_bounds_except_with_the_chance_told(
    pair: tuple, prior: Fraction
) -> None:
    mine, theirs = pair
    delta = max(
        sum((max(Fraction(0), a[o] - 2 * b[o]) for o in a), Fraction(0))
        for a, b in ((mine, theirs), (theirs, mine))
    )
    if 4 * delta >= 1:
        return
    loss = ApproximateLoss(loss_of(Fraction(2)).epsilon, delta)
    told = belief(loss, prior=prior, chance=4 * delta)
    outside = {
        o
        for o in mine
        if (total := prior * mine[o] + (1 - prior) * theirs[o])
        and not told.least <= prior * mine[o] / total <= told.most
    }
    chance = sum((prior * mine[o] + (1 - prior) * theirs[o] for o in outside), Fraction(0))
    assert chance <= told.chance, (
        f"with chance {chance} the belief leaves bounds said to hold but for chance {told.chance}"
    )


@pytest.mark.parametrize("delta", ["0.1", "1e-6"])
def test_a_coin_with_a_slight_bias_is_no_exception_to_the_belief_bounds(delta: str) -> None:
    # Epsilon is 0 and every answer is public but for delta: yet every answer leaves the bounds.
    chance = Fraction(delta)
    mine = {0: (1 + chance) / 2, 1: (1 - chance) / 2}
    theirs = {0: mine[1], 1: mine[0]}
    told = belief(ApproximateLoss(0, delta), prior=0.5, chance=4 * chance)
    outside = [o for o in mine if not told.least <= mine[o] / (mine[o] + theirs[o]) <= told.most]
    assert sum((mine[o] for o in outside), Fraction(0)) <= told.chance


def test_beliefs_of_the_sure_stay_sure() -> None:
    for epsilon in (0, 1, 800, 2**14, 2**21):
        assert belief(PureLoss(epsilon), prior=0).most == 0
        assert belief(PureLoss(epsilon), prior=1).least == 1


@pytest.mark.parametrize(
    ("loss", "prior", "said"),
    [
        (PureLoss(0.1), 0.4, "a belief of 40 % can become at most 42.5 % and at least 37.6 %"),
        (PureLoss(0), 0.5, "a belief of 50 % can become at most 50 % and at least 50 %"),
        (PureLoss(1000), 0.5, "a belief of 50 % can become at most 100 % and at least 0 %"),
    ],
)
def test_words_that_a_person_understands(loss: PureLoss, prior: float, said: str) -> None:
    assert str(belief(loss, prior=prior)) == said


@given(st.fractions(0, 8, max_denominator=100), PRIORS)
def test_words_never_sound_safer_than_the_numbers(epsilon: Fraction, prior: Fraction) -> None:
    told = belief(PureLoss(epsilon), prior=prior)
    words = str(told).split()
    most, least = Fraction(words[9]), Fraction(words[14])
    assert least / 100 <= told.least
    assert told.most <= most / 100
    assert most / 100 - told.most <= Fraction(1, 1000)
    assert told.least - least / 100 <= Fraction(1, 1000)


def test_a_delta_is_said_in_words() -> None:
    told = belief(ApproximateLoss(1, 1e-6), prior=0.5, chance=4e-6)
    assert "except with chance 4e-06" in str(told)
    assert belief(GaussianLoss(1), prior=0.5, chance="1e-6").chance == Fraction(1, 10**6)
    with pytest.raises(InvalidArgumentError, match=r"chance = 0.*at least 4e-06"):
        belief(ApproximateLoss(1, 1e-6), prior=0.5)


@given(LOOSE_PAIRS)
def test_no_test_has_more_advantage_and_one_has_as_much(pair: tuple) -> None:
    mine, theirs = pair
    best = max(sum((mine[o] - theirs[o] for o in event), Fraction(0)) for event in events(mine))
    if best < 1:
        assert advantage(ApproximateLoss(0, best)) == best
    if all(mine.values()) and all(theirs.values()):
        assert advantage(loss_of(factor(mine, theirs))) >= best


@given(st.fractions(Fraction(11, 10), 50, max_denominator=20))
def test_randomized_response_has_the_advantage(odds: Fraction) -> None:
    mine, theirs = response(odds)
    told = advantage(loss_of(odds))
    assert mine[0] - theirs[0] <= told <= (mine[0] - theirs[0]) * (1 + ROUNDING)


def envelope(mine: dict, theirs: dict) -> list[tuple[Fraction, Fraction]]:
    """False alarms and hits of every deterministic test."""
    return [
        (sum((theirs[o] for o in event), Fraction(0)), sum((mine[o] for o in event), Fraction(0)))
        for event in events(mine)
    ]


@given(PAIRS)
def test_no_test_beats_the_trade_off_of_a_pure_loss(pair: tuple) -> None:
    curve = TradeOff(loss_of(factor(*pair)))
    for mine, theirs in (pair, pair[::-1]):
        assert all(hits <= curve.most_hits(alarms) for alarms, hits in envelope(mine, theirs))


@given(LOOSE_PAIRS, st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]))
def test_no_test_beats_the_trade_off_of_an_approximate_loss(pair: tuple, odds: Fraction) -> None:
    mine, theirs = pair
    delta = max(
        sum((max(Fraction(0), a[o] - odds * b[o]) for o in a), Fraction(0))
        for a, b in ((mine, theirs), (theirs, mine))
    )
    if delta < 1:
        curve = TradeOff(ApproximateLoss(loss_of(odds).epsilon if odds > 1 else 0, delta))
        assert all(hits <= curve.most_hits(alarms) for alarms, hits in envelope(mine, theirs))


@given(
    st.fractions(Fraction(11, 10), 20, max_denominator=20),
    st.fractions(0, Fraction(1, 2), max_denominator=20),
    st.fractions(0, 1, max_denominator=20),
)
def test_the_trade_off_is_reached_by_the_worst_release(
    odds: Fraction, delta: Fraction, alarms: Fraction
) -> None:
    truth = odds / (1 + odds)
    mine = {"told": delta, 0: (1 - delta) * truth, 1: (1 - delta) * (1 - truth), "not": Fraction(0)}
    theirs = {"told": Fraction(0), 0: mine[1], 1: mine[0], "not": delta}
    left, hits = alarms, Fraction(0)
    ranked = sorted(mine, key=lambda o: mine[o] / theirs[o] if theirs[o] else 10**9, reverse=True)
    for output in ranked:
        share = min(Fraction(1), left / theirs[output]) if theirs[output] else Fraction(1)
        left, hits = left - share * theirs[output], hits + share * mine[output]
    told = TradeOff(ApproximateLoss(loss_of(odds).epsilon, delta)).most_hits(alarms)
    assert hits <= told <= hits * (1 + ROUNDING) + ROUNDING


@pytest.mark.parametrize("mu", ["0.1", "1", "3"])
def test_the_trade_off_of_normals_is_never_beaten_and_nearly_reached(mu: str) -> None:
    curve = TradeOff(GaussianLoss.of_mu(mu))
    for alarms, most in curve.curve(41):
        if 0 < alarms < 1:
            cut = -mp.sqrt(2) * mp.erfinv(2 * real(alarms) - 1)
            truth = mp.ncdf(mp.mpf(mu) - cut)
            assert exactly(truth) <= most
            assert float(most) - float(truth) < 0.02


@pytest.mark.parametrize(
    "loss",
    [
        PureLoss(1),
        ApproximateLoss(1, 0.1),
        GaussianLoss(1),
        ConcentratedLoss(0.5, 0.01),
        RenyiLoss({2: 1}),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_a_trade_off_rises_and_bends_one_way(loss: Anything) -> None:
    points = TradeOff(loss).curve(21)
    assert len(points) == 21
    hits = [h for _, h in points]
    assert hits[-1] == 1
    assert all(a <= b + ROUNDING for a, b in pairwise(hits))
    steps = [b - a for a, b in pairwise(hits)]
    assert all(a >= b - ROUNDING for a, b in pairwise(steps))
    assert all(h >= f for f, h in points)
    assert hits[0] >= loss.delta


@given(PAIRS, st.lists(st.fractions(0, 10, max_denominator=10), min_size=5, max_size=5))
def test_no_expectation_passes_its_bound(pair: tuple, values: list[Fraction]) -> None:
    mine, theirs = pair
    with_it = sum((mine[o] * values[o] for o in mine), Fraction(0))
    without = sum((theirs[o] * values[o] for o in mine), Fraction(0))
    loss = loss_of(factor(mine, theirs))
    assert with_it <= expected_utility(loss, without=without, most=10)


@given(
    LOOSE_PAIRS,
    st.lists(st.fractions(0, 10, max_denominator=10), min_size=4, max_size=4),
    st.sampled_from([Fraction(1), Fraction(2)]),
)
def test_no_expectation_passes_its_bound_with_a_delta(
    pair: tuple, values: list[Fraction], odds: Fraction
) -> None:
    mine, theirs = pair
    delta = sum((max(Fraction(0), mine[o] - odds * theirs[o]) for o in mine), Fraction(0))
    if delta < 1:
        loss = ApproximateLoss(loss_of(odds).epsilon if odds > 1 else 0, delta)
        with_it = sum((mine[o] * values[o] for o in mine), Fraction(0))
        without = sum((theirs[o] * values[o] for o in mine), Fraction(0))
        assert with_it <= expected_utility(loss, without=without, most=10)


@given(st.fractions(Fraction(11, 10), 20, max_denominator=20))
def test_randomized_response_reaches_the_expectation(odds: Fraction) -> None:
    mine, theirs = response(odds)
    told = expected_utility(loss_of(odds), without=theirs[0] * 10, most=10)
    assert mine[0] * 10 <= told <= mine[0] * 10 * (1 + ROUNDING)


def test_what_cannot_happen_without_can_only_happen_by_a_delta() -> None:
    assert expected_utility(PureLoss(2**21), without=0, most=10) == 0
    assert expected_utility(ApproximateLoss(1, 0.01), without=0, most=10) == Fraction(1, 10)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), None, True, "x"])
def test_bad_arguments_are_refused_by_name(bad: object) -> None:
    loss = PureLoss(1)
    for name, asked in {
        "prior": lambda: belief(loss, prior=bad),
        "prior ": lambda: posterior(bad, likelihood=1, otherwise=1),
        "likelihood": lambda: posterior(0.5, likelihood=bad, otherwise=1),
        "otherwise": lambda: posterior(0.5, likelihood=1, otherwise=bad),
        "false_alarms": lambda: TradeOff(loss).most_hits(bad),
    }.items():
        with pytest.raises(InvalidArgumentError) as refused:
            asked()
        assert refused.value.argument == name.strip()
    for asked in (
        lambda: expected_utility(loss, without=-1, most=1),
        lambda: expected_utility(loss, without=2, most=1),
        lambda: expected_utility(loss, without=0, most=-1),
        lambda: expected_utility(loss, without=0, most=1, delta=1),
        lambda: TradeOff(loss).curve(1),
        lambda: TradeOff(loss).curve(2.5),
        lambda: belief(GaussianLoss(1), prior=0.5),
    ):
        with pytest.raises(InvalidArgumentError):
            asked()


def test_planted_loose_bounds_on_the_wrong_side_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from differential_privacy.exact import Interval, exp  # noqa: PLC0415

    monkeypatch.setattr(meaning, "exp", lambda x: exp(x / 2 if not isinstance(x, Interval) else x))
    odds = Fraction(3)
    assert not inside(belief(loss_of(odds), prior=0.4), *response(odds), Fraction(2, 5))


def test_planted_rounding_up_where_down_is_safe_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "round_down", lambda x: Fraction(round(x, 3)) + Fraction(1, 1000))
    odds = Fraction(3)
    assert not inside(belief(loss_of(odds), prior=0.4), *response(odds), Fraction(2, 5))
    curve = TradeOff(loss_of(odds))
    assert not all(h <= curve.most_hits(f) for f, h in envelope(*response(odds)))


def test_planted_a_trade_off_without_its_second_line_is_found() -> None:
    def forgetful(alarms: Fraction) -> Fraction:
        return min(Fraction(1), alarms * 3)

    told = TradeOff(loss_of(Fraction(3))).most_hits(Fraction(9, 10))
    assert forgetful(Fraction(9, 10)) > told * (1 + ROUNDING)
