"""Trees as the text that an engine reads; each engine says how it spells what others spell else.

Rule 1: names and texts are quoted here and nowhere else, so that none can end its quotes.
Rule 2: every whole number that is written has 64 bits where it meets others.
"""

from collections.abc import Callable, Mapping
from copy import copy
from types import NoneType

from differential_privacy.sources.trees import (
    Call,
    Case,
    Constant,
    Derived,
    Exists,
    Join,
    Literal,
    Name,
    OneOf,
    Op,
    Over,
    Query,
    Relation,
    Rows,
    Secret,
    Shared,
    Stored,
    Tree,
    Union,
)

__all__ = ["LETTERS", "Writer", "doubled"]

LETTERS = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

CONCEALED = "?"
"""What stands in the place of a secret constant."""

COMMON: dict[Op, str] = {
    Op.ADD: "({} + {})",
    Op.SUBTRACT: "({} - {})",
    Op.MULTIPLY: "({} * {})",
    Op.QUOTIENT: "({} / {})",
    Op.REMAINDER: "({} % {})",
    Op.EQUAL: "({} = {})",
    Op.DIFFERENT: "({} <> {})",
    Op.LESS: "({} < {})",
    Op.AT_MOST: "({} <= {})",
    Op.SAME: "({} IS NOT DISTINCT FROM {})",
    Op.IS_NULL: "({} IS NULL)",
    Op.NOT: "(NOT {})",
    Op.AND: "({} AND {})",
    Op.OR: "({} OR {})",
    Op.LIKE: "({} LIKE {} ESCAPE '\\')",
    Op.LENGTH: "CAST(LENGTH({}) AS BIGINT)",
    Op.PART: "SUBSTRING({}, CAST({} AS INTEGER), CAST({} AS INTEGER))",
    Op.JOINED: "({} || {})",
    Op.LOWER: f"TRANSLATE({{}}, '{LETTERS[0]}', '{LETTERS[1]}')",
    Op.UPPER: f"TRANSLATE({{}}, '{LETTERS[1]}', '{LETTERS[0]}')",
    Op.TRIMMED: "TRIM(BOTH ' ' FROM {})",
    Op.TIMES: "({} * {})",
    Op.OVER: "({} / {})",
    Op.PLUS: "({} + {})",
    Op.SMALL: "CAST({} AS INTEGER)",
    Op.ROWS: "COUNT(*)",
    Op.COUNT: "COUNT({})",
    Op.DISTINCT: "COUNT(DISTINCT {})",
    Op.SUM: "SUM({})",
    Op.LOWEST: "MIN({})",
    Op.HIGHEST: "MAX({})",
    Op.ROW_NUMBER: "ROW_NUMBER()",
    Op.PLACE: "RANK()",
    Op.DENSE_RANK: "DENSE_RANK()",
}

INDENT = "  "


def doubled(text: str) -> str:
    """A text in quotes, on one line, where quotes inside stand twice.

    >>> print(doubled("it's"))
    'it''s'
    """
    quoted = "'" + text.replace("'", "''") + "'"
    # Lines are indented later, and what stands in quotes must not be.
    return "E" + quoted.replace("\\", r"\\").replace("\n", r"\n") if "\n" in text else quoted


