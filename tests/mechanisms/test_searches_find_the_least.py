"""What is sought from a guess is what a plain search finds: guesses only save time."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from differential_privacy.accounting import concentrated_within
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import exp, round_up
from differential_privacy.mechanisms import (
    DiscreteGaussian,
    GaussianThreshold,
    TruncatedGeometric,
    partition_selection,
)
from differential_privacy.mechanisms.tails import least_whole
from differential_privacy.mechanisms.truncated_geometric import _turns
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss

HALF = Fraction(1, 2)
NEXT = Fraction(1, 10**30)

# Of each size alike: what matters of these numbers is their logarithm.
epsilons = st.integers(-4000, 2000).map(lambda e: round_up(exp(Fraction(e, 500)).high))
deltas = st.integers(-40_000, -50).map(lambda e: round_up(exp(Fraction(e, 500)).high))
groups = st.sampled_from([1, 2, 3, 10, 100, 1000])

Enough = Callable[[int], bool]


def plainly(enough: Enough) -> int:
    """The least from 0 that is enough, by doubling and halving alone."""
    high = 1
    while not enough(high):
        high *= 2
    low = -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def threshold_for(loss: ConcentratedLoss, many: int) -> GaussianThreshold:
    variance = many / (2 * loss.rho)

    def enough(above_one: int) -> bool:
        return GaussianThreshold(variance, 1 + above_one).told_alone(many) <= loss.delta

    return GaussianThreshold(variance, 1 + plainly(enough))


def people_for(rule: TruncatedGeometric | GaussianThreshold, chance: Fraction) -> int:
    return plainly(lambda n: rule.probability(kept=True, exact=n).low >= chance)


def turns_by_recurrence(rule: TruncatedGeometric) -> tuple[int, int]:
    """Where keeping less than e^epsilon as often begins, and where all are kept."""
    chances = [rule.probability(kept=True, exact=0)]
    grow, turn = exp(rule.epsilon), None
    while True:
        grown = grow * chances[-1] + rule.delta
        shrunk = 1 - (1 - chances[-1] - rule.delta) / grow
        if turn is None and shrunk.high < grown.low:
            turn = len(chances) - 1
        if min(grown.low, shrunk.low) >= 1:
            return turn or 0, len(chances)
        chances.append(grown if turn is None else shrunk)


@given(epsilon=epsilons, delta=deltas, many=groups)
def test_the_rule_for_a_rho_is_that_of_plain_searches(
    epsilon: Fraction, delta: Fraction, many: int
) -> None:
    loss = ConcentratedLoss(epsilon, delta)
    threshold = threshold_for(loss, many)
    assert GaussianThreshold.for_loss(loss, groups=many) == threshold
    rules = (TruncatedGeometric.for_concentrated_loss(loss, groups=many), threshold)
    assert partition_selection(loss, groups=many) == min(rules, key=lambda r: people_for(r, HALF))


@given(epsilon=epsilons, delta=deltas, many=groups)
def test_the_rule_for_an_epsilon_is_that_of_plain_searches(
    epsilon: Fraction, delta: Fraction, many: int
) -> None:
    loss, beyond = ApproximateLoss(epsilon, delta), delta / 2
    rest = ApproximateLoss(epsilon, (delta - beyond) / (1 - beyond))
    threshold = threshold_for(ConcentratedLoss(concentrated_within(rest).rho, beyond), many)
    rules = (TruncatedGeometric.for_loss(loss, groups=many), threshold)
    assert partition_selection(loss, groups=many) == min(rules, key=lambda r: people_for(r, HALF))


@given(epsilon=epsilons, delta=deltas, chance=st.fractions(Fraction(1, 100), Fraction(99, 100)))
def test_people_for_a_chance_are_those_of_a_plain_search(
    epsilon: Fraction, delta: Fraction, chance: Fraction
) -> None:
    threshold = GaussianThreshold.for_loss(ConcentratedLoss(epsilon, delta), groups=1)
    for rule in (TruncatedGeometric(epsilon, delta), threshold):
        assert rule.people_for(chance) == people_for(rule, chance)


@given(
    epsilon=st.fractions(Fraction(1, 10), 20, max_denominator=1000),
    delta=st.fractions(Fraction(1, 10**6), Fraction(99, 100)),
)
def test_turn_and_certainty_are_those_of_the_recurrence(epsilon: Fraction, delta: Fraction) -> None:
    rule = TruncatedGeometric(epsilon, delta)
    assert _turns(epsilon, delta) == turns_by_recurrence(rule)


@given(
    variance=st.integers(-5000, 10_000).map(lambda e: round_up(exp(Fraction(e, 500)).high)),
    confidence=st.fractions(Fraction(1, 100), 1 - Fraction(1, 10**12)),
    count=st.sampled_from([1, 3, 1000]),
)
def test_the_error_of_a_bell_is_that_of_a_plain_search(
    variance: Fraction, confidence: Fraction, count: int
) -> None:
    noise = DiscreteGaussian(variance)
    error = noise.error(confidence, count=count)
    assert (1 - noise.tail(error).high) ** count >= confidence - NEXT
    assert error == 0 or (1 - noise.tail(error - 1).high) ** count < confidence + NEXT


@given(epsilon=epsilons, delta=deltas)
@example(epsilon=Fraction(10) ** 700, delta=Fraction(1, 10**6))
@example(epsilon=Fraction(1, 10**12) + Fraction(1, 10**40), delta=Fraction(1, 10**250))
def test_the_rho_within_an_epsilon_is_the_largest_of_twelve_digits(
    epsilon: Fraction, delta: Fraction
) -> None:
    rho = concentrated_within(ApproximateLoss(epsilon, delta)).rho
    assert ConcentratedLoss(rho).epsilon_at(delta) <= epsilon
    more = round_up(rho * (1 + Fraction(1, 1 << 60)))
    assert rho == round_up(rho) < more
    assert ConcentratedLoss(more).epsilon_at(delta) > epsilon


@pytest.mark.parametrize(("epsilon", "delta"), [("1e-30", "1e-300"), (0, "1e-6"), (1, 0)])
def test_a_loss_that_nothing_concentrated_has_is_refused(epsilon: str, delta: str) -> None:
    with pytest.raises(InvalidArgumentError, match="nothing concentrated"):
        concentrated_within(ApproximateLoss(epsilon, delta))


def test_a_threshold_that_is_one_off_is_caught() -> None:
    """Either way: one less tells too much, one more keeps too little."""
    loss = ConcentratedLoss("0.01", "1e-6")
    right = GaussianThreshold.for_loss(loss, groups=10)
    assert right == threshold_for(loss, 10)
    for off in (-1, 1):
        assert GaussianThreshold(right.variance, right.threshold + off) != threshold_for(loss, 10)
    turn, sure = _turns(Fraction(1, 3), Fraction(1, 50))
    found = turns_by_recurrence(TruncatedGeometric("1/3", "1/50"))
    assert found not in {(turn + 1, sure), (turn - 1, sure), (turn, sure + 1), (turn, sure - 1)}


@pytest.mark.parametrize("guess", [-5, 0, 1, 40, 49, 50, 51, 52, 60, 10**6])
@pytest.mark.parametrize("least", [0, 1, 49, 50, 51])
def test_any_guess_leads_to_the_least(least: int, guess: int) -> None:
    assert least_whole(lambda t: t >= least, guess=guess) == least


@pytest.mark.parametrize(
    "loss", [ApproximateLoss("1.37", "1e-7"), ConcentratedLoss("0.02", "1e-7")]
)
def test_a_good_guess_takes_two_trials(
    loss: ApproximateLoss | ConcentratedLoss, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chance of one person at the threshold, and one below it; and the same for one in two."""
    tails: list[int] = []
    true = DiscreteGaussian.tail
    monkeypatch.setattr(
        DiscreteGaussian, "tail", lambda noise, error: tails.append(error) or true(noise, error)
    )
    partition_selection(loss, groups=13)
    assert len(tails) == 4
