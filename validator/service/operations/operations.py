"""Everything that the service does, by name: each operation is one function from a request to plain JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from validator.questions.check import Check
from validator.questions.job import Bounds, Job, Progress, Value
from validator.questions.under_way import UnderWay
from validator.service.operations import checks, comparisons, compatible, foils, models, readings, requests, solutions

__all__ = ["OPERATIONS", "Operation", "operate"]

_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """``run`` answers; ``unknown`` is the answer when a limit was met before there was one.

    ``is_final`` says of an answer whether the same request would get it again; ``is_quick`` whether a request may be
    answered without a planner.
    """

    request: type[Any]
    about: str
    run: Callable[[Any, Job], Value]
    is_quick: Callable[[Any], bool] = lambda _: True
    is_final: Callable[[Value], bool] = lambda _: True
    unknown: Callable[[Any, str], Value] | None = None


def operate(
    name: str, value: Mapping[str, Any], *, bounds: Bounds = _BOUNDS, progress: Progress | None = None
) -> Value:
    """Run an operation on a request as plain JSON values, in this process.

    Raises ProblemError for a request that is none, KeyError for an unknown operation, else as the operation does.
    """
    operation = OPERATIONS[name]
    request = requests.read_request(operation.request, json.dumps(value))
    return operation.run(request, Job(bounds=bounds, progress=progress))


OPERATIONS: Mapping[str, Operation] = {
    "validations": Operation(
        request=Check,
        about="Check a plan, and repair it",
        run=checks.validate,
        is_quick=checks.is_plain,
        is_final=checks.is_final_validation,
        unknown=checks.unknown_validation,
    ),
    "under-way": Operation(
        request=UnderWay,
        about="Judge the rest of a plan under way, from what holds now, and repair it",
        run=checks.judge_rest,
        is_quick=lambda _: False,
        is_final=checks.is_final_rest,
    ),
    "readings": Operation(
        request=requests.Reading, about="Show a text beside the steps that are read of it", run=readings.read_text
    ),
    "diffs": Operation(
        request=requests.Diff, about="Apply a diff to a plan, or compare two plans by lines", run=comparisons.diff
    ),
    "plans": Operation(
        request=requests.Plans,
        about="Find a cheapest plan",
        run=solutions.solve,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
        unknown=lambda _, reason: solutions.no_plan("time limit" if "time" in reason else "memory limit", reason),
    ),
    "recognitions": Operation(
        request=requests.Recognition,
        about="Tell which goal observations speak for, and complete them to a plan",
        run=solutions.recognize,
        is_quick=lambda _: False,
        is_final=solutions.is_final_recognition,
    ),
    "adherence": Operation(
        request=requests.Adherence,
        about="Say how far executed calls follow a plan",
        run=comparisons.adherence,
        is_quick=lambda request: request.domain is None,
    ),
    "metrics-of-plans": Operation(
        request=requests.Metrics, about="Tell how alike plans are", run=comparisons.compare_plans
    ),
    "redundancies": Operation(
        request=requests.Redundancy,
        about="Tell which steps of a valid plan can be left out",
        run=checks.check_redundancy,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
    ),
    "model-repairs": Operation(
        request=requests.ModelRepair,
        about="Find the fewest edits of a domain that make plans valid, and others not",
        run=models.repair_model,
        is_final=models.is_final_repair,
        unknown=models.unknown_repair,
    ),
    "why-not": Operation(
        request=requests.WhyNot,
        about="Say why a plan is not another one, and what if it were",
        run=foils.why_not,
        is_quick=lambda _: False,
        is_final=foils.is_final_answer,
    ),
    "tool-calls": Operation(
        request=requests.ToolCalls, about="Say whether a list of tool calls would run", run=checks.check_tool_calls_of
    ),
    "record": Operation(
        request=requests.Record, about="Check a record of a batch", run=checks.check_record, is_quick=lambda _: False
    ),
    "check-page": Operation(
        request=Check,
        about="",
        run=checks.check_page,
        is_quick=checks.is_plain,
        is_final=checks.is_final_validation,
        unknown=checks.unknown_validation,
    ),
    "reading-page": Operation(request=requests.Reading, about="", run=readings.read_page),
    "recognition-page": Operation(
        request=requests.Recognition, about="", run=solutions.recognition_page, is_quick=lambda _: False
    ),
    "model-repair-page": Operation(
        request=requests.ModelRepair,
        about="",
        run=models.repair_model_page,
    ),
    "why-not-page": Operation(
        request=requests.WhyNot, about="", run=foils.why_not_page, is_quick=lambda _: False, is_final=lambda _: False
    ),
    "adherence-page": Operation(
        request=requests.Adherence,
        about="",
        run=comparisons.adherence_page,
        is_quick=lambda request: request.domain is None,
    ),
    "solve": Operation(
        request=requests.Pddl,
        about="Find a plan, in the shape of solver.planning.domains",
        run=compatible.pddl_solve,
        is_quick=lambda _: False,
        is_final=lambda value: value["status"] == "ok",
    ),
    "validate": Operation(
        request=requests.PddlPlan,
        about="Check a plan, in the shapes of solver.planning.domains and of VS Code's plan validation",
        run=compatible.pddl_validate,
    ),
    "parse": Operation(
        request=requests.PddlTexts,
        about="Say what is wrong with a domain and problems, in the shape of VS Code's parser service",
        run=compatible.pddl_parse,
    ),
}
"""Every operation by its name; the names of those with a path of their own are its last part."""
