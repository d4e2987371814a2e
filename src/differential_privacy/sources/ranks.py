"""Whole numbers that scatter rows and groups under a secret key: which of them a person keeps.

Rule 1: a number depends on the person, the row and the key alone: not on the engine, not on other
people, not on the order of rows.
Rule 2: what has the same number is told apart by the values themselves, so that the choice among a
person's rows is a function of these rows. No guarantee rests on the numbers: any such choice bounds
as well. Secrecy only keeps people from placing rows so that they are chosen.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import (
    Join,
    Literal,
    Name,
    Op,
    Rows,
    Secret,
    Tree,
    call,
    negated,
    when,
)

__all__ = [
    "PRIME",
    "Keyed",
    "Ranks",
    "residue",
    "residue_of",
    "scattered",
    "tied",
]

PRIME = (1 << 31) - 1
"""Products of two smaller numbers fit in 64 bits, on every engine."""

NOTHING = PRIME - 1
"""Stands for NULL."""

SHIFT = 1 << 31
COEFFICIENTS = 1 << 28
TERMS = 4
"""So many residues, each times a coefficient, and one more residue are below 2^62."""

DIGITS = 15
TEXT, RESIDUE = "text", "residue"


@dataclass(frozen=True, slots=True)
class Ranks:
    """The choices of one secret key.

    A value becomes a residue, and the residues a linear form with secret coefficients, whose fifth
    power is the number: so that how one person's rows are ordered does not tell how another's are.
    """

    key: bytes = field(repr=False)

    def of_row(self, residues: Sequence[Tree]) -> Tree:
        """A number below 2^62 for a row."""
        return self.row_number(*self.row_forms(residues))

    def row_forms(self, residues: Sequence[Tree]) -> tuple[Tree, Tree]:
        """The two forms that the number of a row is made of."""
        return self._form("row high", residues), self._form("row low", residues)

    def row_number(self, high: Tree, low: Tree) -> Tree:
        """The number of a row from its forms: rows that differ share it once in 2^62."""
        return call(Op.ADD, call(Op.MULTIPLY, scattered(high), SHIFT), low)

    def group_form(self, residues: Sequence[Tree]) -> Tree:
        """The form whose scattered number is that of a person's group: for one key another."""
        return self._form("group", residues)

    def mark(self, text: str) -> str:
        """A short text that only the key's holders can tell from others: 24 digits."""
        return hashlib.blake2b(text.encode(), key=self.key, digest_size=12).hexdigest()

    def _form(self, name: str, residues: Sequence[Tree]) -> Tree:
        form: Tree = Literal(self._secret(f"{name} start"))
        for place, part in enumerate(residues):
            if place and place % TERMS == 0:
                form = call(Op.REMAINDER, form, PRIME)
            scaled = call(Op.MULTIPLY, part, self._secret(f"{name} {place}"))
            form = call(Op.ADD, scaled, form)
        return call(Op.REMAINDER, form, PRIME)

    def _secret(self, name: str) -> Secret:
        digest = hashlib.blake2b(name.encode(), key=self.key, digest_size=16).digest()
        return Secret(1 + int.from_bytes(digest, "big") % (COEFFICIENTS - 1))


@dataclass(frozen=True, slots=True)
class Keyed:
    """A settled value that a number is made of, and what is public of it.

    `within` are the ends that it is known to have, `values` the texts, where they are known: their
    residues are looked up then, which is quicker than computing them for each row.
    """

    tree: Tree
    kind: Kind
    within: tuple[int, int] | None = None
    values: tuple[str, ...] | None = None

    @property
    def is_told_apart(self) -> bool:
        """Whether no two values have one residue."""
        if self.kind is Kind.BOOLEAN:
            return True
        if self.kind is Kind.TEXT:
            found = _residues(self.values or ())
            return self.values is not None and len({*found, NOTHING}) == len(found) + 1
        return self.within is not None and self.within[0] >= 0 and self.within[1] < NOTHING

    @property
    def is_listed(self) -> bool:
        """Whether it is a text whose residue can stand for it."""
        return bool(self.values) and self.is_told_apart

    def code(self, alias: str) -> tuple[Tree, Join]:
        """The residue of a listed text, or NULL, from public rows that hold it."""
        there = call(Op.EQUAL, self.tree, Name(alias, TEXT))
        return Name(alias, RESIDUE), Join(self._listed(alias), there, outer=True)

    def decoded(self, code: Tree, alias: str) -> tuple[Tree, Join]:
        """The text that a code stands for."""
        there = call(Op.EQUAL, code, Name(alias, RESIDUE))
        return Name(alias, TEXT), Join(self._listed(alias), there, outer=True)

    def looked_up(self, alias: str) -> tuple[Tree, Join | None]:
        """Its residue, and the public rows that hold it, for a text that is listed."""
        if self.kind is not Kind.TEXT or not self.values:
            return residue_of(self.tree, self.kind, within=self.within), None
        found, there = self.code(alias)
        return when(call(Op.IS_NULL, found), Literal(NOTHING), found), there

    def _listed(self, alias: str) -> Rows:
        values = self.values or ()
        return Rows((TEXT, RESIDUE), tuple(zip(values, _residues(values), strict=True)), alias)


def tied(key: Keyed, found: Tree) -> Tree:
    """What tells a key from others of one number: a residue, where that is enough."""
    return call(Op.SMALL, found) if key.is_told_apart else key.tree


def scattered(form: Tree) -> Tree:
    """The fifth power of a number below the prime.

    Theorem: five does not divide the prime less one, so no two numbers have one fifth power.
    """
    square = call(Op.REMAINDER, call(Op.MULTIPLY, form, form), PRIME)
    fourth = call(Op.REMAINDER, call(Op.MULTIPLY, square, square), PRIME)
    return call(Op.REMAINDER, call(Op.MULTIPLY, fourth, form), PRIME)


def residue(value: Tree, *, text: bool, within: tuple[int, int] | None = None) -> Tree:
    """A value as a number below the prime; `within` are the ends it is known to have."""
    low, high = within or (-PRIME * PRIME, PRIME * PRIME)
    if text:
        rest = call(Op.REMAINDER, call(Op.HASHED, value), PRIME)
    elif low >= 0:
        rest = value if high < PRIME else call(Op.REMAINDER, value, PRIME)
    else:
        signed = call(Op.REMAINDER, value, PRIME)
        rest = call(Op.REMAINDER, call(Op.ADD, signed, PRIME), PRIME)
    return when(call(Op.IS_NULL, value), Literal(NOTHING), rest)


def residue_of(value: Tree, kind: Kind, *, within: tuple[int, int] | None = None) -> Tree:
    """A settled value of some kind as a number below the prime."""
    if kind is Kind.BOOLEAN:
        value = when(value, Literal(1), when(negated(value), Literal(0)))
        within = (0, 1)
    return residue(value, text=kind is Kind.TEXT, within=within)


@lru_cache(maxsize=256)
def _residues(values: tuple[str, ...]) -> tuple[int, ...]:
    """What `residue` makes of texts: see `Op.HASHED`."""
    digests = (hashlib.md5(one.encode(), usedforsecurity=False).hexdigest() for one in values)
    return tuple(int(digest[:DIGITS], 16) % PRIME for digest in digests)
