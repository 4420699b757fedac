"""A plug-in of pytest: plans that are valid, runs that follow a plan or keep a policy.

    def test_the_agent(assert_followed):
        assert_followed("run.json", policy="shop.policy")
        assert_followed("run.json", plan="good.plan")

What fails shows the diff. A verdict that is not known fails as well, and says so. pytest loads this file whenever it
runs, so that it imports nothing before a fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from validator.adherence import Adherence
    from validator.checking.report import Report
    from validator.policies import Conformance


@pytest.fixture
def assert_valid_plan() -> Callable[..., Report]:
    """Return ``assert_valid_plan(domain, problem, plan, **options)``, or with a flow ``(flow, plan)``."""
    return _assert_valid_plan


@pytest.fixture
def assert_followed() -> Callable[..., Adherence | Conformance]:
    """Return ``assert_followed(trace, plan=None, model=None, policy=None, require=None)``."""
    return _assert_followed


def _assert_valid_plan(*model_and_plan: Any, quality: str = "valid", **options: Any) -> Report:
    """Fail where a plan has not a quality, with its faults and the nearest plan that has it; return the report."""
    __tracebackhide__ = True
    from validator.checking.check import check
    from validator.flow.check import check_flow

    if len(model_and_plan) == 2:
        model, plan = model_and_plan
        report = check_flow(model, plan, quality=quality, **options)
    else:
        report = check(*model_and_plan, quality=quality, **options)
    if report.determination is not True:
        from validator.render.text import report_text

        pytest.fail(report_text(report), pytrace=False)
    return report


def _assert_followed(
    trace: Any, *, plan: Any = None, model: Any = None, policy: Any = None, require: Any = None
) -> Adherence | Conformance:
    """Fail where a run does not keep a policy, or does not follow a plan, and return what was found last.

    Without a plan and a policy, the plan is the one that the trace states. ``require`` is what ``adhere`` is asked for,
    as in ``"followed,sound"``.
    """
    __tracebackhide__ = True
    found: Adherence | Conformance | None = None
    if policy is not None:
        from validator.policies import conform

        found = conform(policy, trace, model=model)
        if found.kept is not True:
            pytest.fail(found.text, pytrace=False)
    if plan is None and found is not None:
        return found
    from validator.adherence import adhere
    from validator.adherence.requirements import met, required
    from validator.adherence.text import adherence_text

    adherence = adhere(plan, trace, model=model)
    result = met(adherence, required(require, with_model=model is not None))
    if result.holds is not True:
        diff = adherence.diff_text if adherence.plan is not None else ""
        pytest.fail("\n".join(filter(None, (adherence_text(adherence), diff, f"{result.said}."))), pytrace=False)
    return adherence
