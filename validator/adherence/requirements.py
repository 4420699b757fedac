"""What a test may require of an adherence, and whether it is so: true, false, or not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from validator.adherence.result import Adherence
from validator.adherence.values import Effect, Outcome
from validator.records import dataclass
from validator.render.json import fields_of


class Requirement(StrEnum):
    """One thing that can be required."""

    PLAN = "plan"
    """a plan is known: it is given, or the trace states one"""
    FOLLOWED = "followed"
    """every step was executed as planned, and nothing else that may change something"""
    SOUND = "sound"
    """every call could be executed, as the model has it"""
    GOAL = "goal"
    """the execution reaches the goal of the model"""
    NO_HARM = "no-harm"
    """no deviation is harmful, as the model proves"""


_OF_A_MODEL = frozenset((Requirement.SOUND, Requirement.GOAL, Requirement.NO_HARM))


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Whether requirements are met: ``holds`` is None where one is not known and none is broken.

    ``broken`` and ``open`` say in words which are not met, and which are not known.
    """

    holds: bool | None
    broken: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Return both as a sentence; empty where all is met."""
        parts = (
            f"required but not met: {', '.join(self.broken)}" if self.broken else "",
            f"required but not known: {', '.join(self.open)}" if self.open else "",
        )
        return "; ".join(filter(None, parts))

    def to_json(self) -> dict[str, object]:
        return fields_of(self)


def required(names: str | Iterable[str] | None, *, with_model: bool) -> tuple[Requirement, ...]:
    """Return what is required by its names, in a list or with commas between.

    Where nothing is named it is that the plan was followed, with a model that this led to its goal as well. Raises
    ValueError for a name that is none, and for what only a model can say where there is none.
    """
    if names is None:
        return (Requirement.FOLLOWED, Requirement.SOUND, Requirement.GOAL) if with_model else (Requirement.FOLLOWED,)
    listed = names.split(",") if isinstance(names, str) else names
    known = {each.value: each for each in Requirement}
    found: list[Requirement] = []
    for name in (each.strip().lower().replace("_", "-") for each in listed):
        if name and name not in known:
            raise ValueError(f"{name!r} cannot be required; there are {', '.join(known)}")
        found += [known[name]] if name else []
    if not with_model and (needing := _OF_A_MODEL.intersection(found)):
        raise ValueError(f"to require {', '.join(sorted(needing))}, give a model")
    return tuple(found)


def met(adherence: Adherence, required: Sequence[Requirement]) -> Met:
    """Return whether an adherence has what is required of it."""
    found = {each: _holds(adherence, each) for each in required}
    broken = tuple(_SAID[each] for each, holds in found.items() if holds is False)
    left_open = tuple(_SAID[each] for each, holds in found.items() if holds is None)
    return Met(holds=False if broken else None if left_open else True, broken=broken, open=left_open)


_SAID = {
    Requirement.PLAN: "a plan is stated",
    Requirement.FOLLOWED: "the plan was followed",
    Requirement.SOUND: "the execution is sound",
    Requirement.GOAL: "the goal is reached",
    Requirement.NO_HARM: "no deviation is harmful",
}


def _holds(adherence: Adherence, required: Requirement) -> bool | None:
    execution = adherence.execution
    if required is Requirement.PLAN:
        return adherence.plan is not None
    if required is Requirement.FOLLOWED:
        return {Outcome.FOLLOWED: True, Outcome.DEVIATED: False}.get(adherence.outcome)
    if execution is None or adherence.missed:
        return None  # what was not read may have been executed too
    if required is Requirement.SOUND:
        return execution.sound
    if required is Requirement.GOAL:
        return execution.reaches_goal
    effects = {row.effect for row in adherence.deviations}
    return False if Effect.HARMFUL in effects else None if {Effect.UNKNOWN, None} & effects else True
