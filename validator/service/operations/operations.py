"""Everything that the service does, by name: each operation is one function from a request to plain JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from validator.questions import adherence, comparison, model_repair, planning, reading, recognition, tool_calls, why_not
from validator.questions.check import Check
from validator.questions.job import Bounds, Job, Progress, Value
from validator.service.operations import checks
from validator.service.operations.requests import read_request
from validator.service.pages.answers import PAGES, Page, unknown_check

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
    request = read_request(operation.request, json.dumps(value))
    return operation.run(request, Job(bounds=bounds, progress=progress))


_FOR_PROGRAMS: Mapping[str, Operation] = {
    "validations": Operation(
        request=Check,
        about="Check a plan, and repair it",
        run=checks.validate,
        is_quick=checks.is_plain,
        is_final=checks.is_final_validation,
        unknown=checks.unknown_validation,
    ),
    "under-way": Operation(
        request=Check,
        about="Judge the rest of a plan under way, from what holds now, and repair it",
        run=checks.judge_rest,
        is_quick=lambda _: False,
        is_final=checks.is_final_rest,
    ),
    "readings": Operation(
        request=reading.Reading, about="Show a text beside the steps that were read from it", run=reading.read_text
    ),
    "diffs": Operation(
        request=comparison.Diff, about="Apply a diff to a plan, or compare two plans by lines", run=comparison.diff
    ),
    "plans": Operation(
        request=planning.Plans,
        about="Find a cheapest plan",
        run=planning.solve,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
        unknown=lambda _, reason: planning.no_plan("time limit" if "time" in reason else "memory limit", reason),
    ),
    "recognitions": Operation(
        request=recognition.Recognition,
        about="Say which goal observations point to, and complete them to a plan",
        run=recognition.recognize,
        is_quick=lambda _: False,
        is_final=recognition.is_final_recognition,
    ),
    "adherence": Operation(
        request=adherence.Adherence,
        about="Say how closely executed calls follow a plan",
        run=adherence.adherence,
        is_quick=lambda request: request.domain is None,
    ),
    "metrics-of-plans": Operation(
        request=comparison.Metrics, about="Say how similar plans are", run=comparison.compare_plans
    ),
    "redundancies": Operation(
        request=tool_calls.Redundancy,
        about="Say which steps of a valid plan can be left out",
        run=tool_calls.check_redundancy,
        is_quick=lambda _: False,
        is_final=lambda value: bool(value["proven"]),
    ),
    "model-repairs": Operation(
        request=model_repair.ModelRepair,
        about="Find the fewest edits of a domain that make some plans valid and others invalid",
        run=model_repair.repair_model,
        is_final=model_repair.is_final_repair,
        unknown=model_repair.unknown_repair,
    ),
    "why-not": Operation(
        request=why_not.WhyNot,
        about="Say why a plan is not another one, and what if it were",
        run=why_not.why_not,
        is_quick=lambda _: False,
        is_final=why_not.is_final_answer,
    ),
    "tool-calls": Operation(
        request=tool_calls.ToolCalls,
        about="Say whether a list of tool calls would run",
        run=tool_calls.check_tool_calls,
    ),
    "record": Operation(
        request=checks.Record, about="Check a record of a batch", run=checks.check_record, is_quick=lambda _: False
    ),
}


def _for_page(page: Page) -> Operation:
    """Return the operation that answers as elements; only of a report is it known whether it is final."""
    operation = _FOR_PROGRAMS[page.operation]
    is_check = page.question is Check
    return replace(
        operation,
        run=page.answer,
        is_final=(lambda value: checks.is_final_validation(value["report"])) if is_check else lambda _: False,
        unknown=unknown_check if is_check else None,
    )


OPERATIONS: Mapping[str, Operation] = {
    **_FOR_PROGRAMS,
    **{f"{name}-page": _for_page(page) for name, page in PAGES.items()},
}
"""Every operation by its name; the names of those with a path of their own are its last part."""
