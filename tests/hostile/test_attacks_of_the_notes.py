"""Attacks on other libraries that worked, on values and errors; each by the number of its note.

The other items stand in the files beside this one that begin with `test_attacks_on`, and 33, 34 and
42 in `test_averaging_and_reconstruction.py`.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.hostile.harmless import HARMLESS
from tests.hostile.movements import noise_free, statistics
from tests.hostile.refused import REFUSED
from tests.hostile.rows import RARE, TYPES, crowd, extreme, ordinary
from tests.hostile.views import sql, views
from tests.hostile.worlds import Pair, made, simple

from differential_privacy.errors import DifferentialPrivacyError, QuestionError
from differential_privacy.sources import duck
from differential_privacy.sources.trees import Op

HUGE = (1 << 61) - 1


# 3-6: arithmetic.


def test_03_a_sum_beyond_64_bits_does_not_wrap_around(tmp_path: Path) -> None:
    rows = {"patient": list(range(40)), "x": [HUGE] * 40, "code": [""] * 40}
    world = made(tmp_path / "world", simple().replace("100]", f"{1 << 49}]"), people=rows)
    assert max(statistics(world, "SELECT SUM(x) FROM people")) == 40 << 49
    wide = f"SELECT SUM(x * {1 << 12}) FROM people"
    assert max(statistics(world, wide)) == 40 << 61
    assert noise_free(world, wide)[0][0] == pytest.approx(40 << 61, rel=0.01)


def test_04_whole_numbers_around_2_to_the_53_are_not_rounded(tmp_path: Path) -> None:
    rows = {"patient": [1, 2, 3], "x": [(1 << 49) - 1] * 3, "code": [""] * 3}
    world = made(tmp_path / "world", simple().replace("100]", f"{1 << 49}]"), people=rows)
    odd = statistics(world, "SELECT SUM(x * 4096 + 1) FROM people")
    assert max(odd) == 3 * (((1 << 49) - 1) * 4096 + 1)


@pytest.mark.parametrize("text", ["SELECT SUM(cost), AVG(cost), STDDEV(cost) FROM visits"])
def test_05_the_order_of_rows_changes_no_sum(tmp_path: Path, pair: Pair, text: str) -> None:
    columns = {name: more + extreme()[name] for name, more in ordinary().items()}
    turned = {name: values[::-1] for name, values in columns.items()}
    policy = (pair[1].folder / "curator.toml").read_text()
    # The other tables are the same files, so only the order of visits differs.
    rest = {name: {"patient": [1], "drug": ["d"], "dose": [1.0]} for name in ("drugs",)}
    staff = {"staff": {"post": ["nurse"], "salary": [1.0]}}
    (tmp_path / "wards.csv").write_text((pair[1].folder / "wards.csv").read_text())
    policy = policy.replace('"wards.csv"', f'"{tmp_path / "wards.csv"}"')
    world = made(tmp_path / "world", policy, visits=pa.table(turned, schema=TYPES), **rest, **staff)
    assert statistics(world, text) == statistics(pair[1], text)


def test_06_each_row_is_rounded_once_and_halves_go_up(tmp_path: Path) -> None:
    """Reals of 32 bits are indices of the grid before they are added, so errors do not pile up."""
    values = pa.array([np.float32(0.1)] * 1000 + [np.float32(0.005)] * 1000, type=pa.float32())
    rows = pa.table({"patient": list(range(2000)), "x": values, "code": [""] * 2000})
    policy = simple().replace(
        '{ type = "integer", range = [0, 100] }', '{ type = "number", range = [0, 1], step = 0.01 }'
    )
    world = made(tmp_path / "world", policy, people=rows)
    (total,) = noise_free(world, "SELECT SUM(x) FROM people")[0]
    # 0.005 as a real of 32 bits is a little below one half of a step.
    assert float(np.float32(0.005)) < 0.005
    assert total == pytest.approx(100, abs=1)


# 7-11: values, types and errors.

NOT_NUMBERS = ["infinities", "huge whole numbers", "casts of texts", "division by zero", "powers"]


@pytest.mark.parametrize("idea", NOT_NUMBERS)
def test_07_values_that_are_no_numbers_change_no_shape(pair: Pair, idea: str) -> None:
    one, other = views(pair, sql(HARMLESS[idea]))
    assert one == other
    assert one.error is None


def test_08_what_cannot_be_null_is_never_counted_without_noise(pair: Pair) -> None:
    """age is declared not nullable and holds NULL: it is clamped, and every count has noise."""
    text = "SELECT COUNT(age), SUM(age), COUNT(age % 0), COUNT(CAST(code AS INTEGER)) FROM visits"
    plan = pair[1].session().plan(text, epsilon=1)
    assert plan.priced.noises
    assert all(noise.variance.low > 0 for _, noise in plan.priced.noises)
    there = "SELECT COUNT(age), COUNT(*) FILTER (WHERE age IS NULL), COUNT(*) FROM visits"
    ((known, missing, rows),) = noise_free(pair[1], there)
    assert (round(known), round(missing)) == (round(rows), 0)


@pytest.mark.parametrize("world", [0, 1])
def test_09_no_row_makes_an_expression_fail(pair: Pair, world: int) -> None:
    for idea in ("division by zero in a branch", "roots of negative numbers", "a long pattern"):
        noise_free(pair[world], HARMLESS[idea], epsilon=3)


def test_09_a_row_that_makes_one_fail_is_caught(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = "CAST(FLOOR(SQRT(CASE WHEN {0} >= 0 THEN CAST({0} AS DOUBLE) END)) AS BIGINT)"
    assert duck.WRITER._spelled[Op.ROOT].strip("()") == guarded.strip("()")
    monkeypatch.setitem(duck.WRITER._spelled, Op.WHOLE, "ERROR(CAST({} AS VARCHAR))")
    with pytest.raises(DifferentialPrivacyError):
        noise_free(pair[1], HARMLESS["many rows of a person"], epsilon=4)


def test_10_no_row_is_large_enough_to_stop_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cell of 16 million letters beside others, told apart, joined and counted."""
    monkeypatch.setattr(duck, "THREAD_MEMORY", 40)
    rows, more = crowd(50), {"patient": [999], "x": [1], "code": ["ab" * (8 << 20)]}
    together = {name: values + more[name] for name, values in rows.items()}
    worlds = (
        made(tmp_path / "one", simple(), people=rows),
        made(tmp_path / "other", simple(), people=together),
    )
    eight = "SELECT COUNT(*) FROM (SELECT c || c AS c FROM (SELECT c || c AS c FROM (SELECT "
    eight += "code || code AS c FROM people) AS t) AS t) AS t WHERE c = 'x'"
    for text in ("SELECT COUNT(DISTINCT code) FROM people", eight):
        one, other = views(worlds, sql(text))
        assert one == other
        assert one.error is None


def test_10_texts_do_not_grow_from_row_to_row(pair: Pair) -> None:
    with pytest.raises(QuestionError):
        pair[1].session().plan(REFUSED["doubles a text"], epsilon=1)


def test_10_no_answer_is_larger_than_memory(pair: Pair) -> None:
    """Groups times aggregates are few enough, or the question is refused before it is paid."""
    sums = ", ".join(f"SUM(age + {n})" for n in range(400))
    with pytest.raises(QuestionError):
        pair[0].session().plan(f"SELECT {sums} FROM visits GROUP BY age, day", epsilon=1)


def test_11_a_refusal_names_what_was_written_and_nothing_that_is_there(pair: Pair) -> None:
    for text in REFUSED.values():
        with pytest.raises(DifferentialPrivacyError) as refused:
            pair[1].session().plan(text, epsilon=1)
        assert RARE not in str(refused.value).replace(text[:80], "")
        assert str(pair[1].folder) not in str(refused.value)
