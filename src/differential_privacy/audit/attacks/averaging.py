"""Averaging: one question asked again and again, until the noise is gone.

It works where each answer has fresh noise and nobody adds prices up. With us a repeat is the same
answer, and another answer has its own price.
"""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.guarded import guarded, numbers
from differential_privacy.audit.attacks.made_up import Repeated, whole
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.curator import Session
from differential_privacy.errors import BudgetExceededError
from differential_privacy.exact import exp
from differential_privacy.mechanisms import Geometric
from differential_privacy.privacy import PureLoss
from differential_privacy.sources import Column, Place, Table

__all__ = ["averaging", "named_by_one_answer"]

BUDGET = PureLoss(1)
PRICE = Fraction(1, 10)
STREETS, LARGEST = 300, 100
TIMES = 10_000
ASKED_OF_US = 50

QUESTION = "SELECT street, COUNT(*) AS n FROM patients GROUP BY street"

Floats: TypeAlias = NDArray[np.float64]


def averaging(*, seed: int = 1) -> Report:
    """Asks for the patients of each of 300 streets, 0 to 99 of them, and averages the answers.

    The guarantee: geometric noise of all of the budget lets more counts be named than any other
    answers of this loss do, whatever the attacker knows before.

    Reference: Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing
    privacy mechanisms.
    """
    truth = whole(LARGEST, STREETS, bits=Repeated(seed))
    fresh = _with_fresh_noise(truth)
    with guarded(BUDGET, _table(truth)) as session:
        first = _answer(session, PRICE)
        same = all((_answer(session, PRICE) == first).all() for _ in range(ASKED_OF_US - 1))
        spent = session.account.spent
        bought, refused = _bought(session, first)
    with guarded(BUDGET, _table(truth)) as session:
        once = _answer(session, BUDGET.epsilon)
    most = named_by_one_answer(BUDGET, LARGEST)
    answers = len(bought)
    averaged = np.cumsum(bought, axis=0) / np.arange(1, answers + 1)[:, None]
    return Report(
        name="averaging",
        tried=f"name the number of patients in each of {STREETS} streets, of 0 to {LARGEST - 1}",
        without=f"fresh noise (epsilon {PRICE}) whenever somebody asks, and no account",
        loss=BUDGET,
        outcomes=(
            Outcome(
                about=f"numbers named, {TIMES:,} answers averaged (with us {answers})",
                without=_named(fresh[-1], truth),
                with_us=_named(averaged[-1], truth),
                guessing=1 / LARGEST,
                most=most,
            ),
            Outcome(
                about="numbers named, from one answer (with us for all of the budget)",
                without=_named(fresh[0], truth),
                with_us=_named(once, truth),
                guessing=1 / LARGEST,
                most=most,
            ),
        ),
        told=(
            f"asked {ASKED_OF_US} times at epsilon {PRICE}, we gave "
            + ("the same answer each time" if same else "different answers")
            + f", and {spent} was spent",
            f"at prices that differ a little we sold {answers} answers; then: {refused}",
            "several answers together tell less than one for their whole price",
        ),
        sources=(
            (
                "Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy "
                "mechanisms"
            ),
        ),
        picture=_picture(truth, fresh, averaged),
    )


def named_by_one_answer(loss: PureLoss, numbers: int) -> float:
    """How often the best guess from one geometric answer is the number, each equally likely.

    Theorem: noise of scale 1 / epsilon is 0 with chance (1 - a) / (1 + a), a = e^-epsilon; at
    either end of the range all that is beyond is guessed to be the end, with chance 1 / (1 + a).

    >>> from differential_privacy.audit.attacks.averaging import named_by_one_answer
    >>> round(named_by_one_answer(PureLoss(1), 2), 4)
    0.7311
    """
    shrunk = float(exp(-loss.epsilon).high)
    inside = (numbers - 2) * (1 - shrunk) / (1 + shrunk)
    return (inside + 2 / (1 + shrunk)) / numbers


def _table(truth: NDArray[np.int64]) -> tuple[Table, dict[str, NDArray[np.generic]]]:
    names = np.array([f"street {number}" for number in range(STREETS)])
    street = Column("street", "text", categories=tuple(names.tolist()), nullable=False)
    table = Table("patients", Place("patients.parquet"), (street,))
    return table, {"street": np.repeat(names, truth)}


def _answer(session: Session, epsilon: Fraction) -> Floats:
    told = dict(numbers(session, QUESTION, epsilon=epsilon))
    return np.array([float(told[f"street {number}"]) for number in range(STREETS)])


def _bought(session: Session, first: Floats) -> tuple[Floats, str]:
    """As many different answers as the budget buys, and why there are no more."""
    answers, refused = [first], ""
    while not refused:
        try:
            answers.append(_answer(session, PRICE * (1 - Fraction(len(answers), 1000))))
        except BudgetExceededError as error:
            refused = f"{error.needed} is refused, as {error.spent} is spent"
    return np.array(answers), refused


def _with_fresh_noise(truth: NDArray[np.int64]) -> Floats:
    """The averages of more and more answers, each with noise of its own."""
    noise = Geometric(1 / PRICE).release(np.tile(truth, (TIMES, 1)))
    return np.asarray(np.cumsum(noise, axis=0) / np.arange(1, TIMES + 1)[:, None])


def _named(answers: Floats, truth: NDArray[np.int64]) -> Share:
    nearest = np.clip(np.rint(answers), 0, LARGEST - 1)
    return Share(int((nearest == truth).sum()), truth.size)


def _error(answers: Floats, truth: NDArray[np.int64]) -> float:
    return float(np.sqrt(np.mean((answers - truth) ** 2)))


def _picture(truth: NDArray[np.int64], fresh: Floats, averaged: Floats) -> Picture:
    """The error of the average, by how often was asked."""
    asked = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, TIMES]
    falling = tuple((float(times), _error(fresh[times - 1], truth)) for times in asked)
    same = tuple((float(times), _error(averaged[0], truth)) for times in (1, TIMES))
    sold = tuple((float(n), _error(one, truth)) for n, one in enumerate(averaged, 1))
    lines = (
        Line("fresh noise, no account", falling),
        Line("with us, one price: the same answer", same),
        Line("with us, new prices: until the budget ends", sold),
    )
    return Picture("times asked", "error of the average", lines, logarithmic=True)
