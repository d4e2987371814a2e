"""What each function of SQL means, in terms of values: one reader a node.

Rule 1: a reader is total: it gives a value, or refuses with the fix, whatever stands inside.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from fractions import Fraction

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries import arithmetic, calendars, choices, moments, texts
from differential_privacy.queries.casts import cast
from differential_privacy.queries.comparisons import compared
from differential_privacy.queries.moments import as_moment
from differential_privacy.queries.operators import (
    Function,
    Reading,
    constant_text,
    interval,
    of_one,
    whole_constant,
)
from differential_privacy.queries.parsing import written_sql
from differential_privacy.queries.values import Value, Whole, exact_number, text_constant
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import NULL, Literal, Op, call, choose

__all__ = ["FUNCTIONS"]

MOST_DIGITS = 18
MOST_BUCKETS = 1000


def _rounded(add: Fraction) -> Function:
    def read(reading: Reading, node: sql.Expr) -> Value:
        digits, name = node.args.get("decimals"), node.key.upper()
        count = 0 if digits is None else whole_constant(reading.value(digits), name)
        if abs(count) > MOST_DIGITS:
            raise QuestionError(name, f"needs at most {MOST_DIGITS} digits")
        return arithmetic.rounded(reading.value(node.this), Fraction(10) ** -count, add=add)

    return read


def _bucket(reading: Reading, node: sql.Expr) -> Value:
    """WIDTH_BUCKET(x, low, high, count): 0 below, count + 1 from high on."""
    parts = ("min_value", "max_value", "num_buckets")
    low, high, count = (reading.value(node.args.get(part)).number() for part in parts)
    if low is None or high is None or count is None or low >= high:
        rule = "needs constant ends, the lower one first, and a constant count"
        raise QuestionError("WIDTH_BUCKET", rule, instead="WIDTH_BUCKET(x, 0, 100, 10)")
    buckets = int(count)
    if buckets != count or not 1 <= buckets <= MOST_BUCKETS:
        raise QuestionError("WIDTH_BUCKET", f"needs from 1 to {MOST_BUCKETS} buckets")
    value = reading.value(node.this)
    edges = (low + (high - low) * place / buckets for place in range(buckets + 1))
    below = [compared(Op.LESS, value, exact_number(edge)).tree for edge in edges]
    branches = [(call(Op.IS_NULL, value.tree), NULL)]
    branches += [(test, Literal(place)) for place, test in enumerate(below)]
    kind = Whole(Kind.INTEGER, Fraction(1), 0, buckets + 1, nullable=value.nullable)
    return Value(choose(tuple(branches), Literal(buckets + 1)), kind)


def _clamp(args: Sequence[Value]) -> Value:
    value, low, high = args
    return arithmetic.clamped(value, as_moment(low), as_moment(high))


def _bin(args: Sequence[Value]) -> Value:
    value, width = args
    return arithmetic.binned(value, width.number() or Fraction(0))


def _date_part(args: Sequence[Value]) -> Value:
    name, value = args
    return calendars.part(constant_text(name, "DATE_PART"), as_moment(value))


NAMED: dict[str, tuple[int, Callable[[Sequence[Value]], Value]]] = {
    "clamp": (3, _clamp),
    "bin": (2, _bin),
    **dict.fromkeys(("date_part", "datepart"), (2, _date_part)),
}
"""Functions that are ours, or that the parser has no node for, with their number of arguments."""

KNOWN = (
    *("abs", "avg", "bin", "ceil", "clamp", "coalesce", "contains", "count", "date_diff"),
    *("date_part", "date_trunc", "day", "extract", "floor", "greatest", "hour", "least", "left"),
    *("length", "lower", "max", "median", "min", "minute", "month", "nullif", "power", "quantile"),
    *("quarter", "round", "second", "sign", "sqrt", "starts_with", "stddev", "substring", "sum"),
    *("trim", "upper", "var_pop", "variance", "width_bucket", "year"),
)
OTHER_WORDS = {
    "mean": "AVG",
    **dict.fromkeys(("now", "getdate", "today"), "DATE '2024-01-31'"),
    "weekday": "DAYOFWEEK",
}
"""What some names mean elsewhere."""


def _named(reading: Reading, node: sql.Expr) -> Value:
    name = str(node.this).lower()
    count, work = NAMED.get(name, (None, None))
    if work is None:
        close = get_close_matches(name, KNOWN, n=1)
        instead = OTHER_WORDS.get(name, close[0].upper() if close else None)
        raise QuestionError(
            f"{name.upper()}(...)", "is no function that questions can use", instead=instead
        )
    args = [reading.value(one) for one in node.expressions]
    if len(args) != count:
        raise QuestionError(f"{name.upper()}(...)", f"needs {count} arguments")
    return work(args)


def _holding(before: str, after: str) -> Function:
    def read(reading: Reading, node: sql.Expr) -> Value:
        sought = constant_text(reading.value(node.expression), node.key.upper())
        return texts.holding(reading.value(node.this), sought, before=before, after=after)

    return read


def _substring(reading: Reading, node: sql.Expr) -> Value:
    value = reading.value(node.this)
    start = whole_constant(reading.value(node.args.get("start")), "SUBSTRING")
    length = node.args.get("length")
    if length is None:
        return texts.part_of(value, start)
    return texts.part_of(value, start, whole_constant(reading.value(length), "SUBSTRING"))


def _left(reading: Reading, node: sql.Expr) -> Value:
    count = whole_constant(reading.value(node.expression), "LEFT")
    return texts.part_of(reading.value(node.this), 1, count)


def _concatenated(reading: Reading, node: sql.Expr) -> Value:
    """CONCAT, to which NULL adds nothing."""
    total = text_constant("")
    for one in node.expressions:
        value = reading.value(one)
        if value.tree != NULL:
            texts.text_type(value, "CONCAT")
            total = texts.joined(total, choices.coalesced([value, text_constant("")]))
    return total


def _moment(reading: Reading, node: sql.Expr | None) -> Value:
    return as_moment(reading.value(node))


def _date_add(reading: Reading, node: sql.Expr) -> Value:
    if not isinstance(node.expression, sql.Interval):
        raise QuestionError("DATE_ADD", "needs an interval", instead="x + INTERVAL '3' DAY")
    return moments.shifted(_moment(reading, node.this), interval(node.expression))


def _part(name: str) -> Function:
    return lambda reading, node: calendars.part(name, _moment(reading, node.this))


def _extract(reading: Reading, node: sql.Expr) -> Value:
    return calendars.part(node.name, _moment(reading, node.expression))


def _truncated(reading: Reading, node: sql.Expr) -> Value:
    return calendars.truncated(_unit(node), _moment(reading, node.this))


def _difference(reading: Reading, node: sql.Expr) -> Value:
    later, earlier = _moment(reading, node.this), _moment(reading, node.expression)
    return moments.difference(_unit(node), later, earlier)


def _unit(node: sql.Expr) -> str:
    unit = node.args.get("unit")
    if not isinstance(unit, sql.Var | sql.Literal):
        raise QuestionError(node.key.upper(), "needs a constant unit", instead="'day'")
    return unit.name


FUNCTIONS: dict[type[sql.Expr], Function] = {
    sql.Anonymous: _named,
    **dict.fromkeys(
        (sql.Cast, sql.TryCast),
        lambda reading, node: cast(reading.value(node.this), node.args["to"], written_sql(node)),
    ),
    # Numbers.
    sql.Abs: of_one(arithmetic.absolute),
    sql.Sign: of_one(arithmetic.sign),
    sql.Sqrt: of_one(arithmetic.rooted),
    sql.Round: _rounded(Fraction(1, 2)),
    sql.Floor: _rounded(Fraction(0)),
    sql.Ceil: _rounded(Fraction(1)),
    sql.WidthBucket: _bucket,
    # Texts.
    sql.Concat: _concatenated,
    sql.Substring: _substring,
    sql.Left: _left,
    sql.Upper: of_one(lambda value: texts.cased(value, upper=True)),
    sql.Lower: of_one(lambda value: texts.cased(value, upper=False)),
    sql.Trim: of_one(texts.trimmed),
    sql.Length: of_one(texts.length),
    sql.StartsWith: _holding("", "%"),
    sql.EndsWith: _holding("%", ""),
    sql.Contains: _holding("%", "%"),
    # Moments.
    sql.Extract: _extract,
    sql.Year: _part("year"),
    sql.Quarter: _part("quarter"),
    sql.Month: _part("month"),
    sql.Day: _part("day"),
    sql.DayOfMonth: _part("day"),
    sql.DayOfWeek: _part("dow"),
    sql.DayOfWeekIso: _part("isodow"),
    sql.DayOfYear: _part("doy"),
    sql.Hour: _part("hour"),
    sql.Minute: _part("minute"),
    sql.Second: _part("second"),
    sql.TimestampTrunc: _truncated,
    sql.DateTrunc: _truncated,
    sql.DateDiff: _difference,
    sql.DateAdd: _date_add,
}
"""How each function is read."""
