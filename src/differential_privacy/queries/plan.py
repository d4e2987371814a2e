"""A plan: what a question will cost, how far off its answer will be, and what the engine will run.

Rule 1: a plan reads no private data and costs nothing; it is made of public facts alone.
Rule 2: two plans with one key ask the same of the same data with the same noise, so that one
answer serves both; how an answer is computed, filtered and sorted afterwards is not part of it.
"""

import hashlib
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from differential_privacy.mechanisms import Blend
from differential_privacy.privacy import Spendable
from differential_privacy.queries.bounding import Bounding, Reach
from differential_privacy.queries.exactly import exact_query, people, percentile_query
from differential_privacy.queries.measures import Exact, Linear
from differential_privacy.queries.outputs import Chosen, OutputColumn, Ratio, leaves
from differential_privacy.queries.pricing import Priced
from differential_privacy.queries.questions import Asked
from differential_privacy.sources import Scanner
from differential_privacy.sources.trees import Select

__all__ = ["Expected", "Plan"]

PER = 1000
"""The error of a mean is told for a group of so many rows."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How far off a column will be: each cell is within `error`, with the confidence asked.

    Of a mean it is for a group of a thousand rows, and falls with more; of a percentile it is in
    rows: by how many the rank is missed.
    """

    column: str
    error: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.column} ±{self.error:.4g}{self.unit}"


@dataclass(frozen=True)
class Plan:
    """What will be done for a question: nothing of it is private.

    `why` says why this noise and this bound were chosen, `risks` what they may take away, and
    `public` tells the versions of the public tables that ranges and groups were read from.
    """

    asked: Asked = field(repr=False)
    bounding: Bounding
    priced: Priced = field(repr=False)
    scanner: Scanner = field(repr=False)
    text: str = ""
    why: str = ""
    public: str = ""
    own_query: Select | None = field(default=None, repr=False)

    def __str__(self) -> str:
        errors = [f"  {one} (95 %)" for one in self.expected()]
        risks = [f"  note: {risk}" for risk in self.risks]
        return "\n".join([f"would cost {self.loss}", *errors, f"  how: {self.why}", *risks])

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        """The columns of the answer."""
        return self.asked.columns

    @property
    def loss(self) -> Spendable:
        """What it costs."""
        return self.priced.losses[-1]

    @property
    def losses(self) -> tuple[Spendable, ...]:
        """What it costs, in each measure that has a theorem of its own for it."""
        return self.priced.losses

    @property
    def risks(self) -> tuple[str, ...]:
        """What the answer may miss, in words; how much it misses is private, and can be bought."""
        found = []
        if self.bounding.at_the_end or not self.asked.frame.row_owned:
            left = "count less" if self.reach.unit > 1 else "are left out"
            found.append(
                f"rows of people beyond the bound ({self.bounding.words}) {left}; "
                "session.lost(...) sells their share"
            )
        for one in self.asked.needs.moments.values():
            if one.sums or one.means:
                found.append("values beyond the declared or stated range are pulled to its ends")
                break
        if self.priced.finding is not None:
            many = self.priced.finding.people_for("1/2")
            found.append(f"groups of fewer than about {many} people are not shown")
        if getattr(self.loss, "epsilon", 0) > 1:
            found.append("an epsilon above 1 promises little: from 0.01 to 1 is usual")
        return tuple(found)

    @property
    def tables(self) -> frozenset[str]:
        """The private tables that it reads."""
        return self.asked.tables

    @cached_property
    def reach(self) -> Reach:
        """What bounding leaves of one person."""
        return self.bounding.reach(self.asked)

    @cached_property
    def exact(self) -> tuple[Exact, ...]:
        """What the engine is asked for in each group; people, where groups must be found."""
        found = self.asked.needs.exact
        if self.priced.finding is not None and people() not in found:
            found = [*found, people()]
        return tuple(found)

    @cached_property
    def queries(self) -> tuple[Select, ...]:
        """What the engine runs: exact numbers first, then the values of each percentile."""
        asked, bounding, scanner = self.asked, self.bounding, self.scanner
        if self.own_query is not None:
            return (self.own_query,)
        percentiles = [one for one, _ in self.priced.quantiles]
        chosen = tuple(percentile_query(asked, bounding, one, scanner) for one in percentiles)
        return (exact_query(asked, bounding, self.exact, scanner), *chosen)

    @property
    def sql(self) -> tuple[str, ...]:
        """The text of what the engine runs."""
        return tuple(self.scanner.engine.written(query) for query in self.queries)

    @cached_property
    def key(self) -> str:
        """What tells this question, at this price, from others; how it is run does not matter."""
        asked, priced = self.asked, self.priced
        trees = [key.tree for key in asked.keys]
        rows = asked.frame.select([(str(place), tree) for place, tree in enumerate(trees)])
        what = (rows, self.exact, asked.groups, self.bounding, self.own_query)
        noises = [(block.statistics, noise) for block, noise in priced.noises]
        noise = (noises, priced.quantiles, priced.finding, priced.losses)
        return hashlib.sha256(repr((what, noise)).encode()).hexdigest()

    def blend(self, value: Linear) -> Blend:
        """The noise of a linear value."""
        noises, unit = self.priced.noise_of, self.reach.unit
        parts = self.priced.blocks.combined(value)
        return Blend(tuple((times / unit, noises[one]) for one, times in parts.items()))

    def expected(self, confidence: Fraction = Fraction(95, 100)) -> tuple[Expected, ...]:
        """How far off each column that is not public will be.

        Of what is computed from several noisy numbers it is the error of the least sure of these.
        """
        found = []
        for column in self.columns:
            parts = dict.fromkeys(leaves(column.output))
            errors = [self._expected(column.name, part, confidence) for part in parts]
            if len(errors) > 1:
                worst = max(errors, key=lambda one: (bool(one.unit), one.error))
                errors = [replace(worst, unit=f"{worst.unit}, of what it is made of")]
            found += errors
        return tuple(found)

    def _size(self, bottom: Linear) -> Fraction:
        """What a count comes to in a group of a thousand rows, or a sum of values midway from 0."""
        moments = self.asked.needs.moments
        sizes = (
            abs(times) * (Fraction(moments[exact].widest, 2) if exact in moments else 1)
            for exact, times in bottom.terms
        )
        return PER * sum(sizes, start=Fraction(0))

    def _expected(
        self, name: str, output: Linear | Ratio | Chosen, confidence: Fraction
    ) -> Expected:
        if isinstance(output, Ratio):
            top = output.top
            if output.low is not None and output.high is not None:
                top = top.plus(output.bottom.times(-(output.low + output.high) / 2))
            error = self.blend(top).error(confidence) / float(self._size(output.bottom))
            return Expected(name, error, f" in a group of {PER} rows")
        if isinstance(output, Chosen):
            choice = dict(self.priced.quantiles)[output.percentile]
            missed = choice.rank_error(confidence) / self.reach.unit
            return Expected(name, missed, " rows in rank")
        return Expected(name, self.blend(output).error(confidence))
