"""How far one unit can move an answer, in the norms that mechanisms ask for.

Rule 1: a norm that is not known is never guessed; the noise that needs it asks for it by name.
"""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, integer, nonnegative, shown

__all__ = ["Sensitivity"]


@dataclass(frozen=True, slots=True, repr=False)
class Sensitivity:
    """How far the answers to two neighboring datasets can be apart.

    `l1` adds the moves of all coordinates, `l2_squared` adds their squares (so that it stays
    rational), `most` is the farthest that any single coordinate moves. What is left out follows
    from what is given, where it does.

    Theorem: in any vector, most^2 <= l2^2 <= min(l1^2, l1 most) and most <= l1.

    >>> Sensitivity(l1=3, most=1)
    Sensitivity(l1=3, l2_squared=3, most=1)
    >>> Sensitivity(l1=2)
    Sensitivity(l1=2, l2_squared=4, most=2)
    """

    l1: Fraction | None
    l2_squared: Fraction | None
    most: Fraction | None

    def __init__(
        self,
        l1: Number | None = None,
        *,
        l2_squared: Number | None = None,
        most: Number | None = None,
    ) -> None:
        given = [
            None if value is None else nonnegative(value, name)
            for value, name in ((l1, "l1"), (l2_squared, "l2_squared"), (most, "most"))
        ]
        total, square, farthest = given
        if total is None and square is None and farthest is None:
            raise InvalidArgumentError("l1", l1, "one of l1, l2_squared and most must be given")
        if total is not None:
            farthest = total if farthest is None else min(farthest, total)
            implied = total * farthest
            square = implied if square is None else min(square, implied)
        object.__setattr__(self, "l1", total)
        object.__setattr__(self, "l2_squared", square)
        object.__setattr__(self, "most", farthest)

    def __repr__(self) -> str:
        known = (("l1", self.l1), ("l2_squared", self.l2_squared), ("most", self.most))
        inside = ", ".join(f"{name}={shown(value)}" for name, value in known if value is not None)
        return f"Sensitivity({inside})"

    def need_l1(self) -> Fraction:
        """The l1 norm, or an error that asks for it."""
        return self._need("l1", self.l1)

    def need_l2_squared(self) -> Fraction:
        """The square of the l2 norm, or an error that asks for it."""
        return self._need("l2_squared", self.l2_squared)

    def need_most(self) -> Fraction:
        """The farthest that one coordinate moves, or an error that asks for it."""
        return self._need("most", self.most)

    def times(self, units: int) -> "Sensitivity":
        """The sensitivity to so many units at once: every norm grows in proportion."""
        units = integer(units, "units", least=0)
        grown = Sensitivity.__new__(Sensitivity)
        for name, power in (("l1", 1), ("l2_squared", 2), ("most", 1)):
            value = getattr(self, name)
            object.__setattr__(grown, name, None if value is None else value * units**power)
        return grown

    def _need(self, name: str, value: Fraction | None) -> Fraction:
        if value is None:
            raise InvalidArgumentError(
                "sensitivity", self, f"must state {name}: this noise needs it"
            )
        return value
