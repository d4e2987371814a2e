"""Secure bits to exact integer draws, by the array: the only place where randomness enters.

A draw is a function of an endless stream of uniform bits, and its law is exactly the stated one:
no float decides a draw unless it lies outside a proven error band, within which whole numbers
decide, reading more bits as they need.
"""

from differential_privacy.sampling.bits import Bits
from differential_privacy.sampling.choice import exponential_choice, permute_and_flip
from differential_privacy.sampling.coins import bernoulli, bernoulli_each, bernoulli_exp
from differential_privacy.sampling.digits import Digits, digits_within
from differential_privacy.sampling.gaussian import (
    discrete_gaussian,
    discrete_gaussian_of_variance,
)
from differential_privacy.sampling.keystream import secure_bits
from differential_privacy.sampling.laplace import discrete_laplace
from differential_privacy.sampling.subsets import fixed_subset, poisson_subset, shuffle
from differential_privacy.sampling.uniform import uniform

__all__ = [
    "Bits",
    "Digits",
    "bernoulli",
    "bernoulli_each",
    "bernoulli_exp",
    "digits_within",
    "discrete_gaussian",
    "discrete_gaussian_of_variance",
    "discrete_laplace",
    "exponential_choice",
    "fixed_subset",
    "permute_and_flip",
    "poisson_subset",
    "secure_bits",
    "shuffle",
    "uniform",
]
