"""UNION ALL: the rows of two relations as those of one, each with the owner that it had.

Theorem: a row of a union is a row of one side and has its owner, so one person has at most as many
rows as on both sides together.
"""

from collections.abc import Iterable

from differential_privacy.errors import QuestionError
from differential_privacy.queries.comparisons import alike
from differential_privacy.queries.known import narrowed, promises
from differential_privacy.queries.relations import Bound, Mode, combined_hash, places_of
from differential_privacy.queries.values import Value, as_column, covering, listed_values
from differential_privacy.sources import HASH, OWNER
from differential_privacy.sources.trees import Derived, Name, Select, Tree, Union

__all__ = ["united"]


def united(one: Bound, other: Bound, *, name: str, alias: str, mode: Mode) -> Bound:
    """The rows of both, with the column names of the first."""
    _check(one, other)
    hashed = mode.hashed and not one.row_owned
    pairs = _pairs(one.columns.values(), other.columns.values())
    selects = []
    for place, bound in enumerate((one, other)):
        columns: list[tuple[str, Tree]] = []
        if bound.unit is not None:
            columns.append((OWNER, bound.owner))
        columns += [(f"c{n}", as_column(pair[place])) for n, pair in enumerate(pairs)]
        if hashed:
            columns.append((HASH, combined_hash(bound.order, place)))
        selects.append(Select(tuple(columns), bound.relation))
    values = {
        key: _covered(pair, Name(alias, f"c{n}"))
        for n, (key, pair) in enumerate(zip(one.columns, pairs, strict=True))
    }
    known = [
        promise
        for value, pair in zip(values.values(), _pairs(*map(_near, (one, other))), strict=True)
        for promise in promises(_covered(pair, value.tree), value)
    ]
    return Bound(
        name,
        Derived(Union(tuple(selects)), alias),
        values,
        one.unit,
        None if one.most is None or other.most is None else one.most + other.most,
        (Name(alias, HASH),) if hashed else (),
        owner_is_text=one.owner_is_text,
        tables=one.tables | other.tables,
        places=places_of(values),
        known=tuple(known),
    )


def _pairs(ones: Iterable[Value], others: Iterable[Value]) -> list[list[Value]]:
    """The columns of both sides, as one type."""
    return [alike(pair, "UNION ALL") for pair in zip(ones, others, strict=True)]


def _near(bound: Bound) -> list[Value]:
    """The columns of one side, with what is known of its rows."""
    return [narrowed(value, bound.known) for value in bound.columns.values()]


def _covered(pair: list[Value], tree: Tree) -> Value:
    """A column that has the values of both."""
    one, other = pair
    refers = one.refers if one.refers == other.refers else None
    return Value(tree, covering(pair), refers, listed_values(pair))


def _check(one: Bound, other: Bound) -> None:
    if one.unit != other.unit:
        rule = "both sides must be about the same people"
        raise QuestionError("UNION ALL", rule)
    if one.row_owned or other.row_owned:
        rule = "has a person in each row, who could stand on both sides: ask each on its own"
        raise QuestionError("UNION ALL", rule)
    if one.owner_is_text != other.owner_is_text:
        rule = "one side tells people apart by texts, the other by whole numbers"
        raise QuestionError("UNION ALL", rule)
    if len(one.columns) != len(other.columns):
        raise QuestionError("UNION ALL", "both sides must have as many columns")
