"""What became of each step and each call, and what a model says of the execution."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from fractions import Fraction

from validator.reading.calls import Call, Planned
from validator.reading.plan import Token
from validator.records import dataclass
from validator.render.json import fields_of

MEASURES = (
    ("accomplished", "accomplished", "of what the plan changes"),
    ("adherence", "score", "in the planned order, of the longer side"),
    ("coverage", "coverage", "of the plan"),
    ("precision", "precision", "of what was executed"),
    ("F1", "f1", "of both"),
    ("order", "order", "of the common steps, in the planned order"),
    ("arguments", "arguments", "of the steps in their place, as planned"),
)
"""Name, property and meaning of each measure."""


class RowKind(StrEnum):
    """What became of a step, or where a call comes from."""

    MATCHED = "matched"
    CHANGED = "changed"
    """executed in its place with other arguments"""
    MOVED = "moved"
    """executed as planned, at another place"""
    MISSING = "missing"
    EXTRA = "extra"
    RETRIED = "retried"
    """a failed call that was made again at once: no step of its own"""
    FAILED = "failed"
    """a failed call that does not count, where failed calls are dropped"""


class Outcome(StrEnum):
    """What came out of comparing a plan with a trace."""

    FOLLOWED = "followed"
    DEVIATED = "deviated"
    NO_PLAN = "no plan stated"
    UNCLEAR_PLAN = "plan not understood"
    """a plan is stated, and what its steps mean is not clear"""
    NO_CALLS = "no calls read"
    """no call of a tool was read in what is a trace"""
    UNCLEAR_TRACE = "trace not understood"
    """part of the trace was not understood, and could be what the plan lacks, or more than it has"""
    OUT_OF_TIME = "time limit met"
    """the time limit was met before the calls were compared with the plan"""


class Effect(StrEnum):
    """What a deviation did, proven by execution or by the planner."""

    HARMLESS = "harmless"
    FORCED = "forced"
    HARMFUL = "harmful"
    UNKNOWN = "unknown"


class FailedCalls(StrEnum):
    """What a failed call counts for."""

    FOLD = "fold"
    """a failed call that is made again at once, with equal arguments, does not count; any other does"""
    COUNT = "count"
    DROP = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One step, one call, or a step with the call that executed it.

    ``weight`` is the share of equal arguments; it adds to the score only in rows that are matched or changed.
    ``reason`` is a sentence on a deviation. With a model, ``effect`` says what the deviation did, and ``proof`` how
    that is known. ``reads`` says how it is known that the tool changes nothing; empty for any other tool.
    """

    kind: RowKind
    planned: Planned | None = None
    executed: Call | None = None
    weight: Fraction = Fraction(0)
    reason: str = ""
    effect: Effect | None = None
    proof: str = ""
    reads: str = ""

    @property
    def is_deviation(self) -> bool:
        return self.kind not in (RowKind.MATCHED, RowKind.RETRIED, RowKind.FAILED)

    def to_json(self) -> dict[str, object]:
        """Return the row as plain values; steps and calls count from 0."""
        value: dict[str, object] = {
            "kind": self.kind.value,
            "step": None if self.planned is None else self.planned.index,
            "call": None if self.executed is None else self.executed.index,
            "planned": None if self.planned is None else str(self.planned),
            "executed": None if self.executed is None else str(self.executed),
            "weight": float(self.weight),
            "reason": self.reason,
        }
        if self.executed is not None and self.executed.error is not None:
            value["error"] = self.executed.error
        if self.reads:
            value["changes_nothing"] = self.reads
        if self.effect is not None:
            value |= {"effect": self.effect.value, "proof": self.proof}
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What a model says of the executed calls; None is unknown, and ``reason`` says why.

    ``faults`` are sentences, in order of execution. ``dead_end`` is the index of the call after which no plan reaches
    the goal any more (proven by the planner); ``recovery`` is a plan from the state reached at the end, where there is
    one and the goal is not reached.
    """

    sound: bool | None
    reaches_goal: bool | None
    plan_is_valid: bool | None = None
    cost: Fraction | None = None
    plan_cost: Fraction | None = None
    faults: tuple[str, ...] = ()
    dead_end: int | None = None
    recovery: tuple[Token, ...] | None = None
    reason: str = ""

    def lines(self) -> Iterator[str]:
        """Yield what is wrong with the execution, and what is known beside the verdict, as lines of text."""
        yield from self.faults
        if self.reason:
            yield f"Note: {self.reason}."
        if self.dead_end is not None:
            yield f"After call {self.dead_end + 1} no plan reaches the goal (proven by the planner)."
        if self.recovery:
            yield "The goal can still be reached:"
            yield from (f"  {step}" for step in self.recovery)
        if self.plan_is_valid is False:
            yield "The plan itself is not valid."

    def to_json(self) -> dict[str, object]:
        """Return the execution as plain values."""
        return fields_of(self)
