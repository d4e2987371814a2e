"""Every deliberate error, as a tree: each names what was asked, its rule and its HTTP status.

    DifferentialPrivacyError
    ├── InvalidArgumentError          an argument breaks its rule; its public value is shown
    │   ├── PrivateArgumentError      the same for a private argument; its value is never shown
    │   └── UnboundedSensitivityError one person could move the answer without limit
    ├── PolicyError                   a policy breaks a rule; the file and the key are named
    ├── QuestionError                 a question breaks a rule; the part and what to do are named
    ├── SourceError                   an engine cannot read its data; how, only the curator learns
    ├── MissingExtraError             an optional part is not installed; the command is told
    ├── NoTheoremError                no theorem of ours leads from this loss to that one
    ├── BudgetExceededError           a filter refuses a spend
    ├── UnknownAccountError           the ledger has no account of this name
    ├── LedgerUnavailableError        the ledger cannot be read or written now; nothing was answered
    └── LedgerTamperedError           what the ledger holds is not what was written

Rule 1: a message is made of public facts only.
"""

from collections.abc import Sequence
from fractions import Fraction

__all__ = [
    "BudgetExceededError",
    "DifferentialPrivacyError",
    "InvalidArgumentError",
    "LedgerTamperedError",
    "LedgerUnavailableError",
    "MissingExtraError",
    "NoTheoremError",
    "PolicyError",
    "PrivateArgumentError",
    "QuestionError",
    "SourceError",
    "UnboundedSensitivityError",
    "UnknownAccountError",
]

SHOWN = 160


class DifferentialPrivacyError(Exception):
    """The root: catch this to catch every error we raise on purpose."""

    status = 500


class InvalidArgumentError(DifferentialPrivacyError, ValueError):
    """An argument breaks its rule.

    >>> raise InvalidArgumentError("epsilon", -1, "must be positive")
    Traceback (most recent call last):
        ...
    differential_privacy.errors.InvalidArgumentError: epsilon = -1: must be positive
    """

    status = 400

    def __init__(self, argument: str, value: object, rule: str) -> None:
        shown = _written(value)
        shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
        super().__init__(f"{argument} = {shown}: {rule}")
        self.argument = argument
        self.rule = rule


class PrivateArgumentError(InvalidArgumentError):
    """A private argument has the wrong shape or type; which value it had is not said."""

    def __init__(self, argument: str, rule: str) -> None:
        DifferentialPrivacyError.__init__(self, f"{argument}: {rule}")
        self.argument = argument
        self.rule = rule


class UnboundedSensitivityError(InvalidArgumentError):
    """One person could move the answer without limit, so no noise would hide them."""


class PolicyError(DifferentialPrivacyError, ValueError):
    """A policy breaks a rule; nothing is asked under it until it is mended."""

    status = 400

    def __init__(self, file: str, key: str, rule: str) -> None:
        super().__init__(f"{file}: {key}: {rule}" if key else f"{file}: {rule}")
        self.file = file
        self.key = key
        self.rule = rule


class QuestionError(DifferentialPrivacyError, ValueError):
    """A question is refused before anything is read or spent; what would be accepted is said."""

    status = 422

    def __init__(self, asked: str, rule: str, *, instead: str | None = None) -> None:
        shown = asked if len(asked) <= SHOWN else f"{asked[:SHOWN]}..."
        what_to_do = "" if instead is None else f"; try: {instead}"
        super().__init__(f"{shown}: {rule}{what_to_do} (nothing was spent)")
        self.asked = asked
        self.rule = rule
        self.instead = instead


class SourceError(DifferentialPrivacyError):
    """An engine could not read its data; what was paid stays paid, and nothing was answered."""

    status = 502

    def __init__(self) -> None:
        super().__init__(
            "the data could not be read: nothing was answered, and what was paid stays paid; "
            "the curator can find out why with `dp check --data`"
        )


class MissingExtraError(DifferentialPrivacyError, ImportError):
    """An optional part of this package is not installed."""

    status = 501

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'differential_privacy[{extra}]'")
        self.extra = extra


class NoTheoremError(DifferentialPrivacyError, TypeError):
    """No theorem of ours leads from this loss to what was asked."""

    status = 422

    def __init__(self, asked: str, loss: object, known: Sequence[str]) -> None:
        super().__init__(
            f"no theorem gives {asked} from {_written(loss)}; it is known for: " + ", ".join(known)
        )


class BudgetExceededError(DifferentialPrivacyError):
    """A filter refuses a spend that would pass its budget; nothing was spent."""

    status = 402

    def __init__(
        self, *, needed: object, spent: object, budget: object, account: str | None = None
    ) -> None:
        of = "" if account is None else f"{account}: "
        super().__init__(
            f"{of}this needs {needed}, but {spent} of {budget} is spent: "
            "ask a coarser question, accept more noise, or ask the curator for more"
        )
        self.needed = needed
        self.spent = spent
        self.budget = budget
        self.account = account


class UnknownAccountError(DifferentialPrivacyError, LookupError):
    """The ledger has no account of this name; nothing was spent."""

    status = 404

    def __init__(self, account: str) -> None:
        super().__init__(
            f"account = {_written(account)}: must be open in the ledger: open it first"
        )
        self.account = account


class LedgerUnavailableError(DifferentialPrivacyError):
    """The ledger cannot be read or written now, so nothing was answered; what was paid stays."""

    status = 503

    def __init__(self, reason: str) -> None:
        super().__init__(f"the ledger is unavailable: {reason}; nothing was answered")


class LedgerTamperedError(DifferentialPrivacyError):
    """What the ledger holds is not what was written: nobody spends from it until it is repaired."""

    status = 500

    def __init__(self, found: str) -> None:
        super().__init__(
            f"the ledger does not check out: {found}: restore it from a copy that does"
        )


def _written(value: object) -> str:
    try:
        return str(value) if isinstance(value, Fraction) else repr(value)
    except ValueError:
        # Python does not write out integers of more than 4300 digits.
        return f"a {type(value).__name__} too long to show"
