"""Expressions over aggregates and group keys: what SELECT, HAVING and ORDER BY compute afterwards.

Rule 1: a column stands here as a group's key or inside of an aggregate, and nowhere else.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.exact import rational
from differential_privacy.queries.aggregates import Aggregates
from differential_privacy.queries.agreeing import Told, agreed, moderate, numbers, truth
from differential_privacy.queries.expressions import AGGREGATES
from differential_privacy.queries.measures import Linear
from differential_privacy.queries.outputs import (
    Computed,
    Constant,
    GroupKey,
    Make,
    Output,
    Ratio,
)
from differential_privacy.queries.values import Text, Value, Whole
from differential_privacy.sources.kinds import Kind

__all__ = ["Computing", "written_node"]

ONE, REAL = Fraction(1), Fraction(0)
NUMBER_TYPES = ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")

MOST_DIGITS = 30

COMPARISONS: dict[type[sql.Expr], tuple[Make, bool]] = {
    sql.EQ: (Make.EQUAL, False),
    sql.NEQ: (Make.DIFFERENT, False),
    sql.LT: (Make.LESS, False),
    sql.LTE: (Make.AT_MOST, False),
    sql.GT: (Make.LESS, True),
    sql.GTE: (Make.AT_MOST, True),
}
SEVERAL: dict[type[sql.Expr], Make] = {
    sql.Least: Make.LEAST,
    sql.Greatest: Make.GREATEST,
    sql.Coalesce: Make.COALESCE,
}


class Computing:
    """Reads what is computed of one question's groups and aggregates; `named` are its columns."""

    def __init__(self, aggregates: Aggregates, groups: Sequence[tuple[str, Value]]) -> None:
        self._aggregates = aggregates
        self._groups = {text: (place, value) for place, (text, value) in enumerate(groups)}
        self._named: dict[str, Told] = {}
        self._aggregated: dict[str, Told] = {}

    def name(self, name: str, told: Told) -> None:
        """From here on a name of SELECT can stand for its column, in HAVING and ORDER BY."""
        self._named.setdefault(name.lower(), told)

    def told(self, node: sql.Expr) -> Told:
        """What an expression comes to."""
        written = written_node(node)
        found = self._groups.get(written)
        if found is not None:
            return _key(*found)
        if isinstance(node, AGGREGATES):
            # What is named again, as in HAVING, is needed once.
            if written not in self._aggregated:
                self._aggregated[written] = self._aggregates.told(node)
            return self._aggregated[written]
        if isinstance(node, sql.Column):
            return self._column(node)
        reader = READERS.get(type(node))
        if reader is None:
            rule = "cannot be computed from noisy numbers"
            raise QuestionError(node.key.upper(), rule)
        return reader(self, node)

    def output(self, node: sql.Expr) -> Output:
        """The same, without how it is written."""
        return self.told(node)[0]

    def range_of(self, top: Linear, bottom: Linear) -> tuple[Fraction | None, Fraction | None]:
        """The range of a sum over the count of the same rows, as of a mean."""
        for moments in self._aggregates.needs.moments.values():
            totals = [times for exact, times in top.terms if exact == moments.total]
            counts = [times for exact, times in bottom.terms if exact == moments.count]
            if len(top.terms) == len(totals) == len(bottom.terms) == len(counts) == 1:
                factor = totals[0] / counts[0]
                low, high = sorted((moments.low * factor, moments.high * factor))
                return low, high
        return None, None

    def _column(self, node: sql.Expr) -> Told:
        named = self._named.get(node.name.lower())
        if named is not None and not node.args.get("table"):
            return named
        tree = self._aggregates.value(node).tree
        for place, key in self._groups.values():
            if key.tree == tree:
                return _key(place, key)
        rule = "must be in GROUP BY, or inside of an aggregate"
        raise QuestionError(node.sql(), rule, instead=f"GROUP BY {node.sql()}")


def written_node(node: sql.Expr) -> str:
    """An expression as text by which equal ones are known; only of names case does not matter."""
    copied = node.copy()
    for name in copied.find_all(sql.Identifier):
        name.set("this", name.name.lower())
        name.set("quoted", False)  # noqa: FBT003 - sqlglot's own signature
    return str(copied.sql(dialect="duckdb", comments=False))


def _key(place: int, value: Value) -> Told:
    kind = value.type
    if isinstance(kind, Whole):
        return GroupKey(place), kind.kind, kind.step
    return GroupKey(place), Kind.TEXT if isinstance(kind, Text) else Kind.BOOLEAN, ONE


def _literal(_: Computing, node: sql.Expr) -> Told:
    if node.is_string:
        return Constant(str(node.this)), Kind.TEXT, ONE
    number = rational(str(node.this), "a number")
    return moderate(Linear(constant=number)), Kind.NUMBER, Fraction(1, number.denominator)


def _both(computing: Computing, node: sql.Expr) -> list[Told]:
    return [computing.told(node.this), computing.told(node.expression)]


