"""Differential privacy with exact integers, exact noise and one ledger.

Packages and names are loaded when they are first used, so that a command starts at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from differential_privacy import (
        accounting,
        curator,
        exact,
        ledger,
        mechanisms,
        privacy,
        queries,
        release,
        sampling,
        sources,
    )
    from differential_privacy.curator import Analyst, Curator, Policy, Session
    from differential_privacy.errors import DifferentialPrivacyError
    from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss
    from differential_privacy.release import Answer
    from differential_privacy.sources import Bounds, Column, Key, Place, Table

__all__ = [
    "Analyst",
    "Answer",
    "ApproximateLoss",
    "Bounds",
    "Column",
    "ConcentratedLoss",
    "Curator",
    "DifferentialPrivacyError",
    "Key",
    "Place",
    "Policy",
    "PureLoss",
    "Session",
    "Table",
    "accounting",
    "curator",
    "exact",
    "ledger",
    "mechanisms",
    "privacy",
    "queries",
    "release",
    "sampling",
    "sources",
]

__version__ = "0.1.0"

FRONTS = {
    "curator": ("Analyst", "Curator", "Policy", "Session"),
    "errors": ("DifferentialPrivacyError",),
    "privacy": ("ApproximateLoss", "ConcentratedLoss", "PureLoss"),
    "release": ("Answer",),
    "sources": ("Bounds", "Column", "Key", "Place", "Table"),
}


def __getattr__(name: str) -> object:
    for front, names in FRONTS.items():
        if name in names:
            return getattr(import_module(f"differential_privacy.{front}"), name)
    if name in __all__:
        return import_module(f"differential_privacy.{name}")
    message = f"module 'differential_privacy' has no attribute {name!r}"
    raise AttributeError(message)
