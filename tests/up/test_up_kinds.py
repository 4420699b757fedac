"""Plans of unified-planning that are neither sequences nor times: orders, networks of times, hierarchies, schedules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from unified_planning.model import (
    ContingentProblem,
    DurativeAction,
    InstantaneousAction,
    SensingAction,
    TimepointKind,
)
from unified_planning.model import Problem as UpProblem
from unified_planning.model.htn import HierarchicalProblem, Method
from unified_planning.model.scheduling import SchedulingProblem
from unified_planning.plans import (
    ActionInstance,
    ContingentPlan,
    HierarchicalPlan,
    PartialOrderPlan,
    Schedule,
    SequentialPlan,
    STNPlan,
    TimeTriggeredPlan,
)
from unified_planning.plans.contingent_plan import ContingentPlanNode
from unified_planning.plans.hierarchical_plan import Decomposition, MethodInstance
from unified_planning.plans.stn_plan import STNPlanNode
from unified_planning.shortcuts import (
    And,
    EndTiming,
    Equals,
    IntType,
    Not,
    Or,
    UserType,
)
from unified_planning.test.examples import get_example_problems

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


# --- partial orders ------------------------------------------------------------------------------


def switches() -> tuple[UpProblem, list[InstantaneousAction]]:
    """Return a problem of four switches and a counter, and its actions, some of which interfere."""
    problem = UpProblem("switches")
    p, q, r = (problem.add_fluent(name, default_initial_value=False) for name in "pqr")
    count = problem.add_fluent("count", IntType(0, 2), default_initial_value=0)
    on, off, up, down, when = (InstantaneousAction(name) for name in ("on", "off", "up", "down", "when"))
    on.add_effect(p, True)
    off.add_precondition(p)
    off.add_effect(p, False)
    off.add_effect(q, True)
    up.add_increase_effect(count, 1)
    down.add_decrease_effect(count, 1)
    when.add_effect(r, True, p)
    problem.add_actions([on, off, up, down, when])
    return problem, [on, off, up, down, when]


def test_an_order_that_fails_is_the_one_that_is_told_and_repaired() -> None:
    problem, (on, off, *_) = switches()
    problem.add_goal(problem.fluent("q"))
    first, second = ActionInstance(on), ActionInstance(off)
    report = check(problem, plan=PartialOrderPlan({first: [], second: []}), repair=False)
    assert report.determination is False and report.proven
    assert report.reason == "in an order that the plan leaves open, some steps cannot be executed"
    assert [step.name for step in report.reference] == ["off", "on"]
    assert verdict(problem, PartialOrderPlan({first: [second]})) is True


def test_too_many_orders_are_left_open() -> None:
    problem = UpProblem("many")
    pairs = []
    for number in range(9):
        fluent = problem.add_fluent(f"f{number}", default_initial_value=True)
        reads, writes = InstantaneousAction(f"reads{number}"), InstantaneousAction(f"writes{number}")
        reads.add_precondition(Or(fluent, Not(fluent)))
        writes.add_effect(fluent, False)
        problem.add_actions([reads, writes])
        pairs += [ActionInstance(reads), ActionInstance(writes)]
    report = check(problem, plan=PartialOrderPlan({step: [] for step in pairs}), repair=False)
    assert report.determination is None and "there are more" in report.reason


# --- networks of times ---------------------------------------------------------------------------


def lamp() -> tuple[UpProblem, ActionInstance]:
    problem, burn = UpProblem("lamp"), DurativeAction("burn")
    lit = problem.add_fluent("lit", default_initial_value=False)
    burn.set_closed_duration_interval(2, 4)
    burn.add_effect(EndTiming(), lit, True)
    problem.add_action(burn)
    problem.add_goal(lit)
    return problem, ActionInstance(burn)


def network(step: ActionInstance, begin: tuple[Any, Any], last: tuple[Any, Any]) -> STNPlan:
    start, end = (STNPlanNode(kind, step) for kind in (TimepointKind.START, TimepointKind.END))
    origin = STNPlanNode(TimepointKind.GLOBAL_START)
    return STNPlan([(origin, *map(_exact, begin), start), (start, *map(_exact, last), end)])


def _exact(bound: Any) -> Fraction | None:
    return None if bound is None else Fraction(bound)


def test_of_a_network_with_several_schedules_the_earliest_is_told_and_nothing_decided() -> None:
    problem, step = lamp()
    report = check(problem, plan=network(step, (1, 9), (3, 3)), repair=False)
    assert report.determination is None and report.reason.startswith("the schedule that does everything as early")
    assert report.reference[0].time == 1


def test_a_network_that_no_times_meet_is_not_valid() -> None:
    problem, step = lamp()
    start, end = (STNPlanNode(kind, step) for kind in (TimepointKind.START, TimepointKind.END))
    plan = STNPlan([(start, Fraction(3), None, end), (end, Fraction(1), None, start)])
    report = check(problem, plan=plan, repair=False)
    assert report.determination is False and report.reason == "no times meet the constraints of the plan"


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


# --- schedules -----------------------------------------------------------------------------------


def workshop() -> tuple[SchedulingProblem, list[Any]]:
    problem = SchedulingProblem("workshop")
    saw = problem.add_resource("saw", capacity=1)
    one, other = (problem.add_activity(name, duration=3) for name in ("one", "other"))
    one.uses(saw)
    other.uses(saw)
    other.add_deadline(9)
    return problem, [one, other]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((0, 3), (3, 6), True), ((0, 3), (2, 5), False), ((0, 4), (4, 7), False), ((0, 3), (7, 10), False)],
)
def test_schedules(one: tuple[int, int], other: tuple[int, int], expected: bool) -> None:
    problem, (first, second) = workshop()
    times = {first.start: one[0], first.end: one[1], second.start: other[0], second.end: other[1]}
    report = check(problem, plan=Schedule([first, second], times), repair=False)
    assert report.determination is expected and report.proven
    assert report.cost == max(one[1], other[1]) or not expected


def test_an_activity_that_is_missing_or_has_no_time_is_a_fault() -> None:
    problem, (first, second) = workshop()
    report = check(problem, plan=Schedule([first], {first.start: 0, first.end: 3, second.start: 4}), repair=False)
    assert faults(report) == "the activity 'other' does not take place; end(other) has no value"


def test_a_schedule_at_fractions_of_its_whole_steps_is_left_open() -> None:
    problem = SchedulingProblem("room")
    visit = problem.add_activity("visit", duration=1)
    times = {visit.start: Fraction(1, 2), visit.end: Fraction(3, 2)}
    report = check(problem, plan=Schedule([visit], times), repair=False)
    assert report.determination is None and "start(visit) is 1/2, and time goes by in whole steps" in report.reason


@pytest.mark.parametrize("name", ["sched:basic", "sched:resource_set", "sched:symbolic"])
def test_unified_planning_s_own_schedules_are_valid_and_not_without_a_part(name: str) -> None:
    case = EXAMPLES[name]
    [plan] = case.valid_plans
    assert verdict(case.problem, plan) is True
    for dropped in plan.assignment:
        rest = {key: value for key, value in plan.assignment.items() if key != dropped}
        assert verdict(case.problem, Schedule(plan.activities, rest)) is False
    assert verdict(case.problem, Schedule(plan.activities[1:], plan.assignment)) is False


# --- contingent plans ----------------------------------------------------------------------------


def treasure() -> tuple[ContingentProblem, dict[str, Any]]:
    """Return a problem in which one of two chests holds the treasure, and can be looked into."""
    problem = ContingentProblem("treasure")
    chest = UserType("chest")
    inside = problem.add_fluent("inside", chest=chest, default_initial_value=False)
    rich = problem.add_fluent("rich", default_initial_value=False)
    look, take = SensingAction("look", chest=chest), InstantaneousAction("take", chest=chest)
    look.add_observed_fluent(inside(look.chest))
    take.add_precondition(inside(take.chest))
    take.add_effect(rich, True)
    problem.add_actions([look, take])
    left, right = (problem.add_object(name, chest) for name in ("left", "right"))
    problem.add_oneof_initial_constraint([inside(left), inside(right)])
    problem.add_goal(rich)
    return problem, {"look": look, "take": take, "left": left, "right": right, "inside": inside}


def tree(problem: ContingentProblem, named: dict[str, Any], **branches: str) -> ContingentPlan:
    """Return the plan that looks into the left chest, and takes from the chests that the answers name."""
    manager = problem.environment.expression_manager
    seen = named["inside"](named["left"])
    root = ContingentPlanNode(ActionInstance(named["look"], (manager.ObjectExp(named["left"]),)))
    for answer, chest in branches.items():
        value = manager.TRUE() if answer == "yes" else manager.FALSE()
        taken = ActionInstance(named["take"], (manager.ObjectExp(named[chest]),))
        root.add_child({seen: value}, ContingentPlanNode(taken))
    return ContingentPlan(root)


@pytest.mark.parametrize(
    ("branches", "expected", "said"),
    [
        ({"yes": "left", "no": "right"}, True, ""),
        ({"yes": "left", "no": "left"}, False, "at first: (not (inside left)), (inside right)"),
        ({"yes": "right", "no": "right"}, False, "at first: (inside left), (not (inside right))"),
        ({"yes": "left"}, False, "nothing says what to do next after step 1"),
        ({}, False, "valid in no outcome"),
    ],
)
def test_a_contingent_plan_has_a_quality_where_it_has_it_in_each_world(
    branches: dict[str, str], expected: bool, said: str
) -> None:
    problem, named = treasure()
    report = check(problem, plan=tree(problem, named, **branches), repair=False)
    assert report.determination is expected and said in str(report)


def peek() -> tuple[ContingentProblem, dict[str, Any]]:
    """Return a problem in which a fact is hidden, and can be seen, or set, or both at once."""
    problem = ContingentProblem("peek")
    p, q = (problem.add_fluent(name, default_initial_value=False) for name in "pq")
    see, turn, put = SensingAction("see"), SensingAction("turn"), InstantaneousAction("put")
    see.add_observed_fluent(p())
    turn.add_observed_fluent(p())
    turn.add_effect(p, True)
    put.add_effect(q, True)
    problem.add_actions([see, turn, put])
    problem.add_unknown_initial_constraint(p())
    problem.add_goal(q)
    return problem, {"p": p(), "q": q(), "see": see, "turn": turn, "put": put}


def branching(problem: ContingentProblem, root: Any, *seen: dict[Any, bool]) -> ContingentPlan:
    """Return the plan of a step and, for all that may be seen, the step that reaches the goal."""
    manager, node = problem.environment.expression_manager, ContingentPlanNode(ActionInstance(root))
    for each in seen:
        values = {fluent: manager.Bool(value) for fluent, value in each.items()}
        node.add_child(values, ContingentPlanNode(ActionInstance(problem.action("put"))))
    return ContingentPlan(node)


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
    problem, named = peek()
    branches = [{named[each[0]]: each[1]} if each else {} for each in seen]
    for quality in ("sound", "valid"):
        plan = branching(problem, named[step], *branches)
        report = check(problem, plan=plan, quality=quality, repair=False)
        assert report.determination is expected and said in report.reason


def test_what_is_said_of_hidden_fluents_and_is_no_literal_is_left_open() -> None:
    problem, named = peek()
    problem.add_or_initial_constraint([And(named["p"], named["q"]), named["p"]])
    report = check(problem, plan=ContingentPlan(None, problem.environment), repair=False)
    assert report.determination is None and "hidden-fluents-that-are-no-literals ((p and q))" in report.reason


# --- atoms without a value -----------------------------------------------------------------------


def unsaid(*names: str) -> tuple[UpProblem, InstantaneousAction]:
    """Return a problem of which nothing says whether some fluents hold at first, and an action that sets the first."""
    problem, put = UpProblem("unsaid"), InstantaneousAction("put")
    for name in names:
        problem.add_fluent(name)
    put.add_effect(problem.fluent(names[0]), True)
    problem.add_action(put)
    return problem, put


def test_a_plan_is_decided_where_all_values_agree_on_it() -> None:
    problem, put = unsaid("a", "b")
    a, b = map(problem.fluent, "ab")
    plan = SequentialPlan([put()])
    for goal, expected in ((a, True), (Not(a), False), (b, None), (Or(a, b), True), (Or(b, Not(b)), True)):
        problem.clear_goals()
        problem.add_goal(goal)
        assert verdict(problem, plan) is expected
    problem.clear_goals()
    problem.add_goal(b)
    assert check(problem, plan=plan).reason == "it depends on values that the problem does not give: (a), (b)"


# --- others --------------------------------------------------------------------------------------


def test_a_kind_that_does_not_fit_its_problem_is_said() -> None:
    problem, _ = lamp()
    report = check(problem, plan=ContingentPlan(None, problem.environment), repair=False)
    assert report.determination is None and "ContingentPlan" in report.reason
