"""Why is a plan not another one, and what if?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from validator.errors import InputError
from validator.questions.given import flow_of, model_of, one_model
from validator.questions.job import Job, PlanText, Value, bounded, plan_of, plan_text
from validator.questions.question import Question, option, question
from validator.reading.plan import Plan
from validator.texts import no_path

if TYPE_CHECKING:
    from validator.checking.prepared import Prepared
    from validator.foils.answer import Answer
    from validator.foils.dialogue import Dialogue, Subject


__all__ = ["WhyNot", "is_final_answer", "why_not", "why_not_page"]


@question
class WhyNot(Question):
    """Questions about a plan of a PDDL model or of a flow: why not another one, and what if."""

    domain: str | None = option("PDDL domain: its text, not the name of a file; with problem", default=None)
    problem: str | None = option("PDDL problem: its text; with domain", default=None)
    flow: dict[str, Any] | str | None = option(
        "a flow, in place of domain and problem: an object, or a text of JSON or YAML", default=None
    )
    plan: PlanText | None = option("the plan that is asked about; default: a cheapest one", default=None)
    foil: PlanText | None = option("a plan of your own, in its place: why not this one", default=None)
    questions: tuple[str | dict[str, Any], ...] = option(
        "in English, 'why not use truck2?', or: must not (drive _ a b); (a) before (b); at most 2 (a); "
        "never (p); (a) only if (p); within cost 30; without object truck2; why (a); why unsolvable; none"
        " asks again",
        default=(),
        schema={"max_length": 100},
    )
    dialogue: dict[str, Any] | None = option(
        "the dialogue of the answer before, whose questions still hold", default=None
    )
    drop: tuple[int, ...] = option("numbers of questions of the dialogue that no longer hold, from 1", default=())


def why_not(request: WhyNot, job: Job) -> Value:
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


def _turn(request: WhyNot, job: Job) -> tuple[Dialogue, Answer, Subject]:
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


def _subject(request: WhyNot, dialogue: Dialogue | None, job: Job) -> tuple[Subject, Plan | tuple[str, ...] | None]:
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


def _about_foil(request: WhyNot, job: Job) -> Answer:
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


def _of_flow(request: WhyNot, job: Job) -> Answer:
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


def _no_dialogue(request: WhyNot) -> None:
    if request.dialogue is not None or request.drop:
        raise InputError("a dialogue has no foil")


def _plan(plan: PlanText, model: Prepared, job: Job) -> Plan:
    return plan_of(plan, model, None, job.bounds)


def _text(question: str | Mapping[str, Any]) -> str:
    return question if isinstance(question, str) else json.dumps(question)


def why_not_page(request: WhyNot, job: Job) -> Value:
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
