"""What each attack finds, run once for all tests of a process; and attacks without our noise."""

from functools import cache
from typing import Any

import pytest

from differential_privacy.audit.attacks import ATTACKS, Report
from differential_privacy.mechanisms import Geometric

FALSE_ALARM = 1e-7
"""Of one comparison; a test makes fewer than ten."""


@cache
def report(name: str) -> Report:
    return ATTACKS[name].run(seed=1)


def with_noise_divided(patch: pytest.MonkeyPatch, by: int | None) -> None:
    """Plants a bug: noise so many times too small, or none."""
    noisy = Geometric.release

    def released(noise: Geometric, values: Any, **given: Any) -> Any:
        return values if by is None else noisy(Geometric(noise.scale / by), values, **given)

    patch.setattr(Geometric, "release", released)
