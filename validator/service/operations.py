"""Everything that the service does: each operation is one function from a request to plain JSON values.

Texts of a client are texts here, never paths. Each function raises as the function of the library that it calls.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from validator.errors import InputError, ModelError, PlanError
from validator.plan import Plan, Token
from validator.planner import Limits, Status
from validator.prepared import Prepared, prepare
from validator.render.json import report_value
from validator.render.states import execution_value
from validator.report import Quality, Report, sentences
from validator.service import requests
from validator.service.requests import PlanText, Request
from validator.service.settings import Bounds
from validator.tokens import tokenize
from validator.validate import check

__all__ = ["OPERATIONS", "NeedsPlannerError", "Operation", "Progress", "operate"]

Value: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]

_LIMITS = frozenset((Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.INTERRUPTED))


class NeedsPlannerError(Exception):
    """What was asked for cannot be answered by execution alone."""


_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of an operation: its limits, whom to tell of progress, whether a planner may be started."""

    bounds: Bounds = _BOUNDS
    progress: Progress = lambda _: None
    with_planner: bool = True

    def seconds(self, request: Request) -> float:
        """Return the time limit of a request. Raises ValueError for one that is not allowed."""
        return self.bounds.seconds(request.time_limit)

    def planner(self) -> None:
        """Say that a planner will be started. Raises NeedsPlannerError where it may not be."""
        if not self.with_planner:
            raise NeedsPlannerError


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """``run`` answers; ``unknown`` is the answer when a limit was met before there was one.

    ``is_final`` says of an answer whether the same request would get it again; ``is_quick`` whether a request may be
    answered without a planner.
    """

    request: type[Request]
    about: str
    run: Callable[[Any, Job], Value]
    is_quick: Callable[[Any], bool] = lambda _: True
    is_final: Callable[[Value], bool] = lambda _: True
    unknown: Callable[[Any, str], Value] | None = None


def operate(
    name: str, value: Mapping[str, Any], *, bounds: Bounds = _BOUNDS, progress: Progress = lambda _: None
) -> Value:
    """Run an operation on a request as plain JSON values, in this process.

    Raises InputError for a request that is none, KeyError for an unknown operation, else as the operation does.
    """
    operation = OPERATIONS[name]
    request = requests.read_request(operation.request, json.dumps(value))
    return operation.run(request, Job(bounds=bounds, progress=progress))


# --- models and plans ----------------------------------------------------------------------------


def _model(domain: str | None, problem: str | None) -> Prepared:
    if domain is None or problem is None:
        raise ModelError(f"'{'domain' if domain is None else 'problem'}' is missing; a model is a domain and a problem")
    return prepare(_pddl(domain, "domain"), _pddl(problem, "problem"))


def _pddl(text: str, kind: str) -> str:
    """Return a text that nothing takes for a path. Raises ModelError for what cannot be PDDL."""
    if "(" not in text:
        raise ModelError(f"'(define ({kind} NAME) ...' was expected", source=kind)
    return text


def _text(plan: PlanText) -> str:
    return plan if isinstance(plan, str) else "\n".join(plan)


def _plan(plan: PlanText, model: Prepared, dialect: Any, bounds: Bounds) -> Plan:
    found = tokenize(_text(plan), model.vocabulary, dialect)
    _bounded(len(found.tokens), bounds)
    return found


def _bounded(steps: int, bounds: Bounds) -> None:
    if steps > bounds.most_steps:
        raise PlanError(f"the plan has {steps:,} steps; the limit is {bounds.most_steps:,}")


def _one_model(request: requests.Validation | requests.Plans) -> None:
    if request.flow is not None and (request.domain is not None or request.problem is not None):
        raise ModelError("'flow' takes the place of 'domain' and 'problem'; both are given")


# --- validations ---------------------------------------------------------------------------------


def _validate(request: requests.Validation, job: Job) -> Value:
    _one_model(request)
    report, more = (_of_flow if request.flow is not None else _of_model)(request, job)
    return {**report_value(report), "feedback": report.feedback(), **more}


