"""How far one row can move the usual statistics, exactly, under each of the two neighborhoods.

Rule 1: a range or size that is missing makes the move infinite, and is refused rather than guessed.
"""

from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError, UnboundedSensitivityError
from differential_privacy.exact import Number, integer, rational
from differential_privacy.privacy.sensitivity import Sensitivity
from differential_privacy.privacy.units import AddRemoveRows, ChangeRows

__all__ = [
    "count_sensitivity",
    "histogram_sensitivity",
    "mean_sensitivity",
    "median_sensitivity",
    "sum_sensitivity",
    "variance_sensitivity",
]

Rows = AddRemoveRows | ChangeRows


def count_sensitivity() -> Sensitivity:
    """The move of a count of the rows that meet a condition.

    Theorem: one row meets it or not, so the count moves by one at most, under either neighborhood.
    """
    return Sensitivity(1)


def histogram_sensitivity(unit: Rows) -> Sensitivity:
    """The move of the counts of bins of which each row falls into one.

    Theorem: a row that comes or goes moves one bin by one; a row that changes may leave one bin and
    enter another.

    >>> histogram_sensitivity(AddRemoveRows()), histogram_sensitivity(ChangeRows())
    (Sensitivity(l1=1, l2_squared=1, most=1), Sensitivity(l1=2, l2_squared=2, most=1))
    """
    return Sensitivity(2 if _changes(unit) else 1, most=1)


def sum_sensitivity(lower: Number | None, upper: Number | None, unit: Rows) -> Sensitivity:
    """The move of a sum of values from `lower` to `upper`.

    Theorem: a row that comes or goes moves the sum by its value; a row that changes moves it by the
    difference of two values.

    >>> sum_sensitivity(-2, 10, AddRemoveRows()), sum_sensitivity(-2, 10, ChangeRows())
    (Sensitivity(l1=10, l2_squared=100, most=10), Sensitivity(l1=12, l2_squared=144, most=12))
    """
    low, high = _range(lower, upper)
    return Sensitivity(high - low if _changes(unit) else max(abs(low), abs(high)))


def mean_sensitivity(lower: Number | None, upper: Number | None, *, rows: int) -> Sensitivity:
    """The move of a mean of a public number of rows, when one of them changes.

    Theorem: the mean is the sum over n, so it moves by (upper - lower) / n at most.
    """
    low, high = _range(lower, upper)
    return Sensitivity((high - low) / integer(rows, "rows", least=1))


def median_sensitivity(lower: Number | None, upper: Number | None) -> Sensitivity:
    """The move of a median in the worst case: the whole range, under either neighborhood.

    Theorem: with all other rows split evenly between the two ends, one row decides the median.
    """
    low, high = _range(lower, upper)
    return Sensitivity(high - low)


def variance_sensitivity(
    lower: Number | None, upper: Number | None, *, rows: int, sample: bool = False
) -> Sensitivity:
    """The move of a variance of a public number of rows, when one of them changes.

    Theorem: as a function of one value x the variance of n rows is a constant plus
    (n - 1) (x - m)^2 / n^2, with m the mean of the others. The square moves by at most
    (upper - lower)^2, reached with all others at one end, so the variance moves by
    (n - 1) / n^2 of that, and the sample variance, n / (n - 1) times as large, by 1 / n.

    >>> variance_sensitivity(0, 1, rows=10), variance_sensitivity(0, 1, rows=10, sample=True).l1
    (Sensitivity(l1=0.09, l2_squared=0.0081, most=0.09), Fraction(1, 10))
    """
    low, high = _range(lower, upper)
    n = integer(rows, "rows", least=2)
    share = Fraction(1, n) if sample else Fraction(n - 1, n * n)
    return Sensitivity(share * (high - low) ** 2)


def _changes(unit: Rows) -> bool:
    known = {AddRemoveRows: False, ChangeRows: True}
    if type(unit) not in known:
        rule = "must be AddRemoveRows() or ChangeRows(): a person's or group's rows must be bounded"
        raise InvalidArgumentError("unit", unit, rule)
    return known[type(unit)]


def _range(lower: Number | None, upper: Number | None) -> tuple[Fraction, Fraction]:
    if lower is None or upper is None:
        name = "lower" if lower is None else "upper"
        raise UnboundedSensitivityError(
            name, None, "must be given: one row could move this without limit"
        )
    low, high = rational(lower, "lower"), rational(upper, "upper")
    if low > high:
        raise InvalidArgumentError("lower", lower, "must not be above upper")
    return low, high
