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
    MinimizeActionCosts,
    MinimizeMakespan,
    OpenTimeInterval,
    Process,
    TimeInterval,
)
from unified_planning.model import Problem as UpProblem
from unified_planning.plans import SequentialPlan, TimeTriggeredPlan
from unified_planning.shortcuts import (
    GE,
    EndTiming,
    GlobalStartTiming,
    Int,
    IntType,
    Not,
    RealType,
    StartTiming,
)
from unified_planning.test.examples import get_example_problems

from validator import check
from validator.execution.trace import Kind
from validator.integrations.unified_planning import PlanValidatorEngine
from validator.up.problems import model_from_up

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


@pytest.mark.parametrize("name", sorted(TIMED))
def test_the_examples_are_valid_and_invalid_as_they_say_or_unknown(name: str) -> None:
    case = TIMED[name]
    for expected, plans in ((True, case.valid_plans), (False, case.invalid_plans)):
        for plan in plans:
            report = check(case.problem, plan=plan, repair=False)
            assert report.determination in (expected, None)
            assert report.determination is not None or report.reason


def test_which_examples_are_decided() -> None:
    decided = {
        name
        for name, case in TIMED.items()
        if all(check(case.problem, plan=plan, repair=False).determination for plan in case.valid_plans)
    }
    assert decided == {
        "basic_numeric_with_timed_effect",
        "basic_tils",
        "logistic",
        "matchcellar",
        "matchcellar_static_duration",
        "robot_with_static_fluents_duration",
        "temporal_conditional",
        "temporal_counter",
    }


def test_an_act_reads_the_state_before_what_happens_with_it_and_a_warning_says_what_pddl_says() -> None:
    case = EXAMPLES["logistic"]
    report = check(case.problem, plan=case.valid_plans[0], repair=False)
    assert report.determination
    said = "happen at one time, as unified-planning allows and PDDL does not: one changes (robot_at r1 l1)"
    assert any(said in warning for warning in report.warnings)
    assert check(case.problem, plan=case.invalid_plans[0], repair=False).determination is False


def test_what_the_search_keeps_apart_is_no_proof() -> None:
    """Two acts that PDDL keeps apart may be one time's, so that a search that keeps them apart proves nothing."""
    case = EXAMPLES["logistic"]
    report = check(case.problem, plan=case.invalid_plans[0], quality="optimal")
    assert report.determination is False and not report.proven


def test_timed_effects_after_the_last_step_count() -> None:
    case = EXAMPLES["basic_tils"]
    [undone] = [plan for plan in case.invalid_plans if plan.timed_actions[0][0] == 3]
    report = check(case.problem, plan=undone, repair=False)
    assert report.determination is False and report.unmet_goals[0].literal == "(x)"


# --- a lamp over time ----------------------------------------------------------------------------


def lamp(interval: TimeInterval | None = None) -> tuple[UpProblem, dict[str, Any]]:
    """Return a problem in which power comes and goes, a lamp burns, and a switch is used."""
    problem = UpProblem("lamp")
    power, lit, hot = (problem.add_fluent(name, default_initial_value=False) for name in ("power", "lit", "hot"))
    charge = problem.add_fluent("charge", RealType(), default_initial_value=4)
    burn, switch = DurativeAction("burn"), InstantaneousAction("switch")
    burn.set_closed_duration_interval(1, charge)
    burn.add_condition(interval or ClosedTimeInterval(StartTiming(), EndTiming()), power)
    burn.add_condition(StartTiming(), GE(charge, 2))
    burn.add_condition(EndTiming(), lit)
    burn.add_effect(StartTiming(), lit, True)
    burn.add_decrease_effect(StartTiming(), charge, 1)
    burn.add_effect(EndTiming(), hot, True, GE(charge, 3))
    burn.add_effect(EndTiming(), lit, False)
    switch.add_precondition(Not(lit))
    switch.add_effect(power, True)
    problem.add_actions([burn, switch])
    problem.add_timed_effect(GlobalStartTiming(2), power, True)
    problem.add_timed_effect(GlobalStartTiming(Fraction(13, 2)), power, False)
    problem.add_timed_effect(GlobalStartTiming(7), charge, 3)
    problem.add_goal(hot)
    return problem, {action.name: action for action in problem.actions}


