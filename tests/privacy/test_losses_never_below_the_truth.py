"""Law: what a loss says of itself is never below the truth, and reaches it to nine digits."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.exact.oracle import Anything, bounds, exactly, gaussian_delta, mp, real

from differential_privacy.accounting import to_approximate, to_concentrated, to_renyi
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    gaussian,
    pure,
    renyi,
)

EPSILONS = st.one_of(
    st.fractions(0, 10, max_denominator=1000),
    st.fractions(Fraction(1, 1000), 100, max_denominator=1000),
    st.builds(lambda e: Fraction(1, 10**e), st.integers(1, 9)),
)
SHARES = st.fractions(0, 2, max_denominator=50)
DELTAS = st.one_of(
    st.builds(lambda n, e: Fraction(n, 10**e), st.integers(1, 9), st.integers(1, 40)),
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=1000),
)
SMALL = st.builds(lambda n, e: Fraction(n, 10**e), st.integers(0, 9), st.integers(2, 12))
MUS = st.one_of(
    st.fractions(Fraction(1, 100), 6, max_denominator=1000),
    st.builds(lambda e: Fraction(1, 10**e), st.integers(1, 8)),
)
ORDERS = ["1.5", 2, 3, 8, 32]


def response_delta(epsilon: Fraction, at: Fraction, delta: Fraction = Fraction(0)) -> Anything:
    """All is told with chance delta; else randomized response: counted by its two answers."""
    if at >= epsilon:
        return real(delta)
    truth = 1 / (1 + mp.exp(-real(epsilon)))
    stick = max(mp.mpf(0), truth - mp.exp(real(at)) * (1 - truth))
    return real(delta) + (1 - real(delta)) * stick


def response_epsilon(epsilon: Fraction, delta: Fraction, own: Fraction = Fraction(0)) -> Anything:
    truth = 1 / (1 + mp.exp(-real(epsilon)))
    rest = real((delta - own) / (1 - own))
    left = (truth - rest) / (1 - truth)
    return mp.log(left) if left > 1 else mp.mpf(0)


def order_delta(order: Anything, divergence: Anything, epsilon: Anything) -> Anything:
    """CKS20 proposition 12 in the form that it is stated: e^((a-1)(d-e)) / (a-1) (1-1/a)^a."""
    return mp.exp((order - 1) * (divergence - epsilon)) / (order - 1) * (1 - 1 / order) ** order


def response_divergence(epsilon: Fraction, order: Anything) -> Anything:
    truth = 1 / (1 + mp.exp(-real(epsilon)))
    lie = 1 / (1 + mp.exp(real(epsilon)))
    a = mp.mpf(order)
    return mp.log(truth**a * lie ** (1 - a) + lie**a * truth ** (1 - a)) / (a - 1)


def best_order(objective: Anything) -> Anything:
    """The least value over orders, by a golden section on the logarithm of the order less one."""
    low, high = mp.mpf(-40), mp.mpf(80)
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(130):
        one, two = high - ratio * (high - low), low + ratio * (high - low)
        if objective(1 + mp.exp(one)) < objective(1 + mp.exp(two)):
            high = two
        else:
            low = one
    return objective(1 + mp.exp((low + high) / 2))


@given(EPSILONS, SHARES)
@example(Fraction(1, 10**9), Fraction(1, 2))
@example(Fraction(1), Fraction(0))
@example(Fraction(5000), Fraction(1, 2))
def test_pure_delta(epsilon: Fraction, share: Fraction) -> None:
    at = epsilon * share
    assert bounds(PureLoss(epsilon).delta_at(at), response_delta(epsilon, at))


@given(EPSILONS.filter(bool), DELTAS)
def test_pure_epsilon(epsilon: Fraction, delta: Fraction) -> None:
    truth = response_epsilon(epsilon, delta)
    found = PureLoss(epsilon).epsilon_at(delta)
    assert bounds(found, truth) or (
        found <= epsilon and found - exactly(truth) < Fraction(1, 10**30)
    )


@given(EPSILONS, SHARES, SMALL)
def test_approximate_delta(epsilon: Fraction, share: Fraction, delta: Fraction) -> None:
    at = epsilon * share
    found = ApproximateLoss(epsilon, delta).delta_at(at)
    assert bounds(found, response_delta(epsilon, at, delta))


@given(EPSILONS.filter(bool), SMALL, DELTAS)
def test_approximate_epsilon(epsilon: Fraction, own: Fraction, delta: Fraction) -> None:
    loss = ApproximateLoss(epsilon, own)
    if delta < own:
        with pytest.raises(InvalidArgumentError, match="delta = "):
            loss.epsilon_at(delta)
    else:
        truth = response_epsilon(epsilon, delta, own)
        found = loss.epsilon_at(delta)
        assert bounds(found, truth) or found - exactly(truth) < Fraction(1, 10**30)


@given(MUS, st.fractions(0, 30, max_denominator=20))
@example(Fraction(1), Fraction(40))
@example(Fraction(1, 10**8), Fraction(0))
def test_gaussian_delta(mu: Fraction, deviations: Fraction) -> None:
    epsilon = mu * deviations
    assert bounds(GaussianLoss.of_mu(mu).delta_at(epsilon), gaussian_delta(real(mu), real(epsilon)))


@given(MUS, DELTAS)
def test_gaussian_epsilon(mu: Fraction, delta: Fraction) -> None:
    found = GaussianLoss.of_mu(mu).epsilon_at(delta)
    truth = exactly(gaussian_delta(real(mu), real(found)))
    assert truth <= delta * (1 + Fraction(1, 10**50))
    slack = Fraction(1, 10**9) if mu > Fraction(1, 10**4) else Fraction(1, 10**6)
    if (less := found - slack * max(found, mu)) > 0:
        assert exactly(gaussian_delta(real(mu), real(less))) > delta


@pytest.mark.parametrize("mu", ["0.001", "0.1", "1", "2", "5"])
def test_gaussian_epsilon_has_an_answer_next_to_zero(mu: str) -> None:
    loss = GaussianLoss.of_mu(mu)
    truth = exactly(gaussian_delta(mp.mpf(mu), 0))
    above = loss.delta_at(0)
    for delta in (
        above,
        (above + truth) / 2,
        above - (above - truth) / 1000,
        truth * (1 - Fraction(1, 10**15)),
    ):
        if 0 < delta < 1:
            found = loss.epsilon_at(Fraction(str(delta.limit_denominator(10**25))))
            assert 0 <= found < Fraction(1, 10**9)


@pytest.mark.parametrize("delta", ["1e-300", "1e-320", "1e-400", "1e-900"])
def test_gaussian_epsilon_has_an_answer_at_every_positive_delta(delta: str) -> None:
    found = GaussianLoss(1).epsilon_at(delta)
    assert exactly(gaussian_delta(1, real(found))) <= Fraction(delta)


@pytest.mark.parametrize("square", ["1e-700", "1e-300", "1e-30", "1e30", "1e300", "1e700"])
def test_gaussian_losses_of_any_size_answer_or_refuse_on_purpose(square: str) -> None:
    loss = GaussianLoss(square)
    try:
        found = loss.epsilon_at("1e-12")
        assert loss.delta_at(found) <= Fraction("1e-12")
    except InvalidArgumentError:
        pass


@given(MUS, st.fractions(0, 12, max_denominator=20), SMALL)
def test_concentrated_delta(mu: Fraction, deviations: Fraction, own: Fraction) -> None:
    rho = mu**2 / 2
    epsilon = rho + mu * deviations
    loss = ConcentratedLoss(rho, own)
    found = loss.delta_at(epsilon)
    r, e = real(rho), real(epsilon)
    best = mp.exp(best_order(lambda a: mp.log(order_delta(a, r * a, e))))
    truth = min(mp.mpf(1), real(own) + (1 - real(own)) * best)
    assert bounds(found, truth)
    assert found >= exactly(gaussian_delta(real(mu), e)) * (1 - Fraction(1, 10**50))


@given(MUS, DELTAS, SMALL)
def test_concentrated_epsilon(mu: Fraction, delta: Fraction, own: Fraction) -> None:
    loss = ConcentratedLoss(mu**2 / 2, own)
    if delta <= own:
        with pytest.raises(InvalidArgumentError, match="delta = "):
            loss.epsilon_at(delta)
        return
    found = loss.epsilon_at(delta)
    rest, r = real((delta - own) / (1 - own)), real(loss.rho)
    truth = best_order(lambda a: a * r + mp.log(1 - 1 / a) - (mp.log(rest) + mp.log(a)) / (a - 1))
    assert bounds(found, max(mp.mpf(0), truth), within=Fraction(1, 10**8))


@given(st.dictionaries(st.sampled_from(ORDERS), EPSILONS, min_size=1), EPSILONS, DELTAS)
def test_renyi_conversions(curve: dict, epsilon: Fraction, delta: Fraction) -> None:
    loss = RenyiLoss(curve)
    deltas = [order_delta(mp.mpf(a), real(d), real(epsilon)) for a, d in curve.items()]
    assert bounds(loss.delta_at(epsilon), min(mp.mpf(1), *deltas))
    epsilons = [
        real(d) + mp.log(1 - 1 / mp.mpf(a)) - mp.log(real(delta) * mp.mpf(a)) / (mp.mpf(a) - 1)
        for a, d in curve.items()
    ]
    assert bounds(loss.epsilon_at(delta), max(mp.mpf(0), min(epsilons)))


@given(EPSILONS.filter(bool))
def test_pure_becomes_the_divergences_of_randomized_response(epsilon: Fraction) -> None:
    curve = to_renyi(PureLoss(epsilon), ORDERS)
    rho = to_concentrated(PureLoss(epsilon)).rho
    for order in ORDERS:
        truth = response_divergence(epsilon, order)
        assert bounds(curve.at(order), truth, within=Fraction(1, 10**9)) or (
            curve.at(order) - exactly(truth) < Fraction(1, 10**30)
        )
        assert rho * Fraction(order) >= exactly(truth) * (1 - Fraction(1, 10**40))


@given(MUS)
def test_gaussian_becomes_the_divergences_of_normals(mu: Fraction) -> None:
    curve = to_renyi(GaussianLoss.of_mu(mu), ORDERS)
    assert all(curve.at(order) == mu**2 * Fraction(order) / 2 for order in ORDERS)
    assert to_concentrated(GaussianLoss.of_mu(mu)) == ConcentratedLoss(mu**2 / 2)
    again = to_renyi(to_concentrated(GaussianLoss.of_mu(mu)), ORDERS)
    assert again == curve


@given(EPSILONS.filter(bool), DELTAS)
def test_a_weaker_kind_never_promises_more(epsilon: Fraction, delta: Fraction) -> None:
    loss = PureLoss(epsilon)
    exact = loss.epsilon_at(delta)
    assert to_approximate(loss, delta) == ApproximateLoss(exact, delta)
    assert to_approximate(loss) == ApproximateLoss(epsilon, 0)
    assert to_concentrated(loss).epsilon_at(delta) >= exact
    assert to_renyi(loss, ORDERS).epsilon_at(delta) >= exact


@given(MUS, DELTAS)
def test_a_weaker_kind_of_gaussian_never_promises_more(mu: Fraction, delta: Fraction) -> None:
    loss = GaussianLoss.of_mu(mu)
    exact = loss.epsilon_at(delta) * (1 - Fraction(1, 10**10))
    concentrated = to_concentrated(loss).epsilon_at(delta)
    assert concentrated >= exact
    assert to_renyi(loss, ORDERS).epsilon_at(delta) >= concentrated * (1 - Fraction(1, 10**8))


LOSSES = st.one_of(
    st.builds(PureLoss, EPSILONS.filter(bool)),
    st.builds(ApproximateLoss, EPSILONS.filter(bool), SMALL),
    st.builds(GaussianLoss.of_mu, MUS),
    st.builds(lambda m, d: ConcentratedLoss(m * m, d), MUS, SMALL),
    st.builds(RenyiLoss, st.dictionaries(st.sampled_from(ORDERS), EPSILONS, min_size=1)),
)


@given(LOSSES, DELTAS, DELTAS)
def test_epsilon_falls_as_delta_grows(loss: Anything, one: Fraction, two: Fraction) -> None:
    low, high = sorted((one, two))
    if low > loss.delta:
        more, less = loss.epsilon_at(low), loss.epsilon_at(high)
        assert less <= more * (1 + Fraction(1, 10**10))


@given(LOSSES, EPSILONS, EPSILONS)
def test_delta_falls_as_epsilon_grows(loss: Anything, one: Fraction, two: Fraction) -> None:
    low, high = sorted((one, two))
    assert loss.delta_at(high) <= loss.delta_at(low) * (1 + Fraction(1, 10**9))
    assert loss.delta <= loss.delta_at(high) <= 1


@given(LOSSES, DELTAS)
def test_delta_and_epsilon_are_inverse_of_each_other(loss: Anything, delta: Fraction) -> None:
    if delta <= loss.delta:
        return
    epsilon = loss.epsilon_at(delta)
    back = loss.delta_at(epsilon)
    assert back <= delta * (1 + Fraction(1, 10**9))
    if epsilon > Fraction(1, 10**6) and back > loss.delta * (1 + Fraction(1, 10**6)):
        assert loss.delta_at(epsilon * (1 - Fraction(1, 10**6))) >= delta * (1 - Fraction(1, 10**8))


def test_no_delta_is_at_the_end_of_a_loss() -> None:
    for loss in (GaussianLoss(1), ConcentratedLoss(1), RenyiLoss({2: 1})):
        with pytest.raises(InvalidArgumentError, match="delta = "):
            loss.epsilon_at(0)
    assert GaussianLoss(0).epsilon_at(0) == ConcentratedLoss(0).epsilon_at(0) == 0
    assert GaussianLoss(0).delta_at(0) == ConcentratedLoss(0).delta_at(0) == 0


@pytest.mark.parametrize("epsilon", [10**6, 2**20 - 1, 2**20 + 1, 10**7])
@pytest.mark.parametrize(
    "loss",
    [PureLoss(10**7), ConcentratedLoss("0.1"), GaussianLoss(1), RenyiLoss({2: 1, 100: 3})],
    ids=lambda loss: type(loss).__name__,
)
def test_an_epsilon_of_millions_has_a_delta(loss: Anything, epsilon: int) -> None:
    if epsilon > 2**20 and not isinstance(loss, PureLoss):
        epsilon = 5000
    assert 0 <= loss.delta_at(epsilon) <= 1


@pytest.mark.parametrize("loss", [ApproximateLoss(1, "0.1"), RenyiLoss({2: 1})], ids=repr)
def test_what_has_no_theorem_is_refused(loss: Anything) -> None:
    with pytest.raises(NoTheoremError):
        to_concentrated(loss)
    if isinstance(loss, ApproximateLoss):
        with pytest.raises(NoTheoremError):
            to_renyi(loss)
    with pytest.raises(InvalidArgumentError, match="delta = "):
        to_renyi(ConcentratedLoss(1, "0.1"))


@pytest.mark.parametrize("order", [1, "0.5", 0, -1, float("nan"), "x"])
@pytest.mark.parametrize(
    "loss", [PureLoss(1), GaussianLoss(1), ConcentratedLoss(1), RenyiLoss({2: 1})], ids=repr
)
def test_orders_of_one_or_less_are_refused_by_name(loss: Anything, order: object) -> None:
    with pytest.raises(InvalidArgumentError, match="order = "):
        to_renyi(loss, [order])


def test_renyi_of_a_huge_pure_loss_is_at_most_its_epsilon() -> None:
    curve = to_renyi(PureLoss(3000), [2, 1024])
    assert 2900 < curve.at(1024) <= 3000


def test_planted_rounding_down_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from differential_privacy.exact import round_down  # noqa: PLC0415

    for module in (pure, gaussian, renyi):
        monkeypatch.setattr(module, "round_up", round_down)
    thirds = [Fraction(n, 3) for n in range(4, 30)]
    assert not all(bounds(PureLoss(e).delta_at(1), response_delta(e, Fraction(1))) for e in thirds)
    assert not all(
        bounds(GaussianLoss.of_mu(m).delta_at(1), gaussian_delta(real(m), 1)) for m in thirds
    )
    assert not bounds(RenyiLoss({2: 1}).delta_at(3), order_delta(mp.mpf(2), mp.mpf(1), mp.mpf(3)))


def test_planted_a_float_search_without_its_proof_is_found() -> None:
    unproved = 0
    for n in range(1, 40):
        mu, delta = n / 10, Fraction(1, 10**6)
        guess = Fraction(gaussian._float_epsilon(mu, math.log(delta)))
        unproved += exactly(gaussian_delta(real(Fraction(n, 10)), real(guess))) > delta
    assert unproved > 0


def test_planted_the_older_conversion_of_renyi_is_found_to_be_loose() -> None:
    older = mp.mpf(1) - mp.log(mp.mpf("1e-6")) / (mp.mpf(8) - 1)
    found = RenyiLoss({8: 1}).epsilon_at("1e-6")
    assert not bounds(exactly(older), real(found))


def test_planted_rho_of_epsilon_squared_over_eight_is_found() -> None:
    epsilon = Fraction(1)
    assert epsilon**2 / 8 * 2 < exactly(response_divergence(epsilon, 2))
