"""Attempts to refute our own claims, and the classic attacks."""

from differential_privacy.audit.canaries import trained_with
from differential_privacy.audit.distances import Claim, Told, claims
from differential_privacy.audit.epsilon import LowerBound, each, epsilon
from differential_privacy.audit.finite import exact_delta, exact_epsilon
from differential_privacy.audit.membership import Found, Membership, membership
from differential_privacy.audit.one_run import OneRun, one_run
from differential_privacy.audit.replay import Replay, replay
from differential_privacy.audit.scores import likelihood_scores
from differential_privacy.audit.worlds import World, world

__all__ = [
    "Claim",
    "Found",
    "LowerBound",
    "Membership",
    "OneRun",
    "Replay",
    "Told",
    "World",
    "claims",
    "each",
    "epsilon",
    "exact_delta",
    "exact_epsilon",
    "likelihood_scores",
    "membership",
    "one_run",
    "replay",
    "trained_with",
    "world",
]
