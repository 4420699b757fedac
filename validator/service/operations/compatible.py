"""The operations in the shapes of solver.planning.domains and of VS Code's validation of plans and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from validator.checking.check import check
from validator.execution.faults import sentences
from validator.grounding.limits import Status
from validator.questions.job import Job, Value, is_claim, plan_of
from validator.questions.models import DECIMAL, epsilon_of, model_of
from validator.questions.planning import Plans, solve
from validator.questions.question import FieldError, Question, option, question
from validator.reading.plan import Plan
from validator.render.tools.findings import Finding, Level, Source

__all__ = ["Pddl", "PddlPlan", "PddlTexts", "pddl_parse", "pddl_solve", "pddl_validate"]


@question
class Pddl(Question):
    """A PDDL model, in the shape of planning.domains."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str = option("PDDL domain, as text")
    problem: str = option("PDDL problem, as text")


@question
class PddlPlan(Pddl):
    """A PDDL model and a plan, in the shape of planning.domains and VS Code."""

    plan: str = option("the plan, as text")
    epsilon: float | str | None = option(
        "minimum separation between interfering actions; VS Code sends it as a header",
        default=None,
        schema={"json_schema_extra": DECIMAL},
    )

    def __post_init__(self) -> None:
        try:
            epsilon_of(self.epsilon)
        except ValueError as error:
            raise FieldError("epsilon", str(error)) from None


@question
class PddlTexts(Question):
    """A PDDL domain and problems of it, in the shape of VS Code's parser service."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = {"extra": "ignore", "strict": True}

    domain: str = option("PDDL domain, as text")
    problems: tuple[str, ...] = option("PDDL problems of it, as texts", default=())


def pddl_solve(request: Pddl, job: Job) -> Value:
    """Answer in the shape of solver.planning.domains."""
    asked = Plans(domain=request.domain, problem=request.problem, time_limit=request.time_limit)
    found = solve(asked, job)
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
    from validator.model.pddl.write import formula_text

    model = model_of(domain, problem).model
    name, *args = step.strip("()").split()
    action = model.domain.actions.get(name)
    if action is None:
        return step
    binding = {parameter.name: arg for parameter, arg in zip(action.parameters, args, strict=True)}
    return f"(:action {name} :parameters ({' '.join(args)}) :precondition {formula_text(action.precondition, binding)})"


def pddl_validate(request: PddlPlan, job: Job) -> Value:
    """Answer in the shapes of planning.domains (``result``) and of VS Code's plan validation (``validation``)."""
    model = model_of(request.domain, request.problem)
    plan = plan_of(request.plan, model, None, job.bounds)
    if is_claim(plan):
        job.planner()
    epsilon = epsilon_of(request.epsilon)
    report = check(model, None, plan, repair=False, time_limit=job.seconds(request), epsilon=epsilon)
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
    if report.reading is not None and not report.reading.is_literal:
        problems += [
            {
                "location": "PLAN",
                "message": f"not understood: {missed.said}",
                "position": {"line": missed.line, "character": missed.column},
                "severity": "info",
            }
            for missed in report.reading.missed
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


def pddl_parse(request: PddlTexts, job: Job) -> Value:
    """Answer with every error and warning of a domain and problems; what is no PDDL at all is an error of its text."""
    from validator.render.tools.models import model_findings

    problems = [Source(name=f"PROBLEM:{number}", text=text) for number, text in enumerate(request.problems)]
    found = model_findings(Source(name="DOMAIN", text=request.domain), problems)
    return {"problems": [_diagnostic(finding) for finding in found]}


def _diagnostic(finding: Finding) -> Value:
    place = finding.place
    severity = "info" if finding.level is Level.NOTE else finding.level.value
    position = {"line": place.line or 1, "character": place.column or 1}
    return {"location": place.source, "message": finding.message, "position": position, "severity": severity}
