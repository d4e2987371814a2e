"""A budget hangs on the data: renamed, moved, copied and imported anew it is the same body."""

import shutil
from pathlib import Path

import pytest

import differential_privacy as dp
from differential_privacy.errors import BudgetExceededError, PolicyError

ROWS = "person,ward\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(40))
POLICY = """
[ledger]
path = "{ledger}"

[tables.{name}]
path = "{path}"
person = "person"
bounds = [{{ rows = 1 }}]
budget = {{ epsilon = 1 }}
{more}

[tables.{name}.columns]
person = "integer"
ward = {{ type = "text", categories = ["a", "b"], nullable = false }}

[analysts.ada]
budget = {{ epsilon = 5 }}
"""


def written(folder: Path, *, path: str = "t.csv", name: str = "t", more: str = "") -> Path:
    policy = folder / "curator.toml"
    policy.write_text(POLICY.format(ledger=folder / "l.db", path=path, name=name, more=more))
    return policy


def spend(policy: Path, *, table: str = "t", where: str = "", epsilon: float = 0.75) -> None:
    with dp.Curator(policy) as curator:
        question = f"SELECT COUNT(*) FROM {table} {where}"
        curator.session("ada").sql(question, epsilon=epsilon)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(ROWS)
    return tmp_path


def test_a_renamed_table_spends_from_the_same_budget(folder: Path) -> None:
    spend(written(folder))
    with pytest.raises(BudgetExceededError, match="table visits"):
        spend(written(folder, name="visits"), table="visits")


def test_a_moved_file_spends_from_the_same_budget(folder: Path) -> None:
    spend(written(folder))
    (folder / "t.csv").rename(folder / "moved.csv")
    with pytest.raises(BudgetExceededError):
        spend(written(folder, path="moved.csv"))


def test_a_file_imported_anew_spends_from_the_same_budget(folder: Path) -> None:
    spend(written(folder))
    shutil.copy(folder / "t.csv", folder / "again.csv")
    (folder / "t.csv").write_text("person,ward\n1,a\n")
    with pytest.raises(BudgetExceededError):
        spend(written(folder, path="again.csv"))


def test_a_file_that_grew_spends_from_the_same_budget(folder: Path) -> None:
    spend(written(folder))
    with (folder / "t.csv").open("a") as file:
        file.write("99,a\n")
    with pytest.raises(BudgetExceededError):
        spend(written(folder))


def test_other_data_have_a_budget_of_their_own(folder: Path) -> None:
    spend(written(folder))
    (folder / "other.csv").write_text(ROWS.replace("39", "77"))
    spend(written(folder, path="other.csv"))


def test_two_tables_of_the_same_bytes_must_say_so(folder: Path) -> None:
    shutil.copy(folder / "t.csv", folder / "copy.csv")
    one = written(folder).read_text()
    two = written(folder, path="copy.csv", name="u").read_text()
    both = one + two[two.index("[tables.u]") : two.index("[analysts")]
    (folder / "curator.toml").write_text(both)
    with pytest.raises(PolicyError, match="parent = "):
        dp.Curator(folder / "curator.toml")


def test_parts_are_paid_side_by_side_while_the_data_stay(folder: Path) -> None:
    policy = written(folder, more='partition = "ward"')
    spend(policy, where="WHERE ward = 'a'")
    spend(policy, where="WHERE ward = 'b'")
    with pytest.raises(BudgetExceededError):
        spend(policy, where="WHERE ward = 'b'", epsilon=0.5)


def test_parts_are_paid_together_once_the_data_changed(folder: Path) -> None:
    policy = written(folder, more='partition = "ward"')
    spend(policy, where="WHERE ward = 'a'")
    with (folder / "t.csv").open("a") as file:
        file.write("99,b\n")
    with pytest.raises(BudgetExceededError):
        spend(policy, where="WHERE ward = 'b'")


def test_a_body_stays_parted_as_it_was(folder: Path) -> None:
    spend(written(folder))
    with pytest.raises(PolicyError, match="partition"):
        dp.Curator(written(folder, more='partition = "ward"'))
