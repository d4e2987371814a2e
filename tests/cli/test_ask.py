"""`dp plan` and `dp ask`: prices before, answers with error bars after, refusals in one line."""

from pathlib import Path

import pytest
from tests.cli.running import BY_WARD, COUNT, MARKER, dp, in_terminal

from differential_privacy import Curator

ADA = ("--as", "ada")


def spent(folder: Path, analyst: str = "ada") -> str:
    with Curator(folder / "curator.toml") as curator:
        return str(curator.session(analyst).account.spent)


NOTHING = "ApproximateLoss(epsilon=0, delta=0)"


def test_a_plan_tells_cost_error_bound_and_what_is_left_and_is_free(clinic: Path) -> None:
    run = dp("plan", BY_WARD, *ADA, "--epsilon", "0.5")
    assert run.code == 0
    for told in (
        "epsilon 0.5",
        "n ",
        "±",
        "mean",
        "5 rows a person",
        "Laplace",
        "epsilon 1.5 of 2",
    ):
        assert told in run.out
    assert run.err == ""
    assert spent(clinic) == NOTHING


def test_a_plan_for_machines_holds_exact_prices(clinic: Path) -> None:
    del clinic
    run = dp("plan", BY_WARD, *ADA, "--epsilon", "1/8", "--json", "--sql")
    told = run.json
    assert told["cost"]["pure"] == {"epsilon": "0.125"}
    assert told["left"]["ada"]["approximate"]["epsilon"] == "1.875"
    assert told["left"]["visits"]["approximate"]["epsilon"] == "2.875"
    assert {one["column"] for one in told["expected"]} == {"n", "mean"}
    assert told["affordable"] is True
    assert "SELECT" in told["sql"][0]


def test_the_errors_of_a_plan_are_those_of_the_answer(clinic: Path) -> None:
    del clinic
    plan = dp("plan", COUNT, *ADA, "--epsilon", "0.5", "--json").json
    answer = dp("ask", COUNT, *ADA, "--epsilon", "0.5", "--json").json
    (low,), (high,) = answer["columns"]["n_low"], answer["columns"]["n_high"]
    assert (high - low) / 2 == pytest.approx(plan["expected"][0]["error"])


def test_sql_of_the_engine_is_shown_on_request(clinic: Path) -> None:
    del clinic
    assert "READ_PARQUET" in dp("plan", COUNT, *ADA, "--epsilon", "1", "--sql").out
    assert "READ_PARQUET" not in dp("plan", COUNT, *ADA, "--epsilon", "1").out


def test_a_plan_that_nobody_can_pay_says_so(clinic: Path) -> None:
    del clinic
    run = dp("plan", COUNT, *ADA, "--epsilon", "2.5")
    assert run.code == 0
    assert "does not suffice" in run.out
    assert dp("plan", COUNT, *ADA, "--epsilon", "2.5", "--json").json["affordable"] is False


def test_an_answer_has_error_bars_and_shows_what_is_left(clinic: Path) -> None:
    run = dp("ask", BY_WARD, *ADA, "--epsilon", "0.5")
    assert run.code == 0
    rows = [line.split() for line in run.out.splitlines()]
    assert [row[0] for row in rows] == ["ward", "North", "South"]
    assert run.out.count("±") == 4
    assert "epsilon 1.5 of 2" in run.err
    assert "receipt" in run.err
    assert spent(clinic) == "ApproximateLoss(epsilon=0.5, delta=0)"


def test_an_answer_for_machines_is_one_object(clinic: Path) -> None:
    del clinic
    run = dp("ask", BY_WARD, *ADA, "--epsilon", "0.5", "--json")
    told = run.json
    assert told["columns"]["ward"] == ["North", "South"]
    assert told["repeated"] is False
    assert told["cost"]["pure"] == {"epsilon": "0.5"}
    assert told["left"]["visits"]["approximate"]["epsilon"] == "2.5"
    assert run.err == ""


