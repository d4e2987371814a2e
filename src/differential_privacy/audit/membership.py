"""Membership inference: how well scores tell members from others, beside what a guarantee allows.

Rule 1: a threshold is chosen by the scores of others alone, so that members are counted afresh.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from differential_privacy.audit.odds import chance_interval
from differential_privacy.audit.scores import checked
from differential_privacy.exact import Number, open_probability
from differential_privacy.privacy import Loss, TradeOff
from differential_privacy.release.frames import extra

__all__ = ["Found", "Membership", "membership"]

Floats = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

FALSE_ALARMS = Fraction(1, 100), Fraction(1, 1000)
DRAWN = 200
"""A curve is drawn through so many points at most, evenly spread over the logarithm."""

SIZE = 360


@dataclass(frozen=True, slots=True)
class Found:
    """Members found when at most this share of the others is accused.

    The intervals hold the true shares at this threshold, of all members and all others, each with
    the confidence. `most` is the largest true share that the guarantee allows at the false alarms
    that were asked.
    """

    false_alarms: Fraction
    accused: int
    hits: int
    share: float
    interval: tuple[float, float]
    accused_interval: tuple[float, float]
    most: float | None
    refuted: bool

    def as_json(self) -> dict[str, object]:
        """All of it by name."""
        return {
            "false_alarms": float(self.false_alarms),
            "accused": self.accused,
            "hits": self.hits,
            "share": self.share,
            "interval": list(self.interval),
            "accused_interval": list(self.accused_interval),
            "most": self.most,
            "refuted": self.refuted,
        }

    def __str__(self) -> str:
        text = (
            f"{100 * self.share:.3g} % of the members are found ({_ends(self.interval)}) at "
            f"{100 * float(self.false_alarms):.3g} % false alarms ({_ends(self.accused_interval)})"
        )
        if self.most is None:
            return text
        verdict = ": REFUTED" if self.refuted else ""
        return f"{text}, at most {100 * self.most:.3g} % by the guarantee{verdict}"


@dataclass(frozen=True, slots=True)
class Membership:
    """How well scores tell members from others.

    `area` is how often a member scores above another, ties half; `roc` are pairs of a share of the
    others that is accused and the share of members that is found.
    """

    members: int
    others: int
    area: float
    found: tuple[Found, ...]
    roc: Points
    confidence: Fraction
    loss: Loss | None

    @property
    def refuted(self) -> bool:
        """Whether more members are found than the guarantee allows, at any of the thresholds."""
        return any(found.refuted for found in self.found)

    def as_json(self) -> dict[str, object]:
        """The object that stands for this in a report."""
        return {
            "members": self.members,
            "others": self.others,
            "area": self.area,
            "found": [found.as_json() for found in self.found],
            "roc": [list(point) for point in self.roc],
            "confidence": float(self.confidence),
            "claimed": None if self.loss is None else repr(self.loss),
            "refuted": self.refuted,
        }

    def __str__(self) -> str:
        guarantee = "" if self.loss is None else f", under {self.loss}"
        lines = [
            f"{self.members:,} members and {self.others:,} others told apart by score{guarantee}",
            *(str(found) for found in self.found),
            f"a member scores above another in {100 * self.area:.4g} % of pairs",
        ]
        return "\n".join(lines)

    def plot(self) -> Any:  # noqa: ANN401 - an extra has it
        """An Altair chart, both axes logarithmic: the curve, the guarantee, and guessing."""
        altair = extra("altair", "plots", "plot()")
        least = 1 / (2 * max(self.members, self.others))
        shares = np.geomspace(least, 1, DRAWN).tolist()
        lines = {"found": self.roc, "guessing": tuple((share, share) for share in shares)}
        if self.loss is not None:
            curve = TradeOff(self.loss)
            allowed = tuple((share, float(curve.most_hits(share))) for share in shares)
            lines["most that the guarantee allows"] = allowed
        # A logarithm has no place for none.
        rows = [
            {"line": name, "accused": accused, "found": found}
            for name, points in lines.items()
            for accused, found in points
            if accused > 0 and found > 0
        ]
        kind = altair.Scale(type="log", domain=[least, 1])
        return (
            altair.Chart(altair.InlineData(values=rows))
            .mark_line(clip=True)
            .encode(
                x=altair.X("accused:Q", title="share of others accused", scale=kind),
                y=altair.Y("found:Q", title="share of members found", scale=kind),
                color=altair.Color("line:N", title=None, sort=list(lines)),
            )
            .properties(width=SIZE, height=SIZE)
        )


def membership(
    scores_in: ArrayLike,
    scores_out: ArrayLike,
    *,
    loss: Loss | None = None,
    confidence: Number = "0.95",
) -> Membership:
    """How many members score above almost all others, with what `loss` allows beside it.

    A higher score says: rather a member. NaN is no score, and refused.

    Theorem: for scores that are independent and of two laws, the hits at a threshold that the
    others chose are binomial; and the true false alarms at the threshold that k of n others pass
    are below the upper end of Clopper and Pearson for k, as the tail of an order statistic is the
    same beta variate. Both ends miss for half of 1 - confidence at most, so what is called refuted
    is wrong for 1 - confidence at most, at each threshold. Scores that depend on each other, as
    those of records of one model, keep the shares but not the intervals: `one_run` is for them.

    Reference: Carlini, Chien, Nasr, Song, Terzis, Tramer 2022 (2112.03570), Membership inference
    attacks from first principles, for the low false alarms; Wasserman, Zhou 2010 (0811.2501v2) for
    the bound, in `TradeOff`.

    >>> print(membership(np.arange(500, 1500), np.arange(1000), loss=PureLoss(3)))
    1,000 members and 1,000 others told apart by score, under PureLoss(epsilon=3)
    51 % of the members are found (47.9 to 54.1) at 1 % false alarms (0.481 to 1.83), at most ...
    """
    ins, outs = checked(scores_in, "scores_in"), checked(scores_out, "scores_out")
    sure = open_probability(confidence, "confidence")
    curve = None if loss is None else TradeOff(loss)
    return Membership(
        members=ins.size,
        others=outs.size,
        area=_area(ins, outs),
        found=tuple(_found(ins, outs, share, 1 - sure, curve) for share in FALSE_ALARMS),
        roc=_roc(ins, outs),
        confidence=sure,
        loss=loss,
    )


def _ends(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{100 * low:.3g} to {100 * high:.3g}"


def _found(
    ins: Floats, outs: Floats, alarms: Fraction, miss: Fraction, curve: TradeOff | None
) -> Found:
    # The highest of the others that is not accused; those of its score are not accused either.
    threshold = np.sort(outs)[outs.size - 1 - int(alarms * outs.size)]
    hits, accused = int((ins > threshold).sum()), int((outs > threshold).sum())
    low, high = chance_interval(hits, ins.size, miss=miss)
    accused_low, accused_high = chance_interval(accused, outs.size, miss=miss)
    return Found(
        false_alarms=alarms,
        accused=accused,
        hits=hits,
        share=hits / ins.size,
        interval=(float(low), float(high)),
        accused_interval=(float(accused_low), float(accused_high)),
        most=None if curve is None else float(curve.most_hits(alarms)),
        refuted=curve is not None and low > curve.most_hits(accused_high),
    )


def _area(ins: Floats, outs: Floats) -> float:
    ordered = np.sort(outs)
    below = np.searchsorted(ordered, ins, side="left") + np.searchsorted(ordered, ins, side="right")
    return float(below.mean()) / (2 * outs.size)


def _roc(ins: Floats, outs: Floats) -> Points:
    """The curve at thresholds that accuse more and more of the others, from none to all."""
    members, others = np.sort(ins), np.sort(outs)
    ranks = np.geomspace(1, outs.size, DRAWN).round().astype(np.int64)
    least = np.unique(others[outs.size - ranks])[::-1]
    accused, found = (
        (1 - np.searchsorted(side, least, side="left") / side.size).tolist()
        for side in (others, members)
    )
    unaccused = float((ins > others[-1]).mean())
    return ((0.0, unaccused), *zip(accused, found, strict=True), (1.0, 1.0))
