"""What the mechanisms that choose by score share: one candidate is told, and its score is not.

Theorem: let noise or odds make a candidate e^(rate d) times as likely when its score rises by d.
When one unit moves each score by at most s, all others can fall as the chosen one rises, so the
pure loss is 2 rate s; when all scores move in one direction it is rate s.
"""

from fractions import Fraction

import numpy as np

from differential_privacy.errors import PrivateArgumentError
from differential_privacy.exact import positive
from differential_privacy.mechanisms.integers import Whole, whole_array
from differential_privacy.privacy import PureLoss, Sensitivity

__all__ = ["rate_for", "score_array", "selection_loss"]


def selection_loss(rate: Fraction, sensitivity: Sensitivity, *, monotonic: bool) -> PureLoss:
    """The loss at a rate."""
    return PureLoss((1 if monotonic else 2) * rate * sensitivity.need_most())


def rate_for(loss: PureLoss, sensitivity: Sensitivity, *, monotonic: bool) -> Fraction:
    """The rate of exactly this loss."""
    moved = positive(sensitivity.need_most(), "sensitivity")
    return positive(loss.epsilon, "epsilon") / ((1 if monotonic else 2) * moved)


def score_array(exact: object) -> Whole:
    """Private scores: a row of at least one."""
    scores = whole_array(exact)
    if scores.ndim != 1 or not np.size(scores):
        raise PrivateArgumentError("exact", "must be one row of scores, for one candidate or more")
    return scores
