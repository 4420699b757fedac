"""Plans of PDDL models: to check, to repair, to read, to find and to compare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from validator.mcp.shapes import Check, Compared, Followed, Shown, Solution
from validator.mcp.told import check_value
from validator.mcp.tools.declared import tool_of
from validator.questions import check as questions
from validator.questions import planning
from validator.questions.comparison import Metrics, compared
from validator.questions.job import Job, plan_text
from validator.questions.question import Use
from validator.questions.reading import Reading, beside_of, traces_of
from validator.questions.under_way import UnderWay

if TYPE_CHECKING:
    from validator.metrics import Comparison

__all__ = ["check_flow", "check_plan", "compare_plans", "follow_plan", "read", "repair_plan", "solve"]


def _check(asked: questions.Check, job: Job) -> Check:
    return check_value(questions.check(asked, job))


def _follow(asked: UnderWay, job: Job) -> Mapping[str, Any]:
    from validator.service.operations.checks import judge_rest

    return judge_rest(asked, job)


_PLANS = frozenset((Use.PDDL,))
check_plan = tool_of(
    questions.Check,
    _check,
    Check,
    """Check a plan of a PDDL model: say whether it has a quality, and every fault with its step and the reason.

    What could not be read is no fault: 'reading' tells each piece that was not understood.
    """,
    uses=_PLANS,
    needed=("domain", "problem"),
    settled={"repair": False},
    hidden=("flow", "policy", "executed", "state", "changes", "state_complete", "explain"),
)
repair_plan = tool_of(
    questions.Check,
    _check,
    Check,
    "Check a plan of a PDDL model, and return the nearest plan that has the quality, also as a diff.",
    uses=_PLANS,
    needed=("domain", "problem"),
    settled={"repair": True},
    hidden=("flow", "executed", "state", "changes", "state_complete"),
)
check_flow = tool_of(
    questions.Check,
    _check,
    Check,
    "Check a plan of a flow, which is a catalog of operators with a goal, and repair it.",
    uses=frozenset((Use.FLOW,)),
    needed=("flow",),
    hidden=("domain", "problem"),
)
follow_plan = tool_of(
    UnderWay,
    _follow,
    Followed,
    "Judge what is left of a plan under way from what holds now: whether a surprise matters, and the nearest rest.",
    uses=frozenset((Use.REST, Use.STREAM)),
    needed=("domain", "problem"),
    hidden=("flow",),
)


def _read(asked: Reading, job: Job) -> Mapping[str, Any]:
    from validator.render.beside import beside_text, beside_value
    from validator.render.traces import traces_text, traces_value

    if traces := traces_of(asked, job):
        return {"feedback": traces_text(traces), **traces_value(plan_text(asked.text), traces)}
    found = beside_of(asked, job)
    return {"feedback": beside_text(found), **beside_value(found), "traces": []}


read = tool_of(
    Reading,
    _read,
    Shown,
    """Show a text beside the steps that are read of it: what was not understood, what was passed over and why.

    Of a trace of tool calls, which takes no model, the calls, what came of each, and the plan that is stated.
    """,
)


def _solve(asked: planning.Plans, job: Job) -> Mapping[str, Any]:
    found = planning.solve(asked, job)
    best: Mapping[str, Any] = found["plans"][0] if found["plans"] else {"cost": None, "steps": None}
    shown = {name: found[name] for name in ("status", "proven", "lower_bound")}
    return {"feedback": _solution_text(found, best), **shown, "cost": best["cost"], "plan": best["steps"]}


def _solution_text(found: Mapping[str, Any], best: Mapping[str, Any]) -> str:
    if best["steps"] is None:
        return "There is no plan (proven).\n" if found["proven"] else f"No plan was found: {found['reason']}.\n"
    least = found["reason"] if found["lower_bound"] is None else f"at least {found['lower_bound']}"
    proof = "proven cheapest" if found["proven"] else f"not proven cheapest: {least}"
    return "\n".join((f"A plan of cost {best['cost']} ({proof}):", *best["steps"])) + "\n"


solve = tool_of(
    planning.Plans,
    _solve,
    Solution,
    "Find a cheapest plan of a PDDL model, or prove that there is none.",
    needed=("domain", "problem"),
    hidden=("flow",),
)


def _compare(asked: Metrics, job: Job) -> Mapping[str, Any]:
    found = compared(asked)
    return {"feedback": "".join(_likeness(found)), **found.to_json()}


compare_plans = tool_of(
    Metrics, _compare, Compared, "Tell how alike plans are; with a PDDL model, also whether they do the same."
)


def _likeness(found: Comparison) -> Iterator[str]:
    for pair in found.pairs:
        scores = (f"{name} {_score(score.value)}" for name, score in pair.scores.items())
        yield f"Plans {pair.generated + 1} and {pair.reference + 1}: {', '.join(scores)}\n"


def _score(value: float | None) -> str:
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.4g}"
