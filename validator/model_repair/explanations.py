"""Edits in words, each with what goes wrong without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.checking.check import check
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure
from validator.model.pddl import read_domain
from validator.model.values import Domain, Model
from validator.model_repair.cases import Case
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.source.rewrite import rewritten
from validator.reading.plan import Plan, Step
from validator.texts import no_path

__all__ = ["explained", "said"]

_SAY = {
    Kind.REMOVE_PRECONDITION: "{action}: the precondition {literal} is superfluous",
    Kind.ADD_PRECONDITION: "{action}: the precondition {literal} is missing",
    Kind.ADD_ADD: "{action}: the effect {literal} is missing",
    Kind.REMOVE_ADD: "{action}: the effect {literal} is superfluous",
    Kind.ADD_DELETE: "{action}: the effect (not {literal}) is missing",
    Kind.REMOVE_DELETE: "{action}: the effect (not {literal}) is superfluous",
    Kind.REMOVE_CONDITION: "{action}: the condition {literal} of an effect is superfluous",
}


def said(edit: Edit) -> str:
    """Return an edit as a sentence."""
    return _SAY[edit.kind].format(action=edit.action, literal=edit.literal)


def explained(edits: Sequence[Edit], text: str, cases: Sequence[Case]) -> Iterator[str]:
    """Yield each edit as a sentence, with the first thing that goes wrong when all others are made and it is not."""
    for edit in edits:
        others = [other for other in edits if other is not edit]
        fault = next(_faults(read_domain(no_path(rewritten(text, others))), cases), "")
        yield f"{said(edit)}; without it, {fault}" if fault else said(edit)


def _faults(domain: Domain, cases: Sequence[Case]) -> Iterator[str]:
    for case in cases:
        steps = tuple(Step(name=name, args=args) for name, args in case.steps)
        failures = _failures(Model(domain=domain, problem=case.model.problem), Plan(parts=steps))
        where = f"{case.name}, " if len(cases) > 1 else ""
        if case.must_fail and not failures:
            yield f"{case.name} is valid"
        elif not case.must_fail and failures:
            first = sentences(failures[:1], steps)[0]
            yield f"{where}{first[:1].lower()}{first[1:]}"


def _failures(model: Model, plan: Plan) -> tuple[Failure, ...]:
    if model.features:
        return check(model, None, plan, repair=False).failures
    return Simulator(model).run(plan).failures
