"""Law: what releases cost together covers their exact joint law, and is reached."""

from fractions import Fraction
from itertools import combinations, pairwise
from itertools import product as pairs
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.oracle import (
    CLOSE,
    Anything,
    bounds,
    exactly,
    laws,
    least_epsilon,
    mp,
    product,
    real,
)

from differential_privacy.accounting import (
    advanced,
    composition,
    fixed_sampled,
    grouped,
    groups,
    hockey_stick,
    least_factor,
    optimal,
    parallel,
    poisson_sampled,
    preprocessed,
    repeated,
    sequential,
)
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.mechanisms import DiscreteGaussian
from differential_privacy.privacy import (
    AddRemoveRows,
    ApproximateLoss,
    ChangeRows,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    sum_sensitivity,
)

PAIRS = st.integers(2, 3).flatmap(lambda n: st.tuples(laws(n), laws(n)))
LOOSE = st.integers(2, 3).flatmap(lambda n: st.tuples(laws(n, least=0), laws(n, least=0)))
ODDS = st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)])


def log_up(odds: Fraction) -> Fraction:
    return (
        Fraction(int(exactly(mp.log(real(odds))) * 10**14) + 1, 10**14) if odds > 1 else Fraction(0)
    )


def pure_of(pair: tuple) -> PureLoss:
    return PureLoss(log_up(max(least_factor(*pair)[0], least_factor(*pair[::-1])[0])))


def stick_of(pair: tuple, odds: Fraction) -> Fraction:
    return max(hockey_stick(*pair, factor=odds), hockey_stick(*pair[::-1], factor=odds))


def holds(loss: Anything, pair: tuple) -> bool:
    """Whether both hockey sticks of a pair of laws stay within an (epsilon, delta)."""
    odds = exactly(mp.exp(real(loss.epsilon)))
    delta = getattr(loss, "delta", Fraction(0))
    return stick_of(pair, odds) <= delta + Fraction(1, 10**45)


def together(one: tuple, two: tuple) -> tuple:
    return product(one[0], two[0]), product(one[1], two[1])


@given(st.lists(PAIRS, min_size=1, max_size=4))
def test_pure_losses_in_sequence_cover_the_joint_law(several: list) -> None:
    joint = several[0]
    for pair in several[1:]:
        joint = together(joint, pair)
    assert holds(sequential([pure_of(pair) for pair in several]), joint)


@given(PAIRS, PAIRS, PAIRS)
def test_a_release_chosen_by_an_earlier_answer_costs_the_larger(
    one: tuple, two: tuple, three: tuple
) -> None:
    joint = [
        {
            (a, b): p * (two if a == 0 else three)[side][b]
            for a, p in one[side].items()
            for b in (two if a == 0 else three)[side]
        }
        for side in (0, 1)
    ]
    assert holds(pure_of(one) + (pure_of(two) | pure_of(three)), (joint[0], joint[1]))


@given(LOOSE, LOOSE, ODDS, ODDS)
def test_approximate_losses_in_sequence_cover_the_joint_law(
    one: tuple, two: tuple, first: Fraction, second: Fraction
) -> None:
    deltas = stick_of(one, first), stick_of(two, second)
    if sum(deltas) < 1:
        total = ApproximateLoss(log_up(first), deltas[0]) + ApproximateLoss(
            log_up(second), deltas[1]
        )
        assert holds(total, together(one, two))


def response(odds: Fraction) -> tuple[dict, dict]:
    truth = odds / (1 + odds)
    return {0: truth, 1: 1 - truth}, {0: 1 - truth, 1: truth}


@given(st.lists(st.fractions(Fraction(11, 10), 5, max_denominator=10), min_size=1, max_size=4))
def test_randomized_responses_reach_the_sum(odds: list[Fraction]) -> None:
    joint, exact = response(odds[0]), odds[0]
    for other in odds[1:]:
        joint, exact = together(joint, response(other)), exact * other
    assert least_factor(*joint)[0] == exact
    total = sequential([PureLoss(log_up(one)) for one in odds])
    assert bounds(total.epsilon, mp.log(real(exact)))


