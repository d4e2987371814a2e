"""One training run with canaries among the records: what an audit of the training sees.

Rule 1: whether a canary is in is a fair coin of its own, that only the training is told.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.sampling import Bits, bernoulli

__all__ = ["trained_with"]

M = TypeVar("M")
Rows = NDArray[np.generic]


def trained_with(
    train: Callable[[Rows], M],
    records: ArrayLike,
    *,
    canaries: ArrayLike,
    score: Callable[[M, Rows], ArrayLike],
    bits: Bits | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The score of each canary, and whether it was included: what `one_run` is given.

    `train` is called once, with the records and the included canaries after them, along the first
    axis; `score` once, with what it gave and all canaries. A higher score says: rather included.
    Canaries may be numbers of rows that `train` fetches itself.

    >>> total = lambda rows: rows.sum(axis=0)
    >>> scores, included = trained_with(
    ...     total, np.zeros((5, 3)), canaries=np.eye(3), score=lambda model, rows: rows @ model
    ... )
    >>> bool((scores == included).all())
    True
    """
    rows, planted = np.asarray(records), np.asarray(canaries)
    if planted.ndim == 0 or not len(planted):
        shape = f"an array of shape {planted.shape}"
        raise InvalidArgumentError("canaries", shape, "must be one or more along its first axis")
    included = bernoulli("1/2", len(planted), bits=bits)
    model = train(np.concatenate((rows, planted[included])))
    scores = np.asarray(score(model, planted), dtype=np.float64)
    if scores.shape != included.shape:
        rule = f"must give {len(planted)} numbers, one for each canary"
        raise InvalidArgumentError("score", f"an array of shape {scores.shape}", rule)
    return scores, included
