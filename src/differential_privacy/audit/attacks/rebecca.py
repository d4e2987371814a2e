"""Rebecca: what two k-anonymous tables tell of her, and what our counts do.

Reference: Kearns, Roth 2019, The Ethical Algorithm, chapter 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from differential_privacy.audit.attacks.guarded import guarded, numbers
from differential_privacy.audit.attacks.guessing import odds
from differential_privacy.privacy import PureLoss, belief
from differential_privacy.sources import Column, Place, Table

__all__ = ["NOTES", "REBECCA", "SECOND", "Row", "possible", "what_tables_tell", "what_we_tell"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a k-anonymous table: ages from and below, a sex, an illness."""

    ages: tuple[int, int]
    sex: str
    illness: str

    def may_be(self, age: int, sex: str) -> bool:
        """Whether it can be the row of somebody of this age and sex."""
        return self.ages[0] <= age < self.ages[1] and self.sex == sex


def _rows(ages: tuple[int, int], sex: str, *illnesses: str) -> tuple[Row, ...]:
    return tuple(Row(ages, sex, illness) for illness in illnesses)


NOTES = (
    *_rows((60, 70), "male", "Heart disease", "Lung cancer", "Lung cancer"),
    *_rows((60, 70), "female", "Arthritis", "Crohn's disease"),
    *_rows((50, 60), "female", "HIV", "Ulcerative colitis"),
    *_rows((50, 60), "male", "Lyme disease", "Seasonal allergies"),
)
"""The hospital table of the lecture notes: each row looks like another one at least."""

SECOND = (
    *_rows((50, 65), "female", "HIV", "Asthma", "Migraine"),
    *_rows((65, 80), "female", "Anemia", "Anemia", "Anemia"),
)
"""A second hospital, made up: rows look like three, and one group is all of one illness."""

REBECCA = (55, "female")
HERS = "HIV"


def possible(rows: Iterable[Row], age: int, sex: str) -> list[str]:
    """The illnesses that somebody of this age and sex can have, given that a row is theirs.

    >>> from differential_privacy.audit.attacks.rebecca import NOTES, REBECCA, possible
    >>> possible(NOTES, *REBECCA)
    ['HIV', 'Ulcerative colitis']
    """
    return sorted({row.illness for row in rows if row.may_be(age, sex)})


def what_tables_tell() -> tuple[str, ...]:
    """What the table of the notes, and a second one, tell of a 55-year-old woman."""
    first, second = possible(NOTES, *REBECCA), possible(SECOND, *REBECCA)
    common = [illness for illness in first if illness in second]
    old = possible(SECOND, 70, "female")
    return (
        f"Rebecca, 55, in the table of the notes: {len(first)} illnesses left, "
        + " or ".join(first),
        f"she is in a second hospital's table, too: {len(common)} left, {common[0]}",
        f"a woman of 70 there: {len(old)} left, {old[0]}, as all of her group have it",
    )


def what_we_tell(loss: PureLoss) -> tuple[str, ...]:
    """What our counts of the table of the notes tell of her to who knows all others' rows."""
    illnesses = tuple(sorted({row.illness for row in NOTES}))
    others = [row.illness for row in NOTES if row.illness != HERS]
    column = Column("illness", "text", categories=illnesses, nullable=False)
    rows = {"illness": np.array([row.illness for row in NOTES])}
    with guarded(loss, (Table("notes", Place("notes.parquet"), (column,)), rows)) as session:
        text = "SELECT illness, COUNT(*) AS n FROM notes GROUP BY illness"
        told = dict(numbers(session, text, epsilon=loss.epsilon))
    left = np.array([float(told[name]) - others.count(name) for name in illnesses])
    chances = np.exp(odds(left, epsilon=loss.epsilon))
    found = float(chances[illnesses.index(HERS)] / chances.sum())
    prior = Fraction(1, len(illnesses))
    bound = belief(PureLoss(2 * loss.epsilon), prior=prior)
    return (
        (
            f"our counts of this table, to who knows all rows but hers: that she has {HERS} was "
            f"believed at {100 * float(prior):.3g} %, and is now at {100 * found:.3g} %"
        ),
        (
            f"that can become {100 * float(bound.least):.3g} % at least and "
            f"{100 * float(bound.most):.3g} % at most, as she leaves one count and comes into "
            f"another: twice epsilon {loss.epsilon}"
        ),
    )
