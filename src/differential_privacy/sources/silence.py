"""What an engine says stays with it: its words can hold paths, names and values of rows."""

from collections.abc import Iterator
from contextlib import contextmanager

from differential_privacy.errors import SourceError

__all__ = ["silenced"]

OUR_SIDE = (OSError, OverflowError, MemoryError, UnicodeError)
"""What can go wrong in this process while it reads and converts what an engine holds."""


@contextmanager
def silenced(*errors: type[Exception]) -> Iterator[None]:
    """Turns these errors into a `SourceError` on which nothing of them hangs."""
    caught: tuple[type[Exception], ...] = (*errors, *OUR_SIDE)
    try:
        yield
    except caught:
        silent = SourceError()
        try:
            raise silent from None
        finally:
            # Python would remember the error that was being handled.
            silent.__context__ = None
