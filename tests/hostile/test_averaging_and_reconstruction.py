"""Attackers who add answers up: averaging, differencing, and solving for everybody's secret.

Reference: Dinur, Nissim 2003, theorem 2: exact answers to few random subset sums give a database
away; Dwork, Smith, Steinke, Ullman 2017, section 2, by least squares.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom
from tests.hostile.worlds import World, made, simple

from differential_privacy.errors import BudgetExceededError
from differential_privacy.mechanisms import Geometric
from differential_privacy.release import Door
from differential_privacy.sampling import uniform

FALSE_ALARM = 1e-9
PEOPLE, QUESTIONS, TOGETHER = 60, 200, 20
SECRETS = [int(bit) for bit in uniform(2, PEOPLE)]
COUNT = "SELECT COUNT(*) AS n FROM people"
Vector = np.ndarray[Any, Any]


def world_of(folder: Path, budget: str, secrets: Sequence[int] = SECRETS) -> World:
    """A world of people who each have a secret bit, told apart by x."""
    rows = {
        "patient": list(range(len(secrets))),
        "x": list(range(len(secrets))),
        "code": ["yes" if secret else "no" for secret in secrets],
    }
    return made(folder / "world", simple(f"{{ epsilon = {budget} }}", rows=1), people=rows)


def value(world: World, text: str, epsilon: object) -> float:
    return float(str(world.session().sql(text, epsilon=str(epsilon)).value))


# 33: averaging.

EQUAL = [
    COUNT,
    "select count(*) as n from people -- again",
    "SELECT COUNT(*) AS m FROM people",
    "SELECT COUNT(*) AS n FROM people AS p",
    "SELECT COUNT(*) + 0 AS n FROM people",
    "SELECT COUNT(*) AS n FROM people ORDER BY n LIMIT 1",
]


def test_33_a_question_that_is_repeated_teaches_nothing_more(tmp_path: Path) -> None:
    world = world_of(tmp_path, "1")
    session = world.session()
    answers = [session.sql(COUNT, epsilon="1/2") for _ in range(50)]
    assert len({answer.noisy.to_bytes() for answer in answers}) == 1
    assert session.account.spent.epsilon == Fraction(1, 2)  # type: ignore[attr-defined]
    for text in EQUAL[1:]:
        assert session.sql(text, epsilon="1/2").noisy.to_bytes() == answers[0].noisy.to_bytes()
    assert session.account.spent.epsilon == Fraction(1, 2)  # type: ignore[attr-defined]


FORMS = [
    "x >= {n} - {n}",
    "x >= 0 AND x <> {n} + 1000",
    "NOT x < 0 OR x = {n}",
    "x + {n} >= {n}",
    "COALESCE(x, {n}) IS NOT NULL",
    "x IN ({n}) OR x NOT IN ({n})",
]


def test_33_other_forms_of_one_question_are_paid_for_each_or_free_and_equal(tmp_path: Path) -> None:
    """An average of k answers costs k prices: none of its noise comes free."""
    world = world_of(tmp_path, "1e6")
    session = world.session()
    drawn: dict[bytes, int] = {}
    paid = Fraction(0)
    for form in FORMS:
        for number in range(3):
            answer = session.sql(f"{COUNT} WHERE {form.format(n=number)}", epsilon="1/10")
            noise = answer.noisy.to_bytes()
            assert answer.repeated == (noise in drawn and drawn[noise] == answer.receipt.sequence)
            drawn.setdefault(noise, answer.receipt.sequence)
            paid += 0 if answer.repeated else Fraction(1, 10)
    assert session.account.spent.epsilon == paid  # type: ignore[attr-defined]


def test_33_the_average_that_a_budget_buys_is_no_better_than_one_answer(tmp_path: Path) -> None:
    """Ten answers of a tenth of the budget have more error together than one of all of it."""
    world = world_of(tmp_path, "1")
    session = world.session()
    answers = [session.sql(f"{COUNT} WHERE x <> {n}", epsilon="1/10") for n in range(10)]
    with pytest.raises(BudgetExceededError):
        session.sql(f"{COUNT} WHERE x <> 50", epsilon="1/10")
    one = Geometric(1)
    tenth = [noise for answer in answers for _, noise in answer.plan.priced.noises]
    assert all(noise.variance.low / len(answers) > one.variance.high for noise in tenth)


def test_33_a_repeat_with_fresh_noise_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = world_of(tmp_path, "1")
    answer = type(world.curator.ledger).answer
    monkeypatch.setattr(type(world.curator.ledger), "answer", lambda *_: None)
    with pytest.raises((AssertionError, BudgetExceededError)):
        test_33_a_question_that_is_repeated_teaches_nothing_more(tmp_path / "again")
    monkeypatch.setattr(type(world.curator.ledger), "answer", answer)


# 34: differencing.


@pytest.mark.parametrize("epsilon", ["1/2", "1/10"])
def test_34_all_but_one_tells_of_the_one_no_more_than_was_paid(
    tmp_path: Path, epsilon: str
) -> None:
    """The difference of two counts has the noise of both, and both are paid for."""
    world = world_of(tmp_path, "1")
    session = world.session()
    texts = [f"{COUNT} WHERE code = 'yes'", f"{COUNT} WHERE code = 'yes' AND x <> 7"]
    answers = [session.sql(text, epsilon=epsilon) for text in texts]
    assert session.account.spent.epsilon == 2 * Fraction(epsilon)  # type: ignore[attr-defined]
    for answer in answers:
        ((_, noise),) = answer.plan.priced.noises
        assert noise.variance.low >= Geometric(1 / Fraction(epsilon)).variance.low


@pytest.mark.parametrize(
    "filters",
    [
        ("x < 30", "x >= 30"),
        ("x <= 30", "x >= 30"),
        ("x < 29.999999999", "x > 29.999999999"),
        ("code = 'yes'", "code <> 'yes'"),
        ("code IS NULL", "code IS NOT NULL"),
    ],
)
def test_34_filters_are_charged_one_by_one_whether_they_overlap_or_not(
    tmp_path: Path, filters: tuple[str, str]
) -> None:
    world = world_of(tmp_path, "1")
    value(world, f"{COUNT} WHERE {filters[0]}", "3/4")
    with pytest.raises(BudgetExceededError):
        value(world, f"{COUNT} WHERE {filters[1]}", "3/4")


def test_34_two_analysts_together_have_no_more_than_the_tables_budget(tmp_path: Path) -> None:
    world = world_of(tmp_path, "1")
    world.session("ada").sql(f"{COUNT} WHERE x <> 7", epsilon="3/4")
    with pytest.raises(BudgetExceededError):
        world.session("bob").sql(COUNT, epsilon="1/2")


# 42: reconstruction.


def subsets() -> Vector:
    """Two hundred random sets of people, one a row."""
    drawn: Vector = uniform(2, (QUESTIONS, PEOPLE)).astype(float)
    return drawn


def asked(world: World, sets: Vector, epsilon: Fraction) -> Vector:
    """How many people of each set have the secret: answers as they are told, some in one table."""
    answers: list[float] = []
    for part in np.array_split(sets, QUESTIONS // TOGETHER):
        counts = [
            f"COUNT(*) FILTER (WHERE x IN ({', '.join(map(str, np.flatnonzero(row)))}))"
            for row in part
        ]
        text = f"SELECT {', '.join(counts)} FROM people WHERE code = 'yes'"
        (row,) = world.session().sql(text, epsilon=epsilon * len(part)).rows
        answers += [float(str(cell)) for cell in row]
    return np.array(answers)


def by_least_squares(sets: Vector, answers: Vector) -> Vector:
    """The bits that fit the answers best, in squares."""
    found, *_ = np.linalg.lstsq(sets, answers)
    guess: Vector = (found > 0.5).astype(int)
    return guess


def by_linear_program(sets: Vector, answers: Vector) -> Vector:
    """The bits whose answers are off by the least in all."""
    questions, people = sets.shape
    costs = np.concatenate([np.zeros(people), np.ones(questions)])
    above = np.hstack([sets, -np.eye(questions)])
    below = np.hstack([-sets, -np.eye(questions)])
    bounds = [(0, 1)] * people + [(0, None)] * questions
    found = linprog(
        costs, np.vstack([above, below]), np.concatenate([answers, -answers]), bounds=bounds
    )
    guess: Vector = (found.x[:people] > 0.5).astype(int)
    return guess


def right(guess: Vector) -> int:
    """How many people's secrets are guessed."""
    return int((guess == np.array(SECRETS)).sum())


