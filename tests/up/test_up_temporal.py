"""Plans over time of unified-planning problems: what its own validator says, ours says or leaves open with a reason."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unified_planning.engines import ValidationResultStatus
from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator
from unified_planning.model import (
    ClosedTimeInterval,
    DurativeAction,
    InstantaneousAction,
    OpenTimeInterval,
)
from unified_planning.model import Problem as UpProblem
from unified_planning.plans import TimeTriggeredPlan
from unified_planning.shortcuts import (
    EndTiming,
    GlobalStartTiming,
    Not,
    RealType,
    StartTiming,
)
from unified_planning.test.examples import get_example_problems

from validator import check
from validator.execution.trace import Kind

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

EXAMPLES = {name: case for name, case in get_example_problems().items() if type(case.problem) is UpProblem}
TIMED = {
    name: case
    for name, case in EXAMPLES.items()
    if any(isinstance(plan, TimeTriggeredPlan) for plan in (*case.valid_plans, *case.invalid_plans))
}


def up_says(problem: UpProblem, plan: TimeTriggeredPlan) -> Any:
    validator = TimeTriggeredPlanValidator()
    validator.skip_checks = True
    return validator.validate(problem, plan)


# --- the examples --------------------------------------------------------------------------------


def test_the_examples_are_valid_and_invalid_as_they_say() -> None:
    for name, case in TIMED.items():
        for expected, plans in ((True, case.valid_plans), (False, case.invalid_plans)):
            for plan in plans:
                assert check(case.problem, plan=plan, repair=False).determination is expected, name


# --- intervals and steps of one time --------------------------------------------------------------


def test_a_condition_over_an_open_interval_holds_in_all_of_it() -> None:
    """unified-planning's validator sees only the states at which something changes: here it sees none, and is wrong."""
    problem = UpProblem("open")
    never, done = (problem.add_fluent(name, default_initial_value=False) for name in ("never", "done"))
    work = DurativeAction("work")
    work.set_fixed_duration(2)
    work.add_condition(OpenTimeInterval(StartTiming(), EndTiming()), never)
    work.add_effect(EndTiming(), done, True)
    problem.add_action(work)
    problem.add_goal(done)
    plan = TimeTriggeredPlan([(Fraction(1), work(), Fraction(2))])
    [fault] = check(problem, plan=plan, repair=False).failures
    assert (fault.kind, fault.unmet) == (Kind.OVER_ALL, ("(never)",))
    assert up_says(problem, plan).status is ValidationResultStatus.VALID


@pytest.mark.parametrize("value", [True, False])
def test_steps_of_one_time_without_durations_read_the_state_before_as_its_validator_says(value: bool) -> None:
    problem = UpProblem("flags")
    has, done = problem.add_fluent("has", default_initial_value=True), problem.add_fluent("done")
    problem.set_initial_value(done, False)
    take, use = InstantaneousAction("take"), InstantaneousAction("use")
    take.add_effect(has, value)
    use.add_precondition(has)
    use.add_effect(done, True)
    problem.add_actions([take, use])
    problem.add_goal(done)
    plan = TimeTriggeredPlan([(Fraction(1), take(), None), (Fraction(1), use(), None)])
    assert check(problem, plan=plan, repair=False).determination
    assert up_says(problem, plan).status is ValidationResultStatus.VALID


@pytest.mark.parametrize("goal", [True, False])
def test_steps_that_change_one_atom_alike_at_one_time_conflict_to_unified_planning_alone(goal: bool) -> None:
    problem = UpProblem("together")
    lit = problem.add_fluent("lit", default_initial_value=False)
    actions = [InstantaneousAction(name) for name in ("left", "right")]
    for action in actions:
        action.add_effect(lit, True)
    problem.add_actions(actions)
    problem.add_goal(lit if goal else Not(lit))
    together = TimeTriggeredPlan([(Fraction(1), action(), None) for action in actions])
    report = check(problem, plan=together, repair=False)
    assert report.determination is (None if goal else False)
    assert not goal or "a conflict to unified-planning's validator, and none in PDDL" in report.reason
    assert up_says(problem, together).status is ValidationResultStatus.INVALID
    apart = TimeTriggeredPlan([(Fraction(time), action(), None) for time, action in enumerate(actions)])
    assert check(problem, plan=apart, repair=False).determination is goal


