"""From a text to a plan: read it for each way of bounding, price each, take the least noise.

Rule 1: which way is taken follows from public facts, so that it tells nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlglot import expressions as sql

from differential_privacy.errors import QuestionError
from differential_privacy.queries.bounding import (
    WEIGHT,
    AllRows,
    Bounding,
    CountedOff,
    Ranked,
    Weighed,
)
from differential_privacy.queries.losing import lost
from differential_privacy.queries.measures import Way
from differential_privacy.queries.plan import Plan
from differential_privacy.queries.pricing import Price, priced
from differential_privacy.queries.questions import (
    Asked,
    named_tables,
    private_mentions,
    read_question,
)
from differential_privacy.queries.relations import Mode, Sources
from differential_privacy.sources import Bounds
from differential_privacy.sources.columns import WIDEST

__all__ = ["Question"]


MOST_CELLS = 2_000_000
"""Noisy numbers that one answer may have."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was read: every way in which it can be bounded, and why others cannot be."""

    sources: Sources
    root: sql.Expr
    ways: tuple[tuple[Asked, Bounding], ...]
    public: str
    text: str = ""

    @property
    def tables(self) -> frozenset[str]:
        """The private tables that it reads."""
        return self.ways[0][0].tables

    @staticmethod
    def read(root: sql.Expr, sources: Sources, text: str = "") -> "Question":
        """Reads a parsed question; what no way of bounding can answer is refused."""
        # Taken before anything of public tables is read: what changes later is another version.
        public = sources.public_versions(frozenset(named_tables(root, sources)))
        ways: list[tuple[Asked, Bounding]] = []
        refusals: list[QuestionError] = []
        joined = private_mentions(root, sources) > 1
        for mode in (Mode(rows=True, hashed=joined), Mode(rows=False, hashed=True)):
            try:
                asked = read_question(root, sources, mode)
            except QuestionError as error:
                refusals.append(error)
                continue
            found = _boundings(asked, mode, sources, joined=joined)
            # Of equal noise the bound that acts after the filters keeps more, so it comes first.
            ways = [(asked, one) for one in found] + ways
        if ways:
            return Question(sources, root, tuple(ways), public, text)
        if refusals:
            raise refusals[0]
        rule = "has no bound on how many rows of one person it reads"
        instead = "a bound that fits in the policy, as bounds = [{ rows = 10 }]"
        raise QuestionError("this question", rule, instead=instead)

    def lost(self, price: Price) -> Plan:
        """The plan of one more private number: the share of rows that bounding leaves out."""
        if price.epsilon is None:
            raise QuestionError("the share lost", "needs an epsilon")
        whole = read_question(self.root, self.sources, Mode(rows=False, hashed=True))
        return lost(self.plan(price), whole, price.epsilon)

    def plan(self, price: Price) -> Plan:
        """The plan with the least noise that a price can buy."""
        plans: list[Plan] = []
        refusals: list[QuestionError] = []
        for asked, bounding in self.ways:
            try:
                found = priced(asked, bounding.reach(asked), price)
            except QuestionError as error:
                refusals.append(error)
                continue
            scanner = self.sources.scanner
            plans += [Plan(asked, bounding, one, scanner, self.text) for one in found]
        if not plans:
            raise refusals[0]
        _check_size(plans[0])
        best = min(plans, key=lambda plan: plan.priced.harm)
        return replace(best, why=_why(best, plans), public=self.public)


def _check_size(plan: Plan) -> None:
    """An answer must fit into memory, and into the ledger."""
    numbers = sum(len(block.statistics) for block, _ in plan.priced.noises)
    cells = (plan.asked.most_groups or 1) * max(1, numbers + len(plan.priced.quantiles))
    if cells > MOST_CELLS:
        rule = f"has {cells} noisy numbers in its answer, more than {MOST_CELLS}: ask for less"
        raise QuestionError("this question", rule)


def _boundings(asked: Asked, mode: Mode, sources: Sources, *, joined: bool) -> Iterator[Bounding]:
    """The ways to bound a question as it was read in a mode.

    Where private tables are joined, how many rows a person has rests on their keys: such a number
    is not believed, but counted off.
    """
    frame = asked.frame
    if frame.row_owned:
        if mode.rows:
            yield AllRows("each row is a person", 1)
        return
    if frame.most is not None and (not mode.rows or _all_ranked(asked, sources)):
        rows = "1 row" if frame.most == 1 else f"{frame.most} rows"
        chosen = ", chosen once for the table" if mode.rows else ", as the question makes them"
        way = CountedOff if joined else AllRows
        yield way(f"{rows} a person{chosen}", frame.most)
        return
    if mode.rows:
        return
    for bounds in _offered(asked, sources):
        if bounds.groups is not None and bounds.rows_per_group is not None:
            most = None if joined else frame.most
            yield Ranked(_words(bounds, asked), bounds.groups, bounds.rows_per_group, most)
        elif bounds.total is not None and _can_be_weighed(asked):
            yield Weighed(str(bounds), bounds.total)


def _words(bounds: Bounds, asked: Asked) -> str:
    """A bound as it acts on a question: without groups it is one on rows."""
    if asked.keys or bounds.groups is None or bounds.rows_per_group is None:
        return str(bounds)
    return f"{bounds.groups * bounds.rows_per_group} rows a person"


def _all_ranked(asked: Asked, sources: Sources) -> bool:
    return all(sources.tables[name].rows is not None for name in asked.tables)


def _offered(asked: Asked, sources: Sources) -> list[Bounds]:
    """The bounds for one question that the tables offer; for the first one, where they differ."""
    first = min(asked.tables, key=list(sources.tables).index)
    found = [one for one in sources.tables[first].bounds if one.rows is None]
    others = [
        one
        for name in sorted(asked.tables - {first})
        for one in sources.tables[name].bounds
        if one.rows is None
    ]
    return found or others


def _can_be_weighed(asked: Asked) -> bool:
    """Whether every number that is asked for is a sum over rows, and none grows too large."""
    sums = all(exact.way in (Way.ROWS, Way.COUNT, Way.SUM) for exact in asked.needs.exact)
    largest = max((one.largest for one in asked.needs.moments.values()), default=1)
    return sums and asked.groups is not None and largest * WEIGHT <= WIDEST


def _why(best: Plan, plans: Sequence[Plan]) -> str:
    """Why this noise and this bound, in words."""
    name = best.priced.noise_name
    same = [plan for plan in plans if plan.bounding == best.bounding and plan is not best]
    why = f"{name} noise"
    if same:
        ratio = (same[0].priced.harm / best.priced.harm) if best.priced.harm else 1
        other = same[0].priced.noise_name
        why += f", because {other} noise would have {float(ratio):.2g} times the variance here"
    bounds = list(dict.fromkeys(plan.bounding.words for plan in plans))
    if len(bounds) > 1:
        rest = "; ".join(words for words in bounds if words != best.bounding.words)
        why += f"; bounded to {best.bounding.words}, which needs less noise than: {rest}"
    return why
