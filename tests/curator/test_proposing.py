"""What `dp init` writes is TOML that reads back, with gaps exactly where the curator must speak."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.curator.drafts import (
    BudgetDraft,
    ColumnDraft,
    TableDraft,
    likely_people,
    policy_text,
    usual_range,
)
from differential_privacy.curator.proposing import gaps_of
from differential_privacy.curator.reading import read_policy
from differential_privacy.errors import PolicyError
from differential_privacy.sources import Kind, Place

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
columns = st.builds(ColumnDraft, names, st.none() | st.sampled_from(Kind), free=st.booleans())


@given(
    st.lists(columns, min_size=1, unique_by=lambda one: one.name),
    names,
    st.text(min_size=1).filter(lambda text: "\0" not in text),
)
def test_whatever_is_drafted_is_toml_with_a_gap_for_each_that_is_wanted(
    drafts: list[ColumnDraft], name: str, path: str
) -> None:
    table = TableDraft(name, Place(path), tuple(drafts), person="row")
    parts = tomllib.loads(policy_text([table], Path("/nowhere")))
    told = parts["tables"][name]
    assert told["path"] == str(Path(path).absolute())
    for draft in drafts:
        wanted = draft.kind is None or draft.wants_range or draft.wants_categories
        assert ("FILL IN" in str(told["columns"][draft.name])) == wanted


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_categories_of_any_text_read_back(texts: list[str]) -> None:
    draft = ColumnDraft("ward", Kind.TEXT, categories=tuple(texts))
    told = tomllib.loads(f"ward = {draft.facts}")["ward"]
    assert told["categories"] == texts


def test_a_policy_without_gaps_reads_as_it_was_drafted(tmp_path: Path) -> None:
    table = TableDraft(
        "visits",
        Place(str(tmp_path / "visits.parquet")),
        (
            ColumnDraft("patient", Kind.TEXT, free=True),
            ColumnDraft("age", Kind.INTEGER, ends=("0", "120")),
            ColumnDraft("day", Kind.DATE, ends=("2024-01-01", "2024-12-31")),
        ),
        person="patient",
        rows=7,
    )
    text = policy_text([table], tmp_path, budget=BudgetDraft("0.5", "1e-7"), analyst="ada")
    file = tmp_path / "curator.toml"
    file.write_text(text)
    policy = read_policy(file)
    assert policy.tables["visits"].owner == "patient"
    assert policy.tables["visits"].rows == 7
    assert policy.tables["visits"].column("age").points == (0, 120)
    assert str(policy.budgets["visits"]) == "ApproximateLoss(epsilon=0.5, delta=1e-07)"
    assert list(policy.analysts) == ["ada"]


def test_a_gap_keeps_a_policy_from_being_read_and_is_listed(tmp_path: Path) -> None:
    table = TableDraft("t", Place("/t.parquet"), (ColumnDraft("age", Kind.INTEGER),))
    file = tmp_path / "curator.toml"
    file.write_text(policy_text([table], tmp_path))
    assert gaps_of(file) == ["tables.t.person", "tables.t.columns.age.range"]
    with pytest.raises(PolicyError, match="FILL IN"):
        read_policy(file)


def test_columns_that_sound_like_people_come_first() -> None:
    assert likely_people(["cost", "visit_id", "user", "customer_id"])[:2] == ["customer_id", "user"]


def test_a_range_is_proposed_by_a_name_alone() -> None:
    assert usual_range("age") == ("0", "120")
    assert usual_range("salary") is None
