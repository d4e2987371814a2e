"""The exact law of a release, how far two laws are apart, and whether draws have a law."""

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, singledispatch
from typing import Any

import numpy as np
from scipy.stats import chi2
from tests.mechanisms.cases import Case, Exact, Output

from differential_privacy.exact import Interval, exp
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss

FALSE_ALARM = 1e-9
"""How often a statistical test fails by bad luck."""

DRAWS = int(os.environ.get("DP_DRAWS", "200000"))
FEWEST_EXPECTED = 25
ORDERS = (1.1, 1.5, 2, 3, 4, 8)
"""Of Renyi divergences: at the whole ones the discrete Gaussian attains its rho exactly."""

EPSILONS = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
ROUNDING = 1e-9
"""Relative; more than floats lose in a sum over the outputs."""

Law = Mapping[Output, Interval]


def law(case: Case, exact: Exact) -> Law:
    """The chance of each output that the case names."""
    return _law(case.chance, case.mechanism, case.outputs, exact)


@cache
def _law(chance: Any, mechanism: Any, outputs: tuple[Output, ...], exact: Exact) -> Law:
    return {output: chance(mechanism, output, exact) for output in outputs}


def total(chances: Law) -> Interval:
    return sum(chances.values(), start=Interval.of(0))


def log_of(x: Fraction) -> float:
    """A logarithm in floats, also where x itself is too small for one."""
    return math.log(x.numerator) - math.log(x.denominator)


def log_ratio(one: Law, other: Law) -> float:
    """The largest log ratio of the chances of an output, as surely as the enclosures tell."""
    return max(log_of(one[o].low) - log_of(other[o].high) for o in one if one[o].low > 0)


def renyi(one: Law, other: Law, order: float) -> float:
    """The Renyi divergence, by floats, of what the window holds."""
    terms = [
        order * log_of(chance.high) + (1 - order) * log_of(other[output].high)
        for output, chance in one.items()
    ]
    most = max(terms)
    return (most + math.log(sum(math.exp(term - most) for term in terms))) / (order - 1)


def hockey_stick(one: Law, other: Law, epsilon: Fraction) -> Fraction:
    """The delta at an epsilon: at least this."""
    factor = exp(epsilon).high
    gains = (one[output].low - factor * other[output].high for output in one)
    return sum((gain for gain in gains if gain > 0), start=Fraction(0))


@singledispatch
def assert_apart_at_most(loss: Any, one: Law, other: Law) -> None:
    """One way round."""
    raise NotImplementedError(type(loss))


@assert_apart_at_most.register
def _(loss: PureLoss, one: Law, other: Law) -> None:
    factor = exp(loss.epsilon).high
    for output, chance in one.items():
        assert chance.low <= factor * other[output].high, (output, loss)


@assert_apart_at_most.register
def _(loss: ApproximateLoss, one: Law, other: Law) -> None:
    for epsilon in (Fraction(0), *EPSILONS, loss.epsilon):
        assert hockey_stick(one, other, epsilon) <= loss.delta_at(epsilon), (epsilon, loss)


@assert_apart_at_most.register
def _(loss: ConcentratedLoss, one: Law, other: Law) -> None:
    # But for the delta, of which a divergence knows nothing.
    for order in ORDERS if not loss.delta else ():
        assert renyi(one, other, order) <= float(loss.rho) * order * (1 + ROUNDING), (order, loss)
    for epsilon in EPSILONS:
        assert hockey_stick(one, other, epsilon) <= loss.delta_at(epsilon), (epsilon, loss)


def luck(drawn: Iterable[Output], chances: Law) -> float:
    """The probability of a chi-square as large as that of the draws, if they have this law.

    What is drawn but not named by the law counts as one more output.
    """
    counts = Counter(drawn)
    draws = counts.total()
    weights = {output: float(chance.high) for output, chance in chances.items()}
    cells = [(weight * draws, counts.pop(output, 0)) for output, weight in weights.items()]
    cells.append((max(0.0, 1 - math.fsum(weights.values())) * draws, counts.total()))
    if any(count and not expected for expected, count in cells):
        return 0.0
    merged, wanted, seen = [], 0.0, 0
    # Not by the counts: rare outputs of equal chance would be merged with others as lucky.
    for expected, count in sorted(cells, key=lambda cell: -cell[0]):
        wanted, seen = wanted + expected, seen + count
        if wanted >= FEWEST_EXPECTED:
            merged.append((wanted, seen))
            wanted, seen = 0.0, 0
    merged[-1] = (merged[-1][0] + wanted, merged[-1][1] + seen)
    table = np.array(merged)
    statistic = ((table[:, 1] - table[:, 0]) ** 2 / table[:, 0]).sum()
    return float(chi2.sf(statistic, max(1, len(merged) - 1)))
