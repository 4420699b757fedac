"""The operations that check plans: of models, of flows, of tool calls, of a batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from validator.checking.report import Quality, Report
from validator.grounding.limits import Status
from validator.questions.check import Check, check, plain_model
from validator.questions.job import Job, Value
from validator.questions.question import FieldError, Question, option, question
from validator.reading.lexicon import is_template_text

_LIMITS = frozenset((Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.INTERRUPTED))


def validate(request: Check, job: Job) -> Value:
    if request.animation is not None:
        raise FieldError("animation", "pictures are for pages: check --format html, and the workbench")
    report = check(request, job)
    return {**_value(report), **_states(request, report)}


def _value(report: Report) -> Value:
    return {**report.to_json(), "feedback": report.feedback()}


def _states(request: Check, report: Report) -> Value:
    """Return the execution of a plan of a PDDL model, where it is asked for."""
    if request.flow is not None or not request.states:
        return {}
    from validator.render.states import execution_value

    model = plain_model(request)
    return {} if model is None else execution_value(model.simulator, report)


def unknown_validation(request: Check, reason: str) -> Value:
    return _value(Report(report_type=request.quality, determination=None, reason=reason))


def is_final_validation(value: Value) -> bool:
    is_decided = value["determination"] is not None or not value["is_understood"]
    return is_decided and value["planner_response"]["status"] not in _LIMITS


# --- plans under way -----------------------------------------------------------------------------


def judge_rest(request: Check, job: Job) -> Value:
    """Judge the rest of a plan from where it is now."""
    if request.repair:
        job.planner()
    found = check(request, job)
    return {"feedback": found.feedback(), "report": found.to_json()}


def is_final_rest(value: Value) -> bool:
    """Return whether the same request would get the same answer: nothing was left open for want of time."""
    return is_final_validation(value["report"])


# --- records of a batch ----------------------------------------------------------------------------


@question
class Record(Question):
    """A record of a batch: a line of JSON with ``domain``, ``problem`` and ``plan`` as texts."""

    line: str = option("a line of JSON")
    number: int = option("its number, from 1")


def check_record(request: Record, job: Job) -> Value:
    """Check one record of a batch; whatever is wrong with it is its result, the line under ``line``."""
    from validator.grading.batch.records import BadRecord, is_text, record_in
    from validator.grading.batch.worker import Settings, error_line, grade

    record: Any = record_in(request.line.encode("utf-8", "surrogatepass"), request.number, None)
    if isinstance(record, BadRecord):
        return {"line": error_line(record, "record", record.message)}
    if not is_text(record.domain) or not is_text(record.problem):
        return {"line": error_line(record, "record", "'domain' and 'problem' are PDDL texts here, not paths")}
    if not is_template_text(record.options.get("templates") or "a: b\n"):
        return {"line": error_line(record, "record", "'templates' are a text or an object here, not a path")}
    limit = job.bounds.time_limit
    options = {**record.options, "time_limit": min(limit, record.options.get("time_limit", limit))}
    options["memory_limit"] = min(job.bounds.memory_limit, record.options.get("memory_limit", job.bounds.memory_limit))
    job.planner()
    [line] = grade([replace(record, plan_path="", options=options)], Settings(time_limit=limit))
    return {"line": line}


def is_plain(request: Check) -> bool:
    return request.quality is not Quality.OPTIMAL
