"""How far do executed calls follow a plan?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from validator.adherence.values import FailedCalls
from validator.questions.job import Job, Lines, Value, names_of
from validator.questions.models import OfModel, Text, some_model, templates_option
from validator.questions.question import COMMAND_ONLY, MODEL, option, question
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.adherence import Adherence as Result
    from validator.adherence.requirements import Met


@question
class Adherence(OfModel):
    """A trace of executed calls, and the plan that they were to follow."""

    trace: str | dict[str, Any] | list[Any] = option(
        "executed calls: messages, spans, or records of calls",
        details="as JSON, as JSON lines, or as a text with calls; with domain and problem they are executed as well",
        faces=MODEL,
    )
    plan: str | list[Any] | None = option(
        "a text, or a list of steps; default: the plan that the trace states", default=None, faces=MODEL
    )
    failed_calls: FailedCalls = option(
        "fold a failed call into the retry right after it, count it, or drop all failed calls",
        default=FailedCalls.FOLD,
        faces=COMMAND_ONLY,
        choices=FailedCalls,
    )
    require: Lines | None = option(
        "what exit code 0 requires: plan, followed, sound, goal, no-harm",
        details="default: followed, and with a model sound and goal as well",
        default=None,
        many=True,
        metavar="NAME,...",
    )
    read_only: Lines | None = option(
        "the tools that change nothing",
        details="unplanned calls of them cost nothing; default: as declared, by the model, or by their names",
        default=None,
        faces=COMMAND_ONLY,
        many=True,
        metavar="TOOL,...",
    )
    templates: dict[str, Any] | Text | None = templates_option()


def adhered(request: Adherence, job: Job) -> tuple[Result, Met]:
    """Return how far calls follow a plan, and whether what is required is so."""
    from validator.adherence.requirements import met, required

    wanted = None if request.require is None else names_of(request.require)
    needed = required(wanted, with_model=request.domain is not None)
    found = _adhered(request, job)
    return found, met(found, needed)


def adherence(request: Adherence, job: Job) -> Value:
    found, needed = adhered(request, job)
    return {**found.to_json(), "required": needed.to_json()}


def _adhered(request: Adherence, job: Job) -> Result:
    from validator.adherence import adhere, read_trace
    from validator.reading.traces.read import trace_value

    seconds = job.seconds(request)
    model = some_model(request.domain, request.problem, request.templates)
    if model is not None:
        job.planner()
    trace: Any = trace_value(request.trace, "<trace>") if isinstance(request.trace, str) else request.trace
    plan = request.plan
    if isinstance(plan, str):
        plan = no_path(plan)
    recording = read_trace(trace)
    read_only = None if request.read_only is None else names_of(request.read_only)
    choices: Any = {"failed_calls": request.failed_calls, "read_only": read_only}
    return adhere(plan, recording, model=model, time_limit=seconds, **choices)
