"""What a loss means for a person: beliefs, odds, being found out, and what could happen to them.

Rule 1: a bound shown to a person is rounded so that it never sounds safer than it is.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import (
    Number,
    exp,
    integer,
    nonnegative,
    probability,
    round_down,
    round_up,
    small_probability,
)
from differential_privacy.privacy.loss import Loss, checked

__all__ = ["Belief", "TradeOff", "advantage", "belief", "expected_utility", "posterior"]

LINES = 128
"""How many epsilons draw the trade-off curve of a loss."""

SELDOM = Fraction(1, 10**9)
"""The largest of them leaves so much more delta than none would."""


def posterior(prior: Number, *, likelihood: Number, otherwise: Number) -> Fraction:
    """Bayes' rule: a belief after seeing what has these two likelihoods, if true and if not.

    >>> float(posterior(0.02, likelihood="3/4", otherwise="1/4"))
    0.057692307692307696
    """
    before = probability(prior, "prior")
    true = before * probability(likelihood, "likelihood")
    false = (1 - before) * probability(otherwise, "otherwise")
    if true + false == 0:
        raise InvalidArgumentError("likelihood", likelihood, "must leave the answer some chance")
    return true / (true + false)


@dataclass(frozen=True, slots=True)
class Belief:
    """What anyone who believed `prior` of a person can come to believe from an answer.

    `least` and `most` are exact but for rounding outward; `loose_least` and `loose_most` are the
    prior divided and multiplied by the odds. An answer leads farther with chance `chance` at most.

    >>> print(belief(PureLoss(0.1), prior=0.4))
    a belief of 40 % can become at most 42.5 % and at least 37.6 %
    """

    prior: Fraction
    least: Fraction
    most: Fraction
    loose_least: Fraction
    loose_most: Fraction
    chance: Fraction

    def __str__(self) -> str:
        text = (
            f"a belief of {_percent(self.prior)} % can become "
            f"at most {_percent(_tenths(self.most, math.ceil))} % "
            f"and at least {_percent(_tenths(self.least, math.floor))} %"
        )
        return text + (f", except with chance {float(self.chance):.2g}" if self.chance else "")


def belief(loss: Loss, *, prior: Number, chance: Number = 0) -> Belief:
    """The beliefs that an answer of this loss can lead to from a prior, but for a given chance.

    A loss that leaves a delta needs a chance of at least four times that, and one with tails any
    positive chance.

    Theorem: an answer whose log ratio is at most e multiplies the odds of a belief by e^e at most,
    so p ends between p / (p + (1 - p) e^e) and p e^e / (1 - p + p e^e), inside [p e^-e, p e^e]. A
    release that is (epsilon, delta)-private passes a log ratio of epsilon + ln 2 with chance
    2 delta at most, because each such answer adds half of its chance to the hockey stick; and it
    passes minus that less often still. So a chance of 4 delta covers both sides, whatever is true.

    >>> print(belief(GaussianLoss.of_mu(0.1), prior=0.4, chance=1e-6))
    a belief of 40 % can become at most 67.2 % and at least 17.8 %, except with chance 1e-06
    """
    before, missed = probability(prior, "prior"), small_probability(chance, "chance")
    if checked(loss).delta == 0 and missed == 0:
        shrunk = exp(-loss.epsilon_at(0)).low
    else:
        if missed < 4 * loss.delta:
            rule = f"must be at least {float(4 * loss.delta):.3g}, four times the delta of the loss"
            raise InvalidArgumentError("chance", chance, rule)
        shrunk = exp(-loss.epsilon_at(missed / 4)).low / 2
    shrunk = round_down(shrunk)
    certain = before in (0, 1)
    return Belief(
        prior=before,
        least=before if certain else before * shrunk / (before * shrunk + 1 - before),
        most=before if certain else before / (before + (1 - before) * shrunk),
        loose_least=before * shrunk,
        loose_most=Fraction(1) if before >= shrunk else before / shrunk,
        chance=missed,
    )


def advantage(loss: Loss) -> Fraction:
    """How far a test for membership can stay from guessing: hits minus false alarms, at most.

    Theorem: the largest difference of an event's two probabilities is the delta at epsilon zero.

    >>> float(advantage(PureLoss(1)))
    0.462117157261
    """
    return checked(loss).delta_at(0)


def expected_utility(loss: Loss, *, without: Number, most: Number, delta: Number = 0) -> Fraction:
    """What a person can expect at most, of anything from 0 to `most`, if their data is used.

    `without` is what they could expect if it were not: take it for a harm, and this is how much
    larger the harm can become.

    Theorem: the expectation of u in [0, most] is the integral of the chances that u passes each
    level, and each of these grows to e^epsilon times itself plus delta at most.

    >>> float(expected_utility(PureLoss(0.1), without=100, most=1000))
    110.517091808
    """
    before, ceiling = nonnegative(without, "without"), nonnegative(most, "most")
    if before > ceiling:
        raise InvalidArgumentError("without", without, "must not be above most")
    chance = max(checked(loss).delta, small_probability(delta, "delta"))
    shrunk = round_down(exp(-loss.epsilon_at(chance)).low)
    if before and before >= ceiling * shrunk:
        return ceiling
    grown = before / shrunk if before else Fraction(0)
    return min(ceiling, round_up(grown + chance * ceiling))


@dataclass(frozen=True, slots=True, init=False)
class TradeOff:
    """The most hits that any test for one person can have, for each rate of false alarms.

    Theorem: if the release is (epsilon, delta)-private then hits h and false alarms f satisfy
    h <= e^epsilon f + delta and 1 - f <= e^epsilon (1 - h) + delta, at every such pair at once.

    Reference: Wasserman, Zhou 2010 (0811.2501v2), theorem 2.4; Dong, Roth, Su 2019
    (1905.02383v3), proposition 2.

    >>> float(TradeOff(PureLoss(1)).most_hits(0.01))
    0.0271828182847
    """

    lines: tuple[tuple[Fraction, Fraction], ...]
    """Pairs of a delta and its e^-epsilon, rounded down."""

    def __init__(self, loss: Loss) -> None:
        far = checked(loss).epsilon_at(loss.delta + (1 - loss.delta) * SELDOM)
        spaced = [far * step / LINES for step in range(LINES + 1)]
        lines = [(loss.delta_at(epsilon), epsilon) for epsilon in spaced]
        # A loss with tails has no epsilon at its own delta, so that line is left out.
        with suppress(InvalidArgumentError):
            lines.append((loss.delta, loss.epsilon_at(loss.delta)))
        kept = tuple((delta, round_down(exp(-epsilon).low)) for delta, epsilon in lines)
        object.__setattr__(self, "lines", kept)

    def most_hits(self, false_alarms: Number) -> Fraction:
        """The largest share of members that is found when this share of the others is accused."""
        alarms = probability(false_alarms, "false_alarms")
        bounds = (
            min(
                alarms / shrunk + delta if alarms < shrunk else Fraction(1),
                1 - (1 - alarms - delta) * shrunk,
            )
            for delta, shrunk in self.lines
        )
        return min(Fraction(1), round_up(min(bounds)))

    def curve(self, points: int = 101) -> list[tuple[Fraction, Fraction]]:
        """Evenly spaced false alarms with the most hits for each: what a plot of it joins."""
        last = integer(points, "points", least=2) - 1
        return [(Fraction(i, last), self.most_hits(Fraction(i, last))) for i in range(last + 1)]


def _tenths(share: Fraction, rounding: Callable[[Fraction], int]) -> Fraction:
    return Fraction(rounding(share * 1000), 1000)


def _percent(share: Fraction) -> str:
    return f"{float(share * 100):.6g}"
