"""Numbers that are not rational, held between two rationals that enclose them.

Rule 1: whatever is done to an interval, the true value stays inside.
"""

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Interval"]


@dataclass(frozen=True, slots=True)
class Interval:
    """A real number known to lie from `low` to `high`.

    >>> Interval.of(2) * Interval(Fraction(1, 3), Fraction(1, 2)) - 1
    Interval(low=Fraction(-1, 3), high=Fraction(0, 1))
    """

    low: Fraction
    high: Fraction

    @staticmethod
    def of(value: "Interval | Fraction | int") -> "Interval":
        """An exact number as the interval that holds it alone."""
        if isinstance(value, Interval):
            return value
        return Interval(Fraction(value), Fraction(value))

    def __add__(self, other: "Interval | Fraction | int") -> "Interval":
        other = Interval.of(other)
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Interval | Fraction | int") -> "Interval":
        other = Interval.of(other)
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: "Interval | Fraction | int") -> "Interval":
        other = Interval.of(other)
        if self.low.numerator >= 0 and other.low.numerator >= 0:
            return Interval(self.low * other.low, self.high * other.high)
        ends = (
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        )
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: "Interval | Fraction | int") -> "Interval":
        other = Interval.of(other)
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError
        return self * Interval(1 / other.high, 1 / other.low)

    def __neg__(self) -> "Interval":
        return Interval(-self.high, -self.low)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: "Interval | Fraction | int") -> "Interval":
        return Interval.of(other) - self

    def __rtruediv__(self, other: "Interval | Fraction | int") -> "Interval":
        return Interval.of(other) / self

    def __contains__(self, value: Fraction | int) -> bool:
        return self.low <= value <= self.high
