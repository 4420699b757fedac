"""Our verdicts on PlanBench's answers beside its own, and why they differ where they do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from sys import intern
from typing import Any

from validator.grading.batch.batch import results_of
from validator.grading.batch.records import BadRecord, Record, digest, record_of
from validator.grading.batch.results import Results
from validator.grading.batch.worker import Settings
from validator.grading.planbench.answers import ABOUT_A_PLAN, Answer, Question
from validator.grading.planbench.verification import Finding, about_a_plan, some
from validator.records import dataclass

# --- what sets two verdicts apart -----------------------------------------------------------------


class Difference(StrEnum):
    """Where a difference between our verdict on an answer and the benchmark's comes from."""

    NONE = ""
    EMPTY = "extraction empty"
    """nothing was extracted from an answer that has a plan"""
    LOST = "steps lost"
    """the extraction is the plan without some of its steps"""
    DOUBLED = "plan doubled"
    """the extraction has steps of the plan a second time, where the answer says it twice"""
    ADDED = "steps added"
    """the extraction is the plan with steps that are not of it"""
    CHANGED = "steps changed"
    """the extraction has other steps, or the same in another order"""
    GRADER = "grader"
    """the extraction is the plan, and PlanBench's validator judged it wrongly: it crashed, or did not read it"""
    MALFORMED = "malformed, passed over"
    """a step fits no action of the model, and PlanBench's validator passed over it"""
    GOAL = "part of the goal"
    """the prompt asks for more than PlanBench checks"""
    COST = "not cheapest"
    """a valid plan where a cheapest one was asked for"""
    READ_OTHERWISE = "read otherwise"
    """an answer about a plan, of which the benchmark read other facts than it says: "clear and on the table\""""
    CLAIM = "claims no plan"
    """the answer says that there is no plan, or that its author has none to give"""
    NOT_UNDERSTOOD = "not understood"
    """the answer was not understood here, and nothing is said of its plan"""
    NO_ANSWER = "no answer"
    """a limit was met here, or there is no model"""


def between(plan: Sequence[str], extracted: Sequence[str]) -> tuple[Difference, str]:
    """Return what an extraction did to the steps of a plan, and that in words; step numbers count from 1."""
    if not extracted:
        return (Difference.EMPTY if plan else Difference.NONE), ""
    steps = f"{len(plan)} steps here, {len(extracted)} extracted"
    lost, added = _beyond(plan, extracted), _beyond(extracted, plan)
    if len(lost) == len(plan) - len(extracted):
        return (Difference.LOST, f"{steps}: {some(lost, ', ')} lost") if lost else (Difference.NONE, steps)
    if plan and len(added) == len(extracted) - len(plan):
        is_doubled = set(extracted) <= set(plan) and 2 * len(added) >= len(plan)
        return (Difference.DOUBLED if is_doubled else Difference.ADDED), f"{steps}: {some(added, ', ')} added"
    pairs = enumerate(zip(plan, extracted, strict=False), 1)
    apart = next(
        (f": step {place} is {pair[0]} here and {pair[1]} there" for place, pair in pairs if pair[0] != pair[1]), ""
    )
    return Difference.CHANGED, f"{steps}{apart}"


def _beyond(steps: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the steps that others do not have in their order."""
    found, place = [], 0
    for step in steps:
        if place < len(others) and others[place] == step:
            place += 1
        else:
            found.append(step)
    return found


_WRAPPED = re.compile(r"\([^()]*\(")
_MARKDOWN = re.compile(r"```|\*\*|`|^\s*(?:\d+[.)]|[-*#])\s", re.MULTILINE)


def garnish(text: str) -> str:
    """Return what a text has around its steps that is no PDDL and that VAL stumbles over; empty where nothing."""
    if _WRAPPED.search(text) is not None:
        return "parentheses around the whole plan"
    return "markdown around the steps" if _MARKDOWN.search(text) is not None else ""


# --- grades ---------------------------------------------------------------------------------------


RAW, EXTRACTED = "raw", "extracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """An answer with our verdict: ``ours`` is what ``llm_correct`` should be, None where we have no answer.

    ``read`` is the text that was graded, ``raw``, or ``extracted`` where the file has no other (empty where it has
    none), ``verdict`` one word for what was found in it. ``extraction`` is that word for the plan that PlanBench took
    from the answer, and ``extraction_ours`` our verdict on it. ``difference`` and ``why`` say where a difference comes
    from, to ``theirs`` or, where PlanBench's verdict is not in the file, to ``extraction_ours``.
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
    extraction: str
    extraction_ours: bool | None
    theirs: bool | None
    difference: Difference
    why: str

    @property
    def judged(self) -> bool | None:
        """Return the verdict that ours is compared with; None where there is none."""
        return self.theirs if self.theirs is not None else self.extraction_ours


@dataclass(frozen=True, slots=True)
class _Found:
    """What is kept of a result."""

    verdict: str
    has: bool | None
    steps: tuple[str, ...]
    claim: str
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
    workers: int | None = None,
    cluster: str | None = None,
) -> list[Grade]:
    """Check all answers, raw and extracted, and return a grade for each, in order.

    ``results`` keeps the result lines, and those that it has are taken over. Workers and errors are as in
    ``validator.grading.batch.run_batch``.
    """
    records = (record for answer in answers if answer.question not in ABOUT_A_PLAN for record in _records(answer))
    found = results_of(records, _found, results=results, settings=settings, workers=workers, cluster=cluster)
    return [_about(answer) if answer.question in ABOUT_A_PLAN else _grade(answer, found) for answer in answers]


