"""OpenDP's exact noise, timed in its own environment."""

from functools import lru_cache

import opendp.prelude as dp

from clock import seconds
from peer import serve

dp.enable_features("contrib")

LAWS = {
    "laplace": (dp.m.make_laplace, dp.l1_distance(T="i64")),
    "gaussian": (dp.m.make_gaussian, dp.l2_distance(T=float)),
}


@lru_cache
def measurement(law: str, scale: float, *, vector: bool) -> dp.Measurement:
    make, metric = LAWS[law]
    atom = dp.atom_domain(T="i64")
    if vector:
        return make(dp.vector_domain(atom), metric, scale=scale)
    return make(atom, dp.absolute_distance(T="i64"), scale=scale)


def array_seconds(*, law: str, scale: float, count: int, fresh: bool = False) -> float:
    """One array of draws; a fresh one pays for the measurement as well."""
    zeros = [0] * count
    if fresh:
        measurement.cache_clear()
    else:
        measurement(law, scale, vector=True)
    return seconds(lambda: measurement(law, scale, vector=True)(zeros))


def scalar_seconds(*, law: str, scale: float, count: int) -> float:
    """Draws one by one."""
    noise = measurement(law, scale, vector=False)
    return seconds(lambda: [noise(0) for _ in range(count)])


QUESTIONS = {"array": array_seconds, "scalar": scalar_seconds}

if __name__ == "__main__":
    serve(lambda what, **rest: QUESTIONS[what](**rest))
