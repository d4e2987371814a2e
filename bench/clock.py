"""CPU time of ours and of its peers in turns, so that a noisy machine is noisy for all of them."""

import time
from collections.abc import Callable, Mapping

__all__ = ["race", "seconds"]


def seconds(work: Callable[[], object]) -> float:
    """The CPU time, of all threads of this process, that the work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def race(runners: Mapping[str, Callable[[], float]], *, rounds: int) -> dict[str, float]:
    """The best time of each runner; a runner tells its own, as some run in another process."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(rounds):
        for name, run in runners.items():
            times[name].append(run())
    return {name: min(taken) for name, taken in times.items()}
