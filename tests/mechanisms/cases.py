"""Every mechanism, declared once: what each law needs to know of it."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from differential_privacy.exact import Grid, Interval
from differential_privacy.mechanisms import (
    CategoricalResponse,
    DiscreteGaussian,
    Exponential,
    GaussianThreshold,
    Geometric,
    OnGrid,
    PermuteAndFlip,
    PrivateQuantile,
    RandomizedResponse,
    ReportNoisyMax,
    SparseVector,
    TruncatedBeta,
    TruncatedGeometric,
)
from differential_privacy.privacy import AddRemoveRows, ChangeRows, Sensitivity

Exact = Hashable
Output = Hashable

REACHED = 1 - 1e-6
"""A loss that is a maximum is attained to a millionth."""


def single(mechanism: Any, output: Output, exact: Exact) -> Interval:
    return mechanism.probability(output, exact=exact)


def each(mechanism: Any, output: tuple[int, ...], exact: tuple[int, ...]) -> Interval:
    """A vector, each coordinate of which has noise of its own."""
    chance = Interval.of(1)
    for noisy, value in zip(output, exact, strict=True):
        chance = chance * _coordinate(mechanism, noisy, value)
    return chance


@cache
def _coordinate(mechanism: Any, noisy: int, exact: int) -> Interval:
    return mechanism.probability(noisy, exact=exact)


def array(mechanism: Any, exact: int, count: int) -> Iterable[Output]:
    return np.asarray(mechanism.release(np.full(count, exact))).tolist()


def rows(mechanism: Any, exact: tuple[int, ...], count: int) -> Iterable[Output]:
    """Many vectors, as the rows of one array."""
    return map(tuple, np.asarray(mechanism.release(np.tile(exact, (count, 1)))).tolist())


def on_grid(mechanism: Any, exact: float, count: int) -> Iterable[Output]:
    many = replace(mechanism, count=count)
    reals = np.atleast_1d(many.release(np.full(count, exact)))
    return np.rint(reals / float(mechanism.grid.step)).astype(int).tolist()


def one_by_one(mechanism: Any, exact: Exact, count: int) -> Iterable[Output]:
    return (mechanism.release(exact) for _ in range(count))


def runs(mechanism: Any, exact: tuple[int, ...], count: int) -> Iterable[Output]:
    return (tuple(mechanism.release(exact)) for _ in range(count))


@dataclass(frozen=True)
class Case:
    """A mechanism with neighbors, outputs and the ways to draw.

    `takes` is what its loss method takes. `outputs` are all, or all but a chance of `left_out`
    for each exact value named here, and enclosures know the total `within` this much. `apart` are
    inputs at a distance of several units. `reach` is the share of the loss that the worst pair and
    output come to, and `why` says where it is short of all. `planted` draws from another law, which
    the chi-square test must reject.
    """

    name: str
    mechanism: Any
    takes: Any
    pairs: tuple[tuple[Exact, Exact], ...]
    outputs: tuple[Output, ...]
    planted: Any
    apart: tuple[tuple[Exact, Exact, int], ...]
    left_out: Fraction = Fraction(0)
    within: float = 1e-15
    chance: Callable[[Any, Any, Any], Interval] = single
    many: Callable[[Any, Any, int], Iterable[Output]] = one_by_one
    draws: Fraction = Fraction(1, 20)
    drawn_for: Exact = None
    reach: float = REACHED
    why: str = ""

    @property
    def loss(self) -> Any:
        return self.mechanism.loss(self.takes)

    def __str__(self) -> str:
        return self.name


def window(reach: int, *others: int) -> tuple[int, ...]:
    return tuple(range(-reach, reach + max((0, *others)) + 1))


def geometric(scale: str, moved: int, reach: int, draws: int = 1) -> Case:
    b = Fraction(scale)
    return Case(
        name=f"geometric, scale {scale}, moved {moved}",
        mechanism=Geometric(b),
        takes=Sensitivity(l1=moved),
        pairs=((0, moved), (5, 5 - moved), (0, 0)),
        outputs=window(reach, moved),
        left_out=Fraction(1, 10**6),
        planted=Geometric(b * Fraction(103, 100)),
        apart=((0, 2 * moved, 2), (0, -3 * moved, 3)),
        many=array,
        draws=Fraction(draws),
    )


def gaussian(variance: str, moved: int, reach: int) -> Case:
    v = Fraction(variance)
    return Case(
        name=f"discrete gaussian, variance {variance}, moved {moved}",
        mechanism=DiscreteGaussian(v),
        takes=Sensitivity(l1=moved),
        pairs=((0, moved), (5, 5 - moved)),
        outputs=window(reach),
        left_out=Fraction(1, 10**9),
        planted=DiscreteGaussian(v * Fraction(103, 100) ** 2),
        apart=((0, 2 * moved, 2), (0, -3 * moved, 3)),
        many=array,
        draws=Fraction(1),
    )


GEOMETRIC = (
    geometric("1/2", 1, 12),
    geometric("1", 3, 24),
    geometric("5/2", 2, 50, draws=4),
    geometric("10", 1, 160, draws=4),
    Case(
        name="geometric, a vector",
        mechanism=Geometric(1),
        takes=Sensitivity(l1=3),
        pairs=(((0, 0), (1, 2)), ((0, 0), (-3, 0)), ((0, 0), (-2, 1))),
        outputs=tuple(product(window(11), repeat=2)),
        left_out=Fraction(1, 1000),
        planted=Geometric(Fraction(11, 10)),
        apart=(((0, 0), (3, -3), 2),),
        chance=each,
        many=rows,
        draws=Fraction(1, 2),
    ),
)

GAUSSIAN = (
    gaussian("1/3", 1, 25),
    gaussian("2", 2, 60),
    gaussian("25", 1, 100),
    gaussian("40", 3, 130),
    Case(
        name="discrete gaussian, a vector",
        mechanism=DiscreteGaussian(2),
        takes=Sensitivity(l2_squared=5),
        pairs=(((0, 0), (1, 2)), ((0, 0), (-2, 1))),
        outputs=tuple(product(window(26), repeat=2)),
        left_out=Fraction(1, 10**9),
        planted=DiscreteGaussian(Fraction(12, 5)),
        apart=(((0, 0), (2, 4), 2),),
        chance=each,
        many=rows,
        draws=Fraction(1, 2),
    ),
)

FIFTHS = Grid(step="0.2", lower=-10, upper=10)

ON_GRID = (
    Case(
        name="laplace on a grid",
        mechanism=OnGrid(Geometric(5), FIFTHS),
        takes=Sensitivity(l1="0.5"),
        # Half a unit is two and a half steps, and rounding makes it three.
        pairs=((0.09, 0.59), (0.0, 0.5), (9.9, 10.4), (-0.1, 0.1)),
        outputs=window(90, 50),
        left_out=Fraction(1, 1000),
        planted=OnGrid(Geometric(Fraction(103, 20)), FIFTHS),
        apart=((0.09, 1.09, 2),),
        many=on_grid,
        draws=Fraction(4),
    ),
    Case(
        name="gaussian on a grid",
        mechanism=OnGrid(DiscreteGaussian(9), FIFTHS),
        takes=Sensitivity(l1="0.5"),
        pairs=((0.09, 0.59), (0.0, 0.5), (-0.1, 0.1)),
        outputs=window(80),
        left_out=Fraction(1, 10**9),
        planted=OnGrid(DiscreteGaussian(Fraction(19, 2)), FIFTHS),
        apart=((0.09, 1.09, 2),),
        many=on_grid,
        draws=Fraction(1),
    ),
)


def response(p: str, q: str, bits: int, moved: int) -> Case:
    ones = (1,) * bits
    others = tuple(int(place >= moved) for place in range(bits))
    return Case(
        name=f"randomized response, {bits} bits, p {p}, q {q}, moved {moved}",
        mechanism=RandomizedResponse(p, q),
        takes=Sensitivity(l1=moved),
        pairs=((ones, others), (tuple(1 - bit for bit in ones), tuple(1 - bit for bit in others))),
        outputs=tuple(product((0, 1), repeat=bits)),
        planted=RandomizedResponse(Fraction(p) + Fraction(1, 50), q),
        apart=(((1,) * bits, (0,) * bits, -(-bits // moved)),),
        many=rows,
        draws=Fraction(1),
        drawn_for=others,
    )


RESPONSE = (
    response("1/4", "1/4", 1, 1),
    response("1/10", "1/3", 1, 1),
    response("1/3", "1/10", 3, 2),
    response("0.1", "0.8", 3, 1),
    response("3/4", "4/5", 2, 2),
    response("1/2", "1/2", 2, 1),
)


def categorical(categories: int, truth: str, answers: int) -> Case:
    zeros, ones = (0,) * answers, (1,) * answers
    return Case(
        name=f"categorical response, {answers} of {categories}, truth {truth}",
        mechanism=CategoricalResponse(categories, truth),
        takes=Sensitivity(l1=1),
        pairs=((zeros, (1, *zeros[1:])), (zeros, (categories - 1, *zeros[1:]))),
        outputs=tuple(product(range(categories), repeat=answers)),
        planted=CategoricalResponse(categories, Fraction(truth) + Fraction(1, 50)),
        apart=((zeros, ones, answers),),
        many=rows,
        draws=Fraction(1),
    )


CATEGORICAL = (
    categorical(2, "3/4", 1),
    categorical(6, "1/2", 1),
    categorical(3, "0.1", 2),
    categorical(4, "1/4", 2),
)

FAR = 30
"""So many scales below the best, a candidate's chance is nearly proportional to its weight."""


