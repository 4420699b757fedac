"""The classical part of a model whose numbers and preferences decide about cost only, not about what can be executed.

The cheapest cost with preferences of the goal is that of a classical model in which a plan, once the goal holds, is
finished and every preference is either found kept or paid for (Keyder and Geffner 2009). One of the trajectory is given
up by a step of its own, after which nothing is asked of the way any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from validator.execution.time.metric import changed_functions
from validator.grounding.action_costs import changes_of
from validator.model.conditions import Binding, bindings, compares_numbers
from validator.model.numeric import Situation, linear, truth
from validator.model.temporal import Preference
from validator.model.values import (
    TOTAL_COST,
    TRUE,
    Action,
    And,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Formula,
    GroundAtom,
    Literal,
    Metric,
    Model,
    Not,
    Number,
    NumericEffect,
    Parameter,
    conditions_of,
    functions_of,
    numeric_effects,
)
from validator.reading.plan import Step
from validator.records import dataclass, replace

_END = Atom("%end", ())
_TOTAL = Metric(optimization="minimize", expression=TOTAL_COST)
_ONE_STEP = NumericEffect("increase", TOTAL_COST, Number(Fraction(1)))


def classical_part(model: Model) -> Model | str:
    """Return the model without its numbers, preferences and constraints, or why the numbers cannot be left out.

    A plan of the result is one of the model where its numeric effects are defined, which its execution shows. Costs
    stay where the metric is the minimum of total-cost.
    """
    reason = _obstacle(model)
    if reason:
        return reason
    keeps_costs = model.problem.metric == _TOTAL and not _cost_obstacle(model)
    actions = {
        name: replace(action, effects=_kept(action.effects, with_costs=keeps_costs), preferences=())
        for name, action in model.domain.actions.items()
    }
    return _classical(model, actions, model.problem.goal, _TOTAL if keeps_costs else None)


def _obstacle(model: Model) -> str:
    domain, problem = model.domain, model.problem
    if domain.durative or domain.processes or domain.events or problem.timed:
        return "has plans over time"
    conditions = [problem.goal, *(axiom.condition for axiom in domain.axioms)]
    for action in domain.actions.values():
        conditions += [action.precondition, *conditions_of(action.effects)]
    return "has conditions on numbers" if any(map(compares_numbers, conditions)) else ""


def _kept(effects: Iterable[Effect], *, with_costs: bool) -> tuple[Effect, ...]:
    """Return effects without numbers, and with the costs where they are asked for."""
    found: list[Effect] = []
    for effect in effects:
        if isinstance(effect, Conditional):
            found.append(replace(effect, effects=_kept(effect.effects, with_costs=False)))
        elif isinstance(effect, Literal) or (with_costs and _is_cost(effect)):
            found.append(effect)
    return tuple(found)


def _is_cost(effect: NumericEffect) -> bool:
    return effect.operator == "increase" and effect.fluent == TOTAL_COST


def _classical(model: Model, actions: Mapping[str, Action], goal: Formula, metric: Metric | None) -> Model:
    domain = replace(model.domain, actions=dict(actions), features={}, constraints=(), preferences=())
    costs = (found for action in actions.values() for found in numeric_effects(action.effects))
    read = {name for found in costs for name in functions_of(found.value)} | {TOTAL_COST.function}
    problem = replace(
        model.problem,
        goal=goal,
        metric=metric,
        values={key: value for key, value in model.problem.values.items() if key[0] in read},
        features={},
        constraints=(),
        preferences=(),
    )
    return Model(domain=domain, problem=problem)


# --- preferences of the goal -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A classical model with total-cost in place of a metric; the metric's value is its cost plus ``constant``.

    Of ``instances`` of preferences, those of the trajectory are not in the model: ``%keep-N`` is to be forbidden where
    the way does not keep the N-th one, unless ``%give-up-N`` stands before.
    """

    model: Model
    constant: Fraction
    instances: tuple[tuple[Preference, Binding], ...]

    def ending(self, situation: Situation, is_kept: Callable[[int], bool]) -> tuple[Step, ...]:
        """Return the steps that finish a plan which ends in a situation, and keeps some instances on its way."""
        steps = [Step(name="%finish")]
        for number, (preference, binding) in enumerate(self.instances):
            kept = is_kept(number) and truth(preference.condition, binding, situation) is True
            steps.append(Step(name=f"%{'keep' if kept else 'forgo'}-{number}"))
        return tuple(steps)


