"""The conformance models: small PDDL models, each with plans and the answer that the standard gives.

Each model is a folder of ``conformance/`` with ``expected.json``: verdict, failing step, false literals, cost.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.conformance_cases import CASES, EXECUTED, MALFORMED, Case
from validator import ModelError, Report
from validator.execution.simulator import Kind

LEVELS = (*EXECUTED, "numeric", "temporal", "pddl3", "pddl3.1", "pddl+")
DIFFERENCES = {
    "plan_format_empty_goal_true/bad_no_parens.plan": "the step without parentheses names an object that the model"
    " does not declare: that is said as unknown_object at that step, instead of a precondition",
}


def cases(*verdicts: str, levels: tuple[str, ...] = LEVELS, having: str = "") -> pytest.MarkDecorator:
    chosen = [
        pytest.param(case, id=f"{case.model}/{case.plan}")
        for case in CASES
        if case.level in levels
        and case.expected["verdict"] in verdicts
        and (not having or case.expected.get(having, []) != [])
        and f"{case.model}/{case.plan}" not in DIFFERENCES
        and case.model != "unbalanced_problem"
    ]
    return pytest.mark.parametrize("case", chosen)


def verdict(report: Report) -> str:
    if report.determination:
        return "valid"
    return "malformed" if any(failure.kind in MALFORMED for failure in report.failures) else "invalid"


def test_the_suite_is_whole() -> None:
    assert len({case.model for case in CASES}) == 82
    assert len(CASES) == 231


@cases("valid", "invalid", "malformed")
def test_the_verdict_is_the_standards(case: Case) -> None:
    if case.is_literal:
        assert not case.check(strict=False).determination
    report = case.check()
    assert report.determination is (case.expected["verdict"] == "valid")
    assert verdict(report) == case.expected["verdict"]


@cases("valid", having="cost")
def test_the_cost_of_a_valid_plan(case: Case) -> None:
    cost = case.expected["cost"]
    report = case.check()
    if cost is None and case.level == "pddl+":
        return  # the suite leaves open what a plan with processes costs
    assert report.cost == (len(report.reference) if cost is None else Fraction(str(cost)))


@cases("invalid", "malformed")
def test_the_fault_has_its_kind_and_its_step(case: Case) -> None:
    failures = case.check().failures
    reason = str(case.expected["reason"])
    kinds = {"mutex", "precondition"} if reason == "mutex_or_precondition" else {reason}
    found = [failure.step for failure in failures if failure.kind in kinds]
    assert found, f"no failure of kind {reason} among {failures}"
    assert found[0] == case.expected.get("failed_step")


@cases("invalid", having="unsatisfied")
def test_the_false_literals_are_named(case: Case) -> None:
    expected = case.expected["unsatisfied"]
    assert isinstance(expected, list)
    failure = next(found for found in case.check().failures if found.unmet)
    assert set(failure.unmet) == set(expected)


@cases("invalid", having="all_failed_steps")
def test_every_failing_step_is_reported(case: Case) -> None:
    steps = [failure.step for failure in case.check().failures if failure.step is not None]
    assert steps == case.expected["all_failed_steps"]


@cases("invalid", having="last_time_true_after_step")
def test_a_lost_goal_says_when_it_held_last(case: Case) -> None:
    (goal,) = case.check().unmet_goals
    assert goal.last_held == case.expected["last_time_true_after_step"]


@cases("malformed", having="suggest")
def test_a_misspelt_name_gets_the_nearest_one(case: Case) -> None:
    assert [failure.nearest for failure in case.check().failures if failure.nearest] == [case.expected["suggest"]]


@pytest.mark.planner
@cases("valid", levels=EXECUTED, having="optimal")
def test_whether_a_valid_plan_is_a_cheapest_one(case: Case) -> None:
    assert case.check(quality="optimal").determination is case.expected["optimal"]


@cases("model_error")
def test_an_ill_formed_model_is_an_error_with_a_place(case: Case) -> None:
    with pytest.raises(ModelError) as caught:
        case.check()
    assert caught.value.line is not None
    assert caught.value.source.endswith(".pddl")


@cases("ambiguous")
def test_a_plan_that_the_standard_leaves_open_gets_an_answer(case: Case) -> None:
    assert case.check().determination in (True, False, None)


@cases("invalid", having="constraint")
def test_a_violated_constraint_is_named(case: Case) -> None:
    failures = case.check().failures
    assert [failure.unmet for failure in failures if failure.kind is Kind.CONSTRAINT] == [
        (case.expected["constraint"],)
    ]


# --- accepted differences ------------------------------------------------------------------------


def test_a_problem_with_a_surplus_parenthesis_is_read_with_a_warning() -> None:
    """PlanBench's prompts end in one parenthesis too many; refusing them would refuse a readable model."""
    case = next(case for case in CASES if case.model == "unbalanced_problem")
    report = case.check()
    assert report.determination is not None
    assert any("surplus ')'" in warning for warning in report.warnings)


def test_a_step_without_parentheses_and_an_unknown_object_is_said_as_that() -> None:
    case = next(case for case in CASES if f"{case.model}/{case.plan}" in DIFFERENCES)
    report = case.check()
    assert report.determination is False
    assert [(failure.kind, failure.step) for failure in report.failures if failure.step is not None] == [
        (Kind.UNKNOWN_OBJECT, 2)
    ]
