"""The operations that find plans, and the goals behind observations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from validator.checking.solve import solve as solve_model
from validator.render.json import plain
from validator.service.given import flow_of, model_of, one_model, recognition_of
from validator.service.operations import requests
from validator.service.operations.asked import Job, Value

__all__ = ["is_final_recognition", "no_plan", "recognition_page", "recognize", "solve"]


def solve(request: requests.Plans, job: Job) -> Value:
    one_model(request.domain, request.problem, request.flow)
    seconds = job.seconds(request)
    if request.flow is not None:
        return _solve_flow(request, job, seconds)
    if request.plans != 1 or request.prefix:
        raise ValueError("'plans' and 'prefix' are for flows")
    model = model_of(request.domain, request.problem)
    job.planner()
    found = solve_model(model, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    steps = None if found.plan is None else [str(step) for step in found.plan]
    return {
        "status": found.status,
        "reason": found.reason,
        "proven": found.proven,
        "complete": False,
        "lower_bound": plain(found.lower_bound),
        "plans": [] if steps is None else [{"cost": plain(found.cost), "steps": steps}],
    }


def _solve_flow(request: requests.Plans, job: Job, seconds: float) -> Value:
    from validator.flow.planning import plan_flow
    from validator.flow.plans.printers import code_like

    job.planner()
    flow = flow_of(request.flow)
    found = plan_flow(
        flow,
        most=request.plans,
        dearer=request.dearer,
        prefix=request.prefix,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )
    return {
        "status": found.status,
        "reason": "",
        "proven": found.proven,
        "complete": found.complete,
        "lower_bound": found.lower_bound,
        "plans": [{"cost": plan.cost, "steps": code_like(flow, plan.steps)} for plan in found.plans],
    }


def no_plan(status: str, reason: str) -> Value:
    return {"status": status, "reason": reason, "proven": False, "complete": False, "lower_bound": 0, "plans": []}


def _recognition_problem(request: requests.Recognition) -> Any:
    from validator.recognize.together import together

    problem = recognition_of(
        request.domain, request.problem, request.flow, request.observations, request.goals, request.templates
    )
    return together(problem, request.at_once)


def _recognition_settings(request: requests.Recognition, job: Job) -> Any:
    from validator.recognize.problem import Settings

    return Settings(
        method=request.method,
        posterior=request.posterior,
        order=request.order,
        beta=request.beta,
        discard_cost=Fraction(request.discard_cost).limit_denominator(10**6),
        missing_cost=Fraction(request.missing_cost).limit_denominator(10**6),
        threshold=request.threshold,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def recognize(request: requests.Recognition, job: Job) -> Value:
    from validator.recognize import complete, recognize
    from validator.recognize.present import completion_value, recognition_value

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    if len(problem.hypotheses) == 1:
        return {"recognition": None, "completion": completion_value(complete(problem, settings))}
    found = recognize(problem, settings, lambda better: job.progress({"best": list(better.best)}))
    return {"recognition": recognition_value(found), "completion": None}


def recognition_page(request: requests.Recognition, job: Job) -> Value:
    """Return the page of the posterior over time."""
    from validator.recognize import follow
    from validator.recognize.picture import posterior_page

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    each = replace(settings, time_limit=settings.time_limit / (len(problem.observations) + 1))
    answers = list(follow(replace(problem, observations=()), problem.observations, each))
    return {"html": posterior_page(answers)}


def is_final_recognition(value: Value) -> bool:
    recognition, completion = value["recognition"], value["completion"]
    return bool(recognition["exact"] if recognition else completion["proven"])