def priced(model: Model) -> Priced | str:
    """Return the classical model whose cheapest plans are those of the metric, or why there is none."""
    if reason := _obstacle(model):
        return reason
    metric = model.problem.metric
    if metric is None:
        compiled = _compiled(model, lambda effects: (*_kept(effects, with_costs=False), _ONE_STEP), {}, ())
        return Priced(model=compiled, constant=Fraction(0), instances=())
    if metric.optimization != "minimize":
        return "has a metric that is not minimized"
    weights = linear(metric.expression)
    if weights is None or not _known(weights) or min(weights.values(), default=Fraction(0)) < 0:
        return "has a metric that is not a sum of total-cost and violated preferences with positive weights"
    constant = weights.pop((), Fraction(0))
    per_cost = weights.pop(("total-cost",), Fraction(0))
    every = (*model.domain.preferences, *model.problem.preferences)
    soft = [found for found in every if weights.get(("is-violated", found.name))]
    counted = {("is-violated", found.name) for found in soft}
    weighted = {key for key, weight in weights.items() if weight}
    if weighted - counted or any(("is-violated", name) in weighted for name in _names_in_actions(model)):
        return "has a metric that counts more than total-cost and preferences of the goal or the trajectory"
    if per_cost and (reason := _cost_obstacle(model)):
        return reason
    constant += per_cost * model.problem.values.get(("total-cost",), Fraction(0))
    instances = tuple((found, binding) for found in soft for binding in bindings(model, found.parameters, {}))

    def scaled(effects: Iterable[Effect]) -> tuple[Effect, ...]:
        return tuple(_scaled(effect, per_cost) for effect in _kept(effects, with_costs=bool(per_cost)))

    return Priced(model=_compiled(model, scaled, weights, instances), constant=constant, instances=instances)


def _cost_obstacle(model: Model) -> str:
    """Return why total-cost is more than a sum of fixed costs of steps, empty where it is none."""
    changed, actions = changed_functions(model), model.domain.actions.values()
    changes = [each for action in actions for each in changes_of(action.effects, {TOTAL_COST.function})]
    if any(not _is_cost(effect) or functions_of(effect.value) & changed for effect, _ in changes):
        return "has a total-cost that does not only grow by fixed costs"
    if not all(is_plain for _, is_plain in changes):
        return "has costs that depend on conditions"
    return ""


def _names_in_actions(model: Model) -> set[str]:
    return {preference.name for action in model.domain.actions.values() for preference in action.preferences}


def _known(weights: Mapping[GroundAtom, Fraction]) -> bool:
    """Return whether a metric has no other values than total-cost and violations."""
    return all(not key or key == ("total-cost",) or key[0] == "is-violated" for key in weights)


def _compiled(
    model: Model,
    costing: Callable[[Iterable[Effect]], tuple[Effect, ...]],
    weights: Mapping[tuple[str, ...], Fraction],
    instances: tuple[tuple[Preference, Binding], ...],
) -> Model:
    actions: dict[str, Action] = {}
    for name, action in model.domain.actions.items():
        precondition = And((action.precondition, Not(_END)))
        actions[name] = replace(action, precondition=precondition, effects=costing(action.effects), preferences=())
    actions["%finish"] = _action("%finish", model.problem.goal, (Literal(_END),))
    settled = [Atom(f"%settled-{number}", ()) for number in range(len(instances))]
    atoms = [_END, *settled]
    for number, ((preference, binding), atom) in enumerate(zip(instances, settled, strict=True)):
        price = NumericEffect("increase", TOTAL_COST, Number(weights["is-violated", preference.name]))
        kept = And((_END, _instance(preference, binding)))
        actions[f"%keep-{number}"] = _action(f"%keep-{number}", kept, (Literal(atom),))
        actions[f"%forgo-{number}"] = _action(f"%forgo-{number}", _END, (Literal(atom), price))
        if preference.trajectories:
            given_up = Literal(Atom(f"%given-up-{number}", ()))
            actions[f"%give-up-{number}"] = _action(f"%give-up-{number}", TRUE, (given_up,))
            atoms.append(given_up.atom)
    none: tuple[Parameter, ...] = ()
    domain = replace(
        model.domain,
        predicates={**model.domain.predicates, **{atom.predicate: none for atom in atoms}},
        functions={**model.domain.functions, "total-cost": none},
    )
    return _classical(replace(model, domain=domain), actions, And((_END, *settled)), _TOTAL)


def _action(name: str, precondition: Formula, effects: tuple[Effect, ...]) -> Action:
    return Action(name=name, parameters=(), precondition=precondition, effects=effects)


def _scaled(effect: Effect, factor: Fraction) -> Effect:
    if not isinstance(effect, NumericEffect) or factor == 1:
        return effect
    return replace(effect, value=Arithmetic("*", (Number(factor), effect.value)))


def _instance(preference: Preference, binding: Binding) -> Formula:
    """Return a preference's condition for one binding: its variables can be these objects only."""
    if not preference.parameters:
        return preference.condition
    fixed = tuple(Equal(name, value) for name, value in binding.items())
    return Exists(preference.parameters, And((*fixed, preference.condition)))
