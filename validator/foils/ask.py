"""Questions about a plan: why not this one, what if a step must, must not, or may not so often, happen.

Contrastive questions (Fox, Long and Magazzeni 2017; Krarup et al. 2021) become constraints on plans, compiled into the
task, or changes of the model; the answer is the cheapest plan that keeps to them and the one nearest to the user's,
each with its cost beside the plan's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from validator.checking.prepared import Prepared
from validator.checking.solve import solve
from validator.errors import InputError
from validator.execution.time.execution import not_executed
from validator.foils.answers import Answer
from validator.foils.changes import Wish
from validator.foils.inquiry import Inquiry
from validator.foils.language.context import Context
from validator.foils.language.read import read_question
from validator.foils.questions import Question
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, deadline_of, left_until
from validator.model.values import features_text
from validator.reading.plan import Plan
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.records import replace
from validator.texts import read_plan_text

_DEFAULT_SECONDS = 10.0

PlanLike = str | Path | Plan


def why_not(
    prepared: Prepared,
    foil: PlanLike | None = None,
    *,
    plan: PlanLike | None = None,
    constraints: Sequence[Wish | str] | str = (),
    facts: Iterable[str] = (),
    time_limit: float = _DEFAULT_SECONDS,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Answer:
    """Say what would come of the user's own plan, of constraints on the plan, or of both.

    ``constraints`` are constraints on the plan and changes of the model, as values or as questions in words or PDDL 3
    (see ``validator.foils.language``). ``foil`` is the user's plan; without one, the nearest plan to ``plan`` is
    looked for. Without ``plan``, a cheapest plan of the model takes its place, or the best one found in time. ``facts``
    are sentences that come first. ``time_limit`` is in seconds of wall clock, ``memory_limit`` in bytes for each
    planner process.

    Of a plan or a foil of whose text a piece was not understood nothing is said: the answer is not known.

    Raises InputError when there is neither a foil nor a constraint and for a question that cannot be read, PlannerError
    when a planner fails.
    """
    if not isinstance(prepared, Prepared):
        raise TypeError(f"a model is what prepare(domain, problem) returns, not {type(prepared).__name__}")
    constraints = [constraints] if isinstance(constraints, str) else constraints
    if foil is None and not constraints:
        raise InputError("a question needs a foil or a constraint")
    latest = deadline_of(time_limit, memory_limit)  # reading takes its part
    given = None if plan is None else _read(prepared, plan)
    found: list[Plan] = []

    def cheapest() -> Plan | None:
        """Find the plan that a question is about which names none."""
        plan = solve(prepared, time_limit=left_until(latest) / 2, memory_limit=memory_limit).plan
        found.extend([] if plan is None else [Plan(parts=plan)])
        return found[0] if found else None

    context = Context(simulator=prepared.simulator, plan=given, cheapest=cheapest)
    questions = [read_question(each, context) if isinstance(each, str) else each for each in constraints]
    given = found[0] if found else given
    wishes = [wish for each in questions for wish in (each.constraints if isinstance(each, Question) else (each,))]
    facts = [*facts, *(fact for each in questions if isinstance(each, Question) for fact in each.facts)]
    is_made = foil is None
    if is_made:
        foil = next((each.foil for each in questions if isinstance(each, Question) and each.foil is not None), None)
    model = prepared.model
    if unknown := not_executed(model):
        used = features_text(unknown)
        return Answer(constraints=tuple(wishes), possible=None, reason=f"the model uses what is not executed: {used}")
    own = None if foil is None else _read(prepared, foil)
    for name, read in (("foil", own), ("plan", given)):
        if read is not None and (why := unclear(read)):
            reason = f"{why} (the {name})"
            return Answer(constraints=tuple(wishes), possible=None, reason=reason, has_own_foil=own is not None)
    inquiry = Inquiry
    if model.features:
        from validator.foils.numeric_temporal import (
            NumericTemporalInquiry,  # with what plans with numbers and over time need
        )

        inquiry = NumericTemporalInquiry
    asked = inquiry(prepared, tuple(dict.fromkeys(wishes)), left_until(latest), memory_limit)
    answer = asked.answer(own, given, is_made=is_made)
    return replace(answer, facts=(*facts, *answer.facts))


def _read(prepared: Prepared, plan: PlanLike) -> Plan:
    return plan if isinstance(plan, Plan) else tokenize(read_plan_text(plan), prepared.vocabulary)
