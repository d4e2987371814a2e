"""Numerical losses of single releases: for each, the worst pair of laws that an answer can have.

Rule 1: the pair is worst among all neighbors by the theorem named; cells keep both their masses.
"""

import math
from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import singledispatch

import numpy as np

from differential_privacy.accounting.masses import ROUNDING, Floats, Masses
from differential_privacy.accounting.numerical import NumericalLoss
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.exact import (
    Number,
    float_up,
    integer,
    log,
    normal_tail,
    open_probability,
    positive,
    probability,
)
from differential_privacy.privacy import ApproximateLoss, GaussianLoss, PureLoss

__all__ = [
    "discrete_gaussian_loss",
    "discrete_laplace_loss",
    "finite_loss",
    "laplace_loss",
    "sampled_gaussian_loss",
    "to_numerical",
]

POINTS = 1024
"""Steps of the grid within the spread of a single loss."""

REACH = 10.0
"""Standard deviations of a normal that are told apart: beyond lies less than 1e-22."""

MOST_ATOMS = 1 << 20
"""Atoms kept one by one: beyond, those of a cell are put together, which keeps both its masses."""

BEYOND = 1e-22
"""Charged for what lies beyond the reach."""

LEAST_SPREAD = 1e-9
"""Smaller losses are taken on the grid of this one."""

LARGEST_LOSS = 1 << 20
LARGEST_MU = 1 << 8
LARGEST_MOVE = 1 << 4
MOST_NOISE = 1 << 40
MOST_CELLS = 1 << 20
MOST_SCALE = Fraction(1 << 500)
CELL_SPLIT = 2.0**-18
"""By how much the share that a cell sends up is raised: its masses are differences of floats."""


@singledispatch
def to_numerical(loss: object) -> NumericalLoss:
    """The numerical loss of the worst release that has this loss.

    >>> to_numerical(PureLoss(0.1)).epsilon_at(0) < Fraction(1001, 10000)
    True
    """
    raise NoTheoremError("a numerical loss", loss, ["PureLoss", "ApproximateLoss", "GaussianLoss"])


@to_numerical.register
def _(loss: NumericalLoss) -> NumericalLoss:
    return loss


@to_numerical.register
def approximate_to_numerical(loss: ApproximateLoss) -> NumericalLoss:
    """Theorem: the worst tells everything with chance delta, and else is randomized response.

    Reference: Kairouz, Oh, Viswanath 2015 (1311.0776v3), theorem 3.1.
    """
    epsilon = float(_protecting(loss.epsilon, "epsilon", LARGEST_LOSS))
    truth = 1 / (1 + math.exp(-epsilon))
    chances = (1 - float(loss.delta)) * np.array([1 - truth, truth])
    masses = Masses.of_atoms(
        np.array([-epsilon, epsilon]),
        chances,
        fineness=_fineness(epsilon),
        most=float_up(loss.epsilon),
        infinite=float_up(loss.delta),
    )
    return NumericalLoss(masses, masses)


@to_numerical.register
def pure_to_numerical(loss: PureLoss) -> NumericalLoss:
    """Theorem: the worst release of a pure loss is randomized response at its epsilon."""
    return approximate_to_numerical(ApproximateLoss(loss.epsilon, 0))


@to_numerical.register
def gaussian_to_numerical(loss: GaussianLoss) -> NumericalLoss:
    """Theorem: the log ratio of two normals mu apart is normal as well, of deviation mu.

    Its mean is mu^2 / 2 under the one and -mu^2 / 2 under the other.
    """
    mu = max(LEAST_SPREAD, math.sqrt(_protecting(loss.mu_squared, "mu_squared", LARGEST_MU**2)))
    fineness = _fineness(2 * mu)
    edges = _edges(mu * mu / 2 - REACH * mu, mu * mu / 2 + REACH * mu, fineness)
    mine = _normal_cells(edges / mu - mu / 2)
    theirs = _normal_cells(edges / mu + mu / 2)
    masses = _of_cells(edges, mine, theirs, fineness=fineness)
    return NumericalLoss(masses, masses)


def laplace_loss(epsilon: Number) -> NumericalLoss:
    """Laplace noise on reals of scale sensitivity / epsilon: less than the worst of its epsilon.

    Theorem: for a move of d scales the log ratio is d with chance 1/2, -d with chance e^-d / 2, and
    between them has density e^((l-d)/2) / 4; a smaller move is post-processing of this one.
    """
    exact = _protecting(positive(epsilon, "epsilon"), "epsilon", LARGEST_LOSS)
    most = float(exact)
    fineness = _fineness(most)
    edges = np.unique(np.clip(_edges(-most, most, fineness), -most, most))
    middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    # A part of a cell, from l to l + w, has masses whose log ratio is l + w / 2, exactly.
    inner = np.exp((middle - most) / 2) * np.sinh(width / 4)
    losses = np.concatenate(([-most], middle, [most]))
    chances = np.concatenate(([math.exp(-most) / 2], inner, [0.5]))
    masses = Masses.of_atoms(losses, chances, fineness=fineness, most=float_up(exact))
    return NumericalLoss(masses, masses)


