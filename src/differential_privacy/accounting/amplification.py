"""What a random sample hides: the loss of a release from some of the rows, drawn secretly.

Rule 1: the sample is secret, fresh for each release, and drawn as the theorem says.
"""

from fractions import Fraction

from differential_privacy.accounting.conversion import as_approximate
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, exp, integer, log, probability, round_up
from differential_privacy.privacy import ApproximateLoss, PureLoss

__all__ = ["fixed_sampled", "poisson_sampled"]


def poisson_sampled(loss: PureLoss | ApproximateLoss, *, rate: Number) -> ApproximateLoss:
    """The loss when each row takes part with chance `rate`, each by itself.

    Theorem: for neighbors by adding or removing a row, epsilon becomes
    ln(1 + rate (e^epsilon - 1)) and delta becomes rate times delta.

    Reference: Balle, Barthe, Gaboardi 2018 (1807.01647v2), theorem 8.

    >>> poisson_sampled(PureLoss(1), rate=0.01)
    ApproximateLoss(epsilon=0.0170368632362, delta=0)
    """
    return _mixed(loss, probability(rate, "rate"))


def fixed_sampled(
    loss: PureLoss | ApproximateLoss, *, sample: int, population: int
) -> ApproximateLoss:
    """The loss when `sample` rows out of a public number take part, all choices equally likely.

    Theorem: for neighbors by changing a row, as for `poisson_sampled` with sample / population.

    Reference: Balle, Barthe, Gaboardi 2018 (1807.01647v2), theorem 9.

    >>> fixed_sampled(ApproximateLoss(1, 1e-6), sample=1, population=100)
    ApproximateLoss(epsilon=0.0170368632362, delta=1e-08)
    """
    everyone = integer(population, "population", least=1)
    drawn = integer(sample, "sample", least=0)
    if drawn > everyone:
        raise InvalidArgumentError("sample", sample, "must not be above population")
    return _mixed(loss, Fraction(drawn, everyone))


def _mixed(given: PureLoss | ApproximateLoss, share: Fraction) -> ApproximateLoss:
    loss = as_approximate(given)
    if share in (0, 1):
        return ApproximateLoss(share * loss.epsilon, share * loss.delta)
    # ln(1 + q (e^x - 1)) = x + ln(q + (1 - q) e^-x), which no epsilon makes overflow.
    epsilon = loss.epsilon + log(share + (1 - share) * exp(-loss.epsilon))
    return ApproximateLoss(max(Fraction(0), round_up(epsilon.high)), share * loss.delta)
