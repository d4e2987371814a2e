"""Whether coins and uniform integers have exactly their odds."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from tests.sampling.conftest import BATCH, DRAWS, FALSE_ALARM, SLOW, FixedBits, luck

from differential_privacy import sampling
from differential_privacy.sampling.bits import Reader, integers

ODDS = [Fraction(text) for text in ("1/2", "1/3", "1/1000", "999/1000", "2/7")]
EXPONENTS = [Fraction(text) for text in ("1/3", "1", "5/2", "1/1000")]


def heads_and_tails(tossed: np.ndarray | list[bool]) -> np.ndarray:
    return np.bincount(np.asarray(tossed).astype(int), minlength=2)[::-1]


def shares(p: float) -> list[float]:
    return [p, 1 - p]


@pytest.mark.parametrize("p", ODDS, ids=str)
def test_coins_fall_with_their_probability(p: Fraction) -> None:
    counts = sum(
        heads_and_tails(sampling.bernoulli(p, min(BATCH, DRAWS - start)))
        for start in range(0, DRAWS, BATCH)
    )
    assert luck(counts, shares(float(p))) > FALSE_ALARM
    one_by_one = [sampling.bernoulli(p) for _ in range(DRAWS // SLOW)]
    assert luck(heads_and_tails(one_by_one), shares(float(p))) > FALSE_ALARM


@pytest.mark.parametrize("x", EXPONENTS, ids=str)
def test_coins_of_exp_fall_with_their_probability(x: Fraction) -> None:
    counts = sum(
        heads_and_tails(sampling.bernoulli_exp(x, min(BATCH, DRAWS - start)))
        for start in range(0, DRAWS, BATCH)
    )
    assert luck(counts, shares(math.exp(-x))) > FALSE_ALARM
    one_by_one = [sampling.bernoulli_exp(x) for _ in range(DRAWS // SLOW)]
    assert luck(heads_and_tails(one_by_one), shares(math.exp(-x))) > FALSE_ALARM


def test_a_coin_two_percent_off_is_rejected() -> None:
    counts = heads_and_tails(sampling.bernoulli("51/150", DRAWS))
    assert luck(counts, shares(1 / 3)) < FALSE_ALARM


@pytest.mark.parametrize(
    ("p", "word", "after", "heads"),
    [
        ("1/3", 0x5555555555555554, b"", "heads"),
        ("1/3", 0x5555555555555556, b"", "tails"),
        ("1/3", 0x5555555555555555, b"\x54" * 32, "heads"),
        ("1/3", 0x5555555555555555, b"\x56" * 32, "tails"),
        ("1/2", 0x7FFFFFFFFFFFFFFF, b"", "heads"),
        ("1/2", 0x8000000000000000, b"\x01" * 32, "tails"),
    ],
)
def test_a_word_equal_to_the_threshold_is_decided_by_more_bits(
    p: str, word: int, after: bytes, heads: str
) -> None:
    bits = FixedBits(word.to_bytes(8, "little") + after)
    assert sampling.bernoulli(p, 1, bits=bits).tolist() == [heads == "heads"]
    assert not bits.left


def test_certain_coins_never_fall_otherwise() -> None:
    assert sampling.bernoulli(1, 1000).all()
    assert sampling.bernoulli_exp(0, 1000).all()
    assert not sampling.bernoulli(0, 1000).any()
    assert not sampling.bernoulli_exp(10**9, 1000).any()
    assert sampling.bernoulli(1) is True
    assert sampling.bernoulli(0) is False
    assert sampling.bernoulli_exp(10**9) is False


@pytest.mark.parametrize("below", [1, 2, 3, 6, 256, 1000, 65537, 3 << 40, 2**63, 2**63 + 1, 3**80])
def test_uniform_integers_are_equally_likely(below: int) -> None:
    cells = min(below, 50)
    drawn = sampling.uniform(below, DRAWS // SLOW)
    one_by_one = [sampling.uniform(below) for _ in range(DRAWS // SLOW)]
    for numbers in ([int(x) for x in drawn], one_by_one):
        assert 0 <= min(numbers) <= max(numbers) < below
        # Cell c holds the integers from ceil(c below / cells) to before that of c + 1.
        counts = np.bincount([x * cells // below for x in numbers], minlength=cells)
        starts = [-(-cell * below // cells) for cell in range(cells + 1)]
        odds = [(b - a) / below for a, b in pairwise(starts)]
        if cells > 1:
            assert luck(counts, odds) > FALSE_ALARM


def test_all_words_give_each_uniform_integer_equally_often() -> None:
    every = np.arange(1 << 16, dtype=np.uint16)
    for below in (3, 6, 1000, 1 << 16):
        width = (below - 1).bit_length()
        cut = integers(FixedBits(every.tobytes()), width, every.size)
        counts = np.bincount(cut)[:below]
        assert counts.min() == counts.max()


def test_a_word_that_is_too_large_is_drawn_again() -> None:
    words = np.array([5, 6, 7, 2, 7, 7, 3], np.uint16)
    assert sampling.uniform(
        6, 3, bits=FixedBits(words[:6].tobytes() + words[6:].tobytes())
    ).tolist() == [5, 2, 3]


@pytest.mark.parametrize("width", [0, 1, 16, 17, 32, 33, 63])
def test_integers_of_a_width_fill_it(width: int) -> None:
    drawn = integers(sampling.secure_bits(), width, 2000)
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert int(np.bitwise_or.reduce(drawn)) == (1 << width) - 1


def test_a_reader_reads_each_bit_once() -> None:
    octets = bytes(range(1, 103))
    reader = Reader(FixedBits(octets))
    read = ""
    for count in (1, 7, 64, 13, 171, 200, 360):
        read += format(reader.take(count), f"0{count}b")
    whole = "".join(
        format(int.from_bytes(octets[start : start + size], "little"), f"0{8 * size}b")
        for start, size in ((0, 32), (32, 32), (64, 38))
    )
    assert read == whole[: len(read)]
