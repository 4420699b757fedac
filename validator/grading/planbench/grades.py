"""Our verdicts on PlanBench's answers beside its own, and why they differ where they do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validator.grading.batch.batch import run_records
from validator.grading.batch.progress import Progress
from validator.grading.batch.records import BadRecord, Record, record_of
from validator.grading.batch.results import Results
from validator.grading.batch.work import Settings
from validator.grading.planbench.answers import Answer, Question

__all__ = ["Grade", "grade_answers"]

RAW, EXTRACTED = "raw", "extracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """An answer with our verdict: ``ours`` is what ``llm_correct`` should be, None where we have no answer.

    ``read`` is the text that was graded, ``raw`` or ``extracted`` (empty where there is none), ``verdict`` one word for
    what was found in it. ``why`` says where a difference to PlanBench comes from; empty where there is none.
    """

    id: str
    benchmark: str
    model: str
    task: str
    instance: str
    question: str
    read: str
    verdict: str
    ours: bool | None
    theirs: bool | None
    why: str


@dataclass(frozen=True, slots=True)
class _Found:
    """What is kept of a result."""

    verdict: str
    has: bool | None
    claims_no_plan: bool
    is_empty: bool
    no_solution: bool
    first: str
    kinds: frozenset[str]
    cost: object
    optimum: object


def grade_answers(
    answers: Sequence[Answer],
    *,
    settings: Settings,
    results: Results | None = None,
    earlier: Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> list[Grade]:
    """Check all answers, raw and extracted, and return a grade for each, in order.

    ``results`` keeps the result lines and skips what it has, which is read from ``earlier`` before. Workers and
    errors are as in ``validator.grading.batch.run_batch``.
    """
    found: dict[str, _Found] = {}
    if earlier is not None:
        with earlier.open(encoding="utf-8") as file:
            found.update(map(_found, file))

    def write(lines: Iterable[str]) -> None:
        kept = list(lines)
        if results is not None:
            results.write(kept)
        found.update(map(_found, kept))

    records = (record for answer in answers for record in _records(answer) if record.id not in found)
    run_records(records, write, settings=settings, workers=workers, cluster=cluster, progress=progress)
    return [_grade(answer, found) for answer in answers]


def _records(answer: Answer) -> Iterator[Record | BadRecord]:
    """Yield what is to be checked of an answer: what the model said, where it can be read, and what was extracted."""
    tags = {"model": answer.model, "benchmark": answer.benchmark, "prompt": answer.task, "instance": answer.instance}
    common = {"domain": answer.domain, "problem": answer.problem}
    if answer.unread:
        yield BadRecord(line=0, id=f"{answer.id}:none", message=answer.unread, tags=tags)
        return
    for read in _readings(answer):
        value: dict[str, Any] = {"id": f"{answer.id}:{read}", **common, "tags": {**tags, "read": read}}
        if read == EXTRACTED:
            # The validator of the benchmark was given this text, and it is read as that reads it.
            value |= {"answer": answer.extracted, "dialect": "pddl"}
        else:
            value |= {"answer": answer.raw}
            value |= {"templates": answer.templates} if answer.templates else {}
        if answer.question is Question.CHEAPEST:
            value |= {"quality": "optimal", "repair": False}
        elif answer.question is Question.NO_PLAN:
            value |= {"repair": read == _graded(answer)}  # which proves that there is no plan
        if answer.theirs is not None:
            value |= {"expected": answer.theirs}
        yield record_of(value, 0, Path("/"))


def _readings(answer: Answer) -> list[str]:
    readings = [RAW] if answer.raw is not None else []
    return [*readings, EXTRACTED] if answer.extracted is not None else readings


def _graded(answer: Answer) -> str:
    """Return which text is the answer: the model's own where PDDL was asked for, else what was extracted from it.

    Whether an answer says that there is no plan is in its own words only.
    """
    readings = _readings(answer)
    if answer.in_pddl or answer.question is Question.NO_PLAN or not answer.extracted:
        return readings[0] if readings else ""
    return EXTRACTED


def _found(line: str) -> tuple[str, _Found]:
    value = json.loads(line)
    report = value.get("report") or {}
    failures = report.get("failures", ())
    return value["id"], _Found(
        verdict=value["verdict"],
        has=report.get("determination"),
        claims_no_plan=bool(report.get("claims_no_plan")),
        is_empty=all(failure["step"] is None for failure in failures) and not report.get("cost"),
        no_solution=bool((report.get("planner_response") or {}).get("no_solution")),
        first=_first(failures) or report.get("reason", "") or value.get("error", {}).get("message", ""),
        kinds=frozenset(failure["kind"] for failure in failures),
        cost=report.get("cost"),
        optimum=(report.get("optimal_cost") or {}).get("upper"),
    )


_MALFORMED = ("syntax", "unknown_action", "wrong_arity", "unknown_object", "wrong_type")


def _first(failures: Sequence[dict[str, Any]]) -> str:
    """Return the fault that decides: the first step that fits no action of the model, else the first fault."""
    malformed = [failure for failure in failures if failure["kind"] in _MALFORMED]
    return str((malformed or failures)[0]["message"]) if failures else ""


# --- grades --------------------------------------------------------------------------------------


def _grade(answer: Answer, found: dict[str, _Found]) -> Grade:
    read = "" if answer.unread else _graded(answer)
    result = found.get(f"{answer.id}:{read or 'none'}")
    ours = None if result is None else _right(answer, result)
    return Grade(
        id=answer.id,
        benchmark=answer.benchmark,
        model=answer.model,
        task=answer.task,
        instance=answer.instance,
        question=answer.question.value,
        read=read,
        verdict="unread" if result is None else result.verdict,
        ours=ours,
        theirs=answer.theirs,
        why=_why(answer, ours, read, result, found.get(f"{answer.id}:{EXTRACTED}")),
    )


def _right(answer: Answer, result: _Found) -> bool | None:
    if answer.question is not Question.NO_PLAN:
        return result.has
    if result.has:
        return False
    says_so = result.claims_no_plan and result.is_empty
    return result.no_solution if says_so else False


def _why(answer: Answer, ours: bool | None, read: str, result: _Found | None, extracted: _Found | None) -> str:
    if answer.theirs is None or result is None or ours is answer.theirs:
        return ""
    if ours is None:
        return f"no answer: {result.first}"
    if ours:
        return _why_right(answer, read, extracted)
    if not answer.extracted:
        return f"nothing was extracted, what PlanBench judged is not in the file; as it stands: {result.first}"
    if answer.question is Question.CHEAPEST and result.verdict == "not_optimal":
        return f"valid, but its cost is {result.cost} and the cheapest is {result.optimum}"
    if read == RAW and extracted is not None and extracted.has:
        return f"the extraction made another plan of the answer: {result.first}"
    if result.kinds & set(_MALFORMED):
        return f"malformed, which PlanBench's validator passes over: {result.first}"
    return result.first


def _why_right(answer: Answer, read: str, extracted: _Found | None) -> str:
    if answer.question is Question.NO_PLAN:
        return "the answer says that there is no plan, and it is proven that there is none"
    if read == RAW and extracted is not None and not extracted.has:
        return f"valid as it was answered; the extraction made another plan of it: {extracted.first or 'an empty one'}"
    if _is_wrapped(answer.extracted or ""):
        return "valid; parentheses around the whole plan, which PlanBench's validator does not read"
    return (
        "valid, and cheapest" if answer.question is Question.CHEAPEST else "valid: every step executes, the goal holds"
    )


def _is_wrapped(text: str) -> bool:
    """Return whether steps stand inside the parentheses of something else."""
    return re.search(r"\([^()]*\(", text) is not None