def _of_model(request: requests.Validation, job: Job) -> tuple[Report, Value]:
    if request.context is not None and request.context < 0:
        raise ValueError("'context' is a number from 0")
    seconds = job.seconds(request)
    model = _model(request.domain, request.problem)
    plan = _plan(request.plan, model, request.dialect, job.bounds)
    asks = request.repair and request.quality is not Quality.OPTIMAL and not job.with_planner
    if request.quality is Quality.OPTIMAL:
        job.planner()
    report = check(
        model,
        None,
        plan,
        quality=request.quality,
        policy=request.policy,
        repair=request.repair and not asks,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
        context=request.context,
        progress=lambda lower, best: job.progress({"lower_bound": lower, "best_cost": best}),
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    if request.explain:
        from validator.explain import explain

        report = replace(report, explanations=explain(model, report))
    return report, execution_value(model, plan) if request.states else {}


def _of_flow(request: requests.Validation, job: Job) -> tuple[Report, Value]:
    from validator.flow.check import check_flow

    for name in ("dialect", "explain", "states", "context"):
        if getattr(request, name):
            raise ValueError(f"'{name}' is for PDDL models, and this is a flow")
    plan = request.plan if isinstance(request.plan, str) else list(request.plan)
    _bounded(plan.count("\n") if isinstance(plan, str) else len(plan), job.bounds)
    seconds = job.seconds(request)
    if request.quality is Quality.OPTIMAL:
        job.planner()
    asks = request.repair and not job.with_planner
    report = check_flow(
        _flow(request.flow),
        plan,
        quality=request.quality,
        policy=request.policy,
        repair=request.repair and not asks,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
        progress=lambda lower, best: job.progress({"lower_bound": lower, "best_cost": best}),
    )
    if asks and report.determination is False:
        raise NeedsPlannerError
    return report, {}


def _flow(document: object) -> Any:
    from validator.flow.integrity import check_names
    from validator.flow.reader import flow_from_document

    flow = flow_from_document(document)
    check_names(flow)
    return flow


def _unknown_validation(request: requests.Validation, reason: str) -> Value:
    report = Report(report_type=request.quality, determination=None, reason=reason)
    return {**report_value(report), "feedback": report.feedback()}


def _is_final_validation(value: Value) -> bool:
    return value["determination"] is not None and value["planner_response"]["status"] not in _LIMITS


# --- plans ---------------------------------------------------------------------------------------


def _solve(request: requests.Plans, job: Job) -> Value:
    _one_model(request)
    if not 1 <= request.plans <= 100:
        raise ValueError("'plans' is a number from 1 to 100")
    seconds = job.seconds(request)
    if request.flow is not None:
        return _solve_flow(request, job, seconds)
    if request.plans != 1 or request.prefix:
        raise ValueError("'plans' and 'prefix' are for flows")
    model = _model(request.domain, request.problem)
    if model.model.features:
        named = ", ".join(f"{name} ({place})" for name, place in model.model.features.items())
        return _no_plan("unsupported", f"the model uses what is not executed: {named}")
    job.planner()
    limits = Limits(deadline=time.monotonic() + seconds, memory=job.bounds.memory_limit)
    try:
        task = model.task(limits)
    except ValueError as error:
        return _no_plan("unsupported", f"the planner cannot be given the model: {error}")
    if isinstance(task, Status):
        return _no_plan(task.value, f"the {task.value} was met while the model was grounded")
    found = model.optimum(task, None, limits)
    steps = None if found.plan is None else [str(step) for step in found.plan]
    scale, start = task.encoding.scale, model.simulator.initial_cost
    return {
        "status": found.status.value,
        "reason": "" if found.plan is not None or found.is_proven else f"the {found.status.value} was met",
        "proven": found.is_proven,
        "lower_bound": _number(Fraction(found.lower, scale) + start),
        "plans": []
        if steps is None
        else [{"cost": _number(Fraction(found.upper or 0, scale) + start), "steps": steps}],
    }


def _solve_flow(request: requests.Plans, job: Job, seconds: float) -> Value:
    from validator.flow.planning import plan_flow
    from validator.flow.printers import code_like

    job.planner()
    flow = _flow(request.flow)
    found = plan_flow(
        flow, most=request.plans, prefix=request.prefix, time_limit=seconds, memory_limit=job.bounds.memory_limit
    )
    return {
        "status": found.status,
        "reason": "",
        "proven": found.proven,
        "lower_bound": found.lower_bound,
        "plans": [{"cost": plan.cost, "steps": code_like(flow, plan.steps)} for plan in found.plans],
    }


def _no_plan(status: str, reason: str) -> Value:
    return {"status": status, "reason": reason, "proven": False, "lower_bound": 0, "plans": []}


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)


