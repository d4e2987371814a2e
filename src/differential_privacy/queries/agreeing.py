"""Which noisy values can be computed with which: numbers with numbers, texts with texts.

Rule 1: what does not fit is refused when it is read, so that computing an answer never fails.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.queries.measures import Linear
from differential_privacy.queries.moments import moment
from differential_privacy.queries.outputs import Constant, Output
from differential_privacy.sources.kinds import Kind

__all__ = ["Told", "agreed", "moderate", "numbers", "truth"]

Told = tuple[Output, Kind, Fraction]
"""What an expression comes to, and how its values are written."""

NUMBERS = (Kind.INTEGER, Kind.NUMBER)
MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
LARGEST = Fraction(10) ** 100


def numbers(values: Sequence[Told], what: str) -> list[Output]:
    """Values that are numbers, all of them."""
    for output, kind, _ in values:
        if kind not in NUMBERS and not _is_null(output):
            raise QuestionError(what, f"needs numbers, and this is a {kind.value}")
    return [output for output, _, _ in values]


def truth(value: Told, what: str) -> Output:
    """A value that is true or false."""
    output, kind, _ = value
    if kind is not Kind.BOOLEAN and not _is_null(output):
        raise QuestionError(what, "must be true or false", instead="COUNT(*) > 100")
    return output


def agreed(values: Sequence[Told], what: str) -> list[Told]:
    """Values of one kind; a text that stands beside a date is read as one."""
    moments = [kind for _, kind, _ in values if kind in MOMENTS]
    read = [_as_moment(value, moments[0]) if moments else value for value in values]
    kinds = {_family(kind) for output, kind, _ in read if not _is_null(output)}
    if len(kinds) > 1:
        names = " and ".join(sorted(kinds))
        raise QuestionError(what, f"cannot join {names}")
    return read


def moderate(value: Linear) -> Linear:
    """Numbers that floats hold with ease, and no others."""
    sizes = [abs(times) for _, times in value.terms] + [abs(value.constant)]
    if any(size > LARGEST or 0 < size < 1 / LARGEST for size in sizes):
        raise QuestionError("a number", "must be from 1e-100 to 1e100 in size, or zero")
    return value


def _family(kind: Kind) -> str:
    return "a number" if kind in NUMBERS else f"a {kind.value}"


def _as_moment(value: Told, kind: Kind) -> Told:
    output, _, _ = value
    if isinstance(output, Constant) and isinstance(output.value, str):
        index = moment(output.value, kind).number()
        return replace(Linear(), constant=index or Fraction(0)), kind, Fraction(1)
    return value


def _is_null(output: Output) -> bool:
    return isinstance(output, Constant) and output.value is None
