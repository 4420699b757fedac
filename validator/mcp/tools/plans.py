"""Plans of PDDL models: to check, to repair, to read, to find and to compare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from validator.errors import PlanError
from validator.mcp.shapes import (
    Check,
    Compared,
    Dialects,
    DomainText,
    Followed,
    ProblemText,
    Seconds,
    Shown,
    Solution,
    SomeDomain,
    SomeProblem,
    Strict,
    Words,
)
from validator.mcp.told import check_value
from validator.mcp.tools.asked import tool_of
from validator.questions import check as questions
from validator.questions.given import model_of, some_model
from validator.questions.job import Bounds, Job, plan_text
from validator.questions.question import Use
from validator.questions.under_way import UnderWay

if TYPE_CHECKING:
    from validator.checking.solve import Solution as Found
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
    hidden=("domain", "problem", "executed", "state"),
)
follow_plan = tool_of(
    UnderWay,
    _follow,
    Followed,
    "Judge what is left of a plan under way from what holds now: whether a surprise matters, and the nearest rest.",
    uses=frozenset((Use.REST, Use.STREAM)),
)


def read(
    bounds: Bounds,
    text: Annotated[
        str | list[Any] | dict[str, Any],
        "a text in which a plan is said, such as the answer of a language model; or the trace of an agent",
    ],
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    dialect: Dialects = None,
    strict: Strict = False,
    templates: Words = None,
    time_limit: Seconds = None,
) -> Shown:
    """Show a text beside the steps that are read of it: what was not understood, what was passed over and why.

    Of a trace of tool calls, which takes no model, the calls, what came of each, and the plan that is stated.
    """
    from validator.checking.check import reading_in
    from validator.reading.beside import beside
    from validator.reading.plan import Dialect
    from validator.reading.tokens import read as read_text
    from validator.reading.traces.read import traces_in
    from validator.render.beside import beside_text, beside_value
    from validator.render.traces import traces_text, traces_value

    bounds.seconds(time_limit)
    model = some_model(domain, problem, templates)
    said = plan_text(text)
    if model is None and dialect is None and (traces := traces_in(said)):
        return {"feedback": traces_text(traces), **traces_value(said, traces)}  # type: ignore[typeddict-item]
    vocabulary = None if model is None else model.vocabulary
    reading = read_text(said, vocabulary, None if dialect is None else Dialect(dialect), strict=strict)
    found = beside(reading if model is None else reading_in(model, reading), vocabulary)
    return {"feedback": beside_text(found), **beside_value(found), "traces": []}  # type: ignore[typeddict-item]


def solve(bounds: Bounds, domain: DomainText, problem: ProblemText, time_limit: Seconds = None) -> Solution:
    """Find a cheapest plan of a PDDL model, or prove that there is none."""
    from validator.checking.solve import solve as solve_model

    found = solve_model(
        model_of(domain, problem), time_limit=bounds.seconds(time_limit), memory_limit=bounds.memory_limit
    )
    return {
        "feedback": _solution_text(found),
        "status": found.status,
        "proven": found.proven,
        "lower_bound": None if found.lower_bound is None else float(found.lower_bound),
        "cost": None if found.cost is None else float(found.cost),
        "plan": None if found.plan is None else list(map(str, found.plan)),
    }


def _solution_text(found: Found) -> str:
    if found.plan is None or found.cost is None:
        return "There is no plan (proven).\n" if found.proven else f"No plan was found: {found.reason}.\n"
    least = found.reason if found.lower_bound is None else f"at least {float(found.lower_bound):g}"
    proof = "proven cheapest" if found.proven else f"not proven cheapest: {least}"
    head = f"A plan of cost {float(found.cost):g} ({proof}):"
    return "\n".join((head, *map(str, found.plan))) + "\n"


def compare_plans(
    bounds: Bounds,
    plans: Annotated[
        list[str | list[Any]], "two plans or more, each a text or a list of steps; each is compared with each later one"
    ],
    domain: SomeDomain = None,
    problem: SomeProblem = None,
    metrics: Annotated[list[str] | None, "names of metrics; default: all that can be computed"] = None,
) -> Compared:
    """Tell how alike plans are; with a PDDL model, also whether they do the same."""
    from validator.metrics.compare import compare

    if len(plans) > _MOST_PLANS:
        raise PlanError(f"at most {_MOST_PLANS} plans are compared at once, not {len(plans)}")
    found = compare(list(map(plan_text, plans)), some_model(domain, problem), metrics=metrics)
    value = found.to_json()
    return {"feedback": "".join(_likeness(found)), **value}  # type: ignore[typeddict-item]


_MOST_PLANS = 50


def _likeness(found: Comparison) -> Iterator[str]:
    for pair in found.pairs:
        scores = (f"{name} {_score(score.value)}" for name, score in pair.scores.items())
        yield f"Plans {pair.generated + 1} and {pair.reference + 1}: {', '.join(scores)}\n"


def _score(value: float | None) -> str:
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else f"{value:.4g}"
