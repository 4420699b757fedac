"""A model over time as one without: starts, ends and timed facts as actions of their own (snap actions).

The start of a durative action makes an atom true that its end needs, and makes false again. What must hold between
them is asked for by the end, and by the start as far as that does not bring it about. Timed facts happen one after the
other. When all this may happen is not said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from validator.grounding.numbers.states import GroundStep
from validator.model.conditions import Binding, bindings, compares_numbers, conjuncts, ground, predicates
from validator.model.numeric import Situation, fluent_key
from validator.model.temporal import DURATION, DurativeAction, When
from validator.model.values import (
    Action,
    And,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Expression,
    Formula,
    GroundAtom,
    Literal,
    Model,
    Not,
    Number,
    NumericEffect,
    changed_predicates,
)
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.time.grid import Grid
from validator.repair.time.search.parts import bounds_of, facts_of

__all__ = [
    "changed_by",
    "durations",
    "end_of",
    "fact_number",
    "fact_step",
    "invariant_of",
    "snap_model",
    "whole_of",
]

_END, _RUNS, _FACT, _PASSED = "%end-", "%runs-", "%fact", "%passed"
"""no name of PDDL begins like these"""


def end_of(step: Step) -> Step:
    return Step(name=_END + step.name, args=step.args)


def whole_of(step: Step) -> Step:
    """Return the step that something is the start or the end of, or itself."""
    return Step(name=step.name.removeprefix(_END), args=step.args)


def fact_step(number: int) -> Step:
    """Return the step that stands for the timed facts of one time, numbered from 0 in order of time."""
    return Step(name=f"{_FACT}{number}")


def fact_number(step: Step) -> int:
    return int(step.name.removeprefix(_FACT))


def snap_model(model: Model) -> Model:
    """Return the model of starts, ends and facts, with the first fact next."""
    actions: dict[str, Action] = {}
    for name, action in model.domain.actions.items():
        if name not in model.domain.durative:
            actions[name] = replace(action, preferences=())
            continue
        start, end = _start(model.domain.durative[name]), _end(model.domain.durative[name])
        actions |= {start.name: start, end.name: end}
    facts = facts_of(model)
    for number, group in enumerate(facts):
        step, effects = fact_step(number), [fact.effect for fact in group]
        effects += (Literal(_passed(number), False), Literal(_passed(number + 1)))
        actions[step.name] = Action(name=step.name, parameters=(), precondition=_passed(number), effects=tuple(effects))
    first = frozenset(((_passed(0).predicate,),)) if facts else frozenset[GroundAtom]()
    bare = model.with_only(actions)
    return replace(bare, problem=replace(bare.problem, init=bare.problem.init | first))


def invariant_of(action: DurativeAction) -> Action:
    """Return an action that can take place where what must hold during a durative action does."""
    invariant = And(tuple(_conditions(action, When.ALL)))
    return Action(name=action.name, parameters=action.parameters, precondition=invariant, effects=())


def _start(action: DurativeAction) -> Action:
    effects = tuple(_effects_at(action, When.START, _least_bound(action)))
    runs, changed = _runs(action), changed_predicates(effects)
    counts = any(not isinstance(effect, Literal) for effect in effects)
    conditions = list(_conditions(action, When.START))
    for part in _conditions(action, When.ALL):
        literal = _as_effect(part)
        if literal is None:
            is_kept = changed.isdisjoint(predicates(part)) and not (counts and compares_numbers(part))
        else:
            is_kept = literal not in effects
        conditions += (part,) if is_kept else ()
    return Action(
        name=action.name,
        parameters=action.parameters,
        precondition=And(tuple(conditions)),
        effects=(*effects, Literal(runs)),
    )


def _end(action: DurativeAction) -> Action:
    runs = _runs(action)
    return Action(
        name=_END + action.name,
        parameters=action.parameters,
        precondition=And((runs, *_conditions(action, When.END), *_conditions(action, When.ALL))),
        effects=(*_effects_at(action, When.END, _least_bound(action)), Literal(runs, False)),
    )


def _conditions(action: DurativeAction, when: When) -> Iterator[Formula]:
    for timed in action.conditions:
        if timed.when is when:
            yield from conjuncts(timed.condition)


def _runs(action: DurativeAction) -> Atom:
    return Atom(_RUNS + action.name, tuple(parameter.name for parameter in action.parameters))


def _passed(number: int) -> Atom:
    return Atom(f"{_PASSED}{number}", ())


# --- durations ---------------------------------------------------------------------------------


def _as_effect(condition: Formula) -> Literal | None:
    """Return the effect that brings a condition about, where that is a literal."""
    match condition:
        case Atom():
            return Literal(condition, True)
        case Not(Atom() as atom):
            return Literal(atom, False)
        case _:
            return None


def _least_bound(action: DurativeAction) -> Expression:
    """Return what a step of an action lasts at least, as far as one bound says so."""
    bounds = [limit.bound for limit in action.durations if limit.comparator in ("=", ">=", ">")]
    return bounds[0] if bounds else Number(Fraction(1))


def _effects_at(action: DurativeAction, when: When, duration: Expression) -> Iterator[Effect]:
    """Yield what an action does that lasts so long, at its start, or at its end with what changes until then."""
    for timed in action.effects:
        if timed.when is when:
            lasting = tuple(_with_duration(effect, duration) for effect in timed.effects)
            if timed.parameters or timed.earlier is not None:
                yield Conditional(timed.parameters, timed.earlier or And(()), lasting)
            else:
                yield from lasting
    for effect in action.continuous if when is When.END else ():
        amount = Arithmetic("*", (_lasting(effect.rate, duration), duration))
        changed = NumericEffect("increase" if effect.sign > 0 else "decrease", effect.fluent, amount)
        yield Conditional(effect.parameters, And(()), (changed,)) if effect.parameters else changed


def _with_duration(effect: Effect, duration: Expression) -> Effect:
    if isinstance(effect, NumericEffect):
        return replace(effect, value=_lasting(effect.value, duration))
    if isinstance(effect, Conditional):
        return replace(effect, effects=tuple(_with_duration(inner, duration) for inner in effect.effects))
    return effect


def _lasting(expression: Expression, duration: Expression) -> Expression:
    if expression == DURATION:
        return duration
    if isinstance(expression, Arithmetic):
        return replace(expression, operands=tuple(_lasting(operand, duration) for operand in expression.operands))
    return expression


def durations(model: Model, step: GroundStep, situation: Situation, grid: Grid) -> tuple[int, int | None] | None:
    """Return how long a step may last that starts in a situation; None where nothing will do, or nothing is known."""
    bounds = bounds_of(model.domain.durative[step.step.name], step.binding, situation)
    return None if bounds is None else grid.durations(bounds, None)


def changed_by(model: Model, effects: Iterable[Effect], binding: Binding) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the atoms and values that effects may change, with whether they are atoms that come to hold."""
    for effect in effects:
        if isinstance(effect, Literal):
            yield ground(effect.atom, binding), effect.positive
        elif isinstance(effect, Conditional):
            for inner in bindings(model, effect.parameters, binding):
                yield from changed_by(model, effect.effects, inner)
        else:
            yield fluent_key(effect.fluent, binding), False
