"""Reads a policy from `curator.toml`, and says by file and key what breaks which rule."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from differential_privacy.curator.policy import Analyst, EngineChoice, LedgerPlace, Policy
from differential_privacy.errors import InvalidArgumentError, PolicyError
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss, PureLoss, Spendable
from differential_privacy.sources import Bounds, Column, Key, Place, Table

__all__ = ["GAP", "read_policy"]

GAP = "FILL IN"
"""What `dp init` writes where only the curator knows; nothing is asked while one is left."""

SECTIONS = ("engine", "ledger", "tables", "analysts")
TABLE = (
    *("path", "table", "person", "unit", "bounds", "budget", "columns", "public", "unique"),
    *("group_by", "parent", "partition"),
)
COLUMN = ("type", "range", "categories", "step", "nullable")
ROW = "row"

WRITTEN_AS = {"lower": "range", "upper": "range", "owner": "person", "keys": "group_by"}
"""What a file calls the arguments that have another name there."""


def read_policy(path: str | Path) -> Policy:
    """The policy of a file."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        rule = f"cannot be read: {error.strerror}: `dp init` writes one"
        raise PolicyError(str(path), "", rule) from None
    except UnicodeDecodeError:
        raise PolicyError(str(path), "", "is no text in UTF-8") from None
    try:
        # Decimals stay as they are written, so that 0.1 is one tenth.
        parts = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(str(path), "", f"is no TOML: {error}") from None
    return _Reader(file).policy(parts)


