"""How far off an answer is as an estimate for more people than were asked: the sampling error.

It is told where each person has one row, so that rows are as independent as people are. It is
estimated from noisy numbers alone, and is not part of the error bars, which are about the noise.
"""

import math
from fractions import Fraction

import numpy as np

from differential_privacy.queries import Linear, Output, Ratio, Way
from differential_privacy.queries.measures import linear
from differential_privacy.release.cells import Cells, Floats

__all__ = ["sampling_error"]

COUNTS = (Way.ROWS, Way.COUNT, Way.PEOPLE)


def sampling_error(cells: Cells, output: Output, deviations: float) -> Floats | None:
    """So many standard deviations of the sampling error, in each group; None where it is not told.

    Theorem: counts of independent people vary with a variance of at most their mean, and means of n
    values from a to b with one of at most (b - a)^2 / (4 n).

    Reference: Popoviciu 1935, for the variance of bounded values.
    """
    if cells.plan.reach.rows != cells.plan.reach.unit:
        return None
    if isinstance(output, Linear) and all(exact.way in COUNTS for exact, _ in output.terms):
        return deviations * np.sqrt(_count_variance(cells, output))
    if isinstance(output, Ratio) and output.low is not None and output.high is not None:
        rows = np.maximum(cells.sums(output.bottom), 1.0)
        return deviations * float(output.high - output.low) / 2 / np.sqrt(rows)
    return None


def _count_variance(cells: Cells, output: Linear) -> Floats:
    total = np.zeros(cells.size)
    for exact, times in output.terms:
        count = cells.sums(linear(exact, Fraction(1)))
        total = total + float(times) ** 2 * np.maximum(count, 0.0)
    return total if output.terms else np.full(cells.size, math.nan)
