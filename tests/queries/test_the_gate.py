"""Only listed nodes with listed parts pass the gate; everything else is refused, and in no time."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import expressions as sql
from tests.queries import growing
from tests.queries.refused_texts import REFUSED

from differential_privacy.errors import QuestionError
from differential_privacy.queries import parsing
from differential_privacy.queries.parsing import LISTED, parsed_condition, parsed_question

NODES = frozenset(LISTED)
PARTS = {node: frozenset(parts) for node, parts in LISTED.items()}

ACCEPTED = [
    "select count(*) from visits",
    "SELECT COUNT(*) FROM Visits;",
    "from visits select count(*)",
    "(select count(*) from visits)",
    "with v as (select * from visits), w(a, b) as (select x, y from v) select sum(a) from w",
    "select ward, avg(cost) as mean from visits where age between 18 and 65 group by ward",
    "select ward from v group by 1 having count(*) > 9 order by 1 desc nulls last limit 5",
    "select count(distinct person) from visits v join wards w on v.ward = w.ward",
    "select sum(x) from (select x from a union all select y from b) as u",
    "select quantile_cont(cost, 0.9), median(cost), var_pop(cost), stddev_samp(cost) from visits",
    "select percentile_cont(0.5) within group (order by cost) from visits",
    "select count(*) filter (where cost > 5), sum(case when b then 1 else 0 end) from visits",
    "select date_trunc('month', day), count(*) from visits group by 1",
    "select count(*) from visits group by all",
    "select distinct ward from visits",
    "select count(*) from visits where day >= date '2024-01-01' - interval '90' day",
    "select count(*) from visits where exists (select 1 from bills b where b.person = person)",
    'select "Ward", count(*) as "how many" from "visits" group by "Ward"',
]


def nodes_of(tree: sql.Expr) -> Iterator[sql.Expr]:
    yield tree
    for part in tree.iter_expressions():
        yield from nodes_of(part)


def assert_all_listed(tree: sql.Expr) -> None:
    for node in nodes_of(tree):
        assert type(node) in NODES, type(node)
        given_parts = {key for key, part in node.args.items() if part not in (None, False, [])}
        assert given_parts <= PARTS[type(node)], (type(node), given_parts)


def refuses_or_lists(text: str) -> None:
    """The law of the gate: an error of ours, or a tree in which everything is listed."""
    tree = read(text)
    if isinstance(tree, QuestionError):
        assert "nothing was spent" in str(tree)
    else:
        assert_all_listed(tree)


def read(text: str) -> sql.Expr | QuestionError:
    try:
        return parsed_question(text)
    except QuestionError as error:
        return error


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_people_ask_passes(text: str) -> None:
    assert_all_listed(parsed_question(text))


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_listed_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="nothing was spent"):
        parsed_question(text)


def test_a_listed_node_is_one_that_the_parser_knows_with_parts_that_it_has() -> None:
    for node, parts in LISTED.items():
        assert set(parts) <= set(node.arg_types), node


@given(growing.expressions(3), growing.truths(2))
def test_no_expression_that_people_write_is_refused(expression: str, condition: str) -> None:
    tree = read(f"select {expression} from facts where {condition}")
    if isinstance(tree, QuestionError):
        assert "nested too deeply" in str(tree)
    else:
        assert_all_listed(tree)


WORDS = (
    "select from where group by having order limit with as join left on using union all distinct "
    "count sum ( ) * , . ; :: || 'a' \"b\" 1 0.5 x t u and or not in is null case when then else "
    "end exists between like interval day cast date over partition window values insert drop "
    "copy attach pragma [ ] { } -> ? $1 -- /* */ @ # % recursive lateral unnest pivot sample "
    "qualify struct map lambda : => \\ \n e' x' $$ try_cast filter within asof natural"
)


@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=25))
def test_soup_of_words_is_refused_or_listed(words: list[str]) -> None:
    refuses_or_lists(" ".join(words))
    refuses_or_lists(" ".join(["select", *words, "from t"]))


@given(st.text(max_size=80))
def test_no_text_at_all_breaks_the_gate(text: str) -> None:
    refuses_or_lists(text)
    refuses_or_lists(f"select {text} from t")
    refuses_or_lists(f"select x as \"{text}\" from t where y = '{text}'")


EVERY_NODE = sorted(
    (
        node
        for node in vars(sql).values()
        if isinstance(node, type) and issubclass(node, sql.Expression)
    ),
    key=lambda node: node.__name__,
)


@st.composite
def trees(draw: st.DrawFn, deep: int = 3) -> sql.Expr:
    """Trees that no parser made: any node of SQL, with any of its parts."""
    if not deep:
        leaf = st.sampled_from([sql.column("x"), sql.column("y", "t"), sql.Literal.number(1)])
        return draw(leaf).copy()
    node = draw(st.one_of(st.sampled_from(list(LISTED)), st.sampled_from(EVERY_NODE)))
    parts: dict[str, object] = {}
    for key, needed in node.arg_types.items():
        if needed or draw(st.booleans()):
            many = key in ("expressions", "joins", "ifs")
            parts[key] = [draw(trees(deep - 1))] if many else draw(trees(deep - 1))
    return node(**parts)


@given(trees())
def test_the_walk_refuses_every_tree_with_something_unlisted(tree: sql.Expr) -> None:
    try:
        parsing._check(tree)
    except QuestionError:
        return
    assert_all_listed(tree)


def test_a_gate_that_lists_one_node_or_part_more_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for node, parts, text in [
        (sql.Rand, (), "select random() from t"),
        (sql.Table, ("this", "alias", "db"), "select count(*) from secret.t"),
        (sql.CTE, ("this", "alias", "materialized"), "with v as materialized (table u) from v"),
    ]:
        monkeypatch.setitem(parsing.LISTED, node, parts)
        with pytest.raises(AssertionError):
            refuses_or_lists(text)


@pytest.mark.parametrize(
    "text",
    [
        "select * from t " + "join t " * 200,
        "select " + "struct(" * 60 + "1" + ")" * 60,
        "select " + "(" * 9_000 + "1",
        "select " + "((" * 400 + "1" + "))" * 400 + " from t",
        "select x " + "and x " * 3_000 + "from t",
        "select " + "case when " * 1_000 + "1",
        "select x" + "::int" * 3_000 + " from t",
        "select 1" + " union all select 1" * 1_000,
        "select " + "a." * 5_000 + "b",
        "select '" + "x" * 19_000 + "' " + "|| 'y'" * 100 + " from t",
        "select " + ", ".join(["x"] * 5_000) + " from t",
        "select x" + "!" * 30_000,
    ],
    ids=lambda text: re.sub(r"\s+", " ", text)[:30],
)
def test_a_text_that_would_take_endless_time_is_refused(text: str) -> None:
    with pytest.raises(QuestionError, match="nothing was spent"):
        parsed_question(text)


def test_the_parser_stops_after_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MOST_STEPS", 10)
    with pytest.raises(QuestionError, match="too deeply"):
        parsed_question("select count(*) from visits where ward = 'a' and cost > 5")


@pytest.mark.parametrize("comment", ["/* a */", "-- b\n", "/*+ c */"])
def test_a_comment_changes_nothing(comment: str) -> None:
    plain = parsed_question("select count(*) from visits where cost > 5")
    told = parsed_question(f"select {comment} count(*) from {comment} visits where cost > 5")
    assert plain == told


@pytest.mark.parametrize(
    "text",
    ["", "a, b", "a from u", "a from u --", "a) from t; drop table t; --", "distinct a", "*/ 1 /*"],
)
def test_a_condition_is_one_expression_and_cannot_become_a_question(text: str) -> None:
    with pytest.raises(QuestionError):
        parsed_condition(text)


def test_what_is_no_text_is_read_as_what_it_is_written_as() -> None:
    with pytest.raises(QuestionError, match="only questions are answered"):
        parsed_question(5)  # type: ignore[arg-type]
