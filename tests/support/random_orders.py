"""Small random problems with plans that leave orders open, and what is right of them: by executing every order."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, permutations
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unified_planning.model import Problem
    from unified_planning.plans import PartialOrderPlan

__all__ = ["Case", "cheapest", "fewest_edits", "in_unified_planning", "is_goal", "orders", "random_case", "run"]

Literal: TypeAlias = tuple[str, bool]
State: TypeAlias = tuple[frozenset[str], int, str]
"""the facts that hold, a number, and where something is"""

FACTS = ("p", "q", "r")
PLACES = ("here", "there")
_MOST = 2
"""the number is from 0 to this"""


@dataclass(frozen=True, kw_only=True)
class Act:
    """Effects may have a condition; ``change`` of the number is ``("increase", 1)`` or ``("assign", 0)``."""

    needs: tuple[Literal, ...]
    least: int
    """of the number, which is asked for"""
    at: str
    """where the thing must be, empty for anywhere"""
    effects: tuple[tuple[Literal, Literal | None], ...]
    change: tuple[str, int] | None
    moves: str
    cost: int


@dataclass(frozen=True, kw_only=True)
class Case:
    """``plan`` are names of acts, and ``before`` which of them come before which, by their places."""

    acts: Mapping[str, Act]
    init: State
    goals: tuple[Literal, ...]
    goal_at: str
    plan: tuple[str, ...]
    before: frozenset[tuple[int, int]]


# --- what is random ----------------------------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Return a problem and a plan whose steps mostly can be executed in one order at least."""
    draw = Random(f"orders {seed}")
    acts = {f"do{number}": _act(draw) for number in range(draw.randint(3, 5))}
    init = frozenset(fact for fact in FACTS if draw.random() < 0.4), draw.randint(0, 1), draw.choice(PLACES)
    walk, state = list[str](), init
    for _ in range(draw.randint(0, 5)):
        able = [(name, after) for name, act in acts.items() for after in (_after(act, state),) if after is not None]
        if able and draw.random() < 0.95:
            name, state = draw.choice(able)
            walk.append(name)
        else:
            walk.append(draw.choice(list(acts)))
    reached = draw.random() < 0.8
    goals = tuple((fact, fact in state[0] if reached else True) for fact in draw.sample(FACTS, draw.randint(1, 2)))
    share = draw.choice((0.2, 0.5, 0.8))
    pairs = [(one, other) for other in range(len(walk)) for one in range(other) if draw.random() < share]
    if pairs and draw.random() < 0.04:
        pairs.append(pairs[0][::-1])
    return Case(
        acts=acts,
        init=init,
        goals=goals,
        goal_at=draw.choice(("", state[2])),
        plan=tuple(walk),
        before=frozenset(pairs),
    )


def _act(draw: Random) -> Act:
    def literal() -> Literal:
        return draw.choice(FACTS), draw.random() < 0.65

    effects = [(literal(), literal() if draw.random() < 0.25 else None) for _ in range(draw.choice((0, 1, 1, 2)))]
    return Act(
        needs=tuple(dict([literal() for _ in range(draw.choice((0, 0, 1, 1, 2)))]).items()),
        least=draw.choice((0, 0, 0, 1)),
        at=draw.choice(("", "", "", *PLACES)),
        effects=tuple(effects),
        change=draw.choice((None, None, ("increase", 1), ("increase", -1), ("assign", draw.randint(0, _MOST)))),
        moves=draw.choice(("", "", "", *PLACES)),
        cost=draw.choice((0, 1, 1, 2, 5)),
    )


# --- what is right -----------------------------------------------------------------------------------


def orders(case: Case) -> Iterator[list[str]]:
    """Yield all orders of the steps, as they stand."""
    for order in permutations(range(len(case.plan))):
        if all(order.index(one) < order.index(other) for one, other in case.before):
            yield [case.plan[place] for place in order]


def run(case: Case, names: Sequence[str]) -> tuple[State, int] | None:
    """Return the state behind steps and what they cost; None where one cannot be executed."""
    state, cost = case.init, 0
    for name in names:
        after = _after(case.acts[name], state)
        if after is None:
            return None
        state, cost = after, cost + case.acts[name].cost
    return state, cost


def is_goal(case: Case, state: State) -> bool:
    return all((fact in state[0]) is value for fact, value in case.goals) and case.goal_at in ("", state[2])