# --- between the start and the end, and at times of the plan ---------------------------------------


def kiln() -> tuple[UpProblem, DurativeAction]:
    """Return a problem in which a kiln glows from two hours after its start to an hour before its end, and cools on."""
    problem = UpProblem("kiln")
    hot, ready, cold = (problem.add_fluent(name, default_initial_value=False) for name in ("hot", "ready", "cold"))
    fire = DurativeAction("fire")
    fire.set_closed_duration_interval(4, 9)
    fire.add_effect(StartTiming(2), hot, True)
    fire.add_effect(EndTiming() - 1, hot, False)
    fire.add_effect(EndTiming() - 1, ready, True)
    fire.add_effect(EndTiming() + 3, cold, True)
    problem.add_action(fire)
    return problem, fire


def working() -> tuple[UpProblem, DurativeAction]:
    problem, work = UpProblem("working"), DurativeAction("work")
    done = problem.add_fluent("done", default_initial_value=False)
    work.set_closed_duration_interval(4, 6)
    work.add_effect(EndTiming(), done, True)
    problem.add_action(work)
    problem.add_goal(done)
    return problem, work


def test_a_repaired_plan_comes_back_with_its_times() -> None:
    problem, work = working()
    report = check(problem, plan=TimeTriggeredPlan([(Fraction(1), work(), Fraction(2))]))
    assert report.determination is False and isinstance(report.up_plan, TimeTriggeredPlan)
    assert up_says(problem, report.up_plan).status is ValidationResultStatus.VALID


def verdict(problem: UpProblem, *steps: tuple[Any, Any, Any]) -> bool | None:
    """Return what is said of a plan, which unified-planning's validator says as well where anything is said."""
    plan = TimeTriggeredPlan([(Fraction(start), step(), Fraction(last)) for start, step, last in steps])
    report = check(problem, plan=plan, repair=False)
    if report.determination is not None:
        assert report.determination is (up_says(problem, plan).status is ValidationResultStatus.VALID)
    return report.determination


@pytest.mark.parametrize(("length", "expected"), [(3, True), (4, None)])
def test_a_number_that_changes_evenly_stays_in_its_bounds_or_the_answer_is_open(
    length: int, expected: bool | None
) -> None:
    problem, fire = kiln()
    heat = problem.add_fluent("heat", RealType(Fraction(0), Fraction(3)), default_initial_value=0)
    fire.add_increase_continuous_effect(ClosedTimeInterval(StartTiming(), StartTiming(length)), heat, 1)
    problem.add_goal(problem.fluent("ready"))
    report = check(problem, plan=TimeTriggeredPlan([(Fraction(1), fire(), Fraction(9))]), repair=False)
    assert report.determination is expected
    assert expected or "a number leaves the bounds of its type at 4" in report.reason


SIDES = st.tuples(st.booleans(), st.integers(0, 4))
"""a time of an action: from its end or its start, and how far"""


def side(is_from_end: bool, delay: int) -> Any:
    return EndTiming() - delay if is_from_end else StartTiming(delay)


