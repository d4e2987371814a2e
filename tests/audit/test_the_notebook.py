"""The notebook of attacks runs from its first cell to its last, and each attack is drawn."""

import json
from pathlib import Path
from typing import Any

from differential_privacy.audit.attacks import ATTACKS

NOTEBOOK = Path(__file__).parents[2] / "examples" / "attacks.ipynb"


def cells() -> list[str]:
    """The code of the notebook."""
    found = json.loads(NOTEBOOK.read_text())
    return ["".join(one["source"]) for one in found["cells"] if one["cell_type"] == "code"]


def test_every_cell_runs_and_every_attack_is_there() -> None:
    names: dict[str, Any] = {}
    tried = []
    for text in cells():
        exec(compile(text, str(NOTEBOOK), "exec"), names)  # noqa: S102 - our own notebook
        if "report" in names:
            report = names["report"]
            assert report.plot().to_dict()["vconcat"]
            tried.append(report.name)
    assert tried == list(ATTACKS)
    assert not any(one.get("outputs") for one in json.loads(NOTEBOOK.read_text())["cells"])
