"""A model prepared for execution: which tokens are steps of it, what is wrong with the others, what a step costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import repeat
from operator import attrgetter, is_
from typing import TYPE_CHECKING, Any

from validator.errors import Names
from validator.execution.schema import FREE, GroundStep, Schema, compile_action
from validator.execution.trace import Failure, Kind
from validator.model.conditions import Binding, State, conjuncts, false_parts, ground, holds
from validator.model.derived import Closure
from validator.model.pddl.write import expression_text
from validator.model.values import Atom, Conditional, Effect, Formula, GroundAtom, Literal, Measure, Model, Not, measure
from validator.reading.plan import Constraint, Step, Token, Unparsed
from validator.records import cached_property, replace

if TYPE_CHECKING:
    from validator.model.numeric import Situation
    from validator.model.rules import Join


_UNKNOWN: Any = object()
_ONLY_STEPS = frozenset((Step,))
_said = attrgetter("name", "args")
_MOST_KEPT = 20_000
"""ground steps that are kept"""


class Rules:
    """One model, prepared for execution: what a step is in it, what it asks for and what it costs.

    Compiled actions are kept, so that many plans cost little each.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._closure = Closure(model)
        self._schemas: dict[str, Schema] = {}
        self._conditional: dict[tuple[str, bool], tuple[list[Conditional], list[Join], list[Join]]] = {}
        self._kept: dict[tuple[str, tuple[str, ...]], GroundStep | None] = {}
        self.ways: dict[str, list[str]] = {}
        for action in model.domain.actions.values():
            self.ways.setdefault(action.step or action.name, []).append(action.name)
        self._action_names = Names(self.ways)
        self._object_names = Names(model.problem.objects)
        self._folded = {name.lower(): name for name in self.ways}
        self._folded_objects = {name.lower(): name for name in model.problem.objects}
        self.measure = measure(model)
        self.initial_cost = FREE
        if self.measure is not Measure.LENGTH:
            self.initial_cost = model.problem.values.get(("total-cost",), FREE)

    # --- well-formed steps ---------------------------------------------------------------------

    def resolve(self, token: Token) -> Token:
        """Return a step with the model's own spelling of its names, whatever case the text has."""
        if not isinstance(token, Step):
            return token
        objects = self.model.problem.objects
        if token.name in self.ways and all(map(objects.__contains__, token.args)):
            return token
        name = token.name if token.name in self.ways else self._folded.get(token.name.lower(), "")
        args = tuple(arg if arg in objects else self._folded_objects.get(arg.lower(), arg) for arg in token.args)
        if (name or token.name) == token.name and args == token.args:
            return token
        return replace(token, name=name or token.name, args=args)

    def resolved(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """Return tokens in the model's own spelling: themselves, not another long tuple, where they have it already."""
        if _ONLY_STEPS.issuperset(map(type, tokens)):
            new, is_object = set(map(_said, tokens)).difference(self._kept), self.model.problem.objects.__contains__
            if all(name in self.ways and all(map(is_object, args)) for name, args in new):
                return tokens
        found = tuple(map(self.resolve, tokens))
        return tokens if all(map(is_, found, tokens)) else found

    def malformed(self, index: int, token: Token) -> list[Failure]:
        """Return what is wrong with a token before any state is looked at; what cannot be read has one fault."""
        if isinstance(token, Step) and token.name in self.ways and self._takes(self.ways[token.name][0], token):
            return []
        if isinstance(token, Unparsed):
            return [Failure(step=index, kind=Kind.SYNTAX, detail=f"{token}: {token.reason}", nearest=token.nearest)]
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
        for name in self.ways.get(step.name, ()):
            if self._takes(name, step):
                yield name

    def _takes(self, name: str, step: Step) -> bool:
        allowed = self.schema(name).allowed
        return len(step.args) == len(allowed) and all(map(frozenset.__contains__, allowed, step.args))

    def _faulty_arguments(self, index: int, step: Step, schema: Schema) -> Iterator[Failure]:
        wanted, given = len(schema.allowed), len(step.args)
        objects = self.model.problem.objects
        unknown = list(dict.fromkeys(name for name in step.args if name not in objects))
        if wanted != given:
            detail = f"{step.name} takes {wanted}, got {given}"
            if len(unknown) > 1 and 2 * len(unknown) > given:  # more a sentence than a step: one fault says so
                detail = f"{detail}; unknown: {', '.join(unknown)}"
                unknown = []
            yield Failure(step=index, kind=Kind.WRONG_ARITY, detail=detail)
        for position, name in enumerate(step.args[:wanted]):
            if name in objects and name not in schema.allowed[position]:
                parameter = schema.action.parameters[position]
                actual, needed = " or ".join(sorted(objects[name])), " or ".join(sorted(parameter.types))
                detail = f"{name} is {actual}, {step.name} {parameter.name} needs {needed}"
                yield Failure(step=index, kind=Kind.WRONG_TYPE, detail=detail)
        if unknown:
            near = [found for found in map(self._object_names.nearest, unknown) if found is not None]
            yield Failure(
                step=index,
                kind=Kind.UNKNOWN_OBJECT,
                detail=", ".join(unknown),
                nearest=", ".join(near) if len(near) == len(unknown) else None,
            )

    def changes(self, step: Step, state: State, *, is_alone: bool = False) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return what an applicable step adds and deletes in a state.

        For a step that ``is_alone`` most that it deletes and that is false anyhow is left out.
        """
        schema = self.schema(step.name)
        env = step.args + schema.constants
        adds = {getter(env) for getter in schema.adds}
        deletes = {getter(env) for getter in schema.deletes}
        if schema.conditional:
            plain, *quantified = self._conditional_effects(schema, is_alone)
            if plain:
                binding, view = schema.binding(step.args), self.view(state)
                for effect in plain:
                    self._effect(effect, binding, view, adds, deletes)
            for joins, atoms in zip(quantified, (adds, deletes), strict=True):
                if joins:
                    atoms.update(self._closure.heads(joins, (step.name, *step.args), state))
        return adds, deletes

    def _effect(
        self, effect: Effect, binding: Binding, view: State, adds: set[GroundAtom], deletes: set[GroundAtom]
    ) -> None:
        if isinstance(effect, Literal):
            (adds if effect.positive else deletes).add(ground(effect.atom, binding))
        elif isinstance(effect, Conditional) and holds(self.model, effect.condition, binding, view):
            for inner in effect.effects:
                self._effect(inner, binding, view, adds, deletes)

    def _conditional_effects(self, schema: Schema, is_alone: bool) -> tuple[list[Conditional], list[Join], list[Join]]:
        """Return the conditional effects of an action, and of quantified ones what finds all they add and delete."""
        key = schema.action.name, is_alone
        if key not in self._conditional:
            from validator.model.rules import Join, is_quantified, rules_of_effects

            adds, deletes = list[Join](), list[Join]()
            for positive, rule in rules_of_effects(schema.action, filter(is_quantified, schema.conditional)):
                if is_alone and not positive:
                    rule = replace(rule, atoms=(*rule.atoms, rule.head))
                (adds if positive else deletes).append(Join(self.model, rule, 0))
            plain = [effect for effect in schema.conditional if not is_quantified(effect)]
            self._conditional[key] = plain, adds, deletes
        return self._conditional[key]

    def goal_parts(self, state: State) -> list[tuple[Formula, Binding]]:
        """Return the goal conjuncts that are false in a state."""
        return list(false_parts(self.model, self.model.problem.goal, {}, self.view(state)))

    @cached_property
    def goal_literals(self) -> tuple[tuple[GroundAtom, bool], ...] | None:
        """Return the atoms of the goal, and whether each shall hold; None for a goal of more than literals."""
        found = []
        for part in conjuncts(self.model.problem.goal):
            atom = part.part if isinstance(part, Not) else part
            if not isinstance(atom, Atom) or self.is_derived(atom.predicate):
                return None
            found.append((ground(atom, {}), atom is part))
        return tuple(found)

    def view(self, state: State) -> State:
        """Return a state with its derived atoms."""
        return self._closure.extend(state)

    def reads_any(self, step: Step, state: State, adds: set[GroundAtom], deletes: set[GroundAtom]) -> bool:
        """Return whether a step reads in a state what is added or deleted."""
        from validator.execution.time.effects import Update
        from validator.execution.time.interference import Reads, disturbances
        from validator.model.numeric import Situation

        schema, reads = self.schema(step.name), Reads()
        binding = schema.binding(step.args)
        situation = Situation(model=self.model, atoms=self.view(state), values={})
        reads.add(self.model, binding, schema.action.precondition)
        reads.add_effects(situation, binding, schema.action.effects)
        return any(True for _ in disturbances(reads, Update(adds=adds, deletes=deletes), self._closure))

    def is_derived(self, predicate: str) -> bool:
        return predicate in self._closure.predicates

    def cost_of(self, step: Step) -> Fraction | None:
        """Return what a well-formed step adds to total-cost; None when a value it reads is undefined."""
        found = self._costs(step)
        known = [value for value in found if value is not None]
        return sum(known, FREE) if len(known) == len(found) else None

    def undefined_values(self, step: Step) -> tuple[str, ...]:
        """Return the expressions of a step's cost that have no value, as PDDL text."""
        schema = self.schema(step.name)
        costs = zip(schema.costs, self._costs(step), strict=True)
        return tuple(expression_text(each, schema.binding(step.args)) for each, value in costs if value is None)

    def _costs(self, step: Step) -> list[Fraction | None]:
        """Return the values of the expressions of a step's cost; None for one that has none."""
        from validator.model.numeric import Missing, evaluate  # which a model without costs does not need

        schema = self.schema(step.name)
        binding = schema.binding(step.args)
        found = (evaluate(each, binding, self._start) for each in schema.costs)
        return [None if isinstance(value, Missing) else value for value in found]

    @cached_property
    def _start(self) -> Situation:
        from validator.model.numeric import Situation

        return Situation(model=self.model, atoms=frozenset(), values=self.model.problem.values)

    def known(self, tokens: Sequence[Token]) -> Iterator[GroundStep | None]:
        """Return for each token the step that was executed before; None for one that was not."""
        if _ONLY_STEPS.issuperset(map(type, tokens)):
            return map(self._kept.get, map(_said, tokens))
        return repeat(None, len(tokens))

    def grounded(self, step: Step) -> GroundStep | None:
        """Return a step as it is executed; None for one that is malformed, or has to be looked at in each state."""
        key = (step.name, step.args)
        known: GroundStep | None = self._kept.get(key, _UNKNOWN)
        if known is not _UNKNOWN:
            return known
        if self.ways.get(step.name) != [step.name] or self.malformed(0, step):
            return None
        schema = self.schema(step.name)
        cost = self.cost_of(step) if schema.costs else FREE
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        found = self._kept[key] = None if cost is None else schema.grounded(step.args, cost)
        return found

    def schema(self, name: str) -> Schema:
        """Return a declared action compiled for execution."""
        schema = self._schemas.get(name)
        if schema is None:
            schema = self._schemas[name] = compile_action(self.model, self.is_derived, self.model.domain.actions[name])
        return schema
