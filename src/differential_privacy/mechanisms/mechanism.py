"""What every mechanism can say of itself: the contract that one test suite holds all of them to."""

from typing import Protocol, TypeVar

from differential_privacy.privacy import Loss, Sensitivity
from differential_privacy.sampling import Bits

__all__ = ["Mechanism"]

Exact_contra = TypeVar("Exact_contra", contravariant=True)
Noisy_co = TypeVar("Noisy_co", covariant=True)


class Mechanism(Protocol[Exact_contra, Noisy_co]):
    """A public recipe for a random answer; the exact value that it is given is private.

    Each mechanism also has `probability(noisy, exact=...)`, an enclosure of the chance of an
    answer: the laws are checked with it, and it is the likelihood that an analyst reasons with.
    """

    def loss(self, sensitivity: Sensitivity) -> Loss:
        """The loss of one release of a value that one unit moves by at most the sensitivity."""

    def release(self, exact: Exact_contra, *, bits: Bits | None = None) -> Noisy_co:
        """One draw for the private exact value."""
