"""The sparse vector technique: pay for the questions whose answer is above, not for the others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from threading import Lock
from typing import NoReturn, final

import numpy as np

from differential_privacy.errors import BudgetExceededError, PrivateArgumentError
from differential_privacy.exact import (
    Interval,
    Number,
    boolean,
    exp,
    float_down,
    integer,
    log,
    open_probability,
    positive,
    round_up,
    shown,
)
from differential_privacy.mechanisms.geometric import Geometric
from differential_privacy.mechanisms.integers import Integers, whole_array
from differential_privacy.mechanisms.noise_steps import SUMMING, NoiseSteps
from differential_privacy.mechanisms.tails import least_whole
from differential_privacy.privacy import PureLoss, Sensitivity
from differential_privacy.sampling import Bits, discrete_laplace

__all__ = ["SparseVector", "SparseVectorRun"]

MANY = 100
"""Up to so many positives every way to split the values is looked at; beyond, all at once."""

BEYOND = 80
"""Noise beyond so many scales has a chance below 1e-34."""


@dataclass(frozen=True, slots=True, repr=False)
class SparseVector:
    """Tell of one integer after another whether it is above a threshold, until `positives` were.

    The threshold is blurred once, each value by itself; nothing but above and below is told.

    Theorem: fix a transcript. Moving the blurred threshold by s makes every "below" at least as
    likely on the neighbor, for e^(s / threshold_scale); each of the c "above" then needs noise
    moved by 2 s, or s when one unit moves all values one way, for e^(2 s / value_scale) each. So
    the pure loss is s / threshold_scale + 2 c s / value_scale, however many were below.

    Reference: Lyu, Su, Li 2017 (1603.01699v4), algorithm 7 and theorem 4 (the published variants
    that it lists as wrong tell the noisy values, or blur each value by too little).

    >>> SparseVector(threshold_scale=20, value_scale=40, positives=1).loss(Sensitivity(most=1))
    PureLoss(epsilon=0.1)
    """

    threshold_scale: Fraction
    value_scale: Fraction
    positives: int
    monotonic: bool

    def __init__(
        self,
        *,
        threshold_scale: Number,
        value_scale: Number,
        positives: int,
        monotonic: bool = False,
    ) -> None:
        object.__setattr__(self, "threshold_scale", positive(threshold_scale, "threshold_scale"))
        object.__setattr__(self, "value_scale", positive(value_scale, "value_scale"))
        object.__setattr__(self, "positives", integer(positives, "positives", least=1))
        object.__setattr__(self, "monotonic", boolean(monotonic, "monotonic"))

    def __repr__(self) -> str:
        scales = f"{shown(self.threshold_scale)}, value_scale={shown(self.value_scale)}"
        rest = f"positives={self.positives}, monotonic={self.monotonic}"
        return f"SparseVector(threshold_scale={scales}, {rest})"

    @staticmethod
    def for_loss(
        loss: PureLoss, *, sensitivity: Sensitivity, positives: int, monotonic: bool = False
    ) -> "SparseVector":
        """Half of the loss for the threshold, half for the values.

        >>> SparseVector.for_loss(PureLoss(1), sensitivity=Sensitivity(most=1), positives=3)
        SparseVector(threshold_scale=2, value_scale=12, positives=3, monotonic=False)
        """
        half = positive(loss.epsilon, "epsilon") / 2
        moved = positive(sensitivity.need_most(), "sensitivity")
        times = (1 if monotonic else 2) * integer(positives, "positives", least=1)
        return SparseVector(
            threshold_scale=moved / half,
            value_scale=times * moved / half,
            positives=positives,
            monotonic=monotonic,
        )

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        """The pure loss of the whole run, to be paid before it starts."""
        moved = sensitivity.need_most()
        times = (1 if self.monotonic else 2) * self.positives
        return PureLoss(moved / self.threshold_scale + times * moved / self.value_scale)

    def open(self, threshold: int, *, bits: Bits | None = None) -> "SparseVectorRun":
        """Start a run: the threshold is public, and blurred here, once."""
        level = integer(threshold, "threshold")
        blurred = level + discrete_laplace(self.threshold_scale, bits=bits)
        return SparseVectorRun(self, blurred, bits=bits)

    def release(
        self, exact: Integers, *, threshold: int = 0, bits: Bits | None = None
    ) -> list[bool]:
        """A whole run over a row of private values: it ends there, or with the last positive."""
        values = whole_array(exact)
        if values.ndim != 1:
            raise PrivateArgumentError("exact", "must be one row of whole numbers")
        run, told = self.open(threshold, bits=bits), list[bool]()
        for value in values:
            if run.left == 0:
                break
            told.append(run.above(value))
        return told

    def probability(
        self, noisy: Sequence[bool], *, exact: Sequence[int], threshold: int = 0
    ) -> Interval:
        """The chance of a transcript, given the values: a sum over the threshold's noise."""
        last = sum(noisy) == self.positives and bool(noisy) and noisy[-1]
        if sum(noisy) > self.positives or not (last or len(noisy) == len(exact)):
            return Interval.of(0)
        answers = list(zip(noisy, exact, strict=False))
        far = math.ceil(BEYOND * self.threshold_scale)
        law, total = Geometric(self.threshold_scale), Interval.of(0)
        for z in range(-far, far + 1):
            chance = law.probability(z, exact=0)
            for above, value in answers:
                reached = self._at_least(threshold + z - value)
                chance = chance * (reached if above else 1 - reached)
            total = total + chance
        return Interval(total.low, total.high + law.tail(far).high)

    def error(self, confidence: Number, *, values: int) -> int:
        """How far on the wrong side of the threshold any of so many values can be told to be.

        Theorem: the worst case is values just this far from it, some below and at most `positives`
        above. Given the threshold's noise they are told by noises of their own, so the chance that
        all are told rightly is a sum over it; it falls, or rises, with the noise, on either side.

        >>> SparseVector(threshold_scale=2, value_scale=4, positives=1).error("0.95", values=1)
        10
        """
        number = integer(values, "values", least=1)
        miss = float_down(1 - open_probability(confidence, "confidence"))
        guess = math.ceil(self.bound(confidence, values=number))
        if not all(NoiseSteps.fit(b, miss) for b in (self.threshold_scale, self.value_scale)):
            return guess
        threshold, value = NoiseSteps(self.threshold_scale), NoiseSteps(self.value_scale)
        # Rising in the threshold's noise, the chance to miss is taken at the last of each step.
        lasts = threshold.firsts + threshold.width - 1
        most_above = min(self.positives, number)
        splits = [(number - above, above) for above in range(most_above + 1)]
        if most_above > MANY:
            splits = [(number, most_above)]

        def kept(distance: int) -> bool:
            low_told = value.none(value.at_least(threshold.firsts + distance + 1))
            high_missed = value.none(value.at_least(distance + 2 - lasts))
            wrong = (
                float(threshold.chances @ -np.expm1(below * low_told + above * high_missed))
                for below, above in splits
            )
            return max(wrong) * (1 + SUMMING) <= miss

        return least_whole(kept, guess=guess)

    def bound(self, confidence: Number, *, values: int) -> Fraction:
        """The same by the union bound: the two scales times ln((values + 1) / miss)."""
        miss = 1 - open_probability(confidence, "confidence")
        logarithm = log((integer(values, "values", least=1) + 1) / miss)
        return round_up(((self.threshold_scale + self.value_scale) * logarithm).high)

    def _at_least(self, least: int) -> Interval:
        ratio = exp(-1 / self.value_scale)
        if least > 0:
            return exp(-least / self.value_scale) / (1 + ratio)
        return 1 - exp((least - 1) / self.value_scale) / (1 + ratio)


