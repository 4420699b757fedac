"""Numbers of unified-planning problems: what its own validator says of a plan, ours says."""

from __future__ import annotations

from typing import Any

import pytest
from unified_planning.engines import SequentialPlanValidator
from unified_planning.model import (
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Oversubscription,
    Problem,
)
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import Equals, Int, RealType
from unified_planning.test.examples import get_example_problems

from validator import check

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

EXAMPLES = {name: case for name, case in get_example_problems().items() if type(case.problem) is Problem}


def up_says(problem: Problem, plan: SequentialPlan) -> Any:
    with SequentialPlanValidator() as validator:
        validator.skip_checks = True
        return validator.validate(problem, plan)


# --- metrics -------------------------------------------------------------------------------------


def test_nothing_is_said_of_the_optimum_by_several_metrics_or_by_one_that_is_not_computed() -> None:
    problem, pour = Problem("tank"), InstantaneousAction("pour")
    level = problem.add_fluent("level", RealType(), default_initial_value=1)
    pour.add_increase_effect(level, 1)
    problem.add_action(pour)
    problem.add_goal(Equals(level, 4))
    plan = SequentialPlan([pour(), pour(), pour()])
    assert check(problem, plan=plan, repair=False).determination is True
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_quality_metric(MinimizeActionCosts({pour: level + 1}, default=Int(0)))
    report = check(problem, plan=plan, quality="optimal")
    assert (report.determination, report.cost, report.optimal_cost) == (None, None, None)
    assert "the metric is not computed: several metrics at once" in report.reason
    problem.clear_quality_metrics()
    problem.add_quality_metric(Oversubscription({problem.goals[0]: 5}))
    report = check(problem, plan=plan, quality="optimal")
    assert report.determination is None and "not computed: Oversubscription" in report.reason


# --- fluents of objects, parameters that are numbers or truths, trajectory constraints -----------

BEYOND = {
    "OBJECT_FLUENTS",
    "TRAJECTORY_CONSTRAINTS",
    "STATE_INVARIANTS",
    "BOOL_FLUENT_PARAMETERS",
    "BOOL_ACTION_PARAMETERS",
    "BOUNDED_INT_FLUENT_PARAMETERS",
    "BOUNDED_INT_ACTION_PARAMETERS",
}
OF_OBJECTS = {name: case for name, case in EXAMPLES.items() if case.problem.kind.features & BEYOND}


@pytest.mark.parametrize("name", sorted(OF_OBJECTS))
def test_plans_and_broken_plans_are_what_unified_planning_says(name: str) -> None:
    case = OF_OBJECTS[name]
    for plan in case.valid_plans:
        if not isinstance(plan, SequentialPlan):
            continue
        steps = plan.actions
        broken = [SequentialPlan(steps[:place] + steps[place + 1 :]) for place in range(len(steps))]
        doubled = [SequentialPlan(steps[: place + 1] + steps[place:]) for place in range(len(steps))]
        for each in (plan, *broken, *doubled):
            found = check(case.problem, plan=each, repair=False).determination
            assert found is bool(up_says(case.problem, each))
