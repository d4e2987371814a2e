"""Mistakes in answers, in who pays for them, in what is said, and in the audit of all this."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_ANSWERS"]

DOOR = "tests/release/test_the_door.py"
BARS = "tests/release/test_error_bars_of_answers.py"
ANALYST = "tests/hostile/test_hostile_analyst.py"
PAYING = "tests/curator/test_who_pays.py"
KNOWN = "tests/curator/test_what_is_known_again.py"
REPLAY = "tests/audit/test_replay.py"
RIGHT = "tests/release/test_answers_are_right.py"
ON_ROWS = "tests/hostile/test_attacks_on_rows.py"
NOTES = "tests/hostile/test_attacks_of_the_notes.py"
RATIOS = "tests/release/test_ratio_intervals.py"
OWNERS_TOLD = "tests/curator/test_owners_that_others_tell.py"
LOWERED = "tests/curator/test_lowered_budgets.py"
SAME = "tests/curator/test_same_data.py"
FREE = "tests/hostile/test_attacks_on_what_is_free.py"
PRICED = "tests/curator/test_prices.py"
PRIVATE = "tests/cli/test_nothing_private.py"
ODDS = "tests/audit/test_odds.py"

OF_ANSWERS = (
    Mutant(
        "public groups without people are not shown",
        "release/door.py",
        "return list(plan.asked.groups or ())",
        "return [group for group in plan.asked.groups or () if group in exact]",
        (f"{RIGHT}::test_an_empty_table_has_every_public_group_and_no_other",),
    ),
    Mutant(
        "a group of one is left out before noise",
        "release/door.py",
        "exact = {_group(row, width): row[width:] for row in rows}",
        "exact = {_group(row, width): row[width:] for row in rows if _whole(row[-1]) > 1}",
        (f"{RIGHT}::test_groups_are_those_of_plain_sql",),
    ),
    Mutant(
        "found groups come in the order of the engine",
        "release/door.py",
        "groups = sorted(exact, key=_sorted)",
        "groups = list(exact)",
        (f"{DOOR}::test_found_groups_come_in_the_order_of_their_keys",),
    ),
    Mutant(
        "every group that is there is found",
        "release/door.py",
        "strict=True) if keep]",
        "strict=True) if keep or group]",
        (f"{ANALYST}::test_is_answered_as_if_nobody_mattered[a rare key in HAVING]",),
    ),
    Mutant(
        "sums pass through floats",
        "release/door.py",
        "[sum(times * column[row] for column, times in columns) for row in range(len(found[0]))],",
        "[int(sum(float(times) * column[row] for column, times in columns))"
        " for row in range(len(found[0]))],",
        (
            f"{DOOR}::test_huge_numbers_pass_through_whole",
            f"{NOTES}::test_04_whole_numbers_around_2_to_the_53_are_not_rounded",
        ),
    ),
    Mutant(
        "an answer is not the noisy one",
        "release/door.py",
        "statistics.append(tuple(int(value) for value in np.asarray(noisy)))",
        "statistics.append(tuple(int(value) for value in _statistic(one, found, plan)))",
        (f"{DOOR}::test_forks_draw_noise_of_their_own",),
    ),
    Mutant(
        "an error bar is half as wide",
        "release/values.py",
        "error = blend.error(confidence)",
        "error = blend.error(confidence) / 2",
        (f"{BARS}::test_counts_sums_and_means_are_covered_and_hardly_more",),
    ),
    Mutant(
        "each part of a computed value has the whole confidence",
        "release/values.py",
        "return _told(cells, output, 1 - (1 - confidence) / parts)",
        "return _told(cells, output, confidence if parts else confidence)",
        (f"{BARS}::test_the_largest_of_equal_numbers_is_covered",),
    ),
    Mutant(
        "an interval of a difference is that of a sum",
        "release/values.py",
        "low, high = one.low - two.high, one.high - two.low",
        "low, high = one.low - two.low, one.high - two.high",
        (f"{BARS}::test_what_is_computed_is_covered",),
    ),
    Mutant(
        "an interval of a ratio forgets the noise of the count",
        "release/ratios.py",
        "return at + turn * beside",
        "return at / 2 + turn * beside",
        (f"{RATIOS}::test_an_interval_holds_the_ratio_at_least_as_often_as_stated",),
    ),
    Mutant(
        "parts are told apart though the data changed",
        "curator/accounts.py",
        "if not named or not lineage.unchanged(table, self.bodies):",
        "if not named or not lineage:",
        (f"{KNOWN}::test_parts_are_paid_together_once_the_data_changed",),
    ),
    Mutant(
        "tables that owners are found through do not pay",
        "curator/accounts.py",
        "for one in chain(table, self.policy.tables)[1:]",
        "for one in chain(table, self.policy.tables)[:0]",
        (f"{OWNERS_TOLD}::test_every_table_on_the_way_to_the_owner_pays",),
    ),
    Mutant(
        "the budget of a project is ignored",
        "curator/accounts.py",
        "own = analyst_account(analyst, project)",
        "own = analyst_account(analyst)",
        (f"{PAYING}::test_a_project_pays_from_its_own_and_from_its_analysts_budget",),
    ),
    Mutant(
        "a project is no part of its analyst",
        "curator/accounts.py",
        'yield Stated(f"{key}.projects.{project}.budget", part, budget, parent=name)',
        'yield Stated(f"{key}.projects.{project}.budget", part, budget)',
        (f"{PAYING}::test_a_project_pays_from_its_own_and_from_its_analysts_budget",),
    ),
    Mutant(
        "a budget that the policy lowers stays as it was",
        "curator/accounts.py",
        "        elif granted != stated.budget:\n",
        "        elif granted is None:\n",
        (f"{LOWERED}::test_a_lowered_budget_holds_for_what_is_left_of_it",),
    ),
    Mutant(
        "a policy raises a budget by itself",
        "curator/accounts.py",
        "raise PolicyError(self.policy.file, stated.key, rule)\n\n    def _open",
        "self.ledger.grant(stated.account, stated.budget)\n\n    def _open",
        (f"{PAYING}::test_a_policy_cannot_raise_a_budget_by_itself",),
    ),
    Mutant(
        "an analyst asks any table",
        "curator/session.py",
        "if allowed and name not in allowed:",
        "if allowed and name not in known:",
        (f"{PAYING}::test_an_analyst_asks_only_the_tables_that_are_theirs",),
    ),
    Mutant(
        "a plan outlives the public table that it was made with",
        "curator/session.py",
        "if plan.public != self.catalog.public_versions(plan.asked.read):",
        "if plan.public is None:",
        (f"{SAME}::test_a_plan_is_of_the_public_tables_that_it_was_made_with",),
    ),
    Mutant(
        "a file that was moved has a new budget",
        "curator/lineage.py",
        """            *(f"holds {self._mark(mark)}" for mark in held if mark is not None),\n""",
        """            *(f"holds {self._mark(mark)}" for mark in held if mark is None),\n""",
        (f"{KNOWN}::test_a_moved_file_spends_from_the_same_budget",),
    ),
    Mutant(
        "a delta that nobody states is all of the budget's",
        "curator/budgets.py",
        "shares.append(budget.delta * min(size / budget.epsilon, Fraction(1)))",
        "shares.append(budget.delta)",
        (f"{PRICED}::test_deltas_that_nobody_stated_never_pass_a_budget",),
    ),
    Mutant(
        "an unforeseen error is shown as it is",
        "cli/entry.py",
        'f"a fault of this program, {_place(error)}: please report it"',
        'f"a fault of this program, {error}: please report it"',
        (f"{PRIVATE}::test_a_command_that_showed_a_cell_would_be_caught",),
    ),
    Mutant(
        "the price of a question is not compared in a replay",
        "audit/replay.py",
        '            "price": (spent, world.session.account.spent),\n',
        "",
        (f"{REPLAY}::test_a_price_that_one_world_paid_before_is_seen",),
    ),
    Mutant(
        "errors are not compared in a replay",
        "audit/replay.py",
        '            "error": failed,\n',
        "",
        (f"{REPLAY}::test_an_error_in_other_words_is_seen",),
    ),
    Mutant(
        "a person may move twice what is claimed",
        "audit/distances.py",
        "return self.moved <= self.claimed",
        "return self.moved <= 2 * self.claimed",
        (
            f"{REPLAY}::test_a_planted_mistake_is_seen",
            f"{REPLAY}::test_a_claim_that_is_passed_is_said",
        ),
    ),
    Mutant(
        "each end of an interval misses as often as both may",
        "audit/odds.py",
        "high = _odds(trials - hits, trials, miss / 2)",
        "high = _odds(trials - hits, trials, miss)",
        (f"{ODDS}::test_the_interval_of_a_chance_is_that_of_clopper_and_pearson",),
    ),
)
