"""Plans of unified-planning that are neither sequences nor times: hierarchical and contingent ones."""

from __future__ import annotations

from typing import Any

import pytest
from unified_planning.model import InstantaneousAction
from unified_planning.model import Object as UpObject
from unified_planning.model import Problem as UpProblem
from unified_planning.plans import (
    ContingentPlan,
    HierarchicalPlan,
    PlanKind,
    SequentialPlan,
    TimeTriggeredPlan,
)
from unified_planning.plans.hierarchical_plan import Decomposition
from unified_planning.shortcuts import (
    And,
    Equals,
    Not,
    Or,
    UserType,
)
from unified_planning.test.examples import get_example_problems

from tests.support import hierarchies
from tests.support.branches import Node, in_unified_planning
from tests.support.outcome_oracle import Act, Case
from validator import check

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

EXAMPLES = get_example_problems()


def verdict(problem: Any, plan: Any, **asked: Any) -> bool | None:
    return check(problem, plan=plan, repair=False, **asked).determination


# --- hierarchies ---------------------------------------------------------------------------------


WALKED = hierarchies.Method(
    name="walked",
    task="low",
    parameters=("x", "y"),
    needs=((("p", "y"), True),),
    network=hierarchies.Network(subtasks=(("go", ("y", "x")),), order=frozenset()),
    differ=True,
)
GO = hierarchies.Action(
    name="go",
    parameters=("x", "y"),
    needs=((("p", "x"), True),),
    effects=((("p", "x"), False), (("p", "y"), True)),
)
ERRANDS = hierarchies.Problem(
    actions={"go": GO},
    methods=(WALKED,),
    network=hierarchies.Network(subtasks=(("low", ("b",)), ("low", ("a",))), order=frozenset(((0, 1),))),
    init=frozenset((("p", "a"), ("p", "b"))),
    goal=None,
)
"""Two places are to be visited one after the other, each by a walk from where one is."""


def walks(*ways: str, by: str = "", more: str = "") -> hierarchies.Decomposed:
    """Return walks that achieve one task each, the first by a method with other arguments, and one that does not."""
    steps = [hierarchies.Node("go", tuple(way)) for way in ways]
    roots = {
        place: hierarchies.Node("walked", tuple(reversed(by if by and not place else way)), WALKED, {0: step})
        for place, (way, step) in enumerate(zip(ways, steps, strict=True))
    }
    extra = [hierarchies.Node("go", tuple(more))] if more else []
    return hierarchies.Decomposed(problem=ERRANDS, roots=roots, flat=(*steps, *extra))


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (walks("ba", "ab"), "its subtask (low b) is (low a), where (low b) is needed"),
        (walks("ab", "ba", by="bb"), "its subtask (go ?y ?x) is (go a b), where (go b b) is needed"),
        (walks("ab"), "the plan: its subtask 'low' is missing"),
        (walks("ab", "ba", more="ab"), "(go a b): the step belongs to no task"),
    ],
)
def test_what_is_wrong_with_a_decomposition_is_said(case: hierarchies.Decomposed, said: str) -> None:
    problem, plan = hierarchies.in_unified_planning(case)
    report = check(problem, plan=plan, repair=False)
    assert report.determination is False
    assert said in "; ".join(failure.detail for failure in report.failures)


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
    problem, plan = hierarchies.in_unified_planning(walks("ab", "ba"))
    steps: Any = plan.action_plan
    assert verdict(problem, steps) is True
    report = check(problem, plan=SequentialPlan(steps.actions[:1]))
    assert report.determination is False and report.proven
    assert str(report.up_plan) == str(steps)
    assert check(problem, plan="(go a b)\n(go b a)\n").determination is True
    timed = EXAMPLES["htn-go-temporal"]
    assert check(timed.problem, plan=timed.valid_plans[0].action_plan).determination is None


# --- contingent plans ----------------------------------------------------------------------------


def case(acts: dict[str, Act], uncertain: Any, goal: str) -> Case:
    return Case(acts, set(), uncertain, [((goal,), True)])


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


def test_an_object_fluent_that_one_step_may_give_two_values_is_left_open() -> None:
    place = UserType("place")
    for value, expected in (("b", None), ("a", True)):
        problem, go = UpProblem("twice"), InstantaneousAction("go", x=place, y=place)
        a, b = problem.add_objects([UpObject("a", place), UpObject("b", place)]) or problem.all_objects
        at = problem.add_fluent("at", place, x=place, default_initial_value=b)
        go.add_effect(at(go.parameter("x")), a)
        go.add_effect(at(go.parameter("y")), problem.object(value))
        problem.add_action(go)
        problem.add_goal(Equals(at(a), a))
        report = check(problem, plan=SequentialPlan([go(a, a)]), repair=False)
        assert report.determination is expected


def test_a_kind_that_is_not_executed_is_said() -> None:
    problem = EXAMPLES["basic"].problem
    plan = EXAMPLES["basic"].valid_plans[0].convert_to(PlanKind.PARTIAL_ORDER_PLAN, problem)
    for found in (plan, ContingentPlan(None, problem.environment)):
        report = check(problem, plan=found, repair=False)
        assert report.determination is None and f"the kind {type(found).__name__} are not executed" in report.reason
