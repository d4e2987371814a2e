"""Mistakes in the ledger, and at the door that pays from it."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_RECORDS"]

ACCOUNTS = "tests/ledger/test_accounts.py"
TAMPERING = "tests/ledger/test_tampering_is_noticed.py"
CERTIFICATES = "tests/ledger/test_certificates.py"
DOOR = "tests/release/test_the_door.py"
RACES = "tests/ledger/test_races.py"
KEYS = "tests/plans/test_keys_of_plans.py"
EXPORT = "tests/ledger/test_export.py"
BREAKING = "tests/ledger/test_what_breaks_refuses_cleanly.py"

OF_RECORDS = (
    Mutant(
        "data are read before they are paid for",
        "release/door.py",
        """            receipt = self._spend(plan, [*payers.tables, payers.own], payers)
            sealed = _sealed(payers.buyer, self._noisy(plan))
""",
        """            sealed = _sealed(payers.buyer, self._noisy(plan))
            receipt = self._spend(plan, [*payers.tables, payers.own], payers)
""",
        (f"{DOOR}::test_the_spend_stands_in_the_ledger_when_data_is_read",),
    ),
    Mutant(
        "an answer is shown and not kept",
        "release/door.py",
        "first = self.ledger.record_answer(receipt, key, sealed)",
        "first = sealed",
        (f"{DOOR}::test_the_same_question_is_answered_with_the_same_bytes_for_nothing",),
    ),
    Mutant(
        "a repeat has fresh noise",
        "release/door.py",
        "if kept is not None:\n                return self._shared(kept, key, plan, payers)",
        "if kept is not None and _buyer(kept[1]) != payers.buyer:\n"
        "                return self._shared(kept, key, plan, payers)",
        (f"{DOOR}::test_averaging_the_same_question_teaches_nothing",),
    ),
    Mutant(
        "what fails after payment is given back",
        "release/door.py",
        "            sealed = _sealed(payers.buyer, self._noisy(plan))\n",
        """            try:
                sealed = _sealed(payers.buyer, self._noisy(plan))
            except SourceError:
                for name in (*payers.tables, payers.own):
                    budget = self.ledger.account(name).budget
                    spent = Certificates(*plan.losses).for_budget(budget)
                    self.ledger.grant(name, budget + spent)
                raise
