"""Lower bounds on epsilon for the twenty mechanisms of DP-Sniper, beside its published ones."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

from differential_privacy.audit.epsilon import epsilon
from line import Bar, Line, ours_at_most, ratio_at_most
from measure import Measure

# The mechanisms are those of the tests.
sys.path.append(str(Path(__file__).parent.parent))
from tests.audit.mechanisms_of_dp_sniper import EPSILON, SUBJECTS, Subject, naive_laplace

__all__ = ["measures"]

PUBLISHED = Fraction("0.9")
SURE = Fraction("0.999")
SAMPLES = 10_000_000
MANY = {
    "ReportNoisyMax3": 1_000_000_000,
    "SVT3": 60_000_000,
    "SVT4": 150_000_000,
    "SVT6": 20_000_000,
    "SVT34Parallel": 60_000_000,
}
"""Draws on each input, where the default is too few; DP-Sniper drew 200 million on each."""

PEER = "DP-Sniper, better of two, 2e8 draws"
LOGISTIC = "DP-Sniper, logistic"
SEED = 20210523
CORES = 2
NAIVE = Subject("naive floating Laplace", naive_laplace, 0.0, 1.0, 0.252, None, broken=True)

AT_LEAST = Bar("peer's / ours", 1, lambda ours, peer: peer / ours)
"""A bound that is no smaller than the peer's."""


def measures() -> Iterator[Measure]:
    yield Measure("epsilon of the mechanisms of DP-Sniper", audited)


def audited(name: str) -> Iterator[Line]:
    """The bounds of all, the longest first, on two cores; and how long they took together."""
    everything = {subject.name: subject for subject in (*SUBJECTS, NAIVE)}
    waiting = [(subject, PUBLISHED, SEED) for subject in everything]
    waiting += [(one.name, SURE, SEED + 1) for one in everything.values() if not one.broken]
    waiting.sort(key=lambda work: -MANY.get(work[0], SAMPLES))
    start = time.perf_counter()
    with ProcessPoolExecutor(CORES) as pool:
        found = dict(zip(waiting, pool.map(bound, waiting), strict=True))
    taken = time.perf_counter() - start
    for subject in everything.values():
        kind = "broken" if subject.broken else "correct"
        what = f"{name}: {subject.name}, {kind}"
        bar = AT_LEAST if subject.broken else None
        ours = found[subject.name, PUBLISHED, SEED]
        yield Line(f"{what}, at 90 %", "epsilon", ours, subject.published, PEER, bar)
        if not subject.broken:
            true = EPSILON if subject.true is None else subject.true
            ours = found[subject.name, SURE, SEED + 1]
            at_most = ratio_at_most(1)
            yield Line(f"{what}, at 99.9 %", "epsilon", ours, true, "the true epsilon", at_most)
    yield Line(f"{name}: all, on {CORES} cores", "s", taken, 1912, LOGISTIC, ours_at_most(900))


def bound(work: tuple[str, Fraction, int]) -> float:
    """One bound, in a process of its own."""
    name, confidence, seed = work
    subject = next(one for one in (*SUBJECTS, NAIVE) if one.name == name)
    samples = MANY.get(name, SAMPLES)
    draw = subject.sampler(seed)
    return epsilon(draw, subject.x, subject.y, samples=samples, confidence=confidence).epsilon
