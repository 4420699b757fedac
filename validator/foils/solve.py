"""Whether a plan keeps to wishes, in the models that they change: a search for one and a proof that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from fractions import Fraction
from math import floor
from threading import Event

from validator.automata.compile import constrain
from validator.automata.constraints import AtMost, Constraint, Show, WithinCost
from validator.automata.facts import Values, conjuncts_of
from validator.automata.properties import Property
from validator.automata.world import World
from validator.checking.prepared import Prepared, prepare
from validator.errors import PlannerError
from validator.execution.trace import Trace
from validator.foils.changes import Change, Wish, changed, changes_of, constraints_of
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.operators import Value
from validator.grounding.planner import search
from validator.grounding.relaxation import achievers, reachable
from validator.grounding.strategies import optimal_strategy
from validator.grounding.task import Task
from validator.model.conditions import holds
from validator.model.values import Formula
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field, replace
from validator.repair.cheapest import plan_cost
from validator.repair.edit import own_steps, unmodified
from validator.repair.search.neighbourhood import cheaper_plan
from validator.resources import loading

__all__ = ["Oracle", "Worlds", "aimed", "counting"]


@dataclass(kw_only=True)
class Worlds:
    """Models by the changes that lead to them; ``unpriced`` says why the costs of a model are not the planner's."""

    prepared: Prepared
    limits: Limits
    show: Show = lambda step: step
    unpriced: str = ""
    _known: dict[frozenset[Change], World | str] = field(default_factory=dict)

    def of(self, changes: Iterable[Change] = ()) -> World | str:
        """Return the model after changes, or why there is none. Raises InputError for a change that cannot be made."""
        asked = frozenset(changes)
        if asked not in self._known:
            self._known[asked] = self._grounded(asked)
        return self._known[asked]

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


_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]{bound}))"
_WITH_LANDMARKS = (
    "let(h, ff(), let(l, landmark_sum(lm_rhw(), pref=true), lazy_greedy([h, l], preferred=[h, l]{bound})))"
)
"""The first search of LAMA (Richter and Westphal 2010): 4 s where it takes 11 s without landmarks, for parking cars."""

_HEAD_START = 0.5
"""seconds that the search for a plan has before a proof is looked for beside it"""

_WEIGHING = 2.0
"""seconds that must be left for weights of values to be looked for: half of them may go by until all is loaded"""

_MOST_WAYS = 64
"""operators that may do what is asked, of each of which it is looked whether it can ever be applied"""


