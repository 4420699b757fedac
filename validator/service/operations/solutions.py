"""The operations that find plans, and the goals behind observations."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from validator.checking.solve import solve as solve_model
from validator.questions.given import flow_of, model_of, one_model, recognition_of
from validator.questions.job import Job, Value
from validator.records import replace
from validator.render.json import plain
from validator.service.operations import requests

if TYPE_CHECKING:
    from validator.checking.solve import Solution
    from validator.recognize import Recognition, RecognitionProblem, Settings

__all__ = ["is_final_recognition", "no_plan", "recognition_page", "recognize", "solve"]


def solve(request: requests.Plans, job: Job) -> Value:
    one_model(request.domain, request.problem, request.flow)
    seconds = job.seconds(request)
    if request.flow is not None:
        return _solve_flow(request, job, seconds)
    if request.prefix:
        raise ValueError("'prefix' is for flows")
    model = model_of(request.domain, request.problem)
    job.planner()
    found = solve_model(model, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    return _solution(found, None if found.plan is None else list(map(str, found.plan)))


def _solve_flow(request: requests.Plans, job: Job, seconds: float) -> Value:
    from validator.flow.planning import plan_flow
    from validator.flow.plans.shape import code_like

    job.planner()
    flow = flow_of(request.flow)
    found = plan_flow(flow, prefix=request.prefix, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    return _solution(found, None if found.plan is None else code_like(flow, found.plan))


def _solution(found: Solution, steps: list[str] | None) -> Value:
    return {
        "status": found.status,
        "reason": found.reason,
        "proven": found.proven,
        "lower_bound": plain(found.lower_bound),
        "plans": [] if steps is None else [{"cost": plain(found.cost), "steps": steps}],
    }


def no_plan(status: str, reason: str) -> Value:
    return {"status": status, "reason": reason, "proven": False, "lower_bound": 0, "plans": []}


def _recognition_problem(request: requests.Recognition) -> RecognitionProblem:
    from validator.recognize.together import together

    problem = recognition_of(
        request.domain, request.problem, request.flow, request.observations, request.goals, request.templates
    )
    return together(problem, request.at_once)


def _recognition_settings(request: requests.Recognition, job: Job) -> Settings:
    from validator.recognize.problem import Settings

    return Settings(
        method=request.method,
        posterior=request.posterior,
        order=request.order,
        beta=request.beta,
        discard_cost=Fraction(request.discard_cost).limit_denominator(10**6),
        missing_cost=Fraction(request.missing_cost).limit_denominator(10**6),
        threshold=request.threshold,
        cpu_limit=request.cpu_limit,
        search_limit=request.search_limit,
        time_limit=job.seconds(request),
        memory_limit=job.bounds.memory_limit,
    )


def recognize(request: requests.Recognition, job: Job) -> Value:
    from validator.recognize import complete, recognize
    from validator.recognize.present import completion_text, completion_value, recognition_text, recognition_value

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    if request.over_time:
        answers = _over_time(problem, settings)
        values = list(map(recognition_value, answers))
        feedback = recognition_text(answers[-1])
        return {"feedback": feedback, "recognition": values[-1], "over_time": values, "completion": None}
    if len(problem.hypotheses) == 1:
        whole = complete(problem, settings)
        return {
            "feedback": completion_text(whole),
            "recognition": None,
            "over_time": None,
            "completion": completion_value(whole),
        }
    found = recognize(problem, settings, lambda better: job.tell({"best": list(better.best)}))
    return {
        "feedback": recognition_text(found),
        "recognition": recognition_value(found),
        "over_time": None,
        "completion": None,
    }


def recognition_page(request: requests.Recognition, job: Job) -> Value:
    """Return the page of the posterior over time."""
    from validator.recognize.picture import posterior_page

    job.planner()
    problem, settings = _recognition_problem(request), _recognition_settings(request, job)
    return {"html": posterior_page(_over_time(problem, settings))}


def _over_time(problem: RecognitionProblem, settings: Settings) -> list[Recognition]:
    """Return the answer before the first observation and after each, all of them within the limits."""
    from validator.recognize import over_time

    each = replace(settings, cpu_limit=settings.cpu_limit / (len(problem.observations) + 1))
    return list(over_time(problem, each))


def is_final_recognition(value: Value) -> bool:
    recognition, completion = value["recognition"], value["completion"]
    return bool(recognition["exact"] if recognition else completion["proven"])