def test_dates_as_keys_are_text_for_machines(clinic: Path) -> None:
    del clinic
    text = "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM visits GROUP BY month"
    told = dp("ask", text, *ADA, "--epsilon", "0.5", "--json").json
    assert told["columns"]["month"][0] == "2024-01-01"


def test_the_same_question_again_is_the_same_and_free(clinic: Path) -> None:
    first = dp("ask", COUNT, *ADA, "--epsilon", "0.5", "--json").json
    again = dp("ask", COUNT.lower(), *ADA, "--epsilon", "0.5", "--json").json
    assert again["columns"] == first["columns"]
    assert again["repeated"] is True
    assert "it was answered before" in dp("ask", COUNT, *ADA, "--epsilon", "0.5").err
    assert spent(clinic) == "ApproximateLoss(epsilon=0.5, delta=0)"


def test_a_price_is_found_for_an_error(clinic: Path) -> None:
    del clinic
    told = dp("plan", COUNT, *ADA, "--within", "n=50", "--json").json
    assert 45 < told["expected"][0]["error"] <= 50
    both = dp("plan", COUNT, *ADA, "--within", "n=50", "--epsilon", "1")
    assert both.code == 2


def test_a_question_comes_from_standard_input(clinic: Path) -> None:
    del clinic
    run = dp("ask", "-", *ADA, "--epsilon", "0.5", stdin=COUNT)
    assert run.code == 0
    assert "n" in run.out


def test_a_confidence_widens_the_bars(clinic: Path) -> None:
    del clinic
    errors = [
        dp("plan", COUNT, *ADA, "--epsilon", "1", "--confidence", sure, "--json").json["expected"]
        for sure in ("0.5", "0.99")
    ]
    assert errors[0][0]["error"] < errors[1][0]["error"]


def test_a_project_pays_from_its_part(clinic: Path) -> None:
    run = dp("ask", COUNT, *ADA, "--project", "trial", "--epsilon", "0.25", "--json")
    left = run.json["left"]
    assert left["ada:trial"]["approximate"]["epsilon"] == "0.25"
    assert left["ada"]["approximate"]["epsilon"] == "1.75"
    assert spent(clinic) == "ApproximateLoss(epsilon=0.25, delta=0)"