def _records(answer: Answer) -> Iterator[Record | BadRecord]:
    """Yield what is to be checked of an answer: what the model said, where it can be read, and what was extracted."""
    tags = {"model": answer.model, "benchmark": answer.benchmark, "prompt": answer.task, "instance": answer.instance}
    common = {"domain": answer.domain, "problem": answer.problem}
    if answer.unread:
        yield BadRecord(line=0, id=_result_id(answer, ""), message=answer.unread, tags=tags)
        return
    for read in _readings(answer):
        value: dict[str, Any] = {"id": _result_id(answer, read), **common, "tags": {**tags, "read": read}}
        if read == EXTRACTED:
            # The validator of the benchmark was given this text, and it is read as that reads it.
            value |= {"answer": answer.extracted, "dialect": "pddl"}
        else:
            value |= {"answer": answer.raw, "templates": answer.templates or None}
        if answer.question is Question.CHEAPEST:
            value |= {"quality": "optimal", "repair": False}
        elif answer.question is Question.NO_PLAN:
            value |= {"repair": read == _graded(answer)}  # which proves that there is no plan
        if answer.theirs is not None:
            value |= {"expected": answer.theirs}
        yield record_of(value, 0, Path("/"))


def _result_id(answer: Answer, read: str) -> str:
    """Return the id of the result of a text: with a digest of it, so that none is taken over for another answer."""
    text = {RAW: answer.raw, EXTRACTED: answer.extracted}.get(read)
    return f"{answer.id}:none" if text is None else f"{answer.id}:{read}:{digest(text)}"


def _readings(answer: Answer) -> list[str]:
    readings = [RAW] if answer.raw is not None else []
    return [*readings, EXTRACTED] if answer.extracted is not None else readings


def _graded(answer: Answer) -> str:
    """Return which text is the answer: what the model said; what was extracted where the file has nothing else."""
    return next(iter(_readings(answer)), "")


