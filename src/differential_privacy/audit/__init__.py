"""Attempts to refute our own claims, and the classic attacks."""

from differential_privacy.audit.distances import Claim, Told, claims
from differential_privacy.audit.epsilon import LowerBound, each, epsilon
from differential_privacy.audit.finite import exact_delta, exact_epsilon
from differential_privacy.audit.replay import Replay, replay
from differential_privacy.audit.worlds import World, world

__all__ = [
    "Claim",
    "LowerBound",
    "Replay",
    "Told",
    "World",
    "claims",
    "each",
    "epsilon",
    "exact_delta",
    "exact_epsilon",
    "replay",
    "world",
]