@given(st.integers(1, 60), st.fractions(0, 2, max_denominator=20))
def test_repeating_is_a_sequence(times: int, epsilon: Fraction) -> None:
    for loss in (
        PureLoss(epsilon),
        GaussianLoss(epsilon),
        ConcentratedLoss(epsilon, "1e-6"),
        RenyiLoss({2: epsilon}),
    ):
        assert repeated(loss, times=times) == sequential([loss] * times)


@given(PAIRS, PAIRS, PAIRS)
def test_parts_side_by_side_cost_the_largest_of_them(one: tuple, two: tuple, three: tuple) -> None:
    parts = [one, two, three]
    losses = [pure_of(part) for part in parts]
    # A unit in one part: the others have one law with it and without it.
    for inside in range(3):
        joint = {0: Fraction(1)}, {0: Fraction(1)}
        for place, part in enumerate(parts):
            joint = together(joint, part if place == inside else (part[1], part[1]))
        assert holds(parallel(losses), joint)
    assert parallel(losses).epsilon == max(loss.epsilon for loss in losses)
    # A unit that leaves one part and enters another: a group of two.
    for left, entered in combinations(range(3), 2):
        joint = {0: Fraction(1)}, {0: Fraction(1)}
        for place, part in enumerate(parts):
            laws_of = (
                part if place == left else part[::-1] if place == entered else (part[1], part[1])
            )
            joint = together(joint, laws_of)
        assert holds(grouped(parallel(losses), 2), joint)


def test_a_row_that_changes_inside_its_part_costs_a_group_of_two() -> None:
    part = DiscreteGaussian(100).loss(sum_sensitivity(-1, 1, AddRemoveRows()))
    alone = DiscreteGaussian(100).loss(sum_sensitivity(-1, 1, ChangeRows()))
    assert alone.within(grouped(parallel([part, part]), 2))


@given(st.lists(laws(3), min_size=2, max_size=5))
def test_a_group_costs_its_size_times_the_step(chain: list[dict]) -> None:
    step = pure_of(max(pairwise(chain), key=lambda pair: pure_of(pair).epsilon))
    size = len(chain) - 1
    assert holds(grouped(step, size), (chain[0], chain[-1]))
    assert holds(preprocessed(step, Fraction(2 * size + 1, 2)), (chain[0], chain[-1]))


@given(st.lists(laws(3, least=0), min_size=2, max_size=5), ODDS)
def test_a_group_costs_the_geometric_sum_of_deltas(chain: list[dict], odds: Fraction) -> None:
    delta = max(stick_of(pair, odds) for pair in pairwise(chain))
    try:
        whole = grouped(ApproximateLoss(log_up(odds), delta), len(chain) - 1)
    except InvalidArgumentError:
        assert delta * sum(odds**i for i in range(len(chain) - 1)) >= Fraction(999, 1000)
        return
    assert holds(whole, (chain[0], chain[-1]))


def climbing(odds: Fraction, delta: Fraction, steps: int) -> list[dict]:
    """Each next law has an event at odds times its chance plus delta: the worst group there is."""
    chance, chain = Fraction(0), []
    for _ in range(steps + 1):
        chain.append({"in": chance, "out": 1 - chance})
        chance = odds * chance + delta
    return chain


@given(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2)]), st.integers(1, 5))
def test_a_climbing_chain_reaches_the_group(odds: Fraction, size: int) -> None:
    delta = Fraction(1, 200)
    chain = climbing(odds, delta, size)
    for one, two in pairwise(chain):
        assert stick_of((one, two), odds) == delta
    truth = hockey_stick(chain[-1], chain[0], factor=odds**size)
    told = grouped(ApproximateLoss(log_up(odds), delta), size)
    assert truth <= told.delta <= truth * (1 + CLOSE)
    assert told.epsilon == size * log_up(odds)


