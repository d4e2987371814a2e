"""The TPC-H tables at scale 0.1, with a curator over them, and DuckDB over the same files."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from tests.tpch.cases import POLICY, TABLES
from tests.tpch.truth import Truth

import differential_privacy as dp

SCALE = "0.1"
ENDLESS = "{ epsilon = 1e15, delta = 0.1 }"


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest) -> Path:
    """A folder with the tables, kept from one run to the next."""
    folder = Path(request.config.cache.mkdir(f"tpch-{SCALE}")) / "tables"
    if not folder.exists():
        # Another process may make them as well: whoever is done first has made them for both.
        making = folder.with_name(f"making-{os.getpid()}")
        shutil.rmtree(making, ignore_errors=True)
        tool = Path(sys.executable).with_name("tpchgen-cli")
        command = [tool, "parquet", "--quiet", "-s", SCALE, "-o", making]
        subprocess.run(command, check=True)  # noqa: S603 - our own tool and arguments
        try:
            making.rename(folder)
        except OSError:
            shutil.rmtree(making)
    return folder


@pytest.fixture(scope="session")
def curator(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dp.Curator]:
    """A curator with the policy of the page, but for budgets that do not end."""
    folder = tmp_path_factory.mktemp("tpch")
    for name in TABLES:
        (folder / f"{name}.parquet").symlink_to(tables / f"{name}.parquet")
    text = POLICY.read_text()
    (folder / "curator.toml").write_text(text.replace("{ epsilon = 10, delta = 1e-5 }", ENDLESS))
    with dp.Curator(folder / "curator.toml") as opened:
        opened.prepare()
        yield opened


@pytest.fixture(scope="session")
def session(curator: dp.Curator) -> dp.Session:
    return curator.session("ada")


@pytest.fixture(scope="session")
def truth(tables: Path) -> Iterator[Truth]:
    with duckdb.connect() as connection:
        yield Truth.over(connection, tables)
