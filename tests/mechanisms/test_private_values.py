"""Fields are public and arguments are private: nothing that is shown holds a private value."""

import copy
import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.cases import CASES, Case

from differential_privacy.mechanisms import SparseVector

SECRET = 987654321


def release_secret(case: Case) -> None:
    """Give the mechanism something secret of the shape that it takes."""
    exact = case.pairs[0][0]
    if isinstance(exact, tuple):
        case.mechanism.release([SECRET] * len(exact))
    elif isinstance(exact, float):
        case.mechanism.release(np.array([float(SECRET)]))
    else:
        case.mechanism.release(SECRET)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mechanism_keeps_nothing_of_what_it_was_given(case: Case) -> None:
    before = repr(case.mechanism)
    release_secret(case)
    assert repr(case.mechanism) == str(case.mechanism) == before
    assert str(SECRET) not in before


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_mechanism_is_a_value(case: Case) -> None:
    mechanism = case.mechanism
    twin = copy.deepcopy(mechanism)
    assert twin == mechanism
    assert hash(twin) == hash(mechanism)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism  # noqa: S301 - our own bytes
    assert case.planted != mechanism
    name = dataclasses.fields(mechanism)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(mechanism, name, None)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_text_of_a_mechanism_shows_all_its_parameters(case: Case) -> None:
    for field in dataclasses.fields(case.mechanism):
        value = getattr(case.mechanism, field.name)
        if isinstance(value, bool):
            assert f"{field.name}={value}" in repr(case.mechanism)
    assert repr(case.mechanism).startswith(type(case.mechanism).__name__)
    assert repr(case.mechanism) != repr(case.planted)


def opened() -> Any:
    return SparseVector(threshold_scale="1e30", value_scale=1, positives=2).open(0)


def test_the_text_of_a_run_shows_neither_the_blurred_threshold_nor_a_value() -> None:
    run = opened()
    blurred = abs(run._blurred)
    run.above(SECRET)
    for text in (repr(run), str(run), f"{run}"):
        assert str(blurred) not in text
        assert str(SECRET) not in text
    assert run.left in {1, 2}


def test_runs_cannot_be_compared_to_find_the_blurred_threshold() -> None:
    run = opened()
    assert run == run  # noqa: PLR0124 - a run is itself
    guess = type(run)(run.mechanism, run._blurred, bits=None)
    assert run != guess