def test_groups_of_other_kinds() -> None:
    assert grouped(ConcentratedLoss("1/2"), 3) == ConcentratedLoss("9/2")
    assert grouped(GaussianLoss(2), 3) == GaussianLoss(18)
    assert grouped(PureLoss(1), 0) == PureLoss(0)
    assert preprocessed(PureLoss(1), "0.5") == PureLoss(0)
    with pytest.raises(NoTheoremError):
        grouped(RenyiLoss({2: 1}), 2)
    for loss in (PureLoss(1), ApproximateLoss(1, "0.1"), GaussianLoss(1), ConcentratedLoss(1)):
        for bad in (-1, 1.5, None, "2", True):
            with pytest.raises(InvalidArgumentError, match="size = "):
                grouped(loss, bad)
    for bad in (2, -1, 1.5, None, "2"):
        with pytest.raises(InvalidArgumentError, match=r"(size|delta) = "):
            grouped(ConcentratedLoss(1, "0.1"), bad)
    for bad in (-1, None, float("nan"), float("inf")):
        with pytest.raises(InvalidArgumentError, match="kappa = "):
            preprocessed(PureLoss(1), bad)


def brute_responses(
    odds: Fraction, times: int, delta: Fraction, told: Fraction = Fraction(0)
) -> Anything:
    """The tight epsilon of k randomized responses, with all told by each with chance `told`."""
    mine: dict = {}
    theirs: dict = {}
    for lies in range(times + 1):
        ways = comb(times, lies) * (1 - told) ** times
        mine[lies] = ways * odds ** (times - lies) / (1 + odds) ** times
        theirs[lies] = ways * odds**lies / (1 + odds) ** times
    mine["told"], theirs["told"] = 1 - (1 - told) ** times, Fraction(0)
    return least_epsilon(mine, theirs, delta)


def small_epsilon(odds: Fraction) -> Fraction:
    """The logarithm of the odds, to 50 digits."""
    return exactly(mp.log(real(odds))).limit_denominator(10**50)


@settings(max_examples=60)
@given(
    st.sampled_from(
        [Fraction(101, 100), Fraction(11, 10), Fraction(3, 2), Fraction(3), Fraction(50)]
    ),
    st.integers(1, 12),
    st.sampled_from(["0.3", "0.05", "0.01", "1e-3", "1e-6", "1e-9", "1e-15"]),
)
def test_the_optimal_bound_is_the_exact_composition_of_responses(
    odds: Fraction, times: int, delta: str
) -> None:
    truth = brute_responses(odds, times, Fraction(delta))
    told = optimal(PureLoss(small_epsilon(odds)), times=times, delta=delta).epsilon
    assert exactly(truth) * (1 - Fraction(1, 10**30)) <= told
    assert told <= exactly(truth) * (1 + Fraction(1, 10**6)) + Fraction(1, 10**9)


@settings(max_examples=30)
@given(
    st.sampled_from([Fraction(11, 10), Fraction(3)]),
    st.integers(1, 8),
    st.sampled_from([Fraction(1, 1000), Fraction(1, 100)]),
    st.sampled_from([Fraction(1, 10), Fraction(2, 10)]),
)
def test_the_optimal_bound_of_approximate_losses_is_exact(
    odds: Fraction, times: int, own: Fraction, delta: Fraction
) -> None:
    truth = brute_responses(odds, times, delta, own)
    told = optimal(ApproximateLoss(small_epsilon(odds), own), times=times, delta=delta).epsilon
    assert exactly(truth) * (1 - Fraction(1, 10**30)) <= told
    assert told <= exactly(truth) * (1 + Fraction(1, 10**6)) + Fraction(1, 10**9)


@given(
    st.sampled_from([Fraction(101, 100), Fraction(11, 10), Fraction(3, 2), Fraction(3)]),
    st.integers(1, 12),
    st.sampled_from(["0.3", "0.01", "1e-6"]),
)
def test_the_advanced_bound_covers_the_responses_and_is_never_below_the_optimal(
    odds: Fraction, times: int, slack: str
) -> None:
    loss = PureLoss(small_epsilon(odds))
    told = advanced(loss, times=times, slack=slack)
    assert exactly(brute_responses(odds, times, Fraction(slack))) <= told.epsilon
    assert optimal(loss, times=times, delta=told.delta).epsilon <= told.epsilon


