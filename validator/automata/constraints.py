"""What a question asks of the steps of a plan: each constraint is an automaton of a few states that reads them.

State 0 is the first one. ``edges`` are the automaton, by patterns of steps; ``transitions`` are those of one step: at
most one of them leaves each state, and a state that none leaves forbids the step. ``accepting`` is the state that the
plan must end in, None where every state will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from validator.automata.properties import Property, said
from validator.model.conditions import State, holds
from validator.model.pddl.write import atom_text
from validator.model.values import Formula, Model
from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Step
from validator.records import FIELDS, dataclass, replace
from validator.texts import counted, decimal

Transition: TypeAlias = tuple[int | None, int | None]
"""The state before (None: any) and the state after (None: the same)."""

Show: TypeAlias = Callable[[Step], Step | Assertion]
"""From a step of the model to the step that people see; the same one, but for a model that stands for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A step whose arguments may be open: ``_`` and ``?`` stand for any object, ``?x`` for the same one throughout.

    The name ``_`` stands for every step that has the arguments, at any place. ``others`` are steps that are meant just
    as well.
    """

    name: str
    args: tuple[str, ...] = ()
    others: tuple[Pattern, ...] = ()

    def __str__(self) -> str:
        return " or ".join(f"({' '.join((each.name, *each.args))})" for each in self.alternatives)

    @property
    def alternatives(self) -> tuple[Pattern, ...]:
        """Return the pattern without the others, and these."""
        return (replace(self, others=()), *self.others) if self.others else (self,)

    @property
    def is_any_step(self) -> bool:
        return self.name == "_"

    @property
    def is_open(self) -> bool:
        return bool(self.others) or self.is_any_step or any(is_open(arg) for arg in self.args)

    def matches(self, step: object) -> bool:
        """Return whether a step is one of those that the pattern stands for."""
        return isinstance(step, Step) and any(each.is_like(step) for each in self.alternatives)

    def is_like(self, step: Step) -> bool:
        """Return whether a step is one, the others left aside."""
        if self.is_any_step:
            return all(arg in step.args for arg in self.args)
        if step.name != self.name or len(step.args) != len(self.args):
            return False
        bound: dict[str, str] = {}
        return all(
            arg == given if not is_open(arg) else arg in ("_", "?") or bound.setdefault(arg, given) == given
            for arg, given in zip(self.args, step.args, strict=True)
        )


def is_open(arg: str) -> bool:
    """Return whether an argument of a pattern stands for objects rather than being one."""
    return arg == "_" or arg.startswith("?")


Edge: TypeAlias = tuple[int | None, Pattern | None, int]
"""The state before (None: any), which steps take it (None: any), and the state after or ``STUCK``."""

STUCK = -1
"""where no step may lead: it forbids the step"""


def transitions(edges: Iterable[Edge], states: int, step: Step | Assertion) -> tuple[Transition, ...]:
    """Return the ways that a step can take through an automaton; it is forbidden in a state that none of them leaves.

    A step takes the first edge in whose state and pattern it is; without one it changes nothing.
    """
    taken = tuple((before, after) for before, which, after in edges if which is None or which.matches(step))
    return _transitions(taken, states)


@lru_cache(maxsize=1000)
def _transitions(edges: tuple[tuple[int | None, int], ...], states: int) -> tuple[Transition, ...]:
    ends = [next((end for at, end in edges if at in (None, state)), state) for state in range(states)]
    moves = tuple((state, None if state == end else end) for state, end in enumerate(ends) if end != STUCK)
    if all(end is None for _, end in moves) and len(moves) == states:
        return ((None, None),)
    return ((None, ends[0]),) if {*ends} == {ends[0]} != {STUCK} else moves


class Phrased:
    """What is said, and may be asked for, by a phrase with its fields in it."""

    __slots__ = ()
    says: ClassVar[str]

    def __str__(self) -> str:
        return self.says.format(**{name: _written(getattr(self, name)) for name in getattr(self, FIELDS)})


def _written(value: Any) -> str:
    """Return a field as people write it: a number of times, a number, an atom, a condition, a step or a name."""
    if isinstance(value, int):
        return counted(value, "time")
    if isinstance(value, Fraction):
        return decimal(value)
    if isinstance(value, tuple):
        return atom_text(value)
    return str(value) if isinstance(value, str | Pattern) else said(value)


class OfSteps(Phrased):
    """An automaton that reads steps. Where it ``asks`` for something, the plan must end in its last state."""

    __slots__ = ()
    asks: ClassVar[bool] = False

    @property
    def edges(self) -> tuple[Edge, ...]:
        return ()

    @property
    def states(self) -> int:
        return 1 + max((state for before, _, after in self.edges for state in (before or 0, after)), default=0)

    @property
    def accepting(self) -> int | None:
        return self.states - 1 if self.asks else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Must(OfSteps):
    """The step is done at least once."""

    says = "{step} must happen"
    asks = True
    step: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return ((None, self.step, 1),)


@dataclass(frozen=True, slots=True, kw_only=True)
class MustNot(OfSteps):
    """The step is never done."""

    says = "{step} must not happen"
    step: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return ((None, self.step, STUCK),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Before(OfSteps):
    """``second`` is not done before ``first`` was; it need not be done at all (PDDL 3's ``sometime-before``)."""

    says = "{first} must come before {second}"
    first: Pattern
    second: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return (0, self.second, STUCK), (0, self.first, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMost(OfSteps):
    """The step is done ``number`` times at most."""

    says = "{step} may happen at most {number}"
    number: int
    step: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return (*((state, self.step, state + 1) for state in range(self.number)), (self.number, self.step, STUCK))


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast(OfSteps):
    """The step is done ``number`` times at least."""

    says = "{step} must happen at least {number}"
    asks = True
    number: int
    step: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple((state, self.step, state + 1) for state in range(self.number))


@dataclass(frozen=True, slots=True, kw_only=True)
class Directly(OfSteps):
    """``second`` is once done directly after ``first``: state 1 is after a ``first``, state 2 when that was so."""

    says = "{second} must come directly after {first}"
    asks = True
    first: Pattern
    second: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return (0, self.first, 1), (1, self.second, 2), (1, self.first, 1), (1, None, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Between(OfSteps):
    """The step is done once after ``first`` and before ``second``, other steps between them or not."""

    says = "{step} must come between {first} and {second}"
    asks = True
    step: Pattern
    first: Pattern
    second: Pattern

    @property
    def edges(self) -> tuple[Edge, ...]:
        return tuple((state, part, state + 1) for state, part in enumerate((self.first, self.step, self.second)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Starts(OfSteps):
    """The plan begins with these steps; ``then`` comes directly after them, or with ``is_not`` another step."""

    asks = True
    steps: tuple[Step, ...]
    then: Pattern | None = None
    is_not: bool = False

    def __str__(self) -> str:
        last, number = " ".join(map(str, self.steps[-1:])) if self.then is None else str(self.then), self.states - 1
        before = ", the steps before it as they are" if number > 1 else ""
        return f"{last} must {'not ' if self.is_not else ''}be step {number}{before}"

    @property
    def edges(self) -> tuple[Edge, ...]:
        wanted = [Pattern(name=step.name, args=step.args) for step in self.steps]
        found: list[Edge] = [edge for at, step in enumerate(wanted) for edge in ((at, step, at + 1), (at, None, STUCK))]
        if self.then is not None:
            end = len(wanted) + 1
            ends = (STUCK, end) if self.is_not else (end, STUCK)
            found += ((len(wanted), self.then, ends[0]), (len(wanted), None, ends[1]))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Solvable(OfSteps):
    """There is a plan; nothing is asked of it."""

    says = "there must be a plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyIf(Phrased):
    """The step is done only in states in which a condition holds."""

    says = "{step} may happen only if {condition}"
    step: Pattern
    condition: Formula

    def violations(
        self, model: Model, steps: Sequence[Step | Assertion], states: Sequence[State]
    ) -> Iterator[int | None]:
        """Yield the steps that are done where the condition does not hold."""
        for index, step in enumerate(steps):
            if self.step.matches(step) and not holds(model, self.condition, {}, states[index]):
                yield index


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The step begins once after one time and before another; with ``is_only`` all of it is always done in between."""

    step: Pattern
    start: Fraction
    end: Fraction
    is_only: bool = False

    def __str__(self) -> str:
        times = f"{decimal(self.start)} to {decimal(self.end)}"
        return f"{self.step} may happen only from {times}" if self.is_only else f"{self.step} must begin from {times}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WithinCost(Phrased):
    """The plan costs no more than this: a budget."""

    says = "the plan may cost at most {cost}"
    cost: Fraction


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
    state, edges, states = 0, constraint.edges, constraint.states
    for index, step in enumerate(steps):
        moves = [end for at, end in transitions(edges, states, step) if at in (None, state)]
        if not moves:
            yield index
        elif moves[0] is not None:
            state = moves[0]
    if constraint.accepting not in (None, state):
        yield None
