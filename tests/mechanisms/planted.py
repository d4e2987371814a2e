"""Mechanisms with known mistakes, each of which a law must catch."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from tests.mechanisms.cases import CASES, Case, window
from tests.mechanisms.distributions import Law, hockey_stick

from differential_privacy.exact import Interval, exp, log, round_up
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    GaussianThreshold,
    Geometric,
    PermuteAndFlip,
    PrivateQuantile,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
    TruncatedGeometric,
)
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    PureLoss,
    Sensitivity,
)

TINY = Fraction(1, 10**9)
LOOSE = Fraction(1, 10**3)


def delta(one: Law, other: Law, epsilon: str) -> Fraction:
    return hockey_stick(one, other, Fraction(epsilon))


def case_of(kind: type, **wanted: Any) -> Case:
    """The first case of this kind whose mechanism has these settings."""
    return next(
        case
        for case in CASES
        if type(case.mechanism) is kind
        and all(getattr(case.mechanism, name) == value for name, value in wanted.items())
    )


def wrong(case: Case, mechanism: Any, **changes: Any) -> Case:
    return replace(case, name=type(mechanism).__name__, mechanism=mechanism, **changes)


class GeometricOfHalfTheSensitivity(Geometric):
    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        return PureLoss(sensitivity.need_l1() / (2 * self.scale))


class GaussianOfHalfTheRho(DiscreteGaussian):
    def loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        return ConcentratedLoss(sensitivity.need_l2_squared() / (4 * self.variance))


class GaussianOnePercentShort(DiscreteGaussian):
    def loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        return ConcentratedLoss(sensitivity.need_l2_squared() / (2 * self.variance) * 99 / 100)


class ResponseThatTrustsZeros(RandomizedResponse):
    """Only the largest of the four ratios is enough."""

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        told = max(Fraction(1), (1 - self.p) / self.q, self.q / (1 - self.p))
        return PureLoss(round_up((sensitivity.need_l1() * log(told)).high))


class CategoricalWithoutTheNumberOfLies(CategoricalResponse):
    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        odds = max(self.truth / (1 - self.truth), (1 - self.truth) / self.truth)
        return PureLoss(round_up((sensitivity.need_l1() * log(odds)).high))


class ExponentialWithoutTheFactorTwo(Exponential):
    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        return PureLoss(self.rate * sensitivity.need_most())


class NoisyMaxOfHalfTheNoise(ReportNoisyMax):
    def probability(self, noisy: int, *, exact: Any) -> Interval:
        return ReportNoisyMax(self.scale / 2).probability(noisy, exact=exact)


class NoisyMaxThatTellsTheMaximum(ReportNoisyMax):
    """The index with its noisy score, at the price of the index alone."""

    def probability(self, noisy: tuple[int, int], *, exact: Any) -> Interval:
        winner, value = noisy
        chance = Geometric(self.scale).probability(value, exact=exact[winner])
        for place, score in enumerate(exact):
            if place != winner:
                chance = chance * self._at_most(value - score - (place < winner))
        return chance


class PermuteAndFlipOfBoundedRange(PermuteAndFlip):
    def concentrated_loss(self, sensitivity: Sensitivity) -> ConcentratedLoss:
        return ConcentratedLoss(self.loss(sensitivity).epsilon ** 2 / 8)


class SparseVectorWith(SparseVector):
    """A run with other noise than its loss is stated for."""

    def run(self) -> SparseVector:
        raise NotImplementedError

    def probability(self, noisy: Any, *, exact: Any, threshold: int = 0) -> Interval:
        return self.run().probability(noisy, exact=exact, threshold=threshold)

    def of(self, threshold_scale: Fraction, value_scale: Fraction) -> SparseVector:
        return SparseVector(
            threshold_scale=threshold_scale, value_scale=value_scale, positives=self.positives
        )


NEXT_TO_NONE = Fraction(1, 10)


class SparseVectorOfUnblurredValues(SparseVectorWith):
    """Stoddard et al. 2014: algorithm 5 of Lyu, Su, Li 2017."""

    def run(self) -> SparseVector:
        return self.of(self.threshold_scale, NEXT_TO_NONE)


class SparseVectorOfAnUnblurredThreshold(SparseVectorWith):
    def run(self) -> SparseVector:
        return self.of(NEXT_TO_NONE, self.value_scale)


class SparseVectorOfNoiseForOnePositive(SparseVectorWith):
    """Lee, Clifton 2014: algorithm 4 of Lyu, Su, Li 2017, whose noise does not grow."""

    def run(self) -> SparseVector:
        return self.of(self.threshold_scale, self.value_scale / self.positives)


class SparseVectorOfHalfTheNoise(SparseVectorWith):
    """Values moved both ways, with noise that is enough for one way only."""

    def run(self) -> SparseVector:
        return self.of(self.threshold_scale, self.value_scale / 2)


class SparseVectorThatNeverStops(SparseVectorWith):
    """Chen et al. 2015: algorithm 6 of Lyu, Su, Li 2017."""

    def run(self) -> SparseVector:
        return SparseVector(
            threshold_scale=self.threshold_scale, value_scale=self.value_scale, positives=100
        )


class SparseVectorThatTellsTheValue(SparseVector):
    """Roth's notes of 2011: algorithm 3 of Lyu, Su, Li 2017. It ends with one noisy value.

    That value was above the blurred threshold, so the threshold is known to be below it.
    """

    def probability(self, noisy: Any, *, exact: Any, threshold: int = 0) -> Interval:
        *below, told = noisy
        blurred, chance = Geometric(self.threshold_scale), Interval.of(0)
        value = Geometric(self.value_scale).probability(told, exact=exact[len(below)])
        for z in range(-60, told - threshold + 1):
            term = blurred.probability(z, exact=0)
            for place in range(len(below)):
                term = term * (1 - self._at_least(threshold + z - exact[place]))
            chance = chance + term
        return chance * value


class QuantileThatMovesByHalfARow(PrivateQuantile):
    """What holds for the median, taken for every quantile."""

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        return PureLoss(self.rate * sensitivity.need_l1())


class QuantileWithoutTheFactorTwo(PrivateQuantile):
    """Scores taken to move one way, as counts do; misses do not."""

    def loss(self, sensitivity: Sensitivity) -> PureLoss:
        return PureLoss(super().loss(sensitivity).epsilon / 2)


class SelectionThatCountsOneTooMany(TruncatedGeometric):
    """The recurrence begun one step late: a group of one has the chance of two."""

    def probability(self, kept: bool, *, exact: int) -> Interval:  # noqa: FBT001
        return super().probability(kept, exact=exact + (exact >= 1))


class ThresholdThatIsOneShort(GaussianThreshold):
    """Kept at the threshold, which was meant to be passed: >= for >. As opendp#2922."""

    def probability(self, kept: bool, *, exact: int) -> Interval:  # noqa: FBT001
        return super().probability(kept, exact=exact + (exact >= 1))


