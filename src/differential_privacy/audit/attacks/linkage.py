"""Linkage: names put back on a table without names, by joining it with a public list.

With us the same join is asked for. It gives noisy counts and no rows, and the attacker is left to
guess from all that a budget buys.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.guarded import guarded, numbers
from differential_privacy.audit.attacks.guessing import best_guess, most_right, odds
from differential_privacy.audit.attacks.made_up import Repeated
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.audit.attacks.town import (
    BIRTH,
    ILLNESS,
    SEX,
    WEIGHTS,
    ZIP,
    Town,
    alone,
)
from differential_privacy.curator import Session
from differential_privacy.errors import QuestionError
from differential_privacy.privacy import PureLoss
from differential_privacy.sampling import Bits, fixed_subset, shuffle
from differential_privacy.sources import Column, Place, Table

__all__ = ["Hospital", "linkage", "noisy_counts", "targets_of"]

BUDGET = PureLoss(1)
PATIENTS, VOTERS, TARGETS = 11_000, 70_000, 300

JOINED = "SELECT voter, illness FROM patients JOIN targets USING (zip, birth, sex)"
COUNTED = (
    "SELECT voter, illness, COUNT(*) AS n FROM patients JOIN targets USING (zip, birth, sex) "
    "GROUP BY voter, illness"
)


@dataclass(frozen=True, slots=True)
class Hospital:
    """A town, and which of its people are patients: their rows have no names."""

    town: Town
    patients: NDArray[np.int64]

    def told(self, names: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of these people the illness of the only patient who is like them, or -1."""
        keys = self.town.keys()
        listed = keys[self.patients]
        single = self.patients[alone(listed)]
        order = np.argsort(keys[single])
        sorted_keys = keys[single][order]
        places = np.minimum(np.searchsorted(sorted_keys, keys[names]), single.size - 1)
        found = sorted_keys[places] == keys[names]
        return np.where(found, self.town.illnesses[single[order]][places], -1)


def linkage(*, seed: int = 1) -> Report:
    """Joins patients of a made-up town with its voters, by zip code, birth date and sex.

    Reference: Sweeney 2002, k-anonymity, section 1: how the governor's record was found.
    """
    bits = Repeated(seed)
    town = Town.made(bits=bits)
    people = town.zips.size
    hospital = Hospital(town, fixed_subset(people, PATIENTS, bits=bits))
    voters = fixed_subset(people, VOTERS, bits=bits)
    unlike = voters[alone(town.keys()[voters])]
    targets = targets_of(unlike, hospital.patients, bits=bits)
    truth = town.illnesses[targets]
    prior = np.array(WEIGHTS) / sum(WEIGHTS)
    told = hospital.told(targets)
    exact = np.where(told < 0, prior.argmax(), told)
    with guarded(BUDGET, *tables(hospital, targets)) as session:
        refusal = _refused(session)
        evidence = odds(noisy_counts(session, targets.size, BUDGET), epsilon=BUDGET.epsilon)
    guesses = best_guess(prior, evidence)
    named = hospital.told(unlike) >= 0
    right = np.isin(unlike[named], hospital.patients)
    return Report(
        name="linkage",
        tried=f"put names on {PATIENTS:,} made-up patients by a list of {VOTERS:,} voters",
        without="the patients' rows without names",
        loss=BUDGET,
        outcomes=(
            Outcome(
                about=f"illness of a patient who votes, of {len(prior)}",
                without=Share(int((exact == truth).sum()), targets.size),
                with_us=Share(int((guesses == truth).sum()), targets.size),
                guessing=float(prior.max()),
                most=most_right(prior, BUDGET),
            ),
        ),
        told=(
            (
                f"the join names {named.sum():,} of the {PATIENTS:,} patients, "
                f"{100 * right.mean():.0f} % of them rightly"
            ),
            f"we refuse to join rows: {refusal}",
            f"we sell counts of the join: the whole budget for {TARGETS} voters at once",
        ),
        sources=("Sweeney 2002, k-anonymity: a model for protecting privacy, section 1",),
        picture=_picture(hospital, voters),
    )


def targets_of(
    names: NDArray[np.int64], patients: NDArray[np.int64], *, bits: Bits
) -> NDArray[np.int64]:
    """Some of the named people who are patients, by lot."""
    both = np.intersect1d(names, patients)
    return np.asarray(both[shuffle(both.size, bits=bits)[:TARGETS]])


def tables(
    hospital: Hospital, targets: NDArray[np.int64]
) -> tuple[tuple[Table, dict[str, NDArray[np.generic]]], ...]:
    """The hospital's table as its curator declares it, and the attacker's public list beside."""
    like = (ZIP, BIRTH, SEX)
    patients = Table("patients", Place("patients.parquet"), (*like, ILLNESS))
    number = Column("voter", "integer", lower=0, upper=targets.size - 1, nullable=False)
    listed = Table(
        "targets",
        Place("targets.parquet"),
        (number, *like),
        public=True,
        unique=tuple(column.name for column in like),
    )
    rows = hospital.town.some(targets).rows()
    del rows["illness"]
    return (
        (patients, hospital.town.some(hospital.patients).rows()),
        (listed, {"voter": np.arange(targets.size), **rows}),
    )


def noisy_counts(session: Session, targets: int, budget: PureLoss) -> NDArray[np.float64]:
    """For each target and illness, how many patients are like the target and have it, noisily."""
    counts = np.zeros((targets, len(WEIGHTS)))
    place = {name: number for number, name in enumerate(ILLNESS.categories or ())}
    for voter, illness, count in numbers(session, COUNTED, epsilon=budget.epsilon):
        counts[voter, place[illness]] = count
    return counts


def _refused(session: Session) -> str:
    """What is said to who asks for the rows."""
    try:
        session.plan(JOINED, epsilon=BUDGET.epsilon)
    except QuestionError as error:
        return error.rule
    return "not refused"


def _picture(hospital: Hospital, voters: NDArray[np.int64]) -> Picture:
    """How many of the patients are named rightly, by how much of the town is on the list."""
    points = []
    for step in (20, 10, 4, 2, 1):
        names = voters[::step]
        unlike = names[alone(hospital.town.keys()[names])]
        found = unlike[hospital.told(unlike) >= 0]
        right = np.isin(found, hospital.patients).sum()
        points.append((names.size / hospital.town.zips.size, float(right / PATIENTS)))
    line = Line("named rightly", tuple(points))
    return Picture("share of the town on the list", "share of the patients", (line,))