def selection(kind: Any, parameter: str, *, monotonic: bool, moved: int) -> Case:
    rate = 1 / Fraction(parameter) if kind is ReportNoisyMax else Fraction(parameter)
    gap = round(FAR / rate)
    up = 0 if monotonic else moved
    # One candidate rises, and unless scores are monotonic the leaders fall. Two equal leaders,
    # because a single one may win noisy max by its own noise alone, which never quite fades.
    worst = ((0, gap, gap), (moved, gap - up, gap - up))
    close = ((0, 1, -2), (moved, 1 - up, -2 + moved * monotonic))
    equal = ((1, 1, 1), (1 + moved, 1, 1 + moved))
    name = {Exponential: "exponential", PermuteAndFlip: "permute-and-flip"}.get(kind, "noisy max")
    step = Fraction(3, 2)
    return Case(
        name=f"{name}, {parameter}{', monotonic' * monotonic}, moved {moved}",
        mechanism=kind(parameter, monotonic=monotonic),
        takes=Sensitivity(most=moved),
        pairs=(worst, close, equal),
        outputs=(0, 1, 2),
        planted=kind(Fraction(parameter) * step, monotonic=monotonic),
        apart=((worst[0], (2 * moved, gap - 2 * up, gap - 2 * up), 2),),
        drawn_for=(0, round(1 / rate), -1),
        draws=Fraction(1, 20),
        why="a supremum, for scores that are ever farther apart",
    )