def discrete_laplace_loss(scale: Number, sensitivity: int) -> NumericalLoss:
    """Discrete Laplace noise on an integer that one unit moves by `sensitivity` at most.

    Theorem: noise z against z - s has log ratio (s - 2z) / b for z from 0 to s, and stays at its
    ends beyond; a smaller move has a smaller hockey stick everywhere, as noise is log-concave.
    With s = 1 this is randomized response: the worst of its epsilon.

    >>> discrete_laplace_loss(10, 1)
    NumericalLoss(epsilon=0.1 at delta=1e-06)
    """
    exact, s = positive(scale, "scale"), integer(sensitivity, "sensitivity", least=1)
    # Less noise than there is can only make the loss larger.
    b = float(min(exact, MOST_SCALE))
    most = float(_protecting(s / exact, "sensitivity / scale", LARGEST_LOSS))
    fineness = _fineness(most)
    rate = math.exp(-1 / b)
    # Runs of inner points: one point each where there are few, one cell of the grid each where not.
    starts = np.arange(1, s) if s <= MOST_ATOMS else _run_starts(s, b, fineness)
    ends = np.append(starts[1:], float(s))
    # A run z1 ... z2 - 1 has masses in proportion to rate^z1 and rate^(s - z2 + 1).
    inner = np.exp(-starts / b) * -np.expm1((starts - ends) / b) / (1 + rate)
    losses = np.concatenate(([most], (s - starts - ends + 1) / b, [-most]))
    chances = np.concatenate(([1 / (1 + rate)], inner, [math.exp(-most) / (1 + rate)]))
    masses = Masses.of_atoms(losses, chances, fineness=fineness, most=most * (1 + 4 * ROUNDING))
    return NumericalLoss(masses, masses)


def discrete_gaussian_loss(variance: Number, sensitivity: int) -> NumericalLoss:
    """Discrete Gaussian noise on one integer that one unit moves by `sensitivity` at most.

    Theorem: noise z against z - s has log ratio (s^2 - 2 z s) / (2 variance).

    Reference: Canonne, Kamath, Steinke 2020 (2004.00010v5), theorem 7, which is its hockey stick.

    >>> discrete_gaussian_loss(100, 1)
    NumericalLoss(epsilon=0.3968 at delta=1e-06)
    """
    exact, s = positive(variance, "variance"), integer(sensitivity, "sensitivity", least=1)
    _protecting(s**2 / exact, "sensitivity^2 / variance", LARGEST_MU**2)
    v = float(min(exact, MOST_SCALE))
    sigma, mu = math.sqrt(v), s / math.sqrt(v)
    fineness = _fineness(2 * mu)
    far = math.ceil(REACH * sigma) + 1
    if far <= MOST_ATOMS:
        noise = np.arange(-far, far + 1, dtype=np.float64)
        chances = np.exp(-(noise**2) / (2 * v))
        losses = (s - 2 * noise) * (s / (2 * v))
        masses = Masses.of_atoms(
            losses, chances / chances.sum(), fineness=fineness, most=math.inf, lost=BEYOND
        )
        return NumericalLoss(masses, masses)
    # In noise this wide the points of a cell are as good as an interval between half-integers: a
    # relative 1e-8 is the most they differ, far less than what cells are raised by.
    edges = _edges(mu * mu / 2 - REACH * mu, mu * mu / 2 + REACH * mu, fineness)
    last = np.ceil(s / 2 - edges * (v / s)) - 0.5
    mine, theirs = _normal_cells(-last / sigma), _normal_cells((s - last) / sigma)
    masses = _of_cells(edges, mine, theirs, fineness=fineness)
    return NumericalLoss(masses, masses)


