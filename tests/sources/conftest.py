"""What the tests of sources share: the machines that engines run on."""

from pathlib import Path
from typing import Any

import pytest
from tests.sources.engines import Machines


@pytest.fixture
def machines(tmp_path: Path, postgres_dsn: str, spark_session: Any) -> Machines:
    return Machines(tmp_path, postgres_dsn, spark_session)
