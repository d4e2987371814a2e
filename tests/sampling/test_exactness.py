"""Whether digits, tables and coins are exact: by enumeration of bits, and against 120 digits."""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.sampling.conftest import FixedBits, ScriptedBits

from differential_privacy import sampling
from differential_privacy.sampling import digits as digits_module
from differential_privacy.sampling import table as table_module
from differential_privacy.sampling.bits import Bits, Reader
from differential_privacy.sampling.blocks import OPEN, Blocks
from differential_privacy.sampling.coins import exp_coins
from differential_privacy.sampling.digits import digits_of, digits_of_exp, exp_of_minus, is_below
from differential_privacy.sampling.gaussian import GaussianLaw
from differential_privacy.sampling.laplace import LaplaceLaw
from differential_privacy.sampling.rejection import exp_coin, gaussian_draw, laplace_draw
from differential_privacy.sampling.table import Table, proven_floors

Law = LaplaceLaw | GaussianLaw

WORDS = 1 << 16
PLACES = 120
LAWS = [
    *(LaplaceLaw(Fraction(text)) for text in ("1/3", "1", "12345/67", "63", "64", "1000000")),
    *(GaussianLaw(Fraction(text)) for text in ("1/9", "7/3", "10000", "25921", "1e12")),
]


def name(law: Law) -> str:
    return f"{type(law).__name__} {vars(law).get('_scale') or vars(law)['_variance']}"


