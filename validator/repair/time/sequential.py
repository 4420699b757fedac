"""Plans over time in which one step follows another: a model without time, and the times of its plans.

In the sequential model a durative action is one step: what it needs at its start, and of what it needs later all that
its start does not bring about; then what it does at its start and at its end. A plan of it is a plan over time where no
two steps must overlap and nothing hangs on the clock, which its execution shows; drawn together by the order of its
starts and ends it need not be a long one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.grounding.numbers.states import GroundStep, States
from validator.model.conditions import conjuncts
from validator.model.numeric import Missing, Situation, evaluate
from validator.model.temporal import DURATION, DurativeAction, When
from validator.model.values import (
    Action,
    And,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    Literal,
    Model,
    Not,
    Number,
    NumericEffect,
)
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.time.grid import Bounds, Grid

__all__ = [
    "as_effect",
    "durations",
    "effects_at",
    "in_a_row",
    "least_bound",
    "least_duration",
    "sequential",
]


def sequential(model: Model, *, with_facts: bool = False) -> Model:
    """Return a model without time whose plans are those of the given one in which no two steps overlap, roughly.

    ``with_facts`` begins when all timed facts have happened; otherwise they never do.
    """
    init, values = set(model.problem.init), dict(model.problem.values)
    for effect in (fact.effect for fact in sorted(model.problem.timed, key=lambda fact: fact.time) if with_facts):
        match effect:
            case Literal(Atom(predicate, terms), positive):
                (init.add if positive else init.discard)((predicate, *terms))
            case NumericEffect("assign", Fluent(function, terms), Number(value)):
                values[function, *terms] = value
    actions = {
        name: _sequential(durative) if durative is not None else replace(action, preferences=())
        for name, action in model.domain.actions.items()
        for durative in (model.domain.durative.get(name),)
    }
    bare = model.with_only(actions)
    return replace(bare, problem=replace(bare.problem, init=frozenset(init), values=values))


def _sequential(action: DurativeAction) -> Action:
    duration = least_bound(action)
    at_start = list(effects_at(action, When.START, duration))
    at_end = list(effects_at(action, When.END, duration))
    brought = {effect for effect in at_start if isinstance(effect, Literal)}
    conditions = [timed.condition for timed in action.conditions if timed.when is When.START]
    for timed in action.conditions:
        if timed.when is not When.START:
            conditions += (part for part in conjuncts(timed.condition) if as_effect(part) not in brought)
    undone = {Literal(effect.atom, not effect.positive) for effect in at_end if isinstance(effect, Literal)}
    effects = (*(effect for effect in at_start if effect not in undone), *at_end)
    return Action(name=action.name, parameters=action.parameters, precondition=And(tuple(conditions)), effects=effects)


def as_effect(condition: Formula) -> Literal | None:
    """Return the effect that brings a condition about, where that is a literal."""
    match condition:
        case Atom():
            return Literal(condition, True)
        case Not(Atom() as atom):
            return Literal(atom, False)
        case _:
            return None


def least_bound(action: DurativeAction) -> Expression:
    """Return what a step of an action lasts at least, as far as one bound says so."""
    bounds = [limit.bound for limit in action.durations if limit.comparator in ("=", ">=", ">")]
    return bounds[0] if bounds else Number(Fraction(1))


def effects_at(action: DurativeAction, when: When, duration: Expression) -> Iterator[Effect]:
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


# --- times -------------------------------------------------------------------------------------


def durations(model: Model, step: GroundStep, situation: Situation, grid: Grid) -> tuple[int, int | None] | None:
    """Return how long a step may last that starts in a situation; None where nothing will do, or nothing is known."""
    bounds = Bounds()
    for limit in model.domain.durative[step.step.name].durations:
        value = evaluate(limit.bound, step.binding, situation)
        if isinstance(value, Missing):
            return None
        bounds = bounds.within(limit.comparator, value)
    return grid.durations(bounds, None)


def least_duration(model: Model, step: GroundStep, situation: Situation, grid: Grid) -> int | None:
    """Return how long a step must last that starts in a situation, 0 for an action without time; None if unknown."""
    if step.step.name not in model.domain.durative:
        return 0
    between = durations(model, step, situation, grid)
    return None if between is None else between[0]


def in_a_row(
    model: Model, states: States, steps: Sequence[Step], grid: Grid, begin: Fraction
) -> tuple[Step, ...] | None:
    """Return steps of a sequential plan with times, each as short as it may be; None where one has no duration.

    ``states`` are those of the sequential model.
    """
    state, units, found = states.start, grid.units(begin), list[Step]()
    for step in steps:
        ground, situation = states.ground(step), states.situation(state)
        lasting, after = least_duration(model, ground, situation, grid), states.after(state, situation, ground)
        if lasting is None or after is None:
            return None
        duration = grid.time(lasting) if lasting else None
        found.append(Step(name=step.name, args=step.args, time=grid.time(units), duration=duration))
        units += lasting + grid.apart
        state = after[0]
    return tuple(found)