@given(
    st.lists(
        st.tuples(SIDES, st.sampled_from("pqr"), st.booleans()), min_size=1, max_size=3, unique_by=lambda e: e[:2]
    ),
    st.lists(st.tuples(SIDES, SIDES, st.sampled_from("pqr"), st.booleans()), max_size=2),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("pqr"), st.booleans()), max_size=2),
    st.lists(st.tuples(st.integers(0, 6), st.integers(3, 7)), max_size=2),
)
def test_what_is_decided_of_parts_of_actions_and_timed_goals_is_decided_as_by_unified_planning(
    effects: list[Any], conditions: list[Any], goals: list[Any], steps: list[Any]
) -> None:
    problem, work = UpProblem("parts"), DurativeAction("work")
    problem.self_overlapping = True  # which its validator does not ask for
    fluents = {name: problem.add_fluent(name, default_initial_value=name == "p") for name in "pqr"}
    work.set_closed_duration_interval(3, 6)
    for at, name, value in effects:
        work.add_effect(side(*at), fluents[name], value)
    for first, last, name, value in conditions:
        work.add_condition(
            ClosedTimeInterval(side(*first), side(*last)), fluents[name] if value else Not(fluents[name])
        )
    problem.add_action(work)
    for first, length, name, value in goals:
        interval = ClosedTimeInterval(GlobalStartTiming(first), GlobalStartTiming(first + length))
        problem.add_timed_goal(interval, fluents[name] if value else Not(fluents[name]))
    verdict(problem, *((start, work, length) for start, length in steps))


# --- what a problem says of all times -------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "steps", "is_valid"),
    [
        ({}, [(0, 4), ("4.05", 4)], True),
        ({"epsilon": Fraction(1, 10)}, [(0, 4), ("4.05", 4)], False),
        ({"epsilon": Fraction(1, 10)}, [(0, 4), ("4.1", 4)], True),
        ({"epsilon": Fraction(1, 10)}, [(0, 4), (4, 4)], True),
        ({"epsilon": Fraction(1, 20)}, [(0, 4), ("4.05", 4)], True),
        ({"discrete_time": True}, [(0, 4), ("4.05", 4)], False),
        ({"discrete_time": True}, [(0, 4), (5, 4)], True),
        ({"discrete_time": True}, [("0.5", 4)], False),
        ({"discrete_time": True}, [(0, "4.5")], False),
        ({}, [(0, 4), (3, 4)], False),
        ({"self_overlapping": False}, [(0, 6), (1, 4)], False),
        ({"self_overlapping": True}, [(0, 4), (3, 4)], True),
    ],
)
def test_what_a_problem_says_of_its_time_is_asked(
    said: dict[str, Any], steps: list[tuple[Any, Any]], is_valid: bool
) -> None:
    problem, work = working()
    for name, value in said.items():
        setattr(problem, name, value)
    plan = TimeTriggeredPlan([(Fraction(start), work(), Fraction(last)) for start, last in steps])
    report = check(problem, plan=plan, repair=False)
    assert report.determination is is_valid
    assert is_valid or report.failures[0].kind in (Kind.MUTEX, Kind.DURATION)


# --- what has no counterpart ---------------------------------------------------------------------


def _before(problem: UpProblem, fire: DurativeAction) -> None:
    fire.add_effect(StartTiming(-1), problem.fluent("hot"), True)


def _of_the_plan(problem: UpProblem, fire: DurativeAction) -> None:
    fire.add_effect(GlobalStartTiming(5), problem.fluent("hot"), True)


def _under_a_condition(problem: UpProblem, fire: DurativeAction) -> None:
    heat = problem.add_fluent("heat", RealType(), default_initial_value=0)
    fire.add_increase_continuous_effect(ClosedTimeInterval(StartTiming(), EndTiming()), heat, 1)
    [effects] = fire.continuous_effects.values()
    effects[0].set_condition(problem.fluent("hot")())


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (_before, "times-outside-of-actions (start - 1 of fire)"),
        (_of_the_plan, "times-outside-of-actions (start + 5 of fire)"),
        (_under_a_condition, "conditional-continuous-effects (heat in fire)"),
    ],
)
def test_what_has_no_counterpart_is_named(add: Any, said: str) -> None:
    problem, fire = kiln()
    add(problem, fire)
    report = check(problem, plan=TimeTriggeredPlan([(Fraction(1), fire(), Fraction(9))]), repair=False)
    assert report.determination is None and said in report.reason