def ratio(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def true_thresholds(law: Law, count: int) -> list[mpmath.mpf]:
    """The probability of less than k by block and sign, from the definition of the law."""
    width = 1 << law.shift
    if isinstance(law, LaplaceLaw):
        fall = mpmath.exp(-1 / ratio(law._scale))
        reach = int(300 * float(law._scale) / width) + 300
        ordered = [fall ** (width * (j // 2) + j % 2) for j in range(2 * reach)]
    else:
        reach = int(25 * math.sqrt(law._variance) / width) + 25
        ordered = []
        for j in range(2 * reach):
            size = j // 2 + j % 2 if width == 1 else width * (j // 2)
            ordered.append(mpmath.exp(-(mpmath.mpf(size) ** 2) / (2 * ratio(law._variance))))
    total = mpmath.fsum(ordered)
    reached, thresholds = mpmath.mpf(0), []
    for weight in ordered[:count]:
        reached += weight
        thresholds.append(reached / total)
    return thresholds


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_every_threshold_and_guide_cell_is_right_to_its_last_digit(law: Law) -> None:
    with mpmath.workdps(PLACES):
        floors = proven_floors(law, 64)
        true = true_thresholds(law, len(floors))
        assert floors == [int(mpmath.floor(mpmath.ldexp(threshold, 64))) for threshold in true]
        assert mpmath.ldexp(1 - true[-1], 32) <= 1
        guide = Table(law).guide
        ends = [int(mpmath.floor(mpmath.ldexp(threshold, 16))) for threshold in true]
    wanted = np.searchsorted(ends, np.arange(WORDS))
    wanted[ends] = -1
    wanted[ends[-1] :] = -1
    assert np.array_equal(guide, wanted)


@pytest.mark.parametrize("law", LAWS, ids=name)
def test_more_digits_continue_the_thresholds(law: Law) -> None:
    short, long = proven_floors(law, 64), proven_floors(law, 192)
    assert [floor >> 128 for floor in long[: len(short)]] == short


@pytest.mark.parametrize("law", [law for law in LAWS if not law.shift], ids=name)
def test_all_words_of_16_bits_give_each_integer_its_probability(law: Law) -> None:
    guide_words = np.arange(WORDS, dtype=np.uint16).tobytes()

    def drawn(rest: Callable[[int], bytes]) -> NDArray[np.int64]:
        out = np.empty(WORDS, dtype=np.int64)
        bits = ScriptedBits(lambda _: guide_words, rest, lambda count: b"\x55" * count)
        Blocks(law)._fill(out, bits)
        return out

    lowest, highest = drawn(bytes), drawn(lambda count: b"\xff" * count)
    rank = np.array([lowest, highest])
    rank = np.where(rank >= 0, 2 * rank, -2 * rank - 1)
    # The last word of all holds the endless tail, however far its own bits may lead.
    rank[1, -1] = 1000
    decided = np.flatnonzero(rank[0] == rank[1])
    with mpmath.workdps(PLACES):
        true = [mpmath.mpf(0), *true_thresholds(law, 40)]
        for number in range(40):
            x = (number >> 1) ^ -(number & 1)
            possible = int(((rank[0] <= number) & (number <= rank[1])).sum())
            sure = int((lowest[decided] == x).sum())
            exact = (true[number + 1] - true[number]) * WORDS
            assert sure <= exact <= possible
            assert possible - sure <= 2


@pytest.mark.parametrize("law", [law for law in LAWS if law.shift], ids=name)
def test_quick_acceptance_is_sure_for_every_place_in_a_block(law: Law) -> None:
    width = 1 << law.shift
    for block, sure in enumerate(law.sure(400)):
        for x in (width * block + width - 1, -1 - (width * block + width - 1)):
            exact = law.exponent(x)
            if exact < 16:
                assert Fraction(sure, WORDS) <= Fraction(exp_of_minus(exact, 64)[0], 1 << 64)
            else:
                assert sure == 0


@pytest.mark.parametrize("law", [law for law in LAWS if law.shift], ids=name)
def test_float_exponents_err_less_than_their_bound(law: Law) -> None:
    drawn = sampling.uniform(1 << 40, 2000) - (1 << 39)
    drawn[:1000] >>= 40 - law.shift - 6
    for x, nearby in zip(drawn.tolist(), law.exponents(drawn).tolist(), strict=True):
        exact = law.exponent(x)
        assert exact >= 0
        assert abs(Fraction(nearby) - exact) <= exact / (1 << 48)


def test_odds_of_a_place_are_weights_divided_by_the_weight_of_the_block() -> None:
    laplace, gaussian = LaplaceLaw(Fraction(12345, 67)), GaussianLaw(Fraction(100_000))
    for x in (*range(-700, 700), 10**9, -(10**9)):
        start = (x if x >= 0 else -1 - x) >> laplace.shift << laplace.shift
        # The factor that a negative integer has by its sign alone belongs to its block.
        assert laplace.exponent(x) == (abs(x) - start - (x < 0)) * Fraction(67, 12345)
        start = (x if x >= 0 else -1 - x) >> gaussian.shift << gaussian.shift
        assert gaussian.exponent(x) == Fraction(x * x - start * start, 200_000)


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(5), Fraction(1, 10**9)])
def test_all_words_of_16_bits_give_a_coin_its_probability(x: Fraction) -> None:
    heads = []
    for rest in (0, (1 << 48) - 1):
        word = (np.arange(WORDS, dtype=np.uint64) << np.uint64(48)) | np.uint64(rest)
        exponents = np.full(WORDS, float(x))
        zeros = ScriptedBits(bytes)
        heads.append(int(exp_coins(word, exponents, lambda _: x, zeros).sum()))
    low, high = exp_of_minus(x, 80)
    assert heads[1] <= Fraction(high, 1 << 64)
    assert heads[0] >= Fraction(low, 1 << 64)
    assert heads[0] - heads[1] <= 1


def test_a_coin_inside_the_band_is_decided_as_outside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    x = [Fraction(place, 700) for place in range(1, 700)]
    word = np.array(
        [exp_of_minus(each, 64)[0] + side for each, side in zip(x, SIDES, strict=True)],
        dtype=np.uint64,
    )
    exponents = np.array([float(each) for each in x])
    for band in (2.0**-36, 2.0):
        monkeypatch.setattr("differential_privacy.sampling.coins.BAND", band)
        heads = exp_coins(word, exponents, x.__getitem__, sampling.secure_bits())
        assert heads.tolist() == [side < 0 for side in SIDES]


SIDES = [(-1) ** place * (1 << place % 40 + 1) for place in range(1, 700)]


def test_digits_of_exp_are_those_of_120_decimal_places() -> None:
    with mpmath.workdps(PLACES):
        for x in (Fraction(1, 10**9), Fraction(1, 3), Fraction(12345, 67), Fraction(10**7)):
            for factor in (Fraction(1), Fraction(2**40, 2**40 + 3), Fraction(2**40, 3)):
                true = mpmath.exp(-ratio(x)) * ratio(factor)
                for bits in (16, 64, 200):
                    floor = int(mpmath.floor(mpmath.ldexp(true, bits)))
                    assert digits_of_exp(x, factor)(bits) == floor


def test_a_comparison_goes_on_while_the_digits_are_equal() -> None:
    third = digits_of(Fraction(1, 3))
    equal = third(64).to_bytes(8, "little")

    def below(last: int) -> bool:
        # A reader takes the highest bits of the 32 octets first.
        octets = last.to_bytes(8, "little") + equal * 3
        return is_below(third, third(64), 64, Reader(FixedBits(octets)))

    assert below(third(64) - 1)
    assert not below(third(64) + 1)


def test_a_floor_that_is_not_proven_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = digits_of_exp(Fraction(1, 3))(64)
    floors = proven_floors(LAWS[2], 64)
    monkeypatch.setattr(digits_module, "GUARD", 1)
    monkeypatch.setattr(table_module, "GUARD", 1)
    assert digits_of_exp(Fraction(1, 3))(64) == exact
    assert proven_floors(LAWS[2], 64) == floors


def test_ties_and_tails_of_a_table_read_more_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    refined = []
    refine = Table._refine

    def counted(self: Table, word: int, bits: Bits) -> int:
        refined.append(word)
        return refine(self, word, bits)

    monkeypatch.setattr(Table, "_refine", counted)
    Blocks(LaplaceLaw(Fraction(1)), bits=17).draw(100_000, sampling.secure_bits())
    assert len(refined) > 100


def ones(count: int) -> bytes:
    return b"\xff" * count


def test_a_word_equal_to_a_threshold_is_decided_by_more_bits() -> None:
    law = LaplaceLaw(Fraction(1))
    floor = proven_floors(law, 17)[0]
    first, last = np.array([floor >> 1], np.uint16), np.array([(floor & 1) << 63], np.uint64)
    for rest, drawn in ((bytes, 0), (ones, 1)):
        bits = ScriptedBits(lambda _: last.tobytes(), rest)
        assert Table(law, bits=17).resolve(first, bits).tolist() == [drawn]


@pytest.mark.parametrize("law", [law for law in LAWS if law.shift], ids=name)
def test_a_place_that_its_odds_refuse_is_drawn_again(law: Law) -> None:
    blocks, drawn = Blocks(law), np.empty(1, dtype=np.int64)
    cell = np.flatnonzero(blocks._table.guide >= 0)[:1].astype(np.uint16)
    block = int(blocks._blocks[cell[0]]) << law.shift
    # The farthest place at the worst odds, and then the first place of the same block.
    blocks._fill(
        drawn,
        ScriptedBits(lambda _: cell.tobytes(), ones, ones, ones, lambda _: cell.tobytes(), bytes),
    )
    assert drawn.tolist() == [block]


def test_no_word_is_marked_open_and_used() -> None:
    blocks = Blocks(LaplaceLaw(Fraction(100)))
    assert np.array_equal(blocks._blocks == OPEN, blocks._table.guide < 0)
    assert not blocks._sure[blocks._table.guide < 0].any()


class ExhaustedError(Exception):
    pass


class Prefix(Reader):
    """Reads the bits of one short string and then stops the draw."""

    def __init__(self, string: str) -> None:
        self.string, self.at = string, 0

    def take(self, count: int) -> int:
        part = self.string[self.at : self.at + count]
        self.at += count
        if len(part) < count:
            raise ExhaustedError
        return int("0" + part, 2)


def enumerated(draw: Callable[[Reader], int], depth: int) -> tuple[dict[int, Fraction], Fraction]:
    """The mass of every outcome decided within so many bits, and the mass still open."""
    decided, open_mass, strings = {}, Fraction(0), [""]
    while strings:
        string = strings.pop()
        try:
            outcome = draw(Prefix(string))
        except ExhaustedError:
            if len(string) == depth:
                open_mass += Fraction(1, 1 << depth)
            else:
                strings += [string + "0", string + "1"]
        else:
            decided[outcome] = decided.get(outcome, 0) + Fraction(1, 1 << len(string))
    return decided, open_mass


@pytest.mark.parametrize("text", ["1", "2", "1/2", "3/2"])
def test_all_short_strings_give_rejected_draws_their_probability(text: str) -> None:
    parameter = Fraction(text)
    with mpmath.workdps(30):
        laplace = {x: mpmath.exp(-abs(x) / ratio(parameter)) for x in range(-200, 201)}
        gaussian = {x: mpmath.exp(-x * x / (2 * ratio(parameter))) for x in range(-200, 201)}
        for draw, weights in ((laplace_draw, laplace), (gaussian_draw, gaussian)):
            total = mpmath.fsum(weights.values())
            decided, left = enumerated(lambda bits, draw=draw: draw(parameter, bits), 15)
            assert left < Fraction(3, 4)
            for x, mass in decided.items():
                assert ratio(mass) <= weights[x] / total <= ratio(mass + left)


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(1), Fraction(7, 3)])
def test_all_short_strings_give_a_rejected_coin_its_probability(x: Fraction) -> None:
    decided, left = enumerated(lambda bits: exp_coin(x.numerator, x.denominator, bits), 16)
    low, high = exp_of_minus(x, 64)
    assert left < Fraction(1, 10)
    assert decided[True] <= Fraction(high, 1 << 64)
    assert Fraction(low, 1 << 64) <= decided[True] + left
