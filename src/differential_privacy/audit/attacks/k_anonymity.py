"""k-anonymity: groups of people who look alike still tell what their people have.

A group of which all have one illness tells it; two tables about one person tell what both groups
have in common. With us a belief moves by what was paid, also when two hospitals sell.
"""

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.guarded import guarded
from differential_privacy.audit.attacks.guessing import best_guess, most_right, odds
from differential_privacy.audit.attacks.linkage import (
    Hospital,
    noisy_counts,
    tables,
    targets_of,
)
from differential_privacy.audit.attacks.made_up import Repeated
from differential_privacy.audit.attacks.rebecca import what_tables_tell, what_we_tell
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.audit.attacks.town import WEIGHTS, Town, alone
from differential_privacy.privacy import PureLoss
from differential_privacy.sampling import fixed_subset

__all__ = ["k_anonymity"]

BUDGET = PureLoss(1)
PART = PureLoss("1/2")
"""What each of two hospitals sells, so that one person loses the budget in all."""

PATIENTS = 11_000
ALIKE = 5


def k_anonymity(*, seed: int = 1) -> Report:
    """What groups of five tell of patients of two made-up hospitals, and the table of the notes.

    Reference: Machanavajjhala and others 2007, l-diversity; Ganta, Kasiviswanathan, Smith 2008,
    Composition attacks and auxiliary information in data privacy.
    """
    bits = Repeated(seed)
    town = Town.made(bits=bits)
    hospitals = [
        Hospital(town, fixed_subset(town.zips.size, PATIENTS, bits=bits)) for _ in range(2)
    ]
    both = np.intersect1d(hospitals[0].patients, hospitals[1].patients)
    targets = targets_of(both[alone(town.keys()[both])], both, bits=bits)
    prior = np.array(WEIGHTS) / sum(WEIGHTS)
    truth = town.illnesses[targets]
    seen = [_group_shares(hospital, targets) for hospital in hospitals]
    evidence = np.zeros((targets.size, prior.size))
    noisy = []
    for hospital in hospitals:
        with guarded(PART, *tables(hospital, targets)) as session:
            counts = noisy_counts(session, targets.size, PART)
        evidence = evidence + odds(counts, epsilon=PART.epsilon)
        noisy.append(_right(best_guess(prior, odds(counts, epsilon=PART.epsilon)), truth))
    together = seen[0] * seen[1] / prior
    guessing = float(prior.max())
    return Report(
        name="k-anonymity",
        tried=f"tell illnesses from groups of {ALIKE} or more people who look alike",
        without=f"tables in which each row looks like {ALIKE - 1} others at least",
        loss=BUDGET,
        outcomes=(
            Outcome(
                about=f"illness of a patient, of {len(prior)}",
                without=_right(np.argmax(seen[0], axis=1), truth),
                with_us=noisy[0],
                guessing=guessing,
                most=most_right(prior, PART),
            ),
            Outcome(
                about="the same, where two hospitals have a table",
                without=_right(np.argmax(together, axis=1), truth),
                with_us=_right(best_guess(prior, evidence), truth),
                guessing=guessing,
                most=most_right(prior, BUDGET),
            ),
        ),
        told=(
            f"each hospital sells epsilon {PART.epsilon}, and both together {BUDGET.epsilon}",
            *what_tables_tell(),
            *what_we_tell(BUDGET),
        ),
        sources=(
            "Kearns, Roth 2019, The Ethical Algorithm, chapter 1: Rebecca's hospital",
            "Machanavajjhala and others 2007, l-diversity: privacy beyond k-anonymity",
            "Ganta, Kasiviswanathan, Smith 2008, Composition attacks and auxiliary information",
        ),
        picture=_picture(hospitals, targets),
    )


def _group_shares(
    hospital: Hospital, targets: NDArray[np.int64], alike: int = ALIKE
) -> NDArray[np.float64]:
    """For each target the shares of the illnesses in the target's group.

    Patients of a zip code and sex are put in order of age and cut into groups of so many or more,
    of which the oldest and the youngest birth date are published.
    """
    town, patients = hospital.town, hospital.patients
    order = patients[np.lexsort((town.births[patients], town.sexes[patients], town.zips[patients]))]
    place = np.arange(order.size)
    kind = town.zips[order] * 2 + town.sexes[order]
    first = np.searchsorted(kind, kind, side="left")
    last = np.searchsorted(kind, kind, side="right")
    # What is left over at the end of a kind joins the group before.
    number = np.minimum((place - first) // alike, np.maximum((last - first) // alike - 1, 0))
    groups = np.unique(np.stack([kind, number]), axis=1, return_inverse=True)[1].ravel()
    counts = np.zeros((int(groups.max()) + 1, len(WEIGHTS)))
    np.add.at(counts, (groups, town.illnesses[order]), 1)
    where = np.empty(town.zips.size, np.int64)
    where[order] = groups
    found = counts[where[targets]]
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _right(guesses: NDArray[np.int64], truth: NDArray[np.int64]) -> Share:
    return Share(int((guesses == truth).sum()), truth.size)


def _picture(hospitals: list[Hospital], targets: NDArray[np.int64]) -> Picture:
    """How often the likeliest illness is right, as groups grow."""
    prior = np.array(WEIGHTS) / sum(WEIGHTS)
    truth = hospitals[0].town.illnesses[targets]
    sizes = (2, 3, 5, 10, 20, 50)
    seen = {
        size: [_group_shares(hospital, targets, size) for hospital in hospitals] for size in sizes
    }
    one = [(float(size), _right(np.argmax(seen[size][0], axis=1), truth).value) for size in sizes]
    two = [
        (float(size), _right(np.argmax(first * second / prior, axis=1), truth).value)
        for size, (first, second) in seen.items()
    ]
    lines = (Line("one table", tuple(one)), Line("two tables", tuple(two)))
    return Picture("people in a group, at least", "illnesses told rightly", lines)
