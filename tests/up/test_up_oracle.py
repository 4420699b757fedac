"""unified-planning's own validator as an oracle: where it can read a model and run a plan, both must agree.

The engine is named by its class: choosing one by the kind of a problem may find another that is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.conformance_cases import CASES, MALFORMED
from tests.support.depth import some
from tests.support.places import CONFORMANCE
from validator import check
from validator.model.bundled import bundles
from validator.reading.plan import Step

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

NOT_READ = {
    "behavior": "no derived predicates",
    "constants_redeclared": "a constant that is an object again is an error of its reader",
    "derived_predicates": "no derived predicates",
    "duplicate_objects": "an object twice is an error of its reader",
    "name_characters": "an object and an action of one name",
    "name_digit_first": "no names that begin with a digit",
    "name_digit_first_problem": "no names that begin with a digit",
    "network": "no derived predicates",
    "no_parameters_keyword": ":parameters may not be left out",
    "requirements_unknown": "unknown requirement flags are an error of its reader",
    "sections_in_unusual_order": "the order of sections is fixed",
    "typing_either": "no (either ...)",
    "typing_either_object": "no (either ...)",
    "virtualhome": "no derived predicates",
}

NOT_EXECUTED = {
    "action_costs/bad_undefined_cost.plan": "(dist y x) has no value: its simulator raises, we report the step",
    "action_costs_no_init/good.plan": "total-cost has no initial value: its simulator raises, planners take it for 0",
}

DISAGREE: dict[str, str] = {}
"""model/plan: why we are right. There is none."""


def _plans() -> Iterator[tuple[str, Path, bool]]:
    """Yield model, plan, and whether the text is taken literally: where the fault is in the text."""
    for case in CASES:
        if case.level in ("classical", "axioms") and case.expected["verdict"] != "model_error":
            yield case.model, CONFORMANCE / case.model / case.plan, case.is_literal
    for model in bundles():
        for plan in model.plans:
            yield model.name, plan, False


PLANS = list(_plans())


@pytest.fixture(scope="module", autouse=True)
def _shared_names() -> Iterator[None]:
    """Let an action and a predicate have one name, in the global environment: another fails on universal effects."""
    from unified_planning.environment import get_environment

    environment = get_environment()
    before = environment.error_used_name
    environment.error_used_name = False
    yield
    environment.error_used_name = before


@cache
def up_problem(folder: Path) -> Any:
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader

    return PDDLReader(get_environment()).parse_problem(str(folder / "domain.pddl"), str(folder / "problem.pddl"))


def up_says(problem: Any, steps: list[Step]) -> bool:
    from unified_planning.engines import SequentialPlanValidator
    from unified_planning.engines.results import ValidationResultStatus
    from unified_planning.plans import ActionInstance, SequentialPlan

    manager = problem.environment.expression_manager
    actions = [
        ActionInstance(problem.action(step.name), tuple(manager.ObjectExp(problem.object(arg)) for arg in step.args))
        for step in steps
    ]
    with SequentialPlanValidator() as validator:
        validator.skip_checks = True  # action costs are outside of what it says it can do, and it can
        result = validator.validate(problem, SequentialPlan(actions, problem.environment))
    return bool(result.status is ValidationResultStatus.VALID)


@pytest.mark.parametrize(
    ("name", "plan", "literal"),
    some(
        (
            pytest.param(name, plan, literal, id=f"{name}/{plan.name}")
            for name, plan, literal in PLANS
            if name not in NOT_READ
        ),
        20,
    ),
)
def test_the_verdict_is_unified_plannings(name: str, plan: Path, literal: bool) -> None:
    report = check(plan.parent / "domain.pddl", plan.parent / "problem.pddl", plan, repair=False, strict=literal)
    if any(failure.kind in MALFORMED for failure in report.failures):
        assert report.determination is False  # there is no such action instance to ask the other engine about
        return
    steps = [step for step in report.reference if isinstance(step, Step)]
    if f"{name}/{plan.name}" in NOT_EXECUTED:
        with pytest.raises(Exception, match="does not have a value"):
            up_says(up_problem(plan.parent), steps)
        return
    agrees = up_says(up_problem(plan.parent), steps) is report.determination
    assert agrees is (f"{name}/{plan.name}" not in DISAGREE)


@pytest.mark.parametrize("name", sorted(NOT_READ))
def test_what_its_reader_cannot_read_is_listed(name: str) -> None:
    folder = next(plan.parent for model, plan, _ in PLANS if model == name)
    with pytest.raises(Exception):  # noqa: B017 - its reader raises whatever its libraries do
        up_problem(folder)
