"""A policy laid on a planning model, whose plans are then decided and repaired as those of any classical model are.

Each constraint that the policy becomes speaks of facts that its calls alone make true, so that it is a precondition of
the calls that would violate it, or a part of the goal (Baier and McIlraith 2006 compile temporal constraints so).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.model.formulas import And, Conditional, Effect, Equal, Formula, Imply, Literal, Not
from validator.model.pddl import read_domain, read_problem
from validator.model.temporal import Trajectory
from validator.model.values import Action, Model
from validator.policies.compiled import compile_run
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.reading.calls import folded

__all__ = ["constrained"]

_MOST_CALLS = 2000


def constrained(policy: Policy, prepared: Prepared) -> Prepared:
    """Return a model whose valid plans are those of a PDDL model that keep a policy as well.

    A step that breaks a rule is one that cannot be executed; what a run lacks at its end is a part of the goal.

    A call is the action of the same name, whose parameters are its arguments. Raises InputError for a policy that asks
    for facts which it does not keep itself, and where more than 2,000 calls would have to be told apart.
    """
    if policy.external_facts:
        raise InputError(f"the policy asks for facts of a model: {', '.join(sorted(policy.external_facts))}")
    model = prepared.model
    events = [(action, args) for action in model.domain.actions.values() for args in _calls(policy, model, action)]
    if len(events) > _MOST_CALLS:
        raise InputError(f"the policy tells {len(events):,} calls of the model apart, and at most {_MOST_CALLS:,} are")
    compiled = compile_run(policy, [_event(action, args) for action, args in events])
    domain = read_domain(compiled.domain)
    problem = read_problem(compiled.problem, domain)
    actions = dict(model.domain.actions)
    for (action, args), call in zip(events, domain.actions.values(), strict=True):
        whole = actions[action.name]
        needs, effects = _needs(call.effects, problem.constraints)
        own = _equal(action, args)
        actions[action.name] = replace(
            whole,
            precondition=And((whole.precondition, *(Imply(own, need) if own.parts else need for need in needs))),
            effects=(*whole.effects, *_where(own, effects)),
        )
    return prepare(
        Model(
            domain=replace(
                model.domain,
                actions=actions,
                predicates={**model.domain.predicates, **domain.predicates},
                features=model.domain.features,
                is_whole=model.domain.is_whole,
            ),
            problem=replace(
                model.problem,
                init=model.problem.init | problem.init,
                goal=And((model.problem.goal, *_goals(problem.constraints))),
            ),
        )
    )


def _calls(policy: Policy, model: Model, action: Action) -> Iterator[tuple[str | None, ...]]:
    """Yield the arguments by which a policy tells the calls of an action apart; None for one that does not matter."""
    patterns = [pattern for rule in policy.rules for pattern in rule.patterns if pattern.names(action.name)]
    changes = [change for change in policy.changes if change.pattern.names(action.name)]
    patterns += [change.pattern for change in changes]
    if not patterns and not any(rule.is_closed for rule in policy.rules):
        return
    told = {folded(each.path) for pattern in patterns for each in pattern.comparisons}
    has_conditions = changes or any(rule.condition and rule.patterns[0].names(action.name) for rule in policy.rules)
    choices = [
        model.objects_of(parameter.types) if has_conditions or folded(parameter.name.lstrip("?")) in told else (None,)
        for parameter in action.parameters
    ]
    yield from product(*choices)


def _event(action: Action, args: tuple[str | None, ...]) -> Event:
    names = (parameter.name.lstrip("?") for parameter in action.parameters)
    return Event(action.name, {name: arg for name, arg in zip(names, args, strict=True) if arg is not None})


def _equal(action: Action, args: tuple[str | None, ...]) -> And:
    """Return the condition that an action has some arguments."""
    pairs = zip(action.parameters, args, strict=True)
    return And(tuple(Equal(parameter.name, arg) for parameter, arg in pairs if arg is not None))


def _where(own: And, effects: Iterable[Effect]) -> Iterator[Effect]:
    """Yield effects that are had only where a condition holds."""
    for effect in effects:
        if not own.parts:
            yield effect
        elif isinstance(effect, Conditional):
            yield replace(effect, condition=And((*own.parts, effect.condition)))
        else:
            yield Conditional((), own, (effect,))


def _needs(effects: Sequence[Effect], constraints: Sequence[Trajectory]) -> tuple[list[Formula], list[Effect]]:
    """Return what a call needs so that it violates no constraint, and its effects without those that would."""
    always = (part for each in constraints if each.operator == "always" for part in each.parts)
    never = {part.part for part in always if isinstance(part, Not)}
    needs: list[Formula] = []
    left: list[Effect] = []
    for effect in effects:
        parts = effect.effects if isinstance(effect, Conditional) else (effect,)
        made = [part.atom for part in parts if isinstance(part, Literal) and part.positive]
        if never.isdisjoint(made):
            left.append(effect)
        else:
            needs.append(Not(effect.condition if isinstance(effect, Conditional) else And(())))
    return needs, left


def _goals(constraints: Sequence[Trajectory]) -> Iterator[Formula]:
    """Yield what must hold at the end."""
    for each in constraints:
        if each.operator == "at end":
            yield from each.parts
