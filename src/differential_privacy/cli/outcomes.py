"""Exit codes: how a command went, for scripts."""

import click

from differential_privacy import errors

__all__ = [
    "FAULT",
    "NOT_DONE",
    "OUTCOMES",
    "USAGE",
    "Declined",
    "Overspent",
    "Unclear",
    "outcome_of",
]

OUTCOMES = {
    0: "done",
    1: "not done: declined, stopped, or something found that needs mending",
    2: "the command or the policy is wrong",
    3: "the question is refused",
    4: "the budget does not allow it",
    5: "the ledger cannot be used, or does not check out",
    6: "data or files cannot be read",
    7: "an optional part is not installed",
    8: "a fault of this program",
}

NOT_DONE, USAGE, OVERSPENT, FAULT = 1, 2, 4, 8

CODES: dict[type[BaseException], int] = {
    errors.DifferentialPrivacyError: FAULT,
    errors.InvalidArgumentError: USAGE,
    errors.PolicyError: USAGE,
    errors.QuestionError: 3,
    errors.NoTheoremError: 3,
    errors.BudgetExceededError: OVERSPENT,
    errors.UnknownAccountError: 5,
    errors.LedgerUnavailableError: 5,
    errors.LedgerTamperedError: 5,
    errors.SourceError: 6,
    OSError: 6,
    errors.MissingExtraError: 7,
}


def outcome_of(kind: type[BaseException]) -> int:
    """The exit code of an error, by the nearest kind that has one.

    >>> from differential_privacy.cli.outcomes import outcome_of
    >>> outcome_of(PermissionError)
    6
    """
    return next((CODES[one] for one in kind.__mro__ if one in CODES), FAULT)


class Unclear(click.ClickException):
    """The command does not say all that it must."""

    exit_code = USAGE


class Declined(click.ClickException):
    """Whoever was asked said no."""

    exit_code = NOT_DONE


class Overspent(click.ClickException):
    """A budget does not allow it, told with the names of the policy."""

    exit_code = OVERSPENT
