"""The ground steps of a model with numbers or time that can matter at all: what is reachable when nothing is deleted.

Fast Downward's translator finds them on a classical model that allows more than the real one: a comparison of numbers
is taken to come out as it should, and a durative action is two steps, its start and its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validator.execution.simulator import Simulator
from validator.grounding.encoding.encode import encode
from validator.grounding.limits import Limits, Status
from validator.grounding.processes.translation import reached
from validator.model.temporal import DurativeAction, When
from validator.model.values import (
    TRUE,
    Action,
    And,
    Atom,
    Compare,
    Conditional,
    Effect,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Model,
    Not,
    Or,
    Parameter,
)
from validator.reading.plan import Step
from validator.records import replace

__all__ = ["loosened", "reachable_steps", "relaxed_model"]

_FALSE = Or(())

_MAYBE = Atom("%maybe", ())
"""True or false at will: what happens under a condition that is not known may happen or not.

Would it always happen, the translator could infer from what it deletes that two atoms exclude each other.
"""


def reachable_steps(model: Model, limits: Limits) -> tuple[Step, ...] | Status:
    """Return the ground steps of a model of which all conditions are reachable, if not more, or the limit that was met.

    Raises PlannerError when the translator fails.
    """
    encoding = encode(Simulator(relaxed_model(model)), with_costs=False)
    names = reached(encoding.domain, encoding.problem, limits)
    if isinstance(names, Status):
        return names
    durative = model.domain.durative
    known = (encoding.step(name) for name in names if name.split(maxsplit=1)[0] in encoding.actions)
    found = [step for step in known if not step.name.startswith(("%timed", "%inner"))]
    ended = {Step(name=step.name[4:], args=step.args) for step in found if step.name.startswith("%end")}
    return tuple(step for step in found if step in ended or step.name in model.domain.actions.keys() - durative.keys())


def relaxed_model(model: Model, *, holds_throughout: bool = True) -> Model:
    """Return a classical model that allows more than one with numbers or time, and whose goal is always reached.

    Each plan, in order of its happenings, is a plan of it; ``holds_throughout`` says that what must hold while an
    action lasts is needed at its end, which is not so of one that lasts no time. An end is called ``%end`` and the
    action, what happens at a given time ``%timed``.
    """
    domain, problem = model.domain, model.problem
    actions: dict[str, Action] = {}
    predicates: dict[str, tuple[Parameter, ...]] = {**domain.predicates, _MAYBE.predicate: ()}
    for name, action in domain.actions.items():
        if name in domain.durative:
            predicates[f"%run{name}"] = action.parameters
            actions |= _parts(domain.durative[name], holds_throughout)
        else:
            actions[name] = _instantaneous(action)
    for event in domain.events:
        actions[f"%event-{event.name}"] = _instantaneous(replace(event, name=f"%event-{event.name}"))
    for number, fact in enumerate(problem.timed):
        effects = _without_numbers((fact.effect,))
        if effects:
            name = f"%timed{number}"
            actions[name] = Action(name=name, parameters=(), precondition=TRUE, effects=effects)
    if any(map(_may_happen, actions.values())):
        for name, value in (("%may", True), ("%may-not", False)):
            actions[name] = Action(name=name, parameters=(), precondition=TRUE, effects=(Literal(_MAYBE, value),))
    bare = model.with_only(actions)
    domain, problem = replace(bare.domain, predicates=predicates), replace(bare.problem, goal=TRUE, values={})
    return Model(domain=domain, problem=problem)


def _may_happen(action: Action) -> bool:
    """Return whether an action has effects of which it is not known whether they happen."""
    conditions = (effect.condition for effect in action.effects if isinstance(effect, Conditional))
    return any(_MAYBE in (each, *getattr(each, "parts", ())) for each in conditions)


def _instantaneous(action: Action) -> Action:
    condition, effects = loosened(action.precondition, True), _without_numbers(action.effects)
    return replace(action, precondition=condition, effects=effects, preferences=())


def _parts(action: DurativeAction, holds_throughout: bool) -> Mapping[str, Action]:
    """Return the start of a durative action under its own name, and its end."""
    running = Atom(f"%run{action.name}", tuple(parameter.name for parameter in action.parameters))
    parts = {}
    ending = (When.ALL, When.END) if holds_throughout else (When.END,)
    for name, whens in ((action.name, (When.START,)), (f"%end{action.name}", ending)):
        conditions = [loosened(timed.condition, True) for timed in action.conditions if timed.when in whens]
        effects: list[Effect] = []
        for timed in action.effects:
            if timed.when in whens:
                inner = _without_numbers(timed.effects)
                is_plain = timed.earlier is None and not timed.parameters
                effects += inner if is_plain else (Conditional(timed.parameters, _MAYBE, inner),)
        if When.START in whens:
            effects.append(Literal(running))
        else:
            conditions.append(running)
        parts[name] = Action(
            name=name, parameters=action.parameters, precondition=And(tuple(conditions)), effects=tuple(effects)
        )
    for number, within in enumerate(action.inner):  # at any time from the start on, also behind the end
        name, effects = f"%inner{number}{action.name}", list(_without_numbers(within.effects))
        if effects:
            parts[name] = Action(name=name, parameters=action.parameters, precondition=running, effects=tuple(effects))
    return parts


def _without_numbers(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    found: list[Effect] = []
    for effect in effects:
        if isinstance(effect, Literal):
            found.append(effect)
        elif isinstance(effect, Conditional):
            inner, condition = _without_numbers(effect.effects), loosened(effect.condition, True)
            if inner:
                condition = condition if condition == effect.condition else And((condition, _MAYBE))
                found.append(replace(effect, condition=condition, effects=inner))
    return tuple(found)


def loosened(formula: Formula, wanted: bool) -> Formula:
    """Return a condition in which every comparison comes out as is ``wanted`` of the whole."""
    match formula:
        case Compare():
            return TRUE if wanted else _FALSE
        case Not(part):
            return Not(loosened(part, not wanted))
        case And(parts):
            return And(tuple(loosened(part, wanted) for part in parts))
        case Or(parts):
            return Or(tuple(loosened(part, wanted) for part in parts))
        case Imply(premise, conclusion):
            return Imply(loosened(premise, not wanted), loosened(conclusion, wanted))
        case Forall(parameters, part):
            return Forall(parameters, loosened(part, wanted))
        case Exists(parameters, part):
            return Exists(parameters, loosened(part, wanted))
        case _:
            return formula
