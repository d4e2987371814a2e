"""Law: a numerical loss is never below the exact one, nor `least` above it, and both are near."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from tests.exact.oracle import Anything, exactly, gaussian_delta, laws, mp, real

from differential_privacy.accounting import (
    NumericalLoss,
    discrete_gaussian_loss,
    discrete_laplace_loss,
    dominating,
    finite_loss,
    laplace_loss,
    least_factor,
    masses,
    numerical,
    repeated,
    sampled_gaussian_loss,
    sequential,
    to_numerical,
)
from differential_privacy.accounting.masses import Masses
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
)

DELTAS = ["0", "1e-9", "1e-5", "0.01", "0.1", "0.3"]
TIGHT = Fraction(1, 1000)
GUARD = Fraction(1, 10**40)

Atoms = list[tuple[Anything, Anything]]
"""A pair of laws: for each output its two chances, in sixty digits."""


def atoms_of(mine: dict, theirs: dict) -> Atoms:
    return [(real(p), real(theirs[o])) for o, p in mine.items()]


def together(one: Atoms, two: Atoms) -> Atoms:
    found: dict = defaultdict(lambda: [mp.mpf(0), mp.mpf(0)])
    for a, b in one:
        for c, d in two:
            p, q = a * c, b * d
            key = mp.nstr(p / q, 40) if q else "told"
            found[key][0] += p
            found[key][1] += q
    return [(p, q) for p, q in found.values()]


def delta_of(atoms: Atoms, epsilon: Anything) -> Anything:
    odds = mp.exp(epsilon)
    return max(
        mp.fsum(max(mp.mpf(0), a - odds * b) for a, b in side)
        for side in (atoms, [(b, a) for a, b in atoms])
    )


def epsilon_of(atoms: Atoms, delta: Anything) -> Anything:
    best = mp.mpf(0)
    for side in (atoms, [(b, a) for a, b in atoms]):
        ranked = sorted(side, key=lambda pair: pair[0] / pair[1], reverse=True)
        p = q = mp.mpf(0)
        for a, b in ranked:
            p, q = p + a, q + b
            if p > delta:
                best = max(best, mp.log((p - delta) / q))
    return best


def never_below(loss: NumericalLoss, atoms: Atoms) -> bool:
    for delta in DELTAS:
        wanted = Fraction(delta)
        truth = epsilon_of(atoms, real(wanted))
        if wanted >= loss.delta and exactly(truth) - GUARD > loss.epsilon_at(wanted):
            return False
    most = float(epsilon_of(atoms, mp.mpf(0)))
    for share in (0, 0.1, 0.35, 0.5, 0.77, 0.95, 0.999):
        epsilon = Fraction(most * share)
        if exactly(delta_of(atoms, real(epsilon))) - GUARD > loss.delta_at(epsilon):
            return False
    return True


def near(loss: NumericalLoss, atoms: Atoms) -> bool:
    most = exactly(epsilon_of(atoms, mp.mpf(0)))
    for delta in DELTAS:
        wanted = Fraction(delta)
        if wanted >= loss.delta:
            truth = exactly(epsilon_of(atoms, real(wanted)))
            # Near the largest loss a bound may lie as far off as the grid's step.
            step = TIGHT / 10 if wanted >= Fraction(1, 100) else 6 * TIGHT
            if loss.epsilon_at(wanted) > truth * (1 + TIGHT) + most * step:
                return False
    return True


def least_is_below(loss: NumericalLoss, atoms: Atoms) -> bool:
    return all(
        loss.least_epsilon_at(delta) <= exactly(epsilon_of(atoms, mp.mpf(delta))) + GUARD
        for delta in DELTAS[1:]
    )


PAIRS = (
    st.integers(2, 3).flatmap(lambda n: st.tuples(laws(n), laws(n))).filter(lambda p: p[0] != p[1])
)


@settings(max_examples=20)
@given(st.lists(PAIRS, min_size=1, max_size=3))
def test_finite_tables_in_sequence(pairs: list) -> None:
    loss = sequential([finite_loss(*pair) for pair in pairs])
    exact = atoms_of(*pairs[0])
    for pair in pairs[1:]:
        exact = together(exact, atoms_of(*pair))
    # One direction is one pair of data sets: the exact one is judged both ways round, as told.
    assert never_below(loss, exact)
    assert near(loss, exact)
    assert least_is_below(loss, exact)


def test_the_end_of_a_sum_of_lopsided_tables_is_within_a_thousandth() -> None:
    quarter, third, twelfth = ({0: Fraction(1, n), 1: 1 - Fraction(1, n)} for n in (4, 3, 12))
    turned = {0: Fraction(2, 3), 1: Fraction(1, 3)}
    loss = finite_loss(quarter, third) + finite_loss(turned, twelfth)
    exact = together(atoms_of(quarter, third), atoms_of(turned, twelfth))
    assert never_below(loss, exact)
    truth = exactly(epsilon_of(exact, mp.mpf(0)))
    assert loss.epsilon_at(0) <= truth * (1 + TIGHT)


@settings(max_examples=15)
@given(PAIRS, st.integers(2, 4))
def test_one_table_again_and_again(pair: tuple, times: int) -> None:
    loss, exact = repeated(finite_loss(*pair), times=times), atoms_of(*pair)
    for _ in range(times - 1):
        exact = together(exact, atoms_of(*pair))
    assert never_below(loss, exact)
    assert near(loss, exact)
    assert least_is_below(loss, exact)


@given(
    st.integers(1, 606),
    st.integers(1, 996),
    st.sampled_from([3, 4, 5, 6, 7, 9, 12, 15, 18]),
)
def test_tables_that_hardly_differ(k: int, j: int, power: int) -> None:
    p = Fraction(k, 607)
    q = p + Fraction(min(k, 607 - k), 607) * Fraction(j, 997) / 10**power
    mine, theirs = {0: p, 1: 1 - p}, {0: q, 1: 1 - q}
    assert never_below(finite_loss(mine, theirs), atoms_of(mine, theirs))


def test_tables_that_hardly_differ_many_times() -> None:
    # 2^20 responses of which each is off by 2^-12: the exact law is a binomial one.
    times, bias = 1 << 16, Fraction(1, 1 << 9)
    p = (1 + bias) / 2
    loss = repeated(finite_loss({0: p, 1: 1 - p}, {0: 1 - p, 1: p}), times=times)
    rate = mp.log(real(p / (1 - p)))
    for share in ("0.0", "0.3", "1"):
        epsilon = mp.mpf(share)
        odds = mp.exp(epsilon)
        least = int(mp.ceil((times + epsilon / rate) / 2))
        total, log_p, log_q = mp.mpf(0), mp.log(real(p)), mp.log(real(1 - p))
        for hits in range(least, min(times, least + 3000) + 1):
            ways = mp.loggamma(times + 1) - mp.loggamma(hits + 1) - mp.loggamma(times - hits + 1)
            mine = mp.exp(ways + hits * log_p + (times - hits) * log_q)
            total += mine * (1 - odds * mp.exp(-(2 * hits - times) * rate))
        found = loss.delta_at(share)
        assert exactly(total) * (1 - Fraction(1, 10**12)) <= found
        assert found <= exactly(total) * (1 + TIGHT)


def test_an_event_too_rare_for_a_float_is_not_forgotten() -> None:
    rare = Fraction(1, 10**400)
    loss = finite_loss({"a": 1 - rare, "b": rare}, {"a": 1})
    assert loss.delta >= rare
    with pytest.raises(InvalidArgumentError, match="delta = "):
        loss.epsilon_at(0)


def test_many_impossible_outputs_add_up() -> None:
    n = 3001
    mine = {i: Fraction(1, 3 * n) for i in range(n)} | {"same": Fraction(2, 3)}
    loss = finite_loss(mine, {"same": 1})
    assert loss.delta >= Fraction(1, 3)
    assert loss.delta_at(5) >= Fraction(1, 3)


@pytest.mark.parametrize("bad", [{"a": 0.5}, {"a": 0.5, "b": 0.6}, {}])
def test_tables_that_are_no_laws_are_refused(bad: dict) -> None:
    with pytest.raises(InvalidArgumentError):
        finite_loss(bad, {"a": 1})
    with pytest.raises(InvalidArgumentError):
        finite_loss({"a": 1}, bad)


@given(st.fractions(Fraction(1, 10**6), 50, max_denominator=10**6))
def test_randomized_response(epsilon: Fraction) -> None:
    truth = 1 / (1 + mp.exp(-real(epsilon)))
    exact = [(truth, 1 - truth), (1 - truth, truth)]
    for loss in (to_numerical(PureLoss(epsilon)), discrete_laplace_loss(1 / epsilon, 1)):
        assert never_below(loss, exact)
        assert loss.epsilon_at(0) <= epsilon * (1 + TIGHT)
        assert least_is_below(loss, exact)


@given(st.fractions(Fraction(1, 100), 5, max_denominator=100), st.sampled_from(["1e-6", "0.1"]))
def test_what_tells_all_with_chance_delta(epsilon: Fraction, delta: str) -> None:
    loss = to_numerical(ApproximateLoss(epsilon, delta))
    exact = ApproximateLoss(epsilon, delta)
    assert loss.delta >= Fraction(delta)
    for share in (0, 1, 2, 3, 5):
        at = epsilon * share / 4
        assert exact.delta_at(at) * (1 - Fraction(1, 10**10)) <= loss.delta_at(at)
        assert loss.delta_at(at) <= exact.delta_at(at * (1 - TIGHT)) + Fraction(1, 10**8)
    twice = loss + loss
    told = 1 - (1 - Fraction(delta)) ** 2
    assert told <= twice.delta <= told * (1 + TIGHT)


def laplace_atoms(scale: Fraction, s: int) -> Atoms:
    r = mp.exp(-1 / real(scale))
    mine = [1 / (1 + r), *(r**z * (1 - r) / (1 + r) for z in range(1, s)), r**s / (1 + r)]
    return list(zip(mine, mine[::-1], strict=True))


def test_the_atoms_of_laplace_noise_are_those_of_a_wide_window() -> None:
    scale, s, r = Fraction(3), 4, mp.exp(-mp.mpf(1) / 3)
    window = [
        ((1 - r) / (1 + r) * r ** abs(z), (1 - r) / (1 + r) * r ** abs(z - s))
        for z in range(-200, 205)
    ]
    for epsilon in ("0", "0.3", "1", "1.3"):
        one, two = (delta_of(x, mp.mpf(epsilon)) for x in (window, laplace_atoms(scale, s)))
        assert abs(one - two) < mp.mpf(10) ** -25


@settings(max_examples=20)
@given(st.fractions(Fraction(1, 10), 50, max_denominator=20), st.integers(1, 8), st.integers(1, 2))
def test_discrete_laplace_noise(scale: Fraction, s: int, times: int) -> None:
    loss, exact = repeated(discrete_laplace_loss(scale, s), times=times), laplace_atoms(scale, s)
    if times == 2:
        exact = together(exact, exact)
    assert never_below(loss, exact)
    assert near(loss, exact)
    assert least_is_below(loss, exact)


@pytest.mark.parametrize("s", [1 << 20, (1 << 20) + 1, 1 << 22])
def test_discrete_laplace_noise_of_a_huge_sensitivity_is_nearly_laplace(s: int) -> None:
    wide, real_noise = discrete_laplace_loss(s, s), laplace_loss(1)
    for epsilon in ("0", "0.2", "0.7", "0.99"):
        truth = real_laplace_delta(Fraction(1), Fraction(epsilon))
        found = wide.delta_at(epsilon)
        assert (
            exactly(truth) * (1 - Fraction(2, s))
            <= found
            <= exactly(truth) * (1 + Fraction(1, 10**4))
        )
        assert exactly(truth) <= real_noise.delta_at(epsilon)


def real_laplace_delta(size: Fraction, epsilon: Fraction) -> Anything:
    """Known in closed form: 1 - e^((epsilon - size) / 2) below the size."""
    return 1 - mp.exp((real(epsilon) - real(size)) / 2) if epsilon < size else mp.mpf(0)


@given(
    st.fractions(Fraction(1, 1000), 30, max_denominator=1000),
    st.fractions(0, 1, max_denominator=30),
)
def test_laplace_noise(size: Fraction, share: Fraction) -> None:
    loss, epsilon = laplace_loss(size), size * share
    truth = exactly(real_laplace_delta(size, epsilon))
    assert truth <= loss.delta_at(epsilon) + GUARD
    assert loss.delta_at(epsilon) <= exactly(
        real_laplace_delta(size, epsilon * (1 - TIGHT))
    ) + Fraction(1, 10**5)


def gaussian_atoms(variance: Fraction, s: int) -> Atoms:
    far = math.ceil(13 * math.sqrt(variance)) + 2
    weight = {
        z: mp.exp(-(mp.mpf(z) ** 2) / (2 * real(variance))) for z in range(-far - s, far + s + 1)
    }
    total = mp.fsum(weight.values())
    return [(weight[z] / total, weight[z - s] / total) for z in range(-far, far + s + 1)]


@pytest.mark.parametrize(
    ("variance", "s", "times"),
    [
        ("0.1", 1, 1),
        ("0.5", 1, 2),
        (1, 1, 2),
        (1, 3, 1),
        (4, 2, 2),
        ("9.7", 5, 1),
        (100, 1, 1),
        (100, 7, 1),
    ],
)
def test_discrete_gaussian_noise(variance: object, s: int, times: int) -> None:
    loss = repeated(discrete_gaussian_loss(variance, s), times=times)
    exact = gaussian_atoms(Fraction(variance), s)
    if times == 2:
        exact = together(exact, exact)
    for delta in ("1e-9", "1e-5", "0.01", "0.1"):
        truth = exactly(epsilon_of(exact, mp.mpf(delta)))
        assert truth - Fraction(1, 10**20) <= loss.epsilon_at(delta)
        assert loss.epsilon_at(delta) <= truth * (1 + TIGHT) + Fraction(1, 10**9)
        assert loss.least_epsilon_at(delta) <= truth
    for epsilon in ("0", "0.01", "0.1", "0.5", "1", "2.5"):
        assert exactly(delta_of(exact, mp.mpf(epsilon))) - Fraction(1, 10**25) <= loss.delta_at(
            epsilon
        )


@pytest.mark.parametrize("s", [1, 1000, 10**6])
@pytest.mark.parametrize("sigma", [110_000, 10**6, 10**9])
def test_wide_discrete_gaussian_noise_is_never_below_the_continuous_by_more_than_its_waves(
    sigma: int, s: int
) -> None:
    loss = discrete_gaussian_loss(sigma**2, s)
    mu = Fraction(s, sigma)
    for deviations in (0, 1, 3):
        epsilon = mu * deviations
        truth = exactly(gaussian_delta(real(mu), real(epsilon)))
        assert truth * (1 - Fraction(1, 10**6)) <= loss.delta_at(epsilon)


@pytest.mark.parametrize("mu", ["3", "1", "0.1", "1e-3", "1e-5", "1e-7"])
@pytest.mark.parametrize("times", [1, 10_000])
def test_gaussian_noise(mu: str, times: int) -> None:
    if times > 1 and Fraction(mu) > 1:
        return
    loss = repeated(to_numerical(GaussianLoss.of_mu(mu)), times=times)
    whole = mp.mpf(mu) * mp.sqrt(times)
    for deviations in ("0", "0.5", "1", "2", "4"):
        epsilon = exactly(whole * mp.mpf(deviations)).limit_denominator(10**30)
        truth = exactly(gaussian_delta(whole, real(epsilon)))
        assert truth * (1 - Fraction(1, 10**13)) <= loss.delta_at(epsilon)
        if Fraction(mu) >= Fraction(1, 1000):
            nearer = exactly(gaussian_delta(whole, real(epsilon * (1 - TIGHT))))
            assert loss.delta_at(epsilon) <= nearer * (1 + TIGHT)
    for delta in ("1e-9", "1e-5"):
        truth = GaussianLoss(Fraction(mu) ** 2 * times).epsilon_at(delta)
        assert loss.least_epsilon_at(delta) <= truth
        assert loss.epsilon_at(delta) >= truth * (1 - Fraction(1, 10**9))


def sampled_delta(sigma: float, rate: float, epsilon: Anything, *, forward: bool) -> Anything:
    """One sampled event, in closed form: the likelihood ratio rises with the answer."""
    s, q, odds = mp.mpf(sigma), mp.mpf(rate), mp.exp(epsilon)

    def mixture(x: Anything) -> Anything:
        return (1 - q) * mp.ncdf(x / s) + q * mp.ncdf((x - 1) / s)

    bar = (odds - (1 - q)) / q if forward else (1 / odds - (1 - q)) / q
    if bar <= 0:
        return 1 - odds if forward else mp.mpf(0)
    x = s * s * mp.log(bar) + mp.mpf(1) / 2
    if forward:
        return (1 - mixture(x)) - odds * mp.ncdf(-x / s)
    return mp.ncdf(x / s) - odds * mixture(x)


@pytest.mark.parametrize(
    ("sigma", "rate"),
    [
        ("1", "0.01"),
        ("0.5", "0.1"),
        ("2", "0.5"),
        ("1", "0.99"),
        ("10", "1e-4"),
        ("0.1", "0.01"),
        ("1", "1e-7"),
    ],
)
def test_one_sampled_gaussian(sigma: str, rate: str) -> None:
    loss = sampled_gaussian_loss(sigma, rate)
    spread = mp.mpf(rate) / mp.mpf(sigma)
    for share in ("0", "0.3", "1", "2", "5", "30"):
        epsilon = Fraction(mp.nstr(spread * mp.mpf(share), 12))
        both = [
            sampled_delta(mp.mpf(sigma), mp.mpf(rate), real(epsilon), forward=f)
            for f in (True, False)
        ]
        truth = exactly(max(mp.mpf(0), *both))
        found = loss.delta_at(epsilon)
        assert truth - Fraction(1, 10**45) <= found
        if truth > Fraction(1, 10**6):
            assert found <= truth * (1 + Fraction(1, 100)) + Fraction(1, 10**9)
    for delta in ("1e-3", "1e-6"):
        found = loss.epsilon_at(delta)
        if found:
            both = [
                sampled_delta(mp.mpf(sigma), mp.mpf(rate), real(found * (1 + 2 * TIGHT)), forward=f)
                for f in (True, False)
            ]
            less = [
                sampled_delta(
                    mp.mpf(sigma), mp.mpf(rate), real(loss.least_epsilon_at(delta)), forward=f
                )
                for f in (True, False)
            ]
            assert exactly(max(both)) <= Fraction(delta)
            assert loss.least_epsilon_at(delta) == 0 or exactly(max(less)) >= Fraction(delta)


def two_sampled(sigma: float, rate: float, epsilon: float, *, forward: bool) -> float:
    """Two events by a grid over the first answer and the closed form for the second."""
    x = np.linspace(-12 * sigma, 12 * sigma + 1, 400_001)
    zero = np.exp(-((x / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))
    mixed = zero * (1 - rate + rate * np.exp((2 * x - 1) / (2 * sigma**2)))
    ratio = np.log(mixed / zero) * (1 if forward else -1)
    odds = np.exp(epsilon - ratio)
    bar = (odds - (1 - rate)) / rate if forward else (1 / odds - (1 - rate)) / rate
    with np.errstate(divide="ignore"):
        cut = sigma**2 * np.log(np.maximum(bar, 0)) + 0.5
    at_zero = ndtr(cut / sigma)
    at_mixed = (1 - rate) * at_zero + rate * ndtr((cut - 1) / sigma)
    if forward:
        stick, weight = (1 - at_mixed) - odds * ndtr(-cut / sigma), mixed
    else:
        stick, weight = at_zero - odds * at_mixed, zero
    return float(np.trapezoid(np.maximum(stick, 0) * weight, x))


@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.1), (0.5, 0.3), (2.0, 0.9)])
def test_two_sampled_gaussians(sigma: float, rate: float) -> None:
    loss = repeated(sampled_gaussian_loss(sigma, rate), times=2)
    for epsilon in (0.0, 0.1, 0.4, 1.0, 2.0):
        truth = max(two_sampled(sigma, rate, epsilon, forward=f) for f in (True, False))
        assert truth * (1 - 1e-7) - 1e-13 <= loss.delta_at(epsilon)
        nearer = max(two_sampled(sigma, rate, epsilon * 0.999, forward=f) for f in (True, False))
        assert loss.delta_at(epsilon) <= nearer * 1.002 + 1e-9


@given(st.lists(PAIRS, min_size=3, max_size=3))
def test_numerical_losses_add_in_any_order(pairs: list) -> None:
    one, two, three = (finite_loss(*pair) for pair in pairs)
    for delta in ("1e-6", "0.05"):
        values = [
            x.epsilon_at(delta)
            for x in (one + two + three, three + (two + one), one + (three + two))
        ]
        assert max(values) - min(values) <= max(values) * 6 * TIGHT + Fraction(1, 10**9)


@settings(max_examples=15)
@given(PAIRS, st.integers(1, 3))
def test_epsilon_and_delta_are_inverse_and_fall(pair: tuple, times: int) -> None:
    loss = repeated(finite_loss(*pair), times=times)
    deltas = [Fraction(n, 40) for n in range(1, 40)]
    epsilons = [loss.epsilon_at(delta) for delta in deltas]
    assert all(a >= b for a, b in itertools.pairwise(epsilons))
    for delta, epsilon in zip(deltas, epsilons, strict=True):
        assert loss.delta_at(epsilon) <= delta * (1 + Fraction(1, 10**8))
        if epsilon > Fraction(1, 100):
            assert loss.delta_at(epsilon * (1 - TIGHT)) >= delta * (1 - Fraction(1, 10**6))


ATOMS = st.lists(st.tuples(st.floats(-3, 3), st.floats(1e-12, 1.0)), min_size=1, max_size=12)


def sticks(losses: Anything, chances: Anything) -> list[Anything]:
    """The hockey sticks of masses at losses, in sixty digits."""
    return [
        mp.fsum(
            mp.mpf(float(c)) * (1 - mp.exp(mp.mpf(n) / 16 - mp.mpf(float(x))))
            for x, c in zip(losses, chances, strict=True)
            if x > n / 16 and c > 0
        )
        for n in range(0, 100, 7)
    ]


def deltas_of(side: Masses) -> list[Anything]:
    told = mp.mpf(side.lost) + mp.mpf(side.infinite)
    return [told + stick for stick in sticks(side.losses, side.mass)]


def made(atoms: list[tuple[float, float]], fineness: int = 9) -> Masses:
    losses, weights = (np.array(x) for x in zip(*atoms, strict=True))
    return Masses.of_atoms(losses, weights / weights.sum(), fineness=fineness, most=math.inf)


def lowers_nothing(before: list[Anything], after: Masses) -> bool:
    return all(
        a <= b * (1 + mp.mpf(10) ** -40) for a, b in zip(before, deltas_of(after), strict=True)
    )


@settings(max_examples=15)
@given(ATOMS, st.integers(3, 8))
def test_coarser_grids_lower_no_delta(atoms: list, fineness: int) -> None:
    assert lowers_nothing(deltas_of(made(atoms)), made(atoms).coarser(fineness))


def exact_sum(one: Masses, two: Masses) -> list[Anything]:
    losses = np.add.outer(one.losses, two.losses).ravel()
    chances = [mp.mpf(float(a)) * mp.mpf(float(b)) for a in one.mass for b in two.mass]
    keep = [i for i, c in enumerate(chances) if c > 0]
    return [
        mp.fsum(
            chances[i] * (1 - mp.exp(mp.mpf(n) / 16 - mp.mpf(float(losses[i]))))
            for i in keep
            if losses[i] > n / 16
        )
        for n in range(0, 100, 7)
    ]


TINY = [(2.9, 1e-21), (-2.9, 1e-21), (2.5, 1e-19), (2.99, 3e-19)]


@settings(max_examples=10)
@given(ATOMS.map(lambda atoms: atoms[:4]), ATOMS.map(lambda atoms: atoms[:4]))
def test_sums_with_their_trimmed_tails_lower_no_delta(one: list, two: list) -> None:
    first, second = made([*one, *TINY], 4), made([*two, *TINY], 4)
    assert lowers_nothing(exact_sum(first, second), first + second)


@given(ATOMS)
def test_atoms_on_a_grid_have_no_smaller_delta_than_off_it(atoms: list) -> None:
    losses, weights = (np.array(x) for x in zip(*atoms, strict=True))
    chances = weights / weights.sum()
    side = made(atoms)
    for n in range(30):
        epsilon = n / 8 + 0.0123
        truth = mp.fsum(
            mp.mpf(float(c)) * max(mp.mpf(0), 1 - mp.exp(mp.mpf(epsilon) - mp.mpf(float(x))))
            for x, c in zip(losses, chances, strict=True)
        )
        assert exactly(truth) <= NumericalLoss(side, side).delta_at(Fraction(epsilon)) + GUARD


def test_what_has_no_numerical_loss_and_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(NoTheoremError):
        to_numerical(ConcentratedLoss(1))
    asked_of = [
        laplace_loss,
        lambda bad: discrete_laplace_loss(bad, 1),
        lambda bad: discrete_gaussian_loss(bad, 1),
        lambda bad: sampled_gaussian_loss(bad, "0.1"),
        lambda bad: sampled_gaussian_loss(1, bad),
        lambda bad: discrete_laplace_loss(1, bad),
        lambda bad: discrete_gaussian_loss(1, bad),
    ]
    for asked in asked_of:
        for bad in (0, -1, float("nan"), None, "x"):
            with pytest.raises(InvalidArgumentError):
                asked(bad)
    loss = laplace_loss(1)
    for asked in (
        lambda: loss.delta_at(-1),
        lambda: loss.epsilon_at(1),
        lambda: loss.epsilon_at(-1),
        lambda: loss.least_epsilon_at(1),
    ):
        with pytest.raises(InvalidArgumentError):
            asked()
    with pytest.raises(TypeError):
        loss + PureLoss(1)


@pytest.mark.parametrize("delta", ["0", "1e-320", "1e-400"])
def test_the_least_epsilon_has_an_answer_at_every_delta(delta: str) -> None:
    assert 0 <= laplace_loss(1).least_epsilon_at(delta) <= 1


@pytest.mark.parametrize("noise", ["0.02", "0.004", "1e-9", "1e9", "1e300", "1e-400"])
def test_sampled_gaussians_of_any_size_answer_or_refuse_on_purpose(noise: str) -> None:
    try:
        loss = sampled_gaussian_loss(noise, "0.01")
    except InvalidArgumentError:
        return
    assert 0 <= loss.delta_at(1) <= 1


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-30", "100", "1000", "1e5"])
def test_pure_losses_of_any_size_answer(epsilon: str) -> None:
    loss = repeated(to_numerical(PureLoss(epsilon)), times=3)
    assert loss.epsilon_at(0) >= 3 * Fraction(epsilon)
    assert loss.epsilon_at(0) <= 3 * Fraction(epsilon) * (1 + TIGHT) + Fraction(1, 10**11)
    assert loss.delta_at(4 * Fraction(epsilon)) == 0
    truth = optimal_delta(Fraction(epsilon))
    assert loss.delta_at(Fraction(epsilon) / 2) >= truth


def optimal_delta(epsilon: Fraction) -> Fraction:
    """The delta of three responses at half of one epsilon, by their four numbers of lies."""
    e = real(epsilon)
    truth = 1 / (1 + mp.exp(-e))
    lie = 1 / (1 + mp.exp(e))
    atoms = [
        (w * truth ** (3 - k) * lie**k, w * lie ** (3 - k) * truth**k)
        for k, w in enumerate((1, 3, 3, 1))
    ]
    return exactly(mp.fsum(max(mp.mpf(0), a - mp.exp(e / 2) * b) for a, b in atoms)) * (
        1 - Fraction(1, 10**30)
    )


THIRDS = ({0: Fraction(2, 3), 1: Fraction(1, 3)}, {0: Fraction(2, 7), 1: Fraction(5, 7)})


def thirds(times: int = 3) -> tuple[NumericalLoss, Atoms]:
    exact = atoms_of(*THIRDS)
    for _ in range(times - 1):
        exact = together(exact, atoms_of(*THIRDS))
    return repeated(finite_loss(*THIRDS), times=times), exact


def test_planted_rounding_losses_down_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert never_below(*thirds())
    original = np.expm1
    monkeypatch.setattr(masses.np, "expm1", lambda x: original(x) * (0.0 if np.ndim(x) else 1.0))
    monkeypatch.setattr(masses, "SPLIT", 0.0)
    assert not never_below(*thirds())


def test_planted_one_direction_for_both_is_found() -> None:
    loss = sampled_gaussian_loss("0.5", "0.9")
    one = NumericalLoss(loss.forward, loss.forward)
    other = NumericalLoss(loss.backward, loss.backward)
    wrong = 0
    for epsilon in ("0.1", "0.5", "1", "2"):
        truth = max(
            sampled_delta(mp.mpf("0.5"), mp.mpf("0.9"), mp.mpf(epsilon), forward=f)
            for f in (True, False)
        )
        wrong += exactly(truth) > min(one.delta_at(epsilon), other.delta_at(epsilon))
        assert exactly(truth) <= loss.delta_at(epsilon)
    assert wrong > 0


def test_planted_dropping_the_charged_errors_is_found() -> None:
    first, second = made([(0.5, 1.0), (-0.5, 1.0), (2.9, 4e-19)], 4), made([(1.0, 1.0), *TINY], 4)
    exact, total = exact_sum(first, second), first + second
    assert lowers_nothing(exact, total)
    short = total.mass.copy()
    short[-1] = 0.0
    assert not lowers_nothing(exact, masses.replace(total, mass=short, lost=0.0))


def test_planted_a_forgotten_infinite_loss_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    mine, theirs = {0: Fraction(1, 2), 1: Fraction(1, 2)}, {0: Fraction(1)}
    assert finite_loss(mine, theirs).delta_at(1) >= Fraction(1, 2)
    monkeypatch.setattr(numerical, "_told", lambda _: 0.0)
    assert finite_loss(mine, theirs).delta < Fraction(1, 2)
    assert least_factor(mine, theirs, delta=Fraction(1, 4))[0] is None


def test_planted_a_least_without_its_drift_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    loss, exact = thirds(2)
    assert least_is_below(loss, exact)
    for side in (loss.forward, loss.backward):
        object.__setattr__(side, "wobble", 0.0)
    monkeypatch.setattr(
        numerical,
        "_least",
        lambda side, delta: numerical.round_down(
            Fraction(numerical._epsilon_at(side, delta) * 1.0001)
        ),
    )
    assert not least_is_below(loss, exact)
    assert dominating.POINTS > 0
