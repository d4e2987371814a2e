"""The twenty mechanisms of DP-Sniper's table, written anew from the papers' pseudo-code.

Each takes an exact answer (or a row of them) and a number of draws, and a generator. Laplace and
exponential noise is rounded to a fine grid before it meets an answer: as floats, even the correct
ones leak through their last bits (see `naive_laplace`), and it is their algorithms that are tried.

Bichsel, Steffen, Bogunovic, Vechev 2021, DP-Sniper: Black-Box Discovery of Differential Privacy
Violations using Classifiers, table I, with epsilon = 0.1; its inputs are the patterns of StatDP
(Ding, Wang, Wang, Zhang, Kifer 2018, Detecting Violations of Differential Privacy, table 1), and
its numbers are those of the logs that its authors published with the code.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Generator = np.random.Generator  # noqa: TID251 - what is drawn here is audited, and protects nobody
Array = NDArray[Any]
Draw = Callable[[Any, int, Generator], Array]

EPSILON = 0.1
STEP = 2.0**-10
ABORTED, BELOW = -2000.0, -1000.0


def laplace(scale: float, shape: Any, generator: Generator) -> Array:
    """The difference of two exponentials, in single floats, which the grid is far coarser than."""
    noise = generator.standard_exponential(shape, dtype=np.float32)
    noise -= generator.standard_exponential(shape, dtype=np.float32)
    noise *= np.float32(scale / STEP)
    return np.rint(noise, out=noise) * np.float32(STEP)


def exponential(scale: float, shape: Any, generator: Generator) -> Array:
    noise = generator.standard_exponential(shape, dtype=np.float32)
    return np.floor(noise * np.float32(scale / STEP)) * np.float32(STEP)


def naive_laplace(answer: float, size: int, generator: Generator) -> Array:
    """What Mironov 2012 broke: floating-point noise added to the answer."""
    return answer + generator.laplace(0, 1 / EPSILON, size)


def laplace_mechanism(answer: float, size: int, generator: Generator) -> Array:
    """Dwork, McSherry, Nissim, Smith 2006."""
    return answer + laplace(1 / EPSILON, size, generator)


def laplace_parallel(answer: float, size: int, generator: Generator) -> Array:
    """Twenty at epsilon / 20 side by side."""
    return answer + laplace(20 / EPSILON, (size, 20), generator)


def truncated_geometric(answer: int, size: int, generator: Generator) -> Array:
    """Balcer, Vadhan 2018 (1709.05396), algorithm 4.8 for n = 5: its loss is ln(1 + 2^-k).

    Its cumulative chances are 1 - F(c - z) below the answer and F(z - c + 1) from it on, with
    F(j) = 1 - 2^(kj) (2^k + 1)^(n - j) / ((2^(k+1) + 1) (2^k + 1)^(n - 1)), and 1 at n.
    """
    people, k = 5, math.ceil(math.log(2 / EPSILON))
    whole = (2 ** (k + 1) + 1) * (2**k + 1) ** (people - 1)

    def share(steps: int) -> float:
        return 2 ** (k * steps) * (2**k + 1) ** (people - steps) / whole

    reached = [
        share(answer - z) if z < answer else 1 - share(z - answer + 1) for z in range(people)
    ]
    return np.searchsorted(reached, generator.random(size), side="right")


def noisy_histogram(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 9."""
    return answers + laplace(1 / EPSILON, (size, len(answers)), generator)


