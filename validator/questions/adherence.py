"""How far do executed calls follow a plan?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from validator.adherence.values import FailedCalls
from validator.questions.job import Job, Value
from validator.questions.models import some_model
from validator.questions.question import HTTP_ONLY, Question, option, question
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.adherence import Adherence as Result
    from validator.adherence.requirements import Met

__all__ = ["Adherence", "adhered", "adherence", "adherence_page"]


@question
class Adherence(Question):
    """A trace of executed calls, and the plan that they were to follow."""

    trace: str | dict[str, Any] | list[Any] = option(
        "executed calls as JSON, or as a text of JSON, or JSON a line: messages, spans, or records of calls"
    )
    plan: str | list[Any] | None = option(
        "the plan, a step a line or a list of steps; default: the one that the trace states", default=None
    )
    domain: str | None = option("PDDL domain: the calls are executed as well", default=None)
    problem: str | None = option("PDDL problem; with domain", default=None)
    failed_calls: FailedCalls = option(
        "fold a failed call into the one that is made again at once, count it, or drop all that failed",
        default=FailedCalls.FOLD,
        faces=HTTP_ONLY,
    )
    require: tuple[str, ...] | None = option(
        "what has to be so, of plan, followed, sound, goal, no-harm; default: followed, and with a model "
        "sound and goal as well",
        default=None,
    )
    read_only: tuple[str, ...] | None = option(
        "the tools that change nothing; default: as declared, by the model, or by their names",
        default=None,
        faces=HTTP_ONLY,
    )
    templates: dict[str, Any] | str | None = option(
        "how the plan says the model in words: {actions: {stack: 'stack the {} on the {}'}, objects: {a: red "
        "block}}, or as YAML",
        default=None,
    )


def adhered(request: Adherence, job: Job) -> tuple[Result, Met]:
    """Return how far calls follow a plan, and whether what is required is so."""
    from validator.adherence.requirements import met, required

    needed = required(request.require, with_model=request.domain is not None)
    found = _adhered(request, job)
    return found, met(found, needed)


def adherence(request: Adherence, job: Job) -> Value:
    found, needed = adhered(request, job)
    return {**found.to_json(), "required": needed.to_json()}


def adherence_page(request: Adherence, job: Job) -> Value:
    from validator.adherence.text import adherence_html

    return {"html": adherence_html(_adhered(request, job))}


def _adhered(request: Adherence, job: Job) -> Result:
    from validator.adherence import adhere, read_trace
    from validator.reading.traces.read import trace_value

    seconds = job.seconds(request)
    model = some_model(request.domain, request.problem, request.templates)
    if model is not None:
        job.planner()
    trace = trace_value(request.trace, "<trace>") if isinstance(request.trace, str) else request.trace
    plan = request.plan
    if isinstance(plan, str):
        plan = no_path(plan)
    recording = read_trace(trace)  # type: ignore[arg-type]
    choices: Any = {"failed_calls": request.failed_calls, "read_only": request.read_only}
    return adhere(plan, recording, model=model, time_limit=seconds, **choices)
