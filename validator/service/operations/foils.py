"""The operations that answer why a plan is not another one, one question or a whole dialogue at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validator.errors import InputError
from validator.questions.given import flow_of, model_of, one_model
from validator.questions.job import Job, Value, bounded, plan_of, plan_text
from validator.reading.plan import Plan
from validator.service.operations import requests
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.foils.answer import Answer
    from validator.foils.dialogue import Dialogue, Subject

__all__ = ["is_final_answer", "why_not", "why_not_page"]


def why_not(request: requests.WhyNot, job: Job) -> Value:
    """Answer questions about a plan; without a foil they are the next turn of a dialogue."""
    from validator.foils.dialogue_table import dialogue_text, dialogue_value

    one_model(request.domain, request.problem, request.flow)
    if request.foil is not None:
        return _alone(_about_foil(request, job) if request.flow is None else _of_flow(request, job))
    dialogue, answer, subject = _turn(request, job)
    return {
        "feedback": dialogue_text(dialogue, answer, subject),
        **dialogue_value(dialogue, answer, subject),
    }


def _alone(answer: Answer) -> Value:
    from validator.foils.answer import answer_text, answer_value

    return {"feedback": answer_text(answer), "answer": answer_value(answer), "dialogue": None, "table": []}


def _turn(request: requests.WhyNot, job: Job) -> tuple[Dialogue, Answer, Subject]:
    """Return the dialogue with one answer more, and what it is about."""
    from validator.foils.dialogue import ask, begin, from_value

    dialogue = None if request.dialogue is None else from_value(request.dialogue)
    if dialogue is not None and request.plan is not None:
        raise InputError("the dialogue has its plan already; leave 'plan' out")
    subject, plan = _subject(request, dialogue, job)
    seconds = job.seconds(request)
    job.planner()
    dialogue, answer = ask(
        dialogue or begin(subject, plan),
        subject,
        list(map(_text, request.questions)),
        request.drop,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )
    return dialogue, answer, subject if request.flow is None else _subject(request, dialogue, job)[0]


def _subject(
    request: requests.WhyNot, dialogue: Dialogue | None, job: Job
) -> tuple[Subject, Plan | tuple[str, ...] | None]:
    """Return what a dialogue is about, and the plan to begin with."""
    from validator.foils.dialogue import subject_of
    from validator.foils.flows import flow_subject

    if request.flow is None:
        model = model_of(request.domain, request.problem)
        return subject_of(model), None if request.plan is None else _plan(request.plan, model, job)
    text = None if request.plan is None else no_path(plan_text(request.plan))
    subject = flow_subject(flow_of(request.flow), dialogue, text)
    for plan in subject.plans.values():
        bounded(len(plan.tokens), job.bounds)
    return subject, None if text is None else tuple(text.splitlines())


def _about_foil(request: requests.WhyNot, job: Job) -> Answer:
    from validator.foils.ask import why_not as ask

    assert request.foil is not None
    _no_dialogue(request)
    model = model_of(request.domain, request.problem)
    seconds = job.seconds(request)
    job.planner()
    return ask(
        model,
        _plan(request.foil, model, job),
        plan=None if request.plan is None else _plan(request.plan, model, job),
        constraints=request.questions,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )


def _of_flow(request: requests.WhyNot, job: Job) -> Answer:
    from validator.foils.ask import why_not as ask
    from validator.foils.flows import flow_model

    _no_dialogue(request)
    assert request.foil is not None
    texts = [no_path(plan_text(each)) for each in (request.foil, request.plan) if each is not None]
    model = flow_model(flow_of(request.flow), *texts)
    foil, *plans = model.plans
    for each in model.plans:
        bounded(len(each.tokens), job.bounds)
    seconds = job.seconds(request)
    job.planner()
    return ask(
        model.prepared,
        foil,
        plan=plans[0] if plans else None,
        constraints=request.questions,
        view=model.view,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )


def _no_dialogue(request: requests.WhyNot) -> None:
    if request.dialogue is not None or request.drop:
        raise InputError("a dialogue has no foil")


def _plan(plan: requests.PlanText, model: Prepared, job: Job) -> Plan:
    return plan_of(plan, model, None, job.bounds)


def _text(question: str | Mapping[str, Any]) -> str:
    return question if isinstance(question, str) else json.dumps(question)


def why_not_page(request: requests.WhyNot, job: Job) -> Value:
    """Return the page of a dialogue, with the dialogue to go on with; of a foil, of one answer."""
    from validator.foils.dialogue import to_value
    from validator.foils.dialogue_table import answer_page, dialogue_page

    if request.foil is not None:
        return {"html": answer_page(why_not(request, job)["feedback"]), "dialogue": None}
    one_model(request.domain, request.problem, request.flow)
    dialogue, answer, subject = _turn(request, job)
    return {"html": dialogue_page(dialogue, answer, subject), "dialogue": to_value(dialogue)}


def is_final_answer(value: Value) -> bool:
    """Return whether the same question would get the same answer: nothing was left open for want of time."""
    return value["answer"]["possible"] is not None and not value["answer"]["reason"]
