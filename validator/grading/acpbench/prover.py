"""What can be reached and what cannot, with how that is known; None where no proof was found.

States are explored first, then what no steps can reach is asked for, then a plan is looked for greedily, and at last
the planner is asked where seconds are given for it.
"""

from __future__ import annotations

from functools import cached_property, reduce
from itertools import pairwise
from operator import or_

from validator.checking.solve import Solution, solve
from validator.grading.acpbench.greedy import Greedy
from validator.grading.acpbench.operators import NEVER, Clause, Operator, bits_in
from validator.grading.acpbench.space import Explored, Space, explore
from validator.model.values import And, Atom, Formula, GroundAtom, Not, Or
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """``holds`` is what was proven, None for nothing; ``how`` says by what, ``plan`` is the witness where one is."""

    holds: bool | None
    how: str
    plan: Plan | None = None


OPEN = Proof(holds=None, how="no proof was found within the limits")

_MOST_WORK = 3_000_000
"""of the greedy search for the goal, and five times that of others"""

Removal = tuple[int, ...]
"""the places of a step, or of two that follow each other, from 0"""


@dataclass
class Prover:
    """Answers questions about one model. ``most`` states are explored; ``seconds`` is the planner's, none for 0.

    ``work`` is that of all greedy searches but the one for the goal, see ``Greedy``; none for 0.
    """

    space: Space
    most: int = 20_000
    seconds: float = 0
    work: int = 10_000_000
    _solutions: dict[object, Solution] = field(default_factory=dict)
    _plans: list[tuple[Plan, int]] = field(default_factory=list)
    _ways: dict[Clause, list[int] | None] = field(default_factory=dict)

    @cached_property
    def explored(self) -> Explored:
        return explore(self.space, self.space.init, self.most)

    @cached_property
    def _seen(self) -> int:
        """Return the facts that hold in some state that was explored."""
        return reduce(or_, self.explored.states)

    @cached_property
    def _first(self) -> dict[int, int]:
        """Return for each fact the place of the first state that was explored with it; for no fact the first state."""
        found, seen = {0: 0}, 0
        for place, state in enumerate(self.explored.states):
            found |= dict.fromkeys(bits_in(state & ~seen), place)
            seen |= state
        return found

    @cached_property
    def relaxed(self) -> int:
        return self.space.relaxation.reached(self.space.init)

    # --- reachability --------------------------------------------------------------------------

    def reachable(self, condition: Clause) -> Proof:
        """Say whether a state can be reached in which a condition holds."""
        place = None
        if condition == Clause(needs=condition.needs & -condition.needs):
            place = self._first.get(condition.needs)
        elif not condition.needs & ~self._seen:
            place = self.explored.first(condition.holds)
        return self._reached(condition, place)

    def _reached(self, condition: Clause, place: int | None) -> Proof:
        """Say whether a condition can hold, given the place of the first state that was explored with it."""
        if place is not None:
            return Proof(holds=True, how="a state with it was reached", plan=self._plan(place))
        if self.explored.is_all:
            return Proof(holds=False, how=f"none of all {len(self.explored.states):,} reachable states has it")
        if not condition.may_hold(self.relaxed):
            return Proof(holds=False, how="out of reach even if nothing is ever deleted")
        if self._excludes(condition.needs):
            return Proof(
                holds=False, how="two of its facts exclude each other: no step makes one true beside the other"
            )
        plan = self._found(condition)
        if plan is not None:
            return Proof(holds=True, how="a plan reaches it", plan=plan)
        return self._by_planner(condition)

    def _excludes(self, facts: int) -> bool:
        """Return whether it is proven that some facts never hold together."""
        beside = self._beside
        return beside is not None and any(facts & ~beside.get(bit, 0) for bit in bits_in(facts))

    @cached_property
    def _beside(self) -> dict[int, int] | None:
        return self.space.relaxation.beside(self.space.init)

    @cached_property
    def _greedy(self) -> Greedy:
        return Greedy(self.space)

    def _found(self, condition: Clause) -> Plan | None:
        """Return a plan that reaches a condition, where a greedy search finds one."""
        if condition not in self._ways:
            self._ways[condition] = self._way(condition)
        way = self._ways[condition]
        return None if way is None else self.space.plan(way)

    def _way(self, condition: Clause, avoiding: int = 0) -> list[int] | None:
        """Search for a plan; for the goal alone with work of its own, so that it does not depend on what was asked."""
        if condition == self.space.goal_condition and not avoiding:
            return Greedy(self.space).path(condition, _MOST_WORK) if self.work else None
        return self._greedy.path(condition, min(_MOST_WORK // 5, self.work - self._greedy.work), avoiding)

    def fact(self, *atoms: GroundAtom) -> Proof:
        """Say whether a state can be reached in which some facts hold."""
        return self.reachable(Clause(needs=self.space.bits_of(atoms)))

    def applicable(self, operator: Operator) -> Proof:
        """Say whether a step can ever be executed."""
        if operator.condition == NEVER:
            return Proof(holds=False, how="a condition that never changes is false")
        return self._reached(operator.condition, self._first_executed.get(operator.step))

    @cached_property
    def _first_executed(self) -> dict[Step, int]:
        """Return for each step that can be executed in a state that was explored the place of the first such state."""
        found: dict[int, int] = {}
        for place, state in enumerate(self.explored.states):
            for number, _ in self.space.successors(state):
                found.setdefault(number, place)
        return {self.space.operators[number].step: place for number, place in found.items()}

    def _plan(self, place: int) -> Plan:
        return self.space.plan(self.explored.path(place))

    def _by_planner(self, condition: Clause) -> Proof:
        found = self._solve(self.space.init, condition) if self.seconds else None
        if found is None or (found.plan is None and not found.proven):
            return OPEN
        if found.plan is None:
            return Proof(holds=False, how="the planner proves that no plan reaches it")
        return Proof(holds=True, how="the planner's plan reaches it", plan=Plan(parts=found.plan))

    def _solve(self, state: int, condition: Clause) -> Solution:
        """Search a cheapest plan from a state to a condition."""
        key = (state, condition)
        if key not in self._solutions:
            model = self.space.model.model
            wanted = self._formula(condition)
            problem = replace(model.problem, init=self.space.facts(state), goal=wanted, metric=None)
            self._solutions[key] = solve(replace(model, problem=problem), time_limit=self.seconds)
        return self._solutions[key]

    def _formula(self, condition: Clause) -> Formula:
        atoms = self.space.atoms
        choices = (Or(tuple(map(self._formula, some))) for some in condition.either)
        return And(
            (
                *(Atom(atom[0], atom[1:]) for atom in sorted(atoms(condition.needs))),
                *(Not(Atom(atom[0], atom[1:])) for atom in sorted(atoms(condition.lacks))),
                *choices,
            )
        )

    # --- landmarks -----------------------------------------------------------------------------

    def landmark(self, fact: GroundAtom) -> Proof:
        """Say whether a fact holds at some time in every plan for the goal; a goal or an initial fact always does."""
        space = self.space
        bit = space.bits_of((fact,))
        if (space.init | space.goal) & bit:
            return Proof(holds=True, how="it holds at the start, or the goal asks for it")
        if not self.is_solvable:
            return OPEN
        witness = next((plan for plan, facts in self._plans if not facts & bit), None)
        if witness is not None:
            return Proof(holds=False, how="a plan does without it", plan=witness)
        if not space.goal_condition.may_hold(space.relaxation.reached(space.init, without=bit)):
            return Proof(holds=True, how="without it the goal is out of reach even if nothing is ever deleted")
        way = None if self.explored.is_all else self._way(space.goal_condition, bit)
        if way is not None:
            return Proof(holds=False, how="a plan does without it", plan=self._keep(way))
        avoiding = explore(space, space.init, self.most, avoiding=bit, to_goal=True)
        place = avoiding.first(space.is_goal)
        if place is not None:
            return Proof(holds=False, how="a plan does without it", plan=self._keep(avoiding.path(place)))
        if avoiding.is_all:
            return Proof(holds=True, how=f"none of all {len(avoiding.states):,} states without it has the goal")
        return OPEN

    @cached_property
    def is_solvable(self) -> bool:
        """Return whether a plan for the goal is known."""
        if self.plan is not None:
            places = {operator.step: place for place, operator in enumerate(self.space.operators)}
            self._keep([places[step] for step in self.plan.steps])
        return self.plan is not None

    def _keep(self, path: list[int]) -> Plan:
        """Keep a plan with the facts that hold at some time in it."""
        state = facts = self.space.init
        for number in path:
            state = self.space.operators[number].apply(state)
            facts |= state
        plan = self.space.plan(path)
        self._plans.append((plan, facts))
        return plan

    # --- plans ---------------------------------------------------------------------------------

    def removals(self, plan: Plan) -> list[Removal]:
        """Return the steps, and pairs of steps that follow each other, without which a valid plan is still valid."""
        places = range(len(plan.steps))
        tried: list[Removal] = [(place,) for place in places] + list(pairwise(places))
        return [gone for gone in tried if self.is_valid(without(plan, gone))]

    def is_valid(self, plan: Plan) -> bool:
        return self.space.model.simulator.run(plan).is_valid

    @cached_property
    def plan(self) -> Plan | None:
        """Return a plan for the goal: a shortest one where states are not too many, None where none is known."""
        return self.reachable(self.space.goal_condition).plan

    @cached_property
    def distance(self) -> int | None:
        """Return how many steps a shortest plan has; None where that was not proven."""
        place = self.explored.first(self.space.is_goal)
        if place is not None:
            return self.explored.depths[place]
        if self.explored.is_all or not self.seconds:
            return None
        found = self._solve(self.space.init, self.space.goal_condition)
        return int(found.cost) if found.proven and found.cost is not None else None

    def nearer(self, step: Step) -> Proof:
        """Say whether a step that can be executed now is the first of a shortest plan."""
        operator = next((each for each in self.space.operators if each.step == step), None)
        if operator is None or not operator.is_applicable(self.space.init):
            return Proof(holds=False, how="it cannot be executed")
        if not self.distance:
            return OPEN
        return self._within(operator.apply(self.space.init), self.distance - 1)

    def _within(self, state: int, steps: int) -> Proof:
        """Say whether the goal is so many steps from a state, where it cannot be fewer."""
        found = explore(self.space, state, self.most, until=steps)
        place = found.first(self.space.is_goal)
        if place is not None:
            is_near = found.depths[place] <= steps
            how = f"{steps + 1} steps to the goal before it, {found.depths[place]} after it"
            return Proof(holds=is_near, how=how, plan=self.space.plan(found.path(place)))
        if found.is_all or found.depth >= steps:
            return Proof(holds=False, how=f"{steps + 1} steps to the goal before it, and no fewer after it")
        solved = self._solve(state, self.space.goal_condition) if self.seconds else None
        if solved is None or not solved.proven:
            return OPEN
        return Proof(holds=solved.cost == steps, how=f"{steps + 1} steps to the goal before it, {solved.cost} after it")


def without(plan: Plan, gone: Removal) -> Plan:
    """Return a plan without the steps at some places."""
    return Plan(parts=tuple(step for place, step in enumerate(plan.steps) if place not in gone))
