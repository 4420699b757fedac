"""Would tool calls run, and which steps of a plan are superfluous?"""

from __future__ import annotations

from typing import Any

from validator.checking.report import Report
from validator.questions.job import Job, NeedsPlannerError, PlanText, Value, plan_of
from validator.questions.models import model_of
from validator.questions.question import Question, option, question

__all__ = ["Redundancy", "ToolCalls", "check_redundancy", "check_tool_calls", "checked_calls"]


@question
class ToolCalls(Question):
    """Tool calls that a language model made up, and the tools."""

    tools: list[dict[str, Any]] | dict[str, Any] = option("tool specifications, as any provider writes them")
    calls: list[dict[str, Any]] | dict[str, Any] | str = option(
        "calls in any form, such as {name, arguments, label}, a message, or a text [f(x=1)]; "
        "'$label.output$' is an earlier result"
    )
    goals: tuple[str, ...] = option("tools to be called, or outputs TOOL.OUTPUT to be known at the end", default=())
    repair: bool = option("look for the nearest list of calls that would run", default=True)


@question
class Redundancy(Question):
    """A valid plan of which steps may be superfluous."""

    domain: str = option("PDDL domain, as text")
    problem: str = option("PDDL problem, as text")
    plan: PlanText = option("a valid plan")
    templates: dict[str, Any] | str | None = option(
        "how the plan says the model in words: {actions: {stack: 'stack the {} on the {}'}, objects: {a: red "
        "block}}, or as YAML",
        default=None,
    )


def check_redundancy(request: Redundancy, job: Job) -> Value:
    from validator.checking.about.redundant import redundant_steps

    seconds = job.seconds(request)
    model = model_of(request.domain, request.problem, request.templates)
    plan = plan_of(request.plan, model, None, job.bounds)
    job.planner()
    found = redundant_steps(model, plan, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    return {"steps": list(found.steps), "proven": found.proven, "reason": found.reason}


def check_tool_calls(request: ToolCalls, job: Job) -> Value:
    report = checked_calls(request, job)
    return {**report.to_json(), "feedback": report.feedback()}


def checked_calls(request: ToolCalls, job: Job) -> Report:
    """Return the report on calls; NeedsPlannerError where a repair is to be looked for and may not be."""
    from validator.flow.tools.check import check_tool_calls

    seconds = job.seconds(request)
    asks = request.repair and not job.with_planner
    report = check_tool_calls(
        request.tools,
        request.calls,
        goals=request.goals,
        repair=request.repair and not asks,
        time_limit=seconds,
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    return report
