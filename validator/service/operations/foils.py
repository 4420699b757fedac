"""The operations that answer why a plan is not another one, one question or a whole dialogue at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validator.errors import InputError
from validator.reading.plan import Plan
from validator.service.given import flow_of, model_of, one_model
from validator.service.operations import requests
from validator.service.operations.asked import Job, Value, bounded, plan_of, plan_text
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.foils.answer import Answer
    from validator.foils.dialogue.dialogue import Dialogue

__all__ = ["is_final_answer", "why_not", "why_not_page"]


def why_not(request: requests.WhyNot, job: Job) -> Value:
    """Answer questions about a plan; without a foil and without a flow they are the next turn of a dialogue."""
    from validator.foils.dialogue.present import dialogue_text, dialogue_value

    one_model(request.domain, request.problem, request.flow)
    if request.flow is not None:
        return _alone(_of_flow(request, job))
    model = model_of(request.domain, request.problem)
    if request.foil is not None:
        return _alone(_about_foil(request, model, job))
    dialogue, answer = _turn(request, model, job)
    return {
        "feedback": dialogue_text(dialogue, answer, model),
        **dialogue_value(dialogue, answer, model),
    }


def _alone(answer: Answer) -> Value:
    from validator.foils.answer import answer_text, answer_value

    return {"feedback": answer_text(answer), "answer": answer_value(answer), "dialogue": None, "table": []}


def _turn(request: requests.WhyNot, model: Prepared, job: Job) -> tuple[Dialogue, Answer]:
    from validator.foils.dialogue.dialogue import ask, begin, from_value

    if request.dialogue is None:
        dialogue = begin(model, None if request.plan is None else _plan(request.plan, model, job))
    elif request.plan is not None:
        raise InputError("the dialogue has its plan already; leave 'plan' out")
    else:
        dialogue = from_value(request.dialogue)
    seconds = job.seconds(request)
    job.planner()
    texts = list(map(_text, request.questions))
    return ask(dialogue, model, texts, request.drop, time_limit=seconds, memory_limit=job.bounds.memory_limit)


def _about_foil(request: requests.WhyNot, model: Prepared, job: Job) -> Answer:
    from validator.foils.ask import why_not as ask

    assert request.foil is not None
    _no_dialogue(request)
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
    texts = [no_path(plan_text(each)) for each in (request.foil, request.plan) if each is not None]
    model = flow_model(flow_of(request.flow), *texts)
    plans = list(model.plans)
    for each in plans:
        bounded(len(each.tokens), job.bounds)
    foil = plans.pop(0) if request.foil is not None else None
    seconds = job.seconds(request)
    job.planner()
    return ask(
        model.prepared,
        foil,
        plan=plans[0] if plans else None,
        constraints=request.questions,
        view=model.view,
        names=model.names,
        time_limit=seconds,
        memory_limit=job.bounds.memory_limit,
    )


def _no_dialogue(request: requests.WhyNot) -> None:
    if request.dialogue is not None or request.drop:
        raise InputError("a dialogue is about the plan of a PDDL model, without a foil")


def _plan(plan: requests.PlanText, model: Prepared, job: Job) -> Plan:
    return plan_of(plan, model, None, job.bounds)


def _text(question: str | Mapping[str, Any]) -> str:
    return question if isinstance(question, str) else json.dumps(question)


def why_not_page(request: requests.WhyNot, job: Job) -> Value:
    """Return the page of a dialogue, with the dialogue to go on with; of a foil or a flow, of one answer."""
    from validator.foils.dialogue.dialogue import to_value
    from validator.foils.dialogue.present import answer_page, dialogue_page

    if request.flow is not None or request.foil is not None:
        return {"html": answer_page(why_not(request, job)["feedback"]), "dialogue": None}
    model = model_of(request.domain, request.problem)
    dialogue, answer = _turn(request, model, job)
    return {"html": dialogue_page(dialogue, answer, model), "dialogue": to_value(dialogue)}


def is_final_answer(value: Value) -> bool:
    """Return whether the same question would get the same answer: nothing was left open for want of time."""
    return value["answer"]["possible"] is not None and not value["answer"]["reason"]
