"""The door: pay, look, add noise. Exact values are read here and nowhere else.

Rule 1: the spend is durable before private data is read; nothing that follows gives it back.
Rule 2: whether and how something fails after that depends on no private value.
Rule 3: what was answered is kept before it is shown; asked again, the same is shown, free.
Rule 4: threads that ask the same take turns, so that the first one pays and the others find it.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import SourceError
from differential_privacy.ledger import Certificates, Ledger, Receipt
from differential_privacy.queries import Plan, Statistic, people
from differential_privacy.release.noisy import GroupCell, Noisy
from differential_privacy.sampling import Bits, secure_bits
from differential_privacy.sources import Cell, Engine

__all__ = ["Door", "Payers", "Released"]

Group = tuple[GroupCell, ...]
SEAL = b"\n"


@dataclass(frozen=True, slots=True)
class Payers:
    """Who pays: the tables' accounts, the buyer's own, and the buyer's name."""

    tables: tuple[str, ...]
    own: str
    buyer: str


@dataclass(frozen=True, slots=True)
class Released:
    """What came through the door: noisy numbers, and the receipt of what was paid for them."""

    noisy: Noisy
    receipt: Receipt
    repeated: bool


@dataclass(frozen=True, slots=True)
class Door:
    """The one way from exact values to answers; only an audit, over made-up data, gives `bits`."""

    ledger: Ledger
    engine: Engine
    bits: Bits = field(default_factory=secure_bits, repr=False)

    def release(self, plan: Plan, payers: Payers, *, data: Callable[[], str]) -> Released:
        """The answer of a plan: the one that was given before, or a new one that is paid now.

        `data` tells the version of the data: an answer is given again only for the same, and none
        is given where they changed while they were read.
        """
        version = data()
        key = self._key(plan, version)
        with self.ledger.turn(key):
            kept = self.ledger.answer(key)
            if kept is not None:
                return self._shared(kept, key, plan, payers)
            receipt = self._spend(plan, [*payers.tables, payers.own], payers)
            sealed = _sealed(payers.buyer, self._noisy(plan))
            if data() != version:
                raise SourceError
            first = self.ledger.record_answer(receipt, key, sealed)
            if _buyer(first) != payers.buyer:
                # Another process was first; what this analyst paid for is theirs as well.
                self.ledger.record_answer(receipt, _owned(key, payers.buyer), first)
            return _opened((receipt, first), repeated=False)

    def _shared(
        self, kept: tuple[Receipt, bytes], key: str, plan: Plan, payers: Payers
    ) -> Released:
        """An answer that was given before.

        Whoever did not buy it pays from their own account: of the people in the data it tells no
        more, but this analyst learns it only now.
        """
        if _buyer(kept[1]) == payers.buyer:
            return _opened(kept, repeated=True)
        mine = _owned(key, payers.buyer)
        bought = self.ledger.answer(mine)
        if bought is not None:
            return _opened(bought, repeated=True)
        receipt = self._spend(plan, [payers.own], payers)
        return _opened((receipt, self.ledger.record_answer(receipt, mine, kept[1])), repeated=False)

    def owns(self, plan: Plan, buyer: str, *, data: str) -> bool:
        """Whether somebody has bought this answer, so that it would be free."""
        key = self._key(plan, data)
        kept = self.ledger.answer(key)
        mine = _owned(key, buyer)
        bought = kept is not None and _buyer(kept[1]) == buyer
        return bought or self.ledger.answer(mine) is not None

    def _key(self, plan: Plan, data: str) -> str:
        """What an answer is kept under; made with the ledger's secret, so that it tells nothing."""
        text = f"{data} {plan.key}"
        return hashlib.blake2b(text.encode(), key=self.ledger.secret(), digest_size=32).hexdigest()

    def _spend(self, plan: Plan, accounts: Sequence[str], payers: Payers) -> Receipt:
        said = {
            "question": plan.text,
            "tables": sorted(plan.tables),
            "bounded": plan.bounding.words,
        }
        certificates = Certificates(*plan.losses)
        return self.ledger.spend(accounts, certificates, who=payers.buyer, what=said)

    def _noisy(self, plan: Plan) -> Noisy:
        rows = self.engine.run(plan.queries[0])
        width = len(plan.asked.keys)
        exact = {_group(row, width): row[width:] for row in rows}
        groups = self._groups(plan, exact)
        found = _columns(plan, groups, exact)
        statistics = []
        for block, noise in plan.priced.noises:
            for one in block.statistics:
                noisy = noise.release(_statistic(one, found, plan), bits=self.bits)
                statistics.append(tuple(int(value) for value in np.asarray(noisy)))
        chosen = [self._chosen(plan, place, groups) for place in range(len(plan.priced.quantiles))]
        return Noisy(tuple(groups), tuple(statistics), tuple(chosen))

    def _groups(self, plan: Plan, exact: Mapping[Group, Sequence[Cell]]) -> list[Group]:
        """The public groups, or those with people enough."""
        finding = plan.priced.finding
        if plan.asked.groups is not None or finding is None:
            return list(plan.asked.groups or ())
        # In the order of their keys, so that the engine's order tells nothing.
        groups = sorted(exact, key=_sorted)
        place = plan.exact.index(people())
        many = [_whole(exact[group][place]) for group in groups]
        kept = finding.release(many, bits=self.bits)
        return [group for group, keep in zip(groups, kept, strict=True) if keep]

    def _chosen(self, plan: Plan, place: int, groups: Sequence[Group]) -> tuple[int, ...]:
        width = len(plan.asked.keys)
        values: dict[Group, tuple[list[int], list[int]]] = {}
        for row in self.engine.run(plan.queries[1 + place]):
            here = values.setdefault(_group(row, width), ([], []))
            here[0].append(_whole(row[width]))
            here[1].append(_whole(row[width + 1]))
        _, mechanism = plan.priced.quantiles[place]
        empty: tuple[list[int], list[int]] = ([], [])
        found = (values.get(group, empty) for group in groups)
        return tuple(mechanism.release(one, bits=self.bits) for one in found)


