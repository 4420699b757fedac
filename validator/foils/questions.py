"""Partial questions about a plan: each turned into constraints, and into what executing parts of the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from validator.automata.constraints import Must, MustNot, Starts
from validator.automata.pattern import Pattern, is_open
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind
from validator.foils.findings import Wish
from validator.foils.links import purpose
from validator.foils.view import PDDL, View
from validator.reading.plan import Plan, Step
from validator.records import dataclass

__all__ = ["PremiseError", "Question", "instead", "not_at", "why"]

_MOST_WAYS = 2000
_PLACED = frozenset(("numeric-fluents",))
"""what models may use besides in whose plans each step has a place of its own"""


class PremiseError(InputError):
    """A question that was understood takes for granted what is not so: "why is A step 3?" where it is step 4."""


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
    Raises PremiseError for a place to which the plan does not lead.
    """
    before, facts = _before(simulator, plan, at, view)
    shown = tuple(map(view.show, before))
    if step.is_open or simulator.model.features:
        told = (
            () if _is_possible(simulator, before, step) is not False else (f"No way to do {step} is possible there.",)
        )
        return Question(constraints=(Starts(steps=shown, then=step),), facts=(*facts, *told))
    other = view.hidden(Step(name=step.name, args=step.args))
    if other is None:
        raise PremiseError(f"{step} is not a step of the model")
    failures = _faults(simulator, [*before, other])
    if not failures:
        return Question(constraints=(Starts(steps=(*shown, view.show(other))),), facts=facts)
    fault = view.sentences(simulator, failures, [*before, other])[0]
    return Question(
        constraints=(Must(step=step),),
        facts=(*facts, f"It cannot be done there. {fault}."),
        foil=Plan(parts=(*before, other, *_steps(simulator, plan)[at:])),
    )


def not_at(simulator: Simulator, plan: Plan, step: Pattern, at: int, view: View = PDDL) -> Question:
    """Ask why a step is step ``at`` of the plan, from 1: what if another one comes there, after the same steps.

    Raises PremiseError for a place to which the plan does not lead.
    """
    before, facts = _before(simulator, plan, at, view)
    return Question(constraints=(Starts(steps=tuple(map(view.show, before)), then=step, is_not=True),), facts=facts)


def _before(simulator: Simulator, plan: Plan, at: int, view: View) -> tuple[list[Step], tuple[str, ...]]:
    """Return the steps of a plan before a place to which it leads, and what the one that is there is for."""
    if simulator.model.features.keys() - _PLACED:
        raise PremiseError("a place in the plan is asked about where steps have no times")
    steps = _steps(simulator, plan)
    if not 1 <= at <= len(steps) + 1:
        raise PremiseError(
            f"the plan has {len(steps)} steps; a place from 1 to {len(steps) + 1} was expected, not {at}"
        )
    before = steps[: at - 1]
    if simulator.model.features:  # what a step provides is told of plans without numbers
        return before, ()
    if failures := _faults(simulator, before):
        fault = view.sentences(simulator, failures, before)[0]
        raise PremiseError(f"the plan does not execute up to step {at}: {fault}")
    told = _purpose(simulator, steps, steps[at - 1]) if at <= len(steps) else ""
    return before, (told,) if told else ()


def _is_possible(simulator: Simulator, before: Sequence[Step], step: Pattern) -> bool | None:
    """Return whether one of the steps of a pattern can be done behind others; None where they are too many to look."""
    actions = simulator.model.domain.actions
    found = False
    for each in step.alternatives:
        if each.is_any_step or each.name not in actions or simulator.model.features:
            return None
        kinds = [simulator.model.objects_of(parameter.types) for parameter in actions[each.name].parameters]
        args = [kind if is_open(arg) else (arg,) for arg, kind in zip(each.args, kinds, strict=True)]
        if prod(map(len, args)) > _MOST_WAYS:
            return None
        ways = (Step(name=each.name, args=way) for way in product(*args))
        found = found or any(each.matches(way) and not _faults(simulator, [*before, way]) for way in ways)
    return found


def _steps(simulator: Simulator, plan: Plan) -> list[Step]:
    """Return the steps of a plan without times; raises PremiseError for a text with something else in it."""
    found = [simulator.resolve(token) for token in plan.tokens or plan.unread]
    strange = next((token for token in found if not isinstance(token, Step)), None)
    if strange is not None:
        raise PremiseError(f"the plan has '{strange}', which is no step of the model")
    return [Step(name=each.name, args=each.args) for each in found if isinstance(each, Step)]


def _faults(simulator: Simulator, steps: Sequence[Step]) -> list[Failure]:
    return [failure for failure in simulator.run(list(steps)).failures if failure.kind is not Kind.GOAL]


def _purpose(simulator: Simulator, steps: Sequence[Step], step: Step) -> str:
    return purpose(simulator, steps, step) if simulator.run(list(steps)).is_valid else ""
