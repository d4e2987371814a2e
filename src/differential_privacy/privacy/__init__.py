"""Who is protected, how far apart two datasets are, losses, and what a loss means for a person."""

from differential_privacy.privacy.gaussian import GaussianLoss
from differential_privacy.privacy.graphs import Edges, Graph, Nodes
from differential_privacy.privacy.loss import Loss, Spendable
from differential_privacy.privacy.meaning import (
    Belief,
    TradeOff,
    advantage,
    belief,
    expected_utility,
    posterior,
)
from differential_privacy.privacy.pure import ApproximateLoss, PureLoss
from differential_privacy.privacy.renyi import ConcentratedLoss, RenyiLoss
from differential_privacy.privacy.sensitivity import Sensitivity
from differential_privacy.privacy.statistics import (
    count_sensitivity,
    histogram_sensitivity,
    mean_sensitivity,
    median_sensitivity,
    sum_sensitivity,
    variance_sensitivity,
)
from differential_privacy.privacy.units import AddRemoveRows, ChangeRows, Groups, People, Unit

__all__ = [
    "AddRemoveRows",
    "ApproximateLoss",
    "Belief",
    "ChangeRows",
    "ConcentratedLoss",
    "Edges",
    "GaussianLoss",
    "Graph",
    "Groups",
    "Loss",
    "Nodes",
    "People",
    "PureLoss",
    "RenyiLoss",
    "Sensitivity",
    "Spendable",
    "TradeOff",
    "Unit",
    "advantage",
    "belief",
    "count_sensitivity",
    "expected_utility",
    "histogram_sensitivity",
    "mean_sensitivity",
    "median_sensitivity",
    "posterior",
    "sum_sensitivity",
    "variance_sensitivity",
]
