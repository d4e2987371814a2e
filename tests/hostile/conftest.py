"""Two neighboring worlds, opened once for all attacks."""

from collections.abc import Iterator

import pytest
from tests.hostile.worlds import KEY, Pair, neighbors

from differential_privacy.curator import curator
from differential_privacy.sources import Ranks


@pytest.fixture(scope="session", autouse=True)
def one_key() -> Iterator[None]:
    """Rows are ranked alike in all worlds, so that what differs is due to the data."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(curator, "Ranks", lambda _: Ranks(KEY))
        yield


@pytest.fixture(scope="session")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with neighbors(tmp_path_factory.mktemp("worlds") / "worlds") as opened:
        yield opened
