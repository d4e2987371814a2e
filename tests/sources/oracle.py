"""What operations mean for every value, in Python: `queries.evaluating`, made total.

Rule 1: where an operation is said to be NULL for some values, that is said here and nowhere else.
"""

import hashlib
import math
from collections.abc import Callable
from typing import Any

from differential_privacy.queries.evaluating import OPERATIONS
from differential_privacy.sources.kinds import FIRST_DAY, LAST_DAY
from differential_privacy.sources.trees import Op

HELD = 1 << 63


def hashed(text: str) -> int:
    return int(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:15], 16)


def on_day(op: Op) -> Callable[[int], Any]:
    return lambda day: OPERATIONS[op](day) if FIRST_DAY <= day <= LAST_DAY else None


def floor(real: float) -> int | None:
    return math.floor(real) if math.isfinite(real) and abs(real) < HELD else None


TOTAL: dict[Op, Callable[..., Any]] = {
    Op.QUOTIENT: lambda a, b: OPERATIONS[Op.QUOTIENT](a, b) if b else None,
    Op.REMAINDER: lambda a, b: OPERATIONS[Op.REMAINDER](a, b) if b else None,
    Op.TEXT: lambda a: str(a).lower() if isinstance(a, bool) else str(a),
    Op.HASHED: hashed,
    Op.YEAR: on_day(Op.YEAR),
    Op.MONTH: on_day(Op.MONTH),
    Op.DAY: on_day(Op.DAY),
    Op.FIRST_OF_MONTH: lambda year, month: (
        OPERATIONS[Op.FIRST_OF_MONTH](year, month)
        if 1 <= year <= 9999 and 1 <= month <= 12
        else None
    ),
    Op.ROOT: lambda a: OPERATIONS[Op.ROOT](a) if a >= 0 else None,
    Op.WHOLE: lambda a: a if -HELD < a < HELD else None,
    Op.FLOOR: floor,
}


def meant(op: Op, *args: Any) -> Any:
    """What an engine must answer."""
    if op is Op.IS_NULL:
        return args[0] is None
    if op is Op.SAME:
        return args[0] == args[1]
    if op in (Op.AND, Op.OR):
        decisive = op is Op.OR
        return decisive if decisive in args else None if None in args else not decisive
    if None in args:
        return None
    return TOTAL.get(op, OPERATIONS.get(op))(*args)
