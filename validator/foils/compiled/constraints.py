"""What a question asks of a plan: temporal constraints on its steps, each a small automaton.

A constraint reads a plan step by step. Its state is a number, from 0; a step has transitions, and a state in which none
of them starts is the end: the constraint is violated there. Temporal properties of plans as automata beside the
planning task: Baier and McIlraith 2006; the questions: Fox, Long and Magazzeni 2017; plan properties: Eifler et al.
2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["AtMost", "Before", "Constraint", "Must", "MustNot", "Pattern", "Show", "Starts", "Transition", "violations"]

Transition: TypeAlias = tuple[int | None, int | None]
"""The state before (None: any) and the state after (None: the same)."""

Show: TypeAlias = Callable[[Step], Step | Assertion]
"""From a step of the model to the step that people see; the same one, but for flows."""

_SAME: tuple[Transition, ...] = ((None, None),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A step whose arguments may be open: ``_`` and ``?`` stand for any object, ``?x`` for the same one throughout."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"

    @property
    def is_open(self) -> bool:
        return any(is_open(arg) for arg in self.args)

    def matches(self, step: object) -> bool:
        """Return whether a step is one of those that the pattern stands for."""
        if not isinstance(step, Step) or step.name != self.name or len(step.args) != len(self.args):
            return False
        bound: dict[str, str] = {}
        return all(
            arg == given if not is_open(arg) else arg in ("_", "?") or bound.setdefault(arg, given) == given
            for arg, given in zip(self.args, step.args, strict=True)
        )


def is_open(arg: str) -> bool:
    """Return whether an argument of a pattern stands for objects rather than being one."""
    return arg == "_" or arg.startswith("?")


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
    """The plan begins with these steps."""

    steps: tuple[Step | Assertion, ...]

    def __str__(self) -> str:
        shown = " ".join(map(str, self.steps[-1:]))
        return f"{shown} must be step {len(self.steps)}" + (
            ", the steps before it as they are" if self.steps[1:] else ""
        )

    @property
    def states(self) -> int:
        return len(self.steps) + 1

    @property
    def accepting(self) -> int:
        return len(self.steps)

    def transitions(self, step: Step | Assertion) -> tuple[Transition, ...]:
        here = ((place, place + 1) for place, wanted in enumerate(self.steps) if wanted == step)
        return (*here, (len(self.steps), None))


Constraint: TypeAlias = Must | MustNot | Before | AtMost | Starts


def violations(constraint: Constraint, steps: Iterable[Step | Assertion]) -> Iterator[int | None]:
    """Yield the indices of the steps that a constraint forbids; None, last, when something is missing at the end.

    A forbidden step is passed over: what follows is read as if it were not there.
    """
    state = 0
    for index, step in enumerate(steps):
        moves = [after for before, after in constraint.transitions(step) if before in (None, state)]
        if not moves:
            yield index
        elif moves[0] is not None:
            state = moves[0]
    if constraint.accepting not in (None, state):
        yield None
