"""A ledger from which the last entry was taken away: whether its anchor notices.

Rule 1: what is cut is a copy; the ledger itself is only read.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from differential_privacy.audit.installation import BAD, FINE, MISSING, Finding
from differential_privacy.curator import Policy
from differential_privacy.curator.opening import ledger_file
from differential_privacy.errors import LedgerTamperedError
from differential_privacy.ledger import Ledger

__all__ = ["rolled_back"]

SUBJECT = "rollback"
CUT = "DELETE FROM entries WHERE sequence = (SELECT MAX(sequence) FROM entries)"


def rolled_back(policy: Policy) -> Finding:
    """Cuts the last entry off a copy of the ledger, and opens it with the anchor as it is."""
    file = ledger_file(policy)
    if file is None or not file.exists():
        return Finding(SUBJECT, MISSING, "there is no ledger in a file yet")
    anchor = policy.ledger.anchor or Path(f"{file}.anchor")
    with TemporaryDirectory() as folder:
        copy, held = Path(folder) / "ledger.db", Path(folder) / "anchor"
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            target.execute(CUT)
            target.commit()
        if anchor.exists():
            shutil.copy(anchor, held)
        try:
            Ledger.in_file(copy, anchor=held).verify()
        except LedgerTamperedError:
            return Finding(SUBJECT, FINE, "a copy without its last entry is refused")
    return Finding(SUBJECT, BAD, "a copy without its last entry is taken for whole: no anchor held")
