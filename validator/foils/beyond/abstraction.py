"""A classical model that allows more than one with numbers or time: what is impossible there is impossible.

Conditions on numbers hold, effects on them are not there. A durative action begins as the step that it is, and may end
at any time behind that, again and again; what happens at a given time may happen at any. Each plan, in order of its
happenings, is then a plan of the abstraction. Where that cannot be said, there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.model.formulas import (
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
    Not,
    NumericEffect,
    Or,
    Parameter,
)
from validator.model.temporal import DurativeAction, When
from validator.model.values import Action, Domain, Model, Problem

__all__ = ["abstraction"]

_UNDERSTOOD = frozenset(
    ("numeric-fluents", "durative-actions", "timed-initial-literals", "duration-inequalities", "constraints")
)


class _NotUnderstoodError(Exception):
    """The model has something of which the abstraction cannot be said to allow more."""


def abstraction(model: Model) -> Model | None:
    """Return the abstraction of a model, None where it has something that is not understood here."""
    domain, problem = model.domain, model.problem
    if not model.features.keys() <= _UNDERSTOOD or domain.processes or domain.events:
        return None
    try:
        if any(_relaxed(axiom.condition) != axiom.condition for axiom in domain.axioms):
            return None
        actions = {action.name: action for action in _actions(model)}
        goal = _relaxed(problem.goal)
    except _NotUnderstoodError:
        return None
    predicates = {**domain.predicates, **{_running(name): each.parameters for name, each in domain.durative.items()}}
    return Model(
        domain=Domain(
            name=domain.name,
            types=domain.types,
            constants=domain.constants,
            predicates=predicates,
            functions={},
            actions=actions,
            axioms=domain.axioms,
        ),
        problem=Problem(name=problem.name, objects=problem.objects, init=problem.init, values={}, goal=goal),
    )


def _actions(model: Model) -> Iterator[Action]:
    domain = model.domain
    for action in domain.actions.values():
        if action.name not in domain.durative:
            precondition = _relaxed(action.precondition)
            effects = tuple(_effects(action.effects))
            yield Action(
                name=action.name,
                parameters=action.parameters,
                precondition=precondition,
                effects=effects,
                step=action.step,
            )
    for durative in domain.durative.values():
        yield from _halves(durative)
    for number, fact in enumerate(model.problem.timed):
        effects = tuple(_effects((fact.effect,)))
        yield Action(name=f"time-passes {number}", parameters=(), precondition=And(()), effects=effects)


def _halves(action: DurativeAction) -> Iterator[Action]:
    """Yield the beginning of a durative action, under its name, and its end."""
    running = Atom(_running(action.name), tuple(parameter.name for parameter in action.parameters))
    yield _half(action, action.name, action.parameters, When.START, (), (Literal(running),))
    yield _half(action, f"{action.name} ends", action.parameters, When.END, (running,), ())


def _half(
    action: DurativeAction,
    name: str,
    parameters: tuple[Parameter, ...],
    when: When,
    needed: tuple[Formula, ...],
    made: tuple[Effect, ...],
) -> Action:
    conditions = (_relaxed(each.condition) for each in action.conditions if each.when is when)
    effects: list[Effect] = []
    for each in action.effects:
        if each.earlier is not None or each.parameters:
            raise _NotUnderstoodError
        effects += _effects(each.effects) if each.when is when else ()
    return Action(name=name, parameters=parameters, precondition=And((*needed, *conditions)), effects=(*effects, *made))


def _running(name: str) -> str:
    return f"running {name}"


def _effects(effects: Iterable[Effect]) -> Iterator[Effect]:
    """Yield the effects on facts; one that depends on numbers may or may not happen, which is not said here."""
    for effect in effects:
        if isinstance(effect, Conditional):
            inner = tuple(_effects(effect.effects))
            if inner and _relaxed(effect.condition) != effect.condition:
                raise _NotUnderstoodError
            if inner:
                yield Conditional(effect.parameters, effect.condition, inner)
        elif not isinstance(effect, NumericEffect):
            yield effect


def _relaxed(formula: Formula, positive: bool = True) -> Formula:
    """Return a condition, or its negation, in which comparisons hold whatever they say."""
    match formula:
        case Compare():
            return And(())
        case Not(part):
            inner = _relaxed(part, not positive)
            return formula if positive and inner == Not(part) else inner
        case And(parts) | Or(parts):
            found = tuple(_relaxed(part, positive) for part in parts)
            return And(found) if isinstance(formula, And) is positive else Or(found)
        case Imply(premise, conclusion):
            return _relaxed(Or((Not(premise), conclusion)), positive)
        case Forall(parameters, part) | Exists(parameters, part):
            inner = _relaxed(part, positive)
            is_all = isinstance(formula, Forall) is positive
            return Forall(parameters, inner) if is_all else Exists(parameters, inner)
    return formula if positive else Not(formula)
