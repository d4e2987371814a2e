"""Data frames as tables of DuckDB: pandas, polars and Arrow.

Rule 1: the types of a frame's columns are public: no row decides one that the frame leaves open.
"""

from typing import Any

import duckdb

from differential_privacy.errors import InvalidArgumentError

__all__ = ["copied"]


def copied(connection: duckdb.DuckDBPyConnection, frame: object, table: str) -> None:
    """Copies a frame, so that what is asked later is what was declared."""
    try:
        connection.register("given", _typed(frame))
    except duckdb.Error:
        rule = "must be a file, or a pandas, polars or Arrow table"
        raise InvalidArgumentError("source", type(frame).__name__, rule) from None
    connection.execute(f"CREATE TABLE {table} AS SELECT * FROM given").fetchall()  # noqa: S608 - quoted
    connection.unregister("given")


def _typed(frame: Any) -> object:  # noqa: ANN401 - pandas is an extra
    """A pandas frame whose columns of objects are texts; every other frame as it is."""
    if not hasattr(frame, "select_dtypes"):
        return frame
    objects = [name for name, kind in frame.dtypes.items() if str(kind) == "object"]
    texts = {name: frame[name].map(_text, na_action="ignore").astype("string") for name in objects}
    return frame.assign(**texts)


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode()
