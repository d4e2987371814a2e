"""Something to measure by name, not yet measured."""

from collections.abc import Callable, Iterator

from line import Line

__all__ = ["Measure"]


class Measure:
    """A function that takes the name and gives the lines, with what else it needs."""

    def __init__(self, name: str, lines: Callable[..., Iterator[Line]], *arguments: object) -> None:
        self.name = name
        self._lines = lines
        self._arguments = arguments

    def run(self) -> list[Line]:
        """Measure now."""
        return list(self._lines(self.name, *self._arguments))
