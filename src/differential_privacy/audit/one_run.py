"""Lower bounds on the epsilon of a training, from the scores of canaries in one run of it.

Rule 1: which canaries are guessed, and how, depends on the scores alone; how many, on neither
scores nor coins.
Rule 2: a bound is rounded down.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.audit.right_guesses import chance_of_right, gaussian_refuted
from differential_privacy.audit.scores import checked
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    float_down,
    float_up,
    integer,
    open_probability,
    shown,
    small_probability,
)
from differential_privacy.privacy import GaussianLoss, Loss
from differential_privacy.sampling import Bits, shuffle

__all__ = ["OneRun", "one_run"]

EACH_SIDE = 3
"""Times the root of how many canaries there are: a good number of guesses on either side."""

HALVINGS = 48
ABOVE = Fraction(1, 1 << 30)
"""More than what the epsilon of a mu was rounded up by."""


@dataclass(frozen=True, slots=True)
class OneRun:
    """What the guesses of one run prove: each bound holds with the confidence, on its own.

    `guesses` are how many canaries were said to be included and how many to be left out; `right`
    of these were. `epsilon` holds for any mechanism. `mu` and `epsilon_f_dp`, its epsilon at the
    delta, hold for those whose worst trade-off is that of two normals, as Gaussian noise has it;
    at a delta of zero such have no epsilon, and it is None.
    """

    canaries: int
    guesses: tuple[int, int]
    right: int
    delta: Fraction
    confidence: Fraction
    epsilon: float
    mu: float
    epsilon_f_dp: float | None
    claimed: Loss | None = None

    @property
    def refuted(self) -> bool:
        """Whether the bound that holds for any mechanism is above the claim."""
        return self.claimed is not None and self.epsilon > self.claimed.epsilon_at(self.delta)

    def as_json(self) -> dict[str, object]:
        """The object that stands for this audit in a report."""
        return {
            "canaries": self.canaries,
            "guesses": list(self.guesses),
            "right": self.right,
            "delta": float(self.delta),
            "confidence": float(self.confidence),
            "epsilon": self.epsilon,
            "mu": self.mu,
            "epsilon_f_dp": self.epsilon_f_dp,
            "claimed": None if self.claimed is None else repr(self.claimed),
            "refuted": self.refuted,
        }

    def __str__(self) -> str:
        highest, lowest = self.guesses
        at = f" at delta {shown(self.delta)}" if self.delta else ""
        sure = f"confidence {shown(self.confidence)}"
        gaussian = f"if it is told apart as Gaussian noise is: mu is at least {self.mu:.4g}"
        if self.epsilon_f_dp is not None:
            gaussian += f", epsilon{at} at least {self.epsilon_f_dp:.4g}"
        lines = [
            (
                f"of {self.canaries:,} canaries, each in the training or not by a fair coin, "
                f"the {highest:,} of highest score were guessed in, the {lowest:,} of lowest out: "
                f"{self.right:,} of {highest + lowest:,} guesses are right"
            ),
            f"epsilon{at} is at least {self.epsilon:.4g}, {sure}",
            f"{gaussian}, {sure}",
        ]
        if self.claimed is not None:
            lines.append(f"claim: {self.claimed}: {'REFUTED' if self.refuted else 'not refuted'}")
        return "\n".join(lines)


def one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    guesses: tuple[int, int] | None = None,
    delta: Number = 0,
    confidence: Number = "0.95",
    claimed: Loss | None = None,
    bits: Bits | None = None,
) -> OneRun:
    """The largest epsilons that one run refutes, of the loss of adding or removing one record.

    Each canary was included by a fair coin of its own; a higher score says: rather included. NaN is
    no score, and refused: what a diverged training says of a canary must be decided by its scorer.

    Theorem: guesses are a function of the output, so `chance_of_right` and `gaussian_refuted` bound
    the chance that so many are right. Each falls as the guarantee gets better; so if the truth is
    below the largest epsilon that has a chance of 1 - confidence at most, what happened had no more
    than that. How many guesses are made is fixed before the run, by `guesses` or as three times the
    root of the canaries on each side, which is near the best for Gaussian noise; so nothing of the
    confidence is lost to a choice. Equal scores are ordered by fair draws, as an order that the
    coins had a part in, such as the included ones first, would be no function of the output.

    Reference: Steinke, Nasr, Jagielski 2023 (2305.08846), Privacy auditing with one (1) training
    run; Mahloujifar, Melis, Chaudhuri 2025 (2410.22235), Auditing f-differential privacy in one
    run.

    >>> included = np.arange(1000) % 2 == 0
    >>> audit = one_run(np.where(included, 1, -1) * np.arange(1000), included, delta=1e-5)
    >>> audit.right, sum(audit.guesses), round(audit.epsilon, 2), round(audit.epsilon_f_dp, 2)
    (190, 190, 4.14, 7.12)
    """
    given, inside = checked(scores, "scores"), _coins(included)
    canaries = given.size
    if inside.size != canaries:
        rule = f"must be as many as the scores, {canaries}"
        raise InvalidArgumentError("included", f"an array of {inside.size}", rule)
    highest, lowest = _guesses(guesses, canaries)
    total = highest + lowest
    allowed = small_probability(delta, "delta")
    sure = open_probability(confidence, "confidence")
    order = shuffle(canaries, bits=bits)
    order = order[np.argsort(given[order], kind="stable")]
    right = int(inside[order[canaries - highest :]].sum() + (~inside[order[:lowest]]).sum())
    miss, leaked = float_down(1 - sure), float_up(allowed)

    def told(epsilon: float) -> bool:
        chance = chance_of_right(
            right, guesses=total, canaries=canaries, epsilon=epsilon, delta=leaked
        )
        return chance <= miss

    def told_apart(mu: float) -> bool:
        return gaussian_refuted(mu, right=right, guesses=total, canaries=canaries, miss=miss)

    mu = _largest(told_apart)
    return OneRun(
        canaries=canaries,
        guesses=(highest, lowest),
        right=right,
        delta=allowed,
        confidence=sure,
        epsilon=_largest(told),
        mu=mu,
        epsilon_f_dp=_epsilon(mu, allowed) if allowed else None,
        claimed=claimed,
    )


def _coins(included: ArrayLike) -> NDArray[np.bool_]:
    coins = np.asarray(included)
    if coins.dtype != np.bool_ or coins.ndim != 1:
        found = f"an array of {coins.dtype} of shape {coins.shape}"
        raise InvalidArgumentError("included", found, "must be a list of True and False")
    return coins


def _guesses(guesses: tuple[int, int] | None, canaries: int) -> tuple[int, int]:
    if guesses is None:
        side = min(round(EACH_SIDE * math.sqrt(canaries)), canaries // 2)
        return max(side, 1), side
    highest, lowest = (integer(count, "guesses", least=0) for count in guesses)
    if not 1 <= highest + lowest <= canaries:
        rule = f"must be from 1 to {canaries} together, the number of canaries"
        raise InvalidArgumentError("guesses", guesses, rule)
    return highest, lowest


def _largest(refuted: Callable[[float], bool]) -> float:
    """The largest number that is refuted, or a little less."""
    low, high = 0.0, 1.0
    if not refuted(low):
        return low
    while refuted(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def _epsilon(mu: float, delta: Fraction) -> float:
    return float_down(GaussianLoss.of_mu(Fraction(mu)).epsilon_at(delta) * (1 - ABOVE))
