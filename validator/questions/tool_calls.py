"""Would tool calls run, and which steps of a plan are superfluous?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from validator.checking.report import Report
from validator.errors import ModelError
from validator.questions.job import Job, Lines, NeedsPlannerError, PlanText, Value, names_of, plan_of
from validator.questions.models import OfModel, Text, model_of, templates_option
from validator.questions.question import MODEL, Question, option, question

if TYPE_CHECKING:
    from validator.checking.explain import Redundancy as Redundant
    from validator.reading.plan import Plan


@question
class ToolCalls(Question):
    """Tool calls that a language model made up, and the tools."""

    tools: list[dict[str, Any]] | dict[str, Any] | str = option(
        "tool specifications", details="as any provider writes them; or a text of JSON or YAML", faces=MODEL
    )
    calls: list[dict[str, Any]] | dict[str, Any] | str = option(
        "calls {name, arguments, label}, or a text [f(x=1)]; '$label.output$' is an earlier result",
        details="in any form, such as a message of a model",
        faces=MODEL,
    )
    goals: Lines = option(
        "tools that must be called, or outputs TOOL.OUTPUT to be known",
        default=(),
        many=True,
        metavar="NAME",
        was=("goal",),
    )
    repair: bool = option(
        "look for the nearest list of calls that would run", default=True, off="decide only, without a repair"
    )


@question
class Redundancy(OfModel):
    """A valid plan of which steps may be superfluous."""

    plan: PlanText = option("a valid plan", faces=MODEL)
    templates: dict[str, Any] | Text | None = templates_option()


def check_redundancy(request: Redundancy, job: Job) -> Value:
    _, found = redundancy(request, job)
    return {"steps": list(found.steps), "proven": found.proven, "reason": found.reason}


def redundancy(request: Redundancy, job: Job) -> tuple[Plan, Redundant]:
    """Return a plan, and which of its steps are superfluous."""
    from validator.checking.explain import redundant_steps

    seconds = job.seconds(request)
    model = model_of(request.domain, request.problem, request.templates)
    plan = plan_of(request.plan, model, None, job.bounds)
    job.planner()
    return plan, redundant_steps(model, plan, time_limit=seconds, memory_limit=job.bounds.memory_limit)


def check_tool_calls(request: ToolCalls, job: Job) -> Value:
    report = checked_calls(request, job)
    return {**report.to_json(), "feedback": report.feedback()}


def checked_calls(request: ToolCalls, job: Job) -> Report:
    """Return the report on calls; NeedsPlannerError where a repair is to be looked for and may not be."""
    from validator.flow.tools.check import check_tool_calls

    seconds = job.seconds(request)
    asks = request.repair and not job.with_planner
    report = check_tool_calls(
        _document(request.tools) if isinstance(request.tools, str) else request.tools,
        request.calls,
        goals=names_of(request.goals),
        repair=request.repair and not asks,
        time_limit=seconds,
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    return report


def _document(text: str) -> Any:
    """Return the tools of a text. Raises ModelError for anything but a list or an object."""
    from validator.flow.definition.reader import document_of

    found = document_of(text, "tools")
    if not isinstance(found, list | dict):
        raise ModelError("a JSON or YAML list of tools was expected", source="<tools>")
    return found
