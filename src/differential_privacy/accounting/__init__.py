"""One function per theorem about losses."""

from differential_privacy.accounting.amplification import fixed_sampled, poisson_sampled
from differential_privacy.accounting.calibration import (
    analytic_sigma,
    classic_sigma,
    concentrated_within,
)
from differential_privacy.accounting.composition import (
    advanced,
    optimal,
    parallel,
    repeated,
    sequential,
)
from differential_privacy.accounting.conversion import (
    ORDERS,
    laplace_renyi,
    to_approximate,
    to_concentrated,
    to_renyi,
)
from differential_privacy.accounting.dominating import (
    discrete_gaussian_loss,
    discrete_laplace_loss,
    finite_loss,
    laplace_loss,
    sampled_gaussian_loss,
    to_numerical,
)
from differential_privacy.accounting.filters import AdvancedFilter, Filter, Odometer
from differential_privacy.accounting.finite import (
    FiniteMechanism,
    Worst,
    hockey_stick,
    least_factor,
)
from differential_privacy.accounting.groups import grouped, preprocessed
from differential_privacy.accounting.lipschitz import lipschitz, lipschitz_at, score_lipschitz
from differential_privacy.accounting.numerical import NumericalLoss
from differential_privacy.accounting.shuffling import shuffled

__all__ = [
    "ORDERS",
    "AdvancedFilter",
    "Filter",
    "FiniteMechanism",
    "NumericalLoss",
    "Odometer",
    "Worst",
    "advanced",
    "analytic_sigma",
    "classic_sigma",
    "concentrated_within",
    "discrete_gaussian_loss",
    "discrete_laplace_loss",
    "finite_loss",
    "fixed_sampled",
    "grouped",
    "hockey_stick",
    "laplace_loss",
    "laplace_renyi",
    "least_factor",
    "lipschitz",
    "lipschitz_at",
    "optimal",
    "parallel",
    "poisson_sampled",
    "preprocessed",
    "repeated",
    "sampled_gaussian_loss",
    "score_lipschitz",
    "sequential",
    "shuffled",
    "to_approximate",
    "to_concentrated",
    "to_numerical",
    "to_renyi",
]
