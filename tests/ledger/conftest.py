"""Ledgers in each kind of store, opened as often as processes would open them."""

from pathlib import Path

import pytest
from tests.ledger.places import InFile, InMemory, OnServer, Place
from tests.postgres_server import Server

KINDS = ["memory", "sqlite", "postgres"]


@pytest.fixture
def in_file(tmp_path: Path) -> InFile:
    return InFile(tmp_path)


@pytest.fixture
def on_server(postgres_server: Server, tmp_path: Path) -> OnServer:
    return OnServer(tmp_path, postgres_server.fresh())


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest) -> Place:
    """Every kind of place."""
    if request.param == "memory":
        return InMemory()
    return request.getfixturevalue({"sqlite": "in_file", "postgres": "on_server"}[request.param])


@pytest.fixture(params=KINDS[1:])
def durable(request: pytest.FixtureRequest) -> Place:
    """Every kind of place that outlives its process."""
    return request.getfixturevalue({"sqlite": "in_file", "postgres": "on_server"}[request.param])
