"""Which plan of a model is cheapest?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.checking.solve import solve as solve_model
from validator.questions.job import Job, PlanText, Value, plan_text
from validator.questions.models import OfAnyModel, flow_of, model_of, one_model
from validator.questions.question import HTTP_ONLY, option, question
from validator.render.json import plain

if TYPE_CHECKING:
    from validator.checking.solve import Solution


__all__ = ["Plans", "no_plan", "solve"]


@question
class Plans(OfAnyModel):
    """A PDDL model or a flow of which the cheapest plan is looked for."""

    prefix: PlanText = option("steps of a flow that have happened", default="", faces=HTTP_ONLY)


def solve(request: Plans, job: Job) -> Value:
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


def _solve_flow(request: Plans, job: Job, seconds: float) -> Value:
    from validator.flow.planning import plan_flow
    from validator.flow.plans.shape import code_like

    job.planner()
    flow = flow_of(request.flow)
    found = plan_flow(flow, prefix=plan_text(request.prefix), time_limit=seconds, memory_limit=job.bounds.memory_limit)
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
