"""How fast and how tight numerical composition is, beside dp-accounting's, at delta 1e-6."""

import time
from collections.abc import Callable, Iterator
from fractions import Fraction

from clock import race
from differential_privacy import accounting
from differential_privacy.accounting import NumericalLoss
from differential_privacy.privacy import GaussianLoss
from line import Line, ours_at_most, within
from measure import Measure
from peer import Peer

__all__ = ["measures"]

DELTA = Fraction(1, 10**6)
NEAR = within(0.001)
PEER = "dp-accounting 0.6.0 PLD, grid 1e-4"

EPSILONS = [round(0.05 + 0.0001 * i, 4) for i in range(1000)]

LAWS: dict[str, Callable[..., NumericalLoss]] = {
    "laplace": accounting.laplace_loss,
    "gaussian": lambda sigma: accounting.to_numerical(GaussianLoss(Fraction(1, sigma**2))),
    "sampled_gaussian": accounting.sampled_gaussian_loss,
}

REPEATED: list[tuple[str, str, dict[str, float], list[int]]] = [
    ("Laplace 0.1", "laplace", {"epsilon": 0.1}, [10, 100, 1000, 10000]),
    ("Laplace 0.01", "laplace", {"epsilon": 0.01}, [10000]),
    ("Gaussian sigma 30", "gaussian", {"sigma": 30}, [10, 100, 1000, 10000]),
    (
        "subsampled Gaussian q=.01 sigma 1",
        "sampled_gaussian",
        {"sigma": 1, "rate": 0.01},
        [10**3, 10**4, 10**5],
    ),
]


def measures(peer: Peer) -> Iterator[Measure]:
    yield Measure("1,000 different Laplace events", different, peer)
    for name, law, parameters, repeats in REPEATED:
        for times in repeats:
            yield Measure(f"{name} x {times}", repeated, law, parameters, times, peer)


class Stopwatch:
    """A runner of a race that remembers the epsilon it came to."""

    epsilon: float

    def ours(self, compose: Callable[[], NumericalLoss]) -> float:
        start = time.process_time()
        self.epsilon = float(compose().epsilon_at(DELTA))
        return time.process_time() - start

    def theirs(self, peer: Peer, **question: object) -> float:
        answer = peer.ask(**question)
        self.epsilon = answer["epsilon"]
        return answer["seconds"]


def different(name: str, peer: Peer) -> Iterator[Line]:
    ours, one_by_one, in_pairs = Stopwatch(), Stopwatch(), Stopwatch()

    def compose() -> NumericalLoss:
        return accounting.sequential([accounting.laplace_loss(e) for e in EPSILONS])

    best = race(
        {
            "ours": lambda: ours.ours(compose),
            "in pairs": lambda: in_pairs.theirs(peer, what="different_in_pairs", epsilons=EPSILONS),
        },
        rounds=2,
    )
    last = race(
        {
            "ours": lambda: ours.ours(compose),
            "accountant": lambda: one_by_one.theirs(peer, what="different", epsilons=EPSILONS),
        },
        rounds=1,
    )
    time_bar = ours_at_most(3)
    yield Line(
        f"{name}, time", "s", last["ours"], last["accountant"], f"{PEER}, accountant", time_bar
    )
    yield Line(f"{name}, time", "s", best["ours"], best["in pairs"], f"{PEER}, in pairs", time_bar)
    yield Line(f"{name}, epsilon", "epsilon", ours.epsilon, one_by_one.epsilon, PEER, NEAR)


def repeated(
    name: str, law: str, parameters: dict[str, float], times: int, peer: Peer
) -> Iterator[Line]:
    ours, other = Stopwatch(), Stopwatch()
    best = race(
        {
            "ours": lambda: ours.ours(
                lambda: accounting.repeated(LAWS[law](*parameters.values()), times=times)
            ),
            "theirs": lambda: other.theirs(
                peer, what="repeated", law=law, parameters=parameters, times=times
            ),
        },
        rounds=3,
    )
    yield Line(f"{name}, epsilon", "epsilon", ours.epsilon, other.epsilon, PEER, NEAR)
    yield Line(f"{name}, time", "s", best["ours"], best["theirs"], PEER)
