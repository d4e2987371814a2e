"""Scores that say how much a record seems a member; the ratio of likelihoods is one."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError

__all__ = ["checked", "likelihood_scores"]

Floats = NDArray[np.float64]


def checked(scores: ArrayLike, name: str) -> Floats:
    """The scores as floats; NaN is no score, as it says neither more nor less than another."""
    given = np.asarray(scores, dtype=np.float64)
    if given.ndim != 1 or given.size == 0:
        rule = "must be a list of one or more numbers"
        raise InvalidArgumentError(name, f"an array of shape {given.shape}", rule)
    if np.isnan(given).any():
        rule = "must be numbers: let the scorer decide for what has none"
        raise InvalidArgumentError(name, f"{int(np.isnan(given).sum())} times NaN", rule)
    return given


def likelihood_scores(scores: ArrayLike, *, shadows: ArrayLike, within: ArrayLike) -> Floats:
    """How much likelier each record's score is with the record than without it, as a logarithm.

    `shadows` are the scores of the same records by models trained for comparison, one row each, and
    `within` says which record was in the training of which. Each record has a normal law of its own
    mean with it and without, and all records one variance each, as a few models tell no more.

    Reference: Carlini, Chien, Nasr, Song, Terzis, Tramer 2022 (2112.03570), section 5.

    >>> shadows = np.array([[3.0, 1.0], [2.0, 3.0], [0.0, -1.0], [-1.0, 0.0]])
    >>> within = np.array([[True, True], [True, True], [False, False], [False, False]])
    >>> likelihood_scores([2.5, -0.5], shadows=shadows, within=within).round(2).tolist()
    [8.54, -2.96]
    """
    given, seen = checked(scores, "scores"), np.asarray(shadows, dtype=np.float64)
    inside = np.asarray(within)
    if inside.dtype != np.bool_ or inside.shape != seen.shape or seen.shape[1:] != given.shape:
        found = f"arrays of shapes {seen.shape} and {inside.shape}"
        rule = f"must be models by {given.size} records, of numbers and of True and False"
        raise InvalidArgumentError("shadows, within", found, rule)
    if not np.isfinite(seen).all():
        raise InvalidArgumentError("shadows", "NaN or infinite", "must be finite numbers")
    return _log_density(given, seen, inside) - _log_density(given, seen, ~inside)


def _log_density(given: Floats, seen: Floats, of: NDArray[np.bool_]) -> Floats:
    models = of.sum(axis=0)
    freedom = int((models - 1).sum())
    if not models.all() or freedom == 0:
        rule = "must have each record in one model and out of one, and some in and out of two"
        raise InvalidArgumentError("within", f"{len(of)} models", rule)
    means = np.where(of, seen, 0).sum(axis=0) / models
    variance = float((np.where(of, seen - means, 0) ** 2).sum()) / freedom
    if variance == 0:
        raise InvalidArgumentError("shadows", "equal scores", "must vary between models")
    return np.asarray(-((given - means) ** 2) / (2 * variance) - np.log(variance) / 2)
