"""A repair by local search: every plan of it is executed again, and is never nearer than the nearest."""

from __future__ import annotations

import random

import pytest

from tests.support.depth import some
from tests.support.edit_oracle import Oracle, random_case
from tests.support.models import carry, gripper
from validator import check
from validator.checking.prepared import prepare
from validator.execution.simulator import Simulator
from validator.model.pddl import read_model
from validator.reading.plan import Plan, Step
from validator.repair.edit import Edit, Move, kept_steps
from validator.repair.local_search import repair_locally


def repaired(simulator: Simulator, steps: list[Step], *, with_goal: bool) -> tuple[Edit, ...] | None:
    """Return the repair, which has all steps in order and leads to a plan that has the quality."""
    found = repair_locally(simulator, steps, lambda: False, with_goal=with_goal)
    if found is not None:
        assert [edit.token for edit in found if edit.move is not Move.INSERT] == steps
        trace = simulator.run(Plan(parts=kept_steps(found)))
        assert trace.is_valid if with_goal else trace.is_sound
    return found


def cost(edits: tuple[Edit, ...]) -> int:
    return sum(edit.move is not Move.KEEP for edit in edits)


@pytest.mark.parametrize("seed", some(range(60), 15))
def test_a_repair_of_a_random_model_is_one_and_costs_no_less_than_the_nearest(seed: int) -> None:
    domain, problem, plan = random_case("strips", seed)
    simulator, oracle = prepare(read_model(domain, problem)).simulator, Oracle(domain, problem)
    for with_goal, quality in ((False, "sound"), (True, "valid")):
        found = repaired(simulator, [Step(name=name.strip("()")) for name in plan], with_goal=with_goal)
        nearest = oracle.nearest(plan, quality, "edits", 1)
        if found is not None:
            assert nearest is not None
            assert cost(found) >= nearest[0]


def broken(plan: str, faults: int, seed: int) -> str:
    """Return a plan in which so many steps are dropped or stand where another one should."""
    lines, rng = plan.splitlines(), random.Random(seed)
    for place in sorted(rng.sample(range(len(lines)), faults), reverse=True):
        lines[place : place + 1] = [] if rng.random() < 0.5 else [rng.choice(lines)]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_a_long_plan_with_sixteen_faults_is_repaired(seed: int) -> None:
    simulator = prepare(read_model(*gripper(80))).simulator
    steps = [Step(name=line.strip("()").split()[0], args=tuple(line.strip("()").split()[1:]))
             for line in broken(carry(80), 16, seed).splitlines()]  # fmt: skip
    found = repaired(simulator, steps, with_goal=True)
    assert found is not None
    assert cost(found) <= 4 * 16


def test_what_is_more_than_literals_is_left_to_a_planner() -> None:
    domain = """(define (domain d) (:requirements :adl) (:predicates (p) (q))
      (:action a :parameters () :effect (when (p) (q))))"""
    problem = "(define (problem n) (:domain d) (:init) (:goal (q)))"
    assert repair_locally(prepare(read_model(domain, problem)).simulator, [], lambda: False, with_goal=True) is None
    goal = "(define (problem n) (:domain d) (:init) (:goal (or (p) (q))))"
    literal = domain.replace("(when (p) (q))", "(q)")
    assert repair_locally(prepare(read_model(literal, goal)).simulator, [], lambda: False, with_goal=True) is None


@pytest.mark.planner
@pytest.mark.deep
def test_a_long_plan_with_many_faults_has_a_repair_before_it_is_proven() -> None:
    costs: list[int] = []
    prepared = prepare(read_model(*gripper(80)))
    report = check(
        prepared,
        None,
        broken(carry(80), 16, 5),
        time_limit=120,
        progress=lambda _, cost: None if cost is None else costs.append(cost),
    )
    assert report.planner_response is not None
    assert report.planner_response.cost == min(costs)
    repaired_plan = "\n".join(map(str, report.repaired_plan or ()))
    assert check(prepared, None, repaired_plan, repair=False).determination
