"""Runs `dp` in this process, as the command line does, or in a terminal of its own."""

# ruff: noqa: S603 - programs of our own

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from differential_privacy.cli import main

MARKER = "MARKER"
"""What stands in private cells only, and must never be seen."""

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward"


@dataclass(frozen=True, slots=True)
class Run:
    """How a command went."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def dp(*args: str | Path, stdin: str = "") -> Run:
    """Runs a command without a terminal; a traceback would be an error of the test."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as left:
            main([str(arg) for arg in args])
    assert isinstance(left.value.code, int)
    return Run(left.value.code, out.getvalue(), err.getvalue())


def in_terminal(folder: Path, *args: str, answers: tuple[tuple[str, str], ...] = ()) -> str:
    """What a terminal of 80 columns shows, when each prompt gets its answer."""
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "50"}
    process = subprocess.Popen(
        [Path(sys.executable).parent / "dp", *args],
        cwd=folder,
        stdin=child,
        stdout=child,
        stderr=child,
        env=environment,
        close_fds=True,
    )
    os.close(child)
    shown, waiting = "", list(answers)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([parent], [], [], 0.1)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            part = os.read(parent, 1 << 16).decode("utf-8", "replace")
        except OSError:
            break
        if not part:
            break
        shown += part
        if waiting and waiting[0][0] in shown.rpartition("\n")[2]:
            os.write(parent, waiting.pop(0)[1].encode() + b"\n")
    assert not waiting, (waiting, shown)
    assert process.wait(timeout=60) is not None
    os.close(parent)
    return shown
