"""Attack 31: edited, deleted, reordered and restored entries; old copies; anchors that go back."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.places import Durable, InFile, Place, pay

from differential_privacy.errors import LedgerTamperedError, LedgerUnavailableError
from differential_privacy.ledger import Entry, FileAnchor, Head, Ledger, NoAnchor, entries
from differential_privacy.privacy import PureLoss


def used(place: Place) -> Ledger:
    """A ledger with six entries: two accounts, three spends and an answer."""
    ledger = place.open()
    ledger.open_account("visits", PureLoss(1))
    ledger.open_account("ada", PureLoss(1), parent="visits")
    receipt = pay(ledger, "ada", note="first")
    ledger.record_answer(receipt, "how many?", b"42")
    pay(ledger, "ada", note="second")
    pay(ledger, "visits", note="third")
    return ledger


EDITS = {
    "a number in an entry": "UPDATE entries SET text = replace(text, '0.1', '0.0') "
    "WHERE sequence = 3",
    "a note in an entry": "UPDATE entries SET text = replace(text, 'first', 'First') "
    "WHERE sequence = 3",
    "a hash": "UPDATE entries SET hash = 'x' || substr(hash, 2) WHERE sequence = 5",
    "no JSON": "UPDATE entries SET text = '{' WHERE sequence = 3",
    "spaces": "UPDATE entries SET text = replace(text, ':', ': ') WHERE sequence = 3",
    "an entry deleted": "DELETE FROM entries WHERE sequence = 5",
    "the first deleted": "DELETE FROM entries WHERE sequence = 1",
    "the newest deleted": "DELETE FROM entries WHERE sequence = 6",
    "all deleted": "DELETE FROM entries",
    "two exchanged": "UPDATE entries SET text = (SELECT text FROM entries WHERE sequence = 6) "
    "WHERE sequence = 5",
    "an entry twice": "INSERT INTO entries SELECT 7, text, hash, NULL FROM entries "
    "WHERE sequence = 6",
    "numbers moved": "UPDATE entries SET sequence = sequence + 10",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_ledger_is_not_opened(durable: Durable, edit: str) -> None:
    used(durable).close()
    durable.execute(EDITS[edit])
    with pytest.raises(LedgerTamperedError, match="restore it from a copy that does"):
        durable.open()


@pytest.mark.parametrize("edit", EDITS)
def test_a_ledger_edited_under_a_process_does_not_verify(durable: Durable, edit: str) -> None:
    ledger = used(durable)
    durable.execute(EDITS[edit])
    with pytest.raises(LedgerTamperedError):
        ledger.verify()


@pytest.mark.parametrize("edit", ["the newest deleted", "all deleted", "an entry twice"])
def test_a_process_does_not_spend_on_when_what_it_read_is_gone(durable: Durable, edit: str) -> None:
    ledger = used(durable)
    durable.execute(EDITS[edit])
    for _ in range(2):
        with pytest.raises(LedgerTamperedError):
            pay(ledger, "ada")


@pytest.mark.parametrize("change", ["attachment = NULL", "attachment = CAST(hash AS BLOB)"])
def test_an_edited_answer_is_never_given(durable: Durable, change: str) -> None:
    ledger = used(durable)
    change = change if isinstance(durable, InFile) else change.replace("BLOB", "bytea")
    durable.execute(f"UPDATE entries SET {change} WHERE sequence = 4")
    with pytest.raises(LedgerTamperedError, match="answer of entry 4 is gone or changed"):
        ledger.answer("how many?")
    with pytest.raises(LedgerTamperedError, match="answer of entry 4"):
        durable.open().verify()


def rewrite(place: Durable, count: int) -> None:
    """A chain whose hashes are all right, of another history."""
    head = entries.GENESIS
    place.execute("DELETE FROM entries")
    for number in range(count):
        body = {
            "account": f"account {number}",
            "budget": {"pure": {"epsilon": "9"}},
            "parent": None,
        }
        record = Entry.after(head, entries.Kind.OPEN, body).record
        place.execute(
            "INSERT INTO entries (sequence, text, hash) "
            f"VALUES ({record.sequence}, '{record.text}', '{record.hash}')"
        )
        head = Head(record.sequence, record.hash)


@pytest.mark.parametrize("count", [3, 6, 9])
def test_a_chain_that_was_computed_anew_is_not_the_one_that_is_anchored(
    durable: Durable, count: int
) -> None:
    used(durable).close()
    rewrite(durable, count)
    with pytest.raises(LedgerTamperedError, match="does not hold entry 6 of its anchor"):
        durable.open()


@pytest.mark.parametrize(
    "forged",
    [
        {"kind": "spend", "body": {"id": "x", "accounts": ["ada", "visits"], "what": {}}},
        {
            "kind": "spend",
            "body": {"id": "x", "accounts": ["ada"], "certificates": {"pure": {"epsilon": "0"}}},
        },
        {"kind": "spend", "body": {"id": "x", "accounts": [], "certificates": {}}},
        {
            "kind": "spend",
            "body": {
                "id": "x",
                "accounts": ["visits"],
                "certificates": {"pure": {"epsilon": "0.8"}},
            },
        },
        {
            "kind": "spend",
            "body": {
                "id": "x",
                "accounts": ["visits"],
                "certificates": {"pure": {"epsilon": "-1"}},
            },
        },
        {"kind": "spend", "body": {"id": "x", "accounts": "visits", "certificates": {}}},
        {"kind": "grant", "body": {"account": "ada", "budget": {"pure": {"epsilon": "0.5"}}}},
        {"kind": "grant", "body": {"account": "ada", "budget": {"gaussian": {"mu_squared": "5"}}}},
        {"kind": "grant", "body": {"account": "ada", "budget": {}}},
        {"kind": "lower", "body": {"account": "ada", "budget": {"pure": {"epsilon": "50"}}}},
        {"kind": "lower", "body": {"account": "ada", "budget": {"gaussian": {"mu_squared": "0"}}}},
        {"kind": "lower", "body": {"account": "eve", "budget": {"pure": {"epsilon": "0"}}}},
        {"kind": "grant", "body": {"account": "ada", "budget": {"pure": {"rho": "2"}}}},
        {
            "kind": "open",
            "body": {"account": "ada", "budget": {"pure": {"epsilon": "5"}}, "parent": None},
        },
        {
            "kind": "open",
            "body": {"account": "bob", "budget": {"pure": {"epsilon": "5"}}, "parent": "eve"},
        },
        {
            "kind": "open",
            "body": {"account": 5, "budget": {"pure": {"epsilon": "5"}}, "parent": None},
        },
        {"kind": "answer", "body": {"spend": "none", "key": "k", "digest": "d"}},
        {"kind": "revoke", "body": {"account": "eve"}},
        {"kind": "refund", "body": {"account": "ada"}},
        {"kind": "revoke", "body": []},
        {"kind": "revoke", "body": None},
    ],
    ids=str,
)
def test_a_well_bound_entry_that_breaks_a_rule_is_refused(in_file: InFile, forged: dict) -> None:
    ledger = used(in_file)
    head = ledger.verify().head
    text = json.dumps(
        {**forged, "sequence": 7, "time": "2026-11-20T12:00:00Z"},
        sort_keys=True,
        separators=(",", ":"),
    )
    bound = entries.digest(f"{head.hash}\n{text}".encode())
    with closing(sqlite3.connect(in_file.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO entries VALUES (7, ?, ?, NULL)", [text, bound])
    with pytest.raises(LedgerTamperedError, match="entry 7"):
        pay(ledger, "ada")
    with pytest.raises(LedgerTamperedError, match="entry 7"):
        in_file.open()


def test_a_restored_old_copy_is_refused_by_new_and_running_processes(
    in_file: InFile, tmp_path: Path
) -> None:
    ledger = used(in_file)
    backup = tmp_path / "backup"
    backup.mkdir()
    ledger.close()
    shutil.copy(in_file.path, backup / "old.db")
    pay(ledger, "ada")
    (backup / "old.db").replace(in_file.path)
    for suffix in ("-wal", "-shm"):
        in_file.path.with_name(in_file.path.name + suffix).unlink(missing_ok=True)
    with pytest.raises(LedgerTamperedError):
        pay(ledger, "ada")
    with pytest.raises(LedgerTamperedError, match="does not hold entry 7 of its anchor"):
        in_file.open()


def test_a_deleted_file_is_not_taken_for_a_new_ledger(in_file: InFile) -> None:
    ledger = used(in_file)
    for path in in_file.path.parent.glob("ledger.db*"):
        if path != in_file.anchor:
            path.unlink()
    with pytest.raises(LedgerTamperedError):
        pay(ledger, "ada")
    with pytest.raises(LedgerTamperedError, match="does not hold entry 6"):
        in_file.open()


def test_a_copied_ledger_is_refused_where_it_has_no_anchor(in_file: InFile, tmp_path: Path) -> None:
    used(in_file).close()
    shutil.copy(in_file.path, tmp_path / "copy.db")
    with pytest.raises(LedgerTamperedError, match=r"6 entries and no anchor .*FileAnchor"):
        Ledger.in_file(tmp_path / "copy.db")


def test_a_missing_anchor_is_refused_until_somebody_places_one(durable: Durable) -> None:
    ledger = used(durable)
    head = ledger.verify().head
    durable.anchor.unlink()
    with pytest.raises(LedgerTamperedError, match="no anchor"):
        pay(ledger, "ada")
    with pytest.raises(LedgerTamperedError, match="no anchor"):
        durable.open()
    FileAnchor(durable.anchor).advance(head)
    pay(ledger, "ada")
    pay(durable.open(), "ada")


@pytest.mark.parametrize(
    "text", ["", "{", '{"sequence": 6}', '{"sequence": "6", "hash": "a"}', "[]", "\udcff", "6"]
)
def test_a_torn_anchor_is_refused(durable: Durable, text: str) -> None:
    ledger = used(durable)
    durable.anchor.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(LedgerTamperedError, match="is not one"):
        pay(ledger, "ada")
    with pytest.raises(LedgerTamperedError, match="is not one"):
        durable.open()


def test_an_anchor_that_goes_back_is_noticed(durable: Durable) -> None:
    ledger = used(durable)
    old = durable.anchor.read_text()
    pay(ledger, "ada")
    ledger.account("ada")
    durable.anchor.write_text(old)
    with pytest.raises(LedgerTamperedError, match="its anchor went back"):
        pay(ledger, "ada")


def test_an_anchor_is_never_set_back(tmp_path: Path) -> None:
    anchor = FileAnchor(tmp_path / "anchor")
    assert anchor.newest() is None
    anchor.advance(Head(5, "five"))
    anchor.advance(Head(4, "four"))
    anchor.advance(Head(5, "other"))
    assert anchor.newest() == Head(5, "five")
    anchor.advance(Head(6, "six"))
    assert FileAnchor(tmp_path / "anchor").newest() == Head(6, "six")


def test_an_anchor_behind_the_chain_is_a_true_one(durable: Durable) -> None:
    """A process that was killed between its commit and its anchor leaves such a one."""
    ledger = used(durable)
    old = durable.anchor.read_text()
    pay(ledger, "ada")
    durable.anchor.write_text(old)
    again = durable.open()
    pay(again, "ada")
    assert json.loads(durable.anchor.read_text())["sequence"] == 8


@pytest.mark.parametrize("lost", [1, 100, 4096])
def test_a_torn_last_record_is_refused(in_file: InFile, tmp_path: Path, lost: int) -> None:
    """The log ends in the middle of the last commit, though the anchor was written after it."""
    ledger = used(in_file)
    there = InFile(tmp_path / "torn")
    there.path.parent.mkdir()
    for path in (in_file.path, in_file.path.with_name("ledger.db-wal"), in_file.anchor):
        shutil.copy(path, there.path.parent / path.name)
    log = there.path.with_name("ledger.db-wal")
    assert log.stat().st_size > 4096
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - lost)
    with pytest.raises(LedgerTamperedError, match="does not hold entry 6 of its anchor"):
        there.open()
    ledger.close()


@pytest.mark.parametrize("kept", [10, 100, 4096, 5000])
def test_a_torn_file_is_refused(in_file: InFile, kept: int) -> None:
    used(in_file).close()
    with in_file.path.open("r+b") as file:
        file.truncate(kept)
    with pytest.raises((LedgerTamperedError, LedgerUnavailableError)):
        in_file.open().verify()


def test_a_file_of_something_else_is_refused(in_file: InFile) -> None:
    in_file.path.write_text("ward,cost\nnorth,12\n" * 100)
    with pytest.raises(LedgerTamperedError, match="not a database"):
        in_file.open()


@pytest.mark.parametrize(
    "trap",
    [
        "CREATE TRIGGER trap BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER trap AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
        "CREATE TABLE more (x)",
    ],
)
def test_a_trap_in_the_file_is_refused(in_file: InFile, trap: str) -> None:
    used(in_file).close()
    in_file.execute(trap)
    with pytest.raises(LedgerTamperedError, match="its one table"):
        in_file.open()


def test_a_trap_on_the_server_is_refused(on_server: Durable) -> None:
    used(on_server).close()
    on_server.execute("CREATE RULE trap AS ON INSERT TO entries DO INSTEAD NOTHING")
    with pytest.raises(LedgerTamperedError, match="rules, triggers or policies"):
        on_server.open()


def test_a_clock_set_back_changes_nothing(
    durable: Durable, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = used(durable)
    before = ledger.account("ada")
    monkeypatch.setattr(entries, "now", lambda: "1999-01-01T00:00:00Z")
    pay(ledger, "ada")
    monkeypatch.setattr(entries, "now", lambda: "2999-01-01T00:00:00Z")
    pay(ledger, "ada")
    again = durable.open()
    assert again.account("ada").spent == before.spent + PureLoss("0.2")
    assert [entry.sequence for entry in again.statement().entries] == list(range(1, 9))
    again.verify()


def test_a_ledger_that_was_mended_is_used_on(in_file: InFile) -> None:
    ledger = used(in_file)
    in_file.execute("UPDATE entries SET sequence = 60 WHERE sequence = 6")
    with pytest.raises(LedgerTamperedError):
        pay(ledger, "ada")
    in_file.execute("UPDATE entries SET sequence = 6 WHERE sequence = 60")
    pay(ledger, "ada")
    ledger.verify()


def test_a_chain_that_is_not_held_against_its_anchor_is_caught(in_file: InFile) -> None:
    """The planted bug: without the anchor's check an old copy would pass."""
    used(in_file).close()
    in_file.execute("DELETE FROM entries WHERE sequence = 6")
    careless = Ledger(in_file.store(), NoAnchor())
    assert careless.verify().entries == 5
    with pytest.raises(LedgerTamperedError):
        in_file.open()


def test_entries_that_are_not_held_against_their_hashes_are_caught(
    in_file: InFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted bug: a hash that does not cover the text lets an edit pass."""
    monkeypatch.setattr(entries, "_bound", lambda head, _: f"{head.hash}."[-64:])
    used(in_file).close()
    in_file.execute(EDITS["a note in an entry"])
    in_file.open().verify()
