"""No two keys of a person share a number, and the codes of texts are their residues."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.oracle import hashed

from differential_privacy.queries.evaluating import evaluated
from differential_privacy.sources import Keyed, Kind, Ranks, ranks
from differential_privacy.sources.ranks import PRIME, residue_of, scattered
from differential_privacy.sources.trees import Literal, Name

KEY = Name("t", "k")
below = st.integers(0, PRIME - 1)


def number(form: int) -> int:
    found = evaluated(scattered(Literal(form)), {})
    assert isinstance(found, int)
    return found


@given(below)
def test_a_scattered_number_is_a_fifth_power(form: int) -> None:
    assert number(form) == pow(form, 5, PRIME)


def test_no_two_numbers_have_one_fifth_power() -> None:
    """In a group of p - 1 elements five is prime to the order, so a root is unique."""
    assert math.gcd(5, PRIME - 1) == 1
    root = pow(5, -1, PRIME - 1)
    assert all(pow(number(form), root, PRIME) == form for form in (1, 2, 77, PRIME - 1))
    # Of cubes that would not be true: another exponent would be a mistake.
    assert math.gcd(3, PRIME - 1) != 1


@given(below, st.integers(), below, below)
def test_two_keys_of_a_person_never_share_a_number(
    owner: int, seed: int, one: int, two: int
) -> None:
    made = Ranks(str(seed).encode()[:64])
    forms = [evaluated(made.group_form([Literal(owner), Literal(key)]), {}) for key in (one, two)]
    assert all(isinstance(form, int) and 0 <= form < PRIME for form in forms)
    assert (forms[0] == forms[1]) == (one == two)


@pytest.mark.parametrize(
    ("key", "apart"),
    [
        (Keyed(KEY, Kind.BOOLEAN), True),
        (Keyed(KEY, Kind.INTEGER, (0, 100)), True),
        (Keyed(KEY, Kind.INTEGER, (0, PRIME - 2)), True),
        (Keyed(KEY, Kind.INTEGER, (0, PRIME - 1)), False),
        (Keyed(KEY, Kind.INTEGER, (-1, 100)), False),
        (Keyed(KEY, Kind.INTEGER), False),
        (Keyed(KEY, Kind.TEXT, values=("a", "b", "")), True),
        (Keyed(KEY, Kind.TEXT), False),
    ],
    ids=str,
)
def test_keys_are_told_apart_where_their_residues_are(key: Keyed, *, apart: bool) -> None:
    assert key.is_told_apart == apart


@pytest.mark.parametrize("values", [(5, 5), (5, PRIME - 1)], ids=["equal", "as NULL"])
def test_texts_whose_residues_meet_are_not_told_apart(
    values: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranks, "_residues", lambda _: values)
    key = Keyed(KEY, Kind.TEXT, values=("a", "b"))
    assert not key.is_told_apart


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_residues_that_are_looked_up_are_those_that_are_computed(text: str) -> None:
    key = Keyed(Literal(text), Kind.TEXT, values=(text,))
    (row,) = key.code("c")[1].relation.rows  # type: ignore[union-attr]
    assert row == (text, hashed(text) % PRIME, 1)


def test_residues_stay_apart_among_as_many_as_there_are() -> None:
    """A test of the test: whole numbers that are their own residues."""
    key = Keyed(Literal(7), Kind.INTEGER, (0, 10))
    assert evaluated(residue_of(key.tree, key.kind, within=key.within), {}) == 7
    assert Counter(map(number, range(1000))).most_common(1)[0][1] == 1