def _owned(key: str, buyer: str) -> str:
    """What an answer is kept under for another buyer than the first."""
    return hashlib.sha256(f"{key} {buyer}".encode()).hexdigest()


def _sealed(buyer: str, noisy: Noisy) -> bytes:
    """An answer as the ledger keeps it: who bought it, and what it is."""
    return buyer.encode() + SEAL + noisy.to_bytes()


def _buyer(data: bytes) -> str:
    return data.partition(SEAL)[0].decode()


def _opened(kept: tuple[Receipt, bytes], *, repeated: bool) -> Released:
    receipt, data = kept
    return Released(Noisy.from_bytes(data.partition(SEAL)[2]), receipt, repeated)


def _columns(
    plan: Plan, groups: Sequence[Group], exact: Mapping[Group, Sequence[Cell]]
) -> list[list[int]]:
    """Each exact number, for every group; nothing is zero."""
    nothing: tuple[Cell, ...] = (None,) * len(plan.exact)
    rows = [exact.get(group, nothing) for group in groups]
    return [[_whole(row[place]) for row in rows] for place in range(len(plan.exact))]


def _statistic(
    statistic: Statistic, found: Sequence[Sequence[int]], plan: Plan
) -> NDArray[np.object_]:
    """Whole multiples of exact numbers, in Python's integers, which never overflow."""
    columns = [(found[plan.exact.index(exact)], times) for exact, times in statistic.terms]
    return np.array(
        [sum(times * column[row] for column, times in columns) for row in range(len(found[0]))],
        dtype=object,
    )


def _group(row: Sequence[Cell], width: int) -> Group:
    return tuple(row[:width])


def _whole(cell: Cell) -> int:
    return 0 if cell is None else int(cell)


def _sorted(group: Group) -> tuple[tuple[bool, str, int], ...]:
    return tuple(
        (
            cell is None,
            cell if isinstance(cell, str) else "",
            0 if isinstance(cell, str) else _whole(cell),
        )
        for cell in group
    )
