"""The example of the curator runs, and ends with what is left."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "curator.py"


def test_the_example_of_the_curator_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    shown = capsys.readouterr().out
    assert "refused: SELECT" in shown
    assert shown.splitlines()[-1].startswith("left: ApproximateLoss(epsilon=0.9")
