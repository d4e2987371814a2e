"""One run refutes what is false, and what is true no more often than it says."""

import itertools
import math
import os
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import lil_matrix
from scipy.stats import binom, norm

from differential_privacy.audit.canaries import trained_with
from differential_privacy.audit.one_run import one_run
from differential_privacy.audit.right_guesses import chance_of_right, gaussian_refuted
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.mechanisms import DiscreteGaussian
from differential_privacy.privacy import ConcentratedLoss, GaussianLoss, PureLoss, Sensitivity

RUNS = 200 * max(1, int(os.environ.get("DP_DRAWS", "1000000")) // 10_000_000)
SURE = Fraction("0.999")

SMALL = [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
CLAIMS = [(0.0, 0.0), (0.0, 0.01), (0.5, 0.02), (1.0, 0.05), (2.0, 0.001)]


@cache
def worst(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The largest chance of so many right guesses, over all mechanisms with the guarantee.

    A mechanism is a chance of each guess (in, out or none, so many in all) for each subset of
    canaries; the guarantee is linear in these; so a linear program finds the worst of all.
    """
    subsets = list(itertools.product((-1, 1), repeat=canaries))
    place = {subset: row for row, subset in enumerate(subsets)}
    outputs = [
        output
        for output in itertools.product((-1, 0, 1), repeat=canaries)
        if sum(map(abs, output)) == guesses
    ]
    pairs = [
        (row, place[(*subset[:coin], -subset[coin], *subset[coin + 1 :])])
        for row, subset in enumerate(subsets)
        for coin in range(canaries)
    ]
    size, chances = len(outputs), len(subsets) * len(outputs)
    gain = np.zeros(chances + len(pairs) * size)
    for row, subset in enumerate(subsets):
        for column, output in enumerate(outputs):
            if sum(a == b for a, b in zip(subset, output, strict=True)) >= right:
                gain[row * size + column] = -1 / len(subsets)
    at_most = lil_matrix((len(pairs) * (size + 1), gain.size))
    limit = np.zeros(len(pairs) * (size + 1))
    for number, (one, other) in enumerate(pairs):
        excess = chances + number * size
        for column in range(size):
            row = number * (size + 1) + column
            at_most[row, one * size + column] = 1
            at_most[row, other * size + column] = -math.exp(epsilon)
            at_most[row, excess + column] = -1
        at_most[number * (size + 1) + size, excess : excess + size] = 1
        limit[number * (size + 1) + size] = delta
    whole = lil_matrix((len(subsets), gain.size))
    for row in range(len(subsets)):
        whole[row, row * size : (row + 1) * size] = 1
    solved = linprog(
        gain,
        A_ub=at_most.tocsr(),
        b_ub=limit,
        A_eq=whole.tocsr(),
        b_eq=np.ones(len(subsets)),
        bounds=(0, 1),
    )
    return -float(solved.fun)


def exceeded(law: Callable[..., float]) -> bool:
    """Whether some mechanism on three canaries or fewer has more right guesses than the law."""
    return any(
        worst(canaries, guesses, right, epsilon, delta)
        > law(right, guesses=guesses, canaries=canaries, epsilon=epsilon, delta=delta) + 1e-9
        for canaries, guesses in SMALL
        for right in range(1, guesses + 1)
        for epsilon, delta in CLAIMS
    )


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize(("canaries", "guesses"), SMALL)
def test_no_mechanism_has_more_right_guesses_and_some_mechanism_has_as_many(
    canaries: int, guesses: int, epsilon: float, delta: float
) -> None:
    for right in range(1, guesses + 1):
        chance = chance_of_right(
            right, guesses=guesses, canaries=canaries, epsilon=epsilon, delta=delta
        )
        reached = worst(canaries, guesses, right, epsilon, delta)
        assert reached - 1e-9 <= chance <= reached * (1 + 1e-5) + 1e-9


def one_too_many(right: int, **rest: Any) -> float:
    """A planted bug: the tail begins one too late."""
    return chance_of_right(right + 1, **rest) if right < rest["guesses"] else 0.0


def forgotten_delta(right: int, **rest: Any) -> float:
    """A planted bug: the chance that the guarantee leaves open is left out."""
    return chance_of_right(right, **rest | {"delta": 0.0})


def only_guessed(right: int, **rest: Any) -> float:
    """A planted bug: canaries that are not guessed are thought to leak nothing."""
    return chance_of_right(right, **rest | {"canaries": rest["guesses"]})


def as_published(right: int, *, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """Theorem 5.2 of 2305.08846 as its appendix D computes it."""
    odds = 1 / (1 + math.exp(-epsilon))
    tail = binom.sf(right - 1, guesses, odds)
    steps = np.arange(1, right + 1)
    slope = max((binom.sf(right - 1 - steps, guesses, odds) - tail) / steps)
    return min(float(tail + 2 * canaries * delta * slope), 1.0)


@pytest.mark.parametrize("planted", [one_too_many, forgotten_delta, only_guessed, as_published])
def test_a_law_that_is_too_bold_is_caught(planted: Callable[..., float]) -> None:
    assert not exceeded(chance_of_right)
    assert exceeded(planted)


@given(
    st.integers(2, 400), st.integers(0, 600), st.floats(0, 1), st.floats(0, 6),
    st.sampled_from([0.0, 1e-6, 1e-4]),
)  # fmt: skip
def test_where_chances_are_small_the_published_theorem_allows_no_less(
    guesses: int, more: int, share: float, epsilon: float, delta: float
) -> None:
    numbers: Any = {"guesses": guesses, "canaries": guesses + more}
    numbers |= {"epsilon": epsilon, "delta": delta}
    right = max(1, round(share * guesses))
    ours, published = chance_of_right(right, **numbers), as_published(right, **numbers)
    if ours <= 0.15:
        assert ours <= published * (1 + 1e-5)


@given(
    st.integers(1, 300), st.integers(0, 300), st.integers(0, 300), st.floats(0, 5),
    st.floats(0, 1), st.sampled_from([0.0, 1e-5, 1e-2]),
)  # fmt: skip
def test_a_worse_guarantee_more_leaks_or_fewer_right_make_it_likelier(
    right: int, wrong: int, more: int, epsilon: float, further: float, delta: float
) -> None:
    guesses = right + wrong
    numbers: Any = {"guesses": guesses, "canaries": guesses + more}
    chance = chance_of_right(right, **numbers, epsilon=epsilon, delta=delta)
    slack = 1 + 1e-6
    assert chance <= chance_of_right(right - 1, **numbers, epsilon=epsilon, delta=delta) * slack
    assert chance <= chance_of_right(right, **numbers, epsilon=epsilon, delta=2 * delta) * slack
    looser = chance_of_right(right, **numbers, epsilon=epsilon + further, delta=delta)
    assert chance <= looser * slack


@pytest.mark.parametrize(("canaries", "guesses"), [(1, 1), (4, 4), (12, 12), (100, 100)])
@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("miss", [0.3, 0.05, 1e-3])
def test_independent_gaussian_noise_is_refuted_no_more_often_than_the_miss(
    canaries: int, guesses: int, mu: float, miss: float
) -> None:
    """The best guess of each coin is right with chance F(mu / 2), so the tails are binomial."""
    numbers = {"guesses": guesses, "canaries": canaries, "miss": miss}
    right = [k for k in range(guesses + 1) if gaussian_refuted(mu, right=k, **numbers)]
    assert right == list(range(guesses + 1 - len(right), guesses + 1))
    wrong = binom.sf(guesses - len(right), guesses, norm.cdf(mu / 2))
    assert wrong <= miss * (1 + 1e-9)


def test_a_trade_off_that_is_too_good_is_caught() -> None:
    """A quarter of the true mu is refuted for more outcomes than a miss of one in twenty has."""
    numbers: Any = {"guesses": 1000, "canaries": 1000, "miss": 0.05}
    chances = norm.cdf(0.5)
    for mu, caught in ((1, False), (0.25, True)):
        least = min(k for k in range(500, 1001) if gaussian_refuted(mu, right=k, **numbers))
        assert (binom.sf(least - 1, 1000, chances) > 0.05) == caught


def test_thousands_of_right_guesses_are_no_rounding_error() -> None:
    """Their chance at epsilon zero is no float."""
    included = np.arange(5000) % 2 == 0
    audit = one_run(included, included, guesses=(2500, 2500), delta="1e-9")
    assert audit.right == 5000
    assert audit.epsilon > 7
    assert audit.mu > 2.7


def gaussian_run(generator: Any, canaries: int, mu: float) -> Any:
    included = generator.random(canaries) < 0.5
    return generator.normal(size=canaries) + mu * included, included


PUBLISHED = {
    # (canaries, epsilon): jax-privacy's epsilon_one_run and epsilon_one_run_fdp, delta 1e-5, 95 %.
    (1_000, 1): (0.04, 0.06), (10_000, 1): (0.34, 0.54),
    (1_000, 2): (0.35, 0.49), (10_000, 2): (0.49, 0.90),
    (1_000, 4): (0.81, 1.09), (10_000, 4): (1.01, 1.72),
    (1_000, 8): (2.30, 3.24), (10_000, 8): (1.84, 3.31),
}  # fmt: skip
MUS = {1: 0.268, 2: 0.502, 4: 0.925, 8: 1.666}


@pytest.mark.parametrize(("canaries", "epsilon"), PUBLISHED)
def test_bounds_are_above_those_of_jax_privacy_on_average(canaries: int, epsilon: int) -> None:
    generator = np.random.default_rng(1)  # noqa: TID251 - the same draws in every run
    claim = GaussianLoss.of_mu(MUS[epsilon])
    assert claim.epsilon_at(1e-5) == pytest.approx(epsilon, rel=5e-3)
    audits = [
        one_run(*gaussian_run(generator, canaries, MUS[epsilon]), delta=1e-5, claimed=claim)
        for _ in range(20)
    ]
    jax, jax_f_dp = PUBLISHED[canaries, epsilon]
    assert np.mean([audit.epsilon for audit in audits]) > jax
    assert np.mean([audit.epsilon_f_dp for audit in audits]) > jax_f_dp
    assert not any(audit.refuted for audit in audits)


def audited_mean(variance: int, *, claimed: int, canaries: int) -> Any:
    """A noisy sum of vectors, as of gradients, from which a mean is made; canaries are one-hot."""
    noise = DiscreteGaussian(variance)

    def train(rows: Any) -> Any:
        return noise.release((rows * 10).astype(np.int64).sum(axis=0)) / 10

    scores, included = trained_with(
        train,
        np.zeros((3, canaries)),
        canaries=np.eye(canaries),
        score=lambda mean, rows: rows @ mean,
    )
    loss = DiscreteGaussian(claimed).loss(Sensitivity(l2_squared=100))
    return one_run(scores, included, delta=1e-5, confidence=SURE, claimed=loss)


def test_a_noisy_mean_is_never_said_to_lose_more_than_it_does() -> None:
    """Each run is wrong for a chance of 1e-3 at most, more than 10 of 200 for one below 1e-15."""
    audits = [audited_mean(10_000, claimed=10_000, canaries=400) for _ in range(RUNS)]
    true = GaussianLoss.of_mu("0.1").epsilon_at(1e-5)
    assert sum(audit.epsilon > true for audit in audits) <= RUNS // 20
    assert sum(audit.mu > 0.1 for audit in audits) <= RUNS // 20
    assert sum(audit.refuted for audit in audits) <= RUNS // 20
    assert audits[0].claimed == ConcentratedLoss("0.005")


def test_noise_ten_times_too_small_is_refuted() -> None:
    """Of 190 guesses 168 are right on average, and 137 refute: seven deviations fewer."""
    audit = audited_mean(100, claimed=10_000, canaries=1000)
    assert audit.refuted
    assert audit.mu > 0.1
    assert "REFUTED" in str(audit)
    assert audit.as_json()["refuted"]


def test_equal_scores_say_nothing_even_when_the_included_come_first() -> None:
    included = np.arange(2000) < 1000
    for _ in range(5):
        audit = one_run(np.zeros(2000), included, confidence=1 - Fraction(1, 10**7))
        assert (audit.epsilon, audit.mu, audit.epsilon_f_dp) == (0.0, 0.0, None)


def test_a_randomized_response_is_bounded_by_its_epsilon() -> None:
    generator = np.random.default_rng(3)  # noqa: TID251 - the same draws in every run
    included = generator.random(4000) < 0.5
    answers = np.where(generator.random(4000) < 0.9, included, ~included)
    claim, sure = PureLoss(math.log(9)), 1 - Fraction(1, 10**7)
    audit = one_run(answers, included, guesses=(1500, 1500), confidence=sure, claimed=claim)
    assert 1.5 < audit.epsilon < math.log(9)
    assert not audit.refuted


@given(st.integers(1, 40), st.data())
def test_the_surer_the_smaller_and_flipped_coins_refute_nothing(size: int, data: Any) -> None:
    included = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    scores = [2 * number + inside for number, inside in enumerate(included)]
    audits = [one_run(scores, included, delta=1e-3, confidence=c) for c in ("0.5", "0.9", "0.999")]
    for less, more in itertools.pairwise(audits):
        assert less.right == more.right
        assert less.epsilon >= more.epsilon
        assert less.mu >= more.mu
    assert one_run([0.0] * size, [True] * size, guesses=(0, size)).epsilon == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"included": [True]}, "included = 'an array of 1': must be as many as the scores, 2"),
        ({"included": [1, 0]}, "must be a list of True and False"),
        ({"scores": [0.0, math.nan]}, "scores = '1 times NaN'"),
        ({"scores": [[0.0, 1.0]]}, "scores = .*shape"),
        ({"guesses": (2, 1)}, "guesses = .*: must be from 1 to 2 together"),
        ({"guesses": (0, 0)}, "guesses = .*: must be from 1 to 2 together"),
        ({"guesses": (-1, 2)}, "guesses = -1"),
        ({"delta": 1}, "delta = 1"),
        ({"confidence": 1}, "confidence = 1"),
    ],
)
def test_what_cannot_be_audited_is_named(changed: dict[str, Any], message: str) -> None:
    arguments: Any = {"scores": [0.0, 1.0], "included": [False, True]} | changed
    with pytest.raises(InvalidArgumentError, match=message):
        one_run(**arguments)


def test_a_run_names_what_it_cannot_use() -> None:
    with pytest.raises(InvalidArgumentError, match="canaries"):
        trained_with(len, [1], canaries=[], score=lambda _, rows: rows)
    with pytest.raises(InvalidArgumentError, match="score"):
        trained_with(len, [1], canaries=[1, 2], score=lambda _, rows: rows[:1])
