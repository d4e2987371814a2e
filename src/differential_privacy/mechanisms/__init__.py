"""One mechanism per file: its loss, its error, its noise."""

from differential_privacy.mechanisms.blend import Blend, errors_along
from differential_privacy.mechanisms.categorical_response import CategoricalResponse
from differential_privacy.mechanisms.estimate import Estimate
from differential_privacy.mechanisms.exponential import Exponential
from differential_privacy.mechanisms.gaussian import DiscreteGaussian
from differential_privacy.mechanisms.gaussian_threshold import GaussianThreshold
from differential_privacy.mechanisms.geometric import Geometric
from differential_privacy.mechanisms.mechanism import Mechanism
from differential_privacy.mechanisms.noisy_max import ReportNoisyMax
from differential_privacy.mechanisms.on_grid import OnGrid
from differential_privacy.mechanisms.partition_selection import partition_selection
from differential_privacy.mechanisms.permute_and_flip import PermuteAndFlip
from differential_privacy.mechanisms.quantile import PrivateQuantile
from differential_privacy.mechanisms.randomized_response import RandomizedResponse
from differential_privacy.mechanisms.sparse_vector import SparseVector, SparseVectorRun
from differential_privacy.mechanisms.truncated_beta import TruncatedBeta
from differential_privacy.mechanisms.truncated_geometric import TruncatedGeometric

__all__ = [
    "Blend",
    "CategoricalResponse",
    "DiscreteGaussian",
    "Estimate",
    "Exponential",
    "GaussianThreshold",
    "Geometric",
    "Mechanism",
    "OnGrid",
    "PermuteAndFlip",
    "PrivateQuantile",
    "RandomizedResponse",
    "ReportNoisyMax",
    "SparseVector",
    "SparseVectorRun",
    "TruncatedBeta",
    "TruncatedGeometric",
    "errors_along",
    "partition_selection",
]
