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

from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import Literal, Op, Secret, Tree, call, negated, when

__all__ = ["PRIME", "Ranks", "residue", "residue_of"]

PRIME = (1 << 31) - 1
"""Products of two smaller numbers fit in 64 bits, on every engine."""

SHIFT = 1 << 31
COEFFICIENTS = 1 << 28
TERMS = 4
"""So many residues, each times a coefficient, and one more residue are below 2^62."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The choices of one secret key.

    A value becomes a residue; linear forms of the residues, with secret coefficients, are
    multiplied, so that how one person's rows are ordered does not tell how another's are.
    """

    key: bytes = field(repr=False)

    def of_row(self, residues: Sequence[Tree]) -> Tree:
        """A number below 2^62 for a row."""
        one, two, three = (self._form(f"row {lane}", residues) for lane in range(3))
        high = call(Op.REMAINDER, call(Op.MULTIPLY, one, two), PRIME)
        low = call(Op.REMAINDER, call(Op.MULTIPLY, two, three), PRIME)
        return call(Op.ADD, call(Op.MULTIPLY, high, SHIFT), low)

    def of_group(self, residues: Sequence[Tree]) -> Tree:
        """A number below 2^31 for a person's group."""
        one, two = (self._form(f"group {lane}", residues) for lane in range(2))
        return call(Op.REMAINDER, call(Op.MULTIPLY, one, two), PRIME)

    def mark(self, text: str) -> str:
        """A short text that only the key's holders can tell from others: 24 digits."""
        return hashlib.blake2b(text.encode(), key=self.key, digest_size=12).hexdigest()

    def _form(self, name: str, residues: Sequence[Tree]) -> Tree:
        form: Tree = Literal(self._secret(f"{name} start"))
        for place, part in enumerate(residues):
            scaled = call(Op.MULTIPLY, part, self._secret(f"{name} {place}"))
            form = call(Op.ADD, scaled, form)
            if place % TERMS == TERMS - 1:
                form = call(Op.REMAINDER, form, PRIME)
        return call(Op.REMAINDER, form, PRIME)

    def _secret(self, name: str) -> Secret:
        digest = hashlib.blake2b(name.encode(), key=self.key, digest_size=16).digest()
        return Secret(1 + int.from_bytes(digest, "big") % (COEFFICIENTS - 1))


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
    return when(call(Op.IS_NULL, value), Literal(PRIME - 1), rest)


def residue_of(value: Tree, kind: Kind, *, within: tuple[int, int] | None = None) -> Tree:
    """A settled value of some kind as a number below the prime."""
    if kind is Kind.BOOLEAN:
        value = when(value, Literal(1), when(negated(value), Literal(0)))
        within = (0, 1)
    return residue(value, text=kind is Kind.TEXT, within=within)
