"""One mechanism per file: its loss, its error, its noise."""

from differential_privacy.mechanisms.categorical_response import CategoricalResponse
from differential_privacy.mechanisms.estimate import Estimate
from differential_privacy.mechanisms.exponential import Exponential
from differential_privacy.mechanisms.gaussian import DiscreteGaussian
from differential_privacy.mechanisms.geometric import Geometric
from differential_privacy.mechanisms.mechanism import Mechanism
from differential_privacy.mechanisms.noisy_max import ReportNoisyMax
from differential_privacy.mechanisms.on_grid import OnGrid
from differential_privacy.mechanisms.permute_and_flip import PermuteAndFlip
from differential_privacy.mechanisms.randomized_response import RandomizedResponse
from differential_privacy.mechanisms.sparse_vector import SparseVector, SparseVectorRun
from differential_privacy.mechanisms.truncated_beta import TruncatedBeta

__all__ = [
    "CategoricalResponse",
    "DiscreteGaussian",
    "Estimate",
    "Exponential",
    "Geometric",
    "Mechanism",
    "OnGrid",
    "PermuteAndFlip",
    "RandomizedResponse",
    "ReportNoisyMax",
    "SparseVector",
    "SparseVectorRun",
    "TruncatedBeta",
]
