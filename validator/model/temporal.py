"""The values that models are made of beyond classical planning: time, soft conditions, trajectories.

Durative actions are those of PDDL 2.1 (Fox and Long 2003), timed initial literals of PDDL 2.2 (Edelkamp and
Hoffmann 2004), preferences and trajectories of PDDL 3 (Gerevini et al. 2009), processes of PDDL+ (Fox and Long 2006).
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from validator.model.formulas import TRUE, Effect, Expression, Fluent, Formula, Literal, NumericEffect, Parameter
from validator.records import dataclass

__all__ = [
    "DURATION",
    "ContinuousEffect",
    "DurationBound",
    "DurativeAction",
    "Preference",
    "Process",
    "TimedCondition",
    "TimedEffect",
    "TimedFact",
    "Trajectory",
    "When",
]

DURATION = Fluent("?duration", ())


class When(StrEnum):
    """When a condition of a durative action must hold, or an effect happens."""

    START = "at start"
    END = "at end"
    ALL = "over all"
    """in the open interval between start and end"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationBound:
    """``?duration`` compared with an expression, which is read at the start or at the end."""

    when: When
    comparator: str
    bound: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedCondition:
    when: When
    condition: Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedEffect:
    """Effects at the start or at the end.

    With ``earlier`` they happen at the end, for every object tuple of ``parameters`` for which ``earlier`` held at
    the start.
    """

    when: When
    effects: tuple[Effect, ...]
    parameters: tuple[Parameter, ...] = ()
    earlier: Formula | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuousEffect:
    """A fluent changes with time at a rate, for every object tuple of ``parameters``; ``sign`` is 1 or -1."""

    parameters: tuple[Parameter, ...]
    fluent: Fluent
    rate: Expression
    sign: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A condition, or trajectories, whose violation costs and is no fault (PDDL 3).

    Every object tuple of ``parameters`` is an instance of its own. In a durative action ``when`` says when the
    condition should hold. ``name`` is empty where the text gives none.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    condition: Formula = TRUE
    trajectories: tuple[Trajectory, ...] = ()
    when: When = When.START


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """A constraint on the states that a plan passes through, for every object tuple of ``parameters``.

    ``operator`` is PDDL's word (``always``, ``sometime-before``, ...), ``times`` are its numbers, ``parts`` its
    conditions, both in order of the text.
    """

    operator: str
    parts: tuple[Formula, ...]
    times: tuple[Fraction, ...] = ()
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DurativeAction:
    name: str
    parameters: tuple[Parameter, ...]
    durations: tuple[DurationBound, ...]
    conditions: tuple[TimedCondition, ...]
    effects: tuple[TimedEffect, ...]
    continuous: tuple[ContinuousEffect, ...] = ()
    preferences: tuple[Preference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """Fluents change while ``condition`` holds."""

    name: str
    parameters: tuple[Parameter, ...]
    condition: Formula
    effects: tuple[ContinuousEffect, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedFact:
    """A literal that becomes true or false, or a value that is assigned, at a time (PDDL 2.2)."""

    time: Fraction
    effect: Literal | NumericEffect
