"""Whole numbers that scatter rows and groups under a secret key: which of them a person keeps.

Rule 1: a number depends on the person, the row and the key alone: not on the engine, not on other
people, not on the order of rows.
Rule 2: a number is never all that tells rows or groups apart: where two share it, the values that
are asked for decide, so that what is chosen of a person is a function of that person's rows. No
guarantee rests on the numbers. Secrecy keeps people from placing rows so that they are chosen.
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
    "OTHER_PRIME",
    "PRIME",
    "SHIFT",
    "Grouping",
    "Keyed",
    "Ranks",
    "owner_residue",
    "residue",
    "residue_of",
    "scattered",
    "squared",
]

PRIME, OTHER_PRIME = (1 << 31) - 1, (1 << 31) - 19
"""Products of two smaller numbers fit in 64 bits, on every engine; residues by both tell numbers of
62 bits apart."""

NOTHING = PRIME - 1
"""Stands for NULL."""

SHIFT = 1 << 31
COEFFICIENTS = 1 << 28
TERMS = 4
"""So many residues below 2^32, each times a coefficient, and one more are below 2^63."""

MOST_LISTED = 1 << 17
"""Characters of texts that are written into a query, so that their residues can be looked up."""

DIGITS = 15
TEXT, RESIDUE, PLACE = "text", "residue", "place"


@dataclass(frozen=True, slots=True)
class Ranks:
    """The choices of one secret key.

    A value becomes a residue, and the residues a linear form with secret coefficients, whose fifth
    power is the number: so that how one person's rows are ordered does not tell how another's are.
    """

    key: bytes = field(repr=False)

    def of_row(self, highs: Sequence[Tree], lows: Sequence[Tree]) -> Tree:
        """A number below 2^62, from residues by each of the primes."""
        high, low = self.form("row high", highs), self.form("row low", lows, OTHER_PRIME)
        return call(Op.ADD, call(Op.MULTIPLY, scattered(high), SHIFT), low)

    def group_form(self, residues: Sequence[Tree]) -> Tree:
        """The form whose scattered number is that of a person's group: for one key another."""
        return self.form("group", residues)

    def mark(self, text: str) -> str:
        """A short text that only the key's holders can tell from others: 24 digits."""
        return hashlib.blake2b(text.encode(), key=self.key, digest_size=12).hexdigest()

    def form(self, name: str, residues: Sequence[Tree], prime: int = PRIME) -> Tree:
        """A linear form of residues, modulo the prime."""
        form: Tree = Literal(self._secret(f"{name} start"))
        for place, part in enumerate(residues):
            if place and place % TERMS == 0:
                form = call(Op.REMAINDER, form, prime)
            scaled = call(Op.MULTIPLY, part, self._secret(f"{name} {place}"))
            form = call(Op.ADD, scaled, form)
        return call(Op.REMAINDER, form, prime)

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
            return self.is_listed and len({*self._codes, NOTHING}) == len(self._codes) + 1
        return self.within is not None and self.within[0] >= 0 and self.within[1] < NOTHING

    @property
    def is_listed(self) -> bool:
        """Whether it is a text of few that are known."""
        return bool(self.values) and sum(map(len, self.values or ())) <= MOST_LISTED

    def looked_up(self, alias: str) -> tuple[Tree, Join | None]:
        """Its residue, and the public rows that hold it, for a text that is listed."""
        if not self.is_listed:
            return residue_of(self.tree, self.kind), None
        found, there = self.code(alias)
        return when(call(Op.IS_NULL, found), Literal(NOTHING), found), there

    def residues(self, alias: str) -> tuple[tuple[Tree, Tree], Join | None]:
        """Residues by each of the primes, of a value whose tree keeps to its ends.

        One stands for both where it tells all values apart.
        """
        if self.is_listed:
            found, there = self.looked_up(alias)
            return (found, found), there
        lanes = (OTHER_PRIME, OTHER_PRIME) if self._is_narrow else (PRIME, OTHER_PRIME)
        high, low = (
            residue_of(self.tree, self.kind, within=self.within, prime=prime) for prime in lanes
        )
        return (high, low), None

    @property
    def _is_narrow(self) -> bool:
        within = self.within
        narrow = within is not None and within[1] - within[0] < OTHER_PRIME - 1
        return self.kind is Kind.BOOLEAN or (self.kind is not Kind.TEXT and narrow)

    def placed(self, alias: str) -> tuple[Tree, Join]:
        """The place of a listed text in its list, from 1, or NULL."""
        _, there = self.code(alias)
        return Name(alias, PLACE), there

    def code(self, alias: str) -> tuple[Tree, Join]:
        """The residue of a listed text, or NULL, from public rows that hold it."""
        there = call(Op.EQUAL, self.tree, Name(alias, TEXT))
        return Name(alias, RESIDUE), Join(self._rows(alias), there, outer=True)

    def decoded(self, code: Tree, alias: str) -> tuple[Tree, Join]:
        """The text that a code stands for."""
        there = call(Op.EQUAL, code, Name(alias, RESIDUE))
        return Name(alias, TEXT), Join(self._rows(alias), there, outer=True)

    @property
    def _codes(self) -> tuple[int, ...]:
        return _residues(self.values or ())

    def _rows(self, alias: str) -> Rows:
        values = self.values or ()
        listed = zip(values, self._codes, range(1, len(values) + 1), strict=True)
        return Rows((TEXT, RESIDUE, PLACE), tuple(listed), alias)


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a person's groups by some keys are ordered by: a number, and the keys if it may tie.

    `order` stands above two layers: `numbers` above `forms`, which are computed beside `joins`.
    """

    joins: tuple[Join, ...]
    forms: tuple[tuple[str, Tree], ...]
    numbers: tuple[tuple[str, Tree], ...]
    order: tuple[Tree, ...]

    @staticmethod
    def by(
        keys: Sequence[Keyed], ranks: Ranks, owner: Tree, *, alias: str, place: int
    ) -> "Grouping":
        """The grouping of this place by keys; `owner` is the residue of whose a row is."""
        found = [key.looked_up(f"known_{place}_{at}") for at, key in enumerate(keys)]
        residues = [tree for tree, _ in found]
        number = f"_number_{place}"
        ties: list[tuple[str, Tree]] = []
        if len(keys) != 1 or not keys[0].is_told_apart:
            ties = [
                (f"_key_{place}_{at}", call(Op.SMALL, mine) if key.is_told_apart else key.tree)
                for at, (key, mine) in enumerate(zip(keys, residues, strict=True))
            ]
        scattered_form = call(Op.SMALL, scattered(Name(alias, number)))
        told = tuple((name, Name(alias, name)) for name, _ in ties)
        return Grouping(
            tuple(join for _, join in found if join is not None),
            ((number, ranks.group_form([owner, *residues])), *ties),
            ((number, scattered_form), *told),
            (Name(alias, number), *(tree for _, tree in told)),
        )


def scattered(form: Tree) -> Tree:
    """The fifth power of a number below the prime.

    Theorem: five does not divide the prime less one, so no two numbers have one fifth power.
    """
    fourth = squared(squared(form))
    return call(Op.REMAINDER, call(Op.MULTIPLY, fourth, form), PRIME)


def squared(form: Tree) -> Tree:
    """The square of a number below the prime."""
    return call(Op.REMAINDER, call(Op.MULTIPLY, form, form), PRIME)


def owner_residue(owner: Tree, *, text: bool) -> Tree:
    """Whose a row is, which is never NULL, as a number from 0 to twice the prime."""
    if text:
        return call(Op.REMAINDER, call(Op.HASHED, owner), PRIME)
    return call(Op.ADD, call(Op.REMAINDER, owner, PRIME), PRIME)


def residue(
    value: Tree, *, text: bool, within: tuple[int, int] | None = None, prime: int = PRIME
) -> Tree:
    """A value as a number below the prime; `within` are the ends that its tree keeps to."""
    if text:
        rest = call(Op.REMAINDER, call(Op.HASHED, value), prime)
    elif within is not None and within[1] - within[0] < OTHER_PRIME - 1:
        # Nothing on the way is long, and no two values have one residue.
        rest = call(Op.SUBTRACT, value, within[0])
    else:
        signed = call(Op.REMAINDER, value, prime)
        rest = call(Op.REMAINDER, call(Op.ADD, signed, prime), prime)
    return when(call(Op.IS_NULL, value), Literal(prime - 1), rest)


def residue_of(
    value: Tree, kind: Kind, *, within: tuple[int, int] | None = None, prime: int = PRIME
) -> Tree:
    """A settled value of some kind as a number below the prime."""
    if kind is Kind.BOOLEAN:
        value = when(value, Literal(1), when(negated(value), Literal(0)))
        within = (0, 1)
    return residue(value, text=kind is Kind.TEXT, within=within, prime=prime)


@lru_cache(maxsize=256)
def _residues(values: tuple[str, ...]) -> tuple[int, ...]:
    """What `residue` makes of texts: see `Op.HASHED`."""
    digests = (hashlib.md5(one.encode(), usedforsecurity=False).hexdigest() for one in values)
    return tuple(int(digest[:DIGITS], 16) % PRIME for digest in digests)
