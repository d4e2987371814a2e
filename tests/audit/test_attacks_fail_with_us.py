"""The same attacks on a curator of ours stay within what the guarantee allows, and reach it."""

import pytest
from scipy.stats import binom
from tests.audit.attacked import FALSE_ALARM, report, with_noise_divided

from differential_privacy.audit.attacks import ATTACKS, Outcome
from differential_privacy.audit.attacks.averaging import averaging, named_by_one_answer
from differential_privacy.audit.attacks.k_anonymity import k_anonymity
from differential_privacy.audit.attacks.linkage import linkage
from differential_privacy.audit.attacks.membership_of_a_mean import membership_of_a_mean
from differential_privacy.audit.attacks.reconstruction import reconstruction
from differential_privacy.mechanisms import Geometric
from differential_privacy.privacy import PureLoss

PLANTED = [linkage, k_anonymity, averaging, membership_of_a_mean]


def hits_that_the_guarantee_never_allows(outcome: Outcome) -> int:
    """Secrets are drawn independently, so right guesses are dominated by a binomial.

    Members found at few false alarms are not guesses of that kind; there the bound is nearly three
    times what the noise leaves, so that a false alarm is rarer still.
    """
    assert outcome.most is not None
    return int(binom.isf(FALSE_ALARM, outcome.with_us.trials, outcome.most))


def within(outcomes: tuple[Outcome, ...]) -> bool:
    return all(o.with_us.hits <= hits_that_the_guarantee_never_allows(o) for o in outcomes)


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_finds_more_than_the_guarantee_allows(name: str) -> None:
    assert within(report(name).outcomes)


@pytest.mark.parametrize(("name", "which"), [("reconstruction", 0), ("membership", 0)])
def test_many_answers_about_everybody_tell_hardly_more_than_guessing(name: str, which: int) -> None:
    share = report(name).outcomes[which].with_us
    assert share.hits <= binom.isf(FALSE_ALARM, share.trials, 0.55)


@pytest.mark.parametrize(("name", "which"), [("reconstruction", 2), ("averaging", 1)])
def test_the_best_attack_reaches_what_we_say_is_allowed(name: str, which: int) -> None:
    """A bound that nothing reaches would be a claim of too much loss."""
    outcome = report(name).outcomes[which]
    assert outcome.most is not None
    assert outcome.with_us.hits >= binom.ppf(FALSE_ALARM, outcome.with_us.trials, outcome.most)


def test_averaging_gains_nothing() -> None:
    found = report("averaging")
    averaged, once = (outcome.with_us for outcome in found.outcomes)
    assert averaged.high < once.low
    assert "the same answer each time, and PureLoss(epsilon=0.1) was spent" in found.told[0]
    assert "is refused" in found.told[1]


def test_a_join_of_rows_is_refused() -> None:
    assert any("would show people's rows" in told for told in report("linkage").told)


def test_rebecca_is_believed_to_be_ill_within_the_bound() -> None:
    *_, bound = report("k-anonymity").told
    assert "1.9 % at least and 51.4 % at most" in bound


@pytest.mark.parametrize("attack", PLANTED, ids=lambda attack: attack.__name__)
def test_without_noise_the_same_attack_on_us_succeeds_and_passes_the_bound(
    attack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it is the noise that protects, and the attack that is asked of us is no weaker one."""
    with_noise_divided(monkeypatch, None)
    outcomes = attack(seed=1).outcomes  # type: ignore[operator]
    assert not within(outcomes)
    assert all(o.with_us.low > 2 * o.guessing or o.with_us.low > 0.9 for o in outcomes)


@pytest.mark.parametrize("by", [None, 5])
def test_noise_that_is_too_small_gives_the_register_away(
    by: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_noise_divided(monkeypatch, by)
    squares, absolute, alone = reconstruction(seed=1, people=100).outcomes
    assert not within((alone,))
    if by is None:
        assert squares.with_us.value == absolute.with_us.value == alone.with_us.value == 1


@pytest.mark.parametrize(("epsilon", "numbers"), [("1/2", 5), ("1", 20), ("3", 2)])
def test_what_one_answer_names_is_the_sum_of_its_likeliest_chances(
    epsilon: str, numbers: int
) -> None:
    """Bayes' rule over the exact chances of the noise, answer by answer."""
    loss = PureLoss(epsilon)
    noise = Geometric(1 / loss.epsilon)
    named = sum(
        max(float(noise.probability(answer, exact=truth).low) for truth in range(numbers))
        for answer in range(-40, numbers + 40)
    )
    assert named_by_one_answer(loss, numbers) == pytest.approx(named / numbers, abs=1e-8)
