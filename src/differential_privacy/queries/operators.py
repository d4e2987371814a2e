"""What each operator of SQL means, in terms of values: one reader a node.

Rule 1: a reader is total: it gives a value, or refuses with the fix, whatever stands inside.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from sqlglot import expressions as sql

from differential_privacy.errors import InvalidArgumentError, QuestionError
from differential_privacy.exact import rational
from differential_privacy.queries import arithmetic, choices, moments, texts
from differential_privacy.queries.comparisons import among, between, compared, negation, same
from differential_privacy.queries.moments import as_moment
from differential_privacy.queries.parsing import written_sql
from differential_privacy.queries.values import (
    Truth,
    Value,
    Whole,
    exact_number,
    text_constant,
    truth_constant,
)
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import NULL, Literal, Op, all_of, any_of, call

__all__ = [
    "OPERATORS",
    "Function",
    "Reading",
    "about",
    "constant_text",
    "interval",
    "of_one",
    "of_two",
    "whole_constant",
]

LONGEST_NUMBER = 40
MOST_UNITS = 10**7


class Reading(Protocol):
    """Reads what stands inside of a node."""

    def value(self, node: sql.Expr | None) -> Value:
        """An expression of any type."""

    def condition(self, node: sql.Expr | None) -> Value:
        """An expression that is true or false."""


Function: TypeAlias = Callable[[Reading, sql.Expr], Value]


def constant_text(value: Value, what: str) -> str:
    """The text that a constant is."""
    if isinstance(value.tree, Literal) and isinstance(value.tree.value, str):
        return value.tree.value
    raise QuestionError(what, "needs a constant text", instead="'text'")


def whole_constant(value: Value, what: str) -> int:
    """The whole number that a constant is."""
    number = value.number()
    if number is None or number.denominator != 1:
        raise QuestionError(what, "needs a constant whole number")
    return int(number)


def of_two(work: Callable[[Value, Value], Value]) -> Function:
    """Reads a node by what is done to the two values in it."""

    def read(reading: Reading, node: sql.Expr) -> Value:
        one, other = reading.value(node.this), reading.value(node.expression)
        with about(node):
            return work(one, other)

    return read


def of_one(work: Callable[[Value], Value]) -> Function:
    """Reads a node by what is done to the one value in it."""

    def read(reading: Reading, node: sql.Expr) -> Value:
        value = reading.value(node.this)
        with about(node):
            return work(value)

    return read


@contextmanager
def about(node: sql.Expr) -> Iterator[None]:
    """What is refused in here is refused of this node, as the analyst wrote it."""
    try:
        yield
    except QuestionError as error:
        raise QuestionError(written_sql(node), error.rule, instead=error.instead) from None


def _literal(_: Reading, node: sql.Expr) -> Value:
    written = str(node.this)
    if node.args.get("is_string"):
        return text_constant(written)
    if len(written) > LONGEST_NUMBER:
        raise QuestionError(written, "has too many digits")
    try:
        number = rational(written, "a number")
    except InvalidArgumentError as error:
        raise QuestionError(written, error.rule) from None
    return exact_number(number, Kind.INTEGER if number.denominator == 1 else Kind.NUMBER)


def _comparison(op: Op, *, turned: bool = False) -> Function:
    return of_two(
        lambda one, other: compared(op, other, one) if turned else compared(op, one, other)
    )


def _sameness(reading: Reading, node: sql.Expr) -> Value:
    found = same(reading.value(node.this), reading.value(node.expression))
    return negation(found) if isinstance(node, sql.NullSafeNEQ) else found


def _is(reading: Reading, node: sql.Expr) -> Value:
    other = node.expression
    if isinstance(other, sql.Null):
        value = reading.value(node.this)
        return Value(call(Op.IS_NULL, value.tree), Truth(nullable=False))
    if isinstance(other, sql.Boolean):
        return same(reading.condition(node.this), truth_constant(truth=bool(other.this)))
    raise QuestionError("IS", "needs NULL, TRUE or FALSE", instead="IS NOT DISTINCT FROM x")


def _between(reading: Reading, node: sql.Expr) -> Value:
    if node.args.get("symmetric"):
        raise QuestionError("BETWEEN SYMMETRIC", "is not offered: put the lower end first")
    low, high = (reading.value(node.args.get(end)) for end in ("low", "high"))
    value = reading.value(node.this)
    with about(node):
        return between(value, low, high)


def _and(reading: Reading, node: sql.Expr) -> Value:
    one, other = reading.condition(node.this), reading.condition(node.expression)
    return Value(all_of(one.tree, other.tree), Truth(one.nullable or other.nullable))


def _or(reading: Reading, node: sql.Expr) -> Value:
    one, other = reading.condition(node.this), reading.condition(node.expression)
    return Value(any_of(one.tree, other.tree), Truth(one.nullable or other.nullable))


def _among(reading: Reading, node: sql.Expr) -> Value:
    value, listed = reading.value(node.this), [reading.value(one) for one in node.expressions]
    with about(node):
        return among(value, listed)


def _case(reading: Reading, node: sql.Expr) -> Value:
    """CASE, in both of its forms."""
    branches = node.args.get("ifs") or []
    default = node.args.get("default")
    if node.this is None:
        tests = [reading.condition(one.this) for one in branches]
    else:
        operand = reading.value(node.this)
        tests = [compared(Op.EQUAL, operand, reading.value(one.this)) for one in branches]
    values = [reading.value(one.args.get("true")) for one in branches]
    last = None if default is None else reading.value(default)
    with about(node):
        return choices.chosen([test.tree for test in tests], values, last)


def _if(reading: Reading, node: sql.Expr) -> Value:
    default = node.args.get("false")
    value = reading.value(node.args.get("true"))
    last = None if default is None else reading.value(default)
    test = reading.condition(node.this)
    with about(node):
        return choices.chosen([test.tree], [value], last)


def _several(work: Callable[[Sequence[Value]], Value]) -> Function:
    def read(reading: Reading, node: sql.Expr) -> Value:
        values = [reading.value(one) for one in (node.this, *node.expressions)]
        with about(node):
            return work(values)

    return read


def _added(reading: Reading, node: sql.Expr) -> Value:
    """+ and -, of numbers, of a moment and an interval, of two dates."""
    less = isinstance(node, sql.Sub)
    this, that = node.this, node.expression
    if isinstance(this, sql.Interval) and not less:
        this, that = that, this
    one = reading.value(this)
    if isinstance(that, sql.Interval):
        by = interval(that)
        return moments.shifted(as_moment(one), -by if less else by)
    other = reading.value(that)
    kind = one.type
    if isinstance(kind, Whole) and kind.kind is Kind.DATE:
        other = as_moment(other)
        days = other.number()
        if isinstance(other.type, Whole) and other.type.kind is Kind.DATE and less:
            return moments.difference("day", one, other)
        if isinstance(other.type, Whole) and other.type.is_number and days is not None:
            count = whole_constant(other, "a number of days")
            return moments.shifted(one, moments.duration(-count if less else count, "day"))
    with about(node):
        for value in (one, other):
            if isinstance(value.type, Whole) and not value.type.is_number:
                rule = "moves a moment by what is no constant length of time"
                instead = "x + INTERVAL '3' DAY, or DATE_DIFF('day', a, b)"
                raise QuestionError("+", rule, instead=instead)
        return arithmetic.subtracted(one, other) if less else arithmetic.added(one, other)


def _like(reading: Reading, node: sql.Expr, escape: str | None = None) -> Value:
    value, caseless = reading.value(node.this), isinstance(node, sql.ILike)
    written = constant_text(reading.value(node.expression), "LIKE")
    found = texts.like(value, written, escape=escape, caseless=caseless)
    return negation(found) if node.args.get("negate") else found


def _escaped(reading: Reading, node: sql.Expr) -> Value:
    if not isinstance(node.this, sql.Like | sql.ILike):
        raise QuestionError("ESCAPE", "stands after LIKE", instead="x LIKE '50!%' ESCAPE '!'")
    return _like(reading, node.this, constant_text(reading.value(node.expression), "ESCAPE"))


def interval(node: sql.Expr) -> moments.Duration:
    """The length of time that an interval is written as."""
    text, unit = node.this, node.args.get("unit")
    instead = "INTERVAL '3' DAY"
    if not isinstance(unit, sql.Var) or not isinstance(text, sql.Literal):
        raise QuestionError("INTERVAL", "needs a constant and a unit", instead=instead)
    written = str(text.this)
    if not written.removeprefix("-").isdecimal() or len(written) > LONGEST_NUMBER:
        raise QuestionError("INTERVAL", "needs a whole number of units", instead=instead)
    count = int(written)
    if abs(count) > MOST_UNITS:
        raise QuestionError("INTERVAL", f"must be at most {MOST_UNITS} units")
    return moments.duration(count, unit.name)


OPERATORS: dict[type[sql.Expr], Function] = {
    sql.Paren: lambda reading, node: reading.value(node.this),
    sql.Literal: _literal,
    sql.Boolean: lambda _, node: truth_constant(truth=bool(node.this)),
    sql.Null: lambda _, __: Value(NULL, Truth()),
    # Logic.
    sql.EQ: _comparison(Op.EQUAL),
    sql.NEQ: _comparison(Op.DIFFERENT),
    sql.LT: _comparison(Op.LESS),
    sql.LTE: _comparison(Op.AT_MOST),
    sql.GT: _comparison(Op.LESS, turned=True),
    sql.GTE: _comparison(Op.AT_MOST, turned=True),
    sql.NullSafeEQ: _sameness,
    sql.NullSafeNEQ: _sameness,
    sql.Is: _is,
    sql.Between: _between,
    sql.In: _among,
    sql.Like: _like,
    sql.ILike: _like,
    sql.Escape: _escaped,
    sql.And: _and,
    sql.Or: _or,
    sql.Not: lambda reading, node: negation(reading.condition(node.this)),
    # Choices.
    sql.Case: _case,
    sql.If: _if,
    sql.Coalesce: _several(choices.coalesced),
    sql.Nullif: of_two(choices.nulled),
    sql.Least: _several(lambda values: choices.extreme(values, greatest=False)),
    sql.Greatest: _several(lambda values: choices.extreme(values, greatest=True)),
    # Sums and products.
    sql.Add: _added,
    sql.Sub: _added,
    sql.Mul: of_two(arithmetic.multiplied),
    sql.Div: of_two(arithmetic.divided),
    sql.IntDiv: of_two(arithmetic.whole_quotient),
    sql.Mod: of_two(arithmetic.remainder),
    sql.Pow: of_two(arithmetic.powered),
    sql.Neg: of_one(arithmetic.negative),
    sql.DPipe: of_two(texts.joined),
}
"""How each operator is read."""
