"""A made-up town: zip codes, birth dates, sexes and illnesses of people who do not exist."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.made_up import picked, whole
from differential_privacy.sampling import Bits
from differential_privacy.sources import Column

__all__ = ["BIRTH", "ILLNESS", "SEX", "WEIGHTS", "ZIP", "Town", "alone"]

ZIPS = (2_000, 5_000, 9_000, 14_000, 20_000, 26_000, 34_000)
"""People of each zip code: most zip codes are small, and most people live in large ones."""

FIRST_ZIP = 19_100

DECADES = (12, 13, 14, 13, 12, 13, 12, 7, 3, 1)
"""Of a hundred people, how many are in each decade of age: about as in the United States."""

DECADE_DAYS = 3652
TODAY = np.datetime64("2025-12-31")
OLDEST = np.datetime64("1926-01-01")

ILLNESSES = tuple(f"illness {number:02d}" for number in range(1, 21))
WEIGHTS = tuple(1 / (number + 4) for number in range(1, 21))
"""How frequent each is: anyone may know that, from the papers."""

ZIP = Column("zip", "integer", lower=FIRST_ZIP, upper=FIRST_ZIP + len(ZIPS) - 1, nullable=False)
BIRTH = Column("birth", "date", lower=str(OLDEST), upper=str(TODAY), nullable=False)
SEX = Column("sex", "text", categories=("female", "male"), nullable=False)
ILLNESS = Column("illness", "text", categories=ILLNESSES, nullable=False)


@dataclass(frozen=True, slots=True)
class Town:
    """People, each at one place of all arrays; an illness is its place among `ILLNESSES`.

    >>> from differential_privacy.audit.attacks.made_up import Repeated, whole
    >>> from differential_privacy.audit.attacks.town import Town
    >>> Town.made(bits=Repeated(1)).zips.size
    110000
    """

    zips: NDArray[np.int64]
    births: NDArray[np.datetime64]
    sexes: NDArray[np.int64]
    illnesses: NDArray[np.int64]

    @classmethod
    def made(cls, *, bits: Bits) -> "Town":
        """Draws the people."""
        people = sum(ZIPS)
        decade = picked(DECADES, people, bits=bits)
        days = decade * DECADE_DAYS + whole(DECADE_DAYS, people, bits=bits)
        return cls(
            zips=FIRST_ZIP + np.repeat(np.arange(len(ZIPS)), ZIPS),
            births=np.maximum(TODAY - days.astype("timedelta64[D]"), OLDEST),
            sexes=whole(2, people, bits=bits),
            illnesses=picked(WEIGHTS, people, bits=bits),
        )

    def some(self, places: NDArray[np.int64]) -> "Town":
        """The people at these places."""
        return Town(
            self.zips[places], self.births[places], self.sexes[places], self.illnesses[places]
        )

    def rows(self) -> dict[str, NDArray[np.generic]]:
        """The people as the rows of a table without names."""
        return {
            "zip": self.zips,
            "birth": self.births.astype("datetime64[s]"),
            "sex": np.array(SEX.categories)[self.sexes],
            "illness": np.array(ILLNESSES)[self.illnesses],
        }

    def keys(self) -> NDArray[np.int64]:
        """One number for each zip code, birth date and sex together."""
        days = (self.births - OLDEST).astype(np.int64)
        return (self.zips * (1 << 20) + days) * 2 + self.sexes


def alone(*columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Of each row, whether no other has the same in all of these columns.

    >>> from differential_privacy.audit.attacks.town import alone
    >>> alone(np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6])).tolist()
    [False, False, True, True]
    """
    code = np.zeros(columns[0].size, np.int64)
    for column in columns:
        values, places = np.unique(column, return_inverse=True)
        code = code * values.size + places
    _, places, counts = np.unique(code, return_inverse=True, return_counts=True)
    return np.asarray(counts[places] == 1)
