"""One line of the table: a number of ours beside a peer's, and the bar that was set for it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Bar", "Line", "ours_at_most", "ratio_at_most", "table", "within"]


@dataclass(frozen=True, slots=True)
class Bar:
    """The most that one measure of the two numbers may be."""

    says: str
    most: float
    measure: Callable[[float, float | None], float]

    def __str__(self) -> str:
        return f"{self.says} <= {self.most:g}"


def ours_at_most(most: float) -> Bar:
    """A bar for our number alone."""
    return Bar("ours", most, lambda ours, _: ours)


def ratio_at_most(most: float) -> Bar:
    """A bar for our number divided by the peer's."""
    return Bar("ratio", most, lambda ours, peer: ours / peer)


def within(most: float) -> Bar:
    """A bar for how far our number may be from the peer's, as a share of it."""
    return Bar("|ratio-1|", most, lambda ours, peer: abs(ours / peer - 1))


@dataclass(frozen=True, slots=True)
class Line:
    """What was measured; a line without a bar only informs, and counts as met."""

    name: str
    unit: str
    ours: float
    peer: float | None = None
    peer_name: str | None = None
    bar: Bar | None = None

    @property
    def ratio(self) -> float | None:
        """Our number divided by the peer's."""
        return None if self.peer is None else self.ours / self.peer

    @property
    def met(self) -> bool:
        """Whether the bar holds."""
        return self.bar is None or self.bar.measure(self.ours, self.peer) <= self.bar.most

    def as_json(self) -> dict[str, object]:
        """The object that stands for this line in `results.json`."""
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": self.ours,
            "peer": self.peer,
            "peer_name": self.peer_name,
            "ratio": self.ratio,
            "bar": self.bar and self.bar.most,
            "bar_on": self.bar and self.bar.says,
            "met": self.met,
        }

    def cells(self) -> list[str]:
        """The words of this line in the table."""
        return [
            self.name,
            _shown(self.ours),
            "" if self.peer is None else _shown(self.peer),
            self.unit,
            self.peer_name or "",
            "" if self.ratio is None else f"{self.ratio:.6f}"[:7],
            str(self.bar or ""),
            ("yes" if self.met else "NO") if self.bar else "-",
        ]


def table(lines: Iterable[Line]) -> str:
    """All lines under each other, numbers to the right."""
    heads = ["measured", "ours", "peer", "unit", "peer's name", "ratio", "bar", "met"]
    rows = [heads, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = {"ours", "peer", "ratio"}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if head in right else cell.ljust(width)
            for head, cell, width in zip(heads, row, widths, strict=True)
        ).rstrip()
        for row in rows
    )


def _shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.5g}"