def _sum(sign: int) -> Callable[[Computing, sql.Expr], Told]:
    def read(computing: Computing, node: sql.Expr) -> Told:
        both = _both(computing, node)
        one, two = numbers(both, node.key.upper())
        (_, kind, step), (_, other, by) = both
        if isinstance(one, Linear) and isinstance(two, Linear):
            total = moderate(one.plus(two.times(Fraction(sign))))
            return total, kind if kind is other else Kind.NUMBER, min(step, by)
        make = Make.ADD if sign > 0 else Make.SUBTRACT
        return Computed(make, (one, two)), Kind.NUMBER, REAL

    return read


def _product(computing: Computing, node: sql.Expr) -> Told:
    both = _both(computing, node)
    one, two = numbers(both, "*")
    for value, factor in ((one, two), (two, one)):
        if isinstance(factor, Linear) and not factor.terms:
            if isinstance(value, Linear):
                return moderate(value.times(factor.constant)), Kind.NUMBER, both[0][2] * both[1][2]
            if isinstance(value, Ratio):
                return _scaled(value, factor.constant), Kind.NUMBER, REAL
    return Computed(Make.MULTIPLY, (one, two)), Kind.NUMBER, REAL


def _quotient(computing: Computing, node: sql.Expr) -> Told:
    one, two = numbers(_both(computing, node), "/")
    if isinstance(two, Linear) and not two.terms:
        if two.constant == 0:
            return Constant(None), Kind.NUMBER, REAL
        if isinstance(one, Linear):
            return moderate(one.times(1 / two.constant)), Kind.NUMBER, REAL
        if isinstance(one, Ratio):
            return _scaled(one, 1 / two.constant), Kind.NUMBER, REAL
    if isinstance(one, Linear) and isinstance(two, Linear) and not (one.constant or two.constant):
        return Ratio(one, two, *computing.range_of(one, two)), Kind.NUMBER, REAL
    return Computed(Make.DIVIDE, (one, two)), Kind.NUMBER, REAL


def _scaled(ratio: Ratio, factor: Fraction) -> Ratio:
    ends = [None if end is None else end * factor for end in (ratio.low, ratio.high)]
    low, high = ends if factor >= 0 else ends[::-1]
    return Ratio(moderate(ratio.top.times(factor)), ratio.bottom, low, high)


def _negated(computing: Computing, node: sql.Expr) -> Told:
    told = computing.told(node.this)
    (one,) = numbers([told], "-")
    if isinstance(one, Linear):
        return one.times(Fraction(-1)), told[1], told[2]
    return Computed(Make.NEGATE, (one,)), told[1], told[2]


def _rounded(computing: Computing, node: sql.Expr) -> Told:
    makes: dict[type[sql.Expr], Make] = {
        sql.Round: Make.ROUND,
        sql.Floor: Make.FLOOR,
        sql.Ceil: Make.CEILING,
    }
    digits = node.args.get("decimals")
    count = Linear() if digits is None else computing.output(digits)
    whole = isinstance(count, Linear) and not count.terms and count.constant.denominator == 1
    if not isinstance(count, Linear) or not whole or abs(count.constant) > MOST_DIGITS:
        rule = f"needs a constant number of digits, at most {MOST_DIGITS}"
        raise QuestionError(node.key.upper(), rule)
    (one,) = numbers([computing.told(node.this)], node.key.upper())
    make = makes[type(node)]
    args = (one, count) if make is Make.ROUND else (one,)
    return Computed(make, args), Kind.NUMBER, Fraction(10) ** -int(count.constant)


def _comparison(computing: Computing, node: sql.Expr) -> Told:
    make, turned = COMPARISONS[type(node)]
    one, two = _compared(make, _both(computing, node), node.sql(dialect="duckdb"))
    return Computed(make, (two, one) if turned else (one, two)), Kind.BOOLEAN, REAL


def _compared(make: Make, both: Sequence[Told], what: str) -> list[Output]:
    """Two values that can be compared so; texts have no order here, as in WHERE."""
    read = agreed(both, what)
    ordered = make in (Make.LESS, Make.AT_MOST)
    if ordered and any(kind in (Kind.TEXT, Kind.BOOLEAN) for _, kind, _ in read):
        raise QuestionError(what, "needs numbers or dates: texts are equal or not, no more")
    return [output for output, _, _ in read]


def _logic(computing: Computing, node: sql.Expr) -> Told:
    make = Make.AND if isinstance(node, sql.And) else Make.OR
    args = tuple(truth(told, node.sql(dialect="duckdb")) for told in _both(computing, node))
    return Computed(make, args), Kind.BOOLEAN, REAL


def _not(computing: Computing, node: sql.Expr) -> Told:
    return Computed(Make.NOT, (truth(computing.told(node.this), "NOT"),)), Kind.BOOLEAN, REAL


def _null_if(computing: Computing, node: sql.Expr) -> Told:
    both = _both(computing, node)
    one, two = _compared(Make.EQUAL, both, "NULLIF")
    return Computed(Make.NULL_IF, (one, two)), both[0][1], both[0][2]


