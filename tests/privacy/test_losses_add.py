"""Law: losses of one type form an ordered sum: `+` adds, `|` covers, `within` compares."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.exact.oracle import Anything

from differential_privacy import privacy
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
)

NUMBERS = st.fractions(0, 5, max_denominator=60)
CHANCES = st.fractions(0, Fraction(1, 10), max_denominator=60)
KINDS = {
    "pure": st.builds(PureLoss, NUMBERS),
    "approximate": st.builds(ApproximateLoss, NUMBERS, CHANCES),
    "gaussian": st.builds(GaussianLoss, NUMBERS),
    "concentrated": st.builds(ConcentratedLoss, NUMBERS, CHANCES),
    "renyi": st.fixed_dictionaries({2: NUMBERS, 5: NUMBERS, "1.5": NUMBERS}).map(RenyiLoss),
}
THREE = st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(*[KINDS[kind]] * 3))


def numbers(loss: Anything) -> tuple[Fraction, ...]:
    return {
        PureLoss: lambda x: (x.epsilon,),
        ApproximateLoss: lambda x: (x.epsilon, x.delta),
        GaussianLoss: lambda x: (x.mu_squared,),
        ConcentratedLoss: lambda x: (x.rho, x.delta),
        RenyiLoss: lambda x: tuple(bound for _, bound in x.curve),
    }[type(loss)](loss)


def added(add: Callable[[Anything, Anything], Anything], one: Anything, two: Anything) -> bool:
    total = numbers(add(one, two))
    return total == tuple(a + b for a, b in zip(numbers(one), numbers(two), strict=True))


@given(THREE)
def test_the_numbers_add_exactly(three: tuple) -> None:
    one, two, three_ = three
    assert added(lambda a, b: a + b, one, two)
    assert one + two == two + one
    assert (one + two) + three_ == one + (two + three_)


@given(THREE)
def test_either_is_covered_by_both(three: tuple) -> None:
    one, two, three_ = three
    both = one | two
    assert one.within(both)
    assert two.within(both)
    assert both == two | one
    assert (one | two) | three_ == one | (two | three_)
    assert one | one == one
    if one.within(three_) and two.within(three_):
        assert both.within(three_)


@given(THREE)
def test_within_is_an_order_that_sums_keep(three: tuple) -> None:
    one, two, three_ = three
    assert one.within(one)
    assert one.within(one + two)
    if one.within(two) and two.within(three_):
        assert one.within(three_)
    if one.within(two):
        assert (one + three_).within(two + three_)
        assert all(a <= b for a, b in zip(numbers(one), numbers(two), strict=True))


@given(THREE)
def test_a_loss_reads_back_from_its_repr(three: tuple) -> None:
    for loss in three:
        assert eval(repr(loss), {**vars(privacy), "Fraction": Fraction}) == loss  # noqa: S307


def test_renyi_losses_add_at_the_orders_that_both_know() -> None:
    one, two = RenyiLoss({2: 1, 3: 2}), RenyiLoss({3: 5, 4: 1})
    assert one + two == RenyiLoss({3: 7})
    assert one | two == RenyiLoss({3: 5})
    assert not (one + two).within(one)
    assert not RenyiLoss({3: 0}).within(one)
    assert RenyiLoss({2: 1, 3: 2, 4: 9}).within(one)
    with pytest.raises(InvalidArgumentError, match="curve = "):
        RenyiLoss({2: 1}) + RenyiLoss({3: 1})


def test_two_types_do_not_add() -> None:
    samples = [
        PureLoss(1),
        ApproximateLoss(1, 0),
        GaussianLoss(1),
        ConcentratedLoss(1),
        RenyiLoss({2: 1}),
    ]
    for one in samples:
        for two in samples:
            if type(one) is not type(two):
                with pytest.raises(TypeError):
                    one + two


def test_a_delta_of_one_protects_nothing_and_is_refused() -> None:
    half = Fraction(1, 2)
    for loss in (ApproximateLoss(1, half), ConcentratedLoss(1, half)):
        with pytest.raises(InvalidArgumentError, match="delta = "):
            loss + loss


def test_many_small_shares_add_without_limit() -> None:
    total = PureLoss(0)
    for n in range(1, 3500):
        total += PureLoss(Fraction(1, n))
    assert 8 < total.epsilon < 9


BAD = [-1, "-1e-9", float("nan"), float("inf"), None, True, "x", 10**5000]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: str(type(bad).__name__))
def test_bad_numbers_are_refused_by_name(bad: object) -> None:
    for name, made in {
        "epsilon": lambda: PureLoss(bad),
        "epsilon ": lambda: ApproximateLoss(bad, 0),
        "delta": lambda: ApproximateLoss(1, bad),
        "mu_squared": lambda: GaussianLoss(bad),
        "mu": lambda: GaussianLoss.of_mu(bad),
        "rho": lambda: ConcentratedLoss(bad),
        "delta ": lambda: ConcentratedLoss(1, bad),
        "epsilon  ": lambda: RenyiLoss({2: bad}),
        "order": lambda: RenyiLoss({bad: 1}),
        "epsilon   ": lambda: PureLoss(1).delta_at(bad),
        "delta  ": lambda: PureLoss(1).epsilon_at(bad),
        "delta   ": lambda: GaussianLoss(1).epsilon_at(bad),
        "delta    ": lambda: RenyiLoss({2: 1}).epsilon_at(bad),
    }.items():
        with pytest.raises(InvalidArgumentError) as refused:
            made()
        assert refused.value.argument == name.strip()


def test_deltas_of_one_and_empty_curves_are_refused() -> None:
    for made in (
        lambda: ApproximateLoss(1, 1),
        lambda: ConcentratedLoss(1, 1),
        lambda: PureLoss(1).epsilon_at(1),
        lambda: RenyiLoss({}),
        lambda: RenyiLoss({1: 1}),
        lambda: RenyiLoss({"0.5": 1}),
    ):
        with pytest.raises(InvalidArgumentError):
            made()


def test_planted_a_sum_of_epsilons_where_squares_add_is_found() -> None:
    def wrong(one: GaussianLoss, two: GaussianLoss) -> GaussianLoss:
        return GaussianLoss(max(one.mu_squared, two.mu_squared))

    assert not added(wrong, GaussianLoss(1), GaussianLoss(2))
    assert not added(lambda a, b: a | b, PureLoss(1), PureLoss(2))
