"""A bad cell, line or frame: what one row holds changes no plan and moves nobody else's rows."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.hostile.harmless import HARMLESS
from tests.hostile.movements import assert_moves_no_more_than_claimed
from tests.hostile.rows import RARE, crowd
from tests.hostile.views import sql, views
from tests.hostile.worlds import Pair, World, neighbors, of_frame, opened, simple

import differential_privacy as dp


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with neighbors(tmp_path_factory.mktemp("texts") / "worlds", "csv") as opened_:
        yield opened_


@pytest.mark.parametrize(
    "idea",
    [
        "infinities",
        "sums of texts",
        "huge whole numbers",
        "days that are none",
        "truths that are none",
        "categories that are none",
        "rare times",
        "many rows in one group",
        "years that overflow",
    ],
)
def test_a_bad_cell_of_a_text_file_changes_nothing_that_is_seen(texts: Pair, idea: str) -> None:
    one, other = views(texts, sql(HARMLESS[idea]))
    assert one == other
    assert one.error is None


def test_the_parts_of_a_text_file_that_hold_no_rows_are_its_header_alone(tmp_path: Path) -> None:
    """A column that is not in the first line is refused by name, and by no value."""
    world = opened(tmp_path / "world", "csv", with_extreme=True)
    with pytest.raises(dp.errors.DifferentialPrivacyError) as refused:
        world.session().plan("SELECT COUNT(*) FROM visits WHERE nothing = 1", epsilon=1)
    assert RARE not in str(refused.value)
    world.curator.close()


LINES = "patient,x,code\n" + "".join(f"{person},1,one\n" for person in range(80))
HOSTILE_LINES = {
    "a quote inside": '999,1,a"b\n',
    "too many cells": "999,1,a,b,c,d,e\n",
    "too few cells": "999\n",
    "no cells": "\n",
    "a NUL": "999,1,a\0b\n",
    "no text": b"999,1,\xff\xfe\xc3\n",
    "a long line": "999,1," + "a" * 3_000_000 + "\n",
    "other line ends": "999,1,a\r999,1,b\r\n",
    "a header again": "patient,x,code\n",
}


@pytest.mark.parametrize("line", HOSTILE_LINES)
def test_a_line_of_a_text_file_moves_nobody_elses_rows(tmp_path: Path, line: str) -> None:
    """Quotes that do not close are no CSV, and are the curator's to keep out; all else is a row.

    Or the file is refused when it is opened, by the curator's own check.
    """
    odd = HOSTILE_LINES[line]
    octets = odd if isinstance(odd, bytes) else odd.encode()
    half = len(LINES) // 2
    cut = LINES.index("\n", half) + 1
    worlds = []
    for place, more in enumerate((b"", octets)):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "people.csv").write_bytes(LINES[:cut].encode() + more + LINES[cut:].encode())
        policy = simple().replace("people.parquet", "people.csv")
        (folder / "curator.toml").write_text(policy)
        try:
            worlds.append(World(dp.Curator(folder / "curator.toml"), folder))
        except dp.errors.PolicyError:
            assert more, "the plain file is refused"
            return
    assert_moves_no_more_than_claimed((worlds[0], worlds[1]), "SELECT COUNT(*), SUM(x) FROM people")


ODD_CELLS = {
    "a text among numbers": {"patient": 9, "x": "junk", "code": "a"},
    "a wide number": {"patient": 9, "x": 2**70, "code": "a"},
    "a fraction": {"patient": 9, "x": 1.5, "code": "a"},
    "nothing": {"patient": 9, "x": None, "code": None},
    "a list": {"patient": 9, "x": [1], "code": "a"},
    "octets": {"patient": 9, "x": 1, "code": b"\xff"},
    "a number among texts": {"patient": 9, "x": 1, "code": 5},
    "a person told by a text": {"patient": "nine", "x": 1, "code": "a"},
    "nobody": {"patient": None, "x": 1, "code": "a"},
}


@pytest.mark.parametrize("cell", ODD_CELLS)
def test_a_frame_with_an_odd_cell_is_asked_as_one_without(tmp_path: Path, cell: str) -> None:
    """Columns of objects are texts, whatever the objects are: no cell is looked at for a type.

    Or the frame is refused when it is opened, by the curator's own check.
    """
    plain = pd.DataFrame(crowd(8)).astype(object)
    more = pd.DataFrame([ODD_CELLS[cell]]).astype(object)
    worlds = []
    for place, frame in enumerate((plain, pd.concat([plain, more]))):
        folder = tmp_path / str(place)
        folder.mkdir()
        try:
            worlds.append(World(dp.Curator(of_frame(frame, folder)), folder))
        except (dp.errors.PolicyError, dp.errors.InvalidArgumentError):
            assert place, "the plain frame is refused"
            return
    one, other = views(
        (worlds[0], worlds[1]), sql("SELECT COUNT(*), SUM(x), COUNT(code) FROM people")
    )
    assert one == other
    assert one.error is None
