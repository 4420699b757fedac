"""The values that models are made of beyond classical planning: time, soft conditions, trajectories.

Durative actions are those of PDDL 2.1 (Fox and Long 2003), timed initial literals of PDDL 2.2 (Edelkamp and
Hoffmann 2004), preferences and trajectories of PDDL 3 (Gerevini et al. 2009), processes of PDDL+ (Fox and Long 2006).
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from validator.model.formulas import (
    TRUE,
    Effect,
    Expression,
    Fluent,
    Formula,
    Literal,
    Number,
    NumericEffect,
    Parameter,
)
from validator.records import dataclass

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
class Instant:
    """A time that is told from the start of an action, or of the plan, or from its end: that much later."""

    delay: Fraction
    is_from_end: bool = False

    def of(self, start: Fraction, end: Fraction) -> Fraction:
        """Return the time in what lasts from ``start`` to ``end``."""
        return (end if self.is_from_end else start) + self.delay


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeModel:
    """What a problem says of all times of its plans, as unified-planning defines it (``TimeModelMixin``).

    Two events at different times are at least ``epsilon`` apart, whether they interfere or not. In discrete time they
    are at whole numbers. Without ``may_overlap`` no action runs twice at one time with the same arguments.
    """

    epsilon: Fraction | None = None
    is_discrete: bool = False
    may_overlap: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """What a durative action asks for and does at a time that is neither its start nor its end (unified-planning)."""

    at: Instant
    conditions: tuple[Formula, ...] = ()
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What must hold, and how values change, in the open interval between two times of a durative action.

    Those of PDDL go from its start to its end, and are conditions and continuous effects of the action itself.
    ``is_closed`` says that both ends belong to the interval; what must hold at them is said by inner parts.
    """

    begin: Instant
    end: Instant
    is_closed: bool = True
    conditions: tuple[Formula, ...] = ()
    continuous: tuple[ContinuousEffect, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedGoal:
    """A condition that must hold in an interval of the plan, with its ends unless they are open (unified-planning)."""

    begin: Instant
    end: Instant
    condition: Formula
    is_left_open: bool = False
    is_right_open: bool = False


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
    inner: tuple[Inner, ...] = ()
    stretches: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """Fluents change while ``condition`` holds."""

    name: str
    parameters: tuple[Parameter, ...]
    condition: Formula
    effects: tuple[ContinuousEffect, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedFact:
    """A literal that becomes true or false, or a value that is assigned, at a time (PDDL 2.2).

    In unified-planning it may be any effect, which reads the state before that time.
    """

    time: Fraction
    effect: Effect

    @property
    def is_fixed(self) -> bool:
        """Return whether the effect is the same in every state."""
        effect = self.effect
        return isinstance(effect, Literal) or (
            isinstance(effect, NumericEffect) and effect.operator == "assign" and isinstance(effect.value, Number)
        )
