"""What is known of values in rows of which conditions are true.

Rule 1: it follows from public facts: declared types, and constants of the question.
Rule 2: conditions that no value can meet narrow nothing: what no row can be, stays as it was.

Theorem: of rows in which all conditions are true a value is left out only if some condition, with
the value put in the place of the expression, comes to false or NULL whatever else the row holds.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from differential_privacy.queries.conditions import (
    Ends,
    Known,
    both_ends,
    candidates,
    common,
    ends,
    is_plain,
    mentions,
    possible,
    size,
)
from differential_privacy.queries.values import MOST_VALUES, Text, Truth, Value, Whole
from differential_privacy.sources.trees import (
    NULL,
    Call,
    Literal,
    OneOf,
    Op,
    Tree,
    all_of,
    any_of,
    call,
    negated,
)

__all__ = ["met", "narrowed", "promised_rows", "promises", "together"]

MOST_STEPS = 200_000
"""So many parts of conditions are put to the test at the most, so that planning stays quick."""

MOST_ROWS = 50
"""So many combinations of values are told one by one at the most."""


def narrowed(value: Value, known: Sequence[Tree]) -> Value:
    """A value in rows of which conditions are true: its tree as it was, its type no wider.

    >>> from differential_privacy.queries.values import column_type
    >>> from differential_privacy.sources import Column
    >>> from differential_privacy.sources.trees import Name
    >>> age = Value(Name("t", "age"), column_type(Column("age", "integer", lower=0, upper=120)))
    >>> str(narrowed(age, [call(Op.AT_MOST, 18, age.tree), call(Op.AT_MOST, age.tree, 65)]).type)
    '18 to 65'
    """
    tree = value.tree
    if isinstance(tree, Literal):
        return value
    about = [one for one in known if mentions(one, tree)]
    if not about:
        return value
    nullable = value.nullable and all(possible(one, {tree: NULL}) for one in about)
    found = replace(value, type=replace(value.type, nullable=nullable))
    if isinstance(found.type, Whole):
        found = _within(found, found.type, both_ends(ends(one, tree) for one in about))
    values = _listed(found, about)
    return found if values is None else _among(found, values)


def met(wide: Value, near: Value) -> Value:
    """A value with what two readings of it promise, where they count in the same steps."""
    one, two = wide.type, near.type
    nullable = one.nullable and two.nullable
    if isinstance(one, Whole) and isinstance(two, Whole) and one.step == two.step:
        low, high = max(one.low, two.low), min(one.high, two.high)
        if low > high:
            return wide
        listed = wide.listed if near.listed is None else near.listed
        kept = None if listed is None else tuple(each for each in listed if low <= each <= high)
        declared = one.declared or two.declared
        kind = replace(one, low=low, high=high, declared=declared, nullable=nullable)
        return replace(wide, type=kind, listed=kept or None)
    if isinstance(one, Text) and isinstance(two, Text):
        values = one.values if two.values is None else two.values
        return replace(wide, type=replace(one, values=values, nullable=nullable))
    if isinstance(one, Truth) and isinstance(two, Truth):
        return replace(wide, type=Truth(nullable), listed=near.listed)
    return wide


def together(
    trees: Sequence[Tree], rows: Sequence[tuple[Known | None, ...]], known: Sequence[Tree]
) -> Sequence[tuple[Known | None, ...]]:
    """The combinations of values that several trees can have in one row."""
    varied = [tree for tree in dict.fromkeys(trees) if not isinstance(tree, Literal)]
    shared = [one for one in known if sum(mentions(one, tree) for tree in varied) > 1]
    if not shared or len(rows) * sum(map(size, shared)) > MOST_STEPS:
        return rows
    kept = []
    for row in rows:
        given: dict[Tree, Tree] = {
            tree: Literal(cell) for tree, cell in zip(trees, row, strict=True) if tree in varied
        }
        if all(possible(one, given) for one in shared):
            kept.append(row)
    return kept or rows


def promises(near: Value, wide: Value) -> list[Tree]:
    """Conditions that say of a value what another reading of it knows beyond its type."""
    name = wide.tree
    found: list[Tree] = []
    if near.values is not None and near.values != wide.values:
        found.append(_is_one_of(near.values, name))
    elif isinstance(near.type, Whole) and isinstance(wide.type, Whole):
        # Of a range that nobody stated one end alone may be known, and stays alone.
        stated = near.type.declared and not wide.type.declared
        if stated or near.type.low > wide.type.low:
            found.append(call(Op.AT_MOST, near.type.low, name))
        if stated or near.type.high < wide.type.high:
            found.append(call(Op.AT_MOST, name, near.type.high))
    found = [_or_null(one, name, nullable=near.nullable) for one in found]
    if wide.nullable and not near.nullable:
        found.append(negated(call(Op.IS_NULL, name)))
    return found


def promised_rows(names: Sequence[Tree], rows: Sequence[tuple[Known | None, ...]]) -> list[Tree]:
    """Conditions that say that names have the values of one of several rows."""
    if len(rows) <= MOST_ROWS:
        pairs = [zip(names, row, strict=True) for row in rows]
        same = [[call(Op.SAME, name, Literal(cell)) for name, cell in pair] for pair in pairs]
        return [any_of(*(all_of(*tests) for tests in same))]
    found = []
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        values = [cell for cell in dict.fromkeys(cells) if cell is not None]
        if len(values) <= MOST_VALUES:
            found.append(_or_null(_is_one_of(values, name), name, nullable=None in cells))
    return found


def _is_one_of(values: Sequence[Known], name: Tree) -> Tree:
    truths = [one for one in values if isinstance(one, bool)]
    others = tuple(one for one in values if not isinstance(one, bool))
    tests = [call(Op.SAME, name, Literal(one)) for one in truths]
    return any_of(*tests, *([OneOf(name, others)] if others else []))


def _or_null(condition: Tree, name: Tree, *, nullable: bool) -> Tree:
    return Call(Op.OR, (call(Op.IS_NULL, name), condition)) if nullable else condition


def _within(value: Value, kind: Whole, within: Ends) -> Value:
    """A number held to ends, which are stated as well as declared ones where there are two."""
    low, high = max(kind.low, within[0]), min(kind.high, within[1])
    if low > high:
        return value
    stated = kind.declared or not (math.isinf(within[0]) or math.isinf(within[1]))
    return replace(value, type=replace(kind, low=int(low), high=int(high), declared=stated))


def _listed(value: Value, about: Sequence[Tree]) -> list[Known] | None:
    """The values that all conditions allow, in their order; None where they are not known."""
    tree = value.tree
    named = common(candidates(one, tree) for one in about)
    values: Sequence[Known] | None = value.values
    if values is None and named is not None:
        values = sorted(named, key=str) if isinstance(value.type, Text) else sorted(map(int, named))
    if values is None:
        return None
    kept = [one for one in values if named is None or one in named]
    if isinstance(value.type, Whole):
        low, high = value.type.low, value.type.high
        kept = [one for one in kept if low <= int(one) <= high]
    steps = MOST_STEPS
    for condition in about:
        if not is_plain(condition, tree):
            steps -= len(kept) * size(condition)
            if steps < 0:
                break
            kept = [one for one in kept if possible(condition, {tree: Literal(one)})]
    return kept


def _among(value: Value, values: Sequence[Known]) -> Value:
    """A value that is one of those listed; of none, as it was."""
    if not values or len(values) > MOST_VALUES:
        return value
    kind = value.type
    if isinstance(kind, Text):
        return replace(value, type=replace(kind, values=tuple(map(str, values))))
    listed = tuple(sorted(int(one) for one in values))
    if isinstance(kind, Truth):
        return replace(value, listed=tuple(bool(one) for one in listed))
    whole = replace(kind, low=listed[0], high=listed[-1], declared=True)
    return replace(value, type=whole, listed=listed)
