"""An analyst's session: plan a question, buy its answer, see what is left.

Rule 1: what an analyst learns is public, or comes through the door.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.curator.accounts import Accounts, analyst_account
from differential_privacy.curator.budgets import price_of
from differential_privacy.curator.builder import Query
from differential_privacy.curator.catalog import Catalog
from differential_privacy.curator.mock import mocked
from differential_privacy.curator.policy import Analyst
from differential_privacy.curator.ranges import Range, range_question
from differential_privacy.curator.wishes import Within, cheapest, epsilon_of
from differential_privacy.errors import BudgetExceededError, InvalidArgumentError, QuestionError
from differential_privacy.exact import (
    Number,
    open_probability,
    positive,
    round_down,
    small_probability,
    sqrt,
)
from differential_privacy.ledger import Account
from differential_privacy.privacy import ConcentratedLoss
from differential_privacy.queries import Plan, Question, parsed_question
from differential_privacy.release import Answer, Columns, Door

__all__ = ["Session"]

DIGITS = 4
USUAL = Fraction(95, 100)
MOST_SURE = 1 - Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Session:
    """What one analyst can do; every question names its price, or the errors it may have.

    A price is `epsilon` (and a `delta`, else the same part of the budget's), or `rho` where budgets
    are in rho, or `within`: the error bars that columns may have, as `within={"n": 50}`.
    """

    analyst: Analyst
    accounts: Accounts
    catalog: Catalog
    door: Door
    project: str | None = None

    def sql(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        within: Within | None = None,
        confidence: Number = USUAL,
    ) -> Answer:
        """The answer of a question in SQL; asked again at the same price it is the same, free."""
        plan = self.plan(
            text, epsilon=epsilon, delta=delta, rho=rho, within=within, confidence=confidence
        )
        return self.buy(plan, confidence=confidence)

    def plan(
        self,
        text: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        within: Within | None = None,
        confidence: Number = USUAL,
    ) -> Plan:
        """What a question would cost, and how far off its answer would be: free, reads no data."""
        sure = _confidence(confidence)
        question = self._read(text)
        budgets = self.accounts.budgets(question.tables, self.analyst, self.project)
        if within is None:
            return question.plan(price_of(budgets, epsilon=epsilon, delta=delta, rho=rho))
        if epsilon is not None or rho is not None:
            rule = "must stand alone: it finds the price that epsilon or rho would state"
            raise InvalidArgumentError("within", within, rule)
        return cheapest(question, within, budgets, delta=delta, confidence=sure)

    def owns(self, plan: Plan) -> bool:
        """Whether this analyst has bought the answer already, so that it is free."""
        return self.door.owns(plan, self.analyst.name, data=self.accounts.data(plan))

    def buy(self, plan: Plan, *, confidence: Number = USUAL) -> Answer:
        """The answer of a plan: paid for, then looked up, then made noisy."""
        sure = _confidence(confidence)
        self._check_tables(plan.tables)
        payers = self.accounts.paying(plan, self.analyst, self.project)
        try:
            released = self.door.release(plan, payers, data=lambda: self._data(plan))
        except BudgetExceededError as error:
            raise self.accounts.named(error) from None
        return Answer(plan, released.noisy, released.receipt, sure, released.repeated)

    def lost(self, text: str, *, epsilon: Number) -> Answer:
        """The share of a question's rows that its bounds leave out: one more private number.

        It is of the bounds that the question would have at this price.
        """
        question = self._read(text)
        budgets = self.accounts.budgets(question.tables, self.analyst, self.project)
        return self.buy(question.lost(price_of(budgets, epsilon=epsilon)))

    def range(self, table: str, expression: str, *, epsilon: Number) -> Range:
        """Powers of two between which nearly all values of an expression lie: bought, not free.

        For `SUM` and `AVG` where no range is declared: `session.range("visits", "cost",
        epsilon=0.1).clamp("cost")` is what can stand in them.
        """
        answer = self.sql(range_question(table, expression), epsilon=epsilon)
        low, high = answer.columns["low"][0], answer.columns["high"][0]
        return Range.between(int(str(low)), int(str(high)), answer)

    def table(self, name: str) -> Query:
        """A question built in Python: `.where(...).group_by(...).count().mean(...)`."""
        return Query(name, self)

    def batch(
        self,
        questions: Sequence[tuple[str, Within]],
        *,
        epsilon: Number,
        delta: Number | None = None,
    ) -> list[Answer]:
        """Answers that share an epsilon, so that their errors keep the proportions wished for.

        Errors fall in proportion to the epsilon, so each question gets the part that its wish
        would have cost alone. Of budgets in rho the squares of the parts add up.
        """
        total = positive(epsilon, "epsilon")
        chance = None if delta is None else small_probability(delta, "delta")
        plans = [self.plan(text, within=within, delta=delta) for text, within in questions]
        sizes = [epsilon_of(plan) for plan in plans]
        tables = frozenset[str]().union(*(plan.tables for plan in plans))
        budgets = self.accounts.budgets(tables, self.analyst, self.project)
        in_rho = all(isinstance(one, ConcentratedLoss) for one in budgets)
        squares = sum((size * size for size in sizes), Fraction(0))
        whole = sqrt(squares).high if in_rho else sum(sizes)
        answers = []
        for (text, _), size in zip(questions, sizes, strict=True):
            share = None if chance is None else round_down(chance * size / sum(sizes), DIGITS)
            part = round_down(total * size / whole, DIGITS)
            answers.append(self.sql(text, epsilon=part, delta=share))
        return answers

    def mock(self, table: str, *, rows: int = 1000) -> Columns:
        """Made-up rows with the declared schema, drawn from public facts alone: free."""
        self._check_tables(frozenset({table}))
        return mocked(self.catalog.tables[table], rows)

    @property
    def account(self) -> Account:
        """The analyst's budget, or the project's: what was spent of it and what is left."""
        return self.accounts.ledger.account(analyst_account(self.analyst, self.project))

    def _read(self, text: str) -> Question:
        """A question that this analyst may ask, and that asks for something."""
        question = Question.read(parsed_question(text), self.catalog, text)
        self._check_tables(question.tables)
        asked, _ = question.ways[0]
        if asked.groups is not None and not asked.needs.exact and not asked.percentiles:
            rule = "are public, and nothing else is asked: they need no answer, and no budget"
            raise QuestionError("these groups", rule, instead="COUNT(*) beside them")
        return question

    def _data(self, plan: Plan) -> str:
        """The version of the data of a plan, whose public tables are still what it was made of."""
        if plan.public != self.catalog.public_versions(plan.asked.read):
            rule = "changed since this was planned: plan it again"
            raise QuestionError("a public table of this question", rule)
        return self.accounts.data(plan)

    def _check_tables(self, tables: frozenset[str]) -> None:
        known = self.catalog.tables
        for name in sorted(tables):
            if name not in known:
                raise InvalidArgumentError("table", name, f"must be one of {', '.join(known)}")
            allowed = self.analyst.tables
            if allowed and name not in allowed:
                rule = f"is not among the tables that {self.analyst.name} may ask: "
                raise QuestionError(name, rule + ", ".join(allowed))


def _confidence(given: Number) -> Fraction:
    """A confidence that error bars can be told for."""
    sure = open_probability(given, "confidence")
    if sure > MOST_SURE:
        raise InvalidArgumentError("confidence", given, "must be at most 1 - 1e-12")
    return sure
