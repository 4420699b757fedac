"""Executing a plan from the initial state: every fault, every state, the cost. No planner takes part.

A step is checked against the model (action, number of arguments, objects, types), then its precondition in
the state before it; its effects are all read in that state, and what is deleted and added at once holds
afterwards (Fox and Long 2003, section 8). A step at fault changes nothing, and the execution goes on from
the state that it would have left unchanged. Steps of one happening (equal time stamps, or one set) all read
the state before the happening and must not interfere (Blum and Furst 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from validator.conditions import Binding, State, bindings, conjuncts, false_parts, ground, holds
from validator.derived import Closure
from validator.errors import Names
from validator.model import (
    Action,
    Arithmetic,
    Atom,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Literal,
    Model,
    Not,
    Number,
    NumericEffect,
)
from validator.pddl.write import expression_text, formula_text
from validator.plan import Constraint, Plan, Step, Token, Unparsed
from validator.trace import Cause, Change, Failure, Kind, Origin, Trace, UnmetGoal

__all__ = ["Cause", "Change", "Failure", "Kind", "Measure", "Origin", "Simulator", "Trace", "UnmetGoal"]


class Measure(StrEnum):
    """What the cost of a plan is."""

    LENGTH = "length"
    """the number of steps: the model has no metric, or its metric is total-cost and no action has a cost"""
    TOTAL_COST = "total-cost"


def measure(model: Model) -> Measure | None:
    """Return what the cost of a plan is; None for a metric whose cheapest value no planner is asked for."""
    metric = model.problem.metric
    effects = (effect for action in model.domain.actions.values() for effect in action.effects)
    if metric is None:
        return Measure.LENGTH
    if metric.optimization == "minimize" and metric.expression == Fluent("total-cost", ()):
        return Measure.TOTAL_COST if any(isinstance(effect, NumericEffect) for effect in effects) else Measure.LENGTH
    return None


_NOTHING = Change()
_ZERO = Fraction(0)


_Env: TypeAlias = tuple[str, ...]
_Getter: TypeAlias = Callable[[_Env], GroundAtom]


@dataclass(slots=True)
class _Schema:
    """An action compiled for execution.

    A ground atom is picked out of the environment, the tuple of the arguments followed by the constants and
    predicate names that the action mentions, by one ``itemgetter`` call.
    """

    action: Action
    constants: tuple[str, ...]
    allowed: tuple[frozenset[str], ...]
    positive: list[_Getter] = field(default_factory=list)
    negative: list[_Getter] = field(default_factory=list)
    complex: list[Formula] = field(default_factory=list)
    adds: list[_Getter] = field(default_factory=list)
    deletes: list[_Getter] = field(default_factory=list)
    conditional: list[Conditional] = field(default_factory=list)
    costs: list[Expression] = field(default_factory=list)

    def binding(self, args: tuple[str, ...]) -> Binding:
        return {parameter.name: value for parameter, value in zip(self.action.parameters, args, strict=True)}


class Simulator:
    """Executes plans on one model. Compiled actions are kept, so that many plans cost little each.

    The model must have no features that are read but not executed.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._closure = Closure(model)
        self._schemas: dict[str, _Schema] = {}
        self.ways: dict[str, list[str]] = {}
        for action in model.domain.actions.values():
            self.ways.setdefault(action.step or action.name, []).append(action.name)
        self._action_names = Names(self.ways)
        self._object_names = Names(model.problem.objects)
        self._folded = {name.lower(): name for name in self.ways}
        self._folded_objects = {name.lower(): name for name in model.problem.objects}
        self.measure = measure(model)
        self.initial_cost = _ZERO
        if self.measure is not Measure.LENGTH:
            self.initial_cost = model.problem.values.get(("total-cost",), _ZERO)

    # --- well-formed steps ---------------------------------------------------------------------

    def resolve(self, token: Token) -> Token:
        """Return a step with the model's own spelling of its names, whatever case the text has."""
        if not isinstance(token, Step):
            return token
        name = token.name if token.name in self.ways else self._folded.get(token.name.lower(), "")
        objects = self.model.problem.objects
        args = tuple(arg if arg in objects else self._folded_objects.get(arg.lower(), arg) for arg in token.args)
        if (name or token.name) == token.name and args == token.args:
            return token
        return replace(token, name=name or token.name, args=args)

    def malformed(self, index: int, token: Token) -> list[Failure]:
        """Return what is wrong with a token before any state is looked at."""
        if isinstance(token, Unparsed):
            fault = Failure(step=index, kind=Kind.SYNTAX, detail=f"{token}: {token.reason}", nearest=token.nearest)
            return [fault, *(self.malformed(index, self.resolve(token.reading)) if token.reading else ())]
        if isinstance(token, Constraint):
            return [Failure(step=index, kind=Kind.CONSTRAINT, detail="the model has no constraints to assert")]
        if token.name not in self.ways:
            return [
                Failure(
                    step=index,
                    kind=Kind.UNKNOWN_ACTION,
                    detail=token.name,
                    nearest=self._action_names.nearest(token.name.lower()),
                )
            ]
        if next(self.admitted(token), None) is not None:
            return []
        return list(self._faulty_arguments(index, token, self.schema(self.ways[token.name][0])))

    def admitted(self, step: Step) -> Iterator[str]:
        """Yield the ways to do a step whose parameters take its arguments, by number and types."""
        for name in self.ways[step.name]:
            allowed = self.schema(name).allowed
            if len(step.args) == len(allowed) and all(map(frozenset.__contains__, allowed, step.args)):
                yield name

    def _faulty_arguments(self, index: int, step: Step, schema: _Schema) -> Iterator[Failure]:
        wanted, given = len(schema.allowed), len(step.args)
        if wanted != given:
            yield Failure(step=index, kind=Kind.WRONG_ARITY, detail=f"{step.name} takes {wanted}, got {given}")
        objects = self.model.problem.objects
        for position, name in enumerate(step.args):
            if name not in objects:
                near = self._object_names.nearest(name)
                yield Failure(step=index, kind=Kind.UNKNOWN_OBJECT, detail=name, nearest=near)
            elif position < wanted and name not in schema.allowed[position]:
                parameter = schema.action.parameters[position]
                actual, needed = " or ".join(sorted(objects[name])), " or ".join(sorted(parameter.types))
                detail = f"{name} is {actual}, {step.name} {parameter.name} needs {needed}"
                yield Failure(step=index, kind=Kind.WRONG_TYPE, detail=detail)

    # --- execution -----------------------------------------------------------------------------

    def run(self, plan: Plan | Sequence[Token]) -> Trace:
        """Execute a plan from the initial state."""
        return self.run_from(self.model.problem.init, plan)

    def run_from(self, state: frozenset[GroundAtom], plan: Plan | Sequence[Token]) -> Trace:
        """Execute a plan from a state."""
        if not isinstance(plan, Plan):
            plan = Plan(parts=tuple(plan))
        run = _Run(self, [self.resolve(token) for token in plan.tokens], plan.places, state)
        if plan.is_unreadable:
            run.failures.append(Failure(step=None, kind=Kind.SYNTAX, detail=_no_step(plan)))
        else:
            run.execute()
        return run.finish()

    def unmet(self, state: State, step: Step) -> dict[str, tuple[str, ...]]:
        """Return for each way to do a well-formed step the literals of its condition that are false in a state."""
        view = self.view(state)
        found = {}
        for name in self.admitted(step):
            schema = self.schema(name)
            parts = false_parts(self.model, schema.action.precondition, schema.binding(step.args), view)
            found[name] = tuple(formula_text(part, binding) for part, binding in parts)
        return found

    def goal_parts(self, state: State) -> list[tuple[Formula, Binding]]:
        """Return the goal conjuncts that are false in a state."""
        return list(false_parts(self.model, self.model.problem.goal, {}, self.view(state)))

    def view(self, state: State) -> State:
        """Return a state with its derived atoms."""
        return self._closure.extend(state)

    def is_derived(self, predicate: str) -> bool:
        return predicate in self._closure.predicates

    def cost_of(self, step: Step) -> Fraction | None:
        """Return what a well-formed step adds to total-cost; None when a value it reads is undefined."""
        schema = self.schema(step.name)
        binding = schema.binding(step.args)
        values = [self._value(expression, binding) for expression in schema.costs]
        known = [value for value in values if value is not None]
        return sum(known, _ZERO) if len(known) == len(values) else None

    def undefined_values(self, step: Step) -> tuple[str, ...]:
        """Return the expressions of a step's cost that have no value, as PDDL text."""
        schema = self.schema(step.name)
        binding = schema.binding(step.args)
        return tuple(
            expression_text(expression, binding)
            for expression in schema.costs
            if self._value(expression, binding) is None
        )

    def _value(self, expression: Expression, binding: Binding) -> Fraction | None:
        values = self.model.problem.values
        if isinstance(expression, Number):
            return expression.value
        if isinstance(expression, Arithmetic):
            operands = [self._value(operand, binding) for operand in expression.operands]
            known = [operand for operand in operands if operand is not None]
            return _arithmetic(expression.operator, known) if len(known) == len(operands) else None
        return values.get((expression.function, *(binding.get(term, term) for term in expression.terms)))

    def schema(self, name: str) -> _Schema:
        """Return a declared action compiled for execution."""
        schema = self._schemas.get(name)
        if schema is None:
            schema = self._schemas[name] = self._compile(self.model.domain.actions[name])
        return schema

    def _compile(self, action: Action) -> _Schema:
        index = {parameter.name: position for position, parameter in enumerate(action.parameters)}
        constants: dict[str, int] = {}

        def getter(atom: Atom) -> _Getter:
            places = []
            for term in (atom.predicate, *atom.terms):
                if term not in index:
                    constants.setdefault(term, len(index) + len(constants))
                places.append(index[term] if term in index else constants[term])
            if len(places) == 1:  # itemgetter of one place returns the item, not a tuple
                return itemgetter(slice(places[0], places[0] + 1))
            return itemgetter(*places)

        schema = _Schema(
            action, (), tuple(frozenset(self.model.objects_of(parameter.types)) for parameter in action.parameters)
        )
        for part in conjuncts(action.precondition):
            if isinstance(part, Atom) and not self.is_derived(part.predicate):
                schema.positive.append(getter(part))
            elif isinstance(part, Not) and isinstance(part.part, Atom) and not self.is_derived(part.part.predicate):
                schema.negative.append(getter(part.part))
            else:
                schema.complex.append(part)
        for effect in action.effects:
            if isinstance(effect, Literal):
                (schema.adds if effect.positive else schema.deletes).append(getter(effect.atom))
            elif isinstance(effect, Conditional):
                schema.conditional.append(effect)
            else:
                schema.costs.append(effect.value)
        schema.constants = tuple(constants)
        return schema


