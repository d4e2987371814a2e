"""The attacks of the notes on numbers and on claims, named after them; 3 to 45 else in hostile."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.replays import worlds
from tests.plans.worlds import GROUPS, ROWS, TOTAL, Data, Visit

from differential_privacy.accounting import (
    fixed_sampled,
    laplace_loss,
    optimal,
    poisson_sampled,
    repeated,
    sequential,
    to_numerical,
)
from differential_privacy.audit import replay
from differential_privacy.audit.tape import Tape
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Grid
from differential_privacy.mechanisms import DiscreteGaussian, Geometric, OnGrid
from differential_privacy.privacy import ApproximateLoss, PureLoss
from differential_privacy.sources import Bounds

GRID = Grid(lower=-1, upper=1, step="0.01")
TINY = st.floats(-1, 1, allow_nan=False)


@given(TINY, st.sampled_from([Geometric(3), DiscreteGaussian(5)]))
def test_01_no_float_that_noise_makes_tells_the_exact_value(
    exact: float, noise: Geometric | DiscreteGaussian
) -> None:
    """Whatever real value went in, what comes out are whole numbers of steps, all possible."""
    released = OnGrid(noise, GRID, count=8).release(np.full(8, exact))
    assert {round(value / 0.01) * 0.01 for value in released} == set(map(float, released))
    steps = range(-3, 4)
    assert all(noise.probability(step, exact=0).low > 0 for step in steps)


def test_02_noise_is_added_to_rounded_values_by_nobody_but_the_sampler() -> None:
    """Two values of one grid point are released alike: their last bits are gone before noise."""
    near = [0.1 + 0.2, 0.3, 0.3 + 5e-17, 0.3 - 1e-12, 0.302]
    released = [
        OnGrid(Geometric(2), GRID, count=1).release(np.array([value]), bits=Tape("one"))
        for value in near
    ]
    assert all((one == released[0]).all() for one in released)


HERS = tuple(Visit(1, number, ward="aabb"[number]) for number in range(4))
ANOTHERS = tuple(Visit(2, 10 + number, ward="a") for number in range(2))


@pytest.mark.parametrize("bounds", [ROWS, GROUPS, TOTAL], ids=str)
def test_17_a_person_who_changes_moves_twice_what_one_who_leaves_does(bounds: Bounds) -> None:
    """What is claimed is for a person who comes or goes; changed rows are both, and no more."""
    changed = tuple(row._replace(ward={"a": "c", "b": None}[str(row.ward)]) for row in HERS)
    text = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    with worlds((bounds,), Data(HERS + ANOTHERS), Data(changed + ANOTHERS)) as (one, other):
        found = replay(lambda session: session.sql(text, epsilon=1), one, other)
    assert not found.differences
    (moved,) = [claim for claim in found.claims if claim.part.startswith("L1")]
    assert moved.moved == 2 * moved.claimed


@pytest.mark.parametrize("noise", [Geometric(100), DiscreteGaussian(10**4)], ids=repr)
def test_26_noise_is_drawn_together_and_reads_as_many_bits_whatever_the_exact_values(
    noise: Geometric | DiscreteGaussian,
) -> None:
    reads = []
    for exact in ([0] * 1000, [10**9] * 1000, list(range(1000))):
        tape = Tape("one")
        noise.release(exact, bits=tape)
        reads.append((tape.calls, tape.read))
    assert len(set(reads)) == 1
    # By the array: no draw of its own for each value, whose time could be told from the others'.
    assert reads[0][0] < 100


def test_37_nothing_is_lost_to_rounding_however_often_little_is_spent() -> None:
    assert repeated(PureLoss("1e-12"), times=10**9).epsilon == Fraction(1, 1000)
    with pytest.raises(InvalidArgumentError):
        repeated(PureLoss("0.1"), times=0)
    losses = [PureLoss("0.1"), PureLoss("1e-12"), PureLoss("1/3")]
    assert {sequential(list(one)) for one in permutations(losses)} == {sequential(losses)}
    assert repeated(ApproximateLoss(1, "1e-300"), times=3).delta == Fraction(3, 10**300)


@pytest.mark.parametrize("times", [1, 10, 100])
def test_37_two_accountants_agree_and_neither_is_below_the_truth(times: int) -> None:
    delta = Fraction(1, 10**6)
    exact = optimal(PureLoss("0.1"), times=times, delta=delta).epsilon
    of_any = repeated(to_numerical(PureLoss("0.1")), times=times).epsilon_at(delta)
    of_laplace = repeated(laplace_loss("0.1"), times=times).epsilon_at(delta)
    # The numerical one may be above the optimal theorem by its grid alone; Laplace is milder.
    assert exact * Fraction(999, 1000) <= of_any <= exact * Fraction(1001, 1000)
    assert of_laplace <= of_any


@pytest.mark.parametrize("rate", ["1.01", "-0.1", "nan", 2])
def test_38_a_sample_of_more_than_all_amplifies_nothing(rate: object) -> None:
    with pytest.raises(InvalidArgumentError):
        poisson_sampled(PureLoss(1), rate=rate)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError):
        fixed_sampled(PureLoss(1), sample=11, population=10)


def test_38_a_sample_of_everybody_is_as_much_as_no_sample() -> None:
    assert poisson_sampled(PureLoss(1), rate=1) == ApproximateLoss(1, 0)
    assert fixed_sampled(PureLoss(1), sample=10, population=10) == ApproximateLoss(1, 0)
    assert poisson_sampled(PureLoss(1), rate=0) == ApproximateLoss(0, 0)
