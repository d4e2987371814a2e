"""One value out of several: CASE, COALESCE, NULLIF, LEAST and GREATEST.

Rule 1: what is chosen from has one type, whose range covers all of it.
"""

from collections.abc import Sequence
from dataclasses import replace

from differential_privacy.queries.comparisons import alike, compared
from differential_privacy.queries.values import (
    Type,
    Value,
    covering,
    listed_values,
    null,
    whole_type,
)
from differential_privacy.sources.trees import NULL, Op, Tree, call, choose, negated, when

__all__ = ["chosen", "coalesced", "extreme", "nulled"]


def chosen(tests: Sequence[Tree], values: Sequence[Value], default: Value | None) -> Value:
    """CASE: the value of the first test that is true."""
    every = alike([*values, *([] if default is None else [default])])
    otherwise = NULL if default is None else every[-1].tree
    kind = covering(every)
    if all(value.tree == NULL for value in every):
        return null(kind)
    nullable = kind.nullable or default is None
    tree = choose(tuple(zip(tests, [value.tree for value in every], strict=False)), otherwise)
    return Value(tree, replace(kind, nullable=nullable), listed=listed_values(every))


def coalesced(values: Sequence[Value]) -> Value:
    """The first value that is not NULL."""
    every = alike(values, "COALESCE")
    kind: Type = covering(every)
    branches = [(negated(call(Op.IS_NULL, one.tree)), one.tree) for one in every[:-1]]
    nullable = all(one.nullable for one in every)
    tree = choose(tuple(branches), every[-1].tree)
    return Value(tree, replace(kind, nullable=nullable), listed=listed_values(every))


def nulled(one: Value, other: Value) -> Value:
    """NULLIF: NULL where two values are equal."""
    equal = compared(Op.EQUAL, one, other)
    return Value(when(equal.tree, NULL, one.tree), null(one.type).type, listed=one.listed)


def extreme(values: Sequence[Value], *, greatest: bool) -> Value:
    """The least or the greatest of several that are not NULL."""
    what = "GREATEST" if greatest else "LEAST"
    best, *others = alike(values, what)
    for other in others:
        a, b = (whole_type(one, what) for one in (best, other))
        one, two = (other.tree, best.tree) if greatest else (best.tree, other.tree)
        branches = (
            (call(Op.IS_NULL, best.tree), other.tree),
            (call(Op.IS_NULL, other.tree), best.tree),
            (call(Op.LESS, one, two), best.tree),
        )
        kind = whole_type(null(covering([best, other])), what)
        # What is never NULL is always chosen from.
        sure = [one for one in (a, b) if not one.nullable]
        if sure and greatest:
            kind = replace(kind, low=max(one.low for one in sure))
        elif sure:
            kind = replace(kind, high=min(one.high for one in sure))
        best = Value(choose(branches, other.tree), replace(kind, nullable=not sure))
    whole_type(best, what)
    return best
