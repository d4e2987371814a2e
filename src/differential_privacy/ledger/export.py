"""Entries as text for others: JSON lines that can be verified anew, and a table for a spreadsheet.

Rule 1: no cell of the table is a formula, whatever an analyst named their question.
"""

import csv
import io
import json
from collections.abc import Iterable
from unicodedata import normalize

from differential_privacy.ledger.entries import Entry

__all__ = ["csv_table", "json_lines"]

COLUMNS = ("sequence", "time", "kind", "accounts", "who", "losses", "rest", "previous", "hash")
FORMULA = ("=", "+", "-", "@")


def json_lines(entries: Iterable[Entry]) -> str:
    """One line an entry: what it says, the hash before it and its own.

    A line without `hash` and `previous`, written with sorted keys and no spaces, is what the hash
    covers, after `previous` and a line break: whoever has the lines can check the chain by hand.
    """
    return "".join(_json({**_said(entry), "body": entry.body}) + "\n" for entry in entries)


def csv_table(entries: Iterable[Entry]) -> str:
    """The entries as a table with a heading: one line each, as RFC 4180 has it."""
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    for entry in entries:
        rest = dict(entry.body)
        rest.pop("accounts", rest.pop("account", None))
        cells = {
            **_said(entry),
            "accounts": "; ".join(entry.accounts),
            "who": rest.pop("who", ""),
            "losses": _json(rest.pop("certificates", None) or rest.pop("budget", {})),
            "rest": _json(rest),
        }
        writer.writerow([_harmless(str(cells[column])) for column in COLUMNS])
    return table.getvalue()


def _said(entry: Entry) -> dict[str, object]:
    return {
        "sequence": entry.sequence,
        "time": entry.time,
        "kind": entry.kind.value,
        "previous": entry.previous,
        "hash": entry.record.hash,
    }


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _harmless(cell: str) -> str:
    """The cell, marked as text where a spreadsheet might read a formula, also of wide signs."""
    starts = normalize("NFKC", cell).lstrip()[:1]
    return f"'{cell}" if starts in FORMULA else cell
