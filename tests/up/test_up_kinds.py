"""Plans of unified-planning that are neither sequences nor times: hierarchical and contingent ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from unified_planning.model import InstantaneousAction
from unified_planning.model import Problem as UpProblem
from unified_planning.model.htn import HierarchicalProblem, Method
from unified_planning.plans import (
    ActionInstance,
    ContingentPlan,
    HierarchicalPlan,
    PlanKind,
    SequentialPlan,
    TimeTriggeredPlan,
)
from unified_planning.plans.hierarchical_plan import Decomposition, MethodInstance
from unified_planning.shortcuts import (
    And,
    Equals,
    Not,
    Or,
    UserType,
)
from unified_planning.test.examples import get_example_problems

from tests.support.branches import Node, in_unified_planning
from tests.support.outcome_oracle import Act, Case
from validator import check
from validator.checking.report import Report

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

EXAMPLES = get_example_problems()


def verdict(problem: Any, plan: Any, **asked: Any) -> bool | None:
    return check(problem, plan=plan, repair=False, **asked).determination


# --- hierarchies ---------------------------------------------------------------------------------


def errands() -> tuple[HierarchicalProblem, dict[str, Any]]:
    """Return a problem in which two places are to be visited, by a walk or, where one is there already, not at all."""
    problem = HierarchicalProblem("errands")
    place = UserType("place")
    at = problem.add_fluent("at", place=place, default_initial_value=False)
    walk = InstantaneousAction("walk", start=place, goal=place)
    walk.add_precondition(at(walk.start))
    walk.add_effect(at(walk.start), False)
    walk.add_effect(at(walk.goal), True)
    problem.add_action(walk)
    visit = problem.add_task("visit", goal=place)
    walked = Method("walked", start=place, goal=place)
    walked.set_task(visit, walked.parameter("goal"))
    walked.add_precondition(at(walked.parameter("start")))
    walked.add_constraint(Not(Equals(walked.parameter("start"), walked.parameter("goal"))))
    step = walked.add_subtask(walk, walked.parameter("start"), walked.parameter("goal"))
    there = Method("there", goal=place)
    there.set_task(visit)
    there.add_precondition(at(there.parameter("goal")))
    problem.add_method(walked)
    problem.add_method(there)
    a, b, c = (problem.add_object(name, place) for name in "abc")
    problem.set_initial_value(at(a), True)
    first, second = problem.task_network.add_subtask(visit, b), problem.task_network.add_subtask(visit, c)
    problem.task_network.set_ordered(first, second)
    problem.add_goal(at(c))
    named = {"walk": walk, "walked": walked, "there": there, "step": step, "first": first, "second": second}
    return problem, named | {"a": a, "b": b, "c": c}


def instance(problem: HierarchicalProblem, method: Method, *args: Any, **subtasks: Any) -> MethodInstance:
    values = problem.environment.expression_manager.auto_promote(*args)
    return MethodInstance(method, tuple(values), Decomposition(subtasks))


def hierarchical(
    problem: HierarchicalProblem, named: dict[str, Any], walks: Sequence[tuple[str, str]], **changed: Any
) -> HierarchicalPlan:
    """Return a plan of two walks, each of which achieves one task."""
    steps = [ActionInstance(named["walk"], tuple(map(_object(problem), walk))) for walk in walks]
    subtasks = {
        named[name].identifier: instance(
            problem,
            named["walked"],
            *(named[place] for place in changed.get(name, walk)),
            **{named["step"].identifier: step},
        )
        for name, walk, step in zip(("first", "second"), walks, steps, strict=False)
    }
    flat = [steps[number] for number in changed.get("order", range(len(steps)))]
    return HierarchicalPlan(SequentialPlan(flat), Decomposition(subtasks))


def _object(problem: HierarchicalProblem) -> Any:
    return lambda name: problem.environment.expression_manager.ObjectExp(problem.object(name))


def faults(report: Report) -> str:
    return "; ".join(failure.detail for failure in report.failures)


@pytest.mark.parametrize(
    ("walks", "changed", "said"),
    [
        (["ac", "cb"], {}, "its subtask (visit b) is (visit c), where (visit b) is needed"),
        (["ab", "bc"], {"first": "cb"}, "its subtask (walk ?start ?goal) is (walk a b), where (walk c b) is needed"),
        (["ab"], {}, "does not decompose its subtask visit(c)"),
        (["ab", "bc", "ca", "ac"], {}, "the action walk(c, a) belongs to no task"),
    ],
)
def test_what_is_wrong_with_a_decomposition_is_said(walks: list[str], changed: Any, said: str) -> None:
    problem, named = errands()
    problem.clear_goals()
    report = check(problem, plan=hierarchical(problem, named, walks, **changed), repair=False)
    assert report.determination is False and said in faults(report)


@pytest.mark.parametrize("name", ["htn-go", "htn-go-temporal"])
def test_unified_planning_s_own_hierarchical_plans_are_valid_and_not_without_a_part(name: str) -> None:
    case = EXAMPLES[name]
    for plan in case.valid_plans:
        assert verdict(case.problem, plan) is True
        for dropped in plan.decomposition.subtasks:
            rest = {key: value for key, value in plan.decomposition.subtasks.items() if key != dropped}
            assert verdict(case.problem, HierarchicalPlan(plan.action_plan, Decomposition(rest))) is False
        flat = plan.action_plan
        if isinstance(flat, TimeTriggeredPlan):
            shorter: Any = TimeTriggeredPlan(flat.timed_actions[1:])
        else:
            shorter = SequentialPlan(flat.actions[1:])
        assert verdict(case.problem, HierarchicalPlan(shorter, plan.decomposition)) is False


def test_steps_without_a_decomposition_are_judged_and_repaired() -> None:
    problem, named = errands()
    steps = hierarchical(problem, named, ["ab", "bc"]).action_plan
    assert verdict(problem, steps) is True
    report = check(problem, plan=SequentialPlan(steps.actions[:1]))
    assert report.determination is False and report.proven
    assert str(report.up_plan) == str(steps)
    assert check(problem, plan="(walk a b)\n(walk b c)\n").determination is True
    timed = EXAMPLES["htn-go-temporal"]
    assert check(timed.problem, plan=timed.valid_plans[0].action_plan).determination is None


# --- contingent plans ----------------------------------------------------------------------------


def case(acts: dict[str, Act], uncertain: Any, goal: str) -> Case:
    return Case(acts, set(), uncertain, [((goal,), True)])


LEFT, RIGHT = ("s", "a"), ("s", "b")
TREASURE = case(
    {
        "look": Act([], ("and", []), (("s", "?x"),), has_parameter=True),
        "take": Act([(("s", "?x"), True)], ("lit", ("p",), True), has_parameter=True),
    },
    [("oneof", [[(LEFT, True)], [(RIGHT, True)]])],
    "p",
)
"""One of two chests holds the treasure, and can be looked into."""


@pytest.mark.parametrize(
    ("branches", "expected", "said"),
    [
        ({"yes": "a", "no": "b"}, True, ""),
        ({"yes": "a", "no": "a"}, False, "at first: (not (s a)), (s b)"),
        ({"yes": "b", "no": "b"}, False, "at first: (s a), (not (s b))"),
        ({"yes": "a"}, False, "nothing says what to do next after step 1"),
        ({}, False, "valid in no outcome"),
    ],
)
def test_a_contingent_plan_has_a_quality_where_it_has_it_in_each_world(
    branches: dict[str, str], expected: bool, said: str
) -> None:
    tree = Node("look a", [({LEFT: seen == "yes"}, Node(f"take {chest}")) for seen, chest in branches.items()])
    problem, plan = in_unified_planning(TREASURE, tree)
    report = check(problem, plan=plan, repair=False)
    assert report.determination is expected and said in str(report)


PEEK = case(
    {
        "see": Act([], ("and", []), (("p",),)),
        "turn": Act([], ("lit", ("p",), True), (("p",),)),
        "put": Act([], ("lit", ("q",), True)),
    },
    [("unknown", [[(("p",), True)]])],
    "q",
)
"""A fact is hidden, and can be seen, or set, or both at once."""


@pytest.mark.parametrize(
    ("step", "seen", "expected", "said"),
    [
        ("see", [("p", True), ("p", False)], True, ""),
        ("see", [("p", True), ()], None, "several branches are for what (see) observes where (p)"),
        ("see", [("q", True), ("q", False)], None, "a branch is for (q), which (see) does not observe"),
        ("put", [("p", True), ("p", False)], None, "a branch is for (p), which (put) does not observe"),
        ("turn", [("p", True), ("p", False)], None, "(turn) changes what it observes where (not (p))"),
    ],
)
def test_a_branch_is_taken_only_for_what_its_step_tells(
    step: str, seen: list[tuple[Any, ...]], expected: bool | None, said: str
) -> None:
    tree = Node(step, [({(each[0],): each[1]} if each else {}, Node("put")) for each in seen])
    problem, plan = in_unified_planning(PEEK, tree)
    for quality in ("sound", "valid"):
        report = check(problem, plan=plan, quality=quality, repair=False)
        assert report.determination is expected and said in report.reason


def test_what_is_said_of_hidden_fluents_and_is_no_literal_is_left_open() -> None:
    problem, plan = in_unified_planning(PEEK, None)
    p, q = (problem.fluent(name)() for name in "pq")
    problem.add_or_initial_constraint([And(p, q), p])
    report = check(problem, plan=plan, repair=False)
    assert report.determination is None and "hidden-fluents-that-are-no-literals ((p and q))" in report.reason


# --- others --------------------------------------------------------------------------------------


def test_a_plan_is_decided_where_all_values_that_a_problem_does_not_give_agree_on_it() -> None:
    problem, put = UpProblem("unsaid"), InstantaneousAction("put")
    a, b = (problem.add_fluent(name) for name in "ab")
    put.add_effect(a, True)
    problem.add_action(put)
    plan = SequentialPlan([put()])
    for goal, expected in ((a, True), (Not(a), False), (b, None), (Or(a, b), True), (Or(b, Not(b)), True)):
        problem.clear_goals()
        problem.add_goal(goal)
        report = check(problem, plan=plan)
        assert report.determination is expected
        assert expected is not None or report.reason == "it depends on values that the problem does not give: (a), (b)"


def test_a_kind_that_is_not_executed_is_said() -> None:
    problem = EXAMPLES["basic"].problem
    plan = EXAMPLES["basic"].valid_plans[0].convert_to(PlanKind.PARTIAL_ORDER_PLAN, problem)
    for found in (plan, ContingentPlan(None, problem.environment)):
        report = check(problem, plan=found, repair=False)
        assert report.determination is None and f"the kind {type(found).__name__} are not executed" in report.reason
