"""Hypothesis profiles, and what tests share: a real Postgres server."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings
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
