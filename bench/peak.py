"""The peak of memory of one large array of draws, in a process that has done nothing else.

Prints two measures as multiples of the array's size: what Python and numpy asked for while they
drew, and by how much the resident memory of the process rose (Linux only).
"""

import argparse
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from differential_privacy import sampling

OURS = {"laplace": sampling.discrete_laplace, "gaussian": sampling.discrete_gaussian}
WARM = 10**4

# numpy's generator is a peer here: what it draws is measured, and protects nothing.
generator = np.random.default_rng()  # noqa: TID251
NUMPY = {"laplace": generator.laplace, "gaussian": generator.normal}


def resident(field: str) -> int:
    """Octets of this process in memory: now (VmRSS), or at its peak (VmHWM)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    line = next(line for line in status.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


def peaks(draw: Callable[[int], NDArray[np.generic]], count: int) -> dict[str, float]:
    draw(WARM)
    before = resident("VmRSS")
    size = draw(count).nbytes
    risen = resident("VmHWM") - before
    tracemalloc.start()
    draw(count)
    _, asked = tracemalloc.get_traced_memory()
    return {"asked": asked / size, "resident": risen / size}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("whose", choices=["ours", "numpy"])
    parser.add_argument("law", choices=OURS)
    parser.add_argument("scale", type=int)
    parser.add_argument("count", type=int)
    asked = parser.parse_args()
    if asked.whose == "ours":
        result = peaks(lambda count: OURS[asked.law](asked.scale, count), asked.count)
    else:
        result = peaks(lambda count: NUMPY[asked.law](0, asked.scale, count), asked.count)
    print(json.dumps(result))