SELECTION = tuple(
    selection(kind, parameter, monotonic=monotonic, moved=moved)
    for kind, parameters in (
        (Exponential, ("1/2", "1/20")),
        (PermuteAndFlip, ("1/2", "1/20")),
        (ReportNoisyMax, ("1", "3/2")),
    )
    for parameter, moved in zip(parameters, (1, 2), strict=True)
    for monotonic in (False, True)
)


def transcripts(values: int, positives: int) -> tuple[tuple[bool, ...], ...]:
    """All that a run over so many values can tell: it ends with the last positive."""
    told: list[tuple[bool, ...]] = []
    for answers in product((False, True), repeat=values):
        ends = [place for place in range(values) if sum(answers[: place + 1]) == positives]
        told.append(answers[: ends[0] + 1] if ends else answers)
    return tuple(dict.fromkeys(told))


def sparse(
    threshold_scale: str,
    value_scale: str,
    *,
    below: int,
    high: int,
    positives: int,
    monotonic: bool,
) -> Case:
    # Those told below though far above force the blurred threshold up, where moving it costs all
    # it can; the last, told above though far below, pay for their own noise in full.
    low, back = -1, 0 if monotonic else 1
    one = (*[high] * below, *[low] * positives)
    other = (*[high + 1] * below, *[low - back] * positives)
    twice = (*[high + 2] * below, *[low - 2 * back] * positives)
    near = (0, *[1] * (below - 1), *[0] * positives)
    beside = (1, *[1 + monotonic] * (below - 1), *[0] * positives)
    settings = {"positives": positives, "monotonic": monotonic}
    return Case(
        name=f"sparse vector, {positives} positives{', monotonic' * monotonic}",
        mechanism=SparseVector(
            threshold_scale=threshold_scale, value_scale=value_scale, **settings
        ),
        takes=Sensitivity(most=1),
        pairs=((one, other), (near, beside)),
        outputs=transcripts(below + positives, positives),
        planted=SparseVector(
            threshold_scale=Fraction(threshold_scale) * Fraction(3, 2),
            value_scale=Fraction(value_scale) * Fraction(3, 2),
            **settings,
        ),
        apart=((one, twice, 2),),
        many=runs,
        drawn_for=near,
        draws=Fraction(1, 10),
        why="a supremum, over ever longer transcripts and higher thresholds",
    )


