"""One budget: what was spent, durably, by whom and from which accounts, and what was answered."""

from differential_privacy.ledger.accounts import Account
from differential_privacy.ledger.anchor import Anchor, FileAnchor, NoAnchor
from differential_privacy.ledger.certificates import Certificates, approximate_to_concentrated
from differential_privacy.ledger.databases import DatabaseStore
from differential_privacy.ledger.entries import Entry, Head, Kind, Record
from differential_privacy.ledger.export import csv_table, json_lines
from differential_privacy.ledger.ledger import Ledger, Receipt
from differential_privacy.ledger.measures import as_json, from_json
from differential_privacy.ledger.memory import MemoryStore
from differential_privacy.ledger.parts import Parts
from differential_privacy.ledger.postgres import PostgresServer
from differential_privacy.ledger.sqlite import SQLiteFile
from differential_privacy.ledger.statement import Statement, Verification
from differential_privacy.ledger.store import Store, Transaction

__all__ = [
    "Account",
    "Anchor",
    "Certificates",
    "DatabaseStore",
    "Entry",
    "FileAnchor",
    "Head",
    "Kind",
    "Ledger",
    "MemoryStore",
    "NoAnchor",
    "Parts",
    "PostgresServer",
    "Receipt",
    "Record",
    "SQLiteFile",
    "Statement",
    "Store",
    "Transaction",
    "Verification",
    "approximate_to_concentrated",
    "as_json",
    "csv_table",
    "from_json",
    "json_lines",
]
