"""Differential privacy with exact integers, exact noise and one ledger."""

from differential_privacy import accounting, exact, mechanisms, privacy, sampling
from differential_privacy.errors import DifferentialPrivacyError

__all__ = [
    "DifferentialPrivacyError",
    "accounting",
    "exact",
    "mechanisms",
    "privacy",
    "sampling",
]

__version__ = "0.1.0"