def hits_that_guessing_never_has(epsilon: float) -> int:
    """So many right guesses have a chance below the false-alarm rate, whatever the attack.

    Theorem: with a budget of epsilon a guess of one uniform bit is right with chance at most
    e^epsilon / (1 + e^epsilon), given all the other bits, so right guesses are dominated by a
    binomial.
    """
    share = np.exp(epsilon) / (1 + np.exp(epsilon))
    return int(binom.isf(FALSE_ALARM, PEOPLE, share))


@pytest.mark.parametrize("solve", [by_least_squares, by_linear_program])
def test_42_two_hundred_counts_do_not_give_the_secrets_away(tmp_path: Path, solve: Any) -> None:
    """Changing one's secret is leaving with one and coming with another: twice the budget."""
    budget = Fraction(1, 4)
    world = world_of(tmp_path, "0.25")
    sets = subsets()
    answers = asked(world, sets, budget / QUESTIONS)
    assert right(solve(sets, answers)) <= hits_that_guessing_never_has(2 * float(budget))
    with pytest.raises(BudgetExceededError):
        value(world, f"{COUNT} WHERE x = 3", budget / QUESTIONS)


def test_42_exact_answers_give_everybody_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same attack on a door that adds no noise: so it is the noise that protects."""
    monkeypatch.setattr(Geometric, "release", lambda _, values, **__: values)
    world = world_of(tmp_path, "0.25")
    sets = subsets()
    answers = asked(world, sets, Fraction(1, 800))
    assert right(by_linear_program(sets, answers)) == PEOPLE
    assert right(by_least_squares(sets, answers)) == PEOPLE
    assert hits_that_guessing_never_has(0.5) < PEOPLE


def test_42_noise_that_is_too_small_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise a thousand times too small is no noise to this attack."""
    noisy = Geometric.release

    def too_small(noise: Geometric, values: Any, **given: Any) -> Any:
        return noisy(Geometric(noise.scale / 1000), values, **given)

    monkeypatch.setattr(Geometric, "release", too_small)
    world = world_of(tmp_path, "0.25")
    sets = subsets()
    answers = asked(world, sets, Fraction(1, 800))
    assert right(by_linear_program(sets, answers)) > hits_that_guessing_never_has(0.5)


def test_42_a_session_of_all_kinds_of_questions_stays_within_its_budget(tmp_path: Path) -> None:
    """Counts, sums, means and percentiles of one budget: each is paid, the last is refused."""
    world = world_of(tmp_path, "1")
    session = world.session()
    kinds = ["COUNT(*)", "SUM(x)", "AVG(x)", "MEDIAN(x)", "STDDEV(x)", "COUNT(DISTINCT code)"]
    for place, kind in enumerate(kinds):
        session.sql(f"SELECT {kind} FROM people WHERE x <> {place}", epsilon=Fraction(1, 6))
    assert session.account.spent.epsilon == 1  # type: ignore[attr-defined]
    with pytest.raises(BudgetExceededError):
        session.sql("SELECT MIN(x) FROM people", epsilon="1/1000000")


def test_42_a_door_that_forgets_to_charge_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spend = Door._spend
    charged: list[Any] = []

    def once(door: Door, plan: Any, *args: Any) -> Any:
        charged.append(charged[0] if charged else spend(door, plan, *args))
        return charged[-1]

    monkeypatch.setattr(Door, "_spend", once)
    with pytest.raises((AssertionError, Exception)):
        test_42_a_session_of_all_kinds_of_questions_stays_within_its_budget(tmp_path)
