"""One grounding for all candidate goals and observed facts.

Each candidate goal and each observed fact becomes an action without effects that has it as its precondition. So
the translator maps all of them onto the variables at once, splits disjunctions, and leaves out what cannot be reached;
afterwards those actions are taken out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from validator.errors import UnsupportedError
from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.model.conditions import bindings
from validator.model.values import TRUE, Action, And, Atom, Equal, Exists, Forall, Formula, Imply, Model, Not, Or
from validator.reading.plan import Step
from validator.recognize.problem import RecognitionProblem
from validator.records import dataclass, replace

__all__ = ["Grounded", "Ways", "beyond", "ground_once"]

Ways: TypeAlias = tuple[tuple[Value, ...], ...]
"""The ways in which a condition can hold, each a conjunction of values; none when it is out of reach."""

_GOAL, _FACT = "<goal>", "<fact>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effect of an operator; ``before`` is the value that it needs, None for any."""

    conditions: tuple[Value, ...]
    variable: int
    before: int | None
    after: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Grounded:
    """The model's own operators, and the ways to reach each goal and to have each fact.

    ``operators`` are the task's that belong to the model. Costs are in units of ``1 / scale``.
    """

    task: Task
    simulator: Simulator
    operators: tuple[int, ...]
    goals: tuple[Ways, ...]
    facts: Mapping[Formula, Ways]
    scale: int

    @cached_property
    def by_step(self) -> Mapping[Step, tuple[int, ...]]:
        own = frozenset(self.operators)
        return {step: numbers for step, numbers in self.task.by_step.items() if own.issuperset(numbers)}

    @cached_property
    def needs(self) -> Mapping[int, tuple[Value, ...]]:
        """Return the preconditions of each operator."""
        return {number: tuple(_needs(self.task.operators[number], self.effects[number])) for number in self.operators}

    @cached_property
    def effects(self) -> Mapping[int, tuple[Effect, ...]]:
        return {number: tuple(_effects(self.task.operators[number])) for number in self.operators}

    @cached_property
    def influences(self) -> Mapping[int, frozenset[int]]:
        """Return for each variable those on which it depends, through any operator that changes it."""
        found: dict[int, set[int]] = {}
        for number in self.operators:
            needed = {variable for variable, _ in self.needs[number]}
            for effect in self.effects[number]:
                found.setdefault(effect.variable, set()).update(needed, (variable for variable, _ in effect.conditions))
        return {variable: frozenset(needed) for variable, needed in found.items()}

    def is_initial(self, way: Sequence[Value]) -> bool:
        """Return whether a condition holds in the initial state; one with derived variables is not looked at."""
        if self.task.has_axioms and way:
            return False
        return all(self.task.init[variable] == value for variable, value in way)

    def after(self, state: Sequence[int], number: int) -> tuple[int, ...] | None:
        """Return the state behind an operator, without derived variables; None where it does not apply."""
        if any(state[variable] != value for variable, value in self.needs[number]):
            return None
        changed = list(state)
        for effect in self.effects[number]:
            if all(state[variable] == value for variable, value in effect.conditions):
                changed[effect.variable] = effect.after
        return tuple(changed)


def beyond(problem: RecognitionProblem) -> str:
    """Return why the planner cannot compare the goals of a model; empty when it can."""
    if problem.model.features:
        feature, place = next(iter(problem.model.features.items()))
        return f"it searches classical models, and this one has {feature} ({place})"
    if problem.measure is None:
        return "the metric is not the minimum of total-cost, the only one whose cheapest value is searched for"
    return ""


def ground_once(problem: RecognitionProblem, facts: Sequence[Formula], limits: Limits) -> Grounded | Status:
    """Ground the model for all hypotheses and the facts, or return the limit that was met.

    Raises PlannerError when the translator fails, UnsupportedError for a model beyond it, ValueError for one that it
    cannot be given.
    """
    model = problem.model
    if why := beyond(problem):
        raise UnsupportedError(why)
    conditions = {f"{_GOAL} {i}": one.goal for i, one in enumerate(problem.hypotheses)}
    conditions |= {f"{_FACT} {i}": fact for i, fact in enumerate(facts)}
    extra = {
        name: Action(name=name, parameters=(), precondition=_instantiated(model, condition, {}), effects=())
        for name, condition in conditions.items()
    }
    extended = Model(
        domain=replace(model.domain, actions={**model.domain.actions, **extra}),
        problem=replace(model.problem, goal=TRUE),
    )
    simulator = Simulator(extended)
    task = ground(simulator, limits)
    if isinstance(task, Status):
        return task
    ways: dict[str, list[tuple[Value, ...]]] = {name: [] for name in extra}
    own: list[int] = []
    for step, numbers in task.by_step.items():
        if step.name in extra:
            ways[step.name] += [tuple(_prevailing(task.operators[number])) for number in numbers]
        else:
            own += numbers
    return Grounded(
        task=task,
        simulator=simulator,
        operators=tuple(sorted(own)),
        goals=tuple(tuple(ways[f"{_GOAL} {i}"]) for i in range(len(problem.hypotheses))),
        facts={fact: tuple(ways[f"{_FACT} {i}"]) for i, fact in enumerate(facts)},
        scale=task.encoding.scale if problem.measure is Measure.TOTAL_COST else 1,
    )


def _instantiated(model: Model, formula: Formula, binding: dict[str, str]) -> Formula:
    """Return a closed condition without quantifiers, for which the translator would make axioms."""
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(binding.get(term, term) for term in terms))
        case Equal(left, right):
            return TRUE if binding.get(left, left) == binding.get(right, right) else Or(())
        case Not(part):
            return Not(_instantiated(model, part, binding))
        case And(parts):
            return And(tuple(_instantiated(model, part, binding) for part in parts))
        case Or(parts):
            return Or(tuple(_instantiated(model, part, binding) for part in parts))
        case Imply(premise, conclusion):
            return Or((Not(_instantiated(model, premise, binding)), _instantiated(model, conclusion, binding)))
        case Forall(parameters, part):
            return And(tuple(_instantiated(model, part, inner) for inner in bindings(model, parameters, binding)))
        case Exists(parameters, part):
            return Or(tuple(_instantiated(model, part, inner) for inner in bindings(model, parameters, binding)))
        case _:
            raise ValueError("numeric conditions cannot be given to a classical planner")


def _prevailing(operator: Operator) -> Iterator[Value]:
    for line in operator.prevail.splitlines():
        variable, value = line.split()
        yield int(variable), int(value)


def _effects(operator: Operator) -> Iterator[Effect]:
    for line in operator.effects.splitlines():
        count, *numbers = map(int, line.split())
        conditions = tuple(zip(numbers[0 : 2 * count : 2], numbers[1 : 2 * count : 2], strict=True))
        variable, before, after = numbers[2 * count :]
        yield Effect(
            conditions=conditions,
            variable=variable,
            before=None if before < 0 else before,
            after=after,
            text=f"{line}\n",
        )


def _needs(operator: Operator, effects: Sequence[Effect]) -> Iterator[Value]:
    yield from _prevailing(operator)
    yield from {(effect.variable, effect.before) for effect in effects if effect.before is not None}