class Writer:
    """Writes trees for one engine: what `spelled` leaves out is spelled as the standard does.

    `texts` puts a text in quotes, and `pattern` turns what LIKE means into what the engine matches.
    """

    def __init__(
        self,
        spelled: Mapping[Op, str],
        *,
        quote: str = '"',
        real: str = "DOUBLE PRECISION",
        texts: Callable[[str], str] = doubled,
        pattern: Callable[[str], str] = str,
    ) -> None:
        self._spelled = {**COMMON, **spelled}
        self._quote = quote
        self._real = real
        self._texts = texts
        self._pattern = pattern
        self._conceals = False

    def shown(self, query: Query) -> str:
        """A query as analysts may see it: constants of the secret key are left out."""
        writer = copy(self)
        writer._conceals = True  # noqa: SLF001 - the same class
        return writer.query(query)

    def query(self, query: Query) -> str:
        """A query, indented for people to read."""
        if isinstance(query, Union):
            return "\nUNION ALL\n".join(self.query(part) for part in query.parts)
        shared = [
            f"{self.name(name)} AS (\n{_indented(self.query(inner))}\n)"
            for name, inner in query.shared
        ]
        columns = [f"{self._column(tree)} AS {self.name(name)}" for name, tree in query.columns]
        lines = [f"WITH {', '.join(shared)}"] if shared else []
        # Rows can matter where none of their columns does, and not every engine knows such rows.
        listed = ", ".join(columns) or f"1 AS {self.name('row')}"
        lines.append(f"SELECT {'DISTINCT ' if query.distinct else ''}{listed}")
        lines.append(f"FROM {self._relation(query.source)}")
        lines += [self._join(join) for join in query.joins]
        if query.where is not None:
            lines.append(f"WHERE {self.tree(query.where)}")
        if query.group:
            lines.append(f"GROUP BY {', '.join(self._key(tree) for tree in query.group)}")
        return "\n".join(lines)

    def _column(self, tree: Tree) -> str:
        """A column: a constant alone would have 32 bits, and so would what is computed with it."""
        text = self.tree(tree)
        whole = isinstance(tree, Literal) and type(tree.value) is int
        return _whole(text) if whole else text

    def tree(self, tree: Tree) -> str:
        """One expression."""
        match tree:
            case Name(relation, column):
                parts = [relation, column] if relation else [column]
                text = ".".join(self.name(part) for part in parts)
            case Literal(value):
                text = self.literal(value)
            case Call():
                text = self._call(tree)
            case Case(branches, otherwise):
                text = self._case(branches, otherwise)
            case OneOf(this, values):
                text = f"({self.tree(this)} IN ({', '.join(self.literal(v) for v in values)}))"
            case Over(call, partition, order, peers):
                text = f"{self.tree(call)} OVER ({self._window(partition, order, peers=peers)})"
            case Exists(query):
                text = f"EXISTS (\n{_indented(self.query(query))}\n)"
        return text

    def name(self, name: str) -> str:
        """A name in quotes, on one line."""
        line = name.replace("\n", " ")
        return self._quote + line.replace(self._quote, 2 * self._quote) + self._quote

    def literal(self, value: Constant) -> str:
        """A constant."""
        match value:
            case None:
                return "NULL"
            case bool():
                return "TRUE" if value else "FALSE"
            case str():
                return self.text(value)
            case float():
                return f"CAST('{value!r}' AS {self._real})"
            case Secret() if self._conceals:
                return CONCEALED
            case _:
                return str(value)

    def text(self, value: str) -> str:
        """A text in quotes."""
        return self._texts(value)

    def _call(self, call: Call) -> str:
        args = [self.tree(arg) for arg in call.args]
        last = call.args[-1] if call.args else None
        if call.op in (Op.QUOTIENT, Op.REMAINDER) and not isinstance(last, Literal):
            # An engine may compute a branch that it does not take: no divisor is ever zero.
            args[-1] = f"NULLIF({args[-1]}, 0)"
        if call.op is Op.LIKE and isinstance(last, Literal):
            args[-1] = self.text(self._pattern(str(last.value)))
        return self._spelled[call.op].format(*args)

    def _case(self, branches: tuple[tuple[Tree, Tree], ...], otherwise: Tree) -> str:
        values = [*(value for _, value in branches), otherwise]
        written = [self.tree(value) for value in values]
        if all(isinstance(v, Literal) and type(v.value) in (int, NoneType) for v in values):
            written[0] = _whole(written[0])
        cases = " ".join(
            f"WHEN {self.tree(condition)} THEN {value}"
            for (condition, _), value in zip(branches, written, strict=False)
        )
        rest = "" if otherwise == Literal(None) else f" ELSE {written[-1]}"
        return f"CASE {cases}{rest} END"

    def _key(self, tree: Tree) -> str:
        """What rows are grouped by: a bare constant would be the place of a column."""
        return f"(CASE WHEN TRUE THEN {self.tree(tree)} END)" if _bare(tree) else self.tree(tree)

    def _relation(self, relation: Relation) -> str:
        match relation:
            case Stored(text, alias):
                return f"{text} AS {self.name(alias)}"
            case Derived(query, alias):
                return f"(\n{_indented(self.query(query))}\n) AS {self.name(alias)}"
            case Shared(name, alias):
                return f"{self.name(name)} AS {self.name(alias)}"
            case Rows(columns, rows, alias):
                texts = {i for row in rows for i, value in enumerate(row) if isinstance(value, str)}
                written = [[self.literal(value) for value in row] for row in rows]
                written[0] = [
                    value if i in texts else _whole(value) for i, value in enumerate(written[0])
                ]
                listed = ", ".join(f"({', '.join(row)})" for row in written)
                names = ", ".join(self.name(column) for column in columns)
                return f"(VALUES {listed}) AS {self.name(alias)}({names})"

    def _join(self, join: Join) -> str:
        kind = "LEFT JOIN" if join.outer else "JOIN"
        return f"{kind} {self._relation(join.relation)} ON {self.tree(join.on)}"

    def _window(self, partition: tuple[Tree, ...], order: tuple[Tree, ...], *, peers: bool) -> str:
        parts = []
        if partition:
            parts.append(f"PARTITION BY {', '.join(self.tree(tree) for tree in partition)}")
        if order:
            listed = ", ".join(f"{self.tree(tree)} NULLS FIRST" for tree in order)
            parts.append(f"ORDER BY {listed}")
        if peers:
            parts.append("RANGE BETWEEN CURRENT ROW AND CURRENT ROW")
        return " ".join(parts)


def _whole(text: str) -> str:
    """Constants alone would have 32 bits, and so would what is computed with them."""
    return f"CAST({text} AS BIGINT)"


def _bare(tree: Tree) -> bool:
    return isinstance(tree, Literal)


def _indented(text: str) -> str:
    return "\n".join(INDENT + line for line in text.split("\n"))
