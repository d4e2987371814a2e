"""Singling out: how many people zip code, birth date and sex tell apart from everybody else.

With us the same groups are asked for. Those of few people are not shown, and the others are noisy,
so nobody is seen to be alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from differential_privacy.audit.attacks.guarded import guarded
from differential_privacy.audit.attacks.made_up import Repeated
from differential_privacy.audit.attacks.report import Line, Outcome, Picture, Report
from differential_privacy.audit.attacks.share import Share
from differential_privacy.audit.attacks.town import BIRTH, SEX, ZIP, Town, alone
from differential_privacy.curator import Session
from differential_privacy.privacy import ApproximateLoss
from differential_privacy.sources import Place, Table

__all__ = ["uniqueness"]

BUDGET = ApproximateLoss(1, "1e-6")
"""Groups that nobody has listed can only be found for a delta."""

Keys = Callable[[Town], tuple[NDArray[np.generic], ...]]


@dataclass(frozen=True, slots=True)
class Level:
    """What is known of people: its name, its columns, and how a question groups by it."""

    name: str
    keys: Keys
    asked: str


LEVELS = (
    Level("zip, birth date, sex", lambda town: _keys(town, "D"), "zip, birth, sex"),
    Level(
        "zip, birth month, sex",
        lambda town: _keys(town, "M"),
        "zip, DATE_TRUNC('month', birth) AS born, sex",
    ),
    Level(
        "zip, birth year, sex",
        lambda town: _keys(town, "Y"),
        "zip, DATE_TRUNC('year', birth) AS born, sex",
    ),
)


def uniqueness(*, seed: int = 1) -> Report:
    """Who is alone with what is known of them, in a made-up town of 110,000 people.

    The guarantee: a group of one is shown with a chance of at most delta.

    Reference: Sweeney 2000; Golle 2006.
    """
    town = Town.made(bits=Repeated(seed))
    people = town.zips.size
    table = Table("people", Place("people.parquet"), (ZIP, BIRTH, SEX))
    rows = {name: part for name, part in town.rows().items() if name != "illness"}
    outcomes, told = [], []
    with guarded(BUDGET, (table, rows)) as session:
        for level in LEVELS:
            keys = level.keys(town)
            single = alone(*keys)
            shown, groups, error = _shown(session, level, [key[single] for key in keys])
            outcomes.append(
                Outcome(
                    about=f"singled out by {level.name}",
                    without=Share(int(single.sum()), people),
                    with_us=Share(shown, people),
                    guessing=0.0,
                    most=float(BUDGET.delta),
                )
            )
            told.append(
                f"{level.name}: we show {groups:,} groups"
                + (f", each within ±{error:.0f} (95 %)" if groups else ", as all are small")
            )
    told.append("of real people: 87 % (Sweeney, census of 1990), 63 % (Golle, census of 2000)")
    return Report(
        name="uniqueness",
        tried=f"find who is alone with what is known of them, among {people:,} made-up people",
        without="a table without names",
        loss=BUDGET,
        outcomes=tuple(outcomes),
        told=tuple(told),
        sources=(
            "Sweeney 2000, Simple demographics often identify people uniquely",
            "Golle 2006, Revisiting the uniqueness of simple demographics in the US population",
        ),
        picture=_picture(town),
    )


def _keys(town: Town, unit: str) -> tuple[NDArray[np.generic], ...]:
    """Zip code, birth date cut to a day, month or year, and sex."""
    return town.zips, town.births.astype(f"datetime64[{unit}]"), town.sexes


def _shown(
    session: Session, level: Level, single: list[NDArray[np.generic]]
) -> tuple[int, int, float]:
    """How many people who are alone we show, how many groups, and the error of their counts."""
    grouping = level.asked.replace("AS born", "")
    text = f"SELECT {level.asked}, COUNT(*) AS n FROM people GROUP BY {grouping}"  # noqa: S608
    answer = session.sql(
        text, epsilon=BUDGET.epsilon / len(LEVELS), delta=BUDGET.delta / len(LEVELS)
    )
    listed = {row[:3] for row in answer.rows}
    zips, births, sexes = single
    days = births.astype("datetime64[D]").tolist()
    names = np.array(SEX.categories)[sexes.astype(np.int64)].tolist()
    hits = sum(one in listed for one in zip(zips.tolist(), days, names, strict=True))
    return hits, len(listed), answer.plan.expected(Fraction(95, 100))[0].error


def _picture(town: Town) -> Picture:
    """How many are alone, as fewer of their birthday's digits are known."""
    widths = (1, 7, 30, 91, 365, 1826, 3652)
    days = (town.births - town.births.min()).astype(np.int64)
    lines = []
    for name, columns in (
        ("zip, birth date, sex", (town.zips, town.sexes)),
        ("zip, birth date", (town.zips,)),
        ("birth date, sex", (town.sexes,)),
    ):
        points = [(float(width), float(alone(days // width, *columns).mean())) for width in widths]
        lines.append(Line(name, tuple(points)))
    return Picture("birth dates known to so many days", "share of people alone", tuple(lines))
