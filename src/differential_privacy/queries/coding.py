"""Short codes in the place of texts that are known: quicker to sort, to group and to carry.

Theorem: codes are residues that no two texts of the list share, so groups by codes are groups by
texts; NULL, and it alone, has no code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from differential_privacy.queries.values import Text, Value, Whole
from differential_privacy.sources import Keyed, Kind
from differential_privacy.sources.ranks import PRIME
from differential_privacy.sources.trees import Derived, Name, Select, Tree

__all__ = ["UNCODED", "Coding"]

GROUPS = "g"
CODES = (0, PRIME - 2)
"""From the lowest to the highest code."""


@dataclass(frozen=True, slots=True)
class Coding:
    """The keys of a question, by the names of their columns, of which some are coded."""

    keys: Mapping[str, Keyed]

    @staticmethod
    def of(keys: Sequence[Value], names: Sequence[str], alias: str) -> "Coding":
        """The keys as columns of a relation."""
        return Coding(
            {name: _keyed(Name(alias, name), key) for name, key in zip(names, keys, strict=True)}
        )

    @property
    def coded(self) -> list[Keyed]:
        """The keys as numbers are made of them, once they are coded."""
        return [
            Keyed(key.tree, Kind.INTEGER, CODES) if _has_code(key) else key
            for key in self.keys.values()
        ]

    def code(self, rows: Derived, names: Sequence[str]) -> Select:
        """The same rows, with codes in the place of texts."""
        columns: dict[str, Tree] = {name: Name(rows.alias, name) for name in names}
        joins = []
        for name, key in self._texts.items():
            columns[name], join = key.code(f"known_{name}")
            joins.append(join)
        return Select(tuple(columns.items()), rows, tuple(joins))

    def decode(self, query: Select) -> Select:
        """The same groups, with texts in the place of codes."""
        if not self._texts:
            return query
        columns: dict[str, Tree] = {name: Name(GROUPS, name) for name, _ in query.columns}
        joins = []
        for name, key in self._texts.items():
            columns[name], join = key.decoded(columns[name], f"known_{name}")
            joins.append(join)
        return Select(tuple(columns.items()), Derived(query, GROUPS), tuple(joins))

    @property
    def _texts(self) -> dict[str, Keyed]:
        return {name: key for name, key in self.keys.items() if _has_code(key)}


UNCODED = Coding({})
"""Where keys stand for themselves."""


def _has_code(key: Keyed) -> bool:
    return key.kind is Kind.TEXT and key.is_told_apart


def _keyed(tree: Name, key: Value) -> Keyed:
    kind = key.type
    if isinstance(kind, Whole):
        return Keyed(tree, kind.kind, (kind.low, kind.high))
    if isinstance(kind, Text):
        return Keyed(tree, Kind.TEXT, values=kind.values)
    return Keyed(tree, Kind.BOOLEAN)