class SelectionOfUnsplitLoss(TruncatedGeometric):
    """Each of several groups at the whole price."""

    def loss(self, groups: int) -> ApproximateLoss:  # noqa: ARG002
        return super().loss(1)


_geometric = case_of(Geometric, scale=10)
_gaussian = case_of(DiscreteGaussian, variance=25)
_exponential = case_of(Exponential, monotonic=False)
_noisy_max = case_of(ReportNoisyMax, monotonic=False, scale=1)
_one_positive = case_of(SparseVector, monotonic=False, positives=1)
_near = replace(_one_positive, pairs=_one_positive.pairs[1:])
_three_positives = replace(
    _one_positive,
    pairs=(((4,) * 5 + (0,) * 3, (5,) * 5 + (-1,) * 3),),
    outputs=((*[False] * 5, *[True] * 3),),
)
_minimum = case_of(PrivateQuantile, quantile=0)
_median = case_of(PrivateQuantile, quantile=Fraction(1, 2))
_one_scales = {"threshold_scale": 1, "value_scale": 1, "positives": 1}

NEVER_STOPS = wrong(
    _one_positive,
    SparseVectorThatNeverStops(threshold_scale=1, value_scale=2, positives=1),
    pairs=(((8, 8, 8, -1, -1, -1), (9, 9, 9, -2, -2, -2)),),
    outputs=((False, False, False, True, True, True), (True,) * 6),
    left_out=Fraction(1),
)
TELLS_THE_VALUE = wrong(
    _one_positive,
    SparseVectorThatTellsTheValue(threshold_scale=2, value_scale=4, positives=1),
    # All below rise and the last falls; its value, told to be low, caps the threshold.
    pairs=(((0,) * 6, (1,) * 5 + (-1,)),),
    outputs=tuple((*[False] * 5, told) for told in range(-12, 12)),
    left_out=Fraction(1),
)
TELLS_THE_MAXIMUM = wrong(
    _noisy_max,
    NoisyMaxThatTellsTheMaximum(5),
    pairs=(((0, 0, 0, 0), (1, 1, 1, 1)),),
    outputs=tuple(product(range(4), window(40))),
    left_out=Fraction(1),
)

