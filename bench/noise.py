"""How fast exact noise is: beside numpy's, which is neither exact nor secure, and OpenDP's."""

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np

from clock import race, seconds
from differential_privacy import sampling
from line import Line, ours_at_most, ratio_at_most
from measure import Measure
from peer import Peer

__all__ = ["measures"]

SCALES = (1, 100, 10**6)
UNSEEN_SCALES = (0.01, 1 / 3, 1, 63.7, 127.3, 160.1, 12345.67, 1e6, 1e12)

MANY = 10**6
OPENDP_MANY = 10**5
SCALARS = 1000
OPENDP_SCALARS = 200
FIRST = 1000
HUGE = 10**7

# numpy's generator is a peer here: what it draws is measured, and protects nothing.
generator = np.random.default_rng()  # noqa: TID251

OURS = {"laplace": sampling.discrete_laplace, "gaussian": sampling.discrete_gaussian}
NUMPY = {"laplace": generator.laplace, "gaussian": generator.normal}
NUMPY_NAMES = {
    "laplace": "numpy.random.Generator.laplace",
    "gaussian": "numpy.random.Generator.normal",
}
ARRAY_BARS = {"laplace": ratio_at_most(1), "gaussian": ratio_at_most(1.5)}
LONG_NAMES = {"laplace": "discrete Laplace", "gaussian": "discrete Gaussian"}


def measures(opendp: Peer) -> Iterator[Measure]:
    for law, name in LONG_NAMES.items():
        for scale in SCALES:
            yield Measure(f"{name}, scale {scale:g}, an array of 10^6", arrays, law, scale, opendp)
        for scale in SCALES:
            yield Measure(f"{name}, scale {scale:g}, one by one", scalars, law, scale, opendp)
        for scale in UNSEEN_SCALES:
            yield Measure(f"{name}, unseen scale near {scale:g}", unseen, law, scale, opendp)
        for scale in SCALES:
            yield Measure(f"{name}, scale {scale:g}, memory of 10^7", memory, law, scale)


def arrays(name: str, law: str, scale: int, opendp: Peer) -> Iterator[Line]:
    """Nanoseconds a draw of a large array, once the scale is known to the sampler."""
    OURS[law](scale, MANY)
    fast = race(
        {
            "ours": lambda: seconds(lambda: OURS[law](scale, MANY)),
            "numpy": lambda: seconds(lambda: NUMPY[law](0, scale, MANY)),
        },
        rounds=60,
    )
    slow = race(
        {
            "ours": lambda: seconds(lambda: OURS[law](scale, MANY)),
            "opendp": lambda: opendp.ask(what="array", law=law, scale=scale, count=OPENDP_MANY),
        },
        rounds=2,
    )
    each = 1e9 / MANY
    yield Line(
        name, "ns", fast["ours"] * each, fast["numpy"] * each, NUMPY_NAMES[law], ARRAY_BARS[law]
    )
    other = slow["opendp"] * 1e9 / OPENDP_MANY
    yield Line(
        name, "ns", slow["ours"] * each, other, "OpenDP 0.16.0, array of 10^5", ratio_at_most(1)
    )


def scalars(name: str, law: str, scale: int, opendp: Peer) -> Iterator[Line]:
    """Microseconds of a call that draws one number, once the scale is known."""
    best = race(
        {
            "ours": lambda: seconds(lambda: [OURS[law](scale) for _ in range(SCALARS)]),
            "opendp": lambda: opendp.ask(what="scalar", law=law, scale=scale, count=OPENDP_SCALARS),
        },
        rounds=5,
    )
    ours, other = best["ours"] / SCALARS, best["opendp"] / OPENDP_SCALARS
    yield Line(name, "us", ours * 1e6, other * 1e6, "OpenDP 0.16.0, scalar", ours_at_most(25))


def unseen(name: str, law: str, near: float, opendp: Peer) -> Iterator[Line]:
    """Milliseconds of calls at scales no call has seen: the median, as one scale is no other.

    The tables of a scale may be set up by its first array or by a later one that pays for them, so
    many short arrays are drawn as well and the slowest of their calls counts.
    """
    fresh = (near * (1 + step / 10**5) for step in count(1))

    def slowest(scale: float, calls: int, size: int) -> float:
        return max(seconds(lambda: OURS[law](scale, size)) for _ in range(calls))

    first, other, later = [], [], []
    for _ in range(9):
        scale = next(fresh)
        first.append(slowest(scale, 1, FIRST))
        other.append(opendp.ask(what="array", law=law, scale=scale, count=FIRST, fresh=True))
        later.append(slowest(next(fresh), 10, FIRST // 10))
    yield Line(
        f"{name}, first array of 1000",
        "ms",
        statistics.median(first) * 1e3,
        statistics.median(other) * 1e3,
        "OpenDP 0.16.0",
        ours_at_most(10),
    )
    yield Line(
        f"{name}, slowest of ten arrays of 100",
        "ms",
        statistics.median(later) * 1e3,
        bar=ours_at_most(10),
    )


def memory(name: str, law: str, scale: int) -> Iterator[Line]:
    """The peak of memory while an array is drawn, divided by the size of the array."""

    def peak(whose: str) -> float:
        script = Path(__file__).with_name("peak.py")
        command = [sys.executable, script, whose, law, str(scale), str(HUGE)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return max(json.loads(answer).values())

    yield Line(name, "arrays", peak("ours"), peak("numpy"), NUMPY_NAMES[law], ours_at_most(4))
