"""Mistakes in how rows are read, settled, ranked and kept."""

from tests.mutants.mutant import Mutant

__all__ = ["OF_ROWS"]

STORED = "tests/sources/test_stored_values.py"
FENCES = "tests/sources/test_fences.py"
PREPARING = "tests/sources/test_preparing.py"
RANKS = "tests/sources/test_numbers_that_rank.py"
TIES = "tests/hostile/test_attacks_on_ties.py"
ENGINES = "tests/sources/test_engines_agree.py"
ON_ROWS = "tests/hostile/test_attacks_on_rows.py"
NUMBERS = "tests/sources/test_rows_have_numbers_of_their_own.py"
PLANTED = "tests/plans/test_planted_mistakes_are_caught.py"
MEANT = "tests/queries/test_expressions_mean_what_duckdb_means.py"
WHICH = "tests/plans/test_which_rows_count.py"
PARQUET = "[duckdb parquet]"
NO_MORE = f"{PLANTED}::test_the_law_holds_without"

OF_ROWS = (
    Mutant(
        "rows of nobody are kept",
        "sources/scan.py",
        "return Select(((OWNER, owner),), source, where=negated(call(Op.IS_NULL, owner)))",
        "return Select(((OWNER, owner),), source)",
        (f"{FENCES}::test_a_huge_cell_is_cut_and_names_nobody{PARQUET}",),
    ),
    Mutant(
        "values above the range are not pulled in",
        "sources/normal.py",
        "branches = [(call(Op.LESS, value, ends[0]), low), (call(Op.LESS, ends[1], value), high)]",
        "branches = [(call(Op.LESS, value, ends[0]), low)]",
        (
            f"{NO_MORE}[values beyond the range are not pulled in]",
            f"{STORED}::test_whole_numbers_are_themselves[duckdb]",
        ),
    ),
    Mutant(
        "a text that is no category is kept",
        "sources/normal.py",
        "return Reading(text, lambda read: when(OneOf(read, categories), read, other))",
        "return Reading(text, lambda read: when(call(Op.IS_NULL, read), other, read))",
        (f"{STORED}::test_texts_are_what_they_read_as[duckdb]",),
    ),
    Mutant(
        "two people with long names become one",
        "sources/normal.py",
        "return when(call(Op.AT_MOST, call(Op.LENGTH, text), LONGEST_TEXT), text)",
        "return call(Op.PART, text, 1, LONGEST_TEXT)",
        (f"{FENCES}::test_a_huge_cell_is_cut_and_names_nobody{PARQUET}",),
    ),
    Mutant(
        "people who are wide numbers are told apart by zeros behind the point",
        "sources/normal.py",
        "Physical.WIDE: Op.TEXT_OF_WIDE}",
        "Physical.WIDE: Op.TEXT}",
        (f"{ENGINES}::test_people_who_are_wide_numbers_are_texts_without_needless_zeros{PARQUET}",),
    ),
    Mutant(
        "a quotient goes toward zero",
        "sources/normal.py",
        "return call(Op.QUOTIENT, call(Op.SUBTRACT, value, above), by)",
        "return call(Op.QUOTIENT, value, by)",
        (
            f"{STORED}::test_timestamps_are_seconds_rounded_down[plain-duckdb]",
            f"{MEANT}::test_it_is_the_same",
        ),
    ),
    Mutant(
        "infinity is a number",
        "sources/duck_spelling.py",
        'Op.REAL: "CASE WHEN ISFINITE(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) END"',
        'Op.REAL: "CAST({0} AS DOUBLE)"',
        (f"{STORED}::test_numbers_are_the_nearest_points_of_their_grid[double-duckdb]",),
    ),
    Mutant(
        "which rows are kept is left to the engine",
        "sources/scan.py",
        "return (Name(INNER, HASH), *ties)",
        "return ()",
        (
            f"{ON_ROWS}::test_19_which_rows_are_kept_depends_on_their_person_alone",
            f"{WHICH}::test_the_order_of_rows_does_not_matter",
        ),
    ),
    Mutant(
        "the engine decides among rows that tie",
        "sources/scan.py",
        "return (Name(INNER, HASH), *ties)",
        "return (Name(INNER, HASH),)",
        (TIES,),
    ),
    Mutant(
        "texts are told apart by their length",
        "sources/scan.py",
        "return name if listed else call(Op.DIGEST, name)",
        "return name if listed else call(Op.LENGTH, name)",
        (TIES,),
    ),
    Mutant(
        "people push each other's rows out",
        "sources/scan.py",
        "place = Over(Call(Op.ROW_NUMBER, ()), (Name(INNER, OWNER),), order)",
        "place = Over(Call(Op.ROW_NUMBER, ()), (), order)",
        (f"{ON_ROWS}::test_19_which_rows_are_kept_depends_on_their_person_alone",),
    ),
    Mutant(
        "a row more is kept of each person",
        "sources/scan.py",
        "return replace(query, where=call(Op.AT_MOST, Name(alias, RANK), rows or 0))",
        "return replace(query, where=call(Op.AT_MOST, Name(alias, RANK), 1 + (rows or 0)))",
        (f"{NO_MORE}[a row more is kept of each person]",),
    ),
    Mutant(
        "codes of texts may be the same",
        "sources/ranks.py",
        "return self.is_listed and len({*self._codes, NOTHING}) == len(self._codes) + 1",
        "return self.is_listed",
        (f"{RANKS}::test_texts_whose_residues_meet_are_not_told_apart",),
    ),
    Mutant(
        "two keys of a person share a number",
        "sources/ranks.py",
        "return call(Op.REMAINDER, call(Op.MULTIPLY, fourth, form), PRIME)",
        "return fourth",
        (f"{RANKS}::test_a_scattered_number_is_a_fifth_power",),
    ),
    Mutant(
        "NULL is the first value",
        "sources/numbering.py",
        "there = call(Op.SUBTRACT, value, column.reach[0] - 1)",
        "there = call(Op.SUBTRACT, value, column.reach[0])",
        (f"{NUMBERS}::test_no_two_rows_of_a_person_share_a_number",),
    ),
    Mutant(
        "everybody orders equal rows alike",
        "sources/scan.py",
        "owners = [owner_residue(Name(INNER, OWNER), text=text)] if owner else []",
        "owners = [owner_residue(Name(INNER, OWNER), text=text)] if text else []",
        (f"{NUMBERS}::test_people_order_equal_rows_each_in_a_way_of_their_own",),
    ),
    Mutant(
        "what changed while it was kept is taken for the table",
        "sources/preparing.py",
        "if name == _names(scanner, table)[-1]:",
        "if name:",
        (f"{PREPARING}::test_data_that_change_while_they_are_kept_are_kept_anew",),
    ),
    Mutant(
        "what is declared otherwise is taken from what was kept",
        "sources/preparing.py",
        "facts: list[object] = [LAYOUT, table.columns, table.public, table.keys]",
        "facts: list[object] = [LAYOUT, table.public, table.keys]",
        (f"{PREPARING}::test_nothing_that_is_out_of_date_is_taken_for_the_table{PARQUET}",),
    ),
    Mutant(
        "an engine's own words hang on an error",
        "sources/silence.py",
        "silent.__context__ = None",
        "silent.__suppress_context__ = True",
        (f"{FENCES}::test_what_an_engine_says_reaches_nobody[duckdb]",),
    ),
)