@final
class SparseVectorRun:
    """A run that was paid for: it counts its positives and ends by itself."""

    __slots__ = ("_bits", "_blurred", "_busy", "_told", "mechanism")

    def __init__(self, mechanism: SparseVector, blurred: int, *, bits: Bits | None) -> None:
        self.mechanism = mechanism
        self._blurred = blurred
        self._bits = bits
        self._told = 0
        self._busy = Lock()

    def __repr__(self) -> str:
        return f"SparseVectorRun({self.mechanism!r}, left={self.left})"

    @property
    def left(self) -> int:
        """How many more positives were paid for."""
        return self.mechanism.positives - self._told

    def above(self, exact: int) -> bool:
        """Whether a private value, blurred, reaches the blurred threshold."""
        value = whole_array(exact)
        if value.ndim:
            raise PrivateArgumentError("exact", "must be one whole number")
        with self._busy:
            if self.left == 0:
                raise BudgetExceededError(
                    needed="one more positive", spent=self._told, budget=self.mechanism.positives
                )
            noise = discrete_laplace(self.mechanism.value_scale, bits=self._bits)
            told = int(value) + noise >= self._blurred
            self._told += told
        return told

    def __reduce__(self) -> NoReturn:
        message = "a run was paid for once: it is never copied or stored"
        raise TypeError(message)
