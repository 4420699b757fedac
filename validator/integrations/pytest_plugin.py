"""A plug-in of pytest: plans that are valid, runs that follow a plan or keep a policy, verdicts that stay the same.

    def test_the_agent(assert_followed, same_verdict):
        assert_followed("run.json", policy="shop.policy")
        same_verdict(assert_followed("run.json", plan="good.plan"))

What fails shows the diff. A verdict that is not known fails as well, and says so. ``same_verdict`` compares with a file
beside the test, which ``pytest --update-verdicts`` writes. pytest loads this file whenever it runs, so that it imports
nothing before a fixture is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from validator.adherence import Adherence
    from validator.checking.report import Report
    from validator.policies import Conformance

__all__ = ["assert_followed", "assert_valid_plan", "same_verdict"]

_FOLDER = "__verdicts__"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("plan-validator")
    group.addoption("--update-verdicts", action="store_true", help="keep the verdicts of this run as the expected ones")


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
    if plan is not None or found is None:
        found = _adherence(trace, plan, model, require)
    return found


def _adherence(trace: Any, plan: Any, model: Any, require: Any) -> Adherence:
    __tracebackhide__ = True
    from validator.adherence import adhere
    from validator.adherence.requirements import met, required
    from validator.adherence.text import adherence_text

    found = adhere(plan, trace, model=model)
    result = met(found, required(require, with_model=model is not None))
    if result.holds is not True:
        parts = (adherence_text(found), found.diff_text if found.plan is not None else "", f"{result.said}.")
        pytest.fail("\n".join(filter(None, parts)), pytrace=False)
    return found


# --- verdicts that stay the same -----------------------------------------------------------------


@pytest.fixture
def same_verdict(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """Return ``same_verdict(result)``: fail where the verdict on a result is not the one that was kept."""
    path = Path(request.path).parent / _FOLDER / f"{Path(request.path).stem}.json"
    is_update = request.config.getoption("--update-verdicts")
    asked = iter(range(10**6))

    def compare(result: Any) -> None:
        __tracebackhide__ = True
        name, verdict = f"{request.node.name} {next(asked)}", _verdict(result)
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if is_update:
            path.parent.mkdir(exist_ok=True)
            text = json.dumps({**kept, name: verdict}, indent=1, sort_keys=True, ensure_ascii=False)
            path.write_text(f"{text}\n", encoding="utf-8")
        elif name not in kept:
            pytest.fail(f"no verdict is kept for '{name}'; keep this one: pytest --update-verdicts", pytrace=False)
        elif kept[name] != verdict:
            pytest.fail("\n".join(("the verdict is not the one that was kept", *_lines(kept[name], verdict))), False)

    return compare


_KEPT = (
    *("determination", "report_type", "cost", "kept", "outcome", "score", "accomplished"),
    *("reference", "plan_diff_str", "diff", "calls", "rules"),
)
"""What of a result is its verdict; times and texts that may be worded otherwise are not."""


def _verdict(result: Any) -> dict[str, Any]:
    value = result.to_json()
    kept: dict[str, Any] = json.loads(json.dumps({key: value[key] for key in _KEPT if key in value}, default=str))
    return kept


def _lines(kept: dict[str, Any], found: dict[str, Any]) -> list[str]:
    from difflib import unified_diff

    before, after = (json.dumps(each, indent=1, sort_keys=True, ensure_ascii=False) for each in (kept, found))
    return list(unified_diff(before.splitlines(), after.splitlines(), "kept", "found", lineterm="", n=1))
