"""One grounding for all candidate goals and observed facts, and what observations can mean in it.

Each candidate goal and each observed fact becomes an action without effects that has it as its precondition. So
the translator maps all of them onto the variables at once, splits disjunctions, and leaves out what cannot be reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from validator.automata.constraints import Pattern
from validator.errors import UnsupportedError
from validator.execution.simulator import Simulator
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.operators import Value
from validator.grounding.task import Task
from validator.model.conditions import folded, substituted
from validator.model.values import TRUE, Action, And, Atom, Equal, Formula, Measure, Model, Not, Or
from validator.reading.plan import Constraint, Step, Token
from validator.recognize.problem import Observation, Order, RecognitionProblem, Unmatchable
from validator.records import dataclass, replace
from validator.repair.edit import Edit, placed

Ways: TypeAlias = tuple[tuple[Value, ...], ...]
"""The ways in which a condition can hold, each a conjunction of values; none when it is out of reach."""

Placed: TypeAlias = tuple[int | None, Edit]
"""An edit with the index of its observation; None for a step that was not observed."""

_GOAL, _FACT = "<goal>", "<fact>"


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

    def is_initial(self, way: Sequence[Value]) -> bool:
        """Return whether a condition holds in the initial state; one with derived variables is not looked at."""
        if self.task.has_axioms and way:
            return False
        return all(self.task.init[variable] == value for variable, value in way)

    def meant(self, one: Meaning) -> list[int]:
        """Return the operators that an observation can mean."""
        return [number for step in sorted(one.steps, key=str) for number in self.task.numbers(step)]

    def relevant_task(self, goal: Ways, seen: Iterable[Meaning]) -> Task:
        """Return the task without effects that matter neither to a goal nor to what has to be explained."""
        waiting = [variable for way in goal for variable, _ in way]
        for one in seen:
            waiting += [variable for way in one.ways or () for variable, _ in way]
            waiting += [variable for number in self.meant(one) for variable in self.task.operators[number].needed]
        relevant: set[int] = set()
        while waiting and not self.task.has_axioms:
            variable = waiting.pop()
            if variable not in relevant:
                relevant.add(variable)
                waiting += self._influences.get(variable, ())
        return self._within(frozenset(relevant))

    def _within(self, variables: frozenset[int]) -> Task:
        """Return the task with effects on some variables alone; with axioms, on all."""
        if self.task.has_axioms or len(variables) == len(self.task.variables):
            return self.task
        found = self._tasks.get(variables)
        if found is None:
            if len(self._tasks) > 2 * len(self.goals):  # there are those of other observations among them
                self._tasks.clear()
            operators = tuple(operator.within(variables) for operator in self.task.operators)
            found = self._tasks[variables] = replace(self.task, operators=operators)
        return found

    @cached_property
    def _tasks(self) -> dict[frozenset[int], Task]:
        return {}

    @cached_property
    def _influences(self) -> Mapping[int, set[int]]:
        """Return for each variable those on which it depends, through any operator that changes it."""
        found: dict[int, set[int]] = {}
        for operator in map(self.task.operators.__getitem__, self.operators):
            for effect in operator.effect_values:
                conditions = (variable for variable, _ in effect.conditions)
                found.setdefault(effect.variable, set()).update(operator.needed, conditions)
        return found


def beyond(problem: RecognitionProblem) -> str:
    """Return why the planner cannot compare the goals of a model; empty when it can."""
    if problem.model.features:
        feature, place = next(iter(problem.model.features.items()))
        return f"goals are compared in classical models, and this one has {feature} ({place})"
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
    for step in task.steps:
        if step.name in extra:
            ways[step.name] += [tuple(task.operators[number].needed.items()) for number in task.numbers(step)]
        else:
            own += task.numbers(step)
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

    def leaf(part: Formula, bound: dict[str, str], wanted: bool) -> Formula:
        if isinstance(part, Atom):
            atom = substituted(part, bound)
            return atom if wanted else Not(atom)
        if isinstance(part, Equal):
            is_same = bound.get(part.left, part.left) == bound.get(part.right, part.right)
            return TRUE if is_same is wanted else Or(())
        raise ValueError("numeric conditions cannot be given to a classical planner")

    return folded(model, formula, binding, leaf, lambda parts: And(tuple(parts)), lambda parts: Or(tuple(parts)))


# --- what observations can mean --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """An observation that can be explained: by any of ``steps``, or for a fact (``ways``) by a state.

    ``price`` is what it costs to leave it unexplained; None where that is not allowed.
    """

    index: int
    steps: frozenset[Step]
    ways: Ways | None
    price: Fraction | None


@dataclass(frozen=True, kw_only=True)
class Observed:
    """All observations: those that can be explained, and those that no plan explains.

    ``forced`` is the price of the latter, None where they may not be left unexplained.
    """

    seen: tuple[Meaning, ...]
    unmatchable: tuple[Unmatchable, ...]
    tokens: tuple[Token, ...]
    facts: tuple[Formula | None, ...]
    order: Order
    forced: Fraction | None

    @property
    def total_price(self) -> Fraction | None:
        """Return what it costs to explain nothing at all."""
        prices = [one.price for one in self.seen]
        known = [price for price in prices if price is not None]
        return None if self.forced is None or len(known) < len(prices) else sum(known, self.forced)

    def placed(self, edits: Iterable[Placed]) -> tuple[Edit, ...]:
        """Return edits with the observations that cannot be explained among them."""
        kept = (one.index for one in self.seen)
        return tuple(placed(edits, self.tokens, kept, in_order=self.order is Order.TOTAL))

    def priced(self, price: Fraction) -> Observed:
        """Return the observations with one price for each that can be explained, and none for the others."""
        return replace(self, seen=tuple(replace(one, price=price) for one in self.seen), forced=Fraction(0))


def observed(problem: RecognitionProblem, grounded: Grounded, *, price: Fraction | None, order: Order) -> Observed:
    """Find what each observation can mean, of the reachable steps and ways in which facts hold.

    ``price`` None forbids to leave any unexplained; it is a cost of the model.
    """
    observations = problem.observations
    names: dict[str, dict[Step, None]] = {}
    for step in grounded.task.steps:
        names.setdefault(step.name, {})[step] = None
    seen: list[Meaning] = []
    unmatchable: list[Unmatchable] = []
    forced: Fraction | None = Fraction(0)
    for index, observation in enumerate(observations):
        steps = frozenset(_steps(problem, observation, names))
        ways = None if observation.fact is None else grounded.facts[observation.fact]
        own_price = observation.price if price is not None and observation.price is not None else price
        if steps or ways:
            seen.append(Meaning(index=index, steps=steps, ways=ways, price=own_price))
            continue
        reason = observation.fault or (
            "no reachable state has it" if ways is not None else "no reachable step matches it"
        )
        unmatchable.append(Unmatchable(observation=index, reason=reason))
        forced = None if forced is None or own_price is None else forced + own_price
    return Observed(
        seen=tuple(seen),
        unmatchable=tuple(unmatchable),
        tokens=tuple(map(_token, observations)),
        facts=tuple(observation.fact for observation in observations),
        order=order,
        forced=forced,
    )


def _steps(
    problem: RecognitionProblem, observation: Observation, names: Mapping[str, Mapping[Step, None]]
) -> Iterator[Step]:
    """Yield the reachable steps that an observed one may be."""
    wanted = observation.step
    if wanted is None or observation.fault:
        return
    for name, steps in names.items():
        if problem.action_names.get(name, name) != wanted.name:
            continue
        pattern = Pattern(name=name, args=wanted.args)
        if observation.any_arguments:
            yield from steps
        elif pattern.is_open:
            yield from filter(pattern.matches, steps)
        elif (step := Step(name=name, args=wanted.args)) in steps:
            yield step


def _token(observation: Observation) -> Token:
    """Return an observation as a line of a plan; a fact is what a plan's text calls an assertion."""
    return observation.step or Constraint(text=observation.text.removeprefix("holds").strip())
