"""The policy ``move``: what stands out of order is moved, and that no plan is nearer is so."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest

from tests.support.depth import some
from tests.support.flow_search import cheapest_with_moves
from tests.support.places import ROOT
from tests.support.random_flows import random_flow
from validator import check
from validator.flow import check_flow
from validator.flow.build import operator, ran
from validator.flow.compiled.compile import compile_flow
from validator.flow.model import Flow
from validator.grounding.limits import Limits, Status
from validator.repair.diff import DiffAction
from validator.repair.edit import Weighting
from validator.repair.moves import repair_with_moves

pytestmark = pytest.mark.planner

ORDER = Flow(
    name="order",
    operators=(
        operator("find", "city", "hotel"),
        operator("book", "hotel", "booking"),
        operator("pay", "booking", "receipt"),
    ),
    goals=((ran("pay"),),),
)
GOOD = ["ask(city)", "hotel = find(city)", "booking = book(hotel)", "receipt = pay(booking)"]


@pytest.mark.parametrize("first", range(3))
def test_swapped_lines_are_moved_and_nothing_is_asked(first: int) -> None:
    lines = list(GOOD)
    lines[first : first + 2] = reversed(lines[first : first + 2])
    report = check_flow(ORDER, lines)
    assert (report.determination, report.proven, report.repaired_cost) == (False, True, 165_030)
    added, deleted = (
        [str(diff.step) for diff in report.plan_diff_obj if diff.diff_type is kind]
        for kind in (DiffAction.ADD, DiffAction.DELETE)
    )
    assert added == deleted and len(added) == 1
    assert [str(step) for step in report.repaired_plan or ()] == GOOD
    assert check_flow(ORDER, [str(step) for step in report.repaired_plan or ()]).determination


def test_what_is_missing_is_added_and_what_is_out_of_order_moved() -> None:
    report = check_flow(ORDER, [GOOD[2], GOOD[0], GOOD[3]])
    assert [str(step) for step in report.repaired_plan or ()] == GOOD
    assert report.proven


def test_the_other_policies_leave_lines_where_they_stand() -> None:
    swapped = [GOOD[0], GOOD[2], GOOD[1], GOOD[3]]
    report = check_flow(ORDER, swapped, policy="keep")
    assert "+ ask(hotel)\n" in report.plan_diff_str


@pytest.mark.parametrize("seed", some(range(20), 4))
@pytest.mark.parametrize("with_goal", [True, False])
def test_no_plan_is_nearer_than_one_that_is_proven_so(seed: int, with_goal: bool) -> None:
    rng = Random(seed)
    flow = random_flow(rng)
    compiled = compile_flow(replace(flow, goals=((ran(flow.operators[0].name),),)))
    limits = Limits(deadline=time.monotonic() + 60, memory=2**31)
    task = compiled.prepared.task(limits)
    assert not isinstance(task, Status)
    tokens = [rng.choice(list(task.by_step)) for _ in range(rng.randint(1, 3))] if task.by_step else []
    wanted = cheapest_with_moves(task, tokens, with_goal=with_goal, most=3_000)
    if wanted is None:
        pytest.skip("too many states to look at")
    found = repair_with_moves(task, compiled.prepared.simulator, tokens, limits, with_goal=with_goal)
    if wanted == (-1, -1):
        assert (found.status, found.proven) == (Status.UNSOLVABLE, True)
        return
    skip = Weighting.keeping(len(tokens)).skip
    lost, rest = wanted
    assert found.edits is not None and found.upper is not None
    assert found.upper == lost * skip + rest or (not found.proven and rest >= skip)
    assert found.proven or rest >= skip


# --- the same policy of other models -------------------------------------------------------------


def test_a_classical_plan_is_mended_by_a_move_as_well() -> None:
    folder = ROOT / "domains" / "blocks"
    lines = (folder / "good.plan").read_text(encoding="utf-8").strip().splitlines()
    steps = [line for line in lines if line.startswith("(")]
    swapped = "\n".join([steps[1], steps[0], *steps[2:]])
    report = check(folder / "domain.pddl", folder / "problem.pddl", swapped, policy="move")
    assert (report.determination, report.proven) == (False, True)
    assert [str(step) for step in report.repaired_plan or ()] == steps


def test_a_step_that_is_moved_behind_all_others_is_done_before_any_goal_is_reached() -> None:
    domain = """(define (domain d) (:predicates (p) (q)) (:functions (total-cost))
      (:action set :effect (and (p) (increase (total-cost) 5)))
      (:action drop :precondition (p) :effect (not (p))))"""
    problem = "(define (problem e) (:domain d) (:init) (:goal (or (p) (q))) (:metric minimize (total-cost)))"
    report = check(domain, problem, "(drop)", policy="move")
    assert ([str(step) for step in report.repaired_plan or ()], report.proven) == (["(set)", "(drop)", "(set)"], True)


def test_numbers_are_not_repaired_so_and_that_is_said() -> None:
    domain = """(define (domain d) (:predicates (p)) (:functions (x))
      (:action up :parameters () :effect (increase (x) 1))
      (:action go :parameters () :precondition (>= (x) 2) :effect (p)))"""
    problem = "(define (problem q) (:domain d) (:init (= (x) 0)) (:goal (p)))"
    report = check(domain, problem, "(go)\n(up)\n(up)", policy="move")
    assert (report.determination, report.proven, report.repaired_plan) == (False, False, None)
    assert "'move'" in report.reason
