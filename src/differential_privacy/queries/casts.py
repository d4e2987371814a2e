"""Casts: from one kind of value to another, defined for each value.

Rule 1: a text that is no such value becomes NULL, whether or not it was cast with TRY.
"""

from dataclasses import replace
from fractions import Fraction

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.moments import moment
from differential_privacy.queries.rounding import rounded
from differential_privacy.queries.values import (
    Text,
    Truth,
    Type,
    Value,
    Whole,
    column_type,
    kind_name,
    null,
    rescaled,
)
from differential_privacy.sources.columns import Column
from differential_privacy.sources.kinds import DAY_SECONDS, Kind, Physical
from differential_privacy.sources.normal import floored, normal
from differential_privacy.sources.trees import NULL, Literal, Op, call, negated, when

__all__ = ["cast"]

MOMENTS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIME)
MOST_DIGITS = 18

KINDS = {
    **dict.fromkeys(("BOOLEAN",), Kind.BOOLEAN),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT", "INT128"), Kind.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), Kind.NUMBER),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR"), Kind.TEXT),
    "DATE": Kind.DATE,
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ"), Kind.TIMESTAMP),
    "TIME": Kind.TIME,
}


def cast(value: Value, to: sql.Expr, written: str) -> Value:
    """A value as another kind; `written` is the cast as the analyst wrote it."""
    name = to.this.value if isinstance(to.this, sql.DType) else str(to)
    kind = KINDS.get(name)
    if kind is None:
        known = "INTEGER, DOUBLE, DECIMAL(10, 2), TEXT, BOOLEAN, DATE, TIMESTAMP and TIME"
        raise QuestionError(written, f"{name} is no type here: {known} are")
    digits = _digits(to, written) if name == "DECIMAL" else None
    have = value.type
    if value.tree == NULL:
        found: Value | None = null(column_type(Column("none", kind)))
    elif isinstance(have, Text):
        found = _from_text(value, have, kind)
    elif isinstance(have, Truth):
        found = _from_truth(value, have, kind)
    elif have.is_number:
        found = _from_number(value, have, kind)
    else:
        found = _from_moment(value, have, kind)
    if found is None:
        rule = f"{kind_name(have)} cannot be cast to {kind.value}"
        raise QuestionError(written, rule, instead=HINTS.get(kind))
    return found if digits is None else rounded(found, Fraction(1, 10**digits))


HINTS = {Kind.BOOLEAN: "x <> 0", Kind.TEXT: "CAST(FLOOR(x) AS TEXT)"}


def _digits(to: sql.Expr, written: str) -> int | None:
    """The digits after the point that DECIMAL(p, s) keeps; as in DuckDB, three if it says none."""
    given = [one.this for one in to.expressions if isinstance(one, sql.DataTypeParam)]
    texts = [str(one.this) for one in given if isinstance(one, sql.Literal)]
    if not to.expressions:
        return 3
    if not all(text.isdigit() and int(text) <= 2 * MOST_DIGITS for text in texts) or not texts:
        raise QuestionError(written, "needs whole numbers of digits", instead="DECIMAL(10, 2)")
    return int(texts[1]) if len(texts) > 1 else 0


def _from_text(value: Value, have: Text, kind: Kind) -> Value | None:
    if kind is Kind.TEXT:
        return value
    if kind in MOMENTS and value.constant:
        return moment(have.values[0], kind) if have.values else None
    column = Column("text", kind)
    reading = normal(column, Physical.TEXT, value.tree)
    return Value(reading.settled(reading.read), _undeclared(column_type(column)))


def _from_truth(value: Value, have: Truth, kind: Kind) -> Value | None:
    if kind is Kind.INTEGER:
        whole = when(value.tree, Literal(1), when(negated(value.tree), Literal(0)))
        return Value(whole, Whole(kind, Fraction(1), 0, 1, nullable=have.nullable))
    return value if kind is Kind.BOOLEAN else None


def _from_number(value: Value, have: Whole, kind: Kind) -> Value | None:
    if kind is Kind.INTEGER:
        return rounded(value, Fraction(1))
    if kind is Kind.TEXT and have.step.denominator == 1:
        whole = rescaled(value, Fraction(1))
        listed = whole.values
        words = None if listed is None else tuple(str(one) for one in listed)
        return Value(call(Op.TEXT, whole.tree), Text(words, have.nullable))
    return value if kind is Kind.NUMBER else None


def _from_moment(value: Value, have: Whole, kind: Kind) -> Value | None:
    if have.kind is kind:
        return value
    if have.kind is Kind.DATE and kind is Kind.TIMESTAMP:
        low, high = have.low * DAY_SECONDS, have.high * DAY_SECONDS
        midnight = call(Op.MULTIPLY, value.tree, DAY_SECONDS)
        return Value(midnight, replace(have, kind=kind, low=low, high=high))
    if have.kind is Kind.TIMESTAMP and kind is Kind.DATE:
        low, high = have.low // DAY_SECONDS, have.high // DAY_SECONDS
        days = floored(value.tree, DAY_SECONDS)
        return Value(days, replace(have, kind=kind, low=low, high=high))
    return None


def _undeclared(kind: Type) -> Type:
    """A type whose ends nobody stated."""
    return replace(kind, declared=False) if isinstance(kind, Whole) else kind
