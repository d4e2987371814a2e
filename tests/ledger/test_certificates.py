"""What a release costs in each measure, and that it is written exactly."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.accounting import discrete_laplace_loss, to_concentrated, to_renyi
from differential_privacy.errors import InvalidArgumentError, NoTheoremError
from differential_privacy.ledger import (
    Certificates,
    approximate_to_concentrated,
    as_json,
    from_json,
)
from differential_privacy.ledger.measures import left_of, nothing_of
from differential_privacy.privacy import (
    ApproximateLoss,
    ConcentratedLoss,
    GaussianLoss,
    PureLoss,
    RenyiLoss,
    Spendable,
)

NUMBERS = st.one_of(
    st.fractions(0, 100),
    st.floats(0, 1e6, allow_nan=False),
    st.integers(0, 10**30),
    st.sampled_from(["1e-320", "1e300", Fraction(1, 3**400)]),
)
CHANCES = st.fractions(0, Fraction(1, 2), max_denominator=10**9)
ORDERS = st.fractions(Fraction(11, 10), 100, max_denominator=50)
LOSSES = st.one_of(
    st.builds(PureLoss, NUMBERS),
    st.builds(ApproximateLoss, NUMBERS, CHANCES),
    st.builds(ConcentratedLoss, NUMBERS, CHANCES),
    st.builds(GaussianLoss, NUMBERS),
    st.dictionaries(ORDERS, NUMBERS, min_size=1, max_size=4).map(RenyiLoss),
)


@given(LOSSES)
def test_a_loss_reads_back_equal(loss: Spendable) -> None:
    ((name, numbers),) = json.loads(json.dumps(as_json([loss]))).items()
    assert from_json(name, numbers) == loss


@given(LOSSES)
def test_what_is_left_of_nothing_spent_is_all(loss: Spendable) -> None:
    assert left_of(loss, nothing_of(loss)) == loss
    assert left_of(loss, loss) == nothing_of(loss)
    assert nothing_of(loss) + loss == loss


@given(LOSSES)
def test_certificates_read_back_equal_from_their_text(loss: Spendable) -> None:
    certificates = Certificates(loss)
    assert eval(repr(certificates)) == certificates  # noqa: S307


def test_a_pure_loss_has_a_certificate_in_each_measure_but_the_gaussian() -> None:
    certificates = Certificates(PureLoss(1))
    assert certificates.for_budget(PureLoss(0)) == PureLoss(1)
    assert certificates.for_budget(ApproximateLoss(0, 0)) == ApproximateLoss(1, 0)
    assert certificates.for_budget(ConcentratedLoss(0)) == ConcentratedLoss("1/2")
    budget = RenyiLoss({2: 1, 32: 1})
    assert certificates.for_budget(budget) == to_renyi(PureLoss(1), [2, 32])
    with pytest.raises(NoTheoremError, match="no theorem gives a GaussianLoss"):
        certificates.for_budget(GaussianLoss(1))


def test_a_gaussian_release_is_charged_by_what_it_was_calibrated_for() -> None:
    calibrated = Certificates(ConcentratedLoss("0.02"), ApproximateLoss(1, "1e-6"))
    assert calibrated.for_budget(ApproximateLoss(2, "1e-5")) == ApproximateLoss(1, "1e-6")
    assert calibrated.for_budget(ConcentratedLoss(1)) == ConcentratedLoss("0.02")
    assert calibrated.for_budget(RenyiLoss({2: 1})) == RenyiLoss({2: "0.04"})
    with pytest.raises(NoTheoremError, match="no theorem gives a PureLoss"):
        calibrated.for_budget(PureLoss(1))


def test_a_gaussian_loss_has_the_rho_and_the_curve_of_its_mu() -> None:
    certificates = Certificates(GaussianLoss(1))
    assert certificates.for_budget(ConcentratedLoss(1)) == ConcentratedLoss("1/2")
    assert certificates.for_budget(RenyiLoss({4: 9})) == RenyiLoss({4: 2})
    with pytest.raises(NoTheoremError):
        certificates.for_budget(ApproximateLoss(9, "1e-6"))


def test_a_chance_left_unprotected_has_no_renyi_divergence() -> None:
    with pytest.raises(NoTheoremError, match="a RenyiLoss"):
        Certificates(ApproximateLoss(1, "1e-6")).for_budget(RenyiLoss({2: 1}))


def test_a_stated_curve_is_taken_where_it_knows_the_orders_and_filled_where_not() -> None:
    certificates = Certificates(PureLoss(1), RenyiLoss({2: "0.1"}))
    assert certificates.for_budget(RenyiLoss({2: 1})) == RenyiLoss({2: "0.1"})
    filled = certificates.for_budget(RenyiLoss({2: 1, 8: 1}))
    assert filled == RenyiLoss({2: "0.1", 8: to_renyi(PureLoss(1), [8]).at(8)})
    with pytest.raises(NoTheoremError):
        Certificates(RenyiLoss({2: "0.1"})).for_budget(RenyiLoss({8: 1}))


def test_the_least_curve_that_a_theorem_gives_is_taken() -> None:
    both = Certificates(PureLoss(3), GaussianLoss(1))
    pure, gaussian = (to_renyi(loss, [2, 100]) for loss in both.losses[:1] + both.losses[-1:])
    assert both.for_budget(RenyiLoss({2: 1, 100: 1})) == RenyiLoss(
        {2: gaussian.at(2), 100: pure.at(100)}
    )


@given(st.fractions(0, 3, max_denominator=50), CHANCES, st.fractions(0, 4, max_denominator=50))
def test_the_rho_of_an_approximate_loss_is_never_below_its_worst_release(
    epsilon: Fraction, delta: Fraction, wanted: Fraction
) -> None:
    """The worst release tells all with chance delta, else responds at random: both sides exact."""
    loss = ApproximateLoss(epsilon, delta)
    assert approximate_to_concentrated(loss).delta_at(wanted) >= loss.delta_at(wanted) * (
        1 - Fraction(1, 10**9)
    )


def test_half_the_rho_of_an_approximate_loss_would_be_a_lie() -> None:
    loss = ApproximateLoss(1, "1e-6")
    worst = to_renyi(PureLoss(1), [Fraction(11, 10)]).at(Fraction(11, 10))
    rho = approximate_to_concentrated(loss).rho
    assert rho / 2 * Fraction(11, 10) < worst <= rho * Fraction(11, 10)
    assert approximate_to_concentrated(loss).rho == to_concentrated(PureLoss(1)).rho


@pytest.mark.parametrize(
    "losses",
    [
        (),
        (PureLoss(1), PureLoss(2)),
        (0.5,),
        (discrete_laplace_loss(Fraction(2), 1),),
    ],
    ids=lambda losses: str(len(losses)),
)
def test_what_no_filter_is_for_is_no_certificate(losses: tuple) -> None:
    with pytest.raises(InvalidArgumentError):
        Certificates(*losses)
