"""What an execution says of a plan: faults with their causes, changes, the cost, and its course. Values only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from fractions import Fraction

from validator.model.values import GroundAtom
from validator.records import dataclass, replace


class Kind(StrEnum):
    """What is wrong with a step, or, for GOAL and a SYNTAX without a step, with the whole plan."""

    SYNTAX = "syntax"
    UNKNOWN_ACTION = "unknown_action"
    WRONG_ARITY = "wrong_arity"
    UNKNOWN_OBJECT = "unknown_object"
    WRONG_TYPE = "wrong_type"
    WRONG_ARGUMENT = "wrong_argument"
    """of a flow: an item where the operator takes another one"""
    WRONG_OUTPUT = "wrong_output"
    """of a flow: outputs that the operator does not have, or in another order"""
    CONSTRAINT = "constraint"
    PRECONDITION = "precondition"
    UNDEFINED_VALUE = "undefined_value"
    CONFLICT = "conflicting_effects"
    """one value gets two values at once"""
    AT_START = "at_start_condition"
    OVER_ALL = "over_all_condition"
    AT_END = "at_end_condition"
    DURATION = "duration"
    MUTEX = "mutex"
    GOAL = "goal"


_MALFORMED = (
    Kind.SYNTAX,
    Kind.UNKNOWN_ACTION,
    Kind.WRONG_ARITY,
    Kind.UNKNOWN_OBJECT,
    Kind.WRONG_TYPE,
    Kind.WRONG_ARGUMENT,
    Kind.WRONG_OUTPUT,
)
"""a tuple: to hash a member of an enum takes longer than to compare it with each of these"""


class Origin(StrEnum):
    """Why a literal is false."""

    DELETED = "deleted"
    """``step`` deleted it last"""
    NEVER_ADDED = "never_added"
    """it holds neither initially nor after any step so far"""
    ADDED = "added"
    """a negative literal: ``step`` added the atom last"""
    INITIAL = "initial"
    """a negative literal: the atom holds from the beginning"""
    COMPOUND = "compound"
    """an equality, a disjunction, a quantified or derived condition: no single step decides it"""
    COMPARISON = "comparison"
    """a numeric comparison; ``detail`` has its values, such as ``3 >= 4``"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why one unmet literal is false; ``step`` is an index from 0 where a step is to blame.

    ``detail`` says what ``origin`` cannot: the values of a comparison, or what changed an atom that was no step.
    """

    literal: str
    origin: Origin
    step: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One fault of a plan.

    ``step`` is the index of the step from 0, in order of execution; a piece that cannot be read stands at
    the step before which it is. None for the goal and for a text in which there is no step at all.
    ``unmet`` are the false literals as PDDL text, ``causes`` say of each why. ``detail`` is what the kind
    cannot say (the unknown name, expected and given number), ``nearest`` the known name most like it. In a plan
    over time ``time`` is that of the happening, or the start of the interval whose end is ``until``; ``rival`` is
    the other step of a pair that may not happen together.
    """

    step: int | None
    kind: Kind
    unmet: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    detail: str = ""
    nearest: str | None = None
    time: Fraction | None = None
    until: Fraction | None = None
    rival: int | None = None

    @property
    def is_of_steps(self) -> bool:
        """Return whether it is a fault of soundness: the goal is none, and neither is a constraint on the trajectory.

        Such a constraint stands at the step after which it is violated, which can be executed all the same.
        """
        return self.kind is not Kind.GOAL and not self.is_violation

    @property
    def is_malformed(self) -> bool:
        """Return whether it is a fault of what is written: of no step of the model, whatever the state is."""
        return self.kind in _MALFORMED or (self.kind is Kind.CONSTRAINT and not self.unmet)

    @property
    def is_violation(self) -> bool:
        """Return whether a hard constraint on the trajectory is violated; ``assert`` in a plan has no literal."""
        return self.kind is Kind.CONSTRAINT and bool(self.unmet)

    def later(self, steps: int) -> Failure:
        """Return the same failure in a plan that has so many steps more at its beginning."""
        causes = (cause if cause.step is None else replace(cause, step=cause.step + steps) for cause in self.causes)
        return replace(self, step=None if self.step is None else self.step + steps, causes=tuple(causes))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmetGoal:
    """A goal conjunct that is false at the end.

    ``last_held`` is the index of the last step after which it held, -1 when it held in the initial state
    only, None when it never held.
    """

    literal: str
    last_held: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """What a step changed: atoms that became true and atoms that became false."""

    added: frozenset[GroundAtom] = frozenset()
    deleted: frozenset[GroundAtom] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Trace:
    """The execution of a plan.

    ``changes[i]`` is what token ``i`` changed (nothing, for a token at fault). ``cost`` is the metric's
    value at the end, the number of executed steps where the model has no costs, and None where the metric
    is none that is executed.
    """

    init: frozenset[GroundAtom]
    failures: tuple[Failure, ...]
    changes: tuple[Change, ...]
    cost: Fraction | None
    unmet_goals: tuple[UnmetGoal, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Return whether every token is understood and every step executes."""
        return all(failure.kind is Kind.GOAL for failure in self.failures)

    @property
    def is_valid(self) -> bool:
        """Return whether the plan is sound and reaches the goal."""
        return not self.failures

    def states(self) -> Iterator[frozenset[GroundAtom]]:
        """Yield the initial state and the state after each token, without derived atoms."""
        return states_after(self.init, self.changes)


def states_after(init: frozenset[GroundAtom], changes: Iterable[Change]) -> Iterator[frozenset[GroundAtom]]:
    """Yield a state and the state after each change."""
    state = set(init)
    yield init
    for change in changes:
        state -= change.deleted
        state |= change.added
        yield frozenset(state)


# --- the course of a plan -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One step: ``start`` and ``end`` are equal for an instantaneous one; ``is_faulty`` when a fault names it."""

    step: int
    label: str
    start: Fraction
    end: Fraction
    is_faulty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one moment changed: ``acts`` took place, literals became true or false, values were reached."""

    time: Fraction
    acts: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    values: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The values of one fluent in order of time, from the first time that it has one.

    Each point is ``(time, value, is_even)``: the value was reached evenly since the point before, or at once.
    """

    fluent: str
    points: tuple[tuple[Fraction, Fraction, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The course of a plan. ``end`` is its makespan; without time stamps, times are numbers of steps."""

    end: Fraction
    bars: tuple[Bar, ...]
    rows: tuple[Row, ...]
    series: tuple[Series, ...]
    has_time: bool = True
