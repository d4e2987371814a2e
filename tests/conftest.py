"""Hypothesis profiles, and what tests share: a real Postgres server, and Spark on this machine."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests import spark_session as spark
from tests.postgres_server import Server, running

settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick")
)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def postgres_dsn(postgres_server: Server) -> str:
    return postgres_server.fresh()


@pytest.fixture(scope="session")
def spark_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    home: Path = tmp_path_factory.mktemp("spark")
    with spark.running(home) as session:
        yield session
