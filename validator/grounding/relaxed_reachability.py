"""The ground steps of a model with numbers or time that can matter at all: what is reachable when nothing is deleted.

Fast Downward's translator finds them on a classical model that allows more than the real one: a comparison of numbers
is taken to come out as it should, and a durative action is two steps, its start and its end. What only timed literals
make true and false lasts as long as they say: an action that needs it for longer is not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import inf

from validator.execution.simulator import Simulator
from validator.execution.time.metric import changed_functions
from validator.grounding.encode import encode
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import reached
from validator.model.conditions import conjuncts
from validator.model.formulas import mapped, walk
from validator.model.temporal import DurativeAction, When
from validator.model.values import (
    TRUE,
    Action,
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    Number,
    Or,
    Parameter,
    changed_predicates,
    conditions_of,
)
from validator.reading.plan import Step
from validator.records import replace

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


def relaxed_model(model: Model) -> Model:
    """Return a classical model that allows more than one with numbers or time, and whose goal is always reached.

    Each plan, in order of its happenings, is a plan of it. An end is called ``%end`` and the action, what happens at a
    given time ``%timed``.
    """
    domain, problem = model.domain, model.problem
    actions: dict[str, Action] = {}
    windows = _Windows(model)
    predicates: dict[str, tuple[Parameter, ...]] = {**domain.predicates, _MAYBE.predicate: ()}
    for name, action in domain.actions.items():
        if name in domain.durative:
            predicates[f"%run{name}"] = action.parameters
            durative = domain.durative[name]
            actions |= _parts(durative, windows if always_lasts(model, durative) else None)
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
    predicates |= windows.predicates
    init = bare.problem.init | windows.facts
    domain = replace(bare.domain, predicates=predicates)
    return Model(domain=domain, problem=replace(bare.problem, goal=TRUE, values={}, init=init))


def _may_happen(action: Action) -> bool:
    """Return whether an action has effects of which it is not known whether they happen."""
    return any(_MAYBE in walk(condition) for condition in conditions_of(action.effects))


def _instantaneous(action: Action) -> Action:
    condition, effects = loosened(action.precondition, True), _without_numbers(action.effects)
    return replace(action, precondition=condition, effects=effects, preferences=())


class _Windows:
    """For how long facts hold that only timed literals change: new predicates, of those that hold long enough."""

    def __init__(self, model: Model) -> None:
        domain, self.init = model.domain, model.problem.init
        self.declared = domain.predicates
        durative = domain.durative.values()
        changed = changed_predicates(
            *(each.effects for each in (*domain.actions.values(), *domain.events)),
            *(timed.effects for action in durative for timed in action.effects),
            *(inner.effects for action in durative for inner in action.inner),
        )
        changed |= {axiom.predicate for axiom in domain.axioms}
        self.timed: dict[GroundAtom, list[tuple[Fraction, bool]]] = {}
        """when atoms become true and false"""
        if all(fact.is_fixed for fact in model.problem.timed):
            for fact in sorted(model.problem.timed, key=lambda each: each.time):
                if isinstance(fact.effect, Literal) and (atom := fact.effect.atom).predicate not in changed:
                    self.timed.setdefault((atom.predicate, *atom.terms), []).append((fact.time, fact.effect.positive))
        self.predicates: dict[str, tuple[Parameter, ...]] = {}
        self.facts: set[GroundAtom] = set()

    def throughout(self, action: DurativeAction, condition: Formula) -> Formula:
        """Return a condition that holds while an action lasts, with what holds for as long as that."""
        return And(tuple(self._long_enough(action, part) for part in conjuncts(condition)))

    def _long_enough(self, action: DurativeAction, part: Formula) -> Formula:
        least = _least(action)
        if not isinstance(part, Atom) or least <= 0 or all(atom[0] != part.predicate for atom in self.timed):
            return part
        name = f"%lasting{action.name}-{part.predicate}"
        if name not in self.predicates:
            self.predicates[name] = self.declared[part.predicate]
            atoms = {atom for atom in (*self.timed, *self.init) if atom[0] == part.predicate}
            self.facts |= {(name, *atom[1:]) for atom in atoms if self._longest(atom) >= least}
        return And((part, replace(part, predicate=name)))

    def _longest(self, atom: GroundAtom) -> Fraction | float:
        """Return for how long an atom holds at most."""
        since: Fraction | None = Fraction(0) if atom in self.init else None
        longest, timed = Fraction(0), self.timed.get(atom, [])
        for time, becomes_true in timed:
            if becomes_true:
                since = time if since is None else since
            elif since is not None and (time, True) not in timed:
                longest, since = max(longest, time - since), None
        return longest if since is None else inf


_SHORTER = Fraction(1, 100)
"""by which an action may be shorter than its least duration: more than the tolerance of an execution"""


def _least(action: DurativeAction) -> Fraction:
    """Return how long an action lasts at least, as far as the model says so by numbers."""
    bounds = [each for each in action.durations if each.comparator in ("=", ">=", ">")]
    return max((each.bound.value for each in bounds if isinstance(each.bound, Number)), default=Fraction(0)) - _SHORTER


def always_lasts(model: Model, action: DurativeAction) -> bool:
    """Return whether the model rules out a duration of 0, with which nothing must hold while the action lasts."""
    changed = changed_functions(model)

    def is_positive(bound: Expression) -> bool:
        match bound:
            case Number(value):
                return value > 0
            case Fluent(function):
                values = (value for key, value in model.problem.values.items() if key[0] == function)
                return function not in changed and all(value > 0 for value in values)
            case Arithmetic(operator, operands):
                return operator != "-" and all(map(is_positive, operands))

    below = [each for each in action.durations if each.comparator in ("=", ">=", ">")]
    return any(
        is_positive(each.bound) or (each.comparator == ">" and each.bound == Number(Fraction(0))) for each in below
    )


def _parts(action: DurativeAction, windows: _Windows | None) -> Mapping[str, Action]:
    """Return the start of a durative action under its own name, and its end.

    Without ``windows``, as the action may last no time, the end does not need what must hold while it lasts.
    """
    running = Atom(f"%run{action.name}", tuple(parameter.name for parameter in action.parameters))
    parts = {}
    ending = (When.END,) if windows is None else (When.ALL, When.END)
    for name, whens in ((action.name, (When.START,)), (f"%end{action.name}", ending)):
        conditions = [
            windows.throughout(action, condition) if windows and timed.when is When.ALL else condition
            for timed in action.conditions
            if timed.when in whens
            for condition in (loosened(timed.condition, True),)
        ]
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
    for number, within in enumerate(action.inner):  # at any time from the start on, also after the end
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
        case Imply(premise, conclusion):
            return Imply(loosened(premise, not wanted), loosened(conclusion, wanted))
        case _:
            return mapped(formula, lambda part: loosened(part, wanted))
