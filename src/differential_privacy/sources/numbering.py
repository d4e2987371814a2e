"""Numbers that scatter the rows of a person: what a row holds, shuffled where it fits, or hashed.

Rule 1: numbers are below 2^62, of the row, its owner and the key alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, TypeAlias

from differential_privacy.sources.columns import Column
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.ranks import (
    OTHER_PRIME,
    PRIME,
    SHIFT,
    Keyed,
    Ranks,
    scattered,
)
from differential_privacy.sources.tables import Table
from differential_privacy.sources.trees import (
    Derived,
    Join,
    Literal,
    Name,
    Op,
    Select,
    Tree,
    call,
    negated,
    when,
)

__all__ = ["Hashed", "Numbering", "Shuffled", "numbering"]

LEFT, RIGHT, MINE = "_left", "_right", "_mine"

Columns: TypeAlias = tuple[Column, ...]
Named: TypeAlias = tuple[str, Tree]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Rows of few enough values: the columns of L, and those of R.

    Theorem: let a row be one of at most p^2, for a prime p. Then what it holds is two numbers L and
    R below p, in which two rows that differ differ. L' = L + f(R) and R' = R + g(L'), modulo p,
    permute such pairs, whatever f and g are (Feistel). So rows of a person that share the number
    made of R' and L' are equal.
    """

    left: Columns
    right: Columns
    is_exact: ClassVar[bool] = True

    def numbered(
        self, rows: Derived, names: Iterable[str], number: str, ranks: Ranks, owner: Sequence[Tree]
    ) -> Select:
        """The same rows, numbered; `owner` has the residue of whose each is, or nothing."""
        alias = rows.alias
        named = [(name, Name(alias, name)) for name in names]
        mine = [(MINE, tree) for tree in owner]
        told = [(name, Name(alias, name)) for name, _ in mine]
        residues = [tree for _, tree in told]
        left, right = Name(alias, LEFT), Name(alias, RIGHT)
        (one, joins), (other, more) = _packed(self.left, alias), _packed(self.right, alias)
        limbs = Select((*named, *mine, (LEFT, one), (RIGHT, other)), rows, (*joins, *more))
        first = _sum(left, ranks.form("row left", [*residues, right]))
        half = Select((*named, *told, (LEFT, first), (RIGHT, right)), Derived(limbs, alias))
        second = _sum(right, scattered(ranks.form("row right", [*residues, left])))
        return Select((*named, (number, _number(second, left))), Derived(half, alias))


@dataclass(frozen=True, slots=True)
class Hashed:
    """Rows of more values: linear forms of residues by two primes, of which one is scattered.

    Theorem: forms of two rows whose residues differ are equal for at most one in 2^28 of the
    coefficients of a column in which they differ, so both are for one in 2^56. Rows that differ may
    share a number all the same: what they are told apart by must be these rows themselves.
    """

    columns: Columns
    is_exact: ClassVar[bool] = False

    def numbered(
        self, rows: Derived, names: Iterable[str], number: str, ranks: Ranks, owner: Sequence[Tree]
    ) -> Select:
        """The same rows, numbered; `owner` has the residue of whose each is, or nothing."""
        alias = rows.alias
        named = [(name, Name(alias, name)) for name in names]
        found = [_keyed(one, alias).residues(f"known_{one.name}") for one in self.columns]
        pairs = [*((tree, tree) for tree in owner), *(pair for pair, _ in found)]
        # What is the same by both primes is computed once.
        told = {tree: f"_residue_{at}" for at, tree in enumerate(dict.fromkeys(chain(*pairs)))}
        joins = tuple(join for _, join in found if join is not None)
        residues = [(name, tree) for tree, name in told.items()]
        below = Select((*named, *residues), rows, joins)
        high, low = (
            ranks.form(f"row {prime}", [Name(alias, told[pair[lane]]) for pair in pairs], prime)
            for lane, prime in enumerate((PRIME, OTHER_PRIME))
        )
        formed = Select((*named, (LEFT, low), (RIGHT, high)), Derived(below, alias))
        value = _number(scattered(Name(alias, RIGHT)), Name(alias, LEFT))
        return Select((*named, (number, value)), Derived(formed, alias))


Numbering: TypeAlias = Shuffled | Hashed


def numbering(table: Table) -> Numbering:
    """How rows of a table are numbered: by all columns but the owner's, which a person's share."""
    columns = [column for column in table.columns if column.name != table.owner]
    sizes = {column.name: _size(column) for column in columns}
    limbs: tuple[list[Column], list[Column]] = ([], [])
    room = [PRIME, PRIME]
    for column in sorted(columns, key=lambda one: -(sizes[one.name] or PRIME)):
        size = sizes[column.name]
        place = next((at for at in (0, 1) if size is not None and size <= room[at]), None)
        if size is None or place is None:
            return Hashed(tuple(columns))
        limbs[place].append(column)
        room[place] //= size
    return Shuffled(tuple(limbs[0]), tuple(limbs[1]))


def _keyed(column: Column, alias: str) -> Keyed:
    return Keyed(Name(alias, column.name), column.kind, column.reach, column.categories)


def _size(column: Column) -> int | None:
    """How many values a column has, with NULL; None where they are too many to count."""
    if column.kind is Kind.BOOLEAN:
        return 3
    if column.kind is Kind.TEXT:
        return (
            1 + len(column.categories)
            if column.categories and _keyed(column, "").is_listed
            else None
        )
    low, high = column.reach
    return high - low + 2


def _packed(columns: Columns, alias: str) -> tuple[Tree, tuple[Join, ...]]:
    """What a row holds in these columns as one number: digits of a mixed radix, zero for NULL."""
    total: Tree = Literal(0)
    joins = []
    for column in columns:
        digit, join = _digit(column, alias)
        joins += [join] if join is not None else []
        total = call(Op.ADD, call(Op.MULTIPLY, total, _size(column) or 1), digit)
    return total, tuple(joins)


def _digit(column: Column, alias: str) -> tuple[Tree, Join | None]:
    """What a column holds as a number from 0, which is NULL."""
    value = Name(alias, column.name)
    join = None
    if column.kind is Kind.BOOLEAN:
        there: Tree = when(value, Literal(1), when(negated(value), Literal(2)))
    elif column.kind is Kind.TEXT:
        there, join = _keyed(column, alias).placed(f"known_{column.name}")
    else:
        there = call(Op.SUBTRACT, value, column.reach[0] - 1)
    return when(call(Op.IS_NULL, there), Literal(0), there), join


def _sum(one: Tree, other: Tree) -> Tree:
    return call(Op.REMAINDER, call(Op.ADD, one, other), PRIME)


def _number(high: Tree, low: Tree) -> Tree:
    return call(Op.ADD, call(Op.MULTIPLY, high, SHIFT), low)
