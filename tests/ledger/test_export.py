"""Exports: lines that anybody can verify, and a table in which nothing is a formula."""

import csv
import hashlib
import io
import json

import pytest
from tests.ledger.places import pay

from differential_privacy.ledger import Ledger, csv_table, json_lines
from differential_privacy.privacy import ConcentratedLoss, PureLoss


def used() -> Ledger:
    ledger = Ledger.in_memory()
    ledger.open_account("visits", ConcentratedLoss(1))
    ledger.open_account("ada", PureLoss(1), parent="visits")
    ledger.record_answer(pay(ledger, "ada", note='é, "quoted"\nand broken'), "how many?", b"42")
    ledger.grant("ada", PureLoss(2))
    ledger.revoke("ada")
    return ledger


def test_the_lines_can_be_verified_with_nothing_of_ours() -> None:
    ledger = used()
    lines = [json.loads(line) for line in json_lines(ledger.statement().entries).splitlines()]
    assert len(lines) == 6
    newest = hashlib.sha256(b"differential_privacy ledger, format 1").hexdigest()
    for line in lines:
        previous, told = line.pop("previous"), line.pop("hash")
        text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert previous == newest
        assert told == hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()
        newest = told
    assert newest == ledger.verify().head.hash


def rows(ledger: Ledger) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(ledger.statement().entries), newline="")))


def test_the_table_has_a_row_for_each_entry() -> None:
    table = rows(used())
    assert [row["kind"] for row in table] == ["open", "open", "spend", "answer", "grant", "revoke"]
    assert [row["sequence"] for row in table] == list("123456")
    assert [row["accounts"] for row in table] == ["visits", "ada", "ada; visits", "", "ada", "ada"]
    assert json.loads(table[2]["losses"])["concentrated"] == {"delta": "0", "rho": "0.005"}
    assert json.loads(table[0]["losses"]) == {"concentrated": {"delta": "0", "rho": "1"}}
    assert json.loads(table[2]["rest"])["what"] == {"note": 'é, "quoted"\nand broken'}
    assert table[2]["who"] == "ada"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d", "\uff20"])
def test_no_cell_is_a_formula(sign: str) -> None:
    """Attack 43."""
    ledger, name = Ledger.in_memory(), f"{sign}HYPERLINK(1)"
    ledger.open_account(name, PureLoss(1))
    pay(ledger, name)
    for row in rows(ledger):
        assert row["accounts"] == f"'{name}"
        assert not any(cell.startswith(sign) for cell in row.values())
