"""Which plan of a model is cheapest?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.checking.solve import solve as solve_model
from validator.questions.job import Job, PlanText, Value, plan_text
from validator.questions.models import OfAnyModel, Text, flow_of, model_of, one_model, templates_option
from validator.questions.question import COMMAND_ONLY, Use, option, question, refuse_unused
from validator.records import dataclass
from validator.render.json import picked, plain

if TYPE_CHECKING:
    from validator.checking.solve import Solution
    from validator.flow.model import Flow


_PDDL = frozenset((Use.PDDL,))
_FLOW = frozenset((Use.FLOW,))


@question
class Plans(OfAnyModel):
    """A PDDL model or a flow of which the cheapest plan is looked for."""

    templates: dict[str, Any] | Text | None = templates_option(_PDDL, COMMAND_ONLY)
    words: bool = option(
        "print the steps in words, by the templates if given", default=False, faces=COMMAND_ONLY, uses=_PDDL
    )
    prefix: PlanText | None = option(
        "steps that have been executed",
        default=None,
        faces=COMMAND_ONLY,
        uses=_FLOW,
        parse=Path,
        metavar="PLAN",
        was=("observed-prefix",),
    )
    collapse_maps: bool = option("print calls without their mappings", default=False, faces=COMMAND_ONLY, uses=_FLOW)
    outputs: bool = option(
        "print the outputs of calls",
        default=True,
        faces=COMMAND_ONLY,
        uses=_FLOW,
        off="print calls without their outputs",
    )


@question
class LocalPlans(Plans):
    """The same by a command, which may write files."""

    pddl: Path | None = option(
        "write the compiled flow there, as PDDL",
        default=None,
        faces=COMMAND_ONLY,
        uses=_FLOW,
        parse=Path,
        metavar="DIR",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheapestPlan:
    """The cheapest plan that was found: its steps as they are to be printed, None without one."""

    solution: Solution
    steps: list[str] | None
    is_flow: bool


def solve(request: Plans, job: Job) -> Value:
    found = solved(request, job)
    solution = found.solution
    return {
        **picked(solution, "status", "reason", "proven", "lower_bound"),
        "plans": [] if found.steps is None else [{"cost": plain(solution.cost), "steps": found.steps}],
        "warnings": list(solution.warnings),
    }


def solved(request: Plans, job: Job) -> CheapestPlan:
    """Return the cheapest plan of a model, or why there is none."""
    one_model(request.domain, request.problem, request.flow)
    refuse_unused(request, Use.PDDL if request.flow is None else Use.FLOW, "'{}'".format)
    seconds = job.seconds(request)
    if request.flow is not None:
        return _of_flow(request, job, seconds)
    model = model_of(request.domain, request.problem, request.templates)
    job.planner()
    found = solve_model(model, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    steps: Any = found.plan
    if steps is not None and request.words:
        from validator.checking.explain import said_plan

        steps = said_plan(steps, model.lexicon)
    return CheapestPlan(solution=found, steps=None if steps is None else list(map(str, steps)), is_flow=False)


def _of_flow(request: Plans, job: Job, seconds: float) -> CheapestPlan:
    from validator.flow.planning import plan_flow
    from validator.flow.plans.shape import code_like

    job.planner()
    flow = flow_of(request.flow)
    if isinstance(request, LocalPlans) and request.pddl is not None:
        _write_pddl(flow, request.pddl)
    prefix = plan_text(request.prefix or "")
    found = plan_flow(flow, prefix=prefix, time_limit=seconds, memory_limit=job.bounds.memory_limit)
    shown = {"collapse_maps": request.collapse_maps, "show_output": request.outputs}
    return CheapestPlan(
        solution=found, steps=None if found.plan is None else code_like(flow, found.plan, **shown), is_flow=True
    )


def _write_pddl(flow: Flow, directory: Path) -> None:
    from validator.flow.compiled.compile import compile_flow

    compiled = compile_flow(flow)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "domain.pddl").write_text(compiled.domain, encoding="utf-8")
    (directory / "problem.pddl").write_text(compiled.problem, encoding="utf-8")


def no_plan(status: str, reason: str) -> Value:
    return {"status": status, "reason": reason, "proven": False, "lower_bound": 0, "plans": []}
