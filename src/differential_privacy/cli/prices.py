"""What a plan costs, whom, and what it buys: as `dp plan` and `dp ask` show it.

Rule 1: all of it is public: it is told before anything is read or paid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rich.text import Text

from differential_privacy.cli.showing import Look, columns, fields, meter
from differential_privacy.cli.wording import words
from differential_privacy.errors import BudgetExceededError
from differential_privacy.ledger import Account, Certificates, as_json
from differential_privacy.queries import Linear, Plan
from differential_privacy.release.explaining import explained

__all__ = ["Bill"]


@dataclass(frozen=True)
class Bill:
    """A plan, the accounts that would pay for it, and what people call these."""

    plan: Plan
    accounts: Sequence[Account]
    names: Mapping[str, str]
    confidence: Fraction

    def shown(self) -> list[Look]:
        """Cost, errors, how and why, and what would be left."""
        within = f"within ({float(self.confidence) * 100:g} %)"
        return [
            fields([("cost", words(self.plan.loss))]),
            "",
            columns(("column", within, "noise (sd)", ""), self._errors, right="lrrl"),
            "",
            fields(self._how),
            "",
            fields(self._left),
        ]

    def summary(self) -> Look:
        """The price and the errors in short."""
        errors = ", ".join(map(str, self.plan.expected(self.confidence)))
        lines: list[tuple[str, Look]] = [("cost", words(self.plan.loss)), ("error bars", errors)]
        return fields([*lines, *self._left])

    def to_dict(self) -> dict[str, object]:
        """All of it as what JSON has; exact numbers are text."""
        return {
            "question": self.plan.text,
            "cost": as_json(self.plan.losses),
            "confidence": float(self.confidence),
            "expected": [
                {"column": one.column, "error": one.error, "unit": one.unit.strip() or None}
                for one in self.plan.expected(self.confidence)
            ],
            "bounded": self.plan.bounding.words,
            "why": self.plan.why,
            "how": explained(self.plan),
            "risks": list(self.plan.risks),
            "affordable": all(self._charged(one) is not None for one in self.accounts),
            "left": {
                self.names.get(one.name, one.name): as_json([(self._charged(one) or one).left])
                for one in self.accounts
            },
        }

    @property
    def _errors(self) -> Iterator[Sequence[Look]]:
        """Each column's error, and its noise where that is what the column is made of alone."""
        noise = {
            column.name: f"{self.plan.blend(column.output).deviation:,.4g}"
            for column in self.plan.columns
            if isinstance(column.output, Linear)
        }
        for one in self.plan.expected(self.confidence):
            yield one.column, f"±{one.error:,.4g}", noise.get(one.column, ""), one.unit.strip()

    @property
    def _how(self) -> Iterator[tuple[str, Look]]:
        """How it is bounded, which groups are shown, and why; the noise stands with the columns."""
        for line in explained(self.plan).splitlines():
            label, colon, text = line.partition(": ")
            if label in ("bounded", "why"):
                yield label, text
            elif not colon or label.startswith("percentile"):
                yield "", line
        for risk in self.plan.risks:
            yield "note", risk

    @property
    def _left(self) -> list[tuple[str, Look]]:
        """What each account would have left; or that it would not pay."""
        return [(self.names.get(one.name, one.name), self._after(one)) for one in self.accounts]

    def _after(self, account: Account) -> Look:
        charged = self._charged(account)
        if charged is None:
            return Text("does not suffice: ", style="red").append_text(meter(account))
        return meter(charged)

    def _charged(self, account: Account) -> Account | None:
        try:
            return account.admit(Certificates(*self.plan.losses).for_budget(account.budget))
        except BudgetExceededError:
            return None
