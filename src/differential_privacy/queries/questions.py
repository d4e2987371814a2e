"""A question: what an analyst's SELECT asks of each group, read once for each way of bounding.

Rule 1: groups are of public values, or are kept only when many people are in them.
Rule 2: no column of an answer is the identity of people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.aggregates import Aggregates
from differential_privacy.queries.agreeing import truth
from differential_privacy.queries.blocks import Needs
from differential_privacy.queries.computing import Computing, written_node
from differential_privacy.queries.groups import listed_groups
from differential_privacy.queries.measures import Percentile
from differential_privacy.queries.narrowing import Narrowing
from differential_privacy.queries.outputs import GroupKey, Output, OutputColumn, Sorting
from differential_privacy.queries.reader import Reader, columns_named
from differential_privacy.queries.relations import Frame, Mode, Sources
from differential_privacy.queries.subqueries import aggregate_nodes, column_names, group_nodes
from differential_privacy.queries.values import Value
from differential_privacy.sources.trees import Call, Literal, Name, OneOf, Op

__all__ = ["Asked", "Cell", "named_tables", "private_mentions", "read_question"]

Cell = int | str | bool | None

BESIDE = ("low", "high", "sd", "sampling")
"""What stands beside a noisy column, under its name with one of these after it."""

PUBLIC = "are public: nothing here needs privacy, so read them where they are"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was read in one mode: rows with owners, groups, and what is asked of them.

    `groups` lists every group where the values of all keys are public; None where they are not.
    `named` has every table as often as the question names it, `tables` the private ones.
    """

    frame: Frame
    named: tuple[str, ...]
    tables: frozenset[str]
    keys: tuple[Value, ...]
    groups: tuple[tuple[Cell, ...], ...] | None
    needs: Needs
    percentiles: tuple[Percentile, ...]
    columns: tuple[OutputColumn, ...]
    having: Output | None
    order: tuple[Sorting, ...]
    limit: int | None

    def pinned(self, table: str, column: str) -> frozenset[str] | None:
        """The values of a column that rows of a table must have to matter here, where it is known.

        They are known where the table is named once, in FROM, one row of each person is read, the
        same in every question, and WHERE compares the column.
        """
        aliases = [
            one.alias
            for one in self.frame.bounds
            if one.table and one.table.name == table and one.most == 1
        ]
        if len(aliases) != 1 or self.named.count(table) != 1:
            return None
        for condition in self.frame.where:
            match condition:
                case Call(Op.EQUAL, (Name(alias, name), Literal(value))):
                    values: tuple[object, ...] = (value,)
                case OneOf(Name(alias, name), values):
                    pass
                case _:
                    continue
            if alias == aliases[0] and name == column:
                return frozenset(str(value) for value in values)
        return None

    @property
    def read(self) -> frozenset[str]:
        """Every table that the question names."""
        return frozenset(self.named)

    @property
    def most_groups(self) -> int | None:
        """How many groups there are, where that is public; one, where there is none."""
        return None if self.groups is None else max(1, len(self.groups))


def read_question(root: sql.Expr, sources: Sources, mode: Mode) -> Asked:
    """Reads a parsed question in one mode."""
    if not isinstance(root, sql.Select):
        rule = "at the end of a question is two questions"
        raise QuestionError("UNION", rule, instead="SELECT ... FROM (... UNION ALL ...)")
    _check_private(root, sources)
    reader = Reader(sources, mode, columns_named(root))
    frame = reader.frame(root, {})
    if frame.unit is None:
        raise QuestionError("the tables of this question", PUBLIC)
    expressions = list(root.expressions)
    _check_asks(root, expressions)
    scope = Narrowing(frame)
    nodes = group_nodes(root, expressions)
    keys = [scope.value(node) for node in nodes]
    for node, key in zip(nodes, keys, strict=True):
        # A group by a row of somebody's holds that person alone, as a group by the person does.
        if key.refers is not None:
            rule = "would name people: group by what they have in common"
            raise QuestionError(f"GROUP BY {node.sql()}", rule)
    aggregates = Aggregates(scope, row_owned=frame.row_owned)
    texts = [written_node(node) for node in nodes]
    computing = Computing(aggregates, list(zip(texts, keys, strict=True)))
    columns = _columns(computing, expressions)
    having = root.args.get("having")
    kept = None if having is None else truth(computing.told(having.this), "HAVING")
    order = _order(computing, root, columns)
    named = named_tables(root, sources)
    return Asked(
        frame,
        named,
        frozenset(name for name in named if not sources.tables[name].public),
        tuple(keys),
        listed_groups(frame, keys, sources),
        aggregates.needs,
        tuple(aggregates.percentiles),
        tuple(columns),
        kept,
        tuple(order),
        _limit(root),
    )


