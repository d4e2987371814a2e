"""A question, asked twice with the same noise of two bodies of data that differ by one person.

Theorem: where everything but the numbers that noise is added to is the same in both worlds, and
these differ by no more than the plan claims, what is shown is a function of the noisy numbers, and
the mechanisms' theorems hold of it. So one difference refutes a guarantee; none in many tries is
evidence, not proof.

Rule 1: noise is frozen, so that whatever differs comes from the data.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from differential_privacy.audit.distances import Claim, Told, claims
from differential_privacy.audit.worlds import World
from differential_privacy.curator import Session
from differential_privacy.queries import Plan
from differential_privacy.release import Answer

__all__ = ["Replay", "Sight", "replay"]

Ask = Callable[[Session], Answer]


@dataclass(frozen=True, slots=True)
class Sight:
    """All that can be seen of one asking, part by part, but for the noisy numbers."""

    parts: Mapping[str, object]
    plan: Plan | None = None
    told: Told | None = None

    @staticmethod
    def of(world: World, ask: Ask) -> "Sight":
        """Asks, and takes down what is seen."""
        before, spent = len(world.queries), world.session.account.spent
        world.tape.next_turn()
        answer, failed = None, None
        try:
            answer = ask(world.session)
        except Exception as error:  # noqa: BLE001 - whatever is raised, an analyst sees it
            failed = f"{type(error).__name__}: {error}"
        parts: dict[str, object] = {
            "error": failed,
            "queries that ran": tuple(world.queries[before:]),
            "price": (spent, world.session.account.spent),
        }
        if answer is None:
            return Sight(parts)
        plan = answer.plan
        parts |= _shown(answer) | _said(plan)
        if plan.priced.finding is None and not plan.priced.quantiles:
            # A group that may be found has a draw of its own, and a choice among values reads more
            # bits where two are nearly as good: both hang on private numbers, as their laws do.
            parts["reads of the noise"] = (world.tape.calls, world.tape.read)
        return Sight(parts, plan, Told.of(plan))


@dataclass(frozen=True, slots=True)
class Replay:
    """What two worlds show of one question: where they differ, and how far the person moved it."""

    differences: Mapping[str, tuple[object, object]]
    claims: tuple[Claim, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing differs, and the person moved nothing further than is claimed."""
        return not self.differences and all(claim.holds for claim in self.claims)

    def __str__(self) -> str:
        if self.holds:
            tight = max(
                (claim.moved / claim.claimed for claim in self.claims if claim.claimed), default=0
            )
            return f"nothing differs; the person moved at most {tight:.0%} of what is claimed"
        lines = [
            f"{part} differs: {one!r} and {other!r}"
            for part, (one, other) in self.differences.items()
        ]
        broken = [claim for claim in self.claims if not claim.holds]
        lines += [f"{one.part} moved by {one.moved}, claimed {one.claimed}" for one in broken]
        return "\n".join(lines)


def replay(ask: Ask, one: World, other: World) -> Replay:
    """Asks the same of two worlds, and compares all that is seen.

    Worlds must be of one name and policy, their data neighbors, and both asked the same before.
    """
    mine, others = Sight.of(one, ask), Sight.of(other, ask)
    names = dict.fromkeys((*mine.parts, *others.parts))
    differences = {
        name: (mine.parts.get(name), others.parts.get(name))
        for name in names
        if mine.parts.get(name) != others.parts.get(name)
    }
    if mine.plan is None or mine.told is None or others.told is None:
        return Replay(differences, ())
    return Replay(differences, tuple(claims(mine.plan, mine.told, others.told)))


def _shown(answer: Answer) -> dict[str, object]:
    """What an answer shows beside noisy numbers; which groups HAVING keeps follows from these."""
    return {
        "columns": tuple(answer.columns.names),
        "groups": answer.noisy.groups if answer.plan.priced.finding is None else None,
        "noisy numbers": len(answer.noisy.statistics) + len(answer.noisy.chosen),
        "how it was made": (answer.how, answer.theorems),
        "loss": repr(answer.loss),
    }


def _said(plan: Plan) -> dict[str, object]:
    """What a plan says before anything is paid."""
    return {
        "plan": (str(plan), plan.sql, plan.key),
        "noise": repr((plan.priced.noises, plan.priced.quantiles, plan.priced.finding)),
        "reach": repr((plan.bounding, plan.reach)),
    }