@dataclass(kw_only=True)
class Oracle:
    """Says which wishes a plan can keep to, and remembers the plans that it has seen.

    ``plans`` are plans known to execute. Each question gets ``seconds`` at most. ``counts`` are the least numbers of
    times that a step must be taken by every plan of the unchanged model, as far as they were proven on the way.
    """

    worlds: Worlds
    limits: Limits
    seconds: float
    plans: list[tuple[Step, ...]] = field(default_factory=list)
    counts: dict[AtMost, int] = field(default_factory=dict)
    _traces: dict[tuple[int, tuple[Step, ...]], Trace] = field(default_factory=dict)

    def world(self, wishes: Sequence[Wish]) -> World:
        """Return the model that wishes ask about. Raises PlannerError when it could not be grounded in time."""
        world = self.worlds.of(changes_of(wishes))
        if isinstance(world, str):
            raise PlannerError(world)
        return world

    def possible(self, wishes: Sequence[Wish], goals: Sequence[Formula] | None = None) -> bool | None:
        """Return whether a plan keeps to wishes; None when a limit was met before that was known.

        With ``goals`` these are the model's goals, in place of its own.
        """
        if any(True for _ in self.keeping(wishes, goals)):
            return True
        world = self.worlds.of(changes_of(wishes))
        if isinstance(world, str):
            return None
        world, constraints = aimed(world, constraints_of(wishes), goals)
        task, most = constrain(world, constraints), _scaled_budget(world, constraints)
        if task.is_relaxed_unsolvable or (most is not None and most < 0):
            return False
        if task.goal == ():  # the empty plan reaches it, and is the cheapest
            self.plans.append(())
            return True
        outcome = self._settle(world, constraints, goals, task)
        if outcome.status is Status.SOLVED:
            self.plans.append(own_steps(task, outcome.plan))
            if not any(True for _ in self.keeping(wishes, goals)):
                raise PlannerError("the planner's answer does not execute")
            return True
        return False if outcome.status is Status.UNSOLVABLE else None

    def keeping(self, wishes: Sequence[Wish], goals: Sequence[Formula] | None = None) -> Iterator[tuple[Step, ...]]:
        """Yield the known plans that keep to wishes."""
        world = self.worlds.of(changes_of(wishes))
        if not isinstance(world, str):
            constraints = constraints_of(wishes)
            yield from (plan for plan in dict.fromkeys(self.plans) if self._keeps(world, constraints, goals, plan))

    def _keeps(
        self, world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None, plan: tuple[Step, ...]
    ) -> bool:
        key = id(world.simulator), plan
        if key not in self._traces:
            self._traces[key] = world.simulator.run(Plan(parts=plan))
        trace = self._traces[key]
        if goals is None and not trace.is_valid:
            return False
        if goals is not None and not (trace.is_sound and self._reaches(world, trace, goals)):
            return False
        most = _budget(constraints)
        return (most is None or (trace.cost is not None and trace.cost <= most)) and world.keeps(constraints, plan)

    def _reaches(self, world: World, trace: Trace, goals: Sequence[Formula]) -> bool:
        *_, last = trace.states()
        return all(holds(world.model, goal, {}, world.simulator.view(last)) for goal in goals)

    def _settle(
        self, world: World, constraints: Sequence[Constraint], goals: Sequence[Formula] | None, task: Task
    ) -> Outcome:
        """Search for a plan, and beside it for proofs that there is none."""
        limits = self.limits.within(self.seconds)
        race = _Race(limits)
        most = _scaled_budget(world, constraints)
        with ThreadPoolExecutor(max_workers=6) as pool:
            try:
                # With axioms the heuristic may take a state for a dead end that is none.
                greedy = _GREEDY if task.has_axioms or task.has_conditional_effects else _WITH_LANDMARKS
                text = greedy.format(bound="" if most is None else f", bound={most + 1}")
                first = pool.submit(race.run, unmodified(task), text, proves=most is None and not task.has_axioms)
                wait([first], timeout=min(_HEAD_START, limits.seconds))
                if race.settled is None:
                    beside = [
                        pool.submit(race.prove, unmodified(task), optimal_strategy(task), most),
                        *([pool.submit(self._exclude, race, world, task)] if limits.seconds > _WEIGHING else []),
                        *self._counting(pool, race, world, constraints, goals),
                    ]
                    wait([first])
                    for each in beside:
                        each.result()
                outcome = first.result()
            finally:
                race.over.set()
        return race.settled or outcome

    def _exclude(self, race: _Race, world: World, task: Task) -> None:
        """Prove that the goal never holds with what is asked, or that no operator that does it can ever be applied."""
        if task.has_axioms or task.has_conditional_effects or task.goal is None:
            return
        try:
            with loading("numpy", "scipy"):
                from validator.foils.impossible.invariants import Invariants  # scipy, which most questions never need
        except MemoryError:
            return

        known, never = Invariants(task=task), set()
        if known.exclude(dict(task.goal), race.limits.seconds):
            race.settle(Outcome(status=Status.UNSOLVABLE))
        asked = range(len(world.task.variables), len(task.variables))
        ways = [each for value, made_by in achievers(task).items() if value[0] in asked for each in made_by]
        for way in ways if len(ways) <= _MOST_WAYS else ():
            if race.over.is_set() or race.limits.seconds <= 0:
                return
            if known.exclude(way.needed, race.limits.seconds):
                never.add(id(way))
        if never and not reachable(task, lambda each: id(each) in never).issuperset(task.goal):
            race.settle(Outcome(status=Status.UNSOLVABLE))

    def _counting(
        self,
        pool: ThreadPoolExecutor,
        race: _Race,
        world: World,
        constraints: Sequence[Constraint],
        goals: Sequence[Formula] | None,
    ) -> Iterator[Future[None]]:
        """Start what looks for a plan that takes a step less often, or costs less, and for proofs of the contrary."""
        for place, constraint in enumerate(constraints):
            others = (*constraints[:place], *constraints[place + 1 :])
            if isinstance(constraint, AtMost | WithinCost):
                yield pool.submit(self._shorten, race, world, constraint, others, goals)
            if isinstance(constraint, AtMost) and not world.task.has_axioms:
                every = not others and goals is None and world is self.worlds.of()
                yield pool.submit(self._count, race, world, constraint, others, is_of_every_plan=every)

    def _shorten(
        self,
        race: _Race,
        world: World,
        constraint: AtMost | WithinCost,
        others: Sequence[Constraint],
        goals: Sequence[Formula] | None,
    ) -> None:
        """Make a known plan that keeps to all but this cheaper, until it keeps to this as well."""
        if isinstance(constraint, AtMost):
            task, most = counting(world, constraint, others), constraint.number
        else:
            task, most = constrain(world, others), _scaled_budget(world, (constraint,)) or 0
        plans = (plan for plan in dict.fromkeys(self.plans) if self._keeps(world, others, goals, plan))
        known = min(plans, key=lambda plan: plan_cost(task, plan), default=None)
        if known is None:
            return
        plan = cheaper_plan(task, known, most, race.limits, race.over.is_set)
        if self._keeps(world, (constraint, *others), goals, plan):
            self.plans.append(plan)
            race.settle(Outcome(status=Status.SOLVED))

    def _count(
        self,
        race: _Race,
        world: World,
        constraint: AtMost,
        others: Sequence[Constraint],
        *,
        is_of_every_plan: bool,
    ) -> None:
        least = race.count(counting(world, constraint, others), constraint.number)
        if is_of_every_plan and least > constraint.number:
            self.counts[constraint] = least


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
    if len({variable for variable, _ in values}) < len(set(values)):  # two values of one variable
        return replace(world, task=replace(world.task, goal=None, goal_operators=())), (*constraints, *more)
    task = replace(world.task, goal=tuple(dict.fromkeys(values)), goal_operators=())
    return replace(world, task=task), (*constraints, *more)


