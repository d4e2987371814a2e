"""The examples run: the curator from Python, and the parts beneath it."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_example_of_the_curator_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "curator.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "refused: SELECT" in shown
    assert shown.splitlines()[-1].startswith("left: ApproximateLoss(epsilon=0.9")


def test_the_tour_of_the_parts_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "tour.py"), run_name="__main__")
    assert "must be given: one row could move this without limit" in capsys.readouterr().out