SPARSE = (
    sparse("1", "1", below=4, high=10, positives=1, monotonic=False),
    sparse("1", "1", below=4, high=10, positives=1, monotonic=True),
    sparse("1/3", "1/4", below=4, high=3, positives=2, monotonic=False),
    sparse("1/3", "1/4", below=4, high=3, positives=2, monotonic=True),
)

TENTHS = Grid(step="0.1", lower="0.1", upper="0.9")


def beta(weight: str, unit: AddRemoveRows | ChangeRows, pair: Any, reach: float, why: str) -> Case:
    heads, tails = pair[0]
    mechanism = TruncatedBeta(weight, grid=TENTHS)
    changes = isinstance(unit, ChangeRows)
    return Case(
        name=f"truncated beta, weight {weight}, {type(unit).__name__}",
        mechanism=mechanism,
        takes=unit,
        pairs=(pair, ((3, 4), (2, 5) if changes else (3, 5))),
        outputs=tuple(mechanism.points),
        planted=TruncatedBeta(2 * Fraction(weight), grid=TENTHS),
        apart=(((heads, tails), (heads - 3, tails + 3 * changes), 3),),
        drawn_for=(30, 60),
        draws=Fraction(1, 100),
        reach=reach,
        why=why,
    )


BETA = (
    beta("0.1", ChangeRows(), ((2000, 0), (1999, 1)), REACHED, "a supremum, for ever more heads"),
    beta("1/2", ChangeRows(), ((0, 500), (1, 499)), REACHED, "a supremum, for ever more tails"),
    beta(
        "0.1",
        AddRemoveRows(),
        ((0, 2000), (1, 2000)),
        REACHED,
        "a supremum, for ever more tails",
    ),
)


Rows = tuple[tuple[int, ...], tuple[int, ...]]
"""Values, and how many rows have each."""


def quantile(mechanism: PrivateQuantile, pairs: tuple[tuple[Rows, Rows], ...], two: Rows) -> Case:
    asked = f"quantile {mechanism.quantile}, offset {mechanism.offset}"
    return Case(
        name=f"private {asked}, rate {mechanism.rate}",
        mechanism=mechanism,
        takes=Sensitivity(l1=1),
        pairs=pairs,
        outputs=tuple(range(mechanism.low, mechanism.high + 1)),
        planted=replace(mechanism, rate=mechanism.rate * 2),
        apart=((pairs[0][0], two, 2),),
        drawn_for=((1, 3, 4), (3, 1, 9)),
        reach=0.98,
        why="a supremum, over ever more candidates",
    )


MANY = 300
"""Candidates that all become less likely, so that another pays for nearly all of them."""

