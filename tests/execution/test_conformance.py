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


CHOSEN = [
    case
    for case in CASES
    if str(case) not in DIFFERENCES and case.level in LEVELS and case.model != "unbalanced_problem"
]


def cases(*verdicts: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [each for each in CHOSEN if each.expected["verdict"] in verdicts], ids=str)


def verdict(report: Report) -> str:
    if report.determination:
        return "valid"
    return "malformed" if any(failure.kind in MALFORMED for failure in report.failures) else "invalid"


def test_the_suite_is_whole() -> None:
    assert len({case.model for case in CASES}) == 82
    assert len(CASES) == 231


@cases("valid", "invalid", "malformed", "ambiguous")
def test_a_plan_is_judged_as_the_standard_says(case: Case) -> None:
    report, expected = case.check(), case.expected["verdict"]
    if expected == "ambiguous":  # any answer will do
        return
    assert report.determination is (expected == "valid")
    assert verdict(report) == expected
    if case.is_literal:
        assert not case.check(strict=False).determination
    if report.determination:
        assert_cost(case, report)
    else:
        assert_faults(case, report)


def assert_cost(case: Case, report: Report) -> None:
    cost = case.expected.get("cost", [])
    if cost == [] or (cost is None and case.level == "pddl+"):
        return  # the suite leaves open what a plan with processes costs
    assert report.cost == (len(report.reference) if cost is None else Fraction(str(cost)))


def assert_faults(case: Case, report: Report) -> None:
    expected, failures = case.expected, report.failures
    reason = str(expected["reason"])
    kinds = {"mutex", "precondition"} if reason == "mutex_or_precondition" else {reason}
    found = [failure.step for failure in failures if failure.kind in kinds]
    assert found, f"no failure of kind {reason} among {failures}"
    assert found[0] == expected.get("failed_step")
    told = {
        "suggest": [failure.nearest for failure in failures if failure.nearest],
        "constraint": [" ".join(failure.unmet) for failure in failures if failure.kind is Kind.CONSTRAINT],
        "last_time_true_after_step": [goal.last_held for goal in report.unmet_goals],
    }
    for key in told.keys() & expected.keys():
        assert told[key] == [expected[key]]
    if unmet := expected.get("unsatisfied"):
        assert set(next(failure.unmet for failure in failures if failure.unmet)) == set(unmet)  # type: ignore[call-overload]
    if steps := expected.get("all_failed_steps"):
        assert [failure.step for failure in failures if failure.step is not None] == steps


@pytest.mark.planner
@pytest.mark.parametrize(
    "case", [case for case in CHOSEN if case.level in EXECUTED and "optimal" in case.expected], ids=str
)
def test_whether_a_valid_plan_is_a_cheapest_one(case: Case) -> None:
    assert case.check(quality="optimal").determination is case.expected["optimal"]


@cases("model_error")
def test_an_ill_formed_model_is_an_error_with_a_place(case: Case) -> None:
    with pytest.raises(ModelError) as caught:
        case.check()
    assert caught.value.line is not None
    assert caught.value.source.endswith(".pddl")


# --- accepted differences ------------------------------------------------------------------------


def test_a_problem_with_a_surplus_parenthesis_is_read_with_a_warning() -> None:
    """PlanBench's prompts end in one parenthesis too many; refusing them would refuse a readable model."""
    case = next(case for case in CASES if case.model == "unbalanced_problem")
    report = case.check()
    assert report.determination is not None
    assert any("surplus ')'" in warning for warning in report.warnings)


def test_a_step_without_parentheses_and_an_unknown_object_is_said_as_that() -> None:
    case = next(case for case in CASES if str(case) in DIFFERENCES)
    report = case.check()
    assert report.determination is False
    assert [(failure.kind, failure.step) for failure in report.failures if failure.step is not None] == [
        (Kind.UNKNOWN_OBJECT, 2)
    ]
