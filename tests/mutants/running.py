"""Runs the tests of mutants, each on a copy of the package of its own.

Rule 1: a mutant counts as killed where a test ran and failed, not where nothing could be imported.
Rule 2: the same tests must pass on a copy without a mistake, or a failure means nothing.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.mutant import Mutant, copied

__all__ = ["Outcome", "passes", "tried"]

ROOT = Path(__file__).parents[2]
PASSED, FAILED = 0, 1
"""What pytest says where all tests ran; anything else is a fault of the run."""

LONGEST_SECONDS = 300
"""A test that a mutant never lets end has failed."""

IMPORTED = "import importlib, sys; print(importlib.import_module(sys.argv[1]).__file__)"
KILLER = re.compile(r"^(?:FAILED|ERROR) .*?::(.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a mutant fared: the test that killed it, or what is wrong if none did."""

    mutant: Mutant
    killer: str | None
    fault: str
    seconds: float


def tried(mutant: Mutant, source: Path) -> Outcome:
    """Plants a mutant in a copy of the package, and runs its tests up to the first that fails."""
    start = time.monotonic()
    with TemporaryDirectory() as place:
        folder = Path(place)
        mutant.plant(copied(source, folder))
        imported = _python(folder, "-c", IMPORTED, mutant.module)
        if not imported.stdout.startswith(place):
            return Outcome(mutant, None, "cannot be imported", time.monotonic() - start)
        ran = _tested(folder, "-x", *mutant.tests)
    seconds = time.monotonic() - start
    found = KILLER.search(ran.stdout)
    if ran.returncode == FAILED and found is not None:
        return Outcome(mutant, found[1], "", seconds)
    fault = "survives" if ran.returncode == PASSED else f"cannot be judged:\n{ran.stdout[-2000:]}"
    return Outcome(mutant, None, fault, seconds)


def passes(tests: Sequence[str], source: Path) -> tuple[bool, str]:
    """Whether tests pass on the package without a mistake, and what they say."""
    ran = _tested(source.parent, "-n", "2", *tests)
    return ran.returncode == PASSED, ran.stdout


def _tested(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    waits = f"--timeout={LONGEST_SECONDS}"
    return _python(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", waits, *args)


def _python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Python on the package in a folder; laws have the examples that they have under CI."""
    chosen = {"PYTHONPATH": str(folder), "HYPOTHESIS_PROFILE": "ci"}
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *args],
        env=os.environ | chosen,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
