"""Reconstruction: who is in a register, solved for from counts of random sets of people.

With us the same counts are bought, and so is what tells most: a count of each person alone.
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
from differential_privacy.privacy import PureLoss, belief
from differential_privacy.sampling import Bits, fixed_subset
from differential_privacy.sources import Column, Place, Table

__all__ = ["by_absolute_errors", "by_squares", "reconstruction", "sets_of"]

BUDGET = PureLoss(1)
PEOPLE, FOR_EACH, TOGETHER = 300, 3, 50

PRIME = 10_007
"""Questions pick their sets by remainders of a product, as a line of SQL can."""

LIE, LIES = 1000, 10
"""How far a lie may be off, and one answer in how many is one."""

STEPS, ROUNDS = 400, 30
SMALL = 1e-6
HALF = 0.5

Floats: TypeAlias = NDArray[np.float64]


def reconstruction(*, seed: int = 1, people: int = PEOPLE) -> Report:
    """Solves for who is in a register, each in it or not with equal chance, from 3 counts a person.

    The guarantee: who is in it or not is one row more or less, so a guess is right with a chance
    of e^epsilon / (1 + e^epsilon) at most, given all that is known of the others.

    Reference: Dinur, Nissim 2003, theorem 2; Cohen, Nissim 2018 (1810.05692), whose questions on
    a real product picked their sets as these do.
    """
    bits = Repeated(seed)
    secret = whole(2, people, bits=bits)
    keys = 1 + whole(PRIME - 1, (FOR_EACH * people, 2), bits=bits)
    sets = sets_of(people, keys)
    exact = sets @ secret
    lied = _lied(exact, bits)
    noisy = _bought(secret, keys)
    alone = _each_alone(secret)
    most = float(belief(BUDGET, prior=Fraction(1, 2)).most)
    found = (
        (
            f"who is in it, from {exact.size:,} counts by least squares",
            by_squares(sets, exact),
            by_squares(sets, noisy),
        ),
        (
            f"by least absolute errors; without us {100 // LIES} % of the answers are lies",
            by_absolute_errors(sets, lied),
            by_absolute_errors(sets, noisy),
        ),
        ("by a count of each person alone", secret.astype(np.float64), alone),
    )
    error = float(np.sqrt(np.mean((noisy - exact) ** 2)))
    return Report(
        name="reconstruction",
        tried=f"tell who of {people} people is in a register of the ill",
        without="exact counts of random sets",
        loss=BUDGET,
        outcomes=tuple(
            Outcome(about, _right(without, secret), _right(with_us, secret), HALF, most)
            for about, without, with_us in found
        ),
        told=(
            (
                f"our counts have a standard error of {error:,.0f}, as {exact.size:,} of them "
                "share the budget; one count alone would have one of 1.4"
            ),
            "least squares spreads a lie over everybody; least absolute errors leaves it alone",
        ),
        sources=(
            "Dinur, Nissim 2003, Revealing information while preserving privacy",
            "Dwork, McSherry, Talwar 2007, The price of privacy and the limits of LP decoding",
            "Cohen, Nissim 2018, Linear program reconstruction in practice, 1810.05692",
        ),
        picture=_picture(sets, secret, bits),
    )


def sets_of(people: int, keys: NDArray[np.int64]) -> Floats:
    """Which people are in each set: one row for each pair of keys, half of the people about.

    >>> from differential_privacy.audit.attacks.reconstruction import sets_of
    >>> sets_of(5, np.array([[3000, 1]]))
    array([[1., 1., 0., 0., 1.]])
    """
    rest = (np.arange(people) * keys[:, :1] + keys[:, 1:]) % PRIME
    return (rest < PRIME // 2).astype(np.float64)


def by_squares(sets: Floats, answers: Floats) -> Floats:
    """Numbers from 0 to 1, one a person, whose sums are off from the answers least, in squares.

    What least squares finds is cut to this range, and refined from there by projected gradients.

    Reference: Nesterov 1983; Beck, Teboulle 2009, for the steps ahead that make them fast.
    """
    squares, aims = sets.T @ sets, sets.T @ answers
    steepest = float(np.linalg.norm(squares, 2))
    best: Floats = np.clip(_solved(squares, aims), 0, 1)
    ahead = best
    for step in range(STEPS):
        # Sums by numpy alone: so small a product is slower when threads are started for it.
        slope = np.einsum("ij,j->i", squares, ahead) - aims
        found = np.clip(ahead - slope / steepest, 0, 1)
        ahead = found + step / (step + 3) * (found - best)
        best = found
    return best


def by_absolute_errors(sets: Floats, answers: Floats) -> Floats:
    """The same, for the sum of absolute errors: what the linear program of the literature finds.

    It is found by weighted squares instead, again and again, each error weighing its inverse: so
    numpy is enough, and no solver of linear programs is needed.

    Reference: Schlossmacher 1973, for the weights.
    """
    best = by_squares(sets, answers)
    for _ in range(ROUNDS):
        weights = 1 / np.maximum(np.abs(sets @ best - answers), SMALL)
        weighted = sets.T * weights
        best = np.clip(_solved(weighted @ sets, weighted @ answers), 0, 1)
    return best


def _solved(squares: Floats, aims: Floats) -> Floats:
    """The solution of normal equations, also where they have several."""
    more = SMALL * float(np.trace(squares)) / squares.shape[0]
    return np.asarray(np.linalg.solve(squares + more * np.eye(squares.shape[0]), aims))


def _right(guess: Floats, secret: NDArray[np.int64]) -> Share:
    return Share(int(((guess > HALF) == secret).sum()), secret.size)


def _lied(exact: Floats, bits: Bits) -> Floats:
    """The answers, but one in so many is any number."""
    lied = exact.copy()
    where = fixed_subset(exact.size, exact.size // LIES, bits=bits)
    lied[where] = whole(LIE, where.size, bits=bits)
    return lied


def _register(secret: NDArray[np.int64]) -> tuple[Table, dict[str, NDArray[np.int64]]]:
    """Those who are in it: a row has a number that tells people apart."""
    number = Column("citizen", "integer", lower=0, upper=secret.size - 1, nullable=False)
    table = Table("register", Place("register.parquet"), (number,))
    return table, {"citizen": np.flatnonzero(secret).astype(np.int64)}


def _bought(secret: NDArray[np.int64], keys: NDArray[np.int64]) -> Floats:
    """Our answers to the same counts, some to a question, which share the budget."""
    answers: list[float] = []
    with guarded(BUDGET, _register(secret)) as session:
        for first in range(0, len(keys), TOGETHER):
            answers += _counts(session, keys[first : first + TOGETHER], len(keys))
    return np.array(answers)


def _counts(session: Session, keys: NDArray[np.int64], counts: int) -> list[float]:
    tests = (f"(citizen * {a} + {b}) % {PRIME} < {PRIME // 2}" for a, b in keys.tolist())
    listed = ", ".join(
        f"COUNT(*) FILTER (WHERE {test}) AS n{number}" for number, test in enumerate(tests)
    )
    price = BUDGET.epsilon * len(keys) / counts
    (row,) = numbers(session, f"SELECT {listed} FROM register", epsilon=price)  # noqa: S608
    return [float(cell) for cell in row]


def _each_alone(secret: NDArray[np.int64]) -> Floats:
    """A count of each person alone, for all of the budget: nobody is in two of these."""
    with guarded(BUDGET, _register(secret)) as session:
        text = "SELECT BIN(citizen, 1) AS who, COUNT(*) AS n FROM register GROUP BY who"
        told = dict(numbers(session, text, epsilon=BUDGET.epsilon))
    return np.array([float(told[who]) for who in range(secret.size)])


def _picture(sets: Floats, secret: NDArray[np.int64], bits: Bits) -> Picture:
    """How many are told rightly, as errors of exact counts grow."""
    exact = sets @ secret
    points = []
    for most in (0, 2, 5, 10, 20, 40, 80):
        errors = whole(2 * most + 1, exact.size, bits=bits) - most
        share = _right(by_squares(sets, exact + errors), secret).value
        points.append((float(most), share))
    ends = (0.0, 80.0)
    chance = Line("guessing", tuple((end, HALF) for end in ends))
    bound = float(belief(BUDGET, prior=Fraction(1, 2)).most)
    allowed = Line("most that we allow", tuple((end, bound) for end in ends))
    lines = (Line("counts with errors", tuple(points)), allowed, chance)
    return Picture("largest error of a count", "share of people told rightly", lines)
