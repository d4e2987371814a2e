"""Attempts to refute our own claims, and the classic attacks."""

from differential_privacy.audit.distances import Claim, Told, claims
from differential_privacy.audit.replay import Replay, replay
from differential_privacy.audit.worlds import World, world

__all__ = [
    "Claim",
    "Replay",
    "Told",
    "World",
    "claims",
    "replay",
    "world",
]
