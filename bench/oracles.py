"""What dp-accounting says, as test vectors: `make oracles` stores it, the tests compare with it.

Two numbers stand for each epsilon: dp-accounting's pessimistic one, which is never too small, and
its optimistic one, never too large, on a finer grid because it errs by half a step an event.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import reduce
from importlib.metadata import version

import dp_accounting
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import RdpAccountant

DELTAS = [1e-3, 1e-6, 1e-9]
GRID = {"upper": 1e-4, "lower": 1e-5}
FARTHEST = 700
"""Beyond, exp leaves its floats: both its bounds then lie above the truth, by 0.2 % in one case."""

ORDERS = [1.25, 1.5, 2, 3, 4, 8, 16, 32, 64, 128, 256]

Event = dict[str, str | int | float]
Distribution = pld.PrivacyLossDistribution


def event(law: str, times: int = 1, **parameters: float) -> Event:
    return {"law": law, "times": times, **parameters}


LOSSES: list[list[Event]] = [
    # The table of the survey which this project was planned with.
    *([event("laplace", times, epsilon=0.1)] for times in (1, 10, 100, 1000, 10000)),
    [event("laplace", 10000, epsilon=0.01)],
    *([event("gaussian", times, sigma=30)] for times in (1, 10, 100, 1000, 10000)),
    *([event("sampled_gaussian", times, sigma=1, rate=0.01)] for times in (10**3, 10**4, 10**5)),
    # Other parameters of the same laws.
    *([event("laplace", times, epsilon=1)] for times in (1, 3, 30)),
    *([event("gaussian", times, sigma=sigma)] for times in (1, 20) for sigma in (0.5, 2)),
    *(
        [event("sampled_gaussian", times, sigma=sigma, rate=rate)]
        for sigma, rate, times in (
            (0.7, 0.001, 1000),
            (0.8, 0.02, 500),
            (1.3, 0.004, 15000),
            (2, 0.1, 1000),
            (4, 0.5, 100),
            (1, 0.01, 1),
        )
    ),
    # Noise on integers.
    *(
        [event("discrete_laplace", times, scale=scale, sensitivity=sensitivity)]
        for scale, sensitivity in ((10, 1), (10, 3), (0.5, 1), (200, 100))
        for times in (1, 10, 300)
    ),
    *(
        [event("discrete_gaussian", times, sigma=sigma, sensitivity=sensitivity)]
        for sigma in (0.7, 3, 30)
        for sensitivity in (1, 2)
        for times in (1, 10, 300)
    ),
    # Randomized response, and the worst of an (epsilon, delta).
    *(
        [event("randomized_response", times, noise=noise, buckets=buckets)]
        for noise, buckets in ((0.5, 2), (0.9, 2), (0.8, 10))
        for times in (1, 10, 100)
    ),
    *(
        [event("approximate", times, epsilon=epsilon, delta=delta)]
        for epsilon, delta in ((0.1, 1e-12), (0.5, 1e-8))
        for times in (1, 50)
    ),
    # Events of several kinds together.
    [
        event("discrete_laplace", 50, scale=10, sensitivity=1),
        event("discrete_gaussian", 50, sigma=30, sensitivity=2),
    ],
    [
        event("discrete_laplace", 5, scale=2, sensitivity=3),
        event("discrete_gaussian", 20, sigma=3, sensitivity=1),
        event("laplace", 100, epsilon=0.03),
    ],
    [
        event("sampled_gaussian", 1000, sigma=1, rate=0.01),
        event("gaussian", 1, sigma=5),
        event("randomized_response", 1, noise=0.5, buckets=2),
    ],
    [event("laplace", 1, epsilon=round(0.05 + 0.005 * i, 3)) for i in range(20)],
]


def _laplace(epsilon: float, **bound: object) -> Distribution:
    return pld.from_laplace_mechanism(1 / epsilon, **bound)


def _gaussian(sigma: float, **bound: object) -> Distribution:
    return pld.from_gaussian_mechanism(sigma, **bound)


def _sampled_gaussian(sigma: float, rate: float, **bound: object) -> Distribution:
    return pld.from_gaussian_mechanism(sigma, sampling_prob=rate, **bound)


def _discrete_laplace(scale: float, sensitivity: int, **bound: object) -> Distribution:
    return pld.from_discrete_laplace_mechanism(1 / scale, sensitivity, **bound)


def _discrete_gaussian(sigma: float, sensitivity: int, **bound: object) -> Distribution:
    return pld.from_discrete_gaussian_mechanism(sigma, sensitivity, **bound)


def _randomized_response(
    noise: float,
    buckets: int,
    *,
    use_connect_dots: bool,  # noqa: ARG001 - it has no such choice
    **bound: object,
) -> Distribution:
    return pld.from_randomized_response(noise, buckets, **bound)


def _approximate(
    epsilon: float,
    delta: float,
    *,
    use_connect_dots: bool,  # noqa: ARG001 - nor here
    pessimistic_estimate: bool,  # noqa: ARG001 - nor here
    value_discretization_interval: float,
) -> Distribution:
    given = common.DifferentialPrivacyParameters(epsilon, delta)
    return pld.from_privacy_parameters(
        given, value_discretization_interval=value_discretization_interval
    )


LAWS: dict[str, Callable[..., Distribution]] = {
    "laplace": _laplace,
    "gaussian": _gaussian,
    "sampled_gaussian": _sampled_gaussian,
    "discrete_laplace": _discrete_laplace,
    "discrete_gaussian": _discrete_gaussian,
    "randomized_response": _randomized_response,
    "approximate": _approximate,
}


def composed(events: list[Event], side: str) -> Distribution:
    bound = {
        "pessimistic_estimate": side == "upper",
        "use_connect_dots": side == "upper",
        "value_discretization_interval": GRID[side],
    }
    parts = []
    for one in events:
        parameters = {name: of for name, of in one.items() if name not in ("law", "times")}
        part = LAWS[one["law"]](**parameters, **bound)
        parts.append(part.self_compose(one["times"]) if one["times"] > 1 else part)
    return reduce(lambda one, other: one.compose(other), parts)


def losses() -> Iterator[dict[str, object]]:
    for place, events in enumerate(LOSSES, start=1):
        print(f"{place} of {len(LOSSES)}: {events[0]}", file=sys.stderr, flush=True)
        bounds = {side: composed(events, side) for side in GRID}
        # Of an (epsilon, delta) it knows a pessimistic side only.
        if any(one["law"] == "approximate" for one in events):
            del bounds["lower"]
        for delta in DELTAS:
            found = {side: bound.get_epsilon_for_delta(delta) for side, bound in bounds.items()}
            if all(epsilon <= FARTHEST for epsilon in found.values()):
                yield {"events": events, "delta": delta, **found}


def renyi() -> Iterator[dict[str, object]]:
    """Divergences at each order, and what its accountant makes of 20 such events."""
    lie = [(epsilon, 2 / (1 + math.exp(epsilon))) for epsilon in (0.1, 1, 3)]
    cases = [
        *(
            ({"law": "laplace", "epsilon": epsilon}, dp_accounting.LaplaceDpEvent(1 / epsilon))
            for epsilon in (0.1, 1, 3)
        ),
        *(
            ({"law": "gaussian", "sigma": sigma}, dp_accounting.GaussianDpEvent(sigma))
            for sigma in (0.7, 3, 30)
        ),
        *(
            (
                {"law": "pure", "epsilon": epsilon},
                dp_accounting.RandomizedResponseDpEvent(noise_parameter=noise, num_buckets=2),
            )
            for epsilon, noise in lie
        ),
    ]
    for named, one in cases:
        relation = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE
        if named["law"] == "pure":
            relation = dp_accounting.NeighboringRelation.REPLACE_ONE
        single, many = RdpAccountant(ORDERS, relation), RdpAccountant(ORDERS, relation)
        single.compose(one)
        many.compose(one, 20)
        yield {
            **named,
            "orders": ORDERS,
            "divergences": single.rdp.tolist(),
            "times": 20,
            "epsilons": {str(delta): many.get_epsilon(delta) for delta in DELTAS},
        }


def analytic_gaussian() -> Iterator[dict[str, float]]:
    for epsilon in (0.01, 0.1, 0.5, 1, 3, 10):
        for delta in DELTAS:
            sigma = dp_accounting.get_sigma_gaussian(epsilon, delta)
            yield {"epsilon": epsilon, "delta": delta, "sigma": sigma}


def exact_gaussian() -> Iterator[dict[str, float]]:
    for sigma in (0.3, 1, 5, 30, 100):
        for delta in DELTAS:
            epsilon = dp_accounting.get_epsilon_gaussian(sigma, delta)
            yield {"sigma": sigma, "delta": delta, "epsilon": epsilon}


if __name__ == "__main__":
    found = {
        "dp_accounting": version("dp-accounting"),
        "value_discretization_intervals": GRID,
        "losses": list(losses()),
        "renyi": list(renyi()),
        "analytic_gaussian": list(analytic_gaussian()),
        "exact_gaussian": list(exact_gaussian()),
    }
    json.dump(found, sys.stdout, indent=1)
    print()