LOSSES = (
    wrong(_geometric, GeometricOfHalfTheSensitivity(10)),
    wrong(_gaussian, GaussianOfHalfTheRho(25)),
    wrong(_gaussian, GaussianOnePercentShort(25)),
    wrong(case_of(RandomizedResponse, p=Fraction(1, 3)), ResponseThatTrustsZeros("1/10", "1/3")),
    wrong(case_of(CategoricalResponse, categories=6), CategoricalWithoutTheNumberOfLies(6, "1/2")),
    wrong(_exponential, ExponentialWithoutTheFactorTwo(_exponential.mechanism.rate)),
    replace(
        _exponential,
        name="ExponentialThatIsNotMonotonic",
        mechanism=Exponential(_exponential.mechanism.rate, monotonic=True),
    ),
    replace(
        _noisy_max, name="NoisyMaxThatIsNotMonotonic", mechanism=ReportNoisyMax(1, monotonic=True)
    ),
    wrong(_noisy_max, NoisyMaxOfHalfTheNoise(2)),
    TELLS_THE_MAXIMUM,
    replace(
        _one_positive,
        name="SparseVectorThatIsNotMonotonic",
        mechanism=SparseVector(**_one_scales, monotonic=True),
    ),
    wrong(_near, SparseVectorOfUnblurredValues(**_one_scales)),
    wrong(_one_positive, SparseVectorOfAnUnblurredThreshold(**_one_scales)),
    wrong(
        _three_positives,
        SparseVectorOfNoiseForOnePositive(threshold_scale=1, value_scale=1, positives=3),
    ),
    wrong(
        _three_positives,
        SparseVectorOfHalfTheNoise(threshold_scale=1, value_scale=1, positives=3),
    ),
    NEVER_STOPS,
    TELLS_THE_VALUE,
    wrong(_minimum, QuantileThatMovesByHalfARow("1/3", low=0, high=300, quantile=0, offset=1)),
    wrong(_median, QuantileWithoutTheFactorTwo("1/2", low=0, high=303, quantile="1/2")),
    wrong(case_of(TruncatedGeometric), SelectionThatCountsOneTooMany("1", "1e-3")),
    wrong(case_of(GaussianThreshold), ThresholdThatIsOneShort("9", 12)),
    wrong(
        case_of(TruncatedGeometric, epsilon=Fraction(1, 2)), SelectionOfUnsplitLoss("1/2", "1e-2")
    ),
)

PERMUTE_AND_FLIP_OF_BOUNDED_RANGE = replace(
    case_of(PermuteAndFlip, monotonic=False),
    name="PermuteAndFlipOfBoundedRange",
    mechanism=PermuteAndFlipOfBoundedRange("1/2"),
    takes=Sensitivity(most=1),
    pairs=(((0, 0), (-1, 1)),),
    outputs=(0, 1),
)


class GeometricWhoseTailIsOneShort(Geometric):
    def tail(self, error: int) -> Interval:
        return 2 * exp(-(error + 2) / self.scale) / (1 + exp(-1 / self.scale))


class GeometricWhoseTailIsOneLong(Geometric):
    def tail(self, error: int) -> Interval:
        return 2 * exp(-error / self.scale) / (1 + exp(-1 / self.scale))
