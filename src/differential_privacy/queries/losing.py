"""What bounding takes away: the share of a question's rows that it leaves out, as a private number.

Theorem: let each person count for at most `LOOSE` times as many rows as bounding keeps. Then the
rows that are kept move by the reach of the bound, and all rows by `LOOSE` times as much; so what is
said of people with still more rows is too little, never too much.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from differential_privacy.errors import QuestionError
from differential_privacy.mechanisms import Geometric
from differential_privacy.privacy import PureLoss
from differential_privacy.queries.blocks import Blocks, Needs
from differential_privacy.queries.bounding import Kept, Listed, Reach
from differential_privacy.queries.exactly import exact_query
from differential_privacy.queries.measures import Block, Exact, Statistic, Way, linear
from differential_privacy.queries.outputs import OutputColumn, Ratio
from differential_privacy.queries.plan import Plan
from differential_privacy.queries.questions import Asked
from differential_privacy.sources import OWNER
from differential_privacy.sources.kinds import Kind
from differential_privacy.sources.trees import (
    TRUE,
    Derived,
    Join,
    Literal,
    Name,
    Op,
    Select,
    Tree,
    call,
    when,
)

__all__ = ["lost"]

LOOSE = 8
KEPT, THERE = Exact(Way.ROWS), Exact(Way.COUNT)
LEFT, RIGHT, ROWS = "kept", "all", "n"


def lost(plan: Plan, whole: Asked, epsilon: Fraction) -> Plan:
    """The plan that tells what share of its rows another plan leaves out; half the price for each.

    `whole` is the same question with no row left out.
    """
    if whole.frame.owner is None:
        rule = "loses no rows: each row is a person"
        raise QuestionError("this question", rule)
    reach = plan.reach
    parts = []
    for exact, times in ((KEPT, 1), (THERE, LOOSE)):
        block = Block((Statistic.of({exact: 1}),), times, times * times, Fraction(1))
        parts.append((block, Geometric(2 * reach.rows * times / epsilon)))
    estimates = {exact: {Statistic.of({exact: 1}): Fraction(1)} for exact in (KEPT, THERE)}
    blocks = Blocks([block for block, _ in parts], estimates)
    priced = replace(
        plan.priced,
        blocks=blocks,
        noises=tuple(parts),
        quantiles=(),
        finding=None,
        losses=(PureLoss(epsilon),),
    )
    return replace(
        plan,
        asked=_asked(whole),
        bounding=Bounded(plan.bounding.words, reach),
        priced=priced,
        own_query=_query(plan, whole),
        why="",
    )


@dataclass(frozen=True, slots=True)
class Bounded:
    """The bound of the plan whose loss is told: people reach as far as they do there."""

    words: str
    told: Reach
    at_the_end = True

    def reach(self, _: Asked) -> Reach:
        """What that plan leaves of one person, in its groups."""
        return self.told

    def kept(self, listed: Listed) -> Kept:
        """All rows: the query itself bounds those of each kind."""
        return Kept(listed.rows())


def _asked(whole: Asked) -> Asked:
    """One number, of everybody together."""
    needs = Needs({KEPT: 1, THERE: 1})
    missing = linear(THERE).plus(linear(KEPT, -1))
    share = Ratio(missing, linear(THERE), Fraction(0), Fraction(1))
    column = OutputColumn("lost", share, Kind.NUMBER, Fraction(0))
    return replace(
        whole,
        keys=(),
        groups=((),),
        needs=needs,
        percentiles=(),
        columns=(column,),
        having=None,
        order=(),
        limit=None,
    )


def _query(plan: Plan, whole: Asked) -> Select:
    """Rows that are kept, and all rows, both counted alike."""
    asked, unit = plan.asked, plan.reach.unit
    grouped = exact_query(asked, plan.bounding, (KEPT,), plan.scanner)
    kept = Select((("x0", call(Op.SUM, Name(LEFT, "x0"))),), Derived(grouped, LEFT))
    most = LOOSE * plan.reach.rows // unit
    frame = whole.frame
    owner: Tree = frame.owner or Literal(None)
    people = frame.select([(OWNER, owner), (ROWS, call(Op.ROWS))], [owner])
    many = Name(RIGHT, ROWS)
    capped = when(call(Op.LESS, most, many), Literal(most), many)
    total = call(Op.SUM, call(Op.MULTIPLY, capped, unit))
    there = Select((("x1", total),), Derived(people, RIGHT))
    columns = (("x0", Name(LEFT, "x0")), ("x1", Name(RIGHT, "x1")))
    return Select(columns, Derived(kept, LEFT), (Join(Derived(there, RIGHT), TRUE),))