# --- recognition, adherence ----------------------------------------------------------------------


def _recognition_problem(request: requests.Recognition) -> Any:
    from validator.model import Model
    from validator.pddl.write import formula_text
    from validator.recognize.problem import RecognitionProblem
    from validator.recognize.reading import (
        PLACEHOLDER,
        read_goals,
        read_observations,
        read_template,
        read_text_domain,
    )

    domain, names = read_text_domain(_pddl(request.domain, "domain"), "<domain>")
    problem, has_placeholder = read_template(_pddl(request.problem, "problem"), "<problem>", domain)
    if request.goals is None and has_placeholder:
        raise InputError(f"the goal is {PLACEHOLDER}; the candidates for it are needed as 'goals'", source="problem")
    model = Model(domain=domain, problem=problem)
    if request.goals is None:
        goals = read_goals(formula_text(problem.goal, {}), "<problem>", model)
    else:
        goals = read_goals(request.goals, "<goals>", model, *((problem.goal,) if has_placeholder else ()))
    seen = read_observations(request.observations, "<observations>", model, names)
    return RecognitionProblem(
        model=model, hypotheses=goals, observations=seen, action_names=names, warnings=model.warnings
    )


def _recognition_settings(request: requests.Recognition, job: Job) -> Any:
    from validator.recognize.problem import Settings

    return Settings(
        method=request.method,
        posterior=request.posterior,
        order=request.order,
        beta=request.beta,
        discard_cost=Fraction(request.discard_cost).limit_denominator(10**6),
        missing_cost=Fraction(request.missing_cost).limit_denominator(10**6),
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def _recognize(request: requests.Recognition, job: Job) -> Value:
    from validator.recognize import complete, recognize
    from validator.recognize.present import completion_value, recognition_value

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    if len(problem.hypotheses) == 1:
        return {"recognition": None, "completion": completion_value(complete(problem, settings))}
    found = recognize(problem, settings, lambda better: job.progress({"best": list(better.best)}))
    return {"recognition": recognition_value(found), "completion": None}


def _recognition_page(request: requests.Recognition, job: Job) -> Value:
    """Return the page of the posterior over time."""
    from validator.recognize import follow
    from validator.recognize.picture import posterior_page

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    each = replace(settings, time_limit=settings.time_limit / (len(problem.observations) + 1))
    answers = list(follow(replace(problem, observations=()), problem.observations, each))
    return {"html": posterior_page(answers)}


def _adherence(request: requests.Adherence, job: Job) -> Value:
    return _adhered(request, job).to_json()  # type: ignore[no-any-return]


def _adherence_page(request: requests.Adherence, job: Job) -> Value:
    from validator.render.html import adherence_html

    return {"html": adherence_html(_adhered(request, job))}


def _adhered(request: requests.Adherence, job: Job) -> Any:
    from validator.adherence import adhere, read_trace
    from validator.adherence.traces import parse_json

    seconds = job.seconds(request)
    model = None
    if request.domain is not None or request.problem is not None:
        model = _model(request.domain, request.problem)
        job.planner()
    trace = parse_json(request.trace) if isinstance(request.trace, str) else request.trace
    plan = request.plan
    if isinstance(plan, str):
        plan = plan if "\n" in plan else f"{plan}\n"  # never taken for a path
    return adhere(plan, read_trace(trace), model=model, failed_calls=request.failed_calls, time_limit=seconds)  # type: ignore[arg-type]


# --- smaller ones --------------------------------------------------------------------------------


def _compare(request: requests.Metrics, job: Job) -> Value:
    from validator.metrics.compare import compare

    if len(request.plans) > 50:
        raise ValueError(f"at most 50 plans are compared at once, not {len(request.plans)}")
    model = None
    if request.domain is not None or request.problem is not None:
        model = _model(request.domain, request.problem)
    return compare(request.plans, model, metrics=request.metrics).to_json()


def _diff(request: requests.Diff, job: Job) -> Value:
    from validator.diff import apply_diff, unified
    from validator.flow.diffs import by_lines

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


def _redundant(request: requests.Redundancy, job: Job) -> Value:
    from validator.redundant import redundant_steps

    seconds = job.seconds(request)
    model = _model(request.domain, request.problem)
    if model.model.features:
        raise ModelError(f"the model uses what is not executed: {', '.join(model.model.features)}")
    plan = _plan(request.plan, model, None, job.bounds)
    job.planner()
    found = redundant_steps(model, plan, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    return {"steps": list(found.steps), "proven": found.proven, "reason": found.reason}


def _tool_calls(request: requests.ToolCalls, job: Job) -> Value:
    from validator.flow.tools import check_tool_calls

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
    return {**report_value(report), "feedback": report.feedback()}


def _record(request: requests.Record, job: Job) -> Value:
    """Check one record of a batch; whatever is wrong with it is its result, the line under ``line``."""
    from validator.batch.records import BadRecord, is_text, record_of
    from validator.batch.work import Settings, error_line, grade

    try:
        value = json.loads(request.line)
    except (ValueError, RecursionError) as error:
        value = None
        said = f"not JSON: {error}"
    if not isinstance(value, dict):
        said = said if value is None else "a JSON object was expected"
        record: Any = BadRecord(line=request.number, id=f"line:{request.number}", message=said)
    else:
        record = record_of(value, request.number, Path("/"))
    if isinstance(record, BadRecord):
        return {"line": error_line(record, "record", record.message)}
    if not is_text(record.domain) or not is_text(record.problem):
        return {"line": error_line(record, "record", "'domain' and 'problem' are PDDL texts here, not paths")}
    limit = job.bounds.time_limit
    options = {**record.options, "time_limit": min(limit, record.options.get("time_limit", limit))}
    options["memory_limit"] = min(job.bounds.memory_limit, record.options.get("memory_limit", job.bounds.memory_limit))
    job.planner()
    work = grade([replace(record, plan_path="", options=options)], Settings(time_limit=limit))
    return {"line": work.lines[0]}


# --- compatibility -------------------------------------------------------------------------------


def _pddl_solve(request: requests.Pddl, job: Job) -> Value:
    """Answer in the shape of solver.planning.domains."""
    found = _solve(requests.Plans(domain=request.domain, problem=request.problem), job)
    if not found["plans"]:
        unsolvable = found["status"] == Status.UNSOLVABLE
        said = "no plan exists: the goal cannot be reached (proven)" if unsolvable else f"no plan: {found['reason']}"
        return {"status": "error", "result": {"error": said, "output": said, "parseStatus": "ok", "type": "full"}}
    (plan,) = found["plans"]
    text = "\n".join(plan["steps"])
    steps = [{"name": step, "action": _action_text(request.domain, request.problem, step)} for step in plan["steps"]]
    result = {"cost": plan["cost"], "length": len(steps), "plan": steps, "output": text, "parseStatus": "ok"}
    return {"status": "ok", "result": {**result, "type": "full", "val_status": "valid", "proven": found["proven"]}}


def _action_text(domain: str, problem: str, step: str) -> str:
    """Return a step as a ground action, as the editor shows it."""
    from validator.pddl.write import formula_text

    model = _model(domain, problem).model
    name, *args = step.strip("()").split()
    action = model.domain.actions.get(name)
    if action is None:
        return step
    binding = {parameter.name: arg for parameter, arg in zip(action.parameters, args, strict=True)}
    return f"(:action {name} :parameters ({' '.join(args)}) :precondition {formula_text(action.precondition, binding)})"


def _pddl_validate(request: requests.PddlPlan, job: Job) -> Value:
    """Answer in the shapes of planning.domains (``result``) and of VS Code's plan validation (``validation``)."""
    model = _model(request.domain, request.problem)
    plan = _plan(request.plan, model, None, job.bounds)
    report = check(model, None, plan, repair=False, time_limit=job.bounds.time_limit)
    lines = sentences(report.failures, report.reference)
    problems = [
        {
            "location": "PLAN",
            "message": line,
            "position": {"line": _line(request.plan, plan, failure.step), "character": 1},
            "severity": "error",
        }
        for failure, line in zip(report.failures, lines, strict=True)
    ]
    status = {True: "valid", False: "invalid", None: "unknown"}[report.determination]
    validation: Value = {"problems": problems}
    if report.determination is None:
        validation["error"] = report.reason
    said = report.feedback(with_repair=False)
    return {
        "status": "ok",
        "result": {"val_status": status, "val_stdout": said, "error": report.determination is not True},
        "validation": validation,
    }


def _line(text: str, plan: Plan, step: int | None) -> int:
    """Return the line, from 1, on which a step stands; the last one for the goal."""
    if step is not None and step < len(plan.tokens):
        for place, token in zip(plan.places, plan.tokens, strict=True):
            if place == step:
                return text.count("\n", 0, token.span[0]) + 1
    return text.rstrip().count("\n") + 1


def _is_final_recognition(value: Value) -> bool:
    recognition, completion = value["recognition"], value["completion"]
    return bool(recognition["exact"] if recognition else completion["proven"])


def _is_plain(request: requests.Validation) -> bool:
    return request.quality is not Quality.OPTIMAL


OPERATIONS: Mapping[str, Operation] = {
    "validations": Operation(
        request=requests.Validation,
        about="Check a plan, and repair it",
        run=_validate,
        is_quick=_is_plain,
        is_final=_is_final_validation,
        unknown=_unknown_validation,
    ),
    "diffs": Operation(request=requests.Diff, about="Apply a diff to a plan, or compare two plans by lines", run=_diff),
    "plans": Operation(
        request=requests.Plans,
        about="Find a cheapest plan",
        run=_solve,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
        unknown=lambda _, reason: _no_plan("time limit" if "time" in reason else "memory limit", reason),
    ),
    "recognitions": Operation(
        request=requests.Recognition,
        about="Tell which goal observations speak for, and complete them to a plan",
        run=_recognize,
        is_quick=lambda _: False,
        is_final=lambda value: bool(
            (value["recognition"] or {}).get("exact") or (value["completion"] or {}).get("proven")
        ),
    ),
    "adherence": Operation(
        request=requests.Adherence,
        about="Say how far executed calls follow a plan",
        run=_adherence,
        is_quick=lambda request: request.domain is None,
    ),
    "metrics-of-plans": Operation(request=requests.Metrics, about="Tell how alike plans are", run=_compare),
    "redundancies": Operation(
        request=requests.Redundancy,
        about="Tell which steps of a valid plan can be left out",
        run=_redundant,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
    ),
    "tool-calls": Operation(
        request=requests.ToolCalls, about="Say whether a list of tool calls would run", run=_tool_calls
    ),
    "record": Operation(
        request=requests.Record, about="Check a record of a batch", run=_record, is_quick=lambda _: False
    ),
    "recognition-page": Operation(
        request=requests.Recognition, about="", run=_recognition_page, is_quick=lambda _: False
    ),
    "adherence-page": Operation(
        request=requests.Adherence, about="", run=_adherence_page, is_quick=lambda request: request.domain is None
    ),
    "solve": Operation(
        request=requests.Pddl,
        about="Find a plan, in the shape of solver.planning.domains",
        run=_pddl_solve,
        is_quick=lambda _: False,
        is_final=lambda value: value["status"] == "ok",
    ),
    "validate": Operation(
        request=requests.PddlPlan,
        about="Check a plan, in the shapes of solver.planning.domains and of VS Code's plan validation",
        run=_pddl_validate,
    ),
}
"""Every operation by its name; the names of those with a path of their own are its last part."""
