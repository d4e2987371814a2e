"""Mistakes in what a question may ask, in what one person moves, and in the noise for that."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_QUESTIONS"]

OWNERS = "tests/queries/test_every_row_has_one_owner.py"
NARROW = "tests/queries/test_where_narrows_what_is_public.py"
ONE = "tests/plans/test_one_person_moves_no_more_than_claimed.py"
PRICES = "tests/plans/test_what_a_plan_costs.py"
RIGHT = "tests/release/test_answers_are_right.py"
ON_ROWS = "tests/hostile/test_attacks_on_rows.py"
LEFT = "tests/queries/test_groups_are_those_that_a_question_leaves.py"
PLANTED = "tests/plans/test_planted_mistakes_are_caught.py"
MEANT = "tests/queries/test_expressions_mean_what_duckdb_means.py"
GATE = "tests/queries/test_the_gate.py"
TWICE = "select * from (select * from visits union all select * from visits) as t"
MOST = f"{OWNERS}::test_one_person_has_so_many_rows_at_the_most_and_may_have_them"
NO_MORE = f"{PLANTED}::test_the_law_holds_without"

OF_QUESTIONS = (
    Mutant(
        "groups of a person are not bounded",
        "queries/bounding.py",
        "            conditions.append(call(Op.AT_MOST, Name(RANKED, GROUP), self.groups))\n",
        "            conditions += []\n",
        (f"{NO_MORE}[no bound on groups]",),
    ),
    Mutant(
        "rows of a person in a group are not bounded",
        "queries/bounding.py",
        "conditions = [call(Op.AT_MOST, Name(RANKED, ROW), self._in_each(listed.asked))]",
        "conditions = [call(Op.AT_MOST, 1, Name(RANKED, ROW))]",
        (f"{NO_MORE}[no bound on the rows of a group]",),
    ),
    Mutant(
        "weights are rounded up",
        "queries/bounding.py",
        "share = call(Op.QUOTIENT, WEIGHT * self.total, Name(RANKED, ROW))",
        "share = call(Op.ADD, call(Op.QUOTIENT, WEIGHT * self.total, Name(RANKED, ROW)), 1)",
        (f"{NO_MORE}[weights are rounded up]",),
    ),
    Mutant(
        "rows that a join makes are believed and not counted off",
        "queries/bounding.py",
        "return Kept(Derived(counted, RANKED), kept)",
        "return Kept(Derived(counted, RANKED))",
        (f"{ON_ROWS}::test_18_a_foreign_key_that_names_several_rows_multiplies_none",),
    ),
    Mutant(
        "squares of rows are the rows",
        "queries/bounding.py",
        "return Reach(self.most, self.most**2, _least(self.most, groups))",
        "return Reach(self.most, self.most, _least(self.most, groups))",
        (f"{NO_MORE}[a row more is kept of each person]",),
    ),
    Mutant(
        "rows in one group are not squared",
        "queries/bounding.py",
        "return Reach(total, min(many * rows * rows, total * rows), many)",
        "return Reach(total, min(many * rows, total * rows), many)",
        (f"{NO_MORE}[a group counts as one row however many rows it may have]",),
    ),
    Mutant(
        "all of a person's rows are believed to be in one group",
        "queries/bounding.py",
        "many = _least(self.groups, asked.most_groups)",
        "many = 1",
        (f"{NO_MORE}[people in found groups are counted as in one group each]",),
    ),
    Mutant(
        "a person is counted once for each row",
        "queries/exactly.py",
        "if not self.owned or self.kept.alone:",
        "if self.kept.relation is not None:",
        (f"{NO_MORE}[people are counted once for each of their rows]",),
    ),
    Mutant(
        "NULL counts as a value",
        "queries/aggregates.py",
        "return Exact(Way.COUNT, value.tree) if value.nullable else Exact(Way.ROWS)",
        "return Exact(Way.ROWS)",
        (f"{NO_MORE}[NULL counts as a value]",),
    ),
    Mutant(
        "FILTER is ignored",
        "queries/aggregates.py",
        "    if condition == TRUE:\n        return value\n",
        "    if condition is not None:\n        return value\n",
        (f"{RIGHT}::test_aggregates_are_those_of_plain_sql",),
    ),
    Mutant(
        "a sum needs no range",
        "queries/aggregates.py",
        "    if kind.declared:\n        return\n",
        "    if kind is not None:\n        return\n",
        ("tests/curator/test_ranges_and_losses.py::test_a_bought_range_makes_a_sum_possible",),
    ),
    Mutant(
        "a square is taken for its root",
        "queries/blocks.py",
        "return max(-(-self.reach // self.coarse), 1) ** 2",
        "return max(-(-self.reach // self.coarse), 1)",
        (f"{NO_MORE}[a square is taken for its root]",),
    ),
    Mutant(
        "the lower corner is forgotten in the price",
        "queries/blocks.py",
        "self._add((above, below), width, 2 * (counted + one.summed))",
        "self._add((above, below), width // 2, 2 * (counted + one.summed))",
        (f"{NO_MORE}[the lower corner is forgotten in the price]",),
    ),
    Mutant(
        "a join that multiplies rows is taken for one that does not",
        "queries/owning.py",
        "frame.multiplied = bool(several)",
        "frame.multiplied = False",
        (f"{NO_MORE}[a join that multiplies rows is taken for one that does not]",),
    ),
    Mutant(
        "a join has the rows of one of its tables",
        "queries/owning.py",
        "            total *= max(bound.most, 1)\n",
        "            total = max(total, bound.most)\n",
        (f"{MOST}[select * from visits v join bills b on v.person = b.payer-6]",),
    ),
    Mutant(
        "the engine does not compare owners",
        "queries/owning.py",
        "frame.joins[place] = replace(join, on=all_of(same, join.on))",
        "frame.joins[place] = replace(join, on=all_of(join.on, join.on))",
        (f"{ONE}::test_a_key_that_names_rows_of_several_people_leads_to_each_ones_own",),
    ),
    Mutant(
        "private tables may be joined on anything",
        "queries/owning.py",
        "    if rest:\n        found = [how_linked",
        "    if not reached:\n        found = [how_linked",
        (f"{OWNERS}::test_what_breaks_ownership_is_refused",),
    ),
    Mutant(
        "a join may keep rows of nobody",
        "queries/owning.py",
        "if first.alias in frame.outer:",
        "if not first.alias:",
        (f"{OWNERS}::test_what_breaks_ownership_is_refused",),
    ),
    Mutant(
        "other people's rows decide in EXISTS",
        "queries/scope.py",
        "if not same or not any(linked(inner.where, one, other) for one, other in pairs):",
        "if not same:",
        (f"{OWNERS}::test_what_breaks_ownership_is_refused",),
    ),
    Mutant(
        "the two sides of UNION ALL have the rows of one",
        "queries/unions.py",
        "None if one.most is None or other.most is None else one.most + other.most",
        "None if one.most is None or other.most is None else max(one.most, other.most)",
        (f"{MOST}[{TWICE}-4]",),
    ),
    Mutant(
        "groups of a subquery are told apart by some of its keys",
        "queries/subqueries.py",
        """    if by is None or not all(tree in names for tree in by):
        return None
    return frozenset(names[tree].column for tree in by)""",
        """    if by is None:
        return None
    return frozenset(names[tree].column for tree in by if tree in names)""",
        (
            f"{OWNERS}::test_a_group_is_one_row_for_what_it_is_grouped_by",
            f"{OWNERS}::test_what_should_be_accepted_is_and_keeps_the_law",
        ),
    ),
    Mutant(
        "a subquery of public rows is one row",
        "queries/owning.py",
        "return bound.table is not None and bool(columns) and sources.unique(bound.table, columns)",
        "return bound.table is None or (bool(columns) and sources.unique(bound.table, columns))",
        (f"{OWNERS}::test_a_group_is_one_row_for_what_it_is_grouped_by",),
    ),
    Mutant(
        "a subquery groups by its keys and not by people",
        "queries/grouping.py",
        "            self._by.append(frame.owner)\n",
        "            self._by += []\n",
        (f"{OWNERS}::test_what_should_be_accepted_is_and_keeps_the_law",),
    ),
    Mutant(
        "WHERE narrows a range by one too many",
        "queries/conditions.py",
        "return -math.inf, at - (op is Op.LESS)",
        "return -math.inf, at - 1",
        (f"{NARROW}::test_a_range_is_as_narrow_as_where_makes_it",),
    ),
    Mutant(
        "of two conditions one alone narrows a range",
        "queries/conditions.py",
        "return min(lows), max(highs)",
        "return max(lows), min(highs)",
        (f"{NARROW}::test_every_column_that_is_left_keeps_what_is_promised",),
    ),
    Mutant(
        "what is summed is not held to the range that WHERE leaves",
        "queries/narrowing.py",
        "return replace(near, tree=choose(tuple(ends), wide.tree))",
        "return replace(near, tree=wide.tree)",
        (f"{NARROW}::test_every_row_that_is_left_keeps_what_is_promised",),
    ),
    Mutant(
        "a quotient by nothing is what was divided",
        "queries/arithmetic.py",
        "    if by == 0:\n        return null(a)\n",
        "    if by == 0:\n        return one\n",
        (f"{MEANT}::test_what_fails_in_each_row_is_null_in_each",),
    ),
    Mutant(
        "a node of SQL that nobody thought of passes",
        "queries/listed.py",
        '    sql.Not: ("this",),\n',
        '    sql.Not: ("this",),\n    sql.RegexpLike: (*TWO, "flag"),\n',
        (f"{GATE}::test_what_is_not_listed_is_refused",),
    ),
    Mutant(
        "shares of a price add up to more",
        "queries/pricing.py",
        "shares[shares.index(max(shares))] += 1 - sum(shares)",
        "shares[shares.index(max(shares))] += Fraction(1, PIECES)",
        (f"{PRICES}::test_shares_are_parts_of_one_however_little_some_matter",),
    ),
    Mutant(
        "Laplace noise is one percent too little",
        "queries/pricing.py",
        "return Geometric(rows * block.row_l1 / part), variance",
        "return Geometric(rows * block.row_l1 / part * Fraction(99, 100)), variance",
        (f"{PRICES}::test_the_parts_of_a_plan_cost_its_price",),
    ),
    Mutant(
        "Gaussian noise is for lengths and not for their squares",
        "queries/pricing.py",
        "return DiscreteGaussian(squares * block.row_squared / (2 * part)), variance",
        "return DiscreteGaussian(squares * block.row_l1 / (2 * part)), variance",
        (f"{PRICES}::test_the_parts_of_a_plan_cost_its_price",),
    ),
    Mutant(
        "groups are found as if each person were in one",
        "queries/pricing.py",
        "share = ApproximateLoss(min(part, most), self.delta)\n"
        "        return partition_selection(share, groups=_groups(reach))",
        "share = ApproximateLoss(min(part, most), self.delta)\n"
        "        return partition_selection(share, groups=1)",
        (f"{PRICES}::test_the_parts_of_a_plan_cost_its_price",),
    ),
    Mutant(
        "finding the groups needs no delta",
        "queries/pricing.py",
        "if unknown and not price.delta:",
        "if unknown and not price:",
        (f"{PRICES}::test_groups_that_must_be_found_need_a_delta",),
    ),
)
