"""Noisy numbers of groups: all that leaves the door, and what the ledger keeps of an answer.

Rule 1: what is kept reads back as the same bytes, so that a question asked again has one answer.
"""

import json
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["GroupCell", "Noisy"]

GroupCell: TypeAlias = int | str | bool | None


@dataclass(frozen=True, slots=True)
class Noisy:
    """For each group its keys, a noisy number for each statistic, a choice for each percentile."""

    groups: tuple[tuple[GroupCell, ...], ...]
    statistics: tuple[tuple[int, ...], ...]
    chosen: tuple[tuple[int, ...], ...]

    def to_bytes(self) -> bytes:
        """Canonical JSON."""
        parts = {"chosen": self.chosen, "groups": self.groups, "statistics": self.statistics}
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()

    @staticmethod
    def from_bytes(data: bytes) -> "Noisy":
        """What `to_bytes` wrote."""
        parts = json.loads(data)
        groups, statistics, chosen = (
            tuple(tuple(row) for row in parts[name]) for name in ("groups", "statistics", "chosen")
        )
        return Noisy(groups, statistics, chosen)
