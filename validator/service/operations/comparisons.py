"""The operations that compare: plans with plans, executed calls with a plan."""

from __future__ import annotations

from typing import Any

from validator.errors import PlanError
from validator.questions.given import some_model
from validator.questions.job import Job, Value
from validator.reading.plan import Token
from validator.reading.tokens import tokenize
from validator.service.operations import requests
from validator.texts import no_path

__all__ = ["adherence", "adherence_page", "compare_plans", "diff"]


def adherence(request: requests.Adherence, job: Job) -> Value:
    from validator.adherence.requirements import met, required

    needed = required(request.require, with_model=request.domain is not None)
    found = _adhered(request, job)
    return {**found.to_json(), "required": met(found, needed).to_json()}


def adherence_page(request: requests.Adherence, job: Job) -> Value:
    from validator.adherence.text import adherence_html

    return {"html": adherence_html(_adhered(request, job))}


def _adhered(request: requests.Adherence, job: Job) -> Any:
    from validator.adherence import adhere, read_trace
    from validator.reading.traces.read import trace_value

    seconds = job.seconds(request)
    model = some_model(request.domain, request.problem, request.templates)
    if model is not None:
        job.planner()
    trace = trace_value(request.trace) if isinstance(request.trace, str) else request.trace
    plan = request.plan
    if isinstance(plan, str):
        plan = no_path(plan)
    recording = read_trace(trace)  # type: ignore[arg-type]
    choices: Any = {"failed_calls": request.failed_calls, "read_only": request.read_only}
    return adhere(plan, recording, model=model, time_limit=seconds, **choices)


def compare_plans(request: requests.Metrics, job: Job) -> Value:
    from validator.metrics.compare import compare

    if len(request.plans) > 50:
        raise ValueError(f"at most 50 plans are compared at once, not {len(request.plans)}")
    return compare(request.plans, some_model(request.domain, request.problem), metrics=request.metrics).to_json()


def diff(request: requests.Diff, job: Job) -> Value:
    from validator.flow.plans.shape import by_lines
    from validator.repair.diff import apply_diff, unified

    if (request.diff is None) == (request.other is None):
        raise ValueError("one of 'diff' and 'other' is needed, and not both")
    if request.diff is not None:
        steps = apply_diff(request.diff, request.plan)
        return {"plan": list(steps), "diff": request.diff}
    old, new = _lines(request.plan), _lines(request.other or "")
    if len(old) * len(new) > 4_000_000:
        raise PlanError(f"plans of {len(old):,} and {len(new):,} steps are too long for a diff")
    diffs = tuple(by_lines(old, new, str))
    return {"plan": list(map(str, new)), "diff": unified(diffs, after="plan (other)")}


def _lines(text: str) -> list[Token]:
    plan = tokenize(text)
    return list(plan.tokens or plan.unread)