def test_the_advanced_bound_is_its_formula() -> None:
    truth = mp.mpf("0.1") * mp.sqrt(2 * 1000 * mp.log(10**6)) + 1000 * mp.mpf("0.1") * mp.expm1(
        mp.mpf("0.1")
    )
    assert bounds(advanced(PureLoss("0.1"), times=1000, slack="1e-6").epsilon, truth)
    assert advanced(ApproximateLoss("0.1", "1e-8"), times=10, slack="1e-6").delta == Fraction(
        "1.1e-6"
    )


@pytest.mark.parametrize("bad", [0, -1, 1.5, None, True, "3"])
def test_impossible_times_are_refused_by_name(bad: object) -> None:
    loss = PureLoss(1)
    for asked in (
        lambda: repeated(loss, times=bad),
        lambda: advanced(loss, times=bad, slack=0.1),
        lambda: optimal(loss, times=bad, delta=0.1),
    ):
        with pytest.raises(InvalidArgumentError, match="times = "):
            asked()


def test_mixed_empty_and_hopeless_compositions_are_refused_by_name() -> None:
    for losses in ([], [PureLoss(1), GaussianLoss(1)]):
        for asked in (sequential, parallel):
            with pytest.raises(InvalidArgumentError, match="losses = "):
                asked(losses)
    for slack in (0, 1, -1, float("nan")):
        with pytest.raises(InvalidArgumentError, match="slack = "):
            advanced(PureLoss(1), times=2, slack=slack)
    with pytest.raises(InvalidArgumentError, match="delta = "):
        optimal(ApproximateLoss(1, 0.1), times=2, delta=0.1)
    with pytest.raises(InvalidArgumentError):
        advanced(ApproximateLoss(1, 0.4), times=3, slack=0.1)


SIDES = st.integers(2, 3).flatmap(lambda n: st.tuples(laws(n), laws(n), laws(n), laws(n)))


@given(SIDES, st.fractions(0, 1, max_denominator=12), st.fractions(0, 1, max_denominator=12))
def test_a_poisson_sample_of_rows_is_amplified(
    tables: tuple, rate: Fraction, other: Fraction
) -> None:
    # The table's law for each subset of two rows; row a is the one that comes or goes.
    nobody, a, b, both = tables
    del other
    base = [(nobody, a), (b, both)]
    loss = PureLoss(max(pure_of(pair).epsilon for pair in base))

    def mixed(parts: list[tuple[Fraction, dict]]) -> dict:
        return {o: sum((w * law[o] for w, law in parts), Fraction(0)) for o in nobody}

    q = rate
    without = mixed([(1 - q, nobody), (q, b)])
    with_it = mixed([((1 - q) ** 2, nobody), (q * (1 - q), a), (q * (1 - q), b), (q * q, both)])
    assert holds(poisson_sampled(loss, rate=q), (with_it, without))


@given(LOOSE, ODDS, st.fractions(0, 1, max_denominator=12))
def test_a_poisson_sample_is_amplified_with_a_delta(
    pair: tuple, odds: Fraction, rate: Fraction
) -> None:
    delta = stick_of(pair, odds)
    if delta < 1:
        told = poisson_sampled(ApproximateLoss(log_up(odds), delta), rate=rate)
        with_it = {o: rate * pair[0][o] + (1 - rate) * pair[1][o] for o in pair[0]}
        assert holds(told, (with_it, pair[1]))


@given(
    st.fractions(Fraction(11, 10), 20, max_denominator=10),
    st.fractions(Fraction(1, 20), 1, max_denominator=20),
)
def test_randomized_response_reaches_the_amplified_loss(odds: Fraction, rate: Fraction) -> None:
    mine, theirs = response(odds)
    with_it = {o: rate * mine[o] + (1 - rate) * theirs[o] for o in mine}
    truth = mp.log(real(least_factor(with_it, theirs)[0]))
    assert bounds(poisson_sampled(PureLoss(log_up(odds)), rate=rate).epsilon, truth)


