"""Which groups may be shown when their keys are not public: the choice between the known rules."""

from fractions import Fraction
from functools import lru_cache, singledispatch

from differential_privacy.accounting import concentrated_within
from differential_privacy.errors import NoTheoremError
from differential_privacy.mechanisms.gaussian_threshold import GaussianThreshold
from differential_privacy.mechanisms.truncated_geometric import TruncatedGeometric
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss

__all__ = ["PartitionSelection", "partition_selection"]

PartitionSelection = TruncatedGeometric | GaussianThreshold

HALF = Fraction(1, 2)


@lru_cache(maxsize=256, typed=True)
def partition_selection(
    loss: ApproximateLoss | ConcentratedLoss, *, groups: int
) -> PartitionSelection:
    """The rule within this loss that keeps the smallest groups, by where it keeps one in two.

    A person is in at most so many groups. What is given is public, and so is the choice. For one
    group the truncated geometric rule is optimal; for several none is known to be. That of
    Harrison, Manurangsi 2026 (2603.09167) keeps somewhat smaller groups than the threshold, where
    the noisy numbers of people are not told as well; it is not built here.

    >>> partition_selection(ApproximateLoss(1, 1e-6), groups=1)
    TruncatedGeometric(epsilon=1, delta=1e-06)
    >>> partition_selection(ConcentratedLoss(0.01, 1e-6), groups=10)
    GaussianThreshold(variance=500, threshold=118)
    """
    rules: list[PartitionSelection] = [*_rules(loss, groups)]
    return min(rules, key=lambda rule: rule.people_for(HALF))


@singledispatch
def _rules(loss: object, groups: int) -> tuple[TruncatedGeometric, GaussianThreshold]:  # noqa: ARG001 - the types dispatched to read it
    raise NoTheoremError("which groups to keep", loss, ["ApproximateLoss", "ConcentratedLoss"])


@_rules.register
def _(loss: ApproximateLoss, groups: int) -> tuple[TruncatedGeometric, GaussianThreshold]:
    """Half of the delta is left for the threshold; both ways only its logarithm matters.

    Theorem: what is rho-concentrated but for chance d is (epsilon, d + (1 - d) delta')-private
    where rho has epsilon at delta'; see `ConcentratedLoss.epsilon_at`.
    """
    beyond = loss.delta / 2
    rest = ApproximateLoss(loss.epsilon, (loss.delta - beyond) / (1 - beyond))
    concentrated = ConcentratedLoss(concentrated_within(rest).rho, beyond)
    return (
        TruncatedGeometric.for_loss(loss, groups=groups),
        GaussianThreshold.for_loss(concentrated, groups=groups),
    )


@_rules.register
def _(loss: ConcentratedLoss, groups: int) -> tuple[TruncatedGeometric, GaussianThreshold]:
    return (
        TruncatedGeometric.for_concentrated_loss(loss, groups=groups),
        GaussianThreshold.for_loss(loss, groups=groups),
    )
