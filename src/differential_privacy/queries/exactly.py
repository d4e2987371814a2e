"""The queries of a plan: exact numbers of each group, over the rows that a bound leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from differential_privacy.queries.bounding import Bounding, Kept, Listed
from differential_privacy.queries.measures import Exact, Percentile, Way
from differential_privacy.queries.questions import Asked
from differential_privacy.queries.values import as_column
from differential_privacy.sources import OWNER, Scanner
from differential_privacy.sources.trees import (
    NULL,
    TRUE,
    Literal,
    Name,
    Op,
    Select,
    Tree,
    all_of,
    call,
    negated,
    when,
)

__all__ = ["exact_query", "people", "percentile_query"]


def people() -> Exact:
    """How many people are in a group."""
    return Exact(Way.PEOPLE, TRUE)


def exact_query(
    asked: Asked, bounding: Bounding, exact: Sequence[Exact], scanner: Scanner
) -> Select:
    """Keys, and the exact numbers of each group."""
    rows = _Rows.of(asked, bounding, [one.tree for one in exact], scanner)
    counted = tuple((f"x{place}", rows.exact(one)) for place, one in enumerate(exact))
    group = tuple(tree for _, tree in rows.keys)
    query = Select((*rows.keys, *counted), rows.kept.relation, (), rows.kept.condition, group)
    return rows.kept.coding.decode(query)


def percentile_query(
    asked: Asked, bounding: Bounding, percentile: Percentile, scanner: Scanner
) -> Select:
    """Keys, a value, and how many rows of the group have it."""
    rows = _Rows.of(asked, bounding, [percentile.tree], scanner)
    value = rows.value(percentile.tree)
    there = all_of(rows.kept.condition or TRUE, negated(call(Op.IS_NULL, value)))
    columns = (*rows.keys, ("x", value), ("n", rows.exact(Exact(Way.ROWS))))
    group = (*(tree for _, tree in rows.keys), value)
    query = Select(columns, rows.kept.relation, (), there, group)
    return rows.kept.coding.decode(query)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows that are kept, with the names under which they hold keys and values."""

    kept: Kept
    names: dict[Tree, str]
    many_keys: int
    owned: bool

    @staticmethod
    def of(asked: Asked, bounding: Bounding, trees: Sequence[Tree], scanner: Scanner) -> "_Rows":
        values = [tree for tree in dict.fromkeys(trees) if not isinstance(tree, Literal)]
        names: dict[Tree, str] = {tree: f"v{place}" for place, tree in enumerate(values)}
        keys = [(f"k{place}", as_column(key)) for place, key in enumerate(asked.keys)]
        owner = asked.frame.owner
        owners = () if owner is None else ((OWNER, owner),)
        listed = tuple((name, tree) for tree, name in names.items())
        kept = bounding.kept(Listed(asked, scanner, owners, tuple(keys), listed))
        return _Rows(kept, names, len(keys), owner is not None)

    @property
    def keys(self) -> tuple[tuple[str, Tree], ...]:
        return tuple((f"k{place}", self._name(f"k{place}")) for place in range(self.many_keys))

    def value(self, tree: Tree) -> Tree:
        """What stands for a row's value out here."""
        return tree if isinstance(tree, Literal) else self._name(self.names[tree])

    def exact(self, exact: Exact) -> Tree:
        """An exact number, as an aggregate over the rows."""
        value = self.value(exact.tree)
        if exact.way is Way.PEOPLE:
            return self._people(value)
        if exact.way is Way.DISTINCT:
            return call(Op.DISTINCT, value)
        if self.kept.weight is not None:
            return self._weighed(exact.way, value, self.kept.weight)
        if exact.way is Way.ROWS:
            return call(Op.ROWS)
        return call(Op.COUNT if exact.way is Way.COUNT else Op.SUM, value)

    def _weighed(self, way: Way, value: Tree, weight: Tree) -> Tree:
        if way is Way.ROWS:
            return call(Op.SUM, weight)
        if way is Way.COUNT:
            return call(Op.SUM, when(call(Op.IS_NULL, value), NULL, weight))
        return call(Op.SUM, call(Op.MULTIPLY, value, weight))

    def _people(self, condition: Tree) -> Tree:
        if not self.owned or self.kept.alone:
            return call(Op.ROWS) if condition == TRUE else call(Op.COUNT, condition)
        if self.kept.first is not None and condition == TRUE:
            return call(Op.COUNT, when(self.kept.first, Literal(1)))
        owner = self._name(OWNER)
        return call(Op.DISTINCT, owner if condition == TRUE else when(condition, owner))

    def _name(self, name: str) -> Name:
        return Name(self.kept.relation.alias, name)