HALVES = st.integers(0, 16).map(lambda number: Fraction(number, 2))
STEPS = st.lists(st.tuples(HALVES, st.sampled_from(["burn", "burn", "switch"]), HALVES.filter(bool)), max_size=3)


@given(STEPS, st.sampled_from(["closed", "right", "start"]))
def test_what_is_decided_is_decided_as_by_unified_planning(
    entries: list[tuple[Fraction, str, Fraction]], shape: str
) -> None:
    whole = {
        "closed": ClosedTimeInterval(StartTiming(), EndTiming()),
        "right": TimeInterval(StartTiming(), EndTiming(), is_right_open=True),
        "start": TimeInterval(StartTiming(), StartTiming()),
    }
    problem, actions = lamp(whole[shape])
    plan = TimeTriggeredPlan(
        [(start, actions[name](), length if name == "burn" else None) for start, name, length in entries],
        problem.environment,
    )
    report = check(problem, plan=plan, repair=False)
    if report.determination is None:
        assert "a conflict to unified-planning's validator, and none in PDDL" in report.reason
    else:
        assert report.determination is (up_says(problem, plan).status is ValidationResultStatus.VALID)


def test_a_valid_plan_a_fault_over_all_and_a_broken_duration() -> None:
    problem, actions = lamp()
    burn = actions["burn"]
    good, early, late, long = (
        check(problem, plan=TimeTriggeredPlan([(Fraction(start), burn(), Fraction(length))]), repair=False)
        for start, length in ((3, 2), (1, 2), (5, "1.75"), (3, 5))
    )
    assert good.determination is True
    assert early.failures[0].kind is Kind.AT_START and early.failures[0].unmet == ("(power)",)
    [broken] = [failure for failure in late.failures if failure.kind is Kind.OVER_ALL]
    assert (broken.time, broken.until) == (Fraction(13, 2), Fraction(27, 4))
    assert "5 <= 4" in long.failures[0].detail


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


def test_a_repaired_plan_comes_back_with_its_times() -> None:
    problem, actions = lamp()
    report = check(problem, plan=TimeTriggeredPlan([(Fraction(1), actions["burn"](), Fraction(2))]))
    assert report.determination is False and isinstance(report.up_plan, TimeTriggeredPlan)
    assert up_says(problem, report.up_plan).status is ValidationResultStatus.VALID


def test_a_sequential_plan_of_a_problem_over_time_is_left_open() -> None:
    problem, actions = lamp()
    report = check(problem, plan=SequentialPlan([actions["burn"]()]), repair=False)
    assert report.determination is None and "has no time stamp" in report.reason


def test_metrics_over_time() -> None:
    plan = [(Fraction(3), Fraction(2))]
    for metric, expected in ((MinimizeMakespan(), Fraction(7)), (None, Fraction(6))):
        problem, actions = lamp()
        problem.add_quality_metric(metric or MinimizeActionCosts({actions["burn"]: Int(6), actions["switch"]: Int(1)}))
        timed = TimeTriggeredPlan([(start, actions["burn"](), length) for start, length in plan])
        report = check(problem, plan=timed, repair=False)
        assert report.cost == expected == next(iter(up_says(problem, timed).metric_evaluations.values()))


# --- change with time ----------------------------------------------------------------------------


def test_continuous_effects_processes_and_events_are_executed() -> None:
    problem = UpProblem("boiler")
    heat = problem.add_fluent("heat", RealType(), default_initial_value=0)
    on = problem.add_fluent("on", default_initial_value=False)
    glow = DurativeAction("glow")
    glow.set_closed_duration_interval(1, 9)
    glow.add_increase_continuous_effect(ClosedTimeInterval(StartTiming(), EndTiming()), heat, 2)
    glow.add_effect(StartTiming(), on, True)
    warming = Process("warming")
    warming.add_precondition(on)
    warming.add_increase_continuous_effect(heat, 1)
    problem.add_action(glow)
    problem.add_process(warming)
    problem.add_goal(GE(heat, 12))
    found = [
        check(problem, plan=TimeTriggeredPlan([(Fraction(0), glow(), Fraction(length))]), repair=False).determination
        for length in (3, 4)
    ]
    assert found == [False, True]
    assert {"processes", "continuous-effects"} <= set(model_from_up(problem).features)


