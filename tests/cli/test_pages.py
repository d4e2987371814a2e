"""What the pages show of the command line is what it does; their SQL and their policy are read."""

import re
import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from tests.cli.running import dp

from differential_privacy.cli.entry import COMMANDS
from differential_privacy.cli.hospital import Hospital
from differential_privacy.cli.outcomes import OUTCOMES
from differential_privacy.curator import read_policy

HOME = Path(__file__).parents[2]
PAGE, README = HOME / "docs" / "curator.md", HOME / "README.md"
FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


@pytest.fixture
def hospital(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DP_POLICY", "DP_ANALYST"):
        monkeypatch.delenv(name, raising=False)
    Hospital(tmp_path).make(visits=20_000, patients=2_000)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [PAGE, README], ids=lambda page: page.name)
def test_commands_of_a_page_show_what_it_says(hospital: Path, page: Path) -> None:
    del hospital
    run = 0
    for block in blocks(page, "console"):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, wanted = example.partition("\n")
            words = shlex.split(line, comments=True)
            if words[0] != "dp":
                continue
            found = dp(*(words[: words.index(">")] if ">" in words else words)[1:])
            shown = found.out + found.err
            matches = OutputChecker().check_output(wanted, shown, FLAGS)
            assert matches or ">" in words, f"{line}\n{shown}"
            run += 1
    assert run >= (10 if page == PAGE else 2)


@pytest.mark.parametrize("block", blocks(PAGE, "sql"))
def test_every_question_of_the_page_is_answered(hospital: Path, block: str) -> None:
    del hospital
    for text in block.split(";\n"):
        if text.strip():
            run = dp("plan", text, "--as", "zoe", "--epsilon", "0.1")
            assert run.code == 0, run.err


@pytest.mark.parametrize("block", blocks(PAGE, "toml"))
def test_the_policy_of_the_page_is_one(tmp_path: Path, block: str) -> None:
    file = tmp_path / "curator.toml"
    file.write_text(block)
    assert list(read_policy(file).analysts) == ["ada", "bob"]


def test_the_page_names_every_command_and_exit_code() -> None:
    text = PAGE.read_text()
    assert all(f"`dp {name}`" in text for name in COMMANDS)
    assert all(f"| {code} | {meaning} |" in text for code, meaning in OUTCOMES.items())
