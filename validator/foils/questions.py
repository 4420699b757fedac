"""Partial questions about a plan: each turned into constraints, and into what executing parts of the plan says."""

from __future__ import annotations

from collections.abc import Sequence

from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind
from validator.foils.compiled.constraints import Must, MustNot, Starts
from validator.foils.compiled.pattern import Pattern
from validator.foils.findings import Wish
from validator.foils.links import purpose
from validator.foils.view import PDDL, View
from validator.reading.plan import Plan, Step
from validator.records import dataclass

__all__ = ["Question", "instead", "why"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to ask ``why_not``: constraints, facts to begin with, and a foil where the question stands for one."""

    constraints: tuple[Wish, ...] = ()
    facts: tuple[str, ...] = ()
    foil: Plan | None = None


def why(simulator: Simulator, plan: Plan, step: Pattern, view: View = PDDL) -> Question:
    """Ask why a step is in the plan: what happens without it, and what a plan without it would be."""
    if simulator.model.features:  # what a step provides is told of plans without numbers and time
        return Question(constraints=(MustNot(step=step),))
    steps = _steps(simulator, plan)
    chosen = [each for each in dict.fromkeys(steps) if step.matches(view.seen(simulator, each))]
    asked = (MustNot(step=step),)
    if not chosen:
        return Question(constraints=asked, facts=(f"{step} is not in the plan.",))
    facts = [told for each in chosen if (told := _purpose(simulator, steps, each))]
    left = [each for each in steps if each not in chosen]
    failures = simulator.run(left).failures
    without = f"Without {step}, " + (view.sentences(simulator, failures, left)[0] if failures else "the plan is valid")
    return Question(constraints=asked, facts=(*facts, f"{without}."))


def instead(simulator: Simulator, plan: Plan, step: Pattern, at: int, view: View = PDDL) -> Question:
    """Ask why step ``at`` of the plan, from 1, is not another one: the steps before it stay as they are.

    Where the other step cannot be done there, it must be done somewhere, in a plan near the one that has it there.
    Raises InputError for a step with open arguments, and for a place to which the plan does not lead.
    """
    if simulator.model.features:
        raise InputError("a place in the plan is asked about where steps have no times and the model no numbers")
    steps = _steps(simulator, plan)
    if step.is_open:
        raise InputError(f"a step without open arguments was expected in place of step {at}, not {step}")
    if not 1 <= at <= len(steps) + 1:
        raise InputError(f"the plan has {len(steps)} steps; a place from 1 to {len(steps) + 1} was expected, not {at}")
    before = steps[: at - 1]
    if failures := _faults(simulator, before):
        fault = view.sentences(simulator, failures, before)[0]
        raise InputError(f"the plan does not execute up to step {at}: {fault}")
    other = view.hidden(Step(name=step.name, args=step.args))
    if other is None:
        raise InputError(f"{step} is not a step of the model")
    told = _purpose(simulator, steps, steps[at - 1]) if at <= len(steps) else ""
    facts = (told,) if told else ()
    failures = _faults(simulator, [*before, other])
    if not failures:
        return Question(constraints=(Starts(steps=tuple(map(view.show, (*before, other)))),), facts=facts)
    fault = view.sentences(simulator, failures, [*before, other])[0]
    return Question(
        constraints=(Must(step=step),),
        facts=(*facts, f"It cannot be done there. {fault}."),
        foil=Plan(parts=(*before, other, *steps[at:])),
    )


def _steps(simulator: Simulator, plan: Plan) -> list[Step]:
    """Return the steps of a plan without times; raises InputError for a text with something else in it."""
    found = [simulator.resolve(token) for token in plan.tokens or plan.unread]
    strange = next((token for token in found if not isinstance(token, Step)), None)
    if strange is not None:
        raise InputError(f"the plan has '{strange}', which is no step of the model")
    return [Step(name=each.name, args=each.args) for each in found if isinstance(each, Step)]


def _faults(simulator: Simulator, steps: Sequence[Step]) -> list[Failure]:
    return [failure for failure in simulator.run(list(steps)).failures if failure.kind is not Kind.GOAL]


def _purpose(simulator: Simulator, steps: Sequence[Step], step: Step) -> str:
    return purpose(simulator, steps, step) if simulator.run(list(steps)).is_valid else ""
