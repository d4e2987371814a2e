"""Law: upper sums of a convolution are none too small, and larger by what is said at most."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential_privacy.accounting import convolution
from differential_privacy.accounting.convolution import convolved_tail, upper_convolution

LONG = np.longdouble
Floats = np.ndarray


def exact(one: Floats, two: Floats) -> Floats:
    """The convolution in extended precision, one shifted copy after another: no transform."""
    total = np.zeros(len(one) + len(two) - 1, dtype=LONG)
    if len(one) > len(two):
        one, two = two, one
    wide = two.astype(LONG)
    for place, weight in enumerate(one.astype(LONG)):
        if weight:
            total[place : place + len(two)] += weight * wide
    return total


def upper(mass: Floats) -> Floats:
    return np.cumsum(mass.astype(LONG)[::-1])[::-1]


def from_above(found: Floats, truth: Floats) -> bool:
    return bool(np.all(upper(found) >= upper(truth) * (1 - LONG(1e-16)))) and bool(
        np.all(found >= 0)
    )


def near(found: Floats, truth: Floats, added: float) -> bool:
    excess = upper(found) - upper(truth)
    return bool(excess.max() <= 3 * added + LONG(1e-13) * float(truth.sum()))


def normal(n: int, width: float) -> Floats:
    x = np.exp(-(((np.arange(n) - n / 2) / width) ** 2) / 2)
    return x / x.sum()


def peaked(n: int) -> Floats:
    x = np.full(n, 1e-19)
    x[[0, n // 3, -1]] = 1 / 3
    return x


def falling(n: int, rate: float) -> Floats:
    x = rate ** np.arange(n, dtype=float)
    return x / x.sum()


SHAPES = {
    "normal": normal(700, 20),
    "wide": normal(900, 200),
    "peaks": peaked(600),
    "falling": falling(800, 0.7),
    "rising": falling(800, 0.7)[::-1].copy(),
    "slow": falling(1500, 0.99),
    "flat": np.full(1000, 1e-3),
    "alternating": np.tile([1e-3, 1e-17], 500),
    "tail": np.concatenate((normal(300, 10), np.full(2500, 1e-21))),
    "one": np.array([1.0]),
    "two": np.array([0.25, 0.75]),
    "gap": np.concatenate(([0.5], np.zeros(900), [0.5])),
    "tiny": np.full(400, 1e-30),
    "limit": np.full(256, 1 / 256),
    "beyond": np.full(257, 1 / 257),
}


@pytest.mark.parametrize("one", SHAPES)
def test_adversarial_arrays(one: str) -> None:
    for two in SHAPES.values():
        found, added = upper_convolution(SHAPES[one], two)
        truth = exact(SHAPES[one], two)
        assert len(found) == len(truth)
        assert from_above(found, truth)
        assert near(found, truth, added)
        total = SHAPES[one].sum() * two.sum()
        assert 0 <= added <= 1e-11 * total


ARRAYS = st.builds(
    lambda size, seeds, power: np.resize(np.array(seeds, dtype=float) ** power + 1e-25, size),
    st.integers(1, 1200),
    st.lists(st.floats(0, 1), min_size=1, max_size=40),
    st.sampled_from([1, 4, 16]),
).map(lambda x: x / x.sum())


@settings(max_examples=25)
@given(ARRAYS, ARRAYS)
def test_any_arrays(one: Floats, two: Floats) -> None:
    found, added = upper_convolution(one, two)
    assert from_above(found, exact(one, two))
    assert near(found, exact(one, two), added)


@settings(max_examples=25)
@given(ARRAYS, ARRAYS, st.sampled_from([1e-3, 1e-9, 1e-18]))
def test_the_tail_is_the_first_that_sums_to_so_little(
    one: Floats, two: Floats, most: float
) -> None:
    place, told = convolved_tail(one, two, most)
    truth = np.append(upper(exact(one, two)), LONG(0))
    assert truth[place] * (1 - LONG(1e-12)) <= told <= most
    assert told <= truth[place] * (1 + LONG(1e-12))
    assert place == 0 or truth[place - 1] * (1 + LONG(1e-12)) >= most


def test_planted_a_transform_that_wraps_around_is_found() -> None:
    one = two = SHAPES["wide"]
    short = np.fft.irfft(np.fft.rfft(one, 1024) * np.fft.rfft(two, 1024), 1024)
    assert not from_above(np.resize(short, 1799), exact(one, two)) or not near(
        np.resize(short, 1799), exact(one, two), 1e-12
    )


def test_planted_errors_that_are_not_added_are_found() -> None:
    silent = 0
    for one in ("normal", "wide", "slow", "tail"):
        x = SHAPES[one]
        size = 1 << (2 * len(x)).bit_length()
        bare = np.maximum(
            np.fft.irfft(np.fft.rfft(x, size) * np.fft.rfft(x, size), size)[: 2 * len(x) - 1], 0.0
        )
        silent += from_above(bare, exact(x, x))
    assert silent < 4


def test_planted_a_body_cut_without_its_tail_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = convolution._convolution
    calls = []

    def first_only(one: Floats, two: Floats) -> tuple[Floats, float]:
        calls.append(1)
        found, error = original(one, two)
        return (found, error) if len(calls) == 1 else (found * 0, 0.0)

    monkeypatch.setattr(convolution, "_convolution", first_only)
    x = SHAPES["tail"]
    assert not from_above(upper_convolution(x, x)[0], exact(x, x))
