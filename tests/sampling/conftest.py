"""What the tests of draws share: a number of draws, bits of one's own, and one chi-square test.

Every statistical test here fails by bad luck with probability FALSE_ALARM at most, per test.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

FALSE_ALARM = 1e-9
DRAWS = int(os.environ.get("DP_DRAWS", "1000000"))
BATCH = 1_000_000
SLOW = 20
"""Draws one by one are this many times fewer, so that the tests take seconds."""

FEWEST_EXPECTED = 25

GRID = (0.05, 0.15, 0.3, 0.5, 0.75, 1.0, 1.4, 1.8, 2.4, 3.2, 4.5)
"""Where cells end, in scales from zero on both sides."""


@dataclass(frozen=True)
class Cells:
    """A law on the integers, cut into runs: run i ends at ends[i], the last has no end."""

    ends: NDArray[np.int64]
    odds: NDArray[np.float64]

    def count(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(np.searchsorted(self.ends, drawn), minlength=self.odds.size)


def cells(cdf: Callable[[int], mpmath.mpf], scale: float) -> Cells:
    steps = sorted({max(1, round(scale * place)) for place in GRID})
    ends = [-step - 1 for step in reversed(steps)] + [-1, 0] + steps
    below = [mpmath.mpf(0), *(cdf(end) for end in ends), mpmath.mpf(1)]
    odds = [float(after - before) for before, after in pairwise(below)]
    return Cells(np.array(ends), np.array(odds))


def laplace_cells(scale: Fraction) -> Cells:
    with mpmath.workdps(60):
        q = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)

        def cdf(x: int) -> mpmath.mpf:
            return q ** (-x) / (1 + q) if x < 0 else 1 - q ** (x + 1) / (1 + q)

        return cells(cdf, float(scale))


def gaussian_cells(variance: Fraction) -> Cells:
    with mpmath.workdps(40):
        exact = mpmath.mpf(variance.numerator) / variance.denominator
        scale = float(mpmath.sqrt(exact))
        if scale > 1000:
            # By Poisson's summation, a sum over a run this long is an integral from middle to
            # middle, but for a part in 24 scale^2.
            return cells(lambda x: mpmath.ncdf((x + mpmath.mpf("0.5")) / scale), scale)
        reach = int(14 * scale) + 14
        weights = [mpmath.exp(-(x * x) / (2 * exact)) for x in range(-reach, reach + 1)]
        total = mpmath.fsum(weights)
        reached = [mpmath.mpf(0)]
        for weight in weights:
            reached.append(reached[-1] + weight / total)
        return cells(lambda x: reached[min(x + reach + 1, len(weights))], scale)


def counted(
    law: Cells, draw: Callable[[int], NDArray[np.int64]], draws: int = DRAWS
) -> NDArray[np.int64]:
    """How many of the draws fall into each cell, made in batches that fit in memory."""
    counts = np.zeros(law.odds.size, dtype=np.int64)
    for start in range(0, draws, BATCH):
        counts += law.count(draw(min(BATCH, draws - start)))
    return counts


def luck(counts: NDArray[np.int64], odds: Sequence[float] | NDArray[np.float64]) -> float:
    """The probability of a chi-square as large as that of the counts, if the odds are true."""
    expected = np.asarray(odds) * counts.sum()
    merged_counts, merged_expected, count, weight = [], [], 0, 0.0
    for place in np.argsort(-expected):
        count, weight = count + int(counts[place]), weight + float(expected[place])
        if weight >= FEWEST_EXPECTED:
            merged_counts.append(count)
            merged_expected.append(weight)
            count, weight = 0, 0.0
    merged_counts[-1] += count
    merged_expected[-1] += weight
    observed, wanted = np.array(merged_counts), np.array(merged_expected)
    return float(chi2.sf(((observed - wanted) ** 2 / wanted).sum(), observed.size - 1))


def luck_of_two(first: NDArray[np.int64], second: NDArray[np.int64]) -> float:
    """The probability that counts of one law differ so much."""
    enough = first + second >= 4 * FEWEST_EXPECTED
    first, second = first[enough], second[enough]
    ratio = np.sqrt(first.sum() / second.sum())
    statistic = ((first / ratio - second * ratio) ** 2 / (first + second)).sum()
    return float(chi2.sf(statistic, first.size - 1))


class FixedBits:
    """Hands out given octets once and fails when there are no more."""

    def __init__(self, octets: bytes) -> None:
        self.left = octets

    def octets(self, count: int) -> NDArray[np.uint8]:
        assert count <= len(self.left), "the bits are exhausted"
        handed, self.left = self.left[:count], self.left[count:]
        return np.frombuffer(handed, np.uint8)


class ScriptedBits:
    """Answers each call by the next of some functions of the count, and later ones by the last."""

    def __init__(self, *answers: Callable[[int], bytes]) -> None:
        self.answers = list(answers)

    def octets(self, count: int) -> NDArray[np.uint8]:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        handed = np.frombuffer(answer(count), np.uint8)
        assert handed.size == count
        return handed
