"""What an attack found: the attacker's success without and with us, side by side, and a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from differential_privacy.audit.attacks.share import Share
from differential_privacy.privacy import Spendable
from differential_privacy.release.frames import extra

__all__ = ["Line", "Outcome", "Picture", "Report"]

WIDTH, BAR_HEIGHT, LINE_HEIGHT = 480, 24, 280


@dataclass(frozen=True, slots=True)
class Outcome:
    """How often an attacker is right about one thing.

    `guessing` is as often as without any answer, and `most` what our guarantee allows on average,
    where a theorem says it: chance can lead a little above it, and the interval holds it.
    """

    about: str
    without: Share
    with_us: Share
    guessing: float
    most: float | None = None

    def as_json(self) -> dict[str, object]:
        """All of it by name."""
        return {
            "about": self.about,
            "without": self.without.as_json(),
            "with_us": self.with_us.as_json(),
            "guessing": self.guessing,
            "most": self.most,
        }

    def __str__(self) -> str:
        most = "" if self.most is None else f", at most {100 * self.most:.3g} % by our guarantee"
        return (
            f"{self.about}: {self.without} without us, {self.with_us} with us, "
            f"{100 * self.guessing:.3g} % by guessing{most}"
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A curve by its points."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Curves over what was varied; `logarithmic` where both axes count in powers of ten."""

    across: str
    up: str
    lines: tuple[Line, ...]
    logarithmic: bool = False

    def as_json(self) -> dict[str, object]:
        """All of it by name."""
        lines = {line.name: [list(point) for point in line.points] for line in self.lines}
        return {"across": self.across, "up": self.up, "lines": lines}


@dataclass(frozen=True, slots=True)
class Report:
    """One attack: what was tried, against which claim, what was found, and where it is published.

    `without` names what stands without us: exact answers, or noise that nobody accounts for.
    """

    name: str
    tried: str
    without: str
    loss: Spendable
    outcomes: tuple[Outcome, ...]
    told: tuple[str, ...]
    sources: tuple[str, ...]
    picture: Picture

    def as_json(self) -> dict[str, object]:
        """All of it as what JSON has."""
        return {
            "attack": self.name,
            "tried": self.tried,
            "without": self.without,
            "loss": repr(self.loss),
            "outcomes": [outcome.as_json() for outcome in self.outcomes],
            "told": list(self.told),
            "sources": list(self.sources),
            "picture": self.picture.as_json(),
        }

    def __str__(self) -> str:
        found = [f"without us: {self.without}", f"with us: {self.loss} in all"]
        outcomes = [str(outcome) for outcome in self.outcomes]
        return "\n".join([f"{self.name}: {self.tried}", *found, *outcomes, *self.told])

    def plot(self) -> Any:  # noqa: ANN401 - an extra has it
        """An Altair chart: the successes with their intervals, and the curves below."""
        altair = extra("altair", "plots", "plot()")
        bars = [_bars(altair, outcome) for outcome in self.outcomes]
        title = altair.TitleParams(self.name, subtitle=self.tried)
        together = altair.vconcat(*bars, _lines(altair, self.picture)).properties(title=title)
        return together.resolve_scale(color="independent")


def _bars(altair: Any, outcome: Outcome) -> Any:  # noqa: ANN401 - an extra
    rows = list(_rows(outcome))
    order = [row["who"] for row in rows]
    base = altair.Chart(altair.InlineData(values=rows)).encode(
        y=altair.Y("who:N", sort=order, title=None)
    )
    scale = altair.Scale(domain=[0, 1])
    axis = altair.Axis(format="%")
    value = altair.X("share:Q", scale=scale, axis=axis, title="right")
    color = altair.Color("who:N", sort=order, legend=None)
    bars = base.mark_bar(opacity=0.6).encode(x=value, color=color)
    ends = base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    drawn = bars + ends
    return drawn.properties(title=outcome.about, width=WIDTH, height=BAR_HEIGHT * len(rows))


def _rows(outcome: Outcome) -> Iterator[dict[str, Any]]:
    for who, share in (("without us", outcome.without), ("with us", outcome.with_us)):
        yield {"who": who, "share": share.value, "low": share.low, "high": share.high}
    fixed = [("guessing", outcome.guessing)]
    fixed += [] if outcome.most is None else [("most that we allow", outcome.most)]
    for who, value in fixed:
        yield {"who": who, "share": value, "low": value, "high": value}


def _lines(altair: Any, picture: Picture) -> Any:  # noqa: ANN401 - an extra
    rows: Sequence[dict[str, Any]] = [
        {"line": line.name, "across": across, "up": up}
        for line in picture.lines
        for across, up in line.points
    ]
    # A power law, as that of averages, is a straight line where both axes are logarithmic.
    kind = altair.Scale(type="log" if picture.logarithmic else "linear")
    return (
        altair.Chart(altair.InlineData(values=rows))
        .mark_line(point=True)
        .encode(
            x=altair.X("across:Q", title=picture.across, scale=kind),
            y=altair.Y("up:Q", title=picture.up, scale=kind),
            color=altair.Color(
                "line:N",
                title=None,
                sort=[line.name for line in picture.lines],
                legend=altair.Legend(labelLimit=0),
            ),
        )
        .properties(width=WIDTH, height=LINE_HEIGHT)
    )
