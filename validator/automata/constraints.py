"""What a question asks of the steps of a plan: each constraint is an automaton of a few states that reads them.

State 0 is the first one. ``transitions`` are deterministic: at most one of them leaves each state, and a state that
none leaves forbids the step. ``accepting`` is the state that the plan must end in, None where every state will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from validator.automata.pattern import Pattern, Show, Transition
from validator.automata.properties import OnlyIf, Property, Window, WithinCost
from validator.model.conditions import State
from validator.model.values import Model
from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = [
    "AtLeast",
    "AtMost",
    "Before",
    "Between",
    "Constraint",
    "Directly",
    "Must",
    "MustNot",
    "OfSteps",
    "Pattern",
    "Show",
    "Solvable",
    "Starts",
    "Transition",
    "violations",
]

_SAME: tuple[Transition, ...] = ((None, None),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Must:
    """The step is done at least once."""

    step: Pattern
    states = 2
    accepting = 1

    def __str__(self) -> str:
        return f"{self.step} must happen"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        return ((None, 1),) if self.step.matches(step) else _SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class MustNot:
    """The step is never done."""

    step: Pattern
    states = 1
    accepting = None

    def __str__(self) -> str:
        return f"{self.step} must not happen"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        return () if self.step.matches(step) else _SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """``second`` is not done before ``first`` was; it need not be done at all (PDDL 3's ``sometime-before``)."""

    first: Pattern
    second: Pattern
    states = 2
    accepting = None

    def __str__(self) -> str:
        return f"{self.first} must come before {self.second}"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        if self.second.matches(step):
            return ((1, None),)
        return ((None, 1),) if self.first.matches(step) else _SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost:
    """The step is done ``number`` times at most."""

    number: int
    step: Pattern
    accepting = None

    def __str__(self) -> str:
        return f"{self.step} may happen at most {self.number} time{'s' if self.number != 1 else ''}"

    @property
    def states(self) -> int:
        return self.number + 1

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        return tuple((state, state + 1) for state in range(self.number)) if self.step.matches(step) else _SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts:
    """The plan begins with these steps; ``then`` comes directly behind them, or with ``is_not`` another step."""

    steps: tuple[Step | Assertion, ...]
    then: Pattern | None = None
    is_not: bool = False

    def __str__(self) -> str:
        last = " ".join(map(str, self.steps[-1:])) if self.then is None else str(self.then)
        return f"{last} must {'not ' if self.is_not else ''}be step {self.accepting}" + (
            ", the steps before it as they are" if self.accepting > 1 else ""
        )

    @property
    def states(self) -> int:
        return self.accepting + 1

    @property
    def accepting(self) -> int:
        return len(self.steps) + (self.then is not None)

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        here = [(place, place + 1) for place, wanted in enumerate(self.steps) if wanted == step]
        if self.then is not None and self.then.matches(step) is not self.is_not:
            here.append((len(self.steps), self.accepting))
        return (*here, (self.accepting, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast:
    """The step is done ``number`` times at least."""

    number: int
    step: Pattern

    def __str__(self) -> str:
        return f"{self.step} must happen at least {self.number} time{'s' if self.number != 1 else ''}"

    @property
    def states(self) -> int:
        return self.number + 1

    @property
    def accepting(self) -> int:
        return self.number

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        if not self.step.matches(step):
            return _SAME
        return (*((state, state + 1) for state in range(self.number)), (self.number, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Directly:
    """``second`` is once done directly after ``first``: state 1 is behind a ``first``, state 2 when that was so."""

    first: Pattern
    second: Pattern
    states = 3
    accepting = 2

    def __str__(self) -> str:
        return f"{self.second} must come directly after {self.first}"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        is_first, is_second = self.first.matches(step), self.second.matches(step)
        return ((0, 1 if is_first else None), (1, 2 if is_second else None if is_first else 0), (2, None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The step is done once after ``first`` and before ``second``, other steps between them or not."""

    step: Pattern
    first: Pattern
    second: Pattern
    states = 4
    accepting = 3

    def __str__(self) -> str:
        return f"{self.step} must come between {self.first} and {self.second}"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        moves = ((state, state + 1) for state, part in enumerate(self._parts) if part.matches(step))
        found = dict(moves)
        return tuple((state, found.get(state)) for state in range(self.states)) if found else _SAME

    @property
    def _parts(self) -> tuple[Pattern, ...]:
        return self.first, self.step, self.second


@dataclass(frozen=True, slots=True, kw_only=True)
class Solvable:
    """There is a plan; nothing is asked of it."""

    states = 1
    accepting = None

    def __str__(self) -> str:
        return "there must be a plan"

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        return _SAME


OfSteps: TypeAlias = Solvable | Must | MustNot | Before | AtMost | AtLeast | Directly | Between | Starts
Constraint: TypeAlias = OfSteps | Property | OnlyIf | Window | WithinCost


def violations(
    constraint: Constraint,
    steps: Iterable[Step | Assertion],
    states: Sequence[State] = (),
    model: Model | None = None,
) -> Iterator[int | None]:
    """Yield the indices of the steps that a constraint forbids; None, last, when something is missing at the end.

    ``states`` are the initial state and that after each step, with derived facts; only a constraint on facts looks at
    them, and at the model. What a plan may cost, and when it does what, is not asked here.
    """
    if isinstance(constraint, WithinCost | Window):
        return
    if isinstance(constraint, Property | OnlyIf):
        assert model is not None
        yield from constraint.violations(model, list(steps), states)
    else:
        yield from _forbidden(constraint, steps)


def _forbidden(constraint: OfSteps, steps: Iterable[Step | Assertion]) -> Iterator[int | None]:
    """Yield the steps at which the automaton is stuck; what follows is read as if they were not there."""
    state = 0
    for index, step in enumerate(steps):
        moves = [after for before, after in constraint.transitions(step) if before in (None, state)]
        if not moves:
            yield index
        elif moves[0] is not None:
            state = moves[0]
    if constraint.accepting not in (None, state):
        yield None
