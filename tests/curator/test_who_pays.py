"""Every table that a question reads pays for it, and so does who asks."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.curator.wards import paid, spent, written

import differential_privacy as dp
from differential_privacy.errors import (
    BudgetExceededError,
    InvalidArgumentError,
    PolicyError,
    QuestionError,
)
from differential_privacy.privacy import ApproximateLoss, PureLoss
from differential_privacy.queries import Asked

ADA, BOB, FLU = "analyst:ada", "analyst:bob", "analyst:ada:flu"


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[dp.Curator]:
    with dp.Curator(written(tmp_path)) as one:
        yield one


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT COUNT(*) FROM visits", {"visits"}),
        (
            "SELECT beds, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY beds",
            {"visits"},
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM wards WHERE beds > 3)",
            {"visits"},
        ),
        (
            "SELECT SUM(age) FROM visits WHERE person IN (SELECT person FROM homes)",
            {"visits", "homes[north]", "homes[south]", "homes[west]"},
        ),
        (
            (
                "SELECT COUNT(*) FROM visits WHERE NOT EXISTS "
                "(SELECT 1 FROM homes h WHERE h.person = visits.person AND h.region = 'north')"
            ),
            {"visits", "homes[north]", "homes[south]", "homes[west]"},
        ),
        (
            "SELECT COUNT(*) FROM (SELECT person FROM visits UNION ALL SELECT person FROM homes)",
            {"visits", "homes[north]", "homes[south]", "homes[west]"},
        ),
        ("SELECT COUNT(*) FROM items JOIN visits ON items.visit = visits.id", {"items", "visits"}),
        (
            (
                "WITH mine AS (SELECT person, COUNT(*) AS n FROM visits GROUP BY person) "
                "SELECT AVG(n) FROM mine"
            ),
            {"visits"},
        ),
    ],
)
def test_every_private_table_that_is_named_pays(
    curator: dp.Curator, text: str, tables: set[str]
) -> None:
    answer = curator.session("ada").sql(text, epsilon="0.1")
    assert paid(curator) == {*tables, ADA}
    assert set(spent(curator).values()) == {ApproximateLoss("0.1", answer.loss.delta)}


ALL = {"homes[north]", "homes[south]", "homes[west]"}


@pytest.mark.parametrize(
    ("where", "parts"),
    [
        ("region = 'north'", {"homes[north]"}),
        ("'north' = region AND rooms > 1", {"homes[north]", "homes[south]", "homes[west]"}),
        ("rooms > 1 AND REGION = 'north'", {"homes[north]"}),
        ("region IN ('north', 'west')", {"homes[north]", "homes[west]"}),
        ("region = 'north' AND region = 'south'", None),
        ("region = 'north' OR rooms > 1", ALL),
        ("region <> 'north'", ALL),
        ("NOT region = 'north'", ALL),
        ("region LIKE 'north'", ALL),
        ("region = 'elsewhere'", ALL),
        ("UPPER(region) = 'NORTH'", ALL),
        ("rooms = 3", ALL),
        ("TRUE", ALL),
    ],
)
def test_a_part_that_where_names_pays_alone(
    curator: dp.Curator, where: str, parts: set[str] | None
) -> None:
    curator.session("ada").sql(f"SELECT COUNT(*) FROM homes WHERE {where}", epsilon="0.1")
    charged = paid(curator) - {ADA}
    # What two conditions name may be either of them: nobody of the others is in the answer.
    assert (
        charged == parts if parts is not None else charged in ({"homes[north]"}, {"homes[south]"})
    )


JOINED = (
    "SELECT COUNT(*) FROM homes h JOIN visits v ON h.person = v.person WHERE h.region = 'north'"
)


def test_a_part_pays_alone_only_where_one_row_of_each_person_is_read(tmp_path: Path) -> None:
    """The other table's bound lets a question see all rows of a person, in whichever part."""
    policy = written(tmp_path)
    text = policy.read_text().replace("bounds = [{ rows = 4 }, ", "bounds = [")
    policy.write_text(text)
    with dp.Curator(policy) as curator:
        answer = curator.session("ada").sql(JOINED, epsilon="0.1")
        assert answer.plan.bounding.at_the_end
        assert paid(curator) == {*ALL, "visits", ADA}


def test_a_part_pays_alone_in_a_join_of_rows_chosen_once(curator: dp.Curator) -> None:
    answer = curator.session("ada").sql(JOINED, epsilon="0.1")
    assert not answer.plan.bounding.at_the_end
    assert paid(curator) == {"homes[north]", "visits", ADA}


def test_parts_are_spent_side_by_side(tmp_path: Path) -> None:
    with dp.Curator(written(tmp_path, HOMES="{ epsilon = 1 }")) as curator:
        ada = curator.session("ada")
        for region in ("north", "south", "west"):
            ada.sql(f"SELECT COUNT(*) FROM homes WHERE region = '{region}'", epsilon=1)
        for where in ("", "WHERE region = 'north'"):
            with pytest.raises(BudgetExceededError):
                ada.sql(f"SELECT SUM(rooms) FROM homes {where}", epsilon="0.01")


