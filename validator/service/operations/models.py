"""The operations that repair domains."""

from __future__ import annotations

from validator.model_repair.cases import Given
from validator.questions.job import Job, Value
from validator.service.operations import requests
from validator.texts import no_path

__all__ = ["is_final_repair", "repair_model", "repair_model_page", "unknown_repair"]


def repair_model(request: requests.ModelRepair, job: Job) -> Value:
    """Find the fewest edits of a domain."""
    from validator.model_repair.present import repair_text, repair_value
    from validator.model_repair.repair import repair_model as repair

    found = repair(
        no_path(request.domain),
        cases=[_given(request), *map(_given, request.cases)],
        protect=request.protect,
        costs=request.costs,
        facts=request.facts,
        alternatives=request.alternatives,
        time_limit=job.seconds(request),
    )
    return {"feedback": repair_text(found), **repair_value(found)}


def _given(case: requests.ModelRepair | requests.PlansOfProblem) -> Given:
    return Given(
        problem=no_path(case.problem),
        plans=tuple(map(no_path, case.plans)),
        must_fail=tuple(map(no_path, case.must_fail)),
    )


def repair_model_page(request: requests.ModelRepair, job: Job) -> Value:
    from validator.render.html.edits import edits_page

    return {"html": edits_page(repair_model(request, job))}


def unknown_repair(_: requests.ModelRepair, reason: str) -> Value:
    from validator.model_repair.present import repair_text, repair_value
    from validator.model_repair.result import ModelRepair, Status

    found = ModelRepair(status=Status.TIME_LIMIT, reason=reason)
    return {"feedback": repair_text(found), **repair_value(found)}


def is_final_repair(value: Value) -> bool:
    return bool(value["proven"])
