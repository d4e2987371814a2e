"""The classic attacks do what their papers say, on exact answers and on noise without account."""

import numpy as np
import pytest
from tests.audit.attacked import report

from differential_privacy.audit.attacks import ATTACKS, Share, linkage
from differential_privacy.audit.attacks.made_up import Repeated, picked, shares
from differential_privacy.audit.attacks.rebecca import NOTES, REBECCA, SECOND, possible
from differential_privacy.audit.attacks.reconstruction import (
    by_absolute_errors,
    by_squares,
    sets_of,
)
from differential_privacy.audit.attacks.town import ILLNESSES, WEIGHTS, Town


def exact(name: str) -> list[float]:
    return [outcome.without.value for outcome in report(name).outcomes]


def test_zip_code_birth_date_and_sex_single_most_people_out() -> None:
    """Golle found 63 %, Sweeney 87 %; with the month, and the year, alone few are left."""
    day, month, year = exact("uniqueness")
    assert 0.63 <= day <= 0.87
    assert month < 0.05
    assert year < 0.001


def test_a_join_with_voters_tells_the_illness_of_nearly_everyone() -> None:
    assert exact("linkage")[0] > 0.95


def test_rebecca_has_one_of_two_illnesses_and_with_a_second_table_one() -> None:
    assert possible(NOTES, *REBECCA) == ["HIV", "Ulcerative colitis"]
    both = set(possible(NOTES, *REBECCA)) & set(possible(SECOND, *REBECCA))
    assert both == {"HIV"}
    assert possible(SECOND, 70, "female") == ["Anemia"]


@pytest.mark.parametrize(("rows", "alike"), [(NOTES, 2), (SECOND, 3)])
def test_both_tables_are_k_anonymous(rows: tuple[object, ...], alike: int) -> None:
    looks = [(row.ages, row.sex) for row in rows]  # type: ignore[attr-defined]
    assert min(looks.count(look) for look in looks) >= alike


def test_two_k_anonymous_tables_tell_most_illnesses() -> None:
    one, two = exact("k-anonymity")
    assert one > 2 * report("k-anonymity").outcomes[0].guessing
    assert two > 0.6


def test_exact_counts_tell_who_is_in_a_register_even_with_lies_among_them() -> None:
    assert exact("reconstruction") == [1, 1, 1]


def test_lies_mislead_least_squares_and_not_least_absolute_errors() -> None:
    """One answer in ten is anything: why the literature has linear programs."""
    bits = Repeated(3)
    secret = (shares(150, bits=bits) < 0.5).astype(int)
    keys = 1 + (shares((450, 2), bits=bits) * 10_000).astype(int)
    sets = sets_of(150, keys)
    answers = sets @ secret
    answers[::10] = 1000
    assert ((by_squares(sets, answers) > 0.5) == secret).mean() < 0.8
    assert ((by_absolute_errors(sets, answers) > 0.5) == secret).all()


def test_the_fit_is_the_best_in_its_range() -> None:
    """At the optimum no step along the slope, cut to the range, goes anywhere."""
    bits = Repeated(4)
    sets = sets_of(40, 1 + (shares((120, 2), bits=bits) * 10_000).astype(int))
    answers = sets @ (shares(40, bits=bits) < 0.5) + 20 * shares(120, bits=bits)
    best = by_squares(sets, answers)
    slope = sets.T @ (sets @ best - answers)
    step = np.clip(best - slope / np.linalg.norm(sets, 2) ** 2, 0, 1)
    assert np.abs(step - best).max() < 1e-6


def test_fresh_noise_is_averaged_away() -> None:
    many, once = exact("averaging")
    assert many > 0.99
    assert once < 0.15


def test_exact_means_tell_who_was_in_the_group() -> None:
    right, found = exact("membership")
    assert right > 0.9
    assert found > 0.9


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_beats_guessing_by_far(name: str) -> None:
    assert any(o.without.low > 2 * o.guessing or o.without.low > 0.9 for o in report(name).outcomes)


def test_a_seed_repeats_the_data_and_another_does_not() -> None:
    first, again, other = (linkage(seed=seed) for seed in (1, 1, 2))
    assert first.outcomes[0].without == again.outcomes[0].without
    assert first.told == again.told
    assert first.told != other.told


def test_made_up_illnesses_are_as_frequent_as_said() -> None:
    """Five standard deviations: the draws are fixed by a seed, so this never fails by chance."""
    drawn = np.bincount(picked(WEIGHTS, 100_000, bits=Repeated(5)), minlength=len(ILLNESSES))
    wanted = np.array(WEIGHTS) / sum(WEIGHTS) * 100_000
    assert (np.abs(drawn - wanted) < 5 * np.sqrt(wanted)).all()


def test_the_town_has_nobody_older_than_its_columns_say() -> None:
    town = Town.made(bits=Repeated(6))
    assert town.births.min() >= np.datetime64("1926-01-01")
    assert town.births.max() <= np.datetime64("2025-12-31")


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(0, 10, 0, 0.3085), (5, 10, 0.1871, 0.8129), (10, 10, 0.6915, 1), (1, 100, 0.0003, 0.0545)],
)
def test_intervals_are_clopper_and_pearsons(
    hits: int, trials: int, low: float, high: float
) -> None:
    share = Share(hits, trials)
    assert share.low == pytest.approx(low, abs=5e-5)
    assert share.high == pytest.approx(high, abs=5e-5)