def test_policy_and_analyst_may_come_from_the_environment(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (clinic / "inside").mkdir()
    monkeypatch.chdir(clinic / "inside")
    monkeypatch.setenv("DP_POLICY", str(clinic / "curator.toml"))
    monkeypatch.setenv("DP_ANALYST", "ada")
    assert dp("plan", COUNT, "--epsilon", "1").code == 0


@pytest.mark.parametrize(
    ("args", "code", "named"),
    [
        ((COUNT, "--epsilon", "1"), 2, "--as: ada, bob"),
        ((COUNT, "--as", "eve", "--epsilon", "1"), 2, "ada, bob"),
        ((COUNT, "--as", "bob", "--epsilon", "0.1"), 3, "bob may ask"),
        ((COUNT, *ADA, "--epsilon", "-1"), 2, "epsilon"),
        ((COUNT, *ADA, "--epsilon", "much"), 2, "epsilon"),
        ((COUNT, *ADA, "--epsilon", "nan"), 2, "epsilon"),
        ((COUNT, *ADA, "--rho", "1"), 2, "rho"),
        ((COUNT, *ADA, "--epsilon", "1", "--confidence", "2"), 2, "confidence"),
        ((COUNT, *ADA, "--within", "m=3"), 2, "n"),
        ((COUNT, *ADA, "--epsilon", "2.5"), 4, "ada: this needs epsilon 2.5"),
        (("SELECT COUNT(*) FROM visit", *ADA, "--epsilon", "1"), 3, "visits"),
        (("SELECT AVG(agee) FROM visits", *ADA, "--epsilon", "1"), 3, "age"),
        (("SELECT * FROM visits", *ADA, "--epsilon", "1"), 3, "nothing was spent"),
        (("SELECT note FROM visits", *ADA, "--epsilon", "1"), 3, "nothing was spent"),
        (("SELECT SUM(weight) FROM visits", *ADA, "--epsilon", "1"), 3, "CLAMP"),
        (("DROP TABLE visits", *ADA, "--epsilon", "1"), 3, "nothing was spent"),
        (("SELEC 1", *ADA, "--epsilon", "1"), 3, "nothing was spent"),
        (("", *ADA, "--epsilon", "1"), 3, "nothing was spent"),
        ((COUNT, *ADA, "--epsilon", "1", "--project", "nosuch"), 2, "trial"),
        ((COUNT, *ADA, "--epsilon", "1", "--policy", "nosuch.toml"), 2, "dp init"),
    ],
)
def test_the_usual_mistakes_are_told_in_one_line_and_cost_nothing(
    clinic: Path, args: tuple[str, ...], code: int, named: str
) -> None:
    run = dp("ask", *args)
    assert (run.code, run.out) == (code, ""), run.err
    assert len(run.err.splitlines()) == 1
    assert named in run.err
    assert MARKER not in run.err
    assert spent(clinic) == NOTHING


def test_a_budget_refuses_by_the_name_of_the_policy(clinic: Path) -> None:
    del clinic
    assert dp("ask", COUNT, *ADA, "--epsilon", "1.9").code == 0
    run = dp("ask", COUNT, *ADA, "--epsilon", "0.2")
    assert run.code == 4
    assert "ada: this needs epsilon 0.2, but epsilon 1.9 of epsilon 2" in run.err


def test_a_ledger_that_was_tampered_with_stops_everything(clinic: Path) -> None:
    assert dp("ask", COUNT, *ADA, "--epsilon", "0.5").code == 0
    for file in (clinic / ".dp").glob("ledger.db*"):
        if not file.name.endswith("anchor"):
            file.unlink()
    run = dp("ask", COUNT, *ADA, "--epsilon", "0.5")
    assert run.code == 5
    assert len(run.err.splitlines()) == 1


def test_data_that_cannot_be_read_are_told_without_their_content(clinic: Path) -> None:
    broken = (clinic / "visits.parquet").read_bytes()
    (clinic / "visits.parquet").write_bytes(broken[: len(broken) // 2] + MARKER.encode())
    run = dp("ask", COUNT, *ADA, "--epsilon", "0.5")
    assert run.code == 6
    assert MARKER not in run.err


def test_a_terminal_is_asked_before_it_is_paid(clinic: Path) -> None:
    args = ("ask", BY_WARD, "--as", "ada", "--epsilon", "0.5")
    declined = in_terminal(clinic, *args, answers=(("Pay for it?", "n"),))
    assert "nothing was spent" in declined
    assert spent(clinic) == NOTHING
    paid = in_terminal(clinic, *args, answers=(("Pay for it?", "y"),))
    assert "North" in paid
    assert "\x1b[" in paid
    assert spent(clinic) == "ApproximateLoss(epsilon=0.5, delta=0)"
    assert "Pay for it?" not in in_terminal(clinic, *args, "--yes")


def test_without_a_terminal_there_is_no_color_and_no_question(clinic: Path) -> None:
    del clinic
    run = dp("ask", BY_WARD, *ADA, "--epsilon", "0.5")
    assert "\x1b" not in run.out + run.err
    assert "Pay" not in run.err


def test_text_keys_never_steer_a_terminal(clinic: Path) -> None:
    policy = (clinic / "curator.toml").read_text()
    nasty = policy.replace('"South"]', '"South", "\\u001b[2J\\u0007x"]')
    (clinic / "curator.toml").write_text(nasty)
    run = dp("ask", "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", *ADA, "--epsilon", "1")
    assert run.code == 0
    assert "\x1b" not in run.out
    assert "\x07" not in run.out
