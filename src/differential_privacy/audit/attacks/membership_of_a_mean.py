"""Membership: who was in a group, told from the means of many attributes of the group.

With us the same means are asked for at once. Each person moves all of them, so they share one
budget, and no test for one person does better than the guarantee.

Reference: Homer and others 2008; Dwork, Smith, Steinke, Ullman, Vadhan 2015, Robust traceability
from trace amounts, for the score.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.guarded import guarded, numbers
from differential_privacy.audit.attacks.made_up import Repeated, shares, whole
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.privacy import PureLoss, TradeOff, belief
from differential_privacy.sampling import Bits
from differential_privacy.sources import Bounds, Column, Place, Table

__all__ = ["membership_of_a_mean"]

BUDGET = PureLoss(1)
PEOPLE, ATTRIBUTES, OUTSIDERS = 300, 3_000, 2_000
FALSE_ALARMS = Fraction(1, 100)
MEANS = "SELECT BIN(attribute, 1) AS which, AVG(has) AS mean FROM cells GROUP BY which"

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """People with attributes, of whom some are in a group; and people who surely are not."""

    frequent: Floats
    people: NDArray[np.int64]
    within: NDArray[np.bool_]
    outsiders: NDArray[np.int64]

    @classmethod
    def made(cls, *, bits: Bits) -> "Study":
        """Draws all of them: each person is in the group or not, with equal chance."""
        frequent = 0.1 + 0.8 * shares(ATTRIBUTES, bits=bits)
        drawn = shares((PEOPLE + OUTSIDERS, ATTRIBUTES), bits=bits) < frequent
        within = whole(2, PEOPLE, bits=bits) == 1
        rows = drawn.astype(np.int64)
        return cls(frequent, rows[:PEOPLE], within, rows[PEOPLE:])

    @property
    def exact(self) -> Floats:
        """The means of the group."""
        return np.asarray(self.people[self.within].mean(axis=0))

    def noisy(self) -> Floats:
        """The same means as a curator of ours sells them."""
        cells = (
            Column("person", "integer", lower=0, upper=PEOPLE - 1, nullable=False),
            Column("attribute", "integer", lower=0, upper=ATTRIBUTES - 1, nullable=False),
            Column("has", "integer", lower=0, upper=1, nullable=False),
        )
        table = Table(
            "cells",
            Place("cells.parquet"),
            cells,
            owner="person",
            bounds=(Bounds(rows=ATTRIBUTES),),
        )
        members = np.flatnonzero(self.within)
        rows = {
            "person": np.repeat(members, ATTRIBUTES),
            "attribute": np.tile(np.arange(ATTRIBUTES), members.size),
            "has": self.people[members].ravel(),
        }
        with guarded(BUDGET, (table, rows)) as session:
            told = dict(numbers(session, MEANS, epsilon=BUDGET.epsilon))
        return np.array([float(told[which]) for which in range(ATTRIBUTES)])


@dataclass(frozen=True, slots=True)
class Scores:
    """How alike each person is to published means, beyond what everybody is."""

    members: Floats
    others: Floats
    outsiders: Floats

    @classmethod
    def of(cls, study: Study, means: Floats) -> "Scores":
        """The products of what is rare about a person with what is rare about the means."""
        rare = means - study.frequent
        scores = (study.people - study.frequent) @ rare
        outsiders = (study.outsiders - study.frequent) @ rare
        return cls(scores[study.within], scores[~study.within], outsiders)

    @property
    def area(self) -> float:
        """How often a member scores above another."""
        above = self.members[:, None] > self.others
        return float(above.mean())

    def hits(self, false_alarms: float) -> Share:
        """Members found, when so few outsiders are accused."""
        least = float(np.quantile(self.outsiders, 1 - false_alarms))
        return Share(int((self.members > least).sum()), self.members.size)

    def right(self, shift: float) -> Share:
        """Right answers to whether each person is a member; members should score more by this."""
        least = float(self.outsiders.mean()) + shift / 2
        hits = (self.members > least).sum() + (self.others <= least).sum()
        return Share(int(hits), self.members.size + self.others.size)


def membership_of_a_mean(*, seed: int = 1) -> Report:
    """Tells who of 300 people was in a group from 3,000 means of attributes of the group.

    The guarantee: `privacy.TradeOff` bounds what any test for one person can find.
    """
    study = Study.made(bits=Repeated(seed))
    without = Scores.of(study, study.exact)
    with_us = Scores.of(study, study.noisy())
    members = int(study.within.sum())
    shift = float((study.frequent * (1 - study.frequent)).sum()) / members
    curve = TradeOff(BUDGET)
    return Report(
        name="membership",
        tried=f"tell who of {PEOPLE} people is in a group, from means of {ATTRIBUTES:,} attributes",
        without="exact means",
        loss=BUDGET,
        outcomes=(
            Outcome(
                about="who is in the group",
                without=without.right(shift),
                with_us=with_us.right(shift),
                guessing=0.5,
                most=float(belief(BUDGET, prior=Fraction(1, 2)).most),
            ),
            Outcome(
                about="members found, when 1 % of the others are accused",
                without=without.hits(float(FALSE_ALARMS)),
                with_us=with_us.hits(float(FALSE_ALARMS)),
                guessing=float(FALSE_ALARMS),
                most=float(curve.most_hits(FALSE_ALARMS)),
            ),
        ),
        told=(
            (
                f"a member scores above another person in {100 * without.area:.1f} % of pairs "
                f"without us, {100 * with_us.area:.1f} % with us (area under the curve)"
            ),
            (
                f"{members} people are in the group, and each moves all {ATTRIBUTES:,} means: "
                "private means of so few people about so much are mostly noise"
            ),
        ),
        sources=(
            "Homer and others 2008, Resolving individuals contributing trace amounts of DNA",
            "Dwork and others 2015, Robust traceability from trace amounts",
        ),
        picture=_picture(without, with_us, curve),
    )


def _picture(without: Scores, with_us: Scores, curve: TradeOff) -> Picture:
    """Members found, by how many others are accused."""
    alarms = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
    lines = (
        Line("without us", tuple((one, without.hits(one).value) for one in alarms)),
        Line("with us", tuple((one, with_us.hits(one).value) for one in alarms)),
        Line(
            "most that we allow",
            tuple((float(one), float(most)) for one, most in curve.curve(points=51)),
        ),
        Line("guessing", ((0.0, 0.0), (1.0, 1.0))),
    )
    return Picture("share of others accused", "share of members found", lines)
