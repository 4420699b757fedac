"""Whether a plan keeps to wishes, and what the cheapest one costs, in the models that wishes change.

A search for a plan and proofs that there is none take turns. How often a step may be taken, and what a plan may cost,
are both a bound on the cost of a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import Literal, TypeAlias

from validator.automata.compile import constrain
from validator.automata.constraints import AtMost, Constraint, Show, WithinCost
from validator.automata.facts import Values, World, conjuncts_of
from validator.automata.properties import Property
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Interval
from validator.errors import PlannerError
from validator.execution.trace import Trace
from validator.foils.changes import Change, Wish, changed, changes_of, constraints_of
from validator.grounding.limits import HEAD_START, SHORT, Limits, Status
from validator.grounding.operators import Value
from validator.grounding.planner import first_plan_strategy, search
from validator.grounding.relaxation import achievers, reachable
from validator.grounding.task import Task
from validator.model.conditions import holds
from validator.model.values import Formula
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field, replace
from validator.repair.cheapest import Optimum, find_optimum, plan_cost
from validator.repair.edit import own_steps, unmodified
from validator.resources import loading

MOST_WAYS = 64
"""operators or values of each of which it is looked whether it can ever be applied, or is needed"""

_Plan = tuple[Step, ...]


@dataclass(kw_only=True)
class Oracle:
    """Answers questions about wishes, and remembers the plans that it has seen.

    ``plans`` are plans known to execute. Whether a plan exists is looked for in half of the time that is left.
    ``unpriced`` says why the costs of a model are not the planner's, ``reasons`` what could not be proven; ``lower``
    is what every plan of the unchanged model costs at least.
    """

    prepared: Prepared
    limits: Limits
    show: Show = lambda step: step
    unpriced: str = ""
    lower: int = 0
    reasons: list[str] = field(default_factory=list)
    plans: list[_Plan] = field(default_factory=list)
    _worlds: dict[frozenset[Change], World | str] = field(default_factory=dict)
    _traces: dict[tuple[int, _Plan], Trace] = field(default_factory=dict)
    _optima: dict[frozenset[Wish], Optimum] = field(default_factory=dict)

    # --- models --------------------------------------------------------------------------------------

    def after(self, changes: Iterable[Change] = ()) -> World | str:
        """Return the model after changes, or why there is none. Raises InputError for a change that cannot be made."""
        key = frozenset(changes)
        if key not in self._worlds:
            self._worlds[key] = self._grounded(key)
        return self._worlds[key]

    def world(self, wishes: Sequence[Wish]) -> World:
        """Return the model that wishes ask about. Raises PlannerError when it could not be grounded in time."""
        world = self.after(changes_of(wishes))
        if isinstance(world, str):
            raise PlannerError(world)
        return world

    def _grounded(self, changes: frozenset[Change]) -> World | str:
        prepared = prepare(changed(self.prepared.model, changes)) if changes else self.prepared
        if prepared.simulator.measure is None:
            self.unpriced = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"
        try:
            task = prepared.task(self.limits)
        except ValueError as error:
            self.unpriced = f"the planner cannot be given the model's costs: {error}"
            task = prepared.task(self.limits, costs_matter=False)
        if isinstance(task, Status):
            return f"the {task.value} was met while the model was grounded"
        return World(simulator=prepared.simulator, task=task, show=self.show)

    # --- whether there is a plan ---------------------------------------------------------------------

    def possible(self, wishes: Sequence[Wish], goals: Sequence[Formula] | None = None) -> bool | None:
        """Return whether a plan keeps to wishes; None when a limit was met before that was known.

        With ``goals`` these are the model's goals, in place of its own.
        """
        if any(True for _ in self.keeping(wishes, goals)):
            return True
        world = self.after(changes_of(wishes))
        if isinstance(world, str):
            return None
        world, constraints = aimed(world, constraints_of(wishes), goals)
        task, most = constrain(world, constraints), _scaled_budget(world, constraints)
        if task.is_relaxed_unsolvable or (most is not None and most < 0):
            return False
        if task.goal == ():  # the empty plan reaches it, and is the cheapest
            self.plans.append(())
            return True
        for found in self._searches(world, constraints, goals, task):
            if found is False:
                return False
            if found is not None:
                if not self._keeps(world, constraints, goals, found):
                    raise PlannerError("the planner's answer does not execute")
                self.plans.append(found)
                return True
        return None

    def keeping(self, wishes: Sequence[Wish], goals: Sequence[Formula] | None = None) -> Iterator[_Plan]:
        """Yield the known plans that keep to wishes."""
        world = self.after(changes_of(wishes))
        if not isinstance(world, str):
            yield from self._kept(world, constraints_of(wishes), goals)

    def _kept(
        self, world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None
    ) -> Iterator[_Plan]:
        return (plan for plan in dict.fromkeys(self.plans) if self._keeps(world, constraints, goals, plan))

    def _keeps(
        self, world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None, plan: _Plan
    ) -> bool:
        key = id(world.simulator), plan
        if key not in self._traces:
            self._traces[key] = world.simulator.run(Plan(parts=plan))
        trace = self._traces[key]
        if goals is None and not trace.is_valid:
            return False
        if goals is not None and not (trace.is_sound and _reaches(world, trace, goals)):
            return False
        most = budget(constraints)
        return (most is None or (trace.cost is not None and trace.cost <= most)) and world.keeps(constraints, plan)

    def _searches(
        self, world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None, task: Task
    ) -> Iterator[_Settled]:
        """Look for a plan, in turn with proofs that there is none: each has a share of the time that is left."""
        limits, most = self.limits.half, _scaled_budget(world, constraints)
        yield _any_plan(task, most, limits.within(HEAD_START))
        for constraint in constraints:
            if isinstance(constraint, AtMost) and not world.task.has_axioms:
                others = tuple(each for each in constraints if each is not constraint)
                known = self._kept(world, others, goals)
                yield _bounded(counting(world, constraint, others), constraint.number, known, limits.half)
        if limits.seconds > SHORT and _is_excluded(world, task, limits):  # half of it may go by until all is loaded
            yield False
        unpriced = tuple(each for each in constraints if not isinstance(each, WithinCost))
        yield _bounded(task, most, () if most is None else self._kept(world, unpriced, goals), limits.half)
        yield _any_plan(task, most, limits)

    # --- costs ---------------------------------------------------------------------------------------

    def optimum(self, wishes: Sequence[Wish], limits: Limits) -> Optimum:
        """Return what is known of the cheapest plan under wishes, of which a plan is known that keeps to them.

        What a plan may cost at most is no wish here.
        """
        key = frozenset(wishes)
        if key not in self._optima:
            world, lower = self.world(wishes), 0 if changes_of(wishes) else self.lower
            known = min(self.keeping(wishes), key=lambda plan: plan_cost(world.task, plan), default=None)
            if known is not None and plan_cost(world.task, known) == lower:
                found = Optimum(status=Status.SOLVED, lower=lower, upper=lower, plan=known)
            else:
                found = find_optimum(constrain(world, constraints_of(wishes)), known, limits, enough=0)
                found = replace(found, lower=max(lower, found.lower))
            if found.plan is not None:
                self.plans.append(found.plan)
            if not found.is_proven:
                self.reasons.append(f"the {found.status.value} was met before a cheapest cost was proven")
            self._optima[key] = found
        return self._optima[key]

    def interval(self, optimum: Optimum, wishes: Sequence[Wish] = ()) -> Interval:
        """Return a cost of the planner's under wishes as the metric's value."""
        world = self.world(wishes)
        scale, initial = world.task.encoding.scale, world.simulator.initial_cost
        upper = None if optimum.upper is None else Fraction(optimum.upper, scale) + initial
        return Interval(lower=Fraction(optimum.lower, scale) + initial, upper=upper)


def _reaches(world: World, trace: Trace, goals: Sequence[Formula]) -> bool:
    *_, last = trace.states()
    return all(holds(world.model, goal, {}, world.simulator.view(last)) for goal in goals)


def counting(world: World, constraint: AtMost, others: Sequence[Constraint]) -> Task:
    """Return a task in which a plan costs what a constraint counts."""
    task = constrain(world, others)
    counted = (
        replace(operator, cost=int(constraint.step.matches(world.show(task.encoding.step(operator.name)))))
        for operator in task.operators
    )
    return replace(task, operators=tuple(counted))


def aimed(
    world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None
) -> tuple[World, tuple[Constraint, ...]]:
    """Return a world with other goals; those that are more than values of variables become constraints."""
    if goals is None:
        return world, tuple(constraints)
    values: list[Value] = []
    more: list[Constraint] = []
    for goal in goals:
        parts = conjuncts_of(world.facts.condition(goal))
        if all(isinstance(part, Values) and len(part.allowed) == 1 for part in parts):
            values += ((part.variable, min(part.allowed)) for part in parts if isinstance(part, Values))
        else:
            more.append(Property(operator="at end", parts=(goal,)))
    clashes = len({variable for variable, _ in values}) < len(set(values))  # two values of one variable
    goal_values = None if clashes else tuple(dict.fromkeys(values))
    return replace(world, task=replace(world.task, goal=goal_values, goal_operators=())), (*constraints, *more)


def budget(constraints: Sequence[Constraint]) -> Fraction | None:
    """Return the most that a plan may cost; None where that is not asked."""
    return min((each.cost for each in constraints if isinstance(each, WithinCost)), default=None)


def _scaled_budget(world: World, constraints: Sequence[Constraint]) -> int | None:
    """Return the most that a plan may cost in the task's scaled integers, -1 for less than nothing."""
    most = budget(constraints)
    if most is None:
        return None
    return max(-1, floor((most - world.simulator.initial_cost) * world.task.encoding.scale))


