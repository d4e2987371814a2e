"""dp-accounting's numerical composition, computed and timed in its own environment."""

import time
from collections.abc import Callable

import dp_accounting
from dp_accounting.pld import pld_privacy_accountant
from dp_accounting.pld import privacy_loss_distribution as pld

from peer import serve

DELTA = 1e-6
GRID = 1e-4
"""Its value_discretization_interval: its default, said here because a coarser one is quicker."""

Distribution = pld.PrivacyLossDistribution

LAWS: dict[str, Callable[..., Distribution]] = {
    "laplace": lambda epsilon: pld.from_laplace_mechanism(
        1 / epsilon, value_discretization_interval=GRID
    ),
    "gaussian": lambda sigma: pld.from_gaussian_mechanism(
        sigma, value_discretization_interval=GRID
    ),
    "sampled_gaussian": lambda sigma, rate: pld.from_gaussian_mechanism(
        sigma, sampling_prob=rate, value_discretization_interval=GRID
    ),
}


def repeated(law: str, parameters: dict[str, float], times: int) -> float:
    """The epsilon of one event many times over."""
    return LAWS[law](**parameters).self_compose(times).get_epsilon_for_delta(DELTA)


def different(epsilons: list[float]) -> float:
    """The epsilon of Laplace events given to its accountant, which takes one after another."""
    accountant = pld_privacy_accountant.PLDAccountant(value_discretization_interval=GRID)
    events = [dp_accounting.LaplaceDpEvent(1 / epsilon) for epsilon in epsilons]
    accountant.compose(dp_accounting.ComposedDpEvent(events))
    return accountant.get_epsilon(DELTA)


def different_in_pairs(epsilons: list[float]) -> float:
    """The same by hand, in pairs and pairs of pairs: kinder to it than its own accountant."""
    rest = [LAWS["laplace"](epsilon) for epsilon in epsilons]
    while len(rest) > 1:
        last = rest[2 * (len(rest) // 2) :]
        pairs = zip(rest[::2], rest[1::2], strict=False)
        rest = [one.compose(other) for one, other in pairs] + last
    return rest[0].get_epsilon_for_delta(DELTA)


QUESTIONS = {
    "repeated": repeated,
    "different": different,
    "different_in_pairs": different_in_pairs,
}


def answer(what: str, **question: object) -> dict[str, float]:
    start = time.process_time()
    epsilon = QUESTIONS[what](**question)
    return {"epsilon": epsilon, "seconds": time.process_time() - start}


if __name__ == "__main__":
    serve(answer)
