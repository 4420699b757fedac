"""A task that allows only the plans that keep to constraints, whose automata stand beside the model's variables.

Each constraint is one variable more, and each operator that it speaks of becomes one operator for each transition and,
for a constraint on facts, for each way in which its conditions can hold after it. The names stay, so that a plan reads
as a plan of the model. The task is a task like any other: its cheapest plans, and the nearest plan to an observed one,
are found as for the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from validator.automata.constraints import (
    Constraint,
    OfSteps,
    OnlyIf,
    Show,
    Window,
    WithinCost,
    transitions,
    violations,
)
from validator.automata.facts import (
    Condition,
    World,
    alternatives,
    behind,
    conjuncts_of,
    holds_in,
    is_possible,
    joined,
    values_of,
    variables,
)
from validator.automata.properties import OPERATORS, Property
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind, Trace
from validator.grounding.limits import checked
from validator.grounding.operators import Effect, Operator, variable_text
from validator.grounding.task import Task
from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import dataclass, replace

_MOST_OPERATORS = 1_000_000
_TOO_MANY = f"the question needs more than {_MOST_OPERATORS} operators; ask for less at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Soft:
    """Properties that a plan need not keep: the step ``kept`` asks for them, and ``given_up`` ends all that they ask.

    Both are names of actions without parameters.
    """

    properties: tuple[Property, ...]
    kept: str
    given_up: str


class ConstrainedSimulator(Simulator):
    """Executes plans and looks whether they keep to constraints."""

    def __init__(self, simulator: Simulator, constraints: Sequence[Constraint], show: Show) -> None:
        super().__init__(simulator.model)
        self._constraints = constraints
        self._show = show

    def run(self, plan: Plan | Sequence[Token], resolved: tuple[Token, ...] | None = None) -> Trace:
        """Execute a plan; a step that a constraint forbids is a failure, and so is one that is missing at the end."""
        plan = plan if isinstance(plan, Plan) else Plan(parts=tuple(plan))
        trace = super().run(plan, resolved)
        return replace(trace, failures=tuple(sorted((*trace.failures, *self._violations(plan, trace)), key=_place)))

    def _violations(self, plan: Plan, trace: Trace) -> Iterator[Failure]:
        resolved = map(self.resolve, plan.tokens)
        first, *later = map(self.view, trace.states())
        placed = [
            (place, token, state)
            for place, token, state in zip(plan.places, resolved, later, strict=True)
            if isinstance(token, Step)
        ]
        steps = [self._show(bare(token)) for _, token, _ in placed]
        states = [first, *(state for _, _, state in placed)]
        for constraint in self._constraints:
            for index in violations(constraint, steps, states, self.model):
                step = None if index is None else placed[index][0]
                yield Failure(step=step, kind=Kind.CONSTRAINT, detail=str(constraint))


def _place(failure: Failure) -> float:
    return float("inf") if failure.step is None else failure.step


@dataclass(frozen=True, slots=True)
class _Way:
    """One transition that an operator can take: what must hold besides, and the states before and after."""

    needed: Mapping[int, int]
    before: int | None = None
    after: int | None = None


_FREE = (_Way({}),)


def constrain(
    world: World,
    constraints: Sequence[Constraint],
    is_over: Callable[[], bool] = lambda: False,
    soft: Iterable[Soft] = (),
) -> Task:
    """Return a task whose plans are those of the world's task that keep to the constraints, whatever they cost.

    Raises InputError when it would have more than a million operators, TimeoutError as soon as it is over.
    """
    task = world.task
    readers = [_reader(world, constraint) for constraint in constraints if not isinstance(constraint, WithinCost)]
    readers += [_Lenient(world, each, both) for both in soft for each in both.properties]
    if not readers:
        return task
    if any(reader.first is None for reader in readers):
        return replace(task, goal=None, goal_operators=())
    counted = [reader for reader in readers if reader.states > 1]
    numbers = {id(reader): len(task.variables) + place for place, reader in enumerate(counted)}
    of_steps = [reader for reader in readers if reader.speaks_of is None]
    of_facts: dict[int, list[_Reader]] = {}
    of_names: dict[str, list[_Reader]] = {}
    for reader in readers:
        for variable in reader.speaks_of or ():
            of_facts.setdefault(variable, []).append(reader)
        for name in reader.names:
            of_names.setdefault(name, []).append(reader)
    operators: list[Operator] = []
    for operator in checked(task.operators, is_over):
        own = task.encoding.step(operator.name)
        step, speaking = world.show(own), [*of_steps, *of_names.get(own.name, ())]
        speaking += (reader for variable in operator.effect for reader in of_facts.get(variable, ()))
        choices = [
            [(numbers.get(id(reader)), way) for way in reader.ways(operator, step)]
            for reader in dict.fromkeys(speaking)
        ]
        operators += (_copy(operator, *way) for way in _together(choices))
        if len(operators) > _MOST_OPERATORS:
            raise InputError(_TOO_MANY)
    wanted = tuple((numbers[id(each)], each.accepting) for each in counted if each.accepting is not None)
    return replace(
        task,
        variables=(*task.variables, *(variable_text(numbers[id(each)], each.states) for each in counted)),
        init=(*task.init, *(each.first or 0 for each in counted)),
        operators=tuple(operators),
        goal=None if task.goal is None else (*task.goal, *wanted),
        goal_operators=tuple(operator.also(wanted) for operator in task.goal_operators),
    )


class _Reader:
    """An automaton that reads the steps of a plan; ``first`` is its state at first, None when it is broken at once."""

    speaks_of: frozenset[int] | None = None
    """the variables that change where it takes more than one way; None where the steps themselves tell"""
    names: tuple[str, ...] = ()
    """of actions to which it says something whatever they change"""

    def __init__(self, constraint: OfSteps) -> None:
        self.states, self.accepting = constraint.states, constraint.accepting
        self.first: int | None = 0
        self._edges = constraint.edges

    def ways(self, operator: Operator, step: Step | Assertion) -> Iterable[_Way]:
        """Return the transitions that an operator can take."""
        return [_Way({}, before, after) for before, after in transitions(self._edges, self.states, step)]


class _Guard(_Reader):
    """A condition on the states before some steps."""

    def __init__(self, world: World, constraint: OnlyIf) -> None:
        self.states, self.accepting, self.first = 1, None, 0
        self._condition = world.facts.condition(constraint.condition)
        self._matches = constraint.step.matches

    def ways(self, operator: Operator, step: Step | Assertion) -> Iterable[_Way]:
        if not self._matches(step):
            return _FREE
        return [_Way(way) for way in alternatives(self._condition, operator.needed)]


class _StateReader(_Reader):
    """An automaton that reads the states of a plan."""

    def __init__(self, world: World, constraint: Property) -> None:
        self._machine = constraint.machine
        self.states, self.accepting = self._machine.states, self._machine.accepting
        facts = world.facts
        self._sizes = facts.sizes
        bound = dict(constraint.objects)
        self._either = {
            (n, positive): facts.condition(part, bound, positive=positive)
            for n, part in enumerate(constraint.parts)
            for positive in (True, False)
        }
        conditions = [self._either[n, True] for n in range(len(constraint.parts))]
        self.first = self._machine.begin([holds_in(condition, world.task.init) for condition in conditions])
        self.speaks_of = frozenset().union(*map(variables, conditions))
        self._values = frozenset(chain.from_iterable(map(values_of, conditions)))

    def ways(self, operator: Operator, step: Step | Assertion) -> Iterable[_Way]:
        if not self._is_told_by(operator):
            return _FREE
        return [
            _Way(way, before, after)
            for before, after, needs in self._machine.edges
            if self._could_stay(operator, needs)
            for way in alternatives(self._before(operator, needs), operator.needed)
        ]

    def _is_told_by(self, operator: Operator) -> bool:
        """Return whether an operator may make another one of what is asked of single variables hold."""
        return operator.is_conditional or any(
            old is None or (old in allowed) is not (operator.effect[variable] in allowed)
            for variable, allowed in self._values
            if variable in operator.effect
            for old in (operator.needed.get(variable),)
        )

    def _could_stay(self, operator: Operator, needs: Iterable[tuple[int, bool, bool]]) -> bool:
        """Return whether what must be as it was can have been so before an operator."""
        return all(
            is_possible(self._either[number, positive], operator.needed)
            for number, positive, is_kept in needs
            if is_kept
        )

    def _before(self, operator: Operator, needs: Iterable[tuple[int, bool, bool]]) -> Condition:
        """Return what must hold before an operator; a part that held and is not touched holds."""
        parts: list[Condition] = []
        for number, positive, is_kept in needs:
            condition = self._either[number, positive]
            parts += (
                behind(part, operator, self._sizes)
                for part in conjuncts_of(condition)
                if not is_kept or not operator.effect.keys().isdisjoint(variables(part))
            )
        return joined(parts, is_any=False)


class _Lenient(_StateReader):
    """An automaton that may be given up: its last state, which every operator leaves as it is."""

    def __init__(self, world: World, constraint: Property, soft: Soft) -> None:
        super().__init__(world, constraint)
        self._soft, self._given_up = soft, self.states
        self._accepted = range(self.states) if self.accepting is None else (self.accepting,)
        self.first = self._given_up if self.first is None else self.first
        self.states, self.accepting = self.states + 1, None
        self.names = (soft.kept, soft.given_up)

    def ways(self, operator: Operator, step: Step | Assertion) -> Iterable[_Way]:
        if isinstance(step, Step) and step.name == self._soft.kept:
            return [_Way({}, state) for state in self._accepted]
        if isinstance(step, Step) and step.name == self._soft.given_up:
            return [_Way({}, None, self._given_up)]
        if not self._is_told_by(operator):
            return _FREE
        found = [_Way({}, self._given_up)]
        for way in super().ways(operator, step):
            before = range(self._given_up) if way.before is None else (way.before,)
            found += (replace(way, before=state) for state in before)
        return found


def _reader(world: World, constraint: OfSteps | Property | OnlyIf | Window) -> _Reader:
    if isinstance(constraint, Window) or (isinstance(constraint, Property) and constraint.operator not in OPERATORS):
        raise InputError(f"this asks about times, and the model has none: {constraint}")
    if isinstance(constraint, Property):
        return _StateReader(world, constraint)
    return _Guard(world, constraint) if isinstance(constraint, OnlyIf) else _Reader(constraint)


_Together: TypeAlias = tuple[dict[int, int], tuple[Effect, ...]]
"""What must hold besides what an operator asks for, and what its transitions set."""


def _together(choices: Iterable[Sequence[tuple[int | None, _Way]]]) -> list[_Together]:
    """Return the transitions that can be taken together, one of each constraint: none needs another value than others.

    Raises InputError when there are more than a million.
    """
    found: list[_Together] = [({}, ())]
    for ways in choices:
        found = [each for known, effects in found for way in ways if (each := _with(known, effects, *way)) is not None]
        if len(found) > _MOST_OPERATORS:
            raise InputError(_TOO_MANY)
    return found


def _with(known: dict[int, int], effects: tuple[Effect, ...], variable: int | None, way: _Way) -> _Together | None:
    if any(known.get(place, value) != value for place, value in way.needed.items()):
        return None
    needed = {**known, **way.needed}
    if variable is not None and way.before is not None:
        needed[variable] = way.before
    if variable is not None and way.after is not None:
        effects = (*effects, Effect(conditions=(), variable=variable, value=way.after))
    return needed, effects


def _copy(operator: Operator, needed: Mapping[int, int], effects: Sequence[Effect]) -> Operator:
    """Return an operator that takes one transition of each constraint."""
    if not needed and not effects:
        return operator
    if operator.is_conditional or not needed.keys().isdisjoint(operator.effect):
        together = {**operator.needed, **needed}
        return Operator.made(operator.name, tuple(together.items()), (*operator.effect_values, *effects), operator.cost)
    changed = {effect.variable for effect in effects}
    moves = [(effect.variable, needed.get(effect.variable, -1), effect.value) for effect in effects]
    return operator.also([value for value in needed.items() if value[0] not in changed], moves)