_Settled: TypeAlias = _Plan | Literal[False] | None
"""a plan, or False where it is proven that there is none"""


def _any_plan(task: Task, most: int | None, limits: Limits) -> _Settled:
    """Look for any plan that costs ``most`` at most."""
    outcome = search(unmodified(task), first_plan_strategy(task, most), limits)
    if outcome.status is Status.SOLVED:
        return own_steps(task, outcome.plan)
    # With axioms the heuristic may take a state for a dead end that is none.
    return False if outcome.status is Status.UNSOLVABLE and most is None and not task.has_axioms else None


def _bounded(task: Task, most: int | None, known: Iterable[_Plan], limits: Limits) -> _Settled:
    """Prove that every plan costs more than ``most``, or find one that does not; a known plan is made cheaper."""
    cheapest = min(known, key=lambda plan: plan_cost(task, plan), default=None)
    found = find_optimum(task, cheapest, limits, enough=most, most=most)
    if found.status is Status.UNSOLVABLE or (most is not None and found.lower > most):
        return False
    return None if most is not None and (found.upper is None or found.upper > most) else found.plan


def _is_excluded(world: World, task: Task, limits: Limits) -> bool:
    """Return whether the goal never holds with what is asked, or no operator that does it can ever be applied."""
    if task.has_axioms or task.has_conditional_effects or task.goal is None:
        return False
    try:
        with loading("numpy", "scipy"):
            from validator.foils.invariants import Invariants  # scipy, which most questions never need
    except MemoryError:
        return False
    known, asked = Invariants(task=task), range(len(world.task.variables), len(task.init))
    if known.exclude(dict(task.goal), limits.seconds):
        return True
    ways = [each for value, made_by in achievers(task).items() if value[0] in asked for each in made_by]
    never: set[int] = set()
    for way in ways if len(ways) <= MOST_WAYS else ():
        if not limits.is_over() and known.exclude(way.needed, limits.seconds):
            never.add(id(way))
    return bool(never) and not reachable(task, lambda each: id(each) in never).issuperset(task.goal)
