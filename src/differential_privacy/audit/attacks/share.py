"""How often something came out so, with the interval that the true chance lies in."""

from dataclasses import dataclass
from fractions import Fraction

from differential_privacy.audit.odds import chance_interval
from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import integer

__all__ = ["Share"]

MISS = Fraction("0.05")
"""How seldom an interval misses the true chance."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hits among independent trials, and the interval that holds their true chance with 95 %.

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
        return float(chance_interval(self.hits, self.trials, miss=MISS)[0])

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return float(chance_interval(self.hits, self.trials, miss=MISS)[1])

    def as_json(self) -> dict[str, float]:
        """Its numbers by name."""
        numbers = {"hits": self.hits, "trials": self.trials}
        return numbers | {"share": self.value, "low": self.low, "high": self.high}

    def __str__(self) -> str:
        ends = f"{100 * self.low:.3g} to {100 * self.high:.3g}"
        return f"{100 * self.value:.3g} % ({ends})"
