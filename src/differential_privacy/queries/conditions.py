"""What a condition says of an expression where it is true: its ends, and its values.

Theorem: a condition that with a value in the place of an expression comes to false or NULL,
whatever else a row holds, is true of no row in which the expression has that value.
"""

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from differential_privacy.queries.evaluating import evaluated, varies
from differential_privacy.sources.trees import Call, Case, Literal, OneOf, Op, Tree, call

__all__ = [
    "Ends",
    "Known",
    "both_ends",
    "candidates",
    "common",
    "ends",
    "is_plain",
    "mentions",
    "placed",
    "possible",
    "size",
]

Known: TypeAlias = int | str | bool
Ends: TypeAlias = tuple[float, float]

EVERYWHERE: Ends = (-math.inf, math.inf)
NOWHERE: Ends = (math.inf, -math.inf)
COMPARED = (Op.EQUAL, Op.LESS, Op.AT_MOST)


def possible(condition: Tree, given: Mapping[Tree, Tree]) -> bool:
    """Whether a condition could be true where trees have the given values."""
    match condition:
        case Call(Op.AND, args):
            return all(possible(arg, given) for arg in args)
        case Call(Op.OR, args):
            return any(possible(arg, given) for arg in args)
        case _:
            found = placed(condition, given)
            return varies(found) or evaluated(found, {}) is True


def placed(tree: Tree, given: Mapping[Tree, Tree]) -> Tree:
    """A tree with others in the places of its parts."""
    if tree in given:
        return given[tree]
    match tree:
        case Call(op, args):
            return Call(op, tuple(placed(arg, given) for arg in args))
        case Case(branches, otherwise):
            pairs = tuple((placed(test, given), placed(then, given)) for test, then in branches)
            return Case(pairs, placed(otherwise, given))
        case OneOf(this, values):
            return OneOf(placed(this, given), values)
        case _:
            return tree


def _parts(tree: Tree) -> tuple[Tree, ...]:
    match tree:
        case Call(_, args):
            return args
        case Case(branches, otherwise):
            return (*(part for pair in branches for part in pair), otherwise)
        case OneOf(this, _):
            return (this,)
        case _:
            return ()


def mentions(condition: Tree, tree: Tree) -> bool:
    """Whether a condition depends on a tree as a whole."""
    return condition == tree or any(mentions(part, tree) for part in _parts(condition))


def size(condition: Tree) -> int:
    """How many parts a condition has."""
    listed = len(condition.values) if isinstance(condition, OneOf) else 1
    return listed + sum(map(size, _parts(condition)))


def ends(condition: Tree, tree: Tree) -> Ends:
    """Between which numbers a tree is where a condition is true."""
    match condition:
        case Call(Op.AND, args):
            return both_ends(ends(arg, tree) for arg in args)
        case Call(Op.OR, args):
            lows, highs = zip(*(ends(arg, tree) for arg in args), strict=True)
            return min(lows), max(highs)
        case Call(Op.NOT, (Call(Op.LESS, (one, other)),)):
            return _compared(call(Op.AT_MOST, other, one), tree)
        case Call(Op.NOT, (Call(Op.AT_MOST, (one, other)),)):
            return _compared(call(Op.LESS, other, one), tree)
        case _:
            return _compared(condition, tree)


def both_ends(found: Iterable[Ends]) -> Ends:
    """Between which numbers is what is within all ends."""
    lows, highs = zip(EVERYWHERE, *found, strict=True)
    return max(lows), min(highs)


def _compared(condition: Tree, tree: Tree) -> Ends:
    match condition:
        case Call(Op.EQUAL | Op.SAME, (one, Literal(int(at))) | (Literal(int(at)), one)) if (
            one == tree
        ):
            return at, at
        case Call(Op.AT_MOST | Op.LESS as op, (one, Literal(int(at)))) if one == tree:
            return -math.inf, at - (op is Op.LESS)
        case Call(Op.AT_MOST | Op.LESS as op, (Literal(int(at)), one)) if one == tree:
            return at + (op is Op.LESS), math.inf
        case Call(Op.IS_NULL, (one,)) | Call(Op.SAME, (one, Literal(None))) if one == tree:
            return NOWHERE
        case OneOf(one, values) if one == tree:
            numbers = [at for at in values if isinstance(at, int)]
            return (min(numbers), max(numbers)) if numbers else EVERYWHERE
        case _:
            return EVERYWHERE


def candidates(condition: Tree, tree: Tree) -> frozenset[Known] | None:
    """The values that a tree can have where a condition is true, if it names them."""
    match condition:
        case Call(Op.AND, args):
            return common(candidates(arg, tree) for arg in args)
        case Call(Op.OR, args):
            sets = [candidates(arg, tree) for arg in args]
            known = [one for one in sets if one is not None]
            return frozenset[Known]().union(*known) if len(known) == len(sets) else None
        case Call(
            Op.EQUAL | Op.SAME,
            (one, Literal(int() | str() as value)) | (Literal(int() | str() as value), one),
        ) if one == tree:
            return frozenset({value})
        case Call(Op.IS_NULL, (one,)) | Call(Op.SAME, (one, Literal(None))) if one == tree:
            return frozenset()
        case OneOf(one, values) if one == tree:
            return frozenset(values)
        case _:
            return None


def common(sets: Iterable[frozenset[Known] | None]) -> frozenset[Known] | None:
    """What is in all sets that are known."""
    known = [one for one in sets if one is not None]
    return frozenset.intersection(*known) if known else None


def is_plain(condition: Tree, tree: Tree) -> bool:
    """Whether a condition says no more than what ends and lists of values hold already."""
    match condition:
        case Call(op, (one, Literal()) | (Literal(), one)):
            return op in COMPARED and one == tree
        case OneOf(one, _):
            return one == tree
        case _:
            return False
