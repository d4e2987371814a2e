"""What a tree comes to, in Python: for constants, and as the oracle that engines are held to.

Rule 1: each operation means here what `Op` says, so that every engine can be tested against it.
"""

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from differential_privacy.sources.engine import Cell
from differential_privacy.sources.kinds import EPOCH, FIRST_DAY, LAST_DAY
from differential_privacy.sources.patterns import CLOCK, DATE, NUMBER, WHOLE
from differential_privacy.sources.trees import Call, Case, Literal, Name, OneOf, Op, Tree

__all__ = ["evaluated", "lowered", "varies"]

Row: TypeAlias = Mapping[Name, Cell]
LONGEST = 1 << 63
MONTHS = 12
LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
UPPER = {small: large for large, small in LOWER.items()}


def evaluated(tree: Tree, row: Row) -> Cell:
    """The value of a tree over a row whose columns are given by name.

    >>> from differential_privacy.queries.evaluating import evaluated
    >>> from differential_privacy.sources.trees import Name, Op, call
    >>> evaluated(call(Op.REMAINDER, -7, Name("t", "by")), {Name("t", "by"): 2})
    -1
    """
    match tree:
        case Name():
            return row[tree]
        case Literal(constant):
            return constant  # type: ignore[return-value]  # floats are in readings alone
        case Case(branches, otherwise):
            for test, then in branches:
                if evaluated(test, row) is True:
                    return evaluated(then, row)
            return evaluated(otherwise, row)
        case OneOf(this, values):
            found = evaluated(this, row)
            return None if found is None else found in values
        case Call(op, args):
            return _called(op, args, row)
        case _:
            message = f"{type(tree).__name__} has no value for one row alone"
            raise TypeError(message)


def varies(tree: Tree) -> bool:
    """Whether a tree depends on the row."""
    match tree:
        case Literal():
            return False
        case Call(_, args):
            return any(varies(arg) for arg in args)
        case Case(branches, otherwise):
            return varies(otherwise) or any(varies(part) for pair in branches for part in pair)
        case OneOf(this, _):
            return varies(this)
        case _:
            return True


def lowered(text: str) -> str:
    """A text with A-Z as a-z, and all else as it is."""
    return text.translate(LOWER)


def _called(op: Op, args: tuple[Tree, ...], row: Row) -> Cell:
    if op in (Op.AND, Op.OR):
        return _logic(op, [evaluated(arg, row) for arg in args])
    values = [evaluated(arg, row) for arg in args]
    if op is Op.IS_NULL:
        return values[0] is None
    if op is Op.SAME:
        return values[0] == values[1]
    if None in values:
        return None
    found: Cell = OPERATIONS[op](*values)
    return found


def _logic(op: Op, values: list[Cell]) -> Cell:
    decisive = op is Op.OR
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _quotient(a: int, b: int) -> int | None:
    if b == 0:
        return None
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


def _remainder(a: int, b: int) -> int | None:
    whole = _quotient(a, b)
    return None if whole is None else a - b * whole


def _like(text: str, pattern: str) -> bool:
    """Patterns in which the backslash is the escape.

    The pieces between percent signs are found from the left, each as early as it can be: that takes
    no longer than text and pattern are long together, times the longest piece.
    """
    first, *rest = _pieces(pattern)
    if not rest:
        return len(text) == len(first) and _stands(first, text, 0)
    *middle, last = rest
    if len(text) < len(first) + len(last) or not _stands(first, text, 0):
        return False
    place, end = len(first), len(text) - len(last)
    for piece in middle:
        found = (at for at in range(place, end - len(piece) + 1) if _stands(piece, text, at))
        at = next(found, None)
        if at is None:
            return False
        place = at + len(piece)
    return _stands(last, text, end)


def _pieces(pattern: str) -> list[list[str | None]]:
    """What stands between percent signs: letters, and None for any one letter."""
    pieces: list[list[str | None]] = [[]]
    letters = iter(pattern)
    for letter in letters:
        if letter == "%":
            pieces.append([])
        elif letter == "_":
            pieces[-1].append(None)
        else:
            pieces[-1].append(next(letters) if letter == "\\" else letter)
    return pieces


def _stands(piece: list[str | None], text: str, place: int) -> bool:
    return all(one is None or one == text[place + at] for at, one in enumerate(piece))


def _date_part(name: str) -> Callable[[int], int | None]:
    def read(days: int) -> int | None:
        known = FIRST_DAY <= days <= LAST_DAY
        return getattr(EPOCH + dt.timedelta(days=days), name) if known else None

    return read


def _first_of_month(year: int, month: int) -> int | None:
    known = dt.MINYEAR <= year <= dt.MAXYEAR and 1 <= month <= MONTHS
    return (dt.date(year, month, 1) - EPOCH).days if known else None


def _held(a: float) -> int | None:
    whole = math.floor(a)
    return whole if -LONGEST <= whole < LONGEST else None


def _real_of(text: str) -> float | None:
    return float(text) if re.fullmatch(NUMBER, text) else None


def _days_of(text: str) -> int | None:
    if not re.fullmatch(DATE, text[:11]):
        return None
    try:
        return (dt.date.fromisoformat(text[:10]) - EPOCH).days
    except ValueError:
        return None


def _second_of(text: str) -> int | None:
    if not re.fullmatch(CLOCK, text):
        return None
    hour, minute, second = (int(text[at : at + 2]) for at in (0, 3, 6))
    return hour * 3600 + minute * 60 + second


OPERATIONS: dict[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    Op.QUOTIENT: _quotient,
    Op.REMAINDER: _remainder,
    Op.EQUAL: lambda a, b: a == b,
    Op.DIFFERENT: lambda a, b: a != b,
    Op.LESS: lambda a, b: a < b,
    Op.AT_MOST: lambda a, b: a <= b,
    Op.NOT: lambda a: not a,
    Op.LIKE: _like,
    Op.LENGTH: len,
    Op.PART: lambda text, start, count: text[start - 1 : start - 1 + count],
    Op.JOINED: lambda a, b: a + b,
    Op.LOWER: lowered,
    Op.UPPER: lambda text: text.translate(UPPER),
    Op.TRIMMED: lambda text: text.strip(" "),
    Op.TEXT: str,
    Op.YEAR: _date_part("year"),
    Op.MONTH: _date_part("month"),
    Op.DAY: _date_part("day"),
    Op.FIRST_OF_MONTH: _first_of_month,
    Op.ROOT: lambda a: None if a < 0 else math.floor(math.sqrt(a)),
    Op.WHOLE: _held,
    Op.WHOLE_OF_TEXT: lambda text: int(text) if re.fullmatch(WHOLE, text) else None,
    Op.REAL_OF_TEXT: _real_of,
    Op.FLOOR: _held,
    Op.TIMES: lambda a, b: a * b,
    Op.OVER: lambda a, b: a / b,
    Op.PLUS: lambda a, b: a + b,
    Op.DAYS_OF_TEXT: _days_of,
    Op.SECOND_OF_TEXT: _second_of,
}
