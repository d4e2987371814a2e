"""The best guess that an attacker can make of somebody's illness, from noisy counts of each."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.exact import probability
from differential_privacy.privacy import PureLoss, belief

__all__ = ["best_guess", "most_right", "odds"]

Floats = NDArray[np.float64]


def odds(counts: Floats, *, epsilon: Fraction) -> Floats:
    """Logarithms of how much likelier each count is with one person in it than with nobody.

    Theorem: noise of scale 1 / epsilon on a count has chances that fall by e^-epsilon a step, so
    this is epsilon (|c| - |c - 1|) for a count c.

    >>> from differential_privacy.audit.attacks.guessing import odds
    >>> odds(np.array([-3.0, 0.0, 1.0, 7.0]), epsilon=Fraction(1))
    array([-1., -1.,  1.,  1.])
    """
    return np.asarray(float(epsilon) * (np.abs(counts) - np.abs(counts - 1)))


def best_guess(prior: Floats, evidence: Floats) -> NDArray[np.int64]:
    """For each row of evidence, as log odds, what Bayes' rule believes most.

    >>> from differential_privacy.audit.attacks.guessing import best_guess
    >>> best_guess(np.array([0.6, 0.4]), np.array([[0.0, 0.0], [-1.0, 1.0]]))
    array([0, 1])
    """
    return np.asarray(np.argmax(np.log(prior) + evidence, axis=1))


def most_right(prior: Floats, loss: PureLoss) -> float:
    """How often any guess of what a person has can be right, whatever it is made from.

    Theorem: to have another value is to leave and to come: twice the loss. A belief that begins
    below the largest prior ends below what this doubled loss makes of it, and a guess is right as
    often as it is believed.

    >>> from differential_privacy.audit.attacks.guessing import most_right
    >>> round(most_right(np.array([0.5, 0.5]), PureLoss("1/2")), 4)
    0.7311
    """
    largest = probability(float(prior.max() / prior.sum()), "prior")
    return float(belief(PureLoss(2 * loss.epsilon), prior=largest).most)
