"""unified-planning's own validator as an oracle: where it can read a model and run a plan, both must agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.cases import cases
from tests.conformance.runner import Answer, Outcome, judge
from tests.conformance.unified_planning_peer import verdict
from tests.support.depth import some
from validator import check
from validator.model.bundled import bundles

pytestmark = [
    pytest.mark.up,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

NOT_READ = ("behavior", "network", "virtualhome")
"""bundled models with derived predicates, which it does not read"""
DIFFERENT = {
    **dict.fromkeys(
        ("durative_over_all_only/bad_never.plan", "durative_over_all_only/bad_before.plan"),
        "over all is not checked where nothing happens inside of the interval",
    ),
    "classical_plan_with_timestamps/same_stamp_adds_again.plan": "conditions and effects do not interfere",
    "timed_initial_literals/bad_early.plan": "over all is not checked where it begins before the literal",
}
"""case: why the suite is right"""


@pytest.mark.parametrize(
    "plan",
    some((pytest.param(plan, id=f"{plan.parent.name}/{plan.name}") for one in bundles() for plan in one.plans), 12),
)
def test_the_verdict_on_bundled_plans_is_unified_plannings(plan: Path) -> None:
    files = (plan.parent / "domain.pddl", plan.parent / "problem.pddl", plan)
    said, text = verdict(*map(str, files))
    if plan.parent.name in NOT_READ:
        assert said in ("refused", "crashed")
        return
    judged = check(*files, repair=False).determination
    if said in ("refused", "crashed"):  # a step that is no instance of an action
        assert judged is not True, text
    else:
        assert said == ("valid" if judged else "invalid"), text


@pytest.mark.parametrize("part", some(range(24), 1))
def test_the_conformance_suite_agrees_with_it_where_it_answers(part: int) -> None:
    for case in cases()[part::24]:
        said, text = verdict(*map(str, case.files))
        differs = judge(case, Answer(verdict=said)).outcome is Outcome.DISAGREES
        assert differs is (str(case) in DIFFERENT), (case, text)