def _after(act: Act, state: State) -> State | None:
    facts, number, place = state
    if not all((fact in facts) is value for fact, value in act.needs):
        return None
    if number < act.least or act.at not in ("", place):
        return None
    made = [literal for literal, only_if in act.effects if only_if is None or (only_if[0] in facts) is only_if[1]]
    after = (facts - {fact for fact, value in made if not value}) | {fact for fact, value in made if value}
    if act.change is not None:
        how, value = act.change
        number = value if how == "assign" else number + value
    return (after, number, act.moves or place) if 0 <= number <= _MOST else None


def cheapest(case: Case) -> int | None:
    """Return what the cheapest plan costs, None where there is none."""
    return _least(case, (), lambda cost: (cost, cost, 0))


def fewest_edits(case: Case, plan: Sequence[str]) -> int | None:
    """Return in how many lines the nearest valid sequence differs from one."""
    return _least(case, plan, lambda cost: (0, 1, 1))


def _least(case: Case, plan: Sequence[str], price: Any) -> int | None:
    """Return the cheapest way behind a plan to a goal; ``price`` of a kept, inserted and skipped step, by its cost."""
    best, number = {(case.init, 0): 0}, count()
    heap = [(0, next(number), (case.init, 0))]
    while heap:
        cost, _, node = heapq.heappop(heap)
        if cost > best[node]:
            continue
        state, place = node
        if place == len(plan) and is_goal(case, state):
            return cost
        ways = [] if place == len(plan) else [((state, place + 1), price(0)[2])]
        for name, act in case.acts.items():
            after = _after(act, state)
            if after is not None:
                kept, inserted, _ = price(act.cost)
                ways.append(((after, place), inserted))
                if place < len(plan) and plan[place] == name:
                    ways.append(((after, place + 1), kept))
        for target, more in ways:
            if cost + more < best.get(target, cost + more + 1):
                best[target] = cost + more
                heapq.heappush(heap, (cost + more, next(number), target))
    return None


# --- in unified-planning -----------------------------------------------------------------------------


def in_unified_planning(case: Case) -> tuple[Problem, PartialOrderPlan]:
    """Return a case as unified-planning has it."""
    from unified_planning.model import InstantaneousAction, Problem
    from unified_planning.model.metrics import MinimizeActionCosts
    from unified_planning.plans import ActionInstance, PartialOrderPlan
    from unified_planning.shortcuts import GE, Equals, Int, IntType, Not, UserType

    problem, place = Problem("random"), UserType("place")
    facts, number, where = case.init
    fluents = {fact: problem.add_fluent(fact, default_initial_value=fact in facts) for fact in FACTS}
    counter = problem.add_fluent("number", IntType(0, _MOST), default_initial_value=number)
    objects = {name: problem.add_object(name, place) for name in PLACES}
    at = problem.add_fluent("at", place, default_initial_value=objects[where])

    def formula(literal: Literal) -> Any:
        return fluents[literal[0]] if literal[1] else Not(fluents[literal[0]])

    for name, act in case.acts.items():
        action = InstantaneousAction(name)
        for need in act.needs:
            action.add_precondition(formula(need))
        if act.least:
            action.add_precondition(GE(counter, act.least))
        if act.at:
            action.add_precondition(Equals(at, objects[act.at]))
        for (fact, value), only_if in act.effects:
            action.add_effect(fluents[fact], value, True if only_if is None else formula(only_if))
        if act.change is not None:
            how, value = act.change
            if how == "assign":
                action.add_effect(counter, value)
            else:
                (action.add_increase_effect if value > 0 else action.add_decrease_effect)(counter, abs(value))
        if act.moves:
            action.add_effect(at, objects[act.moves])
        problem.add_action(action)
    for goal in case.goals:
        problem.add_goal(formula(goal))
    if case.goal_at:
        problem.add_goal(Equals(at, objects[case.goal_at]))
    costs = {problem.action(name): Int(act.cost) for name, act in case.acts.items()}
    problem.add_quality_metric(MinimizeActionCosts(costs))
    steps = [ActionInstance(problem.action(name)) for name in case.plan]
    adjacency = {
        step: [steps[other] for one, other in sorted(case.before) if one == at] for at, step in enumerate(steps)
    }
    return problem, PartialOrderPlan(adjacency, problem.environment)