# --- what has no counterpart ---------------------------------------------------------------------


def _effect_inside(problem: UpProblem, burn: Any) -> None:
    burn.add_effect(StartTiming(1), problem.fluent("hot"), True)


def _condition_inside(problem: UpProblem, burn: Any) -> None:
    burn.add_condition(ClosedTimeInterval(StartTiming(1), EndTiming()), problem.fluent("power"))


def _timed_goal(problem: UpProblem, burn: Any) -> None:
    problem.add_timed_goal(GlobalStartTiming(5), problem.fluent("lit"))


def _bounded(problem: UpProblem, burn: Any) -> None:
    count = problem.add_fluent("count", RealType(Fraction(0), Fraction(3)), default_initial_value=0)
    burn.add_increase_continuous_effect(ClosedTimeInterval(StartTiming(), EndTiming()), count, 1)


def _reads(problem: UpProblem, burn: Any) -> None:
    problem.add_timed_effect(GlobalStartTiming(9), problem.fluent("charge"), problem.fluent("charge") + 1)


@pytest.mark.parametrize("start", range(-1, 3))
@pytest.mark.parametrize(("timing", "change"), [(StartTiming(), 2), (EndTiming(), -1)])
def test_a_number_stays_in_its_bounds(start: int, change: int, timing: Any) -> None:
    problem, actions = lamp()
    count = problem.add_fluent("count", IntType(-1, 2), default_initial_value=start)
    actions["burn"].add_increase_effect(timing, count, change)
    plan = TimeTriggeredPlan([(Fraction(3), actions["burn"](), Fraction(2))])
    assert check(problem, plan=plan, repair=False).determination is (-1 <= start + change <= 2)
    assert up_says(problem, plan)  # which looks at no bounds over time, as it does for sequential plans


@pytest.mark.parametrize(
    ("add", "said"),
    [
        (_effect_inside, "intermediate-effects (start + 1 of burn)"),
        (_condition_inside, "intermediate-conditions ([start + 1, end] of burn)"),
        (_timed_goal, "timed-goals"),
        (_bounded, "bounded-numbers (count in burn)"),
        (_reads, "timed-effects-that-read-values (charge := (charge + 1) at start + 9)"),
    ],
)
def test_what_has_no_counterpart_is_named(add: Any, said: str) -> None:
    problem, actions = lamp()
    add(problem, actions["burn"])
    report = check(problem, plan=TimeTriggeredPlan([(Fraction(3), actions["burn"](), Fraction(2))]), repair=False)
    assert report.determination is None and said in report.reason


# --- the engine ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(TIMED))
def test_the_engine_says_of_timed_plans_what_the_examples_say(name: str) -> None:
    engine = PlanValidatorEngine()
    engine.skip_checks = True
    case = EXAMPLES[name]
    for plans, status in ((case.valid_plans, "VALID"), (case.invalid_plans, "INVALID")):
        for plan in plans:
            if plan.kind.name == "TIME_TRIGGERED_PLAN":
                found = engine.validate(case.problem, plan)
                assert found.status.name in (status, "UNKNOWN")
                assert found.inapplicable_action is None or any(
                    action is found.inapplicable_action for _, action, _ in plan.timed_actions
                )


@pytest.mark.planner
def test_a_repair_of_a_timed_plan_counts_the_lines_that_it_changes() -> None:
    engine = PlanValidatorEngine()
    engine.skip_checks = True
    case = EXAMPLES["matchcellar"]
    broken = TimeTriggeredPlan(case.valid_plans[0].timed_actions[:-1])
    found = engine.repair(case.problem, broken)
    assert found.metrics == {"changed_lines": "1", "lower_bound": "1", "proven": "False"}
    assert len(found.plan.timed_actions) == len(broken.timed_actions) + 1
