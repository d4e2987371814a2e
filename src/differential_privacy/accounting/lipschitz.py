"""How steep a function on finitely many points is: at one point, and anywhere."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

__all__ = ["lipschitz", "lipschitz_at", "score_lipschitz"]

X = TypeVar("X")
Y = TypeVar("Y")
C = TypeVar("C")


def _apart(one: Any, other: Any) -> Fraction | int:  # noqa: ANN401 - what can be subtracted
    return abs(Fraction(one) - Fraction(other))


def lipschitz_at(
    function: Callable[[X], Y],
    points: Iterable[X],
    at: X,
    *,
    distance: Callable[[X, X], Fraction | int] = _apart,
    output_distance: Callable[[Y, Y], Fraction | int] = _apart,
) -> Fraction:
    """The least c with d(f(at), f(x)) <= c d(at, x) for every other point x.

    >>> f = {0: 0, 1: 1, 2: 2, 3: 5}
    >>> [str(lipschitz_at(f.get, f, at=x)) for x in f]
    ['5/3', '2', '3', '3']
    """
    here = function(at)
    slopes = (
        Fraction(output_distance(here, function(x))) / distance(at, x) for x in points if x != at
    )
    return max(slopes, default=Fraction(0))


def lipschitz(
    function: Callable[[X], Y],
    points: Sequence[X],
    *,
    distance: Callable[[X, X], Fraction | int] = _apart,
    output_distance: Callable[[Y, Y], Fraction | int] = _apart,
) -> Fraction:
    """The Lipschitz constant: the largest of the constants at the points; a global sensitivity."""
    return max(
        (
            lipschitz_at(function, points, at=x, distance=distance, output_distance=output_distance)
            for x in points
        ),
        default=Fraction(0),
    )


def score_lipschitz(
    score: Callable[[X, C], Fraction | int],
    points: Sequence[X],
    candidates: Iterable[C],
    *,
    distance: Callable[[X, X], Fraction | int] = _apart,
) -> Fraction:
    """The Lipschitz constant of a score that holds uniformly, for each candidate by itself."""
    return max(
        (
            lipschitz(partial(_score_of, score, candidate), points, distance=distance)
            for candidate in candidates
        ),
        default=Fraction(0),
    )


def _score_of(score: Callable[[X, C], Fraction | int], candidate: C, x: X) -> Fraction | int:
    return score(x, candidate)
