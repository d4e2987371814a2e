"""Epsilon bounds from one run on ideal Gaussian scores, beside those of jax-privacy."""

from collections.abc import Iterator

import numpy as np

from differential_privacy.audit.one_run import one_run
from line import Bar, Line
from measure import Measure

__all__ = ["measures"]

DELTA = 1e-5
SEED = 20230515
SEEDS = 100
MUS = {1: 0.268, 2: 0.502, 4: 0.925, 8: 1.666}
"""How far apart two normals are at which the delta leaves these epsilons."""

PEER = "jax-privacy, every threshold corrected for"
PUBLISHED = {
    (1_000, 1): (0.04, 0.06),
    (1_000, 2): (0.35, 0.49),
    (1_000, 4): (0.81, 1.09),
    (1_000, 8): (2.30, 3.24),
    (10_000, 1): (0.34, 0.54),
    (10_000, 2): (0.49, 0.90),
    (10_000, 4): (1.01, 1.72),
    (10_000, 8): (1.84, 3.31),
}
"""Its epsilon_one_run and epsilon_one_run_fdp for so many canaries and this epsilon."""

AT_LEAST = Bar("peer's / ours", 1, lambda ours, peer: peer / ours)


def measures() -> Iterator[Measure]:
    for (canaries, epsilon), (any_mechanism, f_dp) in PUBLISHED.items():
        name = f"one run, {canaries:,} canaries, epsilon {epsilon}"
        yield Measure(name, audited, canaries, MUS[epsilon], any_mechanism, f_dp)


def audited(
    name: str, canaries: int, mu: float, any_mechanism: float, f_dp: float
) -> Iterator[Line]:
    """The means of both bounds at 95 % over all seeds."""
    # What is audited is made up here; nothing of it protects anybody.
    generator = np.random.default_rng(SEED)  # noqa: TID251
    audits = []
    for _ in range(SEEDS):
        included = generator.random(canaries) < 0.5
        scores = generator.normal(size=canaries) + mu * included
        audits.append(one_run(scores, included, delta=DELTA))
    ours = float(np.mean([audit.epsilon for audit in audits]))
    ours_f_dp = float(np.mean([audit.epsilon_f_dp for audit in audits]))
    yield Line(f"{name}, any mechanism", "epsilon", ours, any_mechanism, PEER, AT_LEAST)
    yield Line(f"{name}, f-DP", "epsilon", ours_f_dp, f_dp, PEER, AT_LEAST)
