"""The loss of a mechanism that tells its own probabilities: proved, not sampled."""

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Protocol, TypeVar

from differential_privacy.accounting import hockey_stick, least_factor
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Interval, Number, exp, log, nonnegative, small_probability

__all__ = ["Known", "exact_delta", "exact_epsilon"]

X_contra = TypeVar("X_contra", contravariant=True)
Output_contra = TypeVar("Output_contra", contravariant=True)
X = TypeVar("X")
Output = TypeVar("Output", bound=Hashable)

Law = Mapping[Hashable, Fraction]


class Known(Protocol[Output_contra, X_contra]):
    """A mechanism that tells how likely an output is."""

    def probability(self, noisy: Output_contra, *, exact: X_contra) -> Interval:
        """The chance of an output, given the input."""


def exact_epsilon(
    mechanism: Known[Output, X], x: X, y: X, outputs: Iterable[Output], *, delta: Number = 0
) -> Interval:
    """The epsilon that this pair of inputs needs, held between two rationals.

    It is that of the mechanism where the outputs are all there are, and a lower bound where not.

    Theorem: it is the logarithm of the largest (P(S) - delta) / Q(S), over sets S of outputs and
    both orders of the inputs. Each grows with P and falls with Q, so the low ends of P and the high
    ends of Q give a lower bound, and the other ends an upper one.

    >>> bounds = exact_epsilon(Geometric(scale=2), 0, 1, range(-200, 200))
    >>> bounds.low <= Fraction(1, 2) <= bounds.high, float(bounds.high - bounds.low) < 1e-20
    (True, True)
    """
    allowed = small_probability(delta, "delta")
    low = high = Fraction(1)
    for (one_low, one_high), (other_low, other_high) in _both_ways(mechanism, x, y, outputs):
        least, _ = least_factor(one_low, other_high, delta=allowed)
        most, _ = least_factor(one_high, other_low, delta=allowed)
        if least is None or most is None:
            rule = "must be larger: some outputs can happen on one input, not on the other"
            raise InvalidArgumentError("delta", delta, rule)
        low, high = max(low, least), max(high, most)
    return Interval(log(low).low, log(high).high)


def exact_delta(
    mechanism: Known[Output, X], x: X, y: X, outputs: Iterable[Output], *, epsilon: Number
) -> Interval:
    """The delta that is left at an epsilon, held between two rationals, over these outputs.

    >>> odds = RandomizedResponse("1/4", "1/4")
    >>> bounds = exact_delta(odds, (0,), (1,), [(0,), (1,)], epsilon=0)
    >>> bounds.low <= Fraction(1, 2) <= bounds.high
    True
    """
    factor = exp(nonnegative(epsilon, "epsilon"))
    low = high = Fraction(0)
    for (one_low, one_high), (other_low, other_high) in _both_ways(mechanism, x, y, outputs):
        low = max(low, hockey_stick(one_low, other_high, factor=factor.high))
        high = max(high, hockey_stick(one_high, other_low, factor=factor.low))
    return Interval(low, high)


def _both_ways(
    mechanism: Known[Output, X], x: X, y: X, outputs: Iterable[Output]
) -> list[tuple[tuple[Law, Law], tuple[Law, Law]]]:
    """The low and high ends of the laws of both inputs, in both orders."""
    every = tuple(outputs)
    one, other = (_ends(mechanism, value, every) for value in (x, y))
    return [(one, other), (other, one)]


def _ends(mechanism: Known[Output, X], value: X, outputs: tuple[Output, ...]) -> tuple[Law, Law]:
    law: Mapping[Hashable, Interval] = {
        output: mechanism.probability(output, exact=value) for output in outputs
    }
    low = {output: max(chance.low, Fraction(0)) for output, chance in law.items()}
    return low, {output: chance.high for output, chance in law.items()}