def test_a_part_that_is_forgotten_is_caught(
    curator: dp.Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Asked, "pinned", lambda *_: frozenset({"north"}))
    with pytest.raises(AssertionError):
        test_a_part_that_where_names_pays_alone(curator, "rooms = 3", ALL)


def test_a_project_pays_from_its_own_and_from_its_analysts_budget(curator: dp.Curator) -> None:
    flu = curator.session("ada", project="flu")
    flu.sql("SELECT COUNT(*) FROM visits", epsilon="0.6")
    assert paid(curator) == {"visits", ADA, FLU}
    with pytest.raises(BudgetExceededError, match="flu"):
        flu.sql("SELECT SUM(age) FROM visits", epsilon="0.6")
    curator.session("ada").sql("SELECT SUM(age) FROM visits", epsilon="0.6")
    assert spent(curator)[FLU] == PureLoss("0.6")
    assert curator.ledger.account(ADA).spent == ApproximateLoss("1.2", 0)


def test_all_analysts_together_spend_no_more_than_the_table_has(tmp_path: Path) -> None:
    with dp.Curator(written(tmp_path, VISITS="{ epsilon = 1 }")) as curator:
        ada, bob = curator.session("ada"), curator.session("bob")
        ada.sql("SELECT COUNT(*) FROM visits", epsilon="0.5")
        bob.sql("SELECT SUM(age) FROM visits", epsilon="0.5")
        for session in (ada, bob):
            with pytest.raises(BudgetExceededError, match="table visits"):
                session.sql("SELECT SUM(cost) FROM visits", epsilon="0.01")


def test_two_analysts_with_one_question_cost_the_table_once(curator: dp.Curator) -> None:
    text = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    one = curator.session("ada").sql(text, epsilon="0.5")
    other = curator.session("bob").sql(text.lower(), epsilon="0.5")
    assert one.rows == other.rows
    assert paid(curator) == {"visits", ADA, BOB}
    assert all(
        loss.epsilon_at(loss.delta) == PureLoss("0.5").epsilon for loss in spent(curator).values()
    )


def test_an_analyst_asks_only_the_tables_that_are_theirs(curator: dp.Curator) -> None:
    bob = curator.session("bob")
    for text in (
        "SELECT COUNT(*) FROM homes",
        "SELECT COUNT(*) FROM visits WHERE person IN (SELECT person FROM homes)",
    ):
        with pytest.raises(QuestionError, match="may ask"):
            bob.sql(text, epsilon="0.1")
        with pytest.raises(QuestionError, match="may ask"):
            bob.plan(text, epsilon="0.1")
    with pytest.raises(QuestionError, match="may ask"):
        bob.mock("homes")
    assert spent(curator) == {}


def test_nobody_else_has_a_session(curator: dp.Curator) -> None:
    with pytest.raises(InvalidArgumentError, match="ada, bob"):
        curator.session("eve")
    with pytest.raises(InvalidArgumentError, match="flu"):
        curator.session("ada", project="secret").sql("SELECT COUNT(*) FROM visits", epsilon=1)


def test_a_policy_cannot_raise_a_budget_by_itself(tmp_path: Path) -> None:
    dp.Curator(written(tmp_path, VISITS="{ epsilon = 1 }")).close()
    for budget, rule in (("{ epsilon = 2 }", "dp grant"), ("{ rho = 1 }", "measure")):
        with pytest.raises(PolicyError, match=rule) as caught:
            dp.Curator(written(tmp_path, VISITS=budget))
        assert caught.value.key == "tables.visits.budget"


ASKING = """
import sys
import differential_privacy as dp
answered = 0
with dp.Curator(sys.argv[1]) as curator:
    for n in range(8):
        text = f"SELECT {sys.argv[3]} FROM visits WHERE cost > {n}"
        try:
            curator.session(sys.argv[2]).sql(text, epsilon="0.1")
            answered += 1
        except dp.DifferentialPrivacyError as error:
            assert type(error).__name__ == "BudgetExceededError", error
print(answered)
"""


def test_two_curators_of_one_ledger_never_overspend(tmp_path: Path) -> None:
    """Each asks eight questions that its own analyst could pay; together they may ask ten."""
    policy = written(tmp_path, VISITS="{ epsilon = 1 }")
    dp.Curator(policy).close()
    asking = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", ASKING, str(policy), name, aggregate],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, aggregate in (("ada", "COUNT(*)"), ("bob", "SUM(age)"))
    ]
    answered = [int(one.communicate()[0]) for one in asking]
    assert sum(answered) == 10
    with dp.Curator(policy) as curator:
        (account,) = curator.accounts.of_table(curator.policy.tables["visits"])
        assert curator.ledger.account(account).spent == PureLoss(1)
