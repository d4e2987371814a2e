"""Comparisons: of numbers on one grid, of moments, of texts by equality, of truths.

Rule 1: a constant off the grid is compared exactly: no value of a column is moved for it.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.queries.arithmetic import aligned
from differential_privacy.queries.moments import moment
from differential_privacy.queries.values import Text, Truth, Type, Value, Whole, kind_name, null
from differential_privacy.sources.trees import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Literal,
    OneOf,
    Op,
    Tree,
    all_of,
    any_of,
    call,
    negated,
    when,
)

__all__ = ["alike", "among", "between", "compared", "negation", "same", "shaped"]

SIGNS = {Op.EQUAL: "=", Op.DIFFERENT: "<>", Op.LESS: "< and >", Op.AT_MOST: "<= and >="}


def compared(op: Op, one: Value, other: Value) -> Value:
    """Whether two values are equal, different, or in order."""
    one, other = _paired(one, other, SIGNS[op])
    kind = Truth(one.nullable or other.nullable)
    if not isinstance(one.type, Whole) and op in (Op.LESS, Op.AT_MOST):
        rule = "is of numbers and moments; texts are compared by =, <>, IN and LIKE"
        raise QuestionError(SIGNS[op], rule)
    if isinstance(one.type, Whole) and isinstance(other.type, Whole):
        if other.constant and not one.constant:
            return Value(_to_constant(op, one, one.type, other), kind)
        if one.constant and not other.constant:
            return Value(_from_constant(op, one, other, other.type), kind)
        one, other = aligned([one, other])
    return Value(call(op, one.tree, other.tree), kind)


def same(one: Value, other: Value) -> Value:
    """Whether two values are equal, NULL being equal to NULL."""
    one, other = _paired(one, other, "IS DISTINCT FROM")
    if isinstance(one.type, Whole):
        one, other = aligned([one, other])
    return Value(call(Op.SAME, one.tree, other.tree), Truth(nullable=False))


def between(value: Value, low: Value, high: Value) -> Value:
    """Whether a value is neither below one end nor above the other."""
    above, below = compared(Op.AT_MOST, low, value), compared(Op.AT_MOST, value, high)
    return Value(all_of(above.tree, below.tree), Truth(above.nullable or below.nullable))


def among(value: Value, listed: Sequence[Value]) -> Value:
    """Whether a value is one of a list."""
    tests = [compared(Op.EQUAL, value, one) for one in listed]
    wanted: list[int | str] = []
    others: list[Tree] = []
    for test in tests:
        match test.tree:
            case Call(Op.EQUAL, (tree, Literal(int() | str() as constant))) if (
                tree == value.tree and not isinstance(constant, bool)
            ):
                wanted.append(constant)
            case other:
                others.append(other)
    if wanted:
        others.append(OneOf(value.tree, tuple(dict.fromkeys(wanted))))
    return Value(any_of(*others), Truth(any(test.nullable for test in tests)))


def negation(value: Value) -> Value:
    """Whether it is false."""
    return Value(negated(value.tree), value.type)


def alike(values: Sequence[Value], what: str = "CASE") -> list[Value]:
    """The same values, as one type: numbers on one grid, constants as what the others are."""
    typed = [value for value in values if value.tree != NULL] or list(values[:1])
    model = next((value for value in typed if not _is_written(value)), typed[0])
    shaped_ = [shaped(value, model.type, what) for value in values]
    given = [value for value in shaped_ if value.tree != NULL]
    if given and isinstance(model.type, Whole):
        given = aligned(given)
    kind = given[0].type if given else model.type
    placed = iter(given)
    return [null(kind) if value.tree == NULL else next(placed) for value in shaped_]


def shaped(value: Value, wanted: Type, what: str) -> Value:
    """A value as comparable with a type: a constant text may be a moment."""
    kind = value.type
    if value.tree == NULL:
        return null(wanted)
    if isinstance(kind, Whole) and isinstance(wanted, Whole):
        if kind.is_number == wanted.is_number and (kind.is_number or kind.kind is wanted.kind):
            return value
    elif isinstance(wanted, Whole) and not wanted.is_number:
        if isinstance(value.tree, Literal) and isinstance(value.tree.value, str):
            return moment(value.tree.value, wanted.kind)
    elif type(kind) is type(wanted):
        return value
    raise QuestionError(
        what, f"cannot join {kind_name(wanted)} and {kind_name(kind)}: cast one of them"
    )


def _paired(one: Value, other: Value, what: str) -> tuple[Value, Value]:
    model = other if one.tree == NULL or (_is_written(one) and other.tree != NULL) else one
    return shaped(one, model.type, what), shaped(other, model.type, what)


def _is_written(value: Value) -> bool:
    """Whether it is a text as the analyst wrote it, which may stand for a moment."""
    return value.constant and isinstance(value.type, Text)


def _to_constant(op: Op, column: Value, grid: Whole, constant: Value) -> Tree:
    """A comparison of a column with a constant, moved to the column's grid."""
    number = constant.number()
    if number is None:
        return call(op, column.tree, NULL)
    index = number / grid.step
    if op in (Op.EQUAL, Op.DIFFERENT):
        if index.denominator == 1 and grid.low <= index <= grid.high:
            return call(op, column.tree, int(index))
        return _unless_null(column, TRUE if op is Op.DIFFERENT else FALSE)
    last = math.ceil(index) - 1 if op is Op.LESS else math.floor(index)
    if last >= grid.high:
        return _unless_null(column, TRUE)
    if last < grid.low:
        return _unless_null(column, FALSE)
    return call(Op.AT_MOST, column.tree, last)


def _from_constant(op: Op, constant: Value, column: Value, grid: Whole) -> Tree:
    """A comparison of a constant with a column, moved to the column's grid."""
    number = constant.number()
    if number is None or op in (Op.EQUAL, Op.DIFFERENT):
        return _to_constant(op, column, grid, constant)
    index: Fraction = number / grid.step
    first = math.floor(index) + 1 if op is Op.LESS else math.ceil(index)
    if first <= grid.low:
        return _unless_null(column, TRUE)
    if first > grid.high:
        return _unless_null(column, FALSE)
    return call(Op.AT_MOST, Literal(first), column.tree)


def _unless_null(column: Value, answer: Tree) -> Tree:
    return when(call(Op.IS_NULL, column.tree), NULL, answer) if column.nullable else answer