def _found(line: str) -> tuple[str, _Found]:
    value = json.loads(line)
    if "instance" not in value["tags"]:
        raise ValueError("another command wrote this result")
    report = value.get("report") or {}
    failures = report.get("failures", ())
    return value["id"], _Found(
        verdict=value["verdict"],
        has=report.get("determination"),
        steps=tuple(intern(step.lower()) for step in report.get("reference", ())),
        claim=value.get("no_plan", ""),
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


def _named(answer: Answer) -> dict[str, Any]:
    """Return the fields of a grade that say which answer it is of."""
    names = ("id", "benchmark", "model", "task", "instance", "theirs")
    return {"question": answer.question.value, **{name: getattr(answer, name) for name in names}}


def _about(answer: Answer) -> Grade:
    """Return the grade of an answer about a plan."""
    texts = (answer.raw or "", answer.prompt, answer.domain, answer.problem, answer.templates)
    found = Finding(right=None, verdict="error", why=answer.unread)
    if not answer.unread:
        found = about_a_plan(*texts, is_verdict=answer.question is Question.VERDICT)
    difference = Difference.NONE
    if answer.theirs is not None and found.right is not answer.theirs:
        open_kind = Difference.NOT_UNDERSTOOD if found.verdict == "not_understood" else Difference.NO_ANSWER
        difference = open_kind if found.right is None else Difference.READ_OTHERWISE
    return Grade(
        **_named(answer),
        read=RAW,
        verdict=found.verdict,
        ours=found.right,
        extraction="",
        extraction_ours=None,
        difference=difference,
        why="" if found.right and not difference else found.why or "all that holds is said, and nothing else",
    )


def _grade(answer: Answer, found: dict[str, _Found]) -> Grade:
    read = "" if answer.unread else _graded(answer)
    result = found.get(_result_id(answer, read))
    extracted = None if answer.extracted is None else found.get(_result_id(answer, EXTRACTED))
    ours = None if result is None else _right(answer, result)
    of_extraction = None if extracted is None or answer.question is Question.NO_PLAN else _right(answer, extracted)
    judged = answer.theirs if answer.theirs is not None else of_extraction
    difference, why = Difference.NONE, ""
    if judged is not None and result is not None and ours is not judged:
        difference, why = _difference(answer, ours, read, result, extracted)
    return Grade(
        **_named(answer),
        read=read,
        verdict="unread" if result is None else result.verdict,
        ours=ours,
        extraction="" if extracted is None else extracted.verdict,
        extraction_ours=of_extraction,
        difference=difference,
        why=why,
    )


def _right(answer: Answer, result: _Found) -> bool | None:
    if result.claim:
        # Who gives up has given no right answer; nothing is said of a plan by that.
        return {"given up": False, "open": None}.get(result.claim, result.has)
    if answer.question is not Question.NO_PLAN or result.verdict == "not_understood":
        return result.has
    if result.has:
        return False
    says_so = result.claims_no_plan and result.is_empty
    return result.no_solution if says_so else False


_Said = tuple[Difference, str]


def _difference(answer: Answer, ours: bool | None, read: str, result: _Found, extracted: _Found | None) -> _Said:
    """Return where a difference comes from, and that in words."""
    if result.claim and answer.question is not Question.NO_PLAN:
        said = {"given up": "the answer has no plan: its author has none to give"}
        return Difference.CLAIM, said.get(result.claim, "the answer says that there is no plan")
    if ours is None:
        if result.verdict == "not_understood":
            return Difference.NOT_UNDERSTOOD, result.first
        return Difference.NO_ANSWER, f"no answer: {result.first}"
    if ours:
        return _right_after_all(answer, read, result, extracted)
    if not answer.extracted:
        nothing = "nothing was extracted, what PlanBench judged is not in the file; as it stands"
        return Difference.EMPTY, f"{nothing}: {result.first}"
    if answer.question is Question.CHEAPEST and result.verdict == "not_optimal":
        return Difference.COST, f"valid, but its cost is {result.cost} and the cheapest is {result.optimum}"
    if result.verdict == "goal" and any(name in answer.task for name in ("plan_reuse", "partial_to_full")):
        return Difference.GOAL, f"the prompt asks for more than PlanBench checks: {result.first}"
    if read == RAW and extracted is not None and extracted.has:
        kind, how = _extracted(result, extracted)
        return kind, f"the extraction made another plan of the answer{how}: {result.first}"
    if result.kinds & set(_MALFORMED):
        return Difference.MALFORMED, f"malformed, which PlanBench's validator passes over: {result.first}"
    return Difference.GRADER, result.first


def _right_after_all(answer: Answer, read: str, result: _Found, extracted: _Found | None) -> _Said:
    if answer.question is Question.NO_PLAN:
        return Difference.CLAIM, "the answer says that there is no plan, and it is proven that there is none"
    if read == RAW and (extracted is None or not extracted.has):
        if extracted is None:
            return Difference.EMPTY, "valid as it was answered; nothing was extracted"
        kind, how = _extracted(result, extracted)
        made = "nothing was extracted" if kind is Difference.EMPTY else "the extraction made another plan of it"
        return kind, f"valid as it was answered; {made}{how}: {extracted.first or 'an empty one'}"
    around = garnish(answer.extracted or "")
    if around:
        return Difference.GRADER, f"valid; {around}, which PlanBench's validator does not read"
    is_cheapest = answer.question is Question.CHEAPEST
    valid = "valid, and cheapest" if is_cheapest else "valid: every step executes, the goal holds"
    said = f"; PlanBench's validator said: {answer.said}" if answer.said and answer.said != "valid" else ""
    return Difference.GRADER, f"{valid}{said}"


def _extracted(result: _Found, extracted: _Found) -> _Said:
    """Return what the extraction did to the plan that was read from the answer, and that in brackets."""
    kind, how = between(result.steps, extracted.steps)
    if kind is Difference.NONE:
        kind = Difference.CHANGED  # the same steps, with something between them that is none
    return kind, f" ({how})" if how else ""
