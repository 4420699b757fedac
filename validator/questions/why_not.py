"""Why is a plan not another one, and what if?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from validator.questions.job import Job, PlanText, Value, lines_of, plan_of
from validator.questions.models import OfModel, model_of
from validator.questions.question import MODEL, option, question
from validator.reading.plan import Plan

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.foils.answers import Answer


@question
class WhyNot(OfModel):
    """Questions about a plan: why not another one, and what if."""

    plan: PlanText | None = option(
        "the plan in question; default: a cheapest one", default=None, parse=Path, metavar="PLAN"
    )
    foil: PlanText | None = option("another plan: why not this one?", default=None, faces=MODEL)
    questions: str | tuple[str, ...] = option(
        "a list or one per line: why not use truck2?; must not (drive _ a b); (a) before (b); at most 2 (a); "
        "never (p); (a) only if (p); within cost 30; without object truck2; why (a); why unsolvable",
        default=(),
        many=True,
        flag="ask",
        metavar="QUESTION",
    )


def why_not(request: WhyNot, job: Job) -> Value:
    """Answer questions about a plan."""
    from validator.foils.answers import answer_text, answer_value

    answer = answer_of(request, job)
    return {"feedback": answer_text(answer), "answer": answer_value(answer)}


def answer_of(request: WhyNot, job: Job) -> Answer:
    """Return the answer to questions about a plan."""
    from validator.foils.ask import why_not as ask

    model = model_of(request.domain, request.problem)
    seconds = job.seconds(request)
    job.planner()
    return ask(
        model,
        _plan(request.foil, model, job),
        plan=_plan(request.plan, model, job),
        constraints=lines_of(request.questions, "questions", 100),
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )


def _plan(plan: PlanText | None, model: Prepared, job: Job) -> Plan | None:
    return None if plan is None else plan_of(plan, model, None, job.bounds)


def is_final_answer(value: Value) -> bool:
    """Return whether the same question would get the same answer: nothing was left open for want of time."""
    return value["answer"]["possible"] is not None and not value["answer"]["reason"]