def private_mentions(root: sql.Expr, sources: Sources) -> int:
    """How often a question names a table that people own."""
    named = named_tables(root, sources)
    return sum(not sources.tables[name].public for name in named)


def named_tables(root: sql.Expr, sources: Sources) -> tuple[str, ...]:
    """The tables that a question names, also in conditions: all of them pay for it."""
    known = {name.lower(): name for name in sources.tables}
    names = [node.name.lower() for node in root.find_all(sql.Table)]
    return tuple(known[name] for name in names if name in known)


def _check_private(root: sql.Expr, sources: Sources) -> None:
    """A question of public tables alone is refused for that, whatever else it would be for."""
    public = {name.lower() for name, table in sources.tables.items() if table.public}
    names = {node.name.lower() for node in root.find_all(sql.Table)}
    if names and names <= public:
        raise QuestionError("the tables of this question", PUBLIC)


def _check_asks(root: sql.Expr, expressions: Sequence[Any]) -> None:
    asks = any(aggregate_nodes(one) for one in expressions)
    grouped = root.args.get("group") is not None or root.args.get("distinct") is not None
    if not asks and not grouped:
        rule = "would show people's rows: ask for counts, sums, means, quantiles"
        raise QuestionError("SELECT", rule, instead="SELECT COUNT(*) FROM ...")


def _columns(computing: Computing, expressions: Sequence[Any]) -> list[OutputColumn]:
    columns = []
    for name, node in zip(_apart(column_names(expressions)), expressions, strict=True):
        told = computing.told(node)
        computing.name(name, told)
        output, kind, step = told
        columns.append(OutputColumn(name, output, kind, step, isinstance(output, GroupKey)))
    return columns


def _apart(names: Sequence[str]) -> list[str]:
    """The names, none of which is that of another's interval or deviation beside it."""
    beside = {f"{name}_{part}".lower() for name in names for part in BESIDE}
    found: list[str] = []
    for place, name in enumerate(names):
        taken = beside | {one.lower() for one in (*found, *names[place + 1 :])}
        apart = name
        while apart.lower() in taken:
            apart += "_"
        found.append(apart)
    return found


def _order(computing: Computing, root: sql.Expr, columns: Sequence[OutputColumn]) -> list[Sorting]:
    order = root.args.get("order")
    found = []
    for one in [] if order is None else order.expressions:
        output = _placed(one.this, columns) or computing.output(one.this)
        found.append(Sorting(output, bool(one.args.get("desc")), bool(one.args.get("nulls_first"))))
    return found


def _placed(node: sql.Expr, columns: Sequence[OutputColumn]) -> Output | None:
    """ORDER BY 2 is the second column."""
    if not isinstance(node, sql.Literal) or node.is_string:
        return None
    place = int(str(node.this)) if str(node.this).isdigit() else 0
    if not 1 <= place <= len(columns):
        raise QuestionError(f"ORDER BY {node}", "must be the place of a column")
    return columns[place - 1].output


def _limit(root: sql.Expr) -> int | None:
    limit = root.args.get("limit")
    if limit is None:
        return None
    text = str(limit.expression)
    if not text.isdigit() or len(text) > 9:  # noqa: PLR2004 - more rows than any answer has
        raise QuestionError("LIMIT", "needs a whole number")
    return int(text)
