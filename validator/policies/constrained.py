"""A policy laid on a planning model: constraints of PDDL 3 on its plans, decided and repaired as any others are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.model.formulas import And, Conditional, Effect, Equal
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Action, Model
from validator.policies.compiled import compile_run
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.reading.calls import folded

__all__ = ["constrained"]

_MOST_CALLS = 2000


def constrained(policy: Policy, prepared: Prepared) -> Prepared:
    """Return a model whose valid plans are those of a PDDL model that keep a policy as well.

    A call is the action of the same name, whose parameters are its arguments. Raises InputError for a policy that asks
    for facts which it does not keep itself, and where more than 2,000 calls would have to be told apart.
    """
    if policy.asked:
        raise InputError(f"the policy asks for facts of a model: {', '.join(sorted(policy.asked))}")
    model = prepared.model
    events = [(action, args) for action in model.domain.actions.values() for args in _calls(policy, model, action)]
    if len(events) > _MOST_CALLS:
        raise InputError(f"the policy tells {len(events):,} calls of the model apart, and at most {_MOST_CALLS:,} are")
    compiled = compile_run(policy, [_event(action, args) for action, args in events])
    domain = read_domain(compiled.domain)
    problem = read_problem(compiled.problem, domain)
    actions = dict(model.domain.actions)
    for (action, args), call in zip(events, domain.actions.values(), strict=True):
        effect = _where(action, args, call.effects)
        actions[action.name] = replace(actions[action.name], effects=(*actions[action.name].effects, *effect))
    return prepare(
        Model(
            domain=replace(
                model.domain,
                actions=actions,
                predicates={**model.domain.predicates, **domain.predicates},
                features={**model.domain.features, **domain.features},
                is_whole=model.domain.is_whole,
            ),
            problem=replace(
                model.problem,
                init=model.problem.init | problem.init,
                features={**model.problem.features, **problem.features},
                constraints=(*model.problem.constraints, *problem.constraints),
            ),
        )
    )


def _calls(policy: Policy, model: Model, action: Action) -> Iterator[tuple[str | None, ...]]:
    """Yield the arguments by which a policy tells the calls of an action apart; None for one that does not matter."""
    key = folded(action.name)
    patterns = [pattern for rule in policy.rules for pattern in rule.patterns if pattern.names(key)]
    changes = [change for change in policy.changes if change.pattern.names(key)]
    patterns += [change.pattern for change in changes]
    if not patterns and not any(rule.is_closed for rule in policy.rules):
        return
    told = {folded(each.path) for pattern in patterns for each in pattern.comparisons}
    has_conditions = changes or any(rule.condition and rule.patterns[0].names(key) for rule in policy.rules)
    choices = [
        model.objects_of(parameter.types) if has_conditions or folded(parameter.name.lstrip("?")) in told else (None,)
        for parameter in action.parameters
    ]
    yield from product(*choices)


def _event(action: Action, args: tuple[str | None, ...]) -> Event:
    names = (parameter.name.lstrip("?") for parameter in action.parameters)
    return Event(action.name, {name: arg for name, arg in zip(names, args, strict=True) if arg is not None})


def _where(action: Action, args: tuple[str | None, ...], effects: tuple[Effect, ...]) -> Iterator[Effect]:
    """Yield effects that are had only where an action has some arguments."""
    parts = tuple(
        Equal(parameter.name, arg) for parameter, arg in zip(action.parameters, args, strict=True) if arg is not None
    )
    if not parts:
        yield from effects
        return
    for effect in effects:
        own = effect if isinstance(effect, Conditional) else Conditional((), And(()), (effect,))
        yield replace(own, condition=And((*parts, own.condition)))
