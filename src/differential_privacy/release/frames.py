"""Columns as other libraries hold them; each is an extra, asked for when it is used."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from differential_privacy.errors import MissingExtraError

__all__ = ["Columns", "extra"]


class Columns:
    """Named columns of equal length, handed over as Arrow, pandas or polars tables on request.

    >>> Columns({"ward": ["a", "b"], "n": [3, 4]}).rows
    [('a', 3), ('b', 4)]
    """

    __slots__ = ("_columns",)

    def __init__(self, columns: Mapping[str, Sequence[object]]) -> None:
        self._columns = {name: list(values) for name, values in columns.items()}

    def __getitem__(self, name: str) -> list[object]:
        return list(self._columns[name])

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return list(self._columns)

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The rows, in order."""
        return list(zip(*self._columns.values(), strict=True))

    def to_dict(self) -> dict[str, list[object]]:
        """The columns by name."""
        return {name: list(values) for name, values in self._columns.items()}

    def to_arrow(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `pyarrow.Table`."""
        return extra("pyarrow", "arrow", "to_arrow").table(self._columns)

    def to_pandas(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `pandas.DataFrame`."""
        return extra("pandas", "pandas", "to_pandas").DataFrame(self._columns)

    def to_polars(self) -> Any:  # noqa: ANN401 - an extra has it
        """A `polars.DataFrame`."""
        return extra("polars", "polars", "to_polars").DataFrame(self._columns)


def extra(module: str, name: str, what: str) -> Any:  # noqa: ANN401 - any library
    """A library that is installed with an extra of ours, or an error that says how."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(what, name) from None
