"""Aggregates: what each one needs of the rows, and what it then comes to.

Rule 1: a range is declared or named by the analyst; none is read from the data.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.agreeing import Told
from differential_privacy.queries.blocks import Moments, Needs
from differential_privacy.queries.measures import Exact, Linear, Percentile, Way, linear
from differential_privacy.queries.narrowing import Narrowing
from differential_privacy.queries.outputs import (
    Chosen,
    Computed,
    Constant,
    Make,
    Output,
    Ratio,
)
from differential_privacy.queries.values import Value, Whole
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.normal import floored
from differential_privacy.sources.trees import (
    TRUE,
    Literal,
    Op,
    Tree,
    call,
    when,
)

__all__ = ["Aggregates"]

LARGEST_ROOT = 1 << 30
"""Squares of smaller numbers stay far below what 64 bits hold."""

FINEST_PERCENTILE = 1 << 16
"""Candidates of a percentile: more would take longer and tell no more than noise does."""

FINEST_SHARE = 10**18
"""The largest denominator of a share: more than all digits of a float."""

ONE = Fraction(1)


class Aggregates:
    """Reads the aggregates of one question, and notes what they need."""

    def __init__(self, scope: Narrowing, *, row_owned: bool) -> None:
        self._scope = scope
        self._row_owned = row_owned
        self.needs = Needs()
        self.percentiles: list[Percentile] = []

    def value(self, node: sql.Expr) -> Value:
        """What an expression means for one row."""
        return self._scope.value(node)

    def told(self, node: sql.Expr) -> Told:
        """What one aggregate comes to."""
        condition: Tree = TRUE
        if isinstance(node, sql.Filter):
            condition = self._scope.condition(node.expression.this).tree
            node = node.this
        reader = READERS.get(type(node))
        if reader is None:
            raise QuestionError(node.key.upper(), "is no aggregate that questions can use")
        return reader(self, node, condition)

    def count(self, node: sql.Expr, condition: Tree) -> Told:
        """COUNT(*), COUNT(x), COUNT(DISTINCT x)."""
        inner = node.this
        if isinstance(inner, sql.Distinct):
            return self._counted(self._different(inner, condition))
        if isinstance(inner, sql.Star):
            return self._counted(_rows(condition))
        value = _kept(self._scope.within(condition).held(inner), condition)
        return self._counted(_holding(value))

    def sum(self, node: sql.Expr, condition: Tree) -> Told:
        """SUM(x)."""
        value, kind = self._number(node, condition)
        moments = self._moments(value, kind)
        moments.sums += 1
        name = Kind.INTEGER if kind.step.denominator == 1 else Kind.NUMBER
        return linear(moments.total, kind.step), name, kind.step

    def mean(self, node: sql.Expr, condition: Tree) -> Told:
        """AVG(x): the noisy sum over the noisy count, within the range of x."""
        value, kind = self._number(node, condition, moments_of_time=True)
        moments = self._moments(value, kind)
        moments.means += 1
        low, high = kind.low * kind.step, kind.high * kind.step
        ratio = Ratio(linear(moments.total, kind.step), linear(moments.count), low, high)
        if kind.is_number:
            return ratio, Kind.NUMBER, Fraction(0)
        return ratio, kind.kind, ONE

    def variance(self, node: sql.Expr, condition: Tree) -> Told:
        """VAR and STDDEV: the mean square around the middle, less the square of the mean there."""
        value, kind = self._number(node, condition)
        moments = self._moments(value, kind)
        moments.means += 1
        moments.squares += 1
        step, reach = kind.step, moments.reach * kind.step
        unit = (step * moments.coarse) ** 2
        largest = moments.largest_square * unit
        rows = linear(moments.count)
        around = linear(moments.total, step).plus(rows.times(-moments.middle * step))
        mean = Ratio(around, rows, -reach, reach)
        square = Ratio(linear(moments.square, unit), rows, Fraction(0), largest)
        spread: Output = Computed(Make.SUBTRACT, (square, Computed(Make.SQUARE, (mean,))))
        most = reach**2
        if isinstance(node, sql.Variance | sql.Stddev | sql.StddevSamp):
            # Of a sample: n / (n - 1) times as much; NULL where one row or none seems to be there.
            several = Computed(
                Make.CHOOSE,
                (
                    Computed(Make.LESS, (Constant(ONE), rows)),
                    Computed(Make.DIVIDE, (rows, rows.plus(Linear(constant=-ONE)))),
                    Constant(None),
                ),
            )
            spread, most = Computed(Make.MULTIPLY, (spread, several)), 2 * most
        spread = Computed(Make.WITHIN, (spread, Constant(Fraction(0)), Constant(most)))
        if not isinstance(node, sql.Variance | sql.VariancePop):
            spread = Computed(Make.ROOT, (spread,))
        return spread, Kind.NUMBER, Fraction(0)

    def median(self, node: sql.Expr, condition: Tree) -> Told:
        """MEDIAN(x)."""
        return self._percentile(node.this, condition, Fraction(1, 2))

    def quantile(self, node: sql.Expr, condition: Tree) -> Told:
        """QUANTILE(x, share) and its other spellings."""
        share = node.args.get("quantile") or node.args.get("expression")
        return self._percentile(node.this, condition, self._share(share))

    def within_group(self, node: sql.Expr, condition: Tree) -> Told:
        """PERCENTILE_CONT(share) WITHIN GROUP (ORDER BY x)."""
        orders = node.expression.expressions if isinstance(node.expression, sql.Order) else []
        if len(orders) != 1 or not isinstance(node.this, sql.PercentileCont | sql.PercentileDisc):
            rule = "needs PERCENTILE_CONT(share) WITHIN GROUP (ORDER BY x)"
            raise QuestionError("WITHIN GROUP", rule, instead="QUANTILE_CONT(x, 0.9)")
        share = self._share(node.this.this)
        ordered = orders[0]
        return self._percentile(
            ordered.this, condition, 1 - share if ordered.args.get("desc") else share
        )

    def extreme(self, node: sql.Expr, condition: Tree) -> Told:
        """MIN(x) and MAX(x): the extreme values that noise can tell."""
        lowest = isinstance(node, sql.Min)
        return self._percentile(
            node.this, condition, Fraction(0 if lowest else 1), -1 if lowest else 1
        )

    def _counted(self, exact: Exact) -> Told:
        self.needs.count(exact)
        return linear(exact), Kind.INTEGER, ONE

    def _different(self, distinct: sql.Expr, condition: Tree) -> Exact:
        if len(distinct.expressions) != 1:
            raise QuestionError("COUNT(DISTINCT ...)", "counts the values of one expression")
        value = self._scope.value(distinct.expressions[0])
        kept = _kept(value, condition)
        if value.owner:
            return Exact(Way.PEOPLE, TRUE if condition == TRUE else when(condition, TRUE))
        return Exact(Way.DISTINCT, kept.tree)

    def _number(
        self, node: sql.Expr, condition: Tree, *, moments_of_time: bool = False
    ) -> tuple[Value, Whole]:
        """What a sum is over: whole numbers whose range is stated."""
        name = node.key.upper()
        if isinstance(node.this, sql.Distinct):
            raise QuestionError(f"{name}(DISTINCT ...)", "is not offered: COUNT(DISTINCT x) is")
        value = self._scope.within(condition).held(node.this)
        kind = value.type
        if not isinstance(kind, Whole) or not (kind.is_number or moments_of_time):
            rule = "needs numbers: this is a text, a date or a truth"
            raise QuestionError(f"{name}({node.this.sql()})", rule, instead=_countable(node))
        _check_declared(name, node.this, kind)
        return _kept(value, condition), kind

    def _moments(self, value: Value, kind: Whole) -> Moments:
        total = Exact(Way.SUM, value.tree)
        known = self.needs.moments.get(total)
        if known is None:
            known = Moments(_holding(value), total, total, kind.low, kind.high)
            known.coarse = max(1, -(-known.reach // LARGEST_ROOT))
            around = call(Op.SUBTRACT, value.tree, known.middle)
            if known.coarse > 1:
                around = floored(around, known.coarse)
            known.square = Exact(Way.SUM, call(Op.MULTIPLY, around, around))
            self.needs.moments[total] = known
        return known

    def _percentile(
        self, node: sql.Expr, condition: Tree, share: Fraction, extreme: int = 0
    ) -> Told:
        value = self._scope.within(condition).held(node)
        kind = value.type
        if not isinstance(kind, Whole):
            raise QuestionError(node.sql(), "has no order: percentiles are of numbers and dates")
        _check_declared("this percentile", node, kind)
        kept = _kept(value, condition)
        coarse = -(-(kind.high - kind.low + 1) // FINEST_PERCENTILE)
        tree, low, high = kept.tree, kind.low, kind.high
        if coarse > 1:
            tree = floored(kept.tree, coarse)
            low, high = low // coarse, high // coarse
        percentile = Percentile(tree, low, high, kind.step * coarse, share, extreme)
        if percentile not in self.percentiles:
            self.percentiles.append(percentile)
        return Chosen(percentile), kind.kind, kind.step * coarse

    def _share(self, node: sql.Expr | None) -> Fraction:
        share = None if node is None else self._scope.value(node).number()
        if share is None or not 0 <= share <= 1:
            rule = "needs a constant share from 0 to 1"
            raise QuestionError("QUANTILE", rule, instead="QUANTILE_CONT(x, 0.9)")
        if share.denominator > FINEST_SHARE:
            raise QuestionError("QUANTILE", "needs a share of at most 18 decimals")
        return share


def _rows(condition: Tree) -> Exact:
    if condition == TRUE:
        return Exact(Way.ROWS)
    return Exact(Way.COUNT, when(condition, Literal(1)))


def _holding(value: Value) -> Exact:
    """How many rows hold a value."""
    return Exact(Way.COUNT, value.tree) if value.nullable else Exact(Way.ROWS)


def _kept(value: Value, condition: Tree) -> Value:
    """A value where a condition is true, else NULL."""
    if condition == TRUE:
        return value
    return replace(value.optional(), tree=when(condition, value.tree))


def _check_declared(name: str, node: sql.Expr, kind: Whole) -> None:
    if kind.declared:
        return
    written = node.sql(dialect="duckdb")
    rule = "has no stated range, so one person could move it without limit"
    raise QuestionError(f"{name}({written})", rule, instead=f"{name}(CLAMP({written}, 0, 100))")


def _countable(node: sql.Expr) -> str:
    return f"COUNT({node.this.sql(dialect='duckdb')})"


READERS: dict[type[Any], Callable[[Aggregates, Any, Tree], Told]] = {
    sql.Count: Aggregates.count,
    sql.Sum: Aggregates.sum,
    sql.Avg: Aggregates.mean,
    sql.Median: Aggregates.median,
    sql.Quantile: Aggregates.quantile,
    sql.ApproxQuantile: Aggregates.quantile,
    sql.PercentileCont: Aggregates.quantile,
    sql.PercentileDisc: Aggregates.quantile,
    sql.WithinGroup: Aggregates.within_group,
    sql.Min: Aggregates.extreme,
    sql.Max: Aggregates.extreme,
    **dict.fromkeys(
        (sql.VariancePop, sql.Variance, sql.Stddev, sql.StddevPop, sql.StddevSamp),
        Aggregates.variance,
    ),
}
