"""Which fewest edits of a domain make plans valid, and others not?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from validator.model_repair.cases import Given
from validator.questions.job import Job, Lines, PlanTexts, Value, names_of, natural, plan_text
from validator.questions.models import OfModel, Text, model_texts
from validator.questions.question import COMMAND_ONLY, HTTP_ONLY, MODEL, STRICT, option, question
from validator.records import dataclass
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.model_repair.result import ModelRepair as Repaired


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansOfProblem:
    """Plans of a problem: which must be valid, and which must not be."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT

    problem: Text
    plans: PlanTexts = ()
    must_fail: PlanTexts = ()


@question
class ModelRepair(OfModel):
    """A domain to be repaired, so that plans are valid and others are not."""

    plans: PlanTexts = option(
        "plans that must be valid", details="each in any notation, or a list of steps", default=(), faces=MODEL
    )
    must_fail: PlanTexts = option("plans that must not be valid", default=(), faces=MODEL)
    cases: tuple[PlansOfProblem, ...] = option("further problems with their plans", default=(), faces=HTTP_ONLY)
    protect: Lines = option("actions and predicates that stay as they are", default=(), many=True, metavar="NAME,...")
    costs: dict[str, float] | None = option(
        "cost by kind of edit, such as {'remove precondition': 2}; default: 1",
        default=None,
        faces=COMMAND_ONLY,
        parse=Path,
        metavar="FILE",
    )
    alternatives: int = option(
        "how many other repairs of the same cost are shown",
        default=5,
        faces=COMMAND_ONLY,
        parse=natural,
        metavar="N",
        schema={"ge": 0, "le": 199},
    )


def repair_model(request: ModelRepair, job: Job) -> Value:
    """Find the fewest edits of a domain."""
    from validator.model_repair.result import repair_text, repair_value

    found = repaired(request, job)
    return {"feedback": repair_text(found), **repair_value(found)}


def repaired(request: ModelRepair, job: Job) -> Repaired:
    """Return the fewest edits of a domain."""
    from validator.model_repair.repair import repair_model as repair

    domain, problem = model_texts(request.domain, request.problem)
    first = PlansOfProblem(problem=problem, plans=request.plans, must_fail=request.must_fail)
    return repair(
        domain,
        cases=[_given(first), *map(_given, request.cases)],
        protect=names_of(request.protect),
        costs=request.costs,
        alternatives=request.alternatives,
        time_limit=job.seconds(request),
    )


def _given(case: PlansOfProblem) -> Given:
    return Given(
        problem=no_path(case.problem) if isinstance(case.problem, str) else case.problem,
        plans=_texts(case.plans),
        must_fail=_texts(case.must_fail),
    )


def unknown_repair(_: ModelRepair, reason: str) -> Value:
    from validator.model_repair.result import ModelRepair, Status, repair_text, repair_value

    found = ModelRepair(status=Status.TIME_LIMIT, reason=reason)
    return {"feedback": repair_text(found), **repair_value(found)}


def is_final_repair(value: Value) -> bool:
    return bool(value["proven"])


def _texts(plans: PlanTexts) -> tuple[Text, ...]:
    """Return plans as texts that nothing takes for a path; of a command its files."""
    each = [plans] if isinstance(plans, str) else plans
    return tuple(plan if isinstance(plan, Path) else no_path(plan_text(plan)) for plan in each)