def _one_number(computing: Computing, node: sql.Expr) -> Told:
    make = Make.ABSOLUTE if isinstance(node, sql.Abs) else Make.ROOT
    (one,) = numbers([computing.told(node.this)], node.key.upper())
    return Computed(make, (one,)), Kind.NUMBER, REAL


def _several(computing: Computing, node: sql.Expr) -> Told:
    args = [computing.told(one) for one in (node.this, *node.expressions)]
    make = SEVERAL[type(node)]
    if make is not Make.COALESCE:
        numbers(args, node.key.upper())
    return _joined(make, args, agreed(args, node.key.upper()))


def _joined(make: Make, args: Sequence[Told], outputs: Sequence[Told]) -> Told:
    kinds = {kind for _, kind, _ in args}
    kind = kinds.pop() if len(kinds) == 1 else Kind.NUMBER
    step = min(step for _, _, step in args)
    return Computed(make, tuple(output for output, _, _ in outputs)), kind, step


def _case(computing: Computing, node: sql.Expr) -> Told:
    default = node.args.get("default")
    nothing: Told = (Constant(None), Kind.NUMBER, REAL)
    result = nothing if default is None else computing.told(default)
    for branch in reversed(node.args["ifs"]):
        test = branch.this
        if node.this is not None:
            test = sql.EQ(this=node.this, expression=test)
        chosen = truth(computing.told(test), "WHEN")
        value = computing.told(branch.args["true"])
        one, two = agreed([value, result], "CASE")
        kind = result[1] if value[0] == Constant(None) else value[1]
        result = (Computed(Make.CHOOSE, (chosen, one[0], two[0])), kind, min(value[2], result[2]))
    return result


def _if(computing: Computing, node: sql.Expr) -> Told:
    return _case(computing, sql.Case(ifs=[node], default=node.args.get("false")))


def _between(computing: Computing, node: sql.Expr) -> Told:
    value = computing.told(node.this)
    low, high = (computing.told(node.args[part]) for part in ("low", "high"))
    above = Computed(Make.AT_MOST, tuple(_compared(Make.AT_MOST, [low, value], "BETWEEN")))
    below = Computed(Make.AT_MOST, tuple(_compared(Make.AT_MOST, [value, high], "BETWEEN")))
    return Computed(Make.AND, (above, below)), Kind.BOOLEAN, REAL


def _among(computing: Computing, node: sql.Expr) -> Told:
    if node.args.get("query") is not None:
        raise QuestionError("IN (SELECT ...)", "stands in WHERE only")
    value = computing.told(node.this)
    result: Output = Constant(value=False)
    for one in node.expressions:
        both = _compared(Make.EQUAL, [value, computing.told(one)], "IN")
        result = Computed(Make.OR, (result, Computed(Make.EQUAL, tuple(both))))
    return result, Kind.BOOLEAN, REAL


def _is(computing: Computing, node: sql.Expr) -> Told:
    if not isinstance(node.expression, sql.Null):
        raise QuestionError("IS", "needs NULL here")
    return Computed(Make.IS_NULL, (computing.output(node.this),)), Kind.BOOLEAN, REAL


def _cast(computing: Computing, node: sql.Expr) -> Told:
    name = node.args["to"].this.name
    if name not in NUMBER_TYPES:
        raise QuestionError(f"CAST AS {name}", "is not offered of a noisy number")
    told = computing.told(node.this)
    (output,) = numbers([told], "CAST")
    if name in ("TINYINT", "SMALLINT", "INT", "BIGINT"):
        return Computed(Make.ROUND, (output, Linear())), Kind.INTEGER, ONE
    return output, Kind.NUMBER, told[2]


READERS: Mapping[type[sql.Expr], Callable[[Computing, sql.Expr], Told]] = {
    sql.Literal: _literal,
    sql.Boolean: lambda _, node: (Constant(bool(node.this)), Kind.BOOLEAN, ONE),
    sql.Null: lambda _, __: (Constant(None), Kind.NUMBER, REAL),
    sql.Paren: lambda computing, node: computing.told(node.this),
    sql.Alias: lambda computing, node: computing.told(node.this),
    sql.Add: _sum(1),
    sql.Sub: _sum(-1),
    sql.Mul: _product,
    sql.Div: _quotient,
    sql.Neg: _negated,
    **dict.fromkeys((sql.Round, sql.Floor, sql.Ceil), _rounded),
    **dict.fromkeys(COMPARISONS, _comparison),
    **dict.fromkeys((sql.And, sql.Or), _logic),
    sql.Not: _not,
    sql.Nullif: _null_if,
    **dict.fromkeys((sql.Abs, sql.Sqrt), _one_number),
    **dict.fromkeys(SEVERAL, _several),
    sql.Case: _case,
    sql.If: _if,
    sql.Between: _between,
    sql.In: _among,
    sql.Is: _is,
    **dict.fromkeys((sql.Cast, sql.TryCast), _cast),
}
