"""The attacks by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from differential_privacy.audit.attacks.averaging import averaging
from differential_privacy.audit.attacks.k_anonymity import k_anonymity
from differential_privacy.audit.attacks.linkage import linkage
from differential_privacy.audit.attacks.membership_of_a_mean import membership_of_a_mean
from differential_privacy.audit.attacks.reconstruction import reconstruction
from differential_privacy.audit.attacks.report import Report
from differential_privacy.audit.attacks.uniqueness import uniqueness

__all__ = ["ATTACKS", "Attack"]


class Run(Protocol):
    """Carries an attack out, on data that a seed determines."""

    def __call__(self, *, seed: int) -> Report:
        """What it found."""


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack, and what it does in one line."""

    about: str
    run: Run


ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "uniqueness": Attack("Single people out by zip code, birth date and sex.", uniqueness),
        "linkage": Attack("Put names on a table without names.", linkage),
        "k-anonymity": Attack("Tell illnesses from groups of people who look alike.", k_anonymity),
        "reconstruction": Attack("Solve for everybody's secret from many counts.", reconstruction),
        "averaging": Attack("Ask again and again, until the noise is gone.", averaging),
        "membership": Attack("Tell from means who was in a group.", membership_of_a_mean),
    }
)