class _Reader:
    """Reads the parts of one file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._home = file.absolute().parent

    def policy(self, parts: Mapping[str, Any]) -> Policy:
        self._known(parts, SECTIONS, "")
        self._gaps(parts, "")
        sections = {name: self._section(parts, name, "") for name in SECTIONS}
        names = list(sections["tables"])
        tables = {
            name: self._table(name, self._section(sections["tables"], name, "tables"))
            for name in names
        }
        budgets = {
            name: self._budget(body["budget"], f"tables.{name}.budget")
            for name, body in sections["tables"].items()
            if "budget" in body
        }
        analysts = {
            name: self._analyst(name, self._section(sections["analysts"], name, "analysts"))
            for name in sections["analysts"]
        }
        engine = self._engine(sections["engine"])
        ledger = self._ledger(sections["ledger"])
        folder = self._home / ".dp"
        with self._named(""):
            return Policy(tables, budgets, analysts, engine, ledger, folder, str(self._file))

    def _table(self, name: str, body: Mapping[str, Any]) -> Table:
        key = f"tables.{name}"
        self._known(body, TABLE, key)
        public = body.get("public", False)
        if not isinstance(public, bool):
            raise self._error(f"{key}.public", "must be true or false, without quotes")
        if not public and "person" not in body:
            rule = 'must say who is protected: a column, "row", or { key = ..., table = ... }'
            raise self._error(f"{key}.person", rule)
        columns = self._section(body, "columns", key)
        with self._named(key):
            return Table(
                name,
                Place(self._path(body, "path", key), self._text(body, "table", key)),
                tuple(self._column(one, columns[one], f"{key}.columns.{one}") for one in columns),
                owner=self._owner(body.get("person"), f"{key}.person"),
                unit=self._text(body, "unit", key) or "person",
                bounds=tuple(
                    self._bounds(one, f"{key}.bounds[{place}]")
                    for place, one in enumerate(self._list(body, "bounds", key))
                ),
                public=public,
                unique=self._texts(self._list(body, "unique", key), f"{key}.unique"),
                keys=tuple(
                    self._texts([one] if isinstance(one, str) else one, f"{key}.group_by[{place}]")
                    for place, one in enumerate(self._list(body, "group_by", key))
                ),
                parent=self._text(body, "parent", key),
                partition=self._text(body, "partition", key),
            )

    def _column(self, name: str, body: object, key: str) -> Column:
        facts = {"type": body} if isinstance(body, str) else body
        if not isinstance(facts, dict) or "type" not in facts:
            raise self._error(key, 'must be a type, or facts, as { type = "integer" }')
        self._known(facts, COLUMN, key)
        ends = facts.get("range", [None, None])
        if not isinstance(ends, list) or len(ends) != 2:  # noqa: PLR2004 - low and high
            raise self._error(f"{key}.range", "must be two values, as [0, 100]")
        with self._named(key):
            return Column(
                name,
                facts["type"],
                lower=ends[0],
                upper=ends[1],
                step=facts.get("step"),
                categories=facts.get("categories"),
                nullable=facts.get("nullable", True),
            )

    def _owner(self, person: object, key: str) -> str | Key | None:
        if person is None or person == ROW:
            return None
        if isinstance(person, str):
            return person
        if isinstance(person, dict) and {"key", "table", "references"} == set(person):
            names = [person[name] for name in ("key", "table", "references")]
            return Key(*self._texts(names, key))
        rule = 'must be a column, "row", or { key = "order", table = "orders", references = "id" }'
        raise self._error(key, rule)

    def _bounds(self, body: object, key: str) -> Bounds:
        if not isinstance(body, dict):
            raise self._error(key, "must be as { rows = 10 }")
        self._known(body, ("rows", "groups", "rows_per_group", "total"), key)
        with self._named(key):
            return Bounds(**body)

    def _budget(self, body: object, key: str) -> Spendable:
        names = set(body) if isinstance(body, dict) else set()
        with self._named(key):
            match body:
                case {"epsilon": epsilon} if names == {"epsilon"}:
                    return PureLoss(epsilon)
                case {"epsilon": epsilon, "delta": delta} if names == {"epsilon", "delta"}:
                    return ApproximateLoss(epsilon, delta)
                case {"rho": rho} if names == {"rho"}:
                    return ConcentratedLoss(rho)
                case {"rho": rho, "delta": delta} if names == {"rho", "delta"}:
                    return ConcentratedLoss(rho, delta)
        rule = "must be { epsilon = 1 }, { epsilon = 1, delta = 1e-6 } or { rho = 0.1 }"
        raise self._error(key, rule)

    def _analyst(self, name: str, body: Mapping[str, Any]) -> Analyst:
        key = f"analysts.{name}"
        self._known(body, ("budget", "tables", "projects"), key)
        if "budget" not in body:
            raise self._error(f"{key}.budget", "must be given, as { epsilon = 1 }")
        projects = self._section(body, "projects", key)
        with self._named(key):
            return Analyst(
                name,
                self._budget(body["budget"], f"{key}.budget"),
                self._texts(self._list(body, "tables", key), f"{key}.tables"),
                {one: self._budget(projects[one], f"{key}.projects.{one}") for one in projects},
            )

    def _engine(self, body: Mapping[str, Any]) -> EngineChoice:
        self._known(body, ("name", "dsn"), "engine")
        with self._named("engine"):
            name = self._text(body, "name", "engine") or "duckdb"
            return EngineChoice(name, self._text(body, "dsn", "engine"))

    def _ledger(self, body: Mapping[str, Any]) -> LedgerPlace:
        self._known(body, ("path", "dsn", "anchor"), "ledger")
        if "path" in body and "dsn" in body:
            raise self._error("ledger", "must be at a path or at a dsn, not at both")
        path, anchor = (self._path(body, name, "ledger") for name in ("path", "anchor"))
        return LedgerPlace(
            None if path is None else Path(path),
            self._text(body, "dsn", "ledger"),
            None if anchor is None else Path(anchor),
        )

    def _path(self, body: Mapping[str, Any], name: str, key: str) -> str | None:
        """Paths are from where the policy is."""
        given = self._text(body, name, key)
        return None if given is None else str(self._home / given)

    def _text(self, body: Mapping[str, Any], name: str, key: str) -> str | None:
        found = body.get(name)
        if found is not None and not isinstance(found, str):
            raise self._error(f"{key}.{name}", "must be a text, in quotes")
        return found

    def _texts(self, given: object, key: str) -> tuple[str, ...]:
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise self._error(key, "must be texts, in quotes")
        return tuple(given)

    def _section(self, body: Mapping[str, Any], name: str, key: str) -> Mapping[str, Any]:
        found = body.get(name, {})
        if not isinstance(found, dict):
            raise self._error(f"{key}.{name}".strip("."), "must be a section of keys and values")
        return found

    def _list(self, body: Mapping[str, Any], name: str, key: str) -> Sequence[Any]:
        found = body.get(name, [])
        if not isinstance(found, list):
            raise self._error(f"{key}.{name}", "must be a list, in brackets")
        return found

    def _known(self, body: Mapping[str, Any], known: Sequence[str], key: str) -> None:
        for name in body:
            if name not in known:
                close = get_close_matches(name, known, n=1)
                hint = f": did you mean {close[0]}?" if close else f", only {', '.join(known)}"
                raise self._error(f"{key}.{name}".strip("."), f"is no key that a policy has{hint}")

    def _gaps(self, part: object, key: str) -> None:
        """What was left for the curator to fill in."""
        if isinstance(part, dict):
            for name, inner in part.items():
                self._gaps(inner, f"{key}.{name}".strip("."))
        elif isinstance(part, list):
            for place, inner in enumerate(part):
                self._gaps(inner, f"{key}[{place}]")
        elif isinstance(part, str) and GAP in part:
            raise self._error(key, f"was left as {part!r}: fill it in from what is public")

    @contextmanager
    def _named(self, key: str) -> Iterator[None]:
        """What a value refuses is told by file and key."""
        try:
            yield
        except InvalidArgumentError as error:
            name = WRITTEN_AS.get(error.argument, error.argument)
            inner = name if "." in name else f"{key}.{name}"
            rule = str(error).removeprefix(f"{error.argument} = ")
            raise PolicyError(str(self._file), inner.strip("."), rule) from None
        except TypeError as error:
            raise PolicyError(
                str(self._file), key, f"has a value of a wrong type: {error}"
            ) from None

    def _error(self, key: str, rule: str) -> PolicyError:
        return PolicyError(str(self._file), key, rule)
