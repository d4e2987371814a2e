"""`dp attack`: what people see of the attacks, what machines read, and the page that shows them."""

import json
import re
import shlex
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.audit.attacked import report
from tests.cli.running import Run, dp

from differential_privacy.audit.attacks import ATTACKS
from differential_privacy.cli.attack import _show

PAGE = Path(__file__).parents[2] / "docs" / "attacks.md"
WIDTH = 80


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    page = tmp_path_factory.mktemp("plots") / "linkage.html"
    return dp("attack", "linkage", "--json", "--save", page), page


def test_without_a_name_it_lists_the_attacks_in_one_line_each() -> None:
    run = dp("attack")
    assert run.code == 0
    for name, attack in ATTACKS.items():
        assert re.search(rf"^{name} +{re.escape(attack.about)}$", run.out, re.MULTILINE)
    assert list(dp("attack", "--json").json) == list(ATTACKS)


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_shown_fits_a_terminal_and_has_both_sides(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report(name)
    _show(found)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= WIDTH
    for outcome in found.outcomes:
        assert outcome.about in shown
        assert str(outcome.without) in shown
        assert str(outcome.with_us) in shown
    assert shown.count("guessing ") >= len(found.outcomes)
    assert "published" in shown


@pytest.mark.parametrize("name", ATTACKS)
def test_a_report_prints_as_words_and_as_json(name: str) -> None:
    found = report(name)
    text = str(found)
    assert f"with us: {found.loss} in all" in text
    assert all(str(outcome) in text for outcome in found.outcomes)
    assert json.loads(json.dumps(found.as_json()))["attack"] == name


def test_machines_read_shares_with_their_intervals(saved: tuple[Run, Path]) -> None:
    (outcome,) = saved[0].json["outcomes"]
    for side in ("without", "with_us"):
        assert outcome[side]["low"] <= outcome[side]["share"] <= outcome[side]["high"]
    assert saved[0].json["loss"] == "PureLoss(epsilon=1)"


class Scripts(HTMLParser):
    """The scripts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def test_a_drawing_is_a_page_with_bars_and_a_curve(saved: tuple[Run, Path]) -> None:
    run, page = saved
    assert "drawn in" in run.err
    scripts = "".join(Scripts(page.read_text()).found)
    assert all(word in scripts for word in ("vegaEmbed", "without us", "named rightly"))


@pytest.mark.parametrize("name", ATTACKS)
def test_every_picture_holds_each_outcome_and_each_line(name: str) -> None:
    found = report(name)
    drawn: dict[str, Any] = found.plot().to_dict()
    bars, lines = drawn["vconcat"][:-1], drawn["vconcat"][-1]
    assert [chart["title"] for chart in bars] == [outcome.about for outcome in found.outcomes]
    names = {row["line"] for row in drawn["datasets"][lines["data"]["name"]]}
    assert names == {line.name for line in found.picture.lines}
    assert (lines["encoding"]["x"]["scale"]["type"] == "log") == found.picture.logarithmic


@pytest.mark.parametrize(
    ("args", "code", "named"),
    [
        (["attack", "phishing"], 2, "uniqueness"),
        (["attack", "linkage", "--save", "plot.pdf"], 2, "must end in .html"),
        (["attack", "linkage", "--seed", "one"], 2, "one"),
        (["attack", "--save", "plot.html"], 2, "name an attack"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(args: list[str], code: int, named: str) -> None:
    run = dp(*args)
    assert run.code == code
    assert named in run.err
    assert len(run.err.splitlines()) == 1


def test_a_missing_extra_is_told_with_its_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    run = dp("attack", "linkage", "--save", tmp_path / "plot.html")
    assert run.code == 7
    assert "pip install 'differential_privacy[plots]'" in run.err


def test_the_page_shows_what_the_command_does() -> None:
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    starts = re.compile(r"^\$ ", re.MULTILINE)
    examples = [one for block in blocks for one in starts.split(block)[1:]]
    assert len(examples) == 2
    for example in examples:
        line, _, wanted = example.partition("\n")
        shown = dp(*shlex.split(line)[1:]).out
        checked = OutputChecker().check_output(wanted, shown, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert checked, f"{line}\n{shown}"


def test_the_page_names_every_attack() -> None:
    text = PAGE.read_text()
    assert all(f"\n{name} " in text for name in ATTACKS)
    assert text.count("\n## ") == len(ATTACKS) + 1