""",
        (f"{DOOR}::test_what_fails_after_payment_stays_paid_and_says_nothing",),
    ),
    Mutant(
        "other data have the answer of those before",
        "release/door.py",
        'text = f"{data} {plan.key}"',
        "text = plan.key",
        (f"{DOOR}::test_other_data_and_another_price_are_other_questions",),
    ),
    Mutant(
        "data that change while they are read are answered",
        "release/door.py",
        "if data() != version:",
        "if not version:",
        (f"{DOOR}::test_data_that_change_while_they_are_read_are_not_answered",),
    ),
    Mutant(
        "another analyst has an answer that they did not pay for",
        "release/door.py",
        "if _buyer(kept[1]) == payers.buyer:\n            return _opened",
        "if _buyer(kept[1]):\n            return _opened",
        (f"{DOOR}::test_another_analyst_pays_of_their_own_and_the_table_pays_once",),
    ),
    Mutant(
        "the price is no part of a question",
        "queries/plan.py",
        "return hashlib.sha256(repr((what, noise)).encode()).hexdigest()",
        "return hashlib.sha256(repr((what, len(noise))).encode()).hexdigest()",
        (
            f"{DOOR}::test_other_data_and_another_price_are_other_questions",
            f"{KEYS}::test_another_price_is_another_question",
        ),
    ),
    Mutant(
        "threads that ask the same do not take turns",
        "ledger/turns.py",
        "        with mine:\n            yield",
        "        yield",
        (f"{DOOR}::test_threads_with_one_question_get_one_answer_and_pay_once",),
    ),
    Mutant(
        "an entry is not held against its hash",
        "ledger/entries.py",
        "bound = _bound(head, record.text) == record.hash",
        "bound = bool(record.hash)",
        (f"{TAMPERING}::test_an_edited_ledger_is_not_opened",),
    ),
    Mutant(
        "an entry is bound to nothing before it",
        "ledger/entries.py",
        'return digest(f"{head.hash}\\n{text}".encode())',
        "return digest(text.encode())",
        (f"{EXPORT}::test_the_lines_can_be_verified_with_nothing_of_ours",),
    ),
    Mutant(
        "an answer is not held against its digest",
        "ledger/ledger.py",
        "if data is None or digest(data) != answer.digest:",
        "if data is None:",
        (f"{TAMPERING}::test_an_edited_answer_is_never_given",),
    ),
    Mutant(
        "an answer needs no spend",
        "ledger/ledger.py",
        "if receipt.id not in state.spends or self._receipt(state, receipt.id) != receipt:",
        "if not receipt.id:",
        (f"{ACCOUNTS}::test_no_answer_is_recorded_that_this_ledger_was_not_paid_for",),
    ),
    Mutant(
        "an account that is charged is not asked for what it has left",
        "ledger/ledger.py",
        "                account.admit(loss)\n",
        "                account.after(loss)\n",
        (f"{ACCOUNTS}::test_an_account_grants_as_long_as_its_filter_admits_and_not_once_more",),
    ),
    Mutant(
        "an entry that passes a budget is followed",
        "ledger/replay.py",
        "if account.revoked or not after.spent.within(account.budget):",
        "if account.revoked:",
        (f"{TAMPERING}::test_a_well_bound_entry_that_breaks_a_rule_is_refused",),
    ),
    Mutant(
        "accounts above are not charged",
        "ledger/replay.py",
        "above = found[above].parent",
        "above = None",
        (f"{ACCOUNTS}::test_all_named_accounts_and_all_above_are_charged_once_or_none",),
    ),
    Mutant(
        "the anchor is ignored",
        "ledger/chain.py",
        "if not self._state.holds(anchored):",
        "if anchored.sequence < 0:",
        (f"{TAMPERING}::test_a_restored_old_copy_is_refused_by_new_and_running_processes",),
    ),
    Mutant(
        "a missing anchor is made anew",
        "ledger/chain.py",
        """            anchored = self._anchor.newest()
            self._follow_what_came(after)
        if anchored is None""",
        """            self._anchor.advance(self._state.head)
            anchored = self._anchor.newest()
        if anchored is None""",
        (f"{TAMPERING}::test_a_missing_anchor_is_refused_until_somebody_places_one",),
    ),
    Mutant(
        "an anchor may be set back",
        "ledger/anchor.py",
        "if newest is not None and newest.sequence >= head.sequence:",
        "if newest is not None and newest.sequence == head.sequence:",
        (f"{TAMPERING}::test_an_anchor_is_never_set_back",),
    ),
    Mutant(
        "a commit does not wait for the disk",
        "ledger/sqlite.py",
        'connection.execute("PRAGMA synchronous = FULL")',
        'connection.execute("PRAGMA synchronous = OFF")',
        (f"{BREAKING}::test_a_commit_is_asked_to_be_on_disk",),
    ),
    Mutant(
        "two writers decide on the same state",
        "ledger/sqlite.py",
        'begin = "BEGIN IMMEDIATE"',
        'begin = "BEGIN DEFERRED"',
        (f"{RACES}::test_32_processes_at_once_are_granted_exactly_what_the_budget_holds",),
    ),
    Mutant(
        "a lowered budget is ignored",
        "ledger/accounts.py",
        "        return replace(self, budget=budget)\n",
        "        return replace(self, opened=budget)\n",
        (f"{ACCOUNTS}::test_a_lowered_account_grants_as_much_as_one_that_was_opened_so",),
    ),
    Mutant(
        "a chance that is left open is no part of a rho's certificate",
        "ledger/certificates.py",
        "return ConcentratedLoss(loss.epsilon**2 / 2, loss.delta)",
        "return ConcentratedLoss(loss.epsilon**2 / 2)",
        (f"{CERTIFICATES}::test_the_rho_of_an_approximate_loss_is_never_below_its_worst_release",),
    ),
)