@given(st.lists(laws(2), min_size=3, max_size=3), laws(2), st.integers(0, 3))
def test_a_fixed_sample_of_rows_is_amplified(rows: list[dict], changed: dict, sample: int) -> None:
    # Each of three rows answers by its own law; the answers of those drawn are released in order.
    def released(people: list[dict]) -> dict:
        total: dict = {}
        chosen = list(combinations(range(3), sample))
        for drawn in chosen:
            for answers in pairs((0, 1), repeat=sample):
                weight = Fraction(1, len(chosen))
                for person, answer in zip(drawn, answers, strict=True):
                    weight *= people[person][answer]
                total[answers] = total.get(answers, Fraction(0)) + weight
        return total

    # Another row drawn may move every answer by one place, so each place costs the worst step.
    everyone = [*rows, changed]
    worst = max(pure_of(pair).epsilon for pair in pairs(everyone, repeat=2))
    base = PureLoss(worst * max(sample, 1))
    told = fixed_sampled(base, sample=sample, population=3)
    assert holds(told, (released(rows), released([changed, *rows[1:]])))


@given(st.fractions(Fraction(11, 10), 20, max_denominator=10), st.integers(1, 9))
def test_one_row_of_many_reaches_the_amplified_loss(odds: Fraction, population: int) -> None:
    mine, theirs = response(odds)
    share = Fraction(1, population)
    changed = {o: share * mine[o] + (1 - share) * theirs[o] for o in mine}
    truth = mp.log(real(least_factor(changed, theirs)[0]))
    told = fixed_sampled(PureLoss(log_up(odds)), sample=1, population=population)
    assert bounds(told.epsilon, truth)


def test_sampling_ends() -> None:
    loss = ApproximateLoss(1, "0.1")
    assert poisson_sampled(loss, rate=1) == fixed_sampled(loss, sample=3, population=3) == loss
    assert (
        poisson_sampled(loss, rate=0)
        == fixed_sampled(loss, sample=0, population=3)
        == ApproximateLoss(0, 0)
    )
    assert poisson_sampled(PureLoss(10**6), rate="0.5").epsilon <= 10**6
    for bad in (-0.1, 1.1, None, float("nan")):
        with pytest.raises(InvalidArgumentError, match="rate = "):
            poisson_sampled(loss, rate=bad)
    for sample, population in ((4, 3), (-1, 3), (1, 0), (1.5, 3), (1, None)):
        with pytest.raises(InvalidArgumentError, match=r"(sample|population) = "):
            fixed_sampled(loss, sample=sample, population=population)


def test_planted_a_group_without_the_geometric_sum_is_found() -> None:
    odds, delta, size = Fraction(2), Fraction(1, 200), 3
    chain = climbing(odds, delta, size)
    assert holds(
        groups.approximate_group(ApproximateLoss(log_up(odds), delta), size), (chain[-1], chain[0])
    )
    assert not holds(ApproximateLoss(size * log_up(odds), size * delta), (chain[-1], chain[0]))


def test_planted_parallel_without_its_group_is_found() -> None:
    loss, one = PureLoss(log_up(Fraction(3))), response(Fraction(3))
    moved = together(one, one[::-1])
    assert holds(grouped(parallel([loss, loss]), 2), moved)
    assert not holds(parallel([loss, loss]), moved)


def test_planted_an_optimal_bound_without_its_largest_terms_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original = composition.binomial_masses
    monkeypatch.setattr(
        composition, "binomial_masses", lambda *given, **named: original(*given, **named) * 0.99
    )
    truth = exactly(brute_responses(Fraction(3, 2), 8, Fraction(1, 100)))
    assert optimal(PureLoss(small_epsilon(Fraction(3, 2))), times=8, delta="0.01").epsilon < truth


def test_planted_amplification_to_rate_times_epsilon_is_found() -> None:
    odds, rate = Fraction(20), Fraction(1, 5)
    mine, theirs = response(odds)
    with_it = {o: rate * mine[o] + (1 - rate) * theirs[o] for o in mine}
    assert not holds(PureLoss(rate * log_up(odds)), (with_it, theirs))
