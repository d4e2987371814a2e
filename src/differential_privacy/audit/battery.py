"""What an analyst would ask of a policy's tables, and a hostile one: questions of every kind."""

# ruff: noqa: S608 - these are texts of an analyst, who is not trusted with them

from collections.abc import Iterator

from differential_privacy.curator import Policy
from differential_privacy.sources import Column, Key, Kind, Table

__all__ = ["battery"]

FEW = 100


def battery(policy: Policy, analyst: str) -> list[str]:
    """The questions about each table that the analyst may ask."""
    allowed = policy.analysts[analyst].tables
    tables = [one for one in policy.private if not allowed or one.name in allowed]
    return [text for table in tables for text in (*_of(table), *_joined(table, policy))]


def _of(table: Table) -> Iterator[str]:
    source = f"FROM {_name(table.name)}"
    yield f"SELECT COUNT(*) AS n {source}"
    yield f"SELECT COUNT(*) AS n {source} WHERE 1 = 0"
    if isinstance(table.owner, str):
        yield f"SELECT COUNT(DISTINCT {_name(table.owner)}) AS people {source}"
    for column in table.columns:
        name = _name(column.name)
        if column.name != table.owner:
            yield from _about(column, name, source)
    groups = [one for one in table.columns if _is_listed(one)]
    numbers = [one for one in table.columns if _is_number(one)]
    for group in groups:
        by = _name(group.name)
        means = "".join(f", AVG({_name(one.name)})" for one in numbers[:1])
        asked = f"SELECT {by}, COUNT(*) AS n{means} {source} GROUP BY {by}"
        yield asked
        yield f"{asked} HAVING COUNT(*) > 3 ORDER BY n DESC LIMIT 2"


def _about(column: Column, name: str, source: str) -> Iterator[str]:
    """Aggregates of a column, filters by it, and what fails on strange values elsewhere."""
    yield f"SELECT COUNT({name}) AS n {source}"
    if column.kind is Kind.TEXT:
        yield f"SELECT COUNT(*) AS n {source} WHERE {name} LIKE '%x%' OR LENGTH({name}) > 10"
        yield f"SELECT SUM(CLAMP(CAST({name} AS INTEGER), 0, 10)) AS total {source}"
        yield f"SELECT {name}, COUNT(*) AS n {source} GROUP BY {name}"
    if column.kind is Kind.BOOLEAN:
        yield f"SELECT {name}, COUNT(*) AS n {source} GROUP BY {name}"
    if _is_number(column):
        yield f"SELECT SUM({name}) AS total, AVG({name}) AS mean, STDDEV({name}) AS sd {source}"
        yield f"SELECT MEDIAN({name}) AS middle, MIN({name}) AS low, MAX({name}) AS high {source}"
        yield f"SELECT SUM(CLAMP(1 / ({name} - {name}), 0, 1)) AS total {source}"
        yield f"SELECT COUNT(*) AS n {source} WHERE CASE WHEN {name} > 0 THEN 1 / {name} > 2 END"
    if column.kind in (Kind.DATE, Kind.TIMESTAMP):
        yield f"SELECT COUNT(*) AS n {source} WHERE EXTRACT(YEAR FROM {name}) > 2000"


def _joined(table: Table, policy: Policy) -> Iterator[str]:
    if isinstance(table.owner, Key):
        key, parent = table.owner, policy.tables[table.owner.table]
        yield (
            f"SELECT COUNT(*) AS n FROM {_name(table.name)} AS c JOIN {_name(parent.name)} AS p "
            f"ON c.{_name(key.column)} = p.{_name(key.references)}"
        )


def _is_listed(column: Column) -> bool:
    return column.categories is not None and len(column.categories) <= FEW


def _is_number(column: Column) -> bool:
    return column.kind in (Kind.INTEGER, Kind.NUMBER) and column.points is not None


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
