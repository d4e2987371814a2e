"""How often something came out so, with the interval that the true chance lies in."""

from dataclasses import dataclass

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import integer, odds_of_tail

__all__ = ["Share"]

TAIL = 0.025
"""What either end of a 95 % interval leaves out."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hits among independent trials.

    Theorem: the chances at which so many hits or more, or so few or fewer, have a chance of 2.5 %
    hold the true chance between them with 95 %, whatever it is.

    Reference: Clopper, Pearson 1934.

    >>> from differential_privacy.audit.attacks.share import Share
    >>> print(Share(0, 10), "and", Share(150, 200))
    0 % (0 to 30.8) and 75 % (68.4 to 80.8)
    """

    hits: int
    trials: int

    def __post_init__(self) -> None:
        if integer(self.hits, "hits", least=0) > integer(self.trials, "trials", least=1):
            raise InvalidArgumentError("hits", self.hits, "must be at most the trials")

    @property
    def value(self) -> float:
        """Hits for each trial."""
        return self.hits / self.trials

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        return _least(self.hits, self.trials)

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return 1 - _least(self.trials - self.hits, self.trials)

    def as_json(self) -> dict[str, float]:
        """Its numbers by name."""
        numbers = {"hits": self.hits, "trials": self.trials}
        return numbers | {"share": self.value, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        ends = f"{100 * self.low:.3g} to {100 * self.high:.3g}"
        return f"{100 * self.value:.3g} % ({ends})"


def _least(hits: int, trials: int) -> float:
    """The chance of a hit at which so many or more are as unlikely as a tail may be."""
    if hits == 0:
        return 0.0
    odds = odds_of_tail(hits, trials, TAIL)
    return odds / (1 + odds)
