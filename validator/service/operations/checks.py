"""The operations that check plans: of models, of flows, of tool calls, of a batch."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from validator.checking.check import check
from validator.checking.prepared import Prepared
from validator.checking.report import Quality, Report
from validator.errors import ModelError, PlanError
from validator.grounding.limits import Status
from validator.reading.lexicon import is_template_text
from validator.reading.plan import Plan
from validator.render.states import execution_value
from validator.service.given import epsilon_of, flow_of, model_of, one_model
from validator.service.operations import requests
from validator.service.operations.asked import (
    Job,
    NeedsPlannerError,
    Value,
    bounded,
    is_claim,
    plan_of,
    plan_text,
)
from validator.texts import no_path, parse_json

__all__ = [
    "check_page",
    "check_record",
    "check_redundancy",
    "check_tool_calls_of",
    "is_final_rest",
    "is_final_validation",
    "is_plain",
    "under_way",
    "unknown_validation",
    "validate",
]

_LIMITS = frozenset((Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.INTERRUPTED))


def validate(request: requests.Validation, job: Job) -> Value:
    return _validated(request, job)[1]


def check_page(request: requests.Validation, job: Job) -> Value:
    """Check a plan for the page, which shows the course of a plan over time, and offers the findings as SARIF."""
    from validator.render.tools.findings import Source
    from validator.render.tools.sarif import report_sarif

    report, value = _validated(request, job, for_page=True)
    return {**value, "sarif": report_sarif(report, Source(name="plan.txt", text=plan_text(request.plan)))}


def _validated(request: requests.Validation, job: Job, *, for_page: bool = False) -> tuple[Report, Value]:
    one_model(request.domain, request.problem, request.flow)
    report, more = _of_flow(request, job) if request.flow is not None else _of_model(request, job, for_page)
    return report, {**report.to_json(), "feedback": report.feedback(), **more}


def _of_model(request: requests.Validation, job: Job, for_page: bool) -> tuple[Report, Value]:
    seconds = job.seconds(request)
    model = model_of(request.domain, request.problem, request.templates)
    plan = plan_of(request.plan, model, request.dialect, job.bounds, strict=request.strict)
    asks = request.repair and request.quality is not Quality.OPTIMAL and not job.with_planner
    if request.quality is Quality.OPTIMAL or (is_claim(plan) and request.quality is Quality.VALID):
        job.planner()  # whether there is a plan, or a cheaper one, is not told by execution
    report = check(
        model,
        None,
        plan,
        quality=request.quality,
        policy=request.policy,
        strict=request.strict,
        repair=request.repair and not asks,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
        context=request.context,
        epsilon=epsilon_of(request.epsilon),
        tolerance=epsilon_of(request.tolerance, "tolerance"),
        trace=request.trace or (for_page and bool(model.model.features)),
        progress=lambda lower, best: job.progress({"lower_bound": lower, "best_cost": best}),
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    if request.explain:
        from validator.checking.about.explain import explain

        report = replace(report, explanations=explain(model, report))
    more = execution_value(model.simulator, report) if request.states else {}
    if for_page and report.reading is not None:
        from validator.reading.beside import beside
        from validator.render.beside import beside_value

        more["read"] = beside_value(beside(report.reading, model.vocabulary))
        if not report.is_understood:
            from validator.reading.lexicon.say import draft_templates

            more["words"] = draft_templates(model.model)
    return report, more


def _of_flow(request: requests.Validation, job: Job) -> tuple[Report, Value]:
    from validator.flow.check import check_flow

    for name in ("dialect", "explain", "states", "context", "epsilon", "tolerance", "trace", "templates"):
        if getattr(request, name):
            raise ValueError(f"'{name}' is for PDDL models, and this is a flow")
    plan = request.plan if isinstance(request.plan, str) else list(request.plan)
    bounded(plan.count("\n") if isinstance(plan, str) else len(plan), job.bounds)
    seconds = job.seconds(request)
    if request.quality is Quality.OPTIMAL:
        job.planner()
    asks = request.repair and not job.with_planner
    report = check_flow(
        flow_of(request.flow),
        plan,
        quality=request.quality,
        policy=request.policy,
        strict=request.strict,
        repair=request.repair and not asks,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
        progress=lambda lower, best: job.progress({"lower_bound": lower, "best_cost": best}),
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    return report, {}


def unknown_validation(request: requests.Validation, reason: str) -> Value:
    report = Report(report_type=request.quality, determination=None, reason=reason)
    return {**report.to_json(), "feedback": report.feedback()}


def is_final_validation(value: Value) -> bool:
    is_decided = value["determination"] is not None or not value["is_understood"]
    return is_decided and value["planner_response"]["status"] not in _LIMITS


# --- plans under way -----------------------------------------------------------------------------


def under_way(request: requests.UnderWay, job: Job) -> Value:
    """Judge the rest of a plan from where it is now, or follow a stream of what happens."""
    one_model(request.domain, request.problem, request.flow)
    if request.events is not None:
        return _stream(request, job)
    if request.repair or request.quality is Quality.OPTIMAL:
        job.planner()
    report = _rest_of_flow(request, job) if request.flow is not None else _rest(request, job)
    return {"feedback": report.feedback(), "report": report.to_json(), "events": None}


def _rest(request: requests.UnderWay, job: Job) -> Report:
    from validator.checking.monitor import check_rest

    model, plan = _plan_under_way(request, job)
    if isinstance(request.state, dict):
        raise ModelError("'state' is a text of facts; an object goes with a flow")
    return check_rest(
        model,
        plan,
        executed=request.executed,
        state=None if request.state is None else no_path(request.state),
        is_complete=request.state_complete,
        changes=None if request.changes is None else no_path(request.changes),
        quality=request.quality,
        policy=request.policy,
        repair=request.repair,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def _plan_under_way(request: requests.UnderWay, job: Job) -> tuple[Prepared, Plan]:
    model = model_of(request.domain, request.problem, request.templates)
    return model, plan_of(request.plan, model, None, job.bounds, strict=request.strict)


def _rest_of_flow(request: requests.UnderWay, job: Job) -> Report:
    from validator.flow.check import check_flow
    from validator.flow.plans.state import read_flow_state

    for name in ("changes", "state_complete", "templates"):
        if getattr(request, name):
            raise ValueError(f"'{name}' is for PDDL models, and this is a flow")
    flow, state = flow_of(request.flow), request.state
    document = parse_json(state, "<state>", ModelError) if isinstance(state, str) else state
    plan = plan_text(request.plan)
    bounded(plan.count("\n"), job.bounds)
    return check_flow(
        flow,
        no_path(plan),
        executed=request.executed,
        state=None if document is None else read_flow_state(document, flow, "<state>"),
        quality=request.quality,
        policy=request.policy,
        repair=request.repair,
        strict=request.strict,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def _stream(request: requests.UnderWay, job: Job) -> Value:
    """Follow what happens; each repair has what is left of the time."""
    from validator.checking.under_way.follow import Follower
    from validator.checking.under_way.stream import event_line, event_value, events
    from validator.reading.understood import unclear

    if request.flow is not None or request.executed or request.state is not None or request.changes is not None:
        raise ValueError("'events' are for PDDL models, and go without 'executed', 'state' and 'changes'")
    if request.quality is not Quality.VALID or request.state_complete:
        raise ValueError("'events' are answered with whether the rest is valid, and go without 'state_complete'")
    if request.repair:
        job.planner()
    model, plan = _plan_under_way(request, job)
    if why := unclear(plan):
        raise PlanError(why)
    until = time.monotonic() + job.seconds(request)

    def repair(here: Prepared, rest: Plan) -> Report:
        left, memory = max(0.01, until - time.monotonic()), job.bounds.memory_limit
        return check(here, None, rest, policy=request.policy, time_limit=left, memory_limit=memory)

    follower = Follower(model, plan.tokens, repair if request.repair else None)
    found = list(events(follower, model, request.events or ()))
    feedback = "".join(f"{event_line(one)}\n" for one in found)
    return {"feedback": feedback, "report": None, "events": list(map(event_value, found))}


def is_final_rest(value: Value) -> bool:
    """Return whether the same request would get the same answer: nothing was left open for want of time."""
    return value["report"] is not None and is_final_validation(value["report"])


# --- what else can be said of plans --------------------------------------------------------------


def check_redundancy(request: requests.Redundancy, job: Job) -> Value:
    from validator.checking.about.redundant import redundant_steps

    seconds = job.seconds(request)
    model = model_of(request.domain, request.problem, request.templates)
    plan = plan_of(request.plan, model, None, job.bounds)
    job.planner()
    found = redundant_steps(model, plan, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    return {"steps": list(found.steps), "proven": found.proven, "reason": found.reason}


def check_tool_calls_of(request: requests.ToolCalls, job: Job) -> Value:
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
    return {**report.to_json(), "feedback": report.feedback()}


def check_record(request: requests.Record, job: Job) -> Value:
    """Check one record of a batch; whatever is wrong with it is its result, the line under ``line``."""
    from validator.grading.batch.records import BadRecord, is_text, record_of
    from validator.grading.batch.work import Settings, error_line, grade

    try:
        value = json.loads(request.line)
    except (ValueError, RecursionError) as error:
        value = None
        said = f"not JSON: {error}"
    if not isinstance(value, dict):
        said = said if value is None else "a JSON object was expected"
        record: Any = BadRecord(line=request.number, id=f"line:{request.number}", message=said)
    else:
        record = record_of(value, request.number, None)
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
    work = grade([replace(record, plan_path="", options=options)], Settings(time_limit=limit))
    return {"line": work.lines[0]}


def is_plain(request: requests.Validation) -> bool:
    return request.quality is not Quality.OPTIMAL
