"""The engines against unified-planning's own examples and its own validator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from unified_planning.engines import (
    OptimalityGuarantee,
    PlanGenerationResultStatus,
    ValidationResultStatus,
)
from unified_planning.engines.plan_validator import SequentialPlanValidator
from unified_planning.environment import Environment
from unified_planning.exceptions import UPProblemDefinitionError
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import (
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    PlanRepairer,
    PlanValidator,
    Problem,
    get_environment,
)
from unified_planning.test.examples import get_example_problems

from validator import ModelError, PlannerError, check
from validator.execution.time.execution import not_executed
from validator.integrations import unified_planning as engines
from validator.integrations.unified_planning import NAME, PlanValidatorEngine, register
from validator.up.problems import model_from_up

pytestmark = [pytest.mark.up, pytest.mark.planner]

EXAMPLES: dict[str, Any] = get_example_problems()
SUPPORTED = {name: case for name, case in EXAMPLES.items() if PlanValidatorEngine.supports(case.problem.kind)}


@pytest.fixture(autouse=True)
def registered() -> None:
    register()
    get_environment().credits_stream = None


def variants(plan: SequentialPlan) -> Iterator[SequentialPlan]:
    """Yield the plan, and the plans with one step dropped, doubled, or in the place of the one before it."""
    steps = plan.actions
    yield plan
    for place in range(len(steps)):
        yield SequentialPlan(steps[:place] + steps[place + 1 :])
        yield SequentialPlan(steps[: place + 1] + steps[place:])
        if place:
            yield SequentialPlan([*steps[: place - 1], steps[place], steps[place - 1], *steps[place + 1 :]])


def assert_same(problem: Problem, plan: SequentialPlan) -> Any:
    """Validate with both validators, compare everything they say, and return it."""
    ours = PlanValidator(name=NAME).validate(problem, plan)
    # By name: by kind, another installed engine could come first.
    other = PlanValidator(name="sequential_plan_validator").validate(problem, plan)
    fields = ("status", "reason", "inapplicable_action", "metric_evaluations", "trace")
    assert {field: getattr(ours, field) for field in fields} == {field: getattr(other, field) for field in fields}
    return ours


# --- registration --------------------------------------------------------------------------------


def test_registering_twice_is_registering_once() -> None:
    environment = Environment()
    register(environment)
    register(environment)
    assert environment.factory.engines.count(NAME) == 1
    assert environment.factory.preference_list.count(NAME) == 1


# --- which problems ------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::UserWarning")  # of what its validator is asked without checks
@pytest.mark.parametrize("part", range(6))
def test_a_problem_gets_the_answer_of_unified_planning_if_and_only_if_it_is_executed(part: int) -> None:
    """The engine claims neither numbers nor time: its result has no states with them. Without checks it decides."""
    engine, peer = PlanValidatorEngine(), SequentialPlanValidator()
    engine.skip_checks = peer.skip_checks = True
    for name, case in list(EXAMPLES.items())[part::6]:
        plans = [plan for plan in (*case.valid_plans, *case.invalid_plans) if isinstance(plan, SequentialPlan)]
        for plan in (*plans, SequentialPlan([], case.problem.environment)):
            try:
                status = engine.validate(case.problem, plan).status
            except ModelError:
                status = ValidationResultStatus.UNKNOWN
            assert _is_executed(case.problem) is (status is not ValidationResultStatus.UNKNOWN), name
            if plan.actions and status is ValidationResultStatus.UNKNOWN:
                assert plan not in case.valid_plans, name
                reason = check(case.problem, plan=plan, repair=False).reason
                assert reason.startswith("the model uses what is not executed: "), name
            elif plan.actions:
                assert status is peer.validate(case.problem, plan).status, name


def _is_executed(problem: Any) -> bool:
    return type(problem) is Problem and not not_executed(model_from_up(problem)).keys() - {"undefined-initial-values"}


# --- validation ----------------------------------------------------------------------------------


@pytest.mark.deep
def test_both_validators_say_the_same_of_plans_and_broken_plans() -> None:
    for case in SUPPORTED.values():
        assert SequentialPlanValidator.supports(case.problem.kind)
        for plan in (*case.valid_plans, *case.invalid_plans):
            for variant in variants(plan):
                assert_same(case.problem, variant)


def switches() -> tuple[Problem, dict[str, Any]]:
    """Return a problem with two switches and an action that sets the first as the second is, or as a static one."""
    problem = Problem("switches")
    first, second, wired = (problem.add_fluent(name, default_initial_value=False) for name in ("s1", "s2", "wired"))
    problem.set_initial_value(wired, True)
    copy, wire, flip = (InstantaneousAction(name) for name in ("copy", "wire", "flip"))
    copy.add_effect(first, second)
    wire.add_effect(first, wired)
    flip.add_effect(second, True)
    problem.add_actions([copy, wire, flip])
    problem.add_goal(first)
    return problem, {action.name: action for action in problem.actions}


@pytest.mark.parametrize("names", [(), ("copy",), ("flip", "copy"), ("wire",), ("wire", "copy"), ("wire", "flip")])
@pytest.mark.parametrize("with_length", [False, True])
def test_assignments_of_formulas_and_the_length_metric(names: tuple[str, ...], with_length: bool) -> None:
    problem, actions = switches()
    if with_length:
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    assert_same(problem, SequentialPlan([actions[name]() for name in names]))


def test_several_metrics_are_refused() -> None:
    problem, _ = switches()
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_quality_metric(MinimizeActionCosts({}, default=1))
    with pytest.raises(UPProblemDefinitionError):
        PlanValidator(name=NAME).validate(problem, SequentialPlan([]))


def test_a_valid_plan_is_left_alone() -> None:
    for name, case in SUPPORTED.items():
        plan = case.valid_plans[0]
        result = PlanRepairer(name=NAME).repair(case.problem, plan)
        assert result.plan == plan, name
        assert result.metrics == {"changed_lines": "0", "lower_bound": "0", "proven": "True"}, name


# --- repair --------------------------------------------------------------------------------------


def test_a_time_limit_is_a_timeout() -> None:
    case = EXAMPLES["robot_loader"]
    repairer = PlanRepairer(name=NAME, params={"time_limit": 0.0})
    result = repairer.repair(case.problem, SequentialPlan([]))
    assert result.status is PlanGenerationResultStatus.TIMEOUT
    assert result.plan is None


def test_a_planner_that_fails_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PlannerError("the search was ended by signal 9")

    monkeypatch.setattr(engines, "check", fail)
    result = PlanRepairer(name=NAME).repair(EXAMPLES["basic"].problem, SequentialPlan([]))
    assert result.status is PlanGenerationResultStatus.INTERNAL_ERROR
    assert result.log_messages[0].message == "the search was ended by signal 9"


def test_the_engines_guarantee_a_plan_and_not_the_cheapest() -> None:
    repairer = PlanRepairer(name=NAME)
    assert repairer.satisfies(OptimalityGuarantee.SATISFICING)
    assert not repairer.satisfies(OptimalityGuarantee.SOLVED_OPTIMALLY)