def _arithmetic(operator: str, operands: list[Fraction]) -> Fraction | None:
    first, rest = operands[0], operands[1:]
    if operator == "-" and not rest:
        return -first
    for operand in rest:
        if operator == "/" and operand == 0:
            return None
        first = {"+": first.__add__, "-": first.__sub__, "*": first.__mul__, "/": first.__truediv__}[operator](operand)
    return first


def _no_step(plan: Plan) -> str:
    """Say that a text holds no step, with the first pieces that could have been one."""
    pieces = [part for part in plan.parts if isinstance(part, Unparsed)]
    if not pieces:
        return "no step could be read from the text"
    shown = "; ".join(f"'{piece}': {piece.reason}" for piece in pieces[:3])
    return f"no step could be read from the text ({shown}{'; ...' if len(pieces) > 3 else ''})"


@dataclass(frozen=True, slots=True)
class _Effects:
    """What a step would do in a state: atoms added, atoms deleted (added ones may be among them), its cost."""

    adds: set[GroundAtom]
    deletes: set[GroundAtom]
    cost: Fraction


class _Run:
    """One execution: the state and what is remembered of its past."""

    def __init__(
        self, simulator: Simulator, tokens: Sequence[Token], places: Sequence[int], start: frozenset[GroundAtom]
    ) -> None:
        self.simulator = simulator
        self.model = simulator.model
        self.tokens = tokens
        self.places = places
        self.start = start
        self.state: set[GroundAtom] = set(start)
        self.failures: list[Failure] = []
        self.changes: list[Change] = [_NOTHING] * len(tokens)
        self.deleted_by: dict[GroundAtom, int] = {}
        self.added_by: dict[GroundAtom, int] = {}
        self.cost = simulator.initial_cost
        self.executed = 0

    def execute(self) -> None:
        for _, happening in groupby(enumerate(self.tokens), key=_happening):
            members = list(happening)
            if len(members) == 1:
                self._step(*members[0])
            else:
                self._concurrent(members)

    def _step(self, index: int, token: Token) -> None:
        effects = self._applicable(index, self._way(token))
        if effects is not None:
            self._apply(index, effects)

    def _way(self, token: Token) -> Token:
        """Return the first way to do a step that the state allows, else the one with the fewest unmet conditions."""
        if not isinstance(token, Step) or (names := self.simulator.ways.get(token.name)) is None:
            return token
        if names == [token.name] or self.simulator.malformed(0, token):
            return token
        ways = (replace(token, name=name) for name in self.simulator.admitted(token))
        return min(ways, key=lambda way: len(self._unmet(way, self.state)))

    def _concurrent(self, members: list[tuple[int, Token]]) -> None:
        """Execute steps at one instant: all read the same state, and none may undo what another needs or does."""
        planned: list[tuple[int, Step, _Effects]] = []
        for index, token in ((index, self._way(token)) for index, token in members):
            effects = self._applicable(index, token)
            if effects is None or not isinstance(token, Step):
                continue
            rival = self._rival(token, effects, planned)
            if rival is None:
                planned.append((index, token, effects))
            else:
                detail = f"interferes with {rival} at the same time"
                self.failures.append(Failure(step=self.places[index], kind=Kind.MUTEX, detail=detail))
        for index, _, effects in planned:
            self._apply(index, effects)

    def _rival(self, step: Step, effects: _Effects, planned: Sequence[tuple[int, Step, _Effects]]) -> str | None:
        """Return what a step clashes with among the steps of its happening so far, one by one or together."""
        for index, other, theirs in planned:
            if self._clash(effects, theirs) or self._disturbs(effects, other, theirs):
                return f"step {self.places[index] + 1}"
            if self._disturbs(theirs, step, effects):
                return f"step {self.places[index] + 1}"
        for left_out, (_, other, theirs) in enumerate([*planned, (0, step, effects)]):
            rest = [each for place, (_, _, each) in enumerate([*planned, (0, step, effects)]) if place != left_out]
            together = _Effects(
                set().union(*(each.adds for each in rest)), set().union(*(each.deletes for each in rest)), _ZERO
            )
            if len(rest) > 1 and self._disturbs(together, other, theirs):
                return "the other steps together"
        return None

    def _clash(self, effects: _Effects, others: _Effects) -> bool:
        """Return whether one deletes what the other adds."""
        return not (effects.adds.isdisjoint(others.deletes) and others.adds.isdisjoint(effects.deletes))

    def _disturbs(self, effects: _Effects, step: Step, own: _Effects) -> bool:
        """Return whether effects change what a step needs, or what it does by its conditional effects."""
        after = (self.state - effects.deletes) | effects.adds
        if self._unmet(step, after):
            return True
        adds, deletes = self._changes(step, after)
        return adds != own.adds or deletes != own.deletes

    def _applicable(self, index: int, token: Token) -> _Effects | None:
        """Return what a token does in the present state, or None after noting why it cannot."""
        place = self.places[index]
        faults = self.simulator.malformed(place, token) if token is self.tokens[index] else []
        if faults:
            self.failures += faults
            return None
        assert isinstance(token, Step)
        schema = self.simulator.schema(token.name)
        env = token.args + schema.constants
        state = self.state
        satisfied = (
            not schema.complex
            and all(getter(env) in state for getter in schema.positive)
            and not any(getter(env) in state for getter in schema.negative)
        )
        if not satisfied and (unmet := self._unmet(token, state)):
            causes = tuple(self._cause(part, binding) for part, binding in unmet)
            literals = tuple(cause.literal for cause in causes)
            self.failures.append(Failure(step=place, kind=Kind.PRECONDITION, unmet=literals, causes=causes))
            return None
        cost = self.simulator.cost_of(token) if schema.costs else _ZERO
        if cost is None:
            undefined = self.simulator.undefined_values(token)
            self.failures.append(Failure(step=place, kind=Kind.UNDEFINED_VALUE, unmet=undefined))
            return None
        return _Effects(*self._changes(token, state), cost)

    def _changes(self, step: Step, state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return what an applicable step adds and deletes in a state."""
        schema = self.simulator.schema(step.name)
        env = step.args + schema.constants
        adds = {getter(env) for getter in schema.adds}
        deletes = {getter(env) for getter in schema.deletes}
        if schema.conditional:
            view = self.simulator.view(state)
            for effect in schema.conditional:
                self._conditional(effect, schema.binding(step.args), view, adds, deletes)
        return adds, deletes

    def _unmet(self, step: Step, state: State) -> list[tuple[Formula, Binding]]:
        schema = self.simulator.schema(step.name)
        view = self.simulator.view(state)
        return list(false_parts(self.model, schema.action.precondition, schema.binding(step.args), view))

    def _conditional(
        self, effect: Conditional, outer: Binding, view: State, adds: set[GroundAtom], deletes: set[GroundAtom]
    ) -> None:
        for binding in bindings(self.model, effect.parameters, outer):
            if holds(self.model, effect.condition, binding, view):
                for inner in effect.effects:
                    self._effect(inner, binding, view, adds, deletes)

    def _effect(
        self, effect: Effect, binding: Binding, view: State, adds: set[GroundAtom], deletes: set[GroundAtom]
    ) -> None:
        if isinstance(effect, Literal):
            (adds if effect.positive else deletes).add(ground(effect.atom, binding))
        elif isinstance(effect, Conditional):
            self._conditional(effect, binding, view, adds, deletes)

    def _apply(self, index: int, effects: _Effects) -> None:
        state, place = self.state, self.places[index]
        added = frozenset(effects.adds - state)
        deleted = frozenset((effects.deletes - effects.adds) & state)
        state -= deleted
        state |= added
        for atom in added:
            self.added_by[atom] = place
        for atom in deleted:
            self.deleted_by[atom] = place
        self.changes[index] = Change(added, deleted)
        self.cost += effects.cost
        self.executed += 1

    def _cause(self, part: Formula, binding: Binding) -> Cause:
        literal = formula_text(part, binding)
        inner = part.part if isinstance(part, Not) else part
        if not isinstance(inner, Atom) or self.simulator.is_derived(inner.predicate):
            return Cause(literal=literal, origin=Origin.COMPOUND)
        atom = ground(inner, binding)
        if inner is part:
            step = self.deleted_by.get(atom)
            return Cause(literal=literal, origin=Origin.NEVER_ADDED if step is None else Origin.DELETED, step=step)
        step = self.added_by.get(atom)
        return Cause(literal=literal, origin=Origin.INITIAL if step is None else Origin.ADDED, step=step)

    # --- the end ---------------------------------------------------------------------------------

    def finish(self) -> Trace:
        """Check the goal and return the trace; failures are in plan order, the goal's last."""
        unmet = self.simulator.goal_parts(self.state)
        causes = tuple(self._cause(part, binding) for part, binding in unmet)
        failures = sorted(self.failures, key=lambda failure: -1 if failure.step is None else failure.step)
        if causes:
            literals = tuple(cause.literal for cause in causes)
            failures.append(Failure(step=None, kind=Kind.GOAL, unmet=literals, causes=causes))
        trace = Trace(init=self.start, failures=tuple(failures), changes=tuple(self.changes), cost=self._metric())
        return replace(
            trace,
            unmet_goals=tuple(
                UnmetGoal(literal=cause.literal, last_held=self._last_held(part, binding, trace))
                for cause, (part, binding) in zip(causes, unmet, strict=True)
            ),
        )

    def _metric(self) -> Fraction | None:
        measure = self.simulator.measure
        if measure is None:
            return self._other_metric()
        return self.cost if measure is Measure.TOTAL_COST else Fraction(self.executed)

    def _other_metric(self) -> Fraction | None:
        """Return the value of a metric over total-cost, total-time and values that never change; None for none."""
        from validator.numeric import Missing, Situation, evaluate

        metric = self.model.problem.metric
        assert metric is not None
        values = {**self.model.problem.values, ("total-cost",): self.cost, ("total-time",): self._total_time()}
        value = evaluate(metric.expression, {}, Situation(model=self.model, atoms=self.state, values=values))
        return None if isinstance(value, Missing) else value

    def _total_time(self) -> Fraction:
        """Return the last time stamp; without them the number of steps, those of one set counting once."""
        steps = [token for token in self.tokens if isinstance(token, Step)]
        times = [step.time for step in steps if step.time is not None]
        if times and len(times) == len(steps):
            return max(times)
        return Fraction(sum(1 for _ in groupby(enumerate(self.tokens), key=_happening)))

    def _last_held(self, part: Formula, binding: Binding, trace: Trace) -> int | None:
        """Return the last step after which a goal part held; -1 for the initial state, None for never."""
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, Atom) and not self.simulator.is_derived(inner.predicate):
            changed_by = self.deleted_by if inner is part else self.added_by
            step = changed_by.get(ground(inner, binding))
            return None if step is None else step - 1
        last = None
        for place, state in zip((-1, *self.places), trace.states(), strict=True):
            if holds(self.model, part, binding, self.simulator.view(state)):
                last = place
        return last


def _happening(member: tuple[int, Token]) -> object:
    """Return what the steps of one happening have in common; any other token stands alone."""
    index, token = member
    if isinstance(token, Step):
        if token.concurrent is not None:
            return "set", token.concurrent
        if token.time is not None:
            return "time", token.time
    return "index", index