def sampled_gaussian_loss(noise: Number, rate: Number) -> NumericalLoss:
    """Gaussian noise of `noise` times the sensitivity on a sum over a Poisson sample of the rows.

    Theorem: with the unit the answer is a mixture, of the normal that is moved by one with weight
    `rate` and else of the one at zero; this pair and its reverse are the worst of all neighbors.

    Reference: Zhu, Dong, Wang 2022 (2106.08567v4), theorem 11, with Mironov 2017.

    >>> repeated(sampled_gaussian_loss(1, 0.01), times=1000)
    NumericalLoss(epsilon=2.125 at delta=1e-06)
    """
    exact, share = positive(noise, "noise"), float(open_probability(rate, "rate"))
    _protecting(1 / exact, "1 / noise", LARGEST_MOVE)
    sigma = float(min(exact, Fraction(MOST_NOISE)))
    spread = share * math.sqrt(math.expm1(min(sigma**-2, 50.0)))
    fineness = _fineness(16 * min(spread, 1.0))
    furthest = REACH * sigma + 1
    lowest, highest = (
        math.log1p(share * math.expm1((2 * answer - 1) / (2 * sigma**2)))
        for answer in (-furthest, furthest)
    )
    # Rare samples have a small spread and a long tail: the grid must not grow without end.
    fineness = min(fineness, math.floor(math.log2(MOST_CELLS / (highest - lowest))))
    edges = _edges(lowest, highest, fineness)
    odds = (np.exp(edges) - (1 - share)) / share
    with np.errstate(divide="ignore"):
        answers = sigma**2 * np.log(np.maximum(odds, 0.0)) + 0.5
    at_zero = _normal_cells(answers / sigma)
    mixed = (1 - share) * at_zero + share * _normal_cells((answers - 1) / sigma)
    forward = _of_cells(edges, mixed, at_zero, fineness=fineness)
    backward = _of_cells(-edges[::-1], at_zero[::-1], mixed[::-1], fineness=fineness)
    return NumericalLoss(forward, backward)


def finite_loss(
    mine: Mapping[Hashable, Number], theirs: Mapping[Hashable, Number]
) -> NumericalLoss:
    """The loss of a mechanism known by the probabilities of its outputs for the worst two inputs.

    >>> finite_loss({"yes": "3/4", "no": "1/4"}, {"yes": "1/4", "no": "3/4"})
    NumericalLoss(epsilon=1.099 at delta=1e-06)
    """
    one, two = _law(mine, "mine"), _law(theirs, "theirs")
    return NumericalLoss(_finite_masses(one, two), _finite_masses(two, one))


def _law(given: Mapping[Hashable, Number], name: str) -> dict[Hashable, Fraction]:
    law = {output: probability(chance, name) for output, chance in given.items()}
    if sum(law.values()) != 1:
        raise InvalidArgumentError(name, given, "must be probabilities that sum to 1")
    return law


def _finite_masses(mine: dict[Hashable, Fraction], theirs: dict[Hashable, Fraction]) -> Masses:
    shared = [output for output, chance in mine.items() if chance and theirs.get(output)]
    if not shared:
        raise InvalidArgumentError("theirs", theirs, "must share an output with the other")
    ratios = [log(mine[output] / theirs[output]) for output in shared]
    told = 1 - sum((mine[output] for output in shared), start=Fraction(0))
    losses = np.array([float(ratio.high) for ratio in ratios])
    return Masses.of_atoms(
        losses,
        np.array([float_up(mine[output]) for output in shared]),
        fineness=_fineness(float(np.abs(losses).max())),
        most=float_up(max(ratio.high for ratio in ratios)),
        infinite=float_up(told),
    )


def _protecting(value: Fraction, name: str, most: int) -> Fraction:
    """A loss that still protects: beyond, the grid would be long and say nothing."""
    if value > most:
        raise InvalidArgumentError(
            name, value, f"must be at most {most}: beyond, nothing is hidden"
        )
    return value


def _fineness(spread: float) -> int:
    """So many halvings of one that the grid has `POINTS` steps within the spread of a loss."""
    return math.ceil(math.log2(POINTS / max(spread, LEAST_SPREAD)))


def _edges(low: float, high: float, fineness: int) -> Floats:
    step = math.ldexp(1.0, -fineness)
    points = np.arange(math.floor(low / step), math.ceil(high / step) + 1, dtype=np.float64)
    return points * step


def _normal_cells(edges: Floats) -> Floats:
    """The chance of a standard normal in each cell, from the tails beyond its ends."""
    tails = normal_tail(np.abs(edges))
    around_zero = (edges[:-1] < 0) & (edges[1:] > 0)
    inside = np.where(around_zero, 1 - tails[:-1] - tails[1:], np.abs(np.diff(tails)))
    return np.asarray(inside, dtype=np.float64)


def _of_cells(edges: Floats, mine: Floats, theirs: Floats, *, fineness: int) -> Masses:
    """Cells of the grid by their masses; what lies below is taken for the lowest loss."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(mine / theirs)
    inside = np.clip(np.where(np.isnan(ratio), edges[1:], ratio), edges[:-1], edges[1:])
    below = max(0.0, 1.0 - float(mine.sum()))
    losses = np.concatenate(([edges[0]], inside))
    chances = np.concatenate(([below], mine))
    return Masses.of_atoms(
        losses, chances, fineness=fineness, most=math.inf, lost=BEYOND, split=CELL_SPLIT
    )


def _run_starts(sensitivity: int, scale: float, fineness: int) -> Floats:
    """The first inner point of discrete Laplace noise in each cell of the grid."""
    most = sensitivity / scale
    edges = _edges(-most, most, fineness)
    firsts = np.unique(np.clip(np.ceil((sensitivity - edges * scale) / 2), 1, sensitivity))
    return firsts[:-1] if firsts[-1] == sensitivity else firsts