NO_ROWS: Rows = ((), ())

QUANTILES = (
    # One row pulls the target up; all below it lose, and the one gap above it wins.
    quantile(
        PrivateQuantile("1/2", low=0, high=MANY + 3, quantile="1/2"),
        (
            (((MANY,), (1,)), ((MANY, MANY + 2), (1, 1))),
            (NO_ROWS, ((7,), (1,))),
            (((2, 5), (3, 3)), ((2, 5), (3, 4))),
        ),
        ((MANY, MANY + 2), (1, 2)),
    ),
    # One more row below the minimum; all above it lose.
    quantile(
        PrivateQuantile("1/3", low=0, high=MANY, quantile=0, offset=1),
        (
            (((2,), (2,)), ((0, 2), (1, 2))),
            (((2,), (1,)), ((2,), (2,))),
            (NO_ROWS, ((MANY,), (1,))),
        ),
        ((0, 2), (2, 2)),
    ),
    quantile(
        PrivateQuantile("1/4", low=-MANY, high=3, quantile="2/3"),
        (
            (((2,), (3,)), ((2, 3), (3, 1))),
            (((-MANY, 0, 2), (1, 1, 4)), ((-MANY, 0, 2), (1, 2, 4))),
            (((-1,), (1,)), ((-1, 3), (1, 1))),
        ),
        ((2, 3), (3, 2)),
    ),
)


def geometric_selection(epsilon: str, delta: str, groups: int) -> Case:
    mechanism = TruncatedGeometric(epsilon, delta)
    sizes = (*range(2, 9), *range(mechanism.people_for("1/2"), mechanism.people_for("0.99") + 3))
    others = (2,) * (groups - 1)
    return Case(
        name=f"truncated geometric, {groups} groups, epsilon {epsilon}",
        mechanism=mechanism,
        takes=groups,
        pairs=(
            *(((n, *others), (n + 1, *(m + 1 for m in others))) for n in sizes),
            ((0,) * groups, (1,) * groups),
            ((0, *others), (1, *(m + 1 for m in others))),
        ),
        outputs=tuple(product((False, True), repeat=groups)),
        planted=TruncatedGeometric(Fraction(epsilon) * Fraction(4, 5), delta),
        apart=(((3, *others), (5, *(m + 2 for m in others)), 2), ((0,) * groups, (3,) * groups, 3)),
        chance=each,
        many=rows,
        draws=Fraction(1),
        drawn_for=(mechanism.people_for("1/2"),) * groups,
    )


def gaussian_selection(variance: str, threshold: int, groups: int) -> Case:
    return Case(
        name=f"gaussian threshold, {groups} groups, variance {variance}",
        mechanism=GaussianThreshold(variance, threshold),
        takes=groups,
        pairs=(
            *(((n,) * groups, (n + 1,) * groups) for n in (1, 2, threshold - 1, threshold + 3)),
            ((0,) * groups, (1,) * groups),
            ((0, *(threshold,) * (groups - 1)), (1, *(threshold + 1,) * (groups - 1))),
        ),
        outputs=tuple(product((False, True), repeat=groups)),
        planted=GaussianThreshold(variance, threshold + 1),
        # No theorem of ours tells what a group of people costs where a delta is left.
        apart=(),
        # Tails of the discrete Gaussian are summed in floats.
        within=1e-8,
        chance=each,
        many=rows,
        draws=Fraction(1),
        drawn_for=(threshold - 1,) * groups,
    )


SELECTING_GROUPS = (
    geometric_selection("1", "1e-3", 1),
    geometric_selection("1/3", "1/50", 1),
    geometric_selection("1/2", "1e-2", 2),
    gaussian_selection("9", 12, 1),
    gaussian_selection("4", 8, 3),
)

CASES = (
    *GEOMETRIC,
    *GAUSSIAN,
    *ON_GRID,
    *RESPONSE,
    *CATEGORICAL,
    *SELECTION,
    *SPARSE,
    *BETA,
    *QUANTILES,
    *SELECTING_GROUPS,
)