def _budget(constraints: Sequence[Constraint]) -> Fraction | None:
    return min((each.cost for each in constraints if isinstance(each, WithinCost)), default=None)


def _scaled_budget(world: World, constraints: Sequence[Constraint]) -> int | None:
    """Return the most that a plan may cost in the task's scaled integers, -1 for less than nothing."""
    most = _budget(constraints)
    if most is None:
        return None
    return max(-1, floor((most - world.simulator.initial_cost) * world.task.encoding.scale))


class _Race:
    """Searches side by side, which end when one of them has settled the question."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.over = Event()
        self.settled: Outcome | None = None

    def run(self, text: str, strategy: str, *, proves: bool) -> Outcome:
        """Search for a plan; ``proves`` says whether the search can prove that there is none."""
        outcome = search(text, strategy, self.limits, lambda _: self.over.is_set())
        if outcome.status is Status.SOLVED or (proves and outcome.status is Status.UNSOLVABLE):
            self.settle(outcome)
        return outcome

    def prove(self, text: str, strategy: str, most: int | None) -> None:
        """Search for a cheapest plan, until it is proven to cost more than ``most``."""

        def stop(low: int) -> bool:
            return (most is not None and low > most) or self.over.is_set()

        outcome = search(text, strategy, self.limits, stop)
        is_dearer = most is not None and max(outcome.lower_bound, outcome.cost or 0) > most
        if is_dearer or outcome.status is Status.UNSOLVABLE:
            self.settle(Outcome(status=Status.UNSOLVABLE))
        elif outcome.status is Status.SOLVED:
            self.settle(outcome)

    def count(self, task: Task, most: int) -> int:
        """Return the proven least number of counted steps, as soon as it is more than ``most``; else 0."""
        strategy = optimal_strategy(task)
        outcome = search(unmodified(task), strategy, self.limits, lambda low: low > most or self.over.is_set())
        least = max(outcome.lower_bound, outcome.cost or 0)
        if least > most or outcome.status is Status.UNSOLVABLE:
            self.settle(Outcome(status=Status.UNSOLVABLE))
        return least

    def settle(self, outcome: Outcome) -> None:
        if self.settled is None:
            self.settled = outcome
        self.over.set()