def noisy_histogram_wrong_scale(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 10: the scale is epsilon, not its inverse."""
    return answers + laplace(EPSILON, (size, len(answers)), generator)


def noisy_max(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 5."""
    return (answers + laplace(2 / EPSILON, (size, len(answers)), generator)).argmax(axis=1)


def noisy_max_exponential(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 6."""
    return (answers + exponential(2 / EPSILON, (size, len(answers)), generator)).argmax(axis=1)


def noisy_max_value(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 7: tells the value of the maximum, not its place."""
    return (answers + laplace(2 / EPSILON, (size, len(answers)), generator)).max(axis=1)


def noisy_max_exponential_value(answers: Array, size: int, generator: Generator) -> Array:
    """StatDP, algorithm 8: likewise."""
    return (answers + exponential(2 / EPSILON, (size, len(answers)), generator)).max(axis=1)


def until(above: Array, told: Array, most: int) -> Array:
    """What is told until so many were above; the rest is aborted."""
    before = np.cumsum(above, axis=1) - above
    return np.where(before >= most, ABORTED, told)


def sparse_vector_1(
    answers: Array, size: int, generator: Generator, *, most: int = 1, threshold: float = 0.5
) -> Array:
    """Lyu, Su, Li 2017, algorithm 1: private."""
    blur = laplace(2 / EPSILON, (size, 1), generator)
    noise = laplace(4 * most / EPSILON, (size, len(answers)), generator)
    above = answers + noise >= threshold + blur
    return until(above, above, most)


def sparse_vector_2(answers: Array, size: int, generator: Generator) -> Array:
    """Lyu, Su, Li 2017, algorithm 2: private; a new threshold after each one above.

    With one above at most, no threshold is ever renewed.
    """
    return sparse_vector_1(answers, size, generator, most=1, threshold=1.0)


def sparse_vector_3(answers: Array, size: int, generator: Generator, *, most: int = 1) -> Array:
    """Lyu, Su, Li 2017, algorithm 3: tells the noisy values of those above."""
    blur = laplace(2 / EPSILON, (size, 1), generator)
    noisy = answers + laplace(2 * most / EPSILON, (size, len(answers)), generator)
    above = noisy >= 1 + blur
    return until(above, np.where(above, noisy, BELOW), most)


def sparse_vector_4(answers: Array, size: int, generator: Generator, *, most: int = 1) -> Array:
    """Lyu, Su, Li 2017, algorithm 4: the noise of the answers does not grow with their number."""
    blur = laplace(4 / EPSILON, (size, 1), generator)
    noise = laplace(4 / 3 / EPSILON, (size, len(answers)), generator)
    above = answers + noise >= 1 + blur
    return until(above, above, most)


def sparse_vector_5(answers: Array, size: int, generator: Generator) -> Array:
    """Lyu, Su, Li 2017, algorithm 5: no noise on the answers."""
    return answers >= 1 + laplace(2 / EPSILON, (size, 1), generator)


def sparse_vector_6(answers: Array, size: int, generator: Generator) -> Array:
    """Lyu, Su, Li 2017, algorithm 6: no end after some were above."""
    noise = laplace(2 / EPSILON, (size, len(answers)), generator)
    return answers + noise >= 1 + laplace(2 / EPSILON, (size, 1), generator)


def sparse_vectors_3_and_4(answers: Array, size: int, generator: Generator) -> Array:
    """Algorithms 3 and 4, each with two above, side by side."""
    three = sparse_vector_3(answers, size, generator, most=2)
    return np.concatenate((three, sparse_vector_4(answers, size, generator, most=2)), axis=1)


def numerical_sparse_vector(answers: Array, size: int, generator: Generator) -> Array:
    """Wang, Ding, Wang, Kifer, Zhang 2019 (ShadowDP), NumSVT: fresh noise for the values told."""
    most = 2
    blur = laplace(3 / EPSILON, (size, 1), generator)
    shape = (size, len(answers))
    above = answers + laplace(6 * most / EPSILON, shape, generator) >= 1 + blur
    told = np.where(above, answers + laplace(3 * most / EPSILON, shape, generator), 0.0)
    return until(above, told, most)


def prefix_sum(answers: Array, size: int, generator: Generator) -> Array:
    """Wang, Ding, Wang, Kifer, Zhang 2019 (ShadowDP), PartialSum told after every answer."""
    return np.cumsum(answers + laplace(1 / EPSILON, (size, len(answers)), generator), axis=1)


def flipped(truth: Array, size: int, *, one: float, zero: float, generator: Generator) -> Array:
    """Bits that are one with chance `one` where the truth is, and with chance `zero` elsewhere."""
    return generator.random((size, truth.size)) < np.where(truth, one, zero)


def rappor_once(bits: Array, size: int, generator: Generator) -> Array:
    """Erlingsson, Pihur, Korolova 2014, steps 1 and 2, f = 0.95: the permanent response."""
    return flipped(bits, size, one=1 - 0.95 / 2, zero=0.95 / 2, generator=generator)


def rappor(bits: Array, size: int, generator: Generator) -> Array:
    """Erlingsson, Pihur, Korolova 2014, steps 1 to 3, f = 0.75, p = 0.45, q = 0.55."""
    permanent = flipped(bits, size, one=1 - 0.75 / 2, zero=0.75 / 2, generator=generator)
    return generator.random(permanent.shape) < np.where(permanent, 0.55, 0.45)


@dataclass(frozen=True)
class Subject:
    """A mechanism, the inputs that show it best, its true epsilon on them, and what others found.

    `published` is the better of DP-Sniper's two lower bounds at 90 %, from 10.7 million draws to
    learn on and 200 million to count. The true epsilon is given, or a bound of it, where a theorem
    has it.
    """

    name: str
    draw: Draw
    x: Any
    y: Any
    published: float
    true: float | None
    broken: bool = False

    def sampler(self, seed: int) -> Callable[[Any, int], Array]:
        """Draws of one's own, from a seed."""
        generator = np.random.default_rng(seed)  # noqa: TID251 - the same draws in every run
        return lambda value, size: self.draw(value, size, generator)


def row(*values: float) -> Array:
    return np.array(values, dtype=np.float64)


ONES_5, ONES_10 = np.ones(5), np.ones(10)
ZEROS_10, TWOS_10 = np.zeros(10), np.full(10, 2.0)
HALF_UP, HALF_DOWN = row(1, 1, 1, 1, 1, 0, 0, 0, 0, 0), row(0, 0, 0, 0, 0, 1, 1, 1, 1, 1)
HALF_AND_HALF = row(2, 2, 2, 2, 2, 0, 0, 0, 0, 0)

BLOOM_ONE = np.isin(np.arange(20), (3, 10, 13, 7))
"""The bits of two values whose filters differ in six places, as those of DP-Sniper's did."""
BLOOM_OTHER = np.isin(np.arange(20), (0, 11, 18, 7))

ONCE_RATIO, RAPPOR_RATIO = math.log(0.525 / 0.475), math.log(0.5125 / 0.4875)

SUBJECTS = (
    Subject("LaplaceMechanism", laplace_mechanism, 0.0, 1.0, 0.097634, EPSILON),
    Subject("TruncatedGeometric", truncated_geometric, 2, 1, 0.115564, math.log(9 / 8)),
    Subject("NoisyHist1", noisy_histogram, ONES_5, row(0, 1, 1, 1, 1), 0.097794, EPSILON),
    Subject(
        "NoisyHist2",
        noisy_histogram_wrong_scale,
        ONES_5,
        row(0, 1, 1, 1, 1),
        4.602022,
        1 / EPSILON,
        broken=True,
    ),
    Subject("ReportNoisyMax1", noisy_max, ONES_5, row(0, 2, 2, 2, 2), 0.092501, EPSILON),
    Subject(
        "ReportNoisyMax2", noisy_max_exponential, ONES_5, row(0, 2, 2, 2, 2), 0.097920, EPSILON
    ),
    Subject(
        "ReportNoisyMax3",
        noisy_max_value,
        np.zeros(5),
        ONES_5,
        0.248810,
        5 * EPSILON / 2,
        broken=True,
    ),
    Subject(
        "ReportNoisyMax4",
        noisy_max_exponential_value,
        ONES_5,
        ONES_5 + 1,
        0.353444,
        math.inf,
        broken=True,
    ),
    Subject("SVT1", sparse_vector_1, HALF_DOWN, HALF_UP, 0.085798, EPSILON),
    Subject("SVT2", sparse_vector_2, HALF_DOWN, HALF_UP, 0.085934, EPSILON),
    Subject("SVT3", sparse_vector_3, HALF_DOWN, HALF_UP, 0.182, None, broken=True),
    # Lyu, Su, Li 2017: (1 + 6 c) / 4 epsilon for c above, and it is nearly reached.
    Subject("SVT4", sparse_vector_4, ONES_10, HALF_AND_HALF, 0.169569, 0.175, broken=True),
    Subject("SVT5", sparse_vector_5, HALF_AND_HALF, ONES_10, 1.761185, math.inf, broken=True),
    Subject("SVT6", sparse_vector_6, HALF_UP, HALF_DOWN, 0.272041, None, broken=True),
    Subject("RAPPOR", rappor, BLOOM_ONE, BLOOM_OTHER, 0.300802, 6 * RAPPOR_RATIO),
    Subject("OneTimeRAPPOR", rappor_once, BLOOM_ONE, BLOOM_OTHER, 0.599899, 6 * ONCE_RATIO),
    Subject("LaplaceParallel", laplace_parallel, 1.0, 0.0, 0.034953, EPSILON),
    Subject(
        "SVT34Parallel", sparse_vectors_3_and_4, ONES_10, HALF_AND_HALF, 0.262, None, broken=True
    ),
    Subject("PrefixSum", prefix_sum, ONES_10, ZEROS_10, 0.577433, 10 * EPSILON, broken=True),
    Subject("NumericalSVT", numerical_sparse_vector, TWOS_10, ONES_10, 0.034501, EPSILON),
)
